/* SPDX-License-Identifier: MIT
 *
 * plugin.h - shared objects with policies of the user's, as sim/policy/plugin.h describes them.
 */
#ifndef GMSIM_API_PLUGIN_H
#define GMSIM_API_PLUGIN_H

#include "sim/device/gpu.h"

G_BEGIN_DECLS

/* Loads each of the files (a list ended by NULL, or NULL) and makes its policies known to the GPU.
 * Returns what gmsim_plugins_close() frees when no GPU that knows them is used any more; NULL and
 * error, which names the file, where one cannot be used. */
typedef struct gmsim_plugins gmsim_plugins;
gmsim_plugins *gmsim_plugins_open(const char *const *files, gmsim_gpu *gpu, GError **error);
void gmsim_plugins_close(gmsim_plugins *plugins);

G_END_DECLS

#endif
