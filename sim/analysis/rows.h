/* SPDX-License-Identifier: MIT
 *
 * rows.h - the one table of what a launch's numbers stand for: the rows of the memory pipe with
 * their names, the counters each has and what is its work, and the names of resources, stalls,
 * limits of occupancy and classes of access that a capture does not see. A name is for people, a
 * key for programs; keys never change.
 */
#ifndef GMSIM_ROWS_H
#define GMSIM_ROWS_H

#include "sim/model/model.h"

G_BEGIN_DECLS

/* Sets of rows, one bit each. */
#define GMSIM_ROW(row)    (1u << GMSIM_##row)
#define GMSIM_ROWS_READ   (GMSIM_ROW(GLOBAL_LOAD) | GMSIM_ROW(GLOBAL_COPY))
#define GMSIM_ROWS_UPDATE (GMSIM_ROW(GLOBAL_ATOMIC) | GMSIM_ROW(GLOBAL_REDUCTION))
#define GMSIM_ROWS_GLOBAL (GMSIM_ROWS_READ | GMSIM_ROW(GLOBAL_STORE) | GMSIM_ROWS_UPDATE)
#define GMSIM_ROWS_LOCAL  (GMSIM_ROW(LOCAL_LOAD) | GMSIM_ROW(LOCAL_STORE))
#define GMSIM_ROWS_OWN_SHARED                                                                      \
    (GMSIM_ROW(SHARED_LOAD) | GMSIM_ROW(SHARED_STORE) | GMSIM_ROW(SHARED_ATOMIC) |                 \
     GMSIM_ROW(SHARED_LDSM) | GMSIM_ROW(SHARED_STSM) | GMSIM_ROW(SHARED_COPY))
#define GMSIM_ROWS_SHARED (GMSIM_ROWS_OWN_SHARED | GMSIM_ROW(REMOTE_SHARED))
#define GMSIM_ROWS_BULK   (GMSIM_ROW(BULK_LOAD) | GMSIM_ROW(BULK_STORE))
#define GMSIM_ROWS_ALL    ((1u << GMSIM_ROWS) - 1)

static inline bool gmsim_row_in(gmsim_row row, uint32_t rows)
{
    return rows >> row & 1u;
}

/* Whether a row's work is wavefronts over banks, not sectors. */
static inline bool gmsim_row_is_shared(gmsim_row row)
{
    return gmsim_row_in(row, GMSIM_ROWS_SHARED);
}

/* CTAs of the launch. */
static inline uint64_t gmsim_ctas_of(const gmsim_result *result)
{
    const uint32_t *grid = result->launch->grid;
    return (uint64_t)grid[0] * grid[1] * grid[2];
}

typedef struct gmsim_row_names {
    const char *name;   /* "shared load"; the key, too */
    const char *access; /* beside the unit that serves it: "load" */
    const char *many;   /* in a sentence: "loads" */
} gmsim_row_names;

extern const gmsim_row_names gmsim_row_table[GMSIM_ROWS];

const char *gmsim_row_name(gmsim_row row); /* "shared load" */

/* A counter that rows have, in report order. */
typedef struct gmsim_counter {
    const char *key;
    size_t offset; /* in gmsim_counts */
    uint32_t rows; /* that have it */
    bool cached;   /* depends on what the caches held */
} gmsim_counter;

extern const gmsim_counter gmsim_counters[];
extern const unsigned gmsim_counter_count;

uint64_t gmsim_counter_value(const gmsim_counts *counts, size_t offset);
/* Summed over a set of rows: a counter, work, work beyond the ideal. */
uint64_t gmsim_rows_sum(const gmsim_result *result, uint32_t rows, size_t offset);
uint64_t gmsim_rows_work(const gmsim_result *result, uint32_t rows);
uint64_t gmsim_rows_excess(const gmsim_result *result, uint32_t rows);

/* Whether shared requests of more wavefronts are among those of the last bin of degrees. */
bool gmsim_wider_degrees(const gmsim_result *result);

/* The instruction of these rows with the most of something; NULL where none has any. */
const gmsim_instr_counts *gmsim_rows_worst(const gmsim_result *result, uint32_t rows,
                                           uint64_t (*measure)(gmsim_row, const gmsim_counts *));

/* Wavefronts or sectors of a row or instruction, what they would be at the ideal, the difference.
 */
uint64_t gmsim_work(gmsim_row row, const gmsim_counts *counts);
uint64_t gmsim_work_ideal(gmsim_row row, const gmsim_counts *counts);
uint64_t gmsim_work_excess(gmsim_row row, const gmsim_counts *counts);
const char *gmsim_work_name(gmsim_row row); /* "wavefronts", "sectors" */

typedef struct gmsim_names {
    const char *key, *name;
} gmsim_names;

extern const gmsim_names gmsim_resource_table[GMSIM_RESOURCES];
extern const gmsim_names gmsim_stall_table[GMSIM_STALLS];
extern const gmsim_names gmsim_start_table[GMSIM_STARTS];
/* By the number of their bit, ended by NULL: GMSIM_LIMIT_*, GMTRACE_UNSEEN_*. */
extern const gmsim_names gmsim_limiter_table[], gmsim_unseen_table[];

static inline const char *gmsim_resource_name(gmsim_resource resource)
{
    return gmsim_resource_table[resource].name;
}

static inline const char *gmsim_stall_name(gmsim_stall stall)
{
    return gmsim_stall_table[stall].name;
}

G_END_DECLS

#endif
