/* SPDX-License-Identifier: MIT
 *
 * measured.h - what Nsight Compute measured: one row a kernel launch, one column a metric, read
 * from `ncu --csv --page raw` files (or `--page details`, one line a metric).
 *
 * A column "Case" may stand in such a file; validate/measure writes it to say which run of which
 * program a launch came from. Without it launches are told apart by name, shape and order alone.
 * Leaves out everything else ncu prints: rules, device attributes as text, instance values.
 */
#ifndef GMSIM_MEASURED_H
#define GMSIM_MEASURED_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum gmsim_cell_state {
    GMSIM_CELL_ABSENT = 0,    /* no such column, or an empty field */
    GMSIM_CELL_NOT_AVAILABLE, /* ncu could not measure it: "n/a", "nan" */
    GMSIM_CELL_TEXT,          /* no number */
    GMSIM_CELL_NUMBER,
} gmsim_cell_state;

typedef struct gmsim_cell {
    double value;
    double half_unit; /* half of the last decimal printed, 0 for a whole number */
    uint8_t state;    /* gmsim_cell_state */
    bool rescaled;    /* printed in Kbyte, us ...: digits are lost */
} gmsim_cell;

typedef struct gmsim_measured_row {
    char *label;  /* the "Case", NULL without */
    char *kernel; /* as ncu prints it */
    uint32_t grid[3], block[3];
    char *path; /* where it was seen first */
    uint64_t line;
    GArray *cells; /* gmsim_cell by column; may be shorter than the columns */
} gmsim_measured_row;

typedef struct gmsim_measured {
    GPtrArray *rows;    /* gmsim_measured_row, in file order */
    GPtrArray *columns; /* metric names */
    GHashTable *column_index;
    GHashTable *row_index; /* "label, kernel, shape, occurrence" to row */
    uint64_t conflicts;    /* cells measured twice with different values; the first one counts */
    char *conflict;        /* the first of them, in words */
} gmsim_measured;

gmsim_measured *gmsim_measured_new(void);
void gmsim_measured_free(gmsim_measured *measured);

/* Adds a file. Launches that an earlier file has too (same label, kernel and shape, same place
 * among their like) gain columns; others become new rows. After an error the table holds part of
 * the file and is good for nothing but freeing. */
bool gmsim_measured_read(gmsim_measured *measured, const char *path, GError **error);

/* -1 where no file has the metric. */
int gmsim_measured_column(const gmsim_measured *measured, const char *metric);

/* The cell, an absent one for column -1. */
gmsim_cell gmsim_measured_cell(const gmsim_measured_row *row, int column);

#endif
