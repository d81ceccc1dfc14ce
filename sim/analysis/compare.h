/* SPDX-License-Identifier: MIT
 *
 * compare.h - two launches side by side: A is the base, B what is asked about.
 *
 * A quantity has a value on each side and, where one is defined, a better direction. Instructions
 * are paired by kind of access and source line, then by opcode in order of pc; what has no partner
 * is listed alone.
 */
#ifndef GMSIM_COMPARE_H
#define GMSIM_COMPARE_H

#include "sim/report/report.h"

G_BEGIN_DECLS

typedef struct gmsim_side {
    const char *trace; /* as the user named it */
    const gmsim_gpu *gpu;
    const gmsim_result *result;
    uint32_t index; /* the launch's number in its trace */
} gmsim_side;

typedef enum gmsim_unit {
    GMSIM_UNIT_COUNT,
    GMSIM_UNIT_RATIO,
    GMSIM_UNIT_PERCENT,
    GMSIM_UNIT_BYTES,
    GMSIM_UNIT_NANOSECONDS,
} gmsim_unit;

typedef struct gmsim_quantity_pair {
    const char *key, *name;
    gmsim_unit unit;
    int better;      /* -1: less is better, 1: more is, 0: no direction */
    bool has[2];     /* whether the side has a value */
    double value[2]; /* of A and B */
} gmsim_quantity_pair;

#define GMSIM_COMPARE_QUANTITIES 24u

typedef struct gmsim_instr_pair {
    const gmsim_instr_counts *side[2]; /* NULL: not there */
    int64_t delta;                     /* of wavefronts or sectors, B minus A */
} gmsim_instr_pair;

typedef struct gmsim_comparison_of_two {
    gmsim_side side[2];
    unsigned count;
    gmsim_quantity_pair quantity[GMSIM_COMPARE_QUANTITIES];
    bool has_speedup;
    bool by_time;   /* the speed-up is of times, as the clocks differ; else of cycles */
    double speedup; /* A's over B's: above 1, B is faster */
    GArray *instr;  /* gmsim_instr_pair, the largest change first */
} gmsim_comparison_of_two;

void gmsim_compare_make(gmsim_comparison_of_two *compare, const gmsim_side *a, const gmsim_side *b);
void gmsim_compare_clear(gmsim_comparison_of_two *compare);

/* A quantity by key, or a metric by ncu's name, or "speedup". side: 0 or 1. */
bool gmsim_compare_value(const gmsim_comparison_of_two *compare, unsigned side, const char *key,
                         double *value);

/* "better", "worse", "=" or "" where there is no direction. */
const char *gmsim_compare_word(const gmsim_quantity_pair *quantity);

/* What a warp waits for most, as a word; NULL where there was no time. */
const char *gmsim_compare_wait(const gmsim_result *result);

/* One table of functions a format, as in report.h; begun and ended once, a pair at a time. */
typedef struct gmsim_compare_report {
    FILE *out;
    const char *version;
    bool all, quiet, color;
    gmsim_json json;
    unsigned written;
} gmsim_compare_report;

typedef struct gmsim_compare_format {
    const char *name;
    void (*begin)(gmsim_compare_report *report);
    void (*pair)(gmsim_compare_report *report, const gmsim_comparison_of_two *compare);
    void (*end)(gmsim_compare_report *report, bool complete);
} gmsim_compare_format;

/* NULL where there is no such format. */
const gmsim_compare_format *gmsim_compare_find(const char *name);
extern const gmsim_compare_format gmsim_compare_text, gmsim_compare_json, gmsim_compare_csv;

G_END_DECLS

#endif
