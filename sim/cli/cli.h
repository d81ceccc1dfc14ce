/* SPDX-License-Identifier: MIT
 *
 * cli.h - what the gmsim command's files share. The command takes arguments in and calls out; what
 * is simulated and how it is reported is decided elsewhere.
 */
#ifndef GMSIM_CLI_H
#define GMSIM_CLI_H

#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/device/gpu.h"
#include "sim/report/report.h"

G_BEGIN_DECLS

enum {
    CLI_DONE = 0,
    CLI_FAILED = 1, /* or corrupt input */
    CLI_USAGE = 2,
    CLI_LIMIT = 3, /* what the user demanded does not hold */
};

/* Subcommands; argv[0] is theirs. Return the exit code. */
int cli_simulate(int argc, char **argv);
int cli_gpus(int argc, char **argv);
int cli_advise(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_samples(int argc, char **argv);
int cli_check(int argc, char **argv);

/* message.c: every message is one line on stderr, "gmsim: ...". */
void cli_say(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Says a GError, after `file` where it is not NULL, and returns its exit code; frees it. */
int cli_fail(const char *file, GError *error);
/* The name of `names` (ended by NULL) that `word` is most likely meant to be, or NULL. */
const char *cli_nearest(const char *word, const char *const *names);
/* Parses the options of all tables (ended by NULL), which --help prints in that order between the
 * summary and the description; on failure says why and returns false. Unknown ones are answered with
 * the nearest of the tables. argv keeps what is left over. */
bool cli_parse(const char *summary, const char *description, const GOptionEntry *const *tables,
               int *argc, char ***argv);

/* `code` where all that was printed arrived, else, after saying why not, CLI_FAILED. */
int cli_flush(int code);

/* Whether an option's value is NULL or one of `words` (ended by NULL); says what else it may be. */
bool cli_one_of(const char *option, const char *value, const char *const *words);
/* Whether an option's value is a whole number in bounds, or NULL: *number stays then; says what else
 * it must be. */
bool cli_count(const char *option, const char *text, guint64 least, guint64 most, guint64 *number);
/* The format that is asked for, or the one that the output's name ends in; NULL after saying that
 * there is none such. Both may be NULL. */
const gmsim_format *cli_format(const char *wanted, const char *output);
/* Says that a format cannot show them; true. */
bool cli_say_lacks(const gmsim_format *format, const char *what);
extern const char *const cli_caches[]; /* what --caches takes */

/* guard.c: one path each that goes when a signal ends us; NULL: no more. A folder goes last. */
typedef enum cli_guarded {
    CLI_GUARD_FOLDER,
    CLI_GUARD_TRACE,
    CLI_GUARD_OUTPUT,
    CLI_GUARD_SECOND, /* output */
    CLI_GUARDS
} cli_guarded;

void cli_guard(cli_guarded what, const char *path);
/* No signal ends us between these two: what is made between them is guarded before one can. errno
 * stays. */
void cli_guard_hold(sigset_t *before);
void cli_guard_release(const sigset_t *before);
/* Besides CLI_GUARD_TRACE's path, that with .1, .2, ... up to .COUNT behind it. */
void cli_guard_numbered(unsigned count);
#define CLI_SIGNALS 4u
extern const int cli_signals[CLI_SIGNALS]; /* that end us */

/* output.c: a file that appears whole or not at all. */
typedef struct cli_output {
    FILE *file;
    char *path;    /* as the user named it; NULL: standard output */
    char *target;  /* what is replaced in the end, symbolic links followed */
    char *partial; /* NULL where the target is written in place (a pipe, a device) */
    cli_guarded guard;
} cli_output;

/* Whether both are one regular file: writing over what is read is never meant. Either may be NULL
 * or "-". */
bool cli_output_is(const char *output, const char *input);
/* path NULL or "-" is standard output. Refuses a folder. Says why it fails. */
bool cli_output_open(cli_output *output, const char *path);
/* With keep, flushes and renames into place; otherwise removes what was written. Says why it
 * fails, of several outputs once. */
bool cli_output_close(cli_output *output, bool keep);

/* program.c: programs built with gmcc. */

/* Runs it with its arguments (ended by NULL, or NULL) and has it leave its trace there. Says what
 * went wrong. *ended is the signal that is to end us, handed on to the program, or 0. */
bool cli_program_run(const char *program, char **arguments, const char *trace, int *ended);
/* The same, looking for mistakes (traces/gmcc/runtime/check.c): those of `checks`, words with commas
 * between, go to the file. *status is the program's, -1 where a signal ended it. */
bool cli_program_check(const char *program, char **arguments, const char *file, const char *checks,
                       int *status, int *ended);
/* The name of a trace in a new temporary folder, or NULL after saying why; then removes both. */
char *cli_program_trace(void);
void cli_program_forget(const char *trace);
/* Runs it, and where it did what it should, simulate() with its trace, which stays where `trace`
 * names it and is temporary where that is NULL. Returns simulate()'s code, or CLI_FAILED. A signal
 * that ended the program ends us. */
int cli_program_follow(const char *program, char **arguments, const char *trace,
                       int (*simulate)(const char *trace, gpointer data), gpointer data);

/* progress.c: one line on stderr, on a terminal only. */
typedef struct cli_progress {
    bool shown;
    const char *what;
    gint64 begun, part, last;
} cli_progress;

void cli_progress_init(cli_progress *progress, bool allowed);
/* The next part, of which `done` of `total` records come before. */
void cli_progress_begin(cli_progress *progress, const char *what, uint64_t done, uint64_t total);
/* Records over all parts since init. */
void cli_progress_update(uint64_t done, uint64_t total, gpointer progress);
/* Of parts that run at once, each as long as another: how many are done, and when all will be. */
void cli_progress_parts(cli_progress *progress, const char *parts, uint64_t done, uint64_t total,
                        unsigned running);
void cli_progress_end(cli_progress *progress);

G_END_DECLS

#endif
