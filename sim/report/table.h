/* SPDX-License-Identifier: MIT
 *
 * table.h - the one writer of tables: columns are described once, rows are given as values, and
 * text, CSV or members of a JSON object come out. Text pads cells and shows numbers as people read
 * them; CSV quotes every word (RFC 4180) and gives numbers in base units; in JSON what is absent is
 * left out.
 */
#ifndef GMSIM_TABLE_H
#define GMSIM_TABLE_H

#include "sim/analysis/metrics.h"
#include "sim/report/json.h"

G_BEGIN_DECLS

typedef struct gmsim_column {
    const char *key;   /* heading in CSV, key in JSON; NULL: in text alone */
    const char *title; /* heading in text; NULL: not in text */
    unsigned width;    /* in text, at least; 0: as wide as its widest cell */
    unsigned gap;      /* blanks before it */
    bool left;         /* its cells stand at the left */
    bool delta;        /* its numbers are differences and have a sign */
    bool bare;         /* CSV does not quote its words */
    bool outer;        /* JSON says it around the object */
} gmsim_column;

/* A cell: words, or a number with its unit; NaN and NULL are absent ("-" in text). */
typedef struct gmsim_field {
    const char *words; /* borrowed */
    double number;
    gmsim_unit unit;
} gmsim_field;

gmsim_field gmsim_words(const char *words);
gmsim_field gmsim_number_of(gmsim_unit unit, double number);
gmsim_field gmsim_quotient(gmsim_unit unit, uint64_t part, uint64_t whole); /* absent of nothing */
/* A launch's value of a metric. */
gmsim_field gmsim_metric_field(const gmsim_result *result, unsigned metric);

typedef enum gmsim_table_form { GMSIM_TABLE_TEXT, GMSIM_TABLE_CSV } gmsim_table_form;

typedef struct gmsim_table {
    gmsim_table_form form;
    const gmsim_column *column; /* borrowed */
    unsigned columns;
    GString *out;    /* borrowed */
    bool bold;       /* the first heading */
    GPtrArray *held; /* rows of cells, where a width is still unknown; else NULL */
} gmsim_table;

/* Begins with the headings; where a width is 0 all text is written in the end. A table all of whose
 * headings are "" has no line of them. */
void gmsim_table_begin(gmsim_table *table, gmsim_table_form form, const gmsim_column *column,
                       unsigned columns, GString *out, bool bold);
/* A field for each column. */
void gmsim_table_row(gmsim_table *table, const gmsim_field *field);
void gmsim_table_end(gmsim_table *table);

/* A row as members of the JSON object that is open. */
void gmsim_table_members(gmsim_json *json, const gmsim_column *column, unsigned columns,
                         const gmsim_field *field);

G_END_DECLS

#endif
