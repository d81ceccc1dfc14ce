/* SPDX-License-Identifier: MIT
 *
 * names.c - "_Z9transposePfPKfi" into "transpose(float *, const float *, int)".
 */
#include "traces/capture/names.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/code/tools.h"

typedef char *(*demangler)(const char *, char *, size_t *, int *);

static demangler cxa_demangle;

static void find_demangler(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (!symbol) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    memcpy(&cxa_demangle, &symbol, sizeof symbol);
}

char *gmc_demangle(const char *mangled)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_demangler);
    int status = -1;
    char *name = cxa_demangle ? cxa_demangle(mangled, NULL, NULL, &status) : NULL;
    return name && status == 0 ? name : strdup(mangled);
}

char *gmc_display_name(const gmc_settings *settings, const char *mangled)
{
    char path[4096];
    if (!settings->cufilt || !settings->scratch || strncmp(mangled, "_Z", 2) != 0)
        return gmc_demangle(mangled);
    snprintf(path, sizeof path, "%s/name.%ld", settings->scratch, (long)getpid());
    char *const argument[] = {(char *)(uintptr_t)settings->cufilt, (char *)(uintptr_t)mangled,
                              NULL};
    char *name = NULL;
    if (gmt_tool_wait(gmt_tool_start(argument, path)))
        name = gmt_read_file(path);
    unlink(path);
    if (name)
        name[strcspn(name, "\n")] = '\0';
    if (name && *name)
        return name;
    free(name);
    return gmc_demangle(mangled);
}
