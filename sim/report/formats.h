/* SPDX-License-Identifier: MIT
 *
 * formats.h - what the formats share. Private to sim/report.
 */
#ifndef GMSIM_FORMATS_H
#define GMSIM_FORMATS_H

#include "sim/report/report.h"

G_BEGIN_DECLS

#define GMSIM_FORMAT_DECLARE(name) extern const gmsim_format gmsim_format_##name;
GMSIM_FORMATS(GMSIM_FORMAT_DECLARE)

/* compare_text.c, sweep_text.c */
void gmsim_text_pair(gmsim_report *report, const gmsim_comparison_of_two *compare);
void gmsim_text_sweep(gmsim_report *report, const gmsim_sweep *sweep);

/* limits.c */
void gmsim_text_limits(gmsim_report *report, const gmsim_limits *limits);
void gmsim_csv_limits(gmsim_report *report, const gmsim_limits *limits);
void gmsim_json_limits(gmsim_report *report, const gmsim_limits *limits);

/* sweep_words.c: whether a column has one value that says something of all points (a pattern's text
 * does not: its braces are those of one point); whether a metric (by its place in the sweep) is
 * shown; whether a point has several launches; the points of fewest and most cycles in words, NULL
 * where there are none, to be freed. */
bool gmsim_sweep_fixes(const gmsim_sweep *sweep, unsigned column);
bool gmsim_sweep_shows(const gmsim_sweep *sweep, unsigned metric);
bool gmsim_sweep_has_launches(const gmsim_sweep *sweep);
char *gmsim_sweep_best(const gmsim_sweep *sweep);

/* advise.c */
void gmsim_text_advice(gmsim_report *report, const gmsim_advice *advice);
void gmsim_json_advice(gmsim_report *report, const gmsim_advice *advice);
void gmsim_html_advice(gmsim_report *report, const gmsim_advice *advice);
void gmsim_csv_advice(gmsim_report *report, const gmsim_advice *advice);

/* report_json.c */
void gmsim_json_begin(gmsim_report *report);
void gmsim_json_launch(gmsim_report *report, uint32_t index, const gmsim_result *result);
void gmsim_json_end(gmsim_report *report, bool complete);
/* What every document begins with. */
void gmsim_json_head(gmsim_report *report, const char *schema);
/* A GPU, and a launch in full; with a report, traffic by allocation as well. */
void gmsim_json_gpu(gmsim_json *json, const gmsim_gpu *gpu);
void gmsim_json_result(gmsim_json *json, const char *key, const gmsim_gpu *gpu, uint32_t index,
                       const gmsim_result *result, const gmsim_report *arrays);

/* arrays.c: the launch's traffic by allocation, as a table, a member of its object, rows of CSV. */
void gmsim_text_arrays(GString *out, const gmsim_report *report, const gmsim_result *result);
void gmsim_json_arrays(gmsim_json *json, const gmsim_report *report, const gmsim_result *result);
void gmsim_csv_arrays_begin(gmsim_report *report, GString *out);
void gmsim_csv_arrays(gmsim_report *report, uint32_t index, const gmsim_result *result);

/* compare_text.c: a comparison's quantities, one a row, in every format. */
enum {
    GMSIM_PAIR_LAUNCH_A,
    GMSIM_PAIR_LAUNCH_B,
    GMSIM_PAIR_QUANTITY,
    GMSIM_PAIR_LABEL,
    GMSIM_PAIR_A,
    GMSIM_PAIR_B,
    GMSIM_PAIR_DELTA,
    GMSIM_PAIR_RATIO,
    GMSIM_PAIR_WORD,
    GMSIM_PAIR_COMPLETE,
    GMSIM_PAIR_START_A,
    GMSIM_PAIR_START_B,
    GMSIM_PAIR_COLUMNS
};
extern const gmsim_column gmsim_pair_columns[GMSIM_PAIR_COLUMNS];
void gmsim_pair_row(const gmsim_comparison_of_two *compare, const gmsim_quantity_pair *quantity,
                    gmsim_field field[GMSIM_PAIR_COLUMNS]);

G_END_DECLS

#endif
