/* SPDX-License-Identifier: MIT
 *
 * fetch.h - code that an SM does not have yet. Private to sim/model.
 */
#ifndef GMSIM_FETCH_H
#define GMSIM_FETCH_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

#define GMSIM_CODE_WAYS 4096u /* whose code may be known to be there */
#define GMSIM_CODE_SETS 64u   /* of the SM's cache, */
#define GMSIM_CODE_FAR  16u   /* and of the one behind; powers of two */
#define GMSIM_CODE_CAME 32u   /* likewise */

/* What an SM has of the kernel's code. */
struct gmsim_code {
    uint64_t done[GMSIM_CODE_WAYS / 64u]; /* ways all of whose lines are there, a bit each */
    uint64_t free, asked; /* when the next line can come, and when the last was asked for */
    uint32_t near[GMSIM_CODE_SETS]; /* lines that have come to each set of its cache, */
    uint32_t far[GMSIM_CODE_FAR];   /* and blocks of them, to each of the one behind */
    uint32_t last, last_clocks;     /* block that came there last, and its lines' clocks */
    struct gmsim_code_line *line;   /* NULL: it has all */
    uint32_t *block; /* of each, its number in its set, as they come, from 1 on; 0: not yet */
    bool constants;  /* each way is looked at, for those too */
    uint64_t came[GMSIM_CODE_SETS]
                 [GMSIM_CODE_CAME]; /* clocks of the last lines, by their numbers */
};

static inline bool gmsim_fetch_done(const struct gmsim_code *code, const gmtrace_path *way)
{
    return way->number < GMSIM_CODE_WAYS &&
           (code->done[way->number / 64u] >> way->number % 64u & 1u);
}

/* Whether a warp of the SM may have to wait for code or constants on that way. */
static inline bool gmsim_fetch_may_wait(const gmsim_sm *sm, const gmtrace_path *way)
{
    const struct gmsim_code *code = sm->code;
    return code && (code->constants || !gmsim_fetch_done(code, way));
}

/* A launch of the kernel begins; cold: in caches that hold nothing of its code. False without
 * memory; to be ended in any case. */
bool gmsim_fetch_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel, bool cold);
void gmsim_fetch_end(gmsim_scheduler *s);
/* Clocks begin at 0 again; what SMs have stays. */
void gmsim_fetch_restart(gmsim_scheduler *s);
/* The SM waits for code no more. */
void gmsim_fetch_forget(const gmsim_scheduler *s, gmsim_sm *sm);

/* A warp of the SM would go the way from the clock `begin` on, in so many clocks: clocks that it
 * waits for code in all. Only where sm->code is. */
uint64_t gmsim_fetch_way(gmsim_scheduler *s, gmsim_sm *sm, const gmtrace_path *way, uint64_t begin,
                         uint32_t clocks);

/* The same of an instruction that is in the trace. */
uint64_t gmsim_fetch_instruction(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t instr,
                                 uint64_t begin);

#pragma GCC visibility pop

#endif
