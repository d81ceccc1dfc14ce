/* SPDX-License-Identifier: MIT
 *
 * settings.c - environment variables in, report lines out.
 */
#include "traces/capture/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *text_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *value = text_of(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

void gmc_settings_read(gmc_settings *settings)
{
    *settings = (gmc_settings){
        .output = text_of(GMC_ENV_OUTPUT),
        .kernel = text_of(GMC_ENV_KERNEL),
        .skip = number_of(GMC_ENV_SKIP, 0),
        .count = number_of(GMC_ENV_COUNT, UINT64_MAX),
        .sample = number_of(GMC_ENV_SAMPLE, 0),
        .nvtx = text_of(GMC_ENV_NVTX),
        .from_start = text_of(GMC_ENV_START) == NULL,
        .buffer = number_of(GMC_ENV_BUFFER, GMC_DEFAULT_BUFFER),
        .memory = number_of(GMC_ENV_MEMORY, 0),
        .level = (int)number_of(GMC_ENV_LEVEL, 0),
        .verbose = text_of(GMC_ENV_VERBOSE) != NULL,
        .scratch = text_of(GMC_ENV_SCRATCH),
        .nvdisasm = text_of(GMC_ENV_NVDISASM),
        .cufilt = text_of(GMC_ENV_CUFILT),
        .sanitizer = text_of(GMC_ENV_SANITIZER),
    };
}

bool gmc_parse_size(const char *text, uint64_t *size)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    static const char suffix[] = "kKmMgG";
    const char *power = *end ? strchr(suffix, *end) : NULL;
    const unsigned shift = power ? 10 * (unsigned)((power - suffix) / 2 + 1) : 0;
    if (shift)
        end++;
    if (shift && end[0] == 'i' && end[1] == 'B')
        end += 2;
    if (errno || *end || number > UINT64_MAX >> shift)
        return false;
    *size = (uint64_t)number << shift;
    return true;
}

void gmc_report(const gmc_settings *settings, const char *key, const char *value)
{
    char path[4096], text[4096];
    if (!settings->scratch)
        return;
    snprintf(path, sizeof path, "%s/" GMC_REPORT, settings->scratch);
    int length = snprintf(text, sizeof text, "%s %s\n", key, value);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || length < 0)
        return;
    /* One short write: lines of several processes do not mix. */
    ssize_t written =
        write(file, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    (void)written;
    close(file);
}
