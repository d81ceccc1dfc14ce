/* SPDX-License-Identifier: MIT
 *
 * sweep.h - what the files of `gmsim sweep` share: the points of a sweep, and their results.
 */
#ifndef GMSIM_SWEEP_H
#define GMSIM_SWEEP_H

#include "sim/cli/cli.h"
#include "sim/gmsim.h"
#include "sim/report/report.h"

G_BEGIN_DECLS

#ifndef SWEEP_MOST_POINTS
#define SWEEP_MOST_POINTS 1000000u
#endif

/* sweep_expand.c */

/* Appends to `texts` all that the pattern stands for, {A,B} and {A..B} tried in turn, the last
 * braces fastest, and to `values` (or NULL) what each has in its braces, as char ** ended by NULL.
 * Appends to `names` (or NULL) what stands before each '={'. Says what is wrong, naming `option`.
 */
bool sweep_expand(const char *option, const char *pattern, GPtrArray *texts, GPtrArray *values,
                  GPtrArray *names);

/* sweep_plan.c */

typedef struct sweep_plan {
    GPtrArray *traces;   /* files and synthetic lines */
    GPtrArray *braces;   /* where all come from one line: char ** of each, its braces' values */
    GPtrArray *names;    /* of the braces */
    unsigned synthetic;  /* traces from this one on are synthetic */
    GPtrArray *gpus;     /* names */
    GPtrArray *keys;     /* of --set */
    GPtrArray *settings; /* of each key: GPtrArray of "key=value" */
    uint64_t count;      /* points */
} sweep_plan;

/* The options' texts, each a list ended by NULL or NULL. Says what is wrong. */
bool sweep_plan_make(sweep_plan *plan, char **traces, char **lines, char **gpus, char **sets);
/* Whether every GPU and its settings make sense, before the first point is simulated. */
bool sweep_plan_check(const sweep_plan *plan);
void sweep_plan_clear(sweep_plan *plan);

/* All columns: trace, GPU, braces, keys. Free with g_array_unref(). */
GArray *sweep_plan_columns(const sweep_plan *plan);
/* A point's value there; for gmsim_sweep. */
const char *sweep_plan_value(const void *plan, uint64_t point, const gmsim_sweep_column *column);
/* Sets the job's trace, synthetic, gpu and set. Free job.set (not what it holds) with g_free(). */
void sweep_plan_job(const sweep_plan *plan, uint64_t point, gmsim_job *job);

/* sweep_run.c */

typedef struct sweep_study {
    sweep_plan plan;
    gmsim_job job; /* what all points share */
    unsigned processes;
    bool quiet, keep_going;
    gmsim_sweep sweep; /* of the plan */
} sweep_study;

/* Simulates all points; false where one failed, after saying so. *code is the exit code. */
bool sweep_run(sweep_study *study, int *code);
void sweep_results_free(sweep_study *study);

G_END_DECLS

#endif
