/* SPDX-License-Identifier: MIT
 *
 * allocations.h - the device memory that the program holds.
 */
#ifndef GMCAPTURE_ALLOCATIONS_H
#define GMCAPTURE_ALLOCATIONS_H

#include "traces/gmtrace.h"

/* origin: NULL, or valid for good. */
void gmc_allocations_add(uint64_t base, uint64_t size, const gmtrace_origin *origin);
/* A variable of a module, which may lie in memory that was added: what is beside it stays. It goes
 * with that memory, or is removed. */
void gmc_allocations_add_variable(uint64_t base, uint64_t size, const gmtrace_origin *origin);
void gmc_allocations_remove(uint64_t base);
/* Is it an address in, or right behind, what the program holds? */
bool gmc_allocations_hold(uint64_t address);
/* How many bytes there are from an address to the end of what holds it; 0: nothing does. */
uint64_t gmc_allocations_room(uint64_t address);
/* A copy, sorted by base and without overlaps; free it. *count 0 where there are none. */
gmtrace_allocation *gmc_allocations_copy(uint32_t *count);

#endif
