/* SPDX-License-Identifier: MIT
 *
 * source.h - the bytes of a file, unpacked on the way.
 */
#ifndef GMTRACE_ACCEL_SOURCE_H
#define GMTRACE_ACCEL_SOURCE_H

#include "traces/import/accel.h"

#include <sys/types.h>

typedef struct accel_source accel_source;

/* Plain, gzip, xz or Zstandard, told apart by their first bytes. NULL on failure. */
accel_source *accel_source_open(const char *path, accel_error *error);
/* Up to `size` bytes, 0 at the end, -1 with *problem set on failure. */
ssize_t accel_source_read(accel_source *source, void *to, size_t size, const char **problem);
void accel_source_close(accel_source *source);

#endif
