/* SPDX-License-Identifier: MIT
 *
 * verdict.h - what stands in a kernel's way: one finding with a fix and a bound, and what else is
 * wrong. Where the launch was timed, by what its warps wait for; else by lower bounds alone.
 *
 * `now` and `then` are lower bounds that follow from counts and bandwidths, never a time: a kernel
 * takes at least `now`, and with the fix at least `then`. `cost` is of the predicted time.
 */
#ifndef GMSIM_VERDICT_H
#define GMSIM_VERDICT_H

#include "sim/model/model.h"

G_BEGIN_DECLS

typedef enum gmsim_finding_kind {
    GMSIM_FINDING_NO_MEMORY,   /* the launch touched no memory that is modelled */
    GMSIM_FINDING_NOTHING,     /* the pattern is as good as it gets */
    GMSIM_FINDING_CONFLICTS,   /* shared-memory bank conflicts */
    GMSIM_FINDING_UNCOALESCED, /* global requests touch more sectors than their bytes need */
    GMSIM_FINDING_ATOMICS,     /* many updates of few addresses take turns */
    GMSIM_FINDING_LOCAL,       /* spills or per-thread arrays in local memory */
    GMSIM_FINDING_SMALL_GRID,  /* fewer CTAs than SMs */
    GMSIM_FINDING_OCCUPANCY,   /* few warps to hide latency */
    /* Where there is time: */
    GMSIM_FINDING_LATENCY,   /* warps wait for data, and no resource is busy */
    GMSIM_FINDING_BANDWIDTH, /* the rate of then_bound */
    GMSIM_FINDING_BARRIERS,  /* warps wait for one another */
    GMSIM_FINDING_MATH,      /* ... for math pipes */
    GMSIM_FINDING_ISSUE,     /* ... for their turn to issue */
    GMSIM_FINDING_LAUNCH,    /* the launch itself takes longer than what it runs */
    GMSIM_FINDING_COUNT
} gmsim_finding_kind;

typedef struct gmsim_finding {
    gmsim_finding_kind kind;
    gmsim_row row;                   /* where most of the excess is */
    const gmsim_instr_counts *worst; /* instruction with most of it, NULL where none stands out */
    uint64_t work, ideal;            /* wavefronts, sectors or updates concerned; NOTHING: asides */
    uint64_t now, then;              /* least cycles of the launch, without and with the fix */
    gmsim_resource then_bound;       /* what binds afterwards */
    uint64_t cost;                   /* clocks of the time that it accounts for; 0: not timed */
    uint32_t waits;                  /* bit set of gmsim_stall: what warps wait for because of it */
} gmsim_finding;

/* At most one finding of each kind is made. */
typedef struct gmsim_verdict {
    unsigned count;
    gmsim_finding finding[GMSIM_FINDING_COUNT]; /* [0] is the verdict, the others are asides */
} gmsim_verdict;

void gmsim_verdict_make(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_verdict *verdict);

/* Clocks of all warps that are such waits. */
uint64_t gmsim_waits_clocks(const gmsim_result *result, uint32_t waits);

/* "bank-conflicts": a stable word for machine-read reports. */
const char *gmsim_finding_name(gmsim_finding_kind kind);

/* What an SM would need for one more CTA than it holds: the largest registers a thread or shared
 * bytes a CTA that would still admit it, and how many then fit. false: no such number. */
typedef struct gmsim_relief {
    bool registers; /* else shared memory */
    uint32_t most;  /* registers a thread, or bytes a CTA */
    uint32_t blocks;
} gmsim_relief;

bool gmsim_occupancy_relief(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_relief *relief);

G_END_DECLS

#endif
