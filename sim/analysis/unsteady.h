/* SPDX-License-Identifier: MIT
 *
 * unsteady.h - why counts of a launch differ from run to run of the hardware, or from what Nsight
 * Compute says of it, however exact the model: an aside of the report, beside its numbers.
 */
#ifndef GMSIM_UNSTEADY_H
#define GMSIM_UNSTEADY_H

#include "sim/analysis/rows.h"
#include "traces/code/unsteady.h"

G_BEGIN_DECLS

/* Those of the code (traces/code/unsteady.h), and one of how ncu counts: asynchronous copies past
 * L1 under a predicate that leaves lanes out; it counts what their registers happen to hold, too
 * (micro/copy_async.cu). */
enum { GMSIM_UNSTEADY_COPY = GMTRACE_UNSTEADY_KINDS, GMSIM_UNSTEADY_KINDS };

typedef struct gmsim_unsteady {
    uint32_t kinds;                       /* 1 << kind */
    uint32_t instr[GMSIM_UNSTEADY_KINDS]; /* of the table: the first that shows it */
} gmsim_unsteady;

/* By kind: "spin", and what happens there. */
extern const gmsim_names gmsim_unsteady_table[GMSIM_UNSTEADY_KINDS];

gmsim_unsteady gmsim_unsteady_find(const gmsim_result *result);

G_END_DECLS

#endif
