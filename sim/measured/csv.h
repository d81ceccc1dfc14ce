/* SPDX-License-Identifier: MIT
 *
 * csv.h - records of a comma-separated table (RFC 4180): quoted fields, doubled quotes, line ends
 * inside quotes, LF or CR LF. Knows nothing of what the fields mean. Leaves out other separators
 * and other character sets than bytes.
 */
#ifndef GMSIM_CSV_H
#define GMSIM_CSV_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gmsim_csv {
    const char *path; /* for messages; not owned, like the text */
    const char *text;
    size_t size;
    size_t at;       /* next byte to read */
    uint64_t line;   /* line number at `at`, from 1 */
    uint64_t began;  /* line on which the current record began */
    GString *bytes;  /* the current record's fields, each ended by a zero byte */
    GArray *offsets; /* size_t: where each begins in bytes */
} gmsim_csv;

/* In place: what would act on a terminal, or break a line, becomes '?'. Returns the text. */
char *gmsim_cell_clean(char *text);

void gmsim_csv_init(gmsim_csv *csv, const char *path, const char *text, size_t size);
void gmsim_csv_clear(gmsim_csv *csv);

/* The line that begins here, without its end; NULL at the end of the text. Consumes nothing. */
const char *gmsim_csv_peek(const gmsim_csv *csv, size_t *length);
void gmsim_csv_skip_line(gmsim_csv *csv);

/* Reads the record that begins here. Not to be called at the end of the text. */
bool gmsim_csv_read(gmsim_csv *csv, GError **error);

unsigned gmsim_csv_fields(const gmsim_csv *csv);
const char *gmsim_csv_field(const gmsim_csv *csv, unsigned index);

#endif
