/* SPDX-License-Identifier: MIT
 *
 * ranges.h - which stretches of the program the user asked for: between cudaProfilerStart() and
 * cudaProfilerStop(). Launches elsewhere are not counted.
 */
#ifndef GMCAPTURE_RANGES_H
#define GMCAPTURE_RANGES_H

#include <stdbool.h>

/* off: nothing is wanted until the program says so; else its calls change nothing. */
void gmc_ranges_init(bool off);
/* Are launches wanted now? */
bool gmc_ranges_open(void);
void gmc_ranges_profiler(bool on);

#endif
