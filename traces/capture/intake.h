/* SPDX-License-Identifier: MIT
 *
 * intake.h - one launch's reports become records of its open launch in the trace; what the capture
 * cannot see is reconstructed between them.
 */
#ifndef GMCAPTURE_INTAKE_H
#define GMCAPTURE_INTAKE_H

#include "traces/capture/decode.h"
#include "traces/capture/found.h"
#include "traces/capture/open_ctas.h"
#include "traces/capture/open_warps.h"
#include "traces/code/unseen.h"

typedef struct gmc_job {
    gmtrace_writer *writer;
    const gmc_code *code;
    uint32_t threads;      /* of a CTA */
    uint64_t ctas;         /* of the grid; 0 where nobody asks whether all of them have ended */
    gmtrace_unseen *slots; /* reconstructs what is not reported; NULL where all is */
    gmc_found *found;      /* keeps what deciding loads read; NULL where none is */
} gmc_job;

typedef struct gmc_result {
    uint64_t records;    /* given to the writer */
    uint64_t unknown_pc; /* of those, records whose instruction is not in the table */
    uint64_t odd;        /* left out: reports that make no record of a trace */
    uint64_t exited;     /* CTAs whose threads have all ended */
    gmtrace_unseen_counts slots;
    uint64_t tail;           /* cells taken since the ring was made */
    uint32_t dynamic_shared; /* as CTA 0 saw it; GMTRACE_UNKNOWN where it did not say */
    bool sound;              /* every record made sense and was written */
    gmtrace_error error;     /* the writer's, where that is why it is not sound */
} gmc_result;

typedef struct gmc_intake {
    gmc_job job;
    gmc_result result;
    gmc_open_ctas open_ctas;
    gmc_open_warps warps; /* where their lanes stand, for job.slots alone */
} gmc_intake;

/* A new launch; job is the caller's to set before the first report. */
void gmc_intake_begin(gmc_intake *intake);
void gmc_intake_take(gmc_intake *intake, const gmc_cell *header, const gmc_cell *payload);
/* The launch misses something; error NULL where it is not the writer's. */
void gmc_intake_fail(gmc_intake *intake, const gmtrace_error *error);
/* After the last report: completes the result. */
void gmc_intake_end(gmc_intake *intake);
void gmc_intake_free(gmc_intake *intake);

#endif
