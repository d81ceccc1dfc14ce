/* SPDX-License-Identifier: MIT
 *
 * tools.c - child processes of a traced program, which must neither be traced themselves nor
 * disturb the program's own handling of its children.
 */
#include "traces/capture/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The environment without what would inject into the tool. */
static char **clean_environment(void)
{
    static const char *const drop[] = {"LD_PRELOAD=", "LD_AUDIT=", "GMCAPTURE_",
                                       "CUDA_INJECTION64_PATH="};
    size_t count = 0;
    while (environ[count])
        count++;
    char **clean = calloc(count + 1, sizeof *clean);
    size_t kept = 0;
    for (size_t i = 0; clean && i < count; i++) {
        bool dropped = false;
        for (size_t k = 0; k < sizeof drop / sizeof *drop; k++)
            dropped = dropped || strncmp(environ[i], drop[k], strlen(drop[k])) == 0;
        if (!dropped)
            clean[kept++] = environ[i];
    }
    return clean;
}

pid_t gmc_tool_start(char *const argument[], const char *output)
{
    posix_spawn_file_actions_t actions;
    char **clean = clean_environment();
    pid_t process = -1;
    if (!clean)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&process, argument[0], &actions, NULL, argument, clean) != 0)
        process = -1;
    posix_spawn_file_actions_destroy(&actions);
    free(clean);
    return process;
}

bool gmc_tool_wait(pid_t process)
{
    int status = 0;
    if (process < 0)
        return false;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return errno == ECHILD; /* the program ignores SIGCHLD: judge by the output */
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

char *gmc_read_file(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    char *text = NULL;
    if (fstat(file, &about) == 0 && about.st_size >= 0)
        text = malloc((size_t)about.st_size + 1);
    size_t length = 0;
    while (text && length < (size_t)about.st_size) {
        ssize_t got = read(file, text + length, (size_t)about.st_size - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    if (text)
        text[length] = '\0';
    close(file);
    return text;
}
