/* SPDX-License-Identifier: MIT
 *
 * find.h - where GPU descriptions lie.
 */
#ifndef GMSIM_FIND_H
#define GMSIM_FIND_H

#include "sim/device/gpu.h"

/* The file that `what` names (see gmsim_gpu_load), or NULL with error set; a path is relative to
 * the file `beside`, or to the current folder where that is NULL. Free with g_free(). */
char *gmsim_device_find(const char *what, const char *beside, GError **error);

#endif
