/* SPDX-License-Identifier: MIT
 *
 * find.c - looks where toolkits and builds put their files. The machine that captures is often not
 * the one that built: the folder known to configure is one candidate among the usual ones.
 */
#include "traces/capture/find.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/capture/settings.h"
#include "traces/code/tools.h"

char *gmc_find_library(const char *named)
{
    static const char library[] = "libgmcapture.so";
    char self[PATH_MAX], folder[PATH_MAX + 32];
    if (!named)
        named = getenv(GMC_ENV_LIBRARY);
    if (named && *named)
        return gmt_is_file(named) ? gmt_absolute(named) : NULL;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *found = NULL;
    if (length > 0) {
        self[length] = '\0';
        *strrchr(self, '/') = '\0';
        /* In the build tree, libtool keeps libraries in .libs; else beside bin. */
        snprintf(folder, sizeof folder, "%s/.libs", self);
        found = gmt_if_file(folder, library);
        if (!found)
            found = gmt_if_file(self, library);
    }
    if (!found)
        found = gmt_if_file(GMSIM_PKGLIBDIR, library);
    if (!found && length > 0) {
        snprintf(folder, sizeof folder, "%s/../lib/gmsim", self);
        found = gmt_if_file(folder, library);
    }
    return found;
}

char *gmc_find_sanitizer(void)
{
    static const char library[] = "libsanitizer-public.so";
    char folder[PATH_MAX];
    const char *chosen = getenv(GMC_ENV_SANITIZER);
    if (chosen && *chosen)
        return gmt_is_file(chosen) ? gmt_absolute(chosen) : gmt_if_file(chosen, library);
    char *found = gmt_if_file(GMC_SANITIZER_HOME, library);
    const char *home = getenv("CUDA_HOME");
    if (!found && home) {
        snprintf(folder, sizeof folder, "%s/compute-sanitizer", home);
        found = gmt_if_file(folder, library);
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
        found = gmt_if_glob(patterns[i]);
    return found;
}
