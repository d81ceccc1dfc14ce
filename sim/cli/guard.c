/* SPDX-License-Identifier: MIT
 *
 * guard.c - what a run leaves in the file system while it works, and removes when it is ended by a
 * signal: a partial output, the trace of a program.
 */
#include "sim/cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Read by the signal handler: copies that never move. */
static struct {
    char path[4096];
    volatile sig_atomic_t set;
} guarded[CLI_GUARDS];

static volatile sig_atomic_t numbered;

const int cli_signals[CLI_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Of what printf() would do a signal's handler may do nothing. */
static void remove_numbered(void)
{
    static char path[sizeof guarded[0].path + 16];
    size_t end = strlen(guarded[CLI_GUARD_TRACE].path);

    memcpy(path, guarded[CLI_GUARD_TRACE].path, end);
    for (unsigned n = (unsigned)numbered; n > 0; n--) {
        char digit[12];
        size_t digits = 0, at = end;

        for (unsigned left = n; left > 0; left /= 10u)
            digit[digits++] = (char)('0' + left % 10u);
        path[at++] = '.';
        while (digits > 0)
            path[at++] = digit[--digits];
        path[at] = 0;
        (void)unlink(path);
    }
}

static void remove_and_die(int number)
{
    int last = CLI_GUARDS;

    if (guarded[CLI_GUARD_TRACE].set)
        remove_numbered();
    while (last-- > 0) { /* what lies in a folder before the folder */
        if (guarded[last].set && unlink(guarded[last].path) != 0)
            (void)rmdir(guarded[last].path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void watch(const int *numbers, size_t count)
{
    struct sigaction action = {.sa_handler = remove_and_die}, old;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < count; i++) {
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

void cli_guard_numbered(unsigned count)
{
    numbered = (sig_atomic_t)count;
}

void cli_guard_hold(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, before);
}

void cli_guard_release(const sigset_t *before)
{
    int saved = errno;

    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = saved;
}

void cli_guard(cli_guarded what, const char *path)
{
    /* GLib aborts where memory is short. */
    static const int deaths[] = {SIGABRT, SIGTRAP, SIGPIPE, SIGXCPU};

    guarded[what].set = 0;
    if (path == NULL ||
        g_strlcpy(guarded[what].path, path, sizeof guarded[what].path) >= sizeof guarded[what].path)
        return;
    guarded[what].set = 1;
    watch(cli_signals, CLI_SIGNALS);
    watch(deaths, G_N_ELEMENTS(deaths));
}
