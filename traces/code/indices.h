/* SPDX-License-Identifier: MIT
 *
 * indices.h - at how many addresses a warp reads constants where the index was loaded: the kind of
 * an atom, say, by which its parameters are looked up. Part of libgmtrace.
 *
 * The first records of some warps tell where the loads read, what the launch knows of memory tells
 * what they found, and the code what index it makes of that. What they found in other memory, or in
 * shared memory, is anything less than 256, but the same for lanes that read the same. Lanes that
 * are not seen to do what stands beside such a load do not do it, either. A load of constants takes
 * two clocks for each address (validate/micro/constant.cu), whoever said which
 * (constant_loaded.cu), be they bytes of one word (constant_narrow.cu).
 *
 * Left out: indices that were loaded from local memory, or exchanged between lanes; what constants
 * hold that indices are made of; a load that was executed again between the one that made the index
 * and its use.
 */
#ifndef GMTRACE_INDICES_H
#define GMTRACE_INDICES_H

#include "traces/code/decoded.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the lanes of one warp have loaded from which indices are made. */
typedef struct gmtrace_loaded gmtrace_loaded;

/* Sets `addresses` of those of kernel->instr_count records in `decoded`, from
 * gmtrace_decode_kernel(), whose index was loaded, to the mean of the warps looked at, to the
 * nearest whole number; and of those that few lanes do. All others stay as they are. *loaded, the
 * caller's, is for gmtrace_constants_create(), NULL where there is no such load. The launch is the
 * one that the reader has selected. False on a damaged trace, and, with GMTRACE_OK as
 * error->status, without memory; *loaded is NULL then. */
bool gmtrace_decode_indices(gmtrace_reader *reader, const gmtrace_kernel *kernel,
                            const gmtrace_launch *launch, gmtrace_decoded *decoded,
                            gmtrace_loaded **loaded, gmtrace_error *error);
void gmtrace_loaded_free(gmtrace_loaded *loaded); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
