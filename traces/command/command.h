/* SPDX-License-Identifier: MIT
 *
 * command.h - what the subcommands of gmtrace share. The command uses libgmtrace's public header
 * and, to complete traces, traces/code/unseen.h.
 */
#ifndef GMTRACE_COMMAND_H
#define GMTRACE_COMMAND_H

#include "traces/gmtrace.h"

#include <getopt.h>
#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Each takes the arguments after the subcommand's name, argv[0] being the program's, and returns
 * the exit status. */
int command_info(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_executed(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_slice(int argc, char **argv);
int command_complete(int argc, char **argv);
int command_import(int argc, char **argv); /* traces/import/ */
int command_export(int argc, char **argv);
int command_run(int argc, char **argv);
int command_synthetic(int argc, char **argv);

/* clean.c: text of a trace, or of whoever wrote it, as one line that does nothing to a terminal:
 * control characters, marks of direction and bytes that are no UTF-8 become '?'. Valid until the
 * seventh call after. */
const char *clean(const char *text);

/* One line on standard error; both return the exit status. */
int complain(const char *path, const gmtrace_error *error);
int complain_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether --output is another file than the one that is read; says so where it is not. */
bool spares_input(const char *output, const char *input);
/* For an option that getopt_long() did not accept. */
int complain_option(void);
/* From now on a signal that ends the command takes the traces in progress with it, and the file
 * named last by guard_file(); NULL: none. */
void guard_signals(void);
void guard_file(const char *path);

/* progress.c: begun again without an end is nothing new; progress_at() may be left out. */
void progress_begin(const char *what, const char *path);
void progress_at(uint64_t done, uint64_t total);
void progress_end(void);

/* Takes --limit-memory out of the arguments; false after saying what is wrong with it. */
bool take_limit(int *argc, char **argv);
/* gmtrace_open() within that limit. */
gmtrace_reader *open_trace(const char *path, gmtrace_error *error);
/* Flushes standard output. Where `status` is EXIT_DONE and not all of it could be written, says so
 * and returns EXIT_FAILED; what failed before was said when it did. */
int finish_output(int status);

/* Says on standard error that a trace is cut short; returns EXIT_FAILED when it is. */
int report_damage(const char *path, const gmtrace_reader *reader);

/* A list of numbers as "3", "0-7", "2,5-" given to an option. Without any, all are meant. */
typedef struct number_list {
    struct number_range {
        uint64_t first, last;
    } range[1024];
    unsigned count;
} number_list;

bool parse_numbers(const char *text, number_list *list);
bool has_number(const number_list *list, uint64_t number);

/* The CTAs of the selected launch that the trace holds records of and `list` names, ascending. The
 * caller frees *cta. */
bool list_ctas(const gmtrace_reader *reader, const number_list *list, uint64_t **cta, size_t *count,
               gmtrace_error *error);

#endif
