/* SPDX-License-Identifier: MIT
 *
 * origins.h - where the program's allocations come from: which call made them, the how-many-th
 * allocation of the program each is, and what the program's source calls it.
 */
#ifndef GMCAPTURE_ORIGINS_H
#define GMCAPTURE_ORIGINS_H

#include <stdbool.h>

#include "traces/gmtrace.h"

/* The calling thread enters a function that allocates; `name` as the driver tells it, for as long
 * as the program runs. Of calls within calls the outermost counts. */
void gmc_origins_enter(const char *name);
/* It leaves the function, which gave the program this address, 0 where that is not known. What else
 * was allocated in the meantime is the driver's: modules are loaded by the first call that is made.
 */
void gmc_origins_leave(uint64_t address);
/* The origin of the allocation at the address that the calling thread makes now. Never freed; NULL
 * without memory and from GMC_MAX_ORIGINS on. Its line is not known yet, nor within a call its
 * number. */
const gmtrace_origin *gmc_origins_make(uint64_t address);
/* Finds the lines and names of those made since the last time: processes are started. By one thread
 * at a time. */
void gmc_origins_resolve(void);
/* A variable of the program's kernels, by the name in its module; never freed, NULL without memory.
 */
const gmtrace_origin *gmc_origins_variable(const char *mangled);

#define GMC_MAX_ORIGINS 65536u

#endif
