/* SPDX-License-Identifier: MIT
 *
 * source.c - shows the source line an instruction came from, where the file can be found. A trace
 * holds names and line numbers, not the text, so a file changed since shows its present line.
 */
#include <stdio.h>
#include <string.h>

#include "sim/report/format.h"
#include "sim/report/text.h"

#define MAX_LINE_BYTES 4096

static FILE *open_regular(const char *path)
{
    return g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fopen(path, "r") : NULL;
}

/* "/home/a/project/kernels/x.cu" is tried as it is, then as home/a/project/kernels/x.cu,
 * a/project/kernels/x.cu ... and x.cu. */
static FILE *open_source(const char *file)
{
    FILE *in = open_regular(file);

    for (const char *tail = file; in == NULL && tail != NULL;) {
        while (*tail == '/')
            tail++;
        if (*tail != 0 && tail != file)
            in = open_regular(tail);
        tail = strchr(tail, '/');
    }
    return in;
}

char *gmsim_source_line(const char *file, uint32_t line)
{
    char text[MAX_LINE_BYTES], *clean = NULL;
    uint32_t at = 0;
    FILE *in;

    if (file == NULL || file[0] == 0 || line == 0)
        return NULL;
    in = open_source(file);
    if (in == NULL)
        return NULL;
    while (at < line && fgets(text, sizeof text, in) != NULL) {
        bool whole = strchr(text, '\n') != NULL;

        at++;
        for (int c = 0; !whole && c != '\n' && c != EOF;)
            c = fgetc(in);
    }
    if (at == line) {
        g_strstrip(text);
        for (char *p = text; *p != 0; p++) {
            if (*p == '\t')
                *p = ' ';
        }
        clean = gmsim_clean(text, GMSIM_REPORT_WIDTH - 12);
    }
    fclose(in);
    return clean;
}
