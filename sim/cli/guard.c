/* SPDX-License-Identifier: MIT
 *
 * guard.c - what a run leaves in the file system while it works, and removes when it is ended by a
 * signal: a partial output, the trace of a program.
 */
#include "sim/cli/cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Read by the signal handler: copies that never move. */
static struct {
    char path[4096];
    volatile sig_atomic_t set;
} guarded[CLI_GUARDS];

const int cli_signals[CLI_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void remove_and_die(int number)
{
    int last = CLI_GUARDS;

    while (last-- > 0) { /* what lies in a folder before the folder */
        if (guarded[last].set && unlink(guarded[last].path) != 0)
            (void)rmdir(guarded[last].path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

void cli_guard(cli_guarded what, const char *path)
{
    struct sigaction action = {.sa_handler = remove_and_die}, old;

    guarded[what].set = 0;
    if (path == NULL ||
        g_strlcpy(guarded[what].path, path, sizeof guarded[what].path) >= sizeof guarded[what].path)
        return;
    guarded[what].set = 1;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < CLI_SIGNALS; i++) {
        if (sigaction(cli_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(cli_signals[i], &action, NULL);
    }
}
