/* SPDX-License-Identifier: MIT
 *
 * turns.h - the kernels that one launch of a CUDA graph runs, put one after another: a trace holds
 * whole launches, a graph's branches run side by side.
 *
 * The Sanitizer has one user data for each stretch of a graph that the device runs one kernel after
 * another, that of the kernel named last (seen with 2025.3 on an H200). So the number in a report's
 * mark says the stretch. The kernel is told by where its code lies and by what CTA 0 says when it
 * begins; it is over when all of its threads have exited.
 */
#ifndef GMCAPTURE_TURNS_H
#define GMCAPTURE_TURNS_H

#include "traces/capture/intake.h"

typedef struct gmc_graph_kernel {
    int64_t entry;    /* of its code, in instructions from where reports count */
    int64_t length;   /* of its own function; 0 where not known */
    uint64_t shape;   /* GMC_SHAPE() */
    uint32_t threads; /* of a CTA */
    uint64_t ctas;
    bool captured; /* else its reports are dropped */
    bool begun;    /* turns.c: it has had its turn, or has it */
} gmc_graph_kernel;

/* All in the consumer's thread. */
typedef struct gmc_turn_calls {
    /* NULL from the first number on that no kernel has. */
    gmc_graph_kernel *(*kernel)(uint32_t number);
    /* Opens a launch in the trace and says how its reports are read; false: they are dropped.
     * dynamic_shared is what CTA 0 saw. */
    bool (*open)(uint32_t number, uint32_t dynamic_shared, gmc_job *job);
    void (*close)(uint32_t number, const gmc_result *result);
    size_t memory; /* bytes of reports held while another kernel's launch is open */
} gmc_turn_calls;

typedef struct gmc_turns gmc_turns;

gmc_turns *gmc_turns_create(const gmc_turn_calls *calls, gmc_intake *intake); /* NULL: no memory */
void gmc_turns_take(gmc_turns *turns, const gmc_cell *header, const gmc_cell *payload);
/* At the graph's end. Returns how many reports were of no kernel, and frees. */
uint64_t gmc_turns_end(gmc_turns *turns);

#endif
