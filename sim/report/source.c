/* SPDX-License-Identifier: MIT
 *
 * source.c - shows the source line an instruction came from, where the file can be found. A trace
 * holds names and line numbers, not the text, so a file changed since shows its present line.
 *
 * A trace may name any file, and a report may be given away: only regular files below the current
 * folder, or below one that the user names, are opened, wherever symbolic links lead, and none that
 * is hidden or large.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/report/format.h"
#include "sim/report/text.h"

#define MAX_LINE_BYTES 4096
#define MAX_FILE_BYTES (16 << 20)

/* The file that `path` leads to where it is one below `root`, which is resolved. */
static FILE *open_below(const char *root, const char *path)
{
    char *real = realpath(path, NULL);
    size_t length = strlen(root);
    struct stat status;
    FILE *in = NULL;

    if (real != NULL && strncmp(real, root, length) == 0 && real[length] == '/' &&
        strstr(real + length, "/.") == NULL) {
        int file = open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

        if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_size <= MAX_FILE_BYTES)
            in = fdopen(file, "r");
        if (file >= 0 && in == NULL)
            close(file);
    }
    free(real);
    return in;
}

/* "/home/a/project/kernels/x.cu" is tried as it is, then as home/a/project/kernels/x.cu,
 * a/project/kernels/x.cu ... and x.cu below the folder. The root folder is no project's. */
static FILE *open_source(const char *folder, const char *file)
{
    char *root = realpath(folder, NULL);
    FILE *in = NULL;

    if (root != NULL && strcmp(root, "/") != 0) {
        if (*file == '/')
            in = open_below(root, file);
        for (const char *tail = file; in == NULL && tail != NULL; tail = strchr(tail, '/')) {
            char *path;

            while (*tail == '/')
                tail++;
            path = g_build_filename(root, tail, NULL);
            in = open_below(root, path);
            g_free(path);
        }
    }
    free(root);
    return in;
}

char *gmsim_source_line(const char *folder, const char *file, uint32_t line)
{
    char text[MAX_LINE_BYTES], *clean = NULL;
    uint32_t at = 0;
    FILE *in;

    if (file == NULL || file[0] == 0 || strlen(file) > MAX_LINE_BYTES || line == 0)
        return NULL;
    in = open_source(".", file);
    if (in == NULL && folder != NULL)
        in = open_source(folder, file);
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
