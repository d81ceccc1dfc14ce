/* SPDX-License-Identifier: MIT
 *
 * lines.h - text files that hold one entry a line, of words and a sentence. Empty lines count for
 * nothing, and '#' begins a comment line.
 */
#ifndef GMSIM_VALIDATE_LINES_H
#define GMSIM_VALIDATE_LINES_H

#include <glib.h>
#include <stdbool.h>

/* A file's text, to be freed; NULL, with an error that says what it cannot be read as. */
char *gmsim_text_read(const char *path, const char *what, size_t *size, GError **error);

/* Adds what a line says; may write into the line. */
typedef bool (*gmsim_line_add)(GArray *list, const char *path, unsigned number, char *line,
                               GError **error);
/* Adds all lines of a file, as far as the first that is refused. */
bool gmsim_lines_read(GArray *list, const char *path, const char *what, gmsim_line_add add,
                      GError **error);

/* The next word of a line, cut off, and the line behind it; NULL at its end. */
char *gmsim_next_word(char **line);

#endif
