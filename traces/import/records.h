/* SPDX-License-Identifier: MIT
 *
 * records.h - from instruction lines to the records of a trace.
 */
#ifndef GMTRACE_ACCEL_RECORDS_H
#define GMTRACE_ACCEL_RECORDS_H

#include "traces/import/line.h"

/* Local offsets that a launch uses; low > high where there are none. */
typedef struct accel_local {
    uint64_t low, high;
} accel_local;

typedef struct accel_output {
    gmtrace_writer *writer;
    const accel_header *header;
    uint64_t local_low; /* counts as offset 0 */
    uint64_t cta;
    uint32_t warp, last_mask;
    uint64_t copies; /* asynchronous copies, whose shared side the lines do not tell */
} accel_output;

/* Widens *local by the lanes of a local or generic access. */
void accel_note_local(accel_local *local, const accel_header *header, const accel_inst *inst);

/* Before the first line of a warp. */
void accel_begin_warp(accel_output *output, uint64_t cta, uint32_t warp);
bool accel_put(accel_output *output, const accel_inst *inst, gmtrace_error *error);

#endif
