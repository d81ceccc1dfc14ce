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

/* Stands between a program and its arguments where they are one pattern. */
#define SWEEP_ARGUMENT      "\x1f"
#define SWEEP_ARGUMENT_CHAR '\x1f'

/* sweep_expand.c */

/* Appends to `texts` all that the pattern stands for, {A,B} and {A..B} tried in turn, the last
 * braces fastest, and to `values` (or NULL) what each has in its braces, as char ** ended by NULL.
 * Appends to `names` (or NULL) what stands before each '={'; in a program with its arguments, where
 * nothing does, "program", "arg1", "arg2". Says what is wrong, naming `option`. */
bool sweep_expand(const char *option, const char *pattern, GPtrArray *texts, GPtrArray *values,
                  GPtrArray *names);

/* sweep_plan.c */

typedef struct sweep_plan {
    GPtrArray *traces;   /* files, synthetic lines, programs with their arguments */
    GPtrArray *braces;   /* where all come from one line: char ** of each, its braces' values */
    GPtrArray *names;    /* of the braces */
    unsigned synthetic;  /* traces from this one on are synthetic */
    unsigned programs;   /* and from this one on programs */
    GPtrArray *commands; /* char ** of each of those */
    GPtrArray *left;     /* the file in which each has left its trace, or NULL */
    GPtrArray *gpus;     /* names */
    GPtrArray *keys;     /* of --set */
    GPtrArray *settings; /* of each key: GPtrArray of "key=value" */
    uint64_t count;      /* points */
} sweep_plan;

/* The options' texts. */
typedef struct sweep_texts { /* each a list ended by NULL, or NULL */
    char **traces, **lines, **programs, **arguments, **gpus, **sets;
} sweep_texts;

/* Says what is wrong. */
bool sweep_plan_make(sweep_plan *plan, const sweep_texts *texts);
/* Whether every GPU and its settings make sense, before the first point is simulated. */
bool sweep_plan_check(const sweep_plan *plan, const char *const *plugins);
void sweep_plan_clear(sweep_plan *plan);

/* All columns: trace, GPU, braces, keys. Free with g_array_unref(). */
GArray *sweep_plan_columns(const sweep_plan *plan);
/* A point's value there; for gmsim_sweep. */
const char *sweep_plan_value(const void *plan, uint64_t point, const gmsim_sweep_column *column);
/* The number of the program whose trace the point is of, or -1. */
int sweep_plan_command(const sweep_plan *plan, uint64_t point);
/* Sets the job's trace, synthetic, gpu and set. Free job.set (not what it holds) with g_free(). */
void sweep_plan_job(const sweep_plan *plan, uint64_t point, gmsim_job *job);

/* sweep_program.c */

typedef struct sweep_study sweep_study;

/* Runs the programs whose points are this process' share, one after the other; their traces are in
 * plan.left. Of one that fails all points fail, and without --keep-going no other is run: false.
 * Says what is wrong. *ended as of cli_program_run(). */
bool sweep_programs_run(sweep_study *study, int *ended);
/* Removes what they left. */
void sweep_programs_forget(sweep_study *study);

/* sweep_plot.c */

/* Whether something varies that can be drawn; says what is wrong. */
bool sweep_plot_able(const gmsim_sweep *sweep);
/* Draws the sweep into it; says what is wrong. */
bool sweep_plot(const gmsim_sweep *sweep, const char *folder);

/* sweep_run.c */

struct sweep_study {
    sweep_plan plan;
    char *trace;   /* of the first program, while it is there; others' names are longer */
    gmsim_job job; /* what all points share */
    unsigned processes;
    bool quiet, keep_going;
    gmsim_sweep sweep; /* of the plan */
};

/* Runs the programs and simulates all points; false where one failed, after saying so. *code is the
 * exit code. */
bool sweep_run(sweep_study *study, int *code);
void sweep_results_free(sweep_study *study);

G_END_DECLS

#endif
