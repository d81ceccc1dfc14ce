/* SPDX-License-Identifier: MIT
 *
 * job.h - what is replayed, on what, and where the answer goes: the options that commands share.
 */
#ifndef GMSIM_CLI_JOB_H
#define GMSIM_CLI_JOB_H

#include "sim/api/simulation.h"
#include "sim/cli/cli.h"

G_BEGIN_DECLS

/* What the command line says of them; lives as long as the process. */
typedef struct cli_job_options {
    /* cli_input_entries */
    char *trace, *program, *synthetic;
    /* cli_gpu_entries */
    char *gpu, **set;
    /* cli_replay_entries */
    char **plugins, *kernel, *launch, *launches, *caches, *limit_memory, *threads;
    gboolean flush;
    /* cli_output_entries */
    char *format, *output;
    /* a command's own table */
    char **rest; /* what is left over; with --run the program's */
    gboolean functional, quiet;
} cli_job_options;

extern cli_job_options cli_given;
extern const GOptionEntry cli_input_entries[];  /* --trace, --run, --synthetic */
extern const GOptionEntry cli_gpu_entries[];    /* --gpu, --set */
extern const GOptionEntry cli_replay_entries[]; /* --plugin to --threads */
extern const GOptionEntry cli_output_entries[]; /* --format, --output */

/* Whether what is given names one input, which may be the word that is left over; says what else.
 * The command's name is NULL for gmsim's own. */
bool cli_job_input(const char *command);
/* The same of --threads alone: commands that do not call cli_job_input() call this. */
bool cli_job_threads(void);
/* Whether what `option` writes is none of the files that the command line has the command read or
 * run: those of the options above, and `more`, which may be NULL; says which it is. */
bool cli_job_spares(const char *option, const char *path, const char *more);
/* What is given, as a job. */
gmsim_job cli_job(void);

/* Runs the program where one is given, opens the job with the trace it left or the one that is
 * named, and the output, and has use() replay and report it. Returns the exit code. */
int cli_job_run(const gmsim_job *job, int (*use)(gmsim_simulation *simulation, gpointer data),
                gpointer data);

G_END_DECLS

#endif
