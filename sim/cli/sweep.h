/* SPDX-License-Identifier: MIT
 *
 * sweep.h - what the files of `gmsim sweep` share: the points of a sweep, their results, and how
 * they are written.
 */
#ifndef GMSIM_SWEEP_H
#define GMSIM_SWEEP_H

#include "sim/cli/cli.h"
#include "sim/gmsim.h"

G_BEGIN_DECLS

#define SWEEP_MOST_POINTS 1000000u

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

/* What can vary: the trace, the GPU, braces, keys. */
typedef enum sweep_kind { SWEEP_TRACE, SWEEP_GPU, SWEEP_BRACES, SWEEP_KEY } sweep_kind;

typedef struct sweep_column {
    const char *name;
    sweep_kind kind;
    unsigned index; /* of the braces or the key */
    bool varies;
} sweep_column;

/* All columns: trace, GPU, braces, keys. Free with g_array_unref(). */
GArray *sweep_plan_columns(const sweep_plan *plan);
/* A point's value there. */
const char *sweep_plan_value(const sweep_plan *plan, uint64_t point, const sweep_column *column);
/* "gpu=a100 l1.size=256K": the columns that vary, or with all every one. Free with g_free(). */
char *sweep_plan_describe(const sweep_plan *plan, uint64_t point, bool all);
/* Sets the job's trace, synthetic, gpu and set. Free job.set (not what it holds) with g_free(). */
void sweep_plan_job(const sweep_plan *plan, uint64_t point, gmsim_job *job);

/* sweep_run.c */

typedef struct sweep_row {
    uint32_t launch;
    char *kernel;
    double *value; /* of each metric; NaN where the launch has none */
} sweep_row;

typedef struct sweep_result {
    GPtrArray *rows; /* sweep_row *, one a launch */
    char *failure;   /* NULL where all went well */
    int code;
} sweep_result;

typedef struct sweep_study {
    sweep_plan plan;
    gmsim_job job;        /* what all points share */
    GArray *metrics;      /* unsigned: indices into gmsim_metrics */
    uint64_t first, step; /* this process' share: first, first + step, ... */
    unsigned processes;
    bool quiet, keep_going;
    bool chosen;          /* metrics were named by the user */
    sweep_result *result; /* of each point of the plan */
} sweep_study;

/* Simulates all points; false where one failed, after saying so. *code is the exit code. */
bool sweep_run(sweep_study *sweep, int *code);
void sweep_results_free(sweep_study *sweep);

/* sweep_write.c, sweep_text.c */

void sweep_write_csv(const sweep_study *sweep, FILE *out);
void sweep_write_json(const sweep_study *sweep, FILE *out);
void sweep_write_text(const sweep_study *sweep, FILE *out);

/* Short names for the metrics most asked for: --metric takes them, text is headed by them. */
const char *sweep_short_name(const char *metric); /* NULL where it has none */
/* Index of a metric by ncu's name or its short one, or -1. */
int sweep_find_metric(const char *name);
/* Those shown where none is chosen; ended by NULL. */
extern const char *const sweep_default_metrics[];
/* All names that sweep_find_metric() takes; ended by NULL. Free with g_free(). */
const char **sweep_metric_names(void);

G_END_DECLS

#endif
