/* SPDX-License-Identifier: MIT
 *
 * text.h - parts of the text report, each appended to a string. Private to sim/report.
 */
#ifndef GMSIM_TEXT_H
#define GMSIM_TEXT_H

#include "sim/report/report.h"

G_BEGIN_DECLS

#define GMSIM_TEXT_INDENT  9u /* of the verdict's lines, "VERDICT  " */
#define GMSIM_TEXT_BETWEEN "\n----------------------------------------\n\n"

/* text_pipe.c: requests, work, ideal, hits, bytes and least cycles down the hierarchy ... */
void gmsim_text_pipe(GString *out, const gmsim_report *report, const gmsim_result *result);
/* ... and what an SM holds. */
void gmsim_text_occupancy(GString *out, const gmsim_report *report, const gmsim_result *result);
/* The launch's allocations and the instructions whose worst request lies in each (verbose). */
void gmsim_text_allocations(GString *out, const gmsim_report *report, const gmsim_result *result);

/* text_time.c: cycles, and what warps wait for; nothing without timing. */
void gmsim_text_time(GString *out, const gmsim_report *report, const gmsim_result *result);

/* ... and what flowed at each level. */
void gmsim_text_rates(GString *out, const gmsim_result *result);

/* text_launch.c: one launch in full, its verdict alone, and the report's last words. */
void gmsim_text_full(GString *out, const gmsim_report *report, uint32_t index,
                     const gmsim_result *result);
void gmsim_text_verdict(GString *out, const gmsim_report *report, const gmsim_result *result);
void gmsim_text_footer(GString *out, const gmsim_report *report, const gmsim_result *result);
/* A kernel's name that fits; another's is another text. Free with g_free(). */
char *gmsim_text_name(const gmsim_report *report, const char *name);
/* Before the first of these; report->names is the caller's. */
void gmsim_text_names(gmsim_report *report);

/* text_application.c: many launches. */
void gmsim_text_application_begin(gmsim_report *report);
void gmsim_text_application_launch(gmsim_report *report, uint32_t index,
                                   const gmsim_result *result);
void gmsim_text_application_end(gmsim_report *report);

/* text_lanes.c: instructions by excess work; the histogram and the worst request's lanes. */
void gmsim_text_hot(GString *out, const gmsim_report *report, const gmsim_result *result);
void gmsim_text_lanes(GString *out, const gmsim_report *report, const gmsim_result *result);

/* source.c: line `line` of a source file of the trace, without indentation and line end, or NULL.
 * Only files below the current folder or below `folder` (or NULL) are opened: the recorded one
 * where it lies there, else by ever shorter tails of its path. Free with g_free(). */
char *gmsim_source_line(const char *folder, const char *file, uint32_t line);

G_END_DECLS

#endif
