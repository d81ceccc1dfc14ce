/* SPDX-License-Identifier: MIT
 *
 * pace.h - how long a warp takes for the instructions between two records, were it alone, and what
 * they ask of the pipes that it shares with other warps of its sub-partition.
 */
#ifndef GMSIM_PACE_H
#define GMSIM_PACE_H

#include "sim/device/gpu.h"
#include "traces/code/decoded.h"
#include "traces/code/path.h"

#pragma GCC visibility push(hidden)

#define GMSIM_SCOREBOARDS GMTRACE_PATH_BARRIERS

#define GMSIM_INSTRUCTION_BYTES 16u

/* Clocks of a run that a scheduler is looked at for (runs.c). */
#define GMSIM_RUN 16u

/* In `uses`: the pipes but for the scheduler; beside these the load-store unit, constants; the way
 * empties its SM's L1. */
#define GMSIM_USES_PIPES    (((1u << GMSIM_PIPES) - 1u) & ~(1u << GMSIM_PIPE_ISSUE))
#define GMSIM_USES_UNIT     (1u << GMSIM_PIPES)
#define GMSIM_USES_CONSTANT (2u << GMSIM_PIPES)
#define GMSIM_EMPTIES_L1    (4u << GMSIM_PIPES)

typedef struct gmsim_pace {
    uint32_t clocks; /* from the issue of the first instruction until the next after them */
    uint32_t pipe[GMSIM_PIPES];
    uint32_t unit, constant;
    uint64_t gaps;        /* squares of the clocks between instructions, summed */
    uint32_t head;        /* clocks until it first lets one pass */
    uint32_t run, run_at; /* clocks of its longest run, 0 below GMSIM_RUN; before it (runs.c) */
    uint32_t slept;       /* clocks between ticks of its last NANOSLEEP; 0: none */
    uint32_t next;        /* instruction that comes if no branch is taken last */
    uint32_t branch;      /* clocks if one is */
    uint32_t wait_at[GMSIM_SCOREBOARDS]; /* clocks before the first that waits for what was set
                                          * before the way; GMTRACE_PATH_NEVER: none does */
    uint32_t due[GMSIM_SCOREBOARDS];     /* clocks until what the way itself sets is there; 0: it
                                          * sets nothing */
    uint32_t drain_at;                   /* clocks before a wait for warpgroup MMA, */
    uint8_t drain;       /* which goes on with less than so many groups under way; 0: none */
    uint16_t uses, sets; /* masks of what is not 0, and of scoreboards */
    uint16_t waits;      /* of the scoreboards with a wait_at */
    bool fences;         /* it has a fence */
    bool known;
} gmsim_pace;

/* By gmtrace_path.number. */
typedef struct gmsim_pace_table {
    gmsim_pace *pace;
    uint32_t room;
} gmsim_pace_table;

/* The sums, pipe by pipe; `to` may be one of the others. */
static inline void gmsim_pipes_add(uint32_t to[GMSIM_PIPES], const uint32_t one[GMSIM_PIPES],
                                   const uint32_t other[GMSIM_PIPES])
{
    uint32_t sum[GMSIM_PIPES]; /* the host adds several at once: nothing overlaps this */
    for (uint32_t p = 0; p < GMSIM_PIPES; p++)
        sum[p] = one[p] + other[p];
    for (uint32_t p = 0; p < GMSIM_PIPES; p++)
        to[p] = sum[p];
}

typedef struct gmsim_paces {
    const gmtrace_kernel *kernel;
    gmsim_cost *cost; /* one an instruction */
    const gmtrace_decoded *decoded;
    gmsim_pace_table ways, quiet; /* quiet: of those that fence, where the warp has accessed no
                                   * memory but shared since the fence before */
    uint32_t branch;              /* clocks */
    bool failed;                  /* there was no memory for a way */
    bool constants;               /* some may miss */
    bool runs;                    /* some way so far has one */
    const gmsim_gpu *gpu;
} gmsim_paces;

/* Forgets the kernel before; `decoded` and `gpu` outlive it. False where there is no memory. */
bool gmsim_paces_begin(gmsim_paces *paces, const gmtrace_kernel *kernel,
                       const gmtrace_decoded *decoded, const gmsim_gpu *gpu);
void gmsim_paces_clear(gmsim_paces *paces);
/* Does a way that leads `to` an instruction, and not to the one that is `next`, lead so far forward
 * that it takes of the scheduler (micro/switch_cost.cu)? */
static inline bool gmsim_pace_is_forward(uint32_t next, uint32_t to)
{
    return to >= next + 5u;
}

/* Grows the table, one of `paces`. Where there is no memory the way takes no time, and `failed` is
 * set. */
const gmsim_pace *gmsim_pace_make(gmsim_paces *paces, gmsim_pace_table *table,
                                  const gmtrace_path *way);

/* Worked out when a way is met for the first time. */
static inline const gmsim_pace *gmsim_pace_of(gmsim_paces *paces, gmsim_pace_table *table,
                                              const gmtrace_path *way)
{
    if (way->number < table->room && table->pace[way->number].known)
        return &table->pace[way->number];
    return gmsim_pace_make(paces, table, way);
}

#pragma GCC visibility pop

#endif
