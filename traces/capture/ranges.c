/* SPDX-License-Identifier: MIT
 *
 * ranges.c - one switch for the process.
 */
#include "traces/capture/ranges.h"

static bool follows_profiler, profiler_off;

void gmc_ranges_init(bool off)
{
    follows_profiler = profiler_off = off;
}

void gmc_ranges_profiler(bool on)
{
    if (follows_profiler)
        __atomic_store_n(&profiler_off, !on, __ATOMIC_RELAXED);
}

bool gmc_ranges_open(void)
{
    return !__atomic_load_n(&profiler_off, __ATOMIC_RELAXED);
}
