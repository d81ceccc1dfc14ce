/* SPDX-License-Identifier: MIT
 *
 * report.c - the formats by name.
 */
#include "sim/report/report.h"

#include <string.h>

#include "sim/report/formats.h"

#define POINTER(name) &gmsim_format_##name,
const gmsim_format *const gmsim_formats[] = {GMSIM_FORMATS(POINTER) NULL};

const gmsim_format *gmsim_format_find(const char *name)
{
    for (unsigned i = 0; gmsim_formats[i] != NULL; i++) {
        if (strcmp(gmsim_formats[i]->name, name) == 0)
            return gmsim_formats[i];
    }
    return NULL;
}

const gmsim_format *gmsim_format_of(const char *path)
{
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    const gmsim_format *format = dot != NULL ? gmsim_format_find(dot + 1) : NULL;

    return format != NULL ? format : gmsim_formats[0];
}

char *gmsim_format_names(void)
{
    GString *names = g_string_new(gmsim_formats[0]->name);

    for (unsigned i = 1; gmsim_formats[i] != NULL; i++)
        g_string_append_printf(names, ", %s", gmsim_formats[i]->name);
    return g_string_free(names, FALSE);
}
