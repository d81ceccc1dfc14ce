/* SPDX-License-Identifier: MIT
 *
 * constants.h - what the __constant__ variables hold that a kernel's code names: how often its
 * loops turn, and tables that it looks up. Told as memory found (FORMAT.md, KNOWN).
 *
 * A kernel cannot write its constants; those that the host or another kernel changes while it runs
 * are told as they are at its end. Left out: the driver's and the compiler's own constants.
 */
#ifndef GMCAPTURE_CONSTANTS_H
#define GMCAPTURE_CONSTANTS_H

#include "traces/capture/found.h"
#include "traces/code/sass.h"

/* A variable: where it begins in constant bank 3, and in the device's memory. */
typedef struct gmc_constant {
    uint32_t offset;
    uint64_t base, size;
    const void *initial; /* what it holds, as nobody can have changed it; else NULL */
} gmc_constant;

/* Puts what those of `count` variables hold that the code names behind known->range, as far as it
 * can be copied. What known->range names then is valid until the next call. Without memory it stays
 * as it is, and false is returned; it stays, too, where a trace takes no more ranges of a launch.
 * Not for two threads at a time. */
bool gmc_constants_tell(gmtrace_known *known, const gmtrace_sass *sass,
                        const gmc_constant *constant, uint32_t count, gmc_found_copy copy);

#endif
