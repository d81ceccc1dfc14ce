/* SPDX-License-Identifier: MIT
 *
 * lines.c - reads the files of lines.h.
 */
#include "validate/lines.h"

#include "sim/device/gpu.h"

#include <string.h>

char *gmsim_text_read(const char *path, const char *what, size_t *size, GError **error)
{
    GError *cause = NULL;
    char *text = NULL;

    if (!g_file_get_contents(path, &text, size, &cause)) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO, "%s: cannot be read as %s: %s", path, what,
                    cause->message);
        g_error_free(cause);
    }
    return text;
}

bool gmsim_lines_read(GArray *list, const char *path, const char *what, gmsim_line_add add,
                      GError **error)
{
    char *text = gmsim_text_read(path, what, NULL, error);
    char **lines = text != NULL ? g_strsplit(text, "\n", -1) : NULL;
    bool done = text != NULL;

    for (unsigned i = 0; done && lines[i] != NULL; i++) {
        char *line = g_strstrip(lines[i]);

        if (line[0] != '\0' && line[0] != '#')
            done = add(list, path, i + 1, line, error);
    }
    g_strfreev(lines);
    g_free(text);
    return done;
}

char *gmsim_next_word(char **line)
{
    char *word = *line + strspn(*line, " \t");

    if (*word == '\0')
        return NULL;
    *line = word + strcspn(word, " \t");
    if (**line != '\0')
        *(*line)++ = '\0';
    return word;
}
