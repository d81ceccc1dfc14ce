/* SPDX-License-Identifier: MIT
 *
 * ini.h - the lines of an .ini file: a GPU's, or others of that form.
 */
#ifndef GMSIM_INI_H
#define GMSIM_INI_H

#include "sim/device/gpu.h"

#pragma GCC visibility push(hidden)

/* Called for each "[group]" line, with key NULL, and each "key = value" line with the comment that
 * stands above it. Returns false to stop, having set error. */
typedef bool (*gmsim_ini_visit)(unsigned line, const char *group, const char *key,
                                const char *value, const char *comment, gpointer data,
                                GError **error);

/* Reads a file of at most a MiB of UTF-8. Returns false and sets error where it cannot be read, is
 * no such text, or visit stops. */
bool gmsim_ini_read(const char *path, gmsim_ini_visit visit, gpointer data, GError **error);

/* Sets a GMSIM_ERROR_USAGE of "path:line: ...", without the line where that is 0. Returns false. */
bool gmsim_ini_fail(GError **error, const char *path, unsigned line, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#pragma GCC visibility pop

#endif
