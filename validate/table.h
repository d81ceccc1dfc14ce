/* SPDX-License-Identifier: MIT
 *
 * table.h - a table of strings, built row by row and printed as text, Markdown or CSV. Leaves out
 * colour and pages.
 */
#ifndef GMSIM_VALIDATE_TABLE_H
#define GMSIM_VALIDATE_TABLE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum gmsim_validate_format {
    GMSIM_VALIDATE_TEXT,
    GMSIM_VALIDATE_MARKDOWN,
    GMSIM_VALIDATE_CSV,
} gmsim_validate_format;

/* Cells row by row; the first row is the header. */
typedef struct gmsim_table {
    GPtrArray *cells;
    unsigned columns;
    uint64_t left; /* bit set of columns that are words, not numbers */
} gmsim_table;

void gmsim_table_init(gmsim_table *t, uint64_t left);
void gmsim_table_put(gmsim_table *t, const char *text);
/* Likewise, but the table frees the text. */
void gmsim_table_take(gmsim_table *t, char *text);
void gmsim_table_end_header(gmsim_table *t);
/* Takes out a column that holds nothing but `filler` under its header. */
void gmsim_table_drop(gmsim_table *t, unsigned column, const char *filler);
/* Prints the table and frees it. */
void gmsim_table_print(gmsim_table *t, gmsim_validate_format format, FILE *out);

#endif
