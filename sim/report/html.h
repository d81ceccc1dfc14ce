/* SPDX-License-Identifier: MIT
 *
 * html.h - the page of `--format html` in parts. Private to sim/report.
 *
 * A page is one file: a style, a script and, between them, the numbers as JSON, which the script
 * draws. Whatever comes from a trace is in the JSON alone, and reaches the page as text nodes. What
 * the JSON holds is between these files and page/, and may change with any version: programs read
 * --format json.
 */
#ifndef GMSIM_HTML_H
#define GMSIM_HTML_H

#include "sim/report/report.h"

G_BEGIN_DECLS

/* page.c, which the build makes of page/: what stands in every page. */
extern const char gmsim_page_style[], gmsim_page_script[];

/* html_page.c: what comes before the numbers, the open object included; and all behind them. */
void gmsim_html_begin(gmsim_report *report, const char *kind, const char *title);
void gmsim_html_finish(gmsim_report *report, bool complete);

/* Text from a trace made fit to be shown: no controls, no marks that turn its direction. */
void gmsim_html_text(gmsim_json *json, const char *key, const char *text);
/* A number for people: seven digits; null where it is not finite. */
void gmsim_html_number(gmsim_json *json, const char *key, double value);
/* The same of two counts, in percent. */
void gmsim_html_percent(gmsim_json *json, const char *key, uint64_t part, uint64_t whole);
/* All metrics of a launch or sum, in the order of the page's table of them. */
void gmsim_html_metrics(gmsim_json *json, const gmsim_result *result);
void gmsim_html_gpu(gmsim_json *json, const gmsim_gpu *gpu);

/* html_launch.c: a launch in full, or as far as the page's size allows. */
void gmsim_html_launch(gmsim_report *report, const gmsim_gpu *gpu, const char *key, uint32_t index,
                       const gmsim_result *result);

/* html_lines.c: its lines by excess with the lanes of their worst requests, as JSON to be
 * freed. */
char *gmsim_html_lines(const gmsim_report *report, const gmsim_gpu *gpu, const gmsim_result *result,
                       unsigned most);

/* html_study.c */
void gmsim_html_begin_pairs(gmsim_report *report);
void gmsim_html_pair(gmsim_report *report, const gmsim_comparison_of_two *compare);
void gmsim_html_sweep(gmsim_report *report, const gmsim_sweep *sweep);

G_END_DECLS

#endif
