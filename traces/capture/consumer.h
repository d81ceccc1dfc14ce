/* SPDX-License-Identifier: MIT
 *
 * consumer.h - the thread that empties a ring into a trace while a captured kernel runs.
 *
 * A ring belongs to one CUDA context. Between gmc_consumer_start() and gmc_consumer_finish() the
 * writer belongs to the thread; outside, to the caller.
 */
#ifndef GMCAPTURE_CONSUMER_H
#define GMCAPTURE_CONSUMER_H

#include "traces/capture/decode.h"
#include "traces/code/unseen.h"

typedef struct gmc_consumer gmc_consumer;

typedef struct gmc_job {
    gmtrace_writer *writer;
    const gmc_code *code;
    uint32_t threads;      /* of a CTA */
    gmtrace_unseen *slots; /* reconstructs what is not reported; NULL where all is */
} gmc_job;

typedef struct gmc_result {
    uint64_t records;    /* given to the writer */
    uint64_t unknown_pc; /* of those, records whose instruction is not in the table */
    uint64_t odd;        /* left out: reports that make no record of a trace */
    gmtrace_unseen_counts slots;
    uint64_t tail;           /* cells taken since the ring was made */
    uint32_t dynamic_shared; /* as CTA 0 saw it; GMTRACE_UNKNOWN where it did not say */
    bool sound;              /* every record made sense and was written */
    gmtrace_error error;     /* the writer's, where that is why it is not sound */
} gmc_result;

/* `ring` holds `cells` zeroed cells, a power of two; `tail` is what the device reads. NULL without
 * memory or thread. */
gmc_consumer *gmc_consumer_create(gmc_cell *ring, uint64_t cells, uint64_t *tail);
void gmc_consumer_start(gmc_consumer *consumer, const gmc_job *job);
/* Call when nothing more will be written: takes what is left, up to `head`, and stops. Cells that
 * were claimed but never written (a kernel that died) make the result unsound. */
void gmc_consumer_finish(gmc_consumer *consumer, uint64_t head, gmc_result *result);
void gmc_consumer_destroy(gmc_consumer *consumer);

#endif
