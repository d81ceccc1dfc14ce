/* SPDX-License-Identifier: MIT
 *
 * report.c - the formats by name.
 */
#include "sim/report/report.h"

#include <string.h>

#include "sim/report/formats.h"

const gmsim_format gmsim_formats[] = {
    {.name = "text",
     .meaning = "for people: verdict, tables, lanes",
     .begin = gmsim_text_begin,
     .launch = gmsim_text_launch,
     .end = gmsim_text_end,
     .pair = gmsim_text_pair,
     .sweep = gmsim_text_sweep},
    {.name = "json",
     .meaning = "schemas gmsim-report/1, gmsim-compare/1, gmsim-sweep/1; streamed",
     .begin = gmsim_json_begin,
     .launch = gmsim_json_launch,
     .end = gmsim_json_end,
     .begin_pairs = gmsim_json_begin_pairs,
     .pair = gmsim_json_pair,
     .end_pairs = gmsim_json_end,
     .sweep = gmsim_json_sweep},
    {.name = "csv",
     .meaning = "one row a launch, quantity or point, one column a metric",
     .begin = gmsim_csv_begin,
     .launch = gmsim_csv_launch,
     .end = gmsim_csv_end,
     .begin_pairs = gmsim_csv_begin_pairs,
     .pair = gmsim_csv_pair,
     .end_pairs = gmsim_csv_end,
     .sweep = gmsim_csv_sweep},
    {.name = NULL},
};

const gmsim_format *gmsim_format_find(const char *name)
{
    for (const gmsim_format *format = gmsim_formats; format->name != NULL; format++) {
        if (strcmp(format->name, name) == 0)
            return format;
    }
    return NULL;
}

const gmsim_format *gmsim_format_of(const char *path)
{
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    const gmsim_format *format = dot != NULL ? gmsim_format_find(dot + 1) : NULL;

    return format != NULL ? format : &gmsim_formats[0];
}

char *gmsim_format_names(void)
{
    GString *names = g_string_new(NULL);

    for (const gmsim_format *format = gmsim_formats; format->name != NULL; format++)
        g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", format->name);
    return g_string_free(names, FALSE);
}
