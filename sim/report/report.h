/* SPDX-License-Identifier: MIT
 *
 * report.h - results to people and programs: one table of functions for each output format.
 *
 * A report is begun once, given every launch's result in trace order, and ended. Nothing is kept
 * between launches, so a trace of any number of launches is written in constant memory.
 */
#ifndef GMSIM_REPORT_H
#define GMSIM_REPORT_H

#include <stdio.h>

#include "sim/analysis/metrics.h"
#include "sim/report/json.h"

G_BEGIN_DECLS

#define GMSIM_REPORT_WIDTH 100u /* columns a text report may take */

typedef struct gmsim_report {
    /* Set by the caller before begin(); borrowed until end(). */
    FILE *out;
    const char *version; /* of gmsim */
    const char *trace;   /* the trace as the user named it */
    const gmsim_gpu *gpu;
    const gmtrace_capture *capture;
    gmsim_caches caches;
    bool flush;            /* L2 was emptied before every launch */
    uint32_t launch_count; /* in the trace */
    uint32_t selected;     /* of them reported */
    bool summary;          /* text: one line a launch */
    bool verbose, quiet, color;
    /* Private to the format. */
    gmsim_json json;
    uint32_t written;
} gmsim_report;

typedef struct gmsim_report_format {
    const char *name, *meaning;
    void (*begin)(gmsim_report *report);
    /* index: the launch's number in the trace. */
    void (*launch)(gmsim_report *report, uint32_t index, const gmsim_result *result);
    /* complete: every selected launch was written; false after an error. */
    void (*end)(gmsim_report *report, bool complete);
} gmsim_report_format;

extern const gmsim_report_format gmsim_report_text, gmsim_report_json, gmsim_report_csv;

/* All formats, ended by NULL; the first is the default. */
extern const gmsim_report_format *const gmsim_report_formats[];

/* NULL where there is no such format. */
const gmsim_report_format *gmsim_report_find(const char *name);

/* Parts of the JSON report, for reports that hold several: a GPU, a launch. */
void gmsim_report_json_gpu(gmsim_json *json, const gmsim_gpu *gpu);
void gmsim_report_json_launch(gmsim_json *json, const char *key, const gmsim_gpu *gpu,
                              uint32_t index, const gmsim_result *result);

/* Largest ratio of wavefronts to their ideal of any shared-memory instruction; 0 without one. */
double gmsim_conflict_degree(const gmsim_result *result);

/* Words for GMTRACE_UNSEEN_* bits, lowest bit first; NULL past the last. */
const char *gmsim_unseen_name(unsigned bit);

/* Words for GMSIM_LIMIT_* bits, lowest bit first, as in JSON; NULL past the last. */
const char *gmsim_limiter_name(unsigned bit);

G_END_DECLS

#endif
