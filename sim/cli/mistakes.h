/* SPDX-License-Identifier: MIT
 *
 * mistakes.h - `gmsim --run PROGRAM --check`.
 */
#ifndef GMSIM_CLI_MISTAKES_H
#define GMSIM_CLI_MISTAKES_H

#include "sim/cli/cli.h"

G_BEGIN_DECLS

typedef struct cli_mistakes_job {
    const char *program;
    char **arguments;                     /* ended by NULL, or NULL */
    const char *checks;                   /* which: words of cli_check_words() */
    const char *format, *output, *source; /* or NULL */
} cli_mistakes_job;

/* Whether all words of the list, with commas between, are checks; says which is not. */
bool cli_check_words(const char *list);
/* Returns the exit code: CLI_LIMIT where something was found. */
int cli_mistakes(const cli_mistakes_job *job);

G_END_DECLS

#endif
