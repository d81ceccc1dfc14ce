/* SPDX-License-Identifier: MIT
 *
 * ranges.h - which stretches of the program the user asked for: between cudaProfilerStart() and
 * cudaProfilerStop(), and inside NVTX ranges of a name. Launches elsewhere are not counted.
 *
 * A range is asked for as [DOMAIN@]NAME[/]; with the stroke only pushed ones are meant, and
 * "regex:" before NAME makes it an extended regular expression. Without DOMAIN the default one is
 * meant.
 */
#ifndef GMCAPTURE_RANGES_H
#define GMCAPTURE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `asked`: ranges, one a line; NULL: NVTX does not matter. off: nothing is wanted until the program
 * says so. False with a reason where a range cannot be understood. */
bool gmc_ranges_init(const char *asked, bool off, char *reason, size_t size);
/* Are the calling thread's launches wanted now? */
bool gmc_ranges_open(void);

/* Without `off` the program's calls change nothing. */
void gmc_ranges_profiler(bool on);
/* NVTX's own events. domain "" is the default one; of other domains, the name. */
void gmc_ranges_push(const void *domain, const char *domain_name, const char *name);
void gmc_ranges_pop(const void *domain);
uint64_t gmc_ranges_start(const char *domain_name, const char *name); /* an id, not 0 */
void gmc_ranges_end(uint64_t id);

#endif
