/* SPDX-License-Identifier: MIT
 *
 * ranges.c - one switch for the process.
 */
#include "traces/capture/ranges.h"

static bool profiler_off;

void gmc_ranges_init(bool off)
{
    profiler_off = off;
}

void gmc_ranges_profiler(bool on)
{
    __atomic_store_n(&profiler_off, !on, __ATOMIC_RELAXED);
}

bool gmc_ranges_open(void)
{
    return !__atomic_load_n(&profiler_off, __ATOMIC_RELAXED);
}
