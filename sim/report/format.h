/* SPDX-License-Identifier: MIT
 *
 * format.h - numbers and names as people read them. Always in the C locale.
 */
#ifndef GMSIM_FORMAT_H
#define GMSIM_FORMAT_H

#include "sim/analysis/metrics.h"

G_BEGIN_DECLS

/* A number as text, returned by value: gmsim_count(n).text lives to the end of the expression. */
typedef struct gmsim_number {
    char text[40];
} gmsim_number;

gmsim_number gmsim_count(uint64_t count);                     /* "1,048,576" */
gmsim_number gmsim_bytes(uint64_t bytes);                     /* "4.0 MiB" */
gmsim_number gmsim_ratio(uint64_t part, uint64_t whole);      /* "32.00", "-" where whole is 0 */
gmsim_number gmsim_percentage(uint64_t part, uint64_t whole); /* "93.9%", "-" where whole is 0 */

/* A value in its unit: "12", "2.50", "93.9%", "4.0 MiB", "9.75 us"; a delta has its sign, and
 * differences of percentages are points. */
gmsim_number gmsim_shown(gmsim_unit unit, double value, bool delta);

/* A name from a trace made fit for a terminal: control characters and bytes that are not UTF-8 are
 * replaced, and the middle is left out where it is longer than `width` columns (0: never). Free
 * with g_free(). */
char *gmsim_clean(const char *name, unsigned width);

/* Appends `text` broken at spaces so that no line passes `width`; lines after the first begin with
 * `indent` spaces. `column` is where the first line already stands. */
void gmsim_wrap(GString *out, const char *text, unsigned column, unsigned indent, unsigned width);

/* Appends a heading, bold where the report is coloured. */
void gmsim_heading(GString *out, bool bold, const char *heading);

/* Appends a bar of up to `columns` marks, "####"; a share too small for one is ".". */
void gmsim_bar(GString *out, uint64_t part, uint64_t whole, unsigned columns);

G_END_DECLS

#endif
