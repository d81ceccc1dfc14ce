/* SPDX-License-Identifier: MIT
 *
 * path_local.h - what warps keep in local memory, as far as it is known: arrays with an index and
 * spilled registers come back as they were stored. Private to path*.c.
 */
#ifndef GMTRACE_PATH_LOCAL_H
#define GMTRACE_PATH_LOCAL_H

#include "traces/code/path_lanes.h"

/* Of one warp. Addresses are a lane's own, in its local window. */
typedef struct path_local path_local;

path_local *path_local_create(void);     /* NULL without memory */
void path_local_free(path_local *local); /* NULL is allowed */

/* A record's lanes store what the step's sources hold. Without memory, and beyond what is kept,
 * that will not be known. Here and below NULL is one to which nothing was stored. */
void path_local_store(path_local *local, const path_step *step, const path_lanes *lanes,
                      uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES]);
/* The same of `size` bytes of which nothing is known. */
void path_local_forget(path_local *local, uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES],
                       uint32_t size);
/* And load what was stored there, where that is known. */
void path_local_load(const path_local *local, const path_step *step, path_lanes *lanes,
                     uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES]);

#endif
