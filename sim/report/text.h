/* SPDX-License-Identifier: MIT
 *
 * text.h - parts of the text report, each appended to a string. Private to sim/report.
 */
#ifndef GMSIM_TEXT_H
#define GMSIM_TEXT_H

#include "sim/report/report.h"

G_BEGIN_DECLS

/* text_pipe.c: requests, work, ideal, hits, bytes and least cycles down the hierarchy ... */
void gmsim_text_pipe(GString *out, const gmsim_report *report, const gmsim_result *result);
/* ... and what an SM holds. */
void gmsim_text_occupancy(GString *out, const gmsim_report *report, const gmsim_result *result);
/* The launch's allocations and the instructions whose worst request lies in each (verbose). */
void gmsim_text_allocations(GString *out, const gmsim_report *report, const gmsim_result *result);

/* text_time.c: cycles, and what warps wait for; nothing without timing. */
void gmsim_text_time(GString *out, const gmsim_report *report, const gmsim_result *result);

/* text_lanes.c: instructions by excess work; the histogram and the worst request's lanes. */
void gmsim_text_hot(GString *out, const gmsim_report *report, const gmsim_result *result);
void gmsim_text_lanes(GString *out, const gmsim_report *report, const gmsim_result *result);

/* source.c: line `line` of a source file of the trace, without indentation and line end, or NULL.
 * Only files below the current folder or below `folder` (or NULL) are opened: the recorded one
 * where it lies there, else by ever shorter tails of its path. Free with g_free(). */
char *gmsim_source_line(const char *folder, const char *file, uint32_t line);

G_END_DECLS

#endif
