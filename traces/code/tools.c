/* SPDX-License-Identifier: MIT
 *
 * tools.c - looks for tools where toolkits and Python packages put them, and runs them: child
 * processes of a traced program, which must neither be traced themselves nor disturb the program's
 * own handling of its children.
 */
#include "traces/code/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The toolkit that configure found. */
#ifndef GMT_CUDA_HOME
#define GMT_CUDA_HOME ""
#endif

extern char **environ;

char *gmt_absolute(const char *path)
{
    return realpath(path, NULL);
}

bool gmt_is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

char *gmt_if_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    if (!folder || !*folder)
        return NULL;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return NULL;
    return gmt_is_file(path) ? gmt_absolute(path) : NULL;
}

/* The last match: of several versions of a toolkit the newest, by name. */
char *gmt_if_glob(const char *pattern)
{
    glob_t matches;
    char *found = NULL;
    if (glob(pattern, 0, NULL, &matches) != 0)
        return NULL;
    for (size_t i = matches.gl_pathc; i-- > 0 && !found;)
        if (gmt_is_file(matches.gl_pathv[i]))
            found = gmt_absolute(matches.gl_pathv[i]);
    globfree(&matches);
    return found;
}

static char *in_path(const char *name)
{
    const char *path = getenv("PATH");
    char folder[PATH_MAX], whole[PATH_MAX];
    while (path && *path) {
        size_t length = strcspn(path, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)length, length ? path : ".");
        int size = snprintf(whole, sizeof whole, "%s/%s", folder, name);
        if (size < (int)sizeof whole && gmt_is_file(whole) && access(whole, X_OK) == 0)
            return strdup(whole);
        path += length + (path[length] == ':');
    }
    return NULL;
}

char *gmt_find_program(const char *name)
{
    if (!strchr(name, '/'))
        return in_path(name);
    return gmt_is_file(name) && access(name, X_OK) == 0 ? strdup(name) : NULL;
}

/* Packages of NVIDIA's tools, and Triton, which brings its own:
 * <prefix>/lib/python3.x/site-packages/triton/... */
static char *in_packages(const char *folder, const char *name)
{
    static const char *const packages[] = {"nvidia/cu*/bin", "nvidia/cuda_nvcc/bin",
                                           "triton/backends/nvidia/bin"};
    char pattern[2 * PATH_MAX];
    char *found = NULL;
    for (size_t i = 0; i < sizeof packages / sizeof *packages && !found; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s/%s", folder, packages[i], name);
        found = gmt_if_glob(pattern);
    }
    return found;
}

static char *in_python(const char *name)
{
    char folder[PATH_MAX + 64];
    char *python = in_path("python3"), *found = NULL;
    if (python) {
        *strrchr(python, '/') = '\0';
        snprintf(folder, sizeof folder, "%s/../lib/python3*/site-packages", python);
        found = in_packages(folder, name);
    }
    free(python);
    static const char *const folders[] = {"/usr/local/lib/python3*/dist-packages",
                                          "/usr/lib/python3/dist-packages"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++)
        found = in_packages(folders[i], name);
    return found;
}

char *gmt_find_tool(const char *name, const char *variable)
{
    char folder[PATH_MAX];
    const char *chosen = getenv(variable);
    if (chosen && *chosen) /* an empty file name, or one that is not there: do without */
        return gmt_is_file(chosen) ? gmt_absolute(chosen) : NULL;
    char *found = in_path(name);
    const char *home = getenv("CUDA_HOME");
    if (!found && home) {
        snprintf(folder, sizeof folder, "%s/bin", home);
        found = gmt_if_file(folder, name);
    }
    if (!found)
        found = gmt_if_file(GMT_CUDA_HOME "/bin", name);
    if (!found)
        found = gmt_if_file("/usr/local/cuda/bin", name);
    return found ? found : in_python(name);
}

/* -------------------------------------------------------------------------------------- running */

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

pid_t gmt_tool_start(char *const argument[], const char *output)
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

bool gmt_tool_wait(pid_t process)
{
    int status = 0;
    if (process < 0)
        return false;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return errno == ECHILD; /* the program ignores SIGCHLD: judge by the output */
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

char *gmt_read_file(const char *path)
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
