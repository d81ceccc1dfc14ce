/* SPDX-License-Identifier: MIT
 *
 * program.c - `gmsim --run PROGRAM`: runs a program built with gmcc so that it leaves a trace. What
 * the program prints goes to stderr: stdout belongs to the report.
 */
#include "sim/cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between fork and exec. */
static void print_to_stderr(gpointer user)
{
    (void)user;
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

bool cli_program_run(const char *program, char **arguments, const char *trace)
{
    GError *error = NULL;
    GPtrArray *argv = g_ptr_array_new();
    char **environment = g_environ_setenv(g_get_environ(), "GMSIM_TRACE", trace, TRUE);
    int status = 0;
    bool good;

    g_ptr_array_add(argv, (gpointer)program);
    for (; arguments != NULL && *arguments != NULL; arguments++)
        g_ptr_array_add(argv, *arguments);
    g_ptr_array_add(argv, NULL);
    /* A trace that was there before must not be taken for this program's. */
    good = unlink(trace) == 0 || errno == ENOENT;
    if (!good)
        cli_say("%s: %s", trace, g_strerror(errno));
    if (good && !g_spawn_sync(NULL, (char **)argv->pdata, environment,
                              G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, print_to_stderr,
                              NULL, NULL, NULL, &status, &error)) {
        cli_say("%s: %s", program, error->message);
        g_error_free(error);
        good = false;
    }
    good = good && check_status(program, status, trace);
    g_ptr_array_free(argv, TRUE);
    g_strfreev(environment);
    return good;
}

char *cli_program_trace(void)
{
    GError *error = NULL;
    char *path = NULL;
    int file = g_file_open_tmp("gmsim-XXXXXX.trc", &path, &error);

    if (file < 0) {
        cli_say("%s", error->message);
        g_error_free(error);
        return NULL;
    }
    close(file);
    return path;
}
