/* SPDX-License-Identifier: MIT
 *
 * origins.h - where the program's allocations come from: which call made them, and the how-many-th
 * allocation of the program each is.
 */
#ifndef GMCAPTURE_ORIGINS_H
#define GMCAPTURE_ORIGINS_H

#include <stdbool.h>

#include "traces/gmtrace.h"

/* The calling thread enters, or leaves, a function that allocates; `name` as the driver tells it,
 * for as long as the program runs. Of calls within calls the outermost counts. */
void gmc_origins_call(const char *name, bool enters);
/* The origin of the allocation that the calling thread makes now. Never freed; NULL without memory
 * and from GMC_MAX_ORIGINS on. */
const gmtrace_origin *gmc_origins_make(void);

#define GMC_MAX_ORIGINS 65536u

#endif
