/* SPDX-License-Identifier: MIT
 *
 * constants.h - which constants a warp reads on its way. Part of libgmtrace.
 *
 * No capture records loads from constant memory. The integer code that makes their indices is run
 * along the ways of path.h, from what the code itself says: parameters, CTA and warp numbers and
 * what was loaded are nought, but for what indices.h knows of it, and what the trace tells of
 * constants. So a loop that goes through a table is seen to do so, with the steps and the bound that
 * its code has, wherever in the table it begins.
 *
 * Left out: constants that arithmetic takes as operands, those of compilers, and loads without an
 * index of kernels that have none with one.
 */
#ifndef GMTRACE_CONSTANTS_H
#define GMTRACE_CONSTANTS_H

#include "traces/code/decoded.h"
#include "traces/code/indices.h"
#include "traces/code/path.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GMTRACE_CONSTANT_LINE  64u        /* bytes */
#define GMTRACE_CONSTANT_LINES 1024u      /* of a bank */
#define GMTRACE_CONSTANT_BANK  3u         /* of __constant__ variables: no other is followed */
#define GMTRACE_CONSTANT_WAIT  UINT16_MAX /* in place of a line */
#define GMTRACE_CONSTANT_ULDC  0x4000u    /* beside a line: one load for all lanes asks for it */

/* A line that the way asks for; or what it asked for so far is waited for. */
typedef struct gmtrace_constant {
    uint32_t slot;  /* gmtrace_path.slots before it */
    uint16_t line;  /* address over GMTRACE_CONSTANT_LINE, GMTRACE_CONSTANT_ULDC */
    uint16_t after; /* so many other addresses of the same load */
} gmtrace_constant;

typedef struct gmtrace_constant_way {
    const gmtrace_constant *item;
    uint32_t count, slots; /* of the whole way */
    uint32_t next;         /* what the warp's indices are made of behind it */
} gmtrace_constant_way;

typedef struct gmtrace_constants gmtrace_constants;

/* NULL where no load of constants has an index, or without memory: those who ask then know less.
 * `lanes`: of a warp. `loaded`, of its launch, may be NULL; it must stay. */
gmtrace_constants *gmtrace_constants_create(const gmtrace_kernel *kernel,
                                            const gmtrace_decoded *decoded, uint32_t lanes,
                                            const gmtrace_loaded *loaded);
void gmtrace_constants_free(gmtrace_constants *constants); /* NULL is allowed */

/* What is read on the way by a warp that has `state`: 0 at its begin, then `next` of the way
 * before. Valid until gmtrace_constants_free(). */
const gmtrace_constant_way *gmtrace_constants_step(gmtrace_constants *constants, uint32_t state,
                                                   const gmtrace_path *way);

#ifdef __cplusplus
}
#endif

#endif
