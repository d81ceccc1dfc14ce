/* SPDX-License-Identifier: MIT
 *
 * find.c - looks where toolkits and builds put their files. The machine that captures is often not
 * the one that built: the folder known to configure is one candidate among the usual ones.
 */
#include "traces/capture/find.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/capture/settings.h"

static char *absolute(const char *path)
{
    return realpath(path, NULL);
}

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static char *if_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    if (!folder || !*folder)
        return NULL;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return NULL;
    return is_file(path) ? absolute(path) : NULL;
}

/* The last match: of several versions of a toolkit the newest, by name. */
static char *if_glob(const char *pattern)
{
    glob_t matches;
    char *found = NULL;
    if (glob(pattern, 0, NULL, &matches) != 0)
        return NULL;
    for (size_t i = matches.gl_pathc; i-- > 0 && !found;)
        if (is_file(matches.gl_pathv[i]))
            found = absolute(matches.gl_pathv[i]);
    globfree(&matches);
    return found;
}

char *gmc_find_library(const char *named)
{
    static const char library[] = "libgmcapture.so";
    char self[PATH_MAX], folder[PATH_MAX + 32];
    if (!named)
        named = getenv(GMC_ENV_LIBRARY);
    if (named && *named)
        return is_file(named) ? absolute(named) : NULL;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *found = NULL;
    if (length > 0) {
        self[length] = '\0';
        *strrchr(self, '/') = '\0';
        /* In the build tree, libtool keeps libraries in .libs; else beside bin. */
        snprintf(folder, sizeof folder, "%s/.libs", self);
        found = if_file(folder, library);
        if (!found)
            found = if_file(self, library);
    }
    if (!found)
        found = if_file(GMSIM_PKGLIBDIR, library);
    if (!found && length > 0) {
        snprintf(folder, sizeof folder, "%s/../lib/gmsim", self);
        found = if_file(folder, library);
    }
    return found;
}

char *gmc_find_sanitizer(void)
{
    static const char library[] = "libsanitizer-public.so";
    char folder[PATH_MAX];
    const char *chosen = getenv(GMC_ENV_SANITIZER);
    if (chosen && *chosen)
        return is_file(chosen) ? absolute(chosen) : if_file(chosen, library);
    char *found = if_file(GMC_SANITIZER_HOME, library);
    const char *home = getenv("CUDA_HOME");
    if (!found && home) {
        snprintf(folder, sizeof folder, "%s/compute-sanitizer", home);
        found = if_file(folder, library);
    }
    static const char *const patterns[] = {
        "/usr/local/cuda/compute-sanitizer/libsanitizer-public.so",
        "/usr/local/cuda/extras/compute-sanitizer/libsanitizer-public.so",
        "/usr/local/cuda-*/compute-sanitizer/libsanitizer-public.so",
        "/opt/cuda*/compute-sanitizer/libsanitizer-public.so",
        "/opt/nvidia/hpc_sdk/*/*/cuda/*/compute-sanitizer/libsanitizer-public.so",
        "/usr/lib/nvidia-cuda-toolkit/compute-sanitizer/libsanitizer-public.so",
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++)
        found = if_glob(patterns[i]);
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
        if (size < (int)sizeof whole && is_file(whole) && access(whole, X_OK) == 0)
            return strdup(whole);
        path += length + (path[length] == ':');
    }
    return NULL;
}

char *gmc_find_program(const char *name)
{
    if (!strchr(name, '/'))
        return in_path(name);
    return is_file(name) && access(name, X_OK) == 0 ? strdup(name) : NULL;
}

/* Triton brings its own nvdisasm: <prefix>/lib/python3.x/site-packages/triton/... */
static char *in_python(const char *name)
{
    char pattern[2 * PATH_MAX];
    char *python = in_path("python3"), *found = NULL;
    if (python) {
        *strrchr(python, '/') = '\0';
        snprintf(pattern, sizeof pattern,
                 "%s/../lib/python3*/site-packages/triton/backends/nvidia/bin/%s", python, name);
        found = if_glob(pattern);
    }
    free(python);
    static const char *const folders[] = {"/usr/local/lib/python3*/dist-packages",
                                          "/usr/lib/python3/dist-packages"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++) {
        snprintf(pattern, sizeof pattern, "%s/triton/backends/nvidia/bin/%s", folders[i], name);
        found = if_glob(pattern);
    }
    return found;
}

char *gmc_find_tool(const char *name, const char *variable)
{
    char folder[PATH_MAX];
    const char *chosen = getenv(variable);
    if (chosen && *chosen) /* an empty file name, or one that is not there: do without */
        return is_file(chosen) ? absolute(chosen) : NULL;
    char *found = in_path(name);
    const char *home = getenv("CUDA_HOME");
    if (!found && home) {
        snprintf(folder, sizeof folder, "%s/bin", home);
        found = if_file(folder, name);
    }
    if (!found)
        found = if_file(GMC_CUDA_HOME "/bin", name);
    if (!found)
        found = if_file("/usr/local/cuda/bin", name);
    return found ? found : in_python(name);
}
