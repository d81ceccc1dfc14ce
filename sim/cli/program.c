/* SPDX-License-Identifier: MIT
 *
 * program.c - `gmsim --run PROGRAM`: runs a program built with gmcc so that it leaves a trace. What
 * the program prints goes to stderr: stdout belongs to the report. A signal that ends gmsim ends
 * the program, too, with all that it started, and takes the trace along.
 */
#include "sim/cli/cli.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S 2 /* that a program has to end when it is asked to */

typedef struct setup {
    sigset_t mask; /* of signals, before ours were held back */
    bool group;    /* of processes, its own */
} setup;

/* Between fork and exec. */
static void become_program(gpointer user)
{
    const setup *s = user;

    if (s->group)
        (void)setpgid(0, 0);
    (void)sigprocmask(SIG_SETMASK, &s->mask, NULL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* What became of the program; true where it did what it should. */
static bool check_status(const char *program, int status, const char *trace)
{
    if (WIFSIGNALED(status))
        cli_say("%s: was ended by signal %d (%s)", program, WTERMSIG(status),
                g_strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        cli_say("%s: failed with status %d; nothing is simulated", program, WEXITSTATUS(status));
    else if (!g_file_test(trace, G_FILE_TEST_EXISTS))
        cli_say("%s: left no trace; is it built with gmcc, and does it launch a kernel?", program);
    else
        return true;
    return false;
}

/* Waits for the program while the signals of `held` are held back, and hands on those that are to
 * end us. Returns the first of them, or 0. */
static int wait_for(GPid pid, bool group, const sigset_t *held, int *status)
{
    const struct timespec patience = {.tv_sec = PATIENCE_S};
    const pid_t all = group ? -pid : pid;
    int ended = 0;

    while (waitpid(pid, status, WNOHANG) == 0) {
        int number = ended == 0 ? sigwaitinfo(held, NULL) : sigtimedwait(held, NULL, &patience);

        if (number > 0 && number != SIGCHLD) {
            (void)kill(all, number);
            ended = ended != 0 ? ended : number;
        } else if (number < 0 && errno == EAGAIN) {
            (void)kill(all, SIGKILL);
        }
    }
    if (ended != 0 && group) /* what the program started and did not wait for */
        (void)kill(all, SIGKILL);
    return ended;
}

/* Says why a program that is not found cannot run. */
static void say_missing(const char *program)
{
    if (g_file_test(program, G_FILE_TEST_IS_DIR))
        cli_say("%s: is a folder; name a program that gmcc has built", program);
    else if (strchr(program, '/') == NULL && g_file_test(program, G_FILE_TEST_IS_EXECUTABLE))
        cli_say("%s: is not on PATH; write ./%s for that of this folder", program, program);
    else if (g_file_test(program, G_FILE_TEST_EXISTS))
        cli_say("%s: cannot be executed; name a program that gmcc has built", program);
    else
        cli_say("%s: no such program", program);
}

/* Without a terminal the program and what it starts are a group of their own; with one they stay in
 * ours, or they could not read from it. */
static bool run(const char *program, char **argv, char **environment, int *status, int *ended)
{
    setup s = {.group = !isatty(STDIN_FILENO)};
    GError *error = NULL;
    struct sigaction now;
    sigset_t held;
    char *found;
    GPid pid;
    bool good;

    sigemptyset(&held);
    sigaddset(&held, SIGCHLD);
    for (unsigned i = 0; i < CLI_SIGNALS; i++) {
        if (sigaction(cli_signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&held, cli_signals[i]);
    }
    (void)sigprocmask(SIG_BLOCK, &held, &s.mask);
    good = g_spawn_async(NULL, argv, environment,
                         G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN |
                             G_SPAWN_DO_NOT_REAP_CHILD,
                         become_program, &s, &pid, &error);
    if (good) {
        *ended = wait_for(pid, s.group, &held, status);
    } else {
        found = g_find_program_in_path(program);
        if (found != NULL)
            cli_say("%s: %s", program, error->message);
        else
            say_missing(program);
        g_free(found);
        g_error_free(error);
    }
    (void)sigprocmask(SIG_SETMASK, &s.mask, NULL);
    return good;
}

/* A file that was there before must not be taken for this program's. */
static bool run_with(const char *program, char **arguments, char **environment, const char *file,
                     int *status, int *ended)
{
    GPtrArray *argv = g_ptr_array_new();
    bool good;

    *ended = 0;
    g_ptr_array_add(argv, (gpointer)program);
    for (; arguments != NULL && *arguments != NULL; arguments++)
        g_ptr_array_add(argv, *arguments);
    g_ptr_array_add(argv, NULL);
    good = unlink(file) == 0 || errno == ENOENT;
    if (!good)
        cli_say("%s: %s", file, g_strerror(errno));
    good = good && run(program, (char **)argv->pdata, environment, status, ended) && *ended == 0;
    g_ptr_array_free(argv, TRUE);
    g_strfreev(environment);
    return good;
}

bool cli_program_run(const char *program, char **arguments, const char *trace, int *ended)
{
    char **environment = g_environ_setenv(g_get_environ(), "GMSIM_TRACE", trace, TRUE);
    int status = 0;

    return run_with(program, arguments, environment, trace, &status, ended) &&
           check_status(program, status, trace);
}

bool cli_program_check(const char *program, char **arguments, const char *file, const char *checks,
                       int *status, int *ended)
{
    char **environment = g_environ_setenv(g_get_environ(), "GMSIM_CHECK", file, TRUE);
    bool all = strstr(checks, "all") != NULL;

    environment = g_environ_unsetenv(environment, "GMSIM_TRACE");
    environment = g_environ_setenv(environment, "GMSIM_CHECK_FOR", all ? "" : checks, TRUE);
    if (!run_with(program, arguments, environment, file, status, ended))
        return false;
    if (WIFSIGNALED(*status))
        cli_say("%s: was ended by signal %d (%s)", program, WTERMSIG(*status),
                g_strsignal(WTERMSIG(*status)));
    else if (WEXITSTATUS(*status) != 0)
        cli_say("%s: ended with status %d", program, WEXITSTATUS(*status));
    *status = WIFSIGNALED(*status) ? -1 : WEXITSTATUS(*status);
    return true;
}

char *cli_program_trace(void)
{
    GError *error = NULL;
    char *folder, *path;
    sigset_t held;

    cli_guard_hold(&held);
    folder = g_dir_make_tmp("gmsim-XXXXXX", &error);
    if (folder != NULL)
        cli_guard(CLI_GUARD_FOLDER, folder);
    cli_guard_release(&held);
    if (folder == NULL) {
        cli_say("%s", error->message);
        g_error_free(error);
        return NULL;
    }
    path = g_build_filename(folder, "program.trc", NULL);
    cli_guard(CLI_GUARD_TRACE, path);
    g_free(folder);
    return path;
}

int cli_program_follow(const char *program, char **arguments, const char *trace,
                       int (*simulate)(const char *trace, gpointer data), gpointer data)
{
    char *file = trace != NULL ? g_strdup(trace) : cli_program_trace();
    int code = CLI_FAILED, ended = 0;

    if (file != NULL && cli_program_run(program, arguments, file, &ended))
        code = simulate(file, data);
    if (trace == NULL && file != NULL)
        cli_program_forget(file);
    g_free(file);
    if (ended != 0) {
        signal(ended, SIG_DFL);
        raise(ended);
    }
    return code;
}

void cli_program_forget(const char *trace)
{
    char *folder = g_path_get_dirname(trace);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    (void)g_unlink(trace); /* though the folder could not be read */
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        /* Half a trace, too, where the program was ended. */
        char *path = g_build_filename(folder, name, NULL);

        (void)g_unlink(path);
        g_free(path);
    }
    if (dir != NULL)
        g_dir_close(dir);
    (void)g_rmdir(folder);
    cli_guard(CLI_GUARD_TRACE, NULL);
    cli_guard(CLI_GUARD_FOLDER, NULL);
    g_free(folder);
}
