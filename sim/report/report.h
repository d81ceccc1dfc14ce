/* SPDX-License-Identifier: MIT
 *
 * report.h - results to people and programs: one table of formats, chosen by name, each a table of
 * functions for launches, comparisons and sweeps.
 *
 * Launches and pairs are begun once, given every result in trace order, and ended. Between them
 * sums of each kernel are kept and, for a summary, the launches that lead, so a trace of any number
 * of launches is written in constant memory. A sweep is written when all its points are known,
 * answers to limits when all launches were asked.
 */
#ifndef GMSIM_REPORT_H
#define GMSIM_REPORT_H

#include <stdio.h>

#include "sim/analysis/advice.h"
#include "sim/analysis/application.h"
#include "sim/analysis/arrays.h"
#include "sim/analysis/compare.h"
#include "sim/analysis/limits.h"
#include "sim/analysis/metrics.h"
#include "sim/report/json.h"
#include "sim/report/table.h"

G_BEGIN_DECLS

/* The formats, the first of them the default: NAME is gmsim_format_NAME of some file. As words, for
 * the help of a command: " text json csv ...". */
#define GMSIM_FORMATS(X)        X(text) X(json) X(csv) X(html) X(callgrind) X(timeline)
#define GMSIM_FORMAT_WORD(name) " " #name
#define GMSIM_FORMAT_WORDS      GMSIM_FORMATS(GMSIM_FORMAT_WORD)

#define GMSIM_REPORT_WIDTH 100u /* columns a text report may take */

typedef struct gmsim_report {
    /* Set by the caller before begin(); borrowed until end(). */
    FILE *out;
    const char *version; /* of gmsim */
    bool verbose, quiet, color;
    /* Of launches: */
    const char *trace;  /* the trace as the user named it */
    const char *source; /* a folder of source files besides the current one; or NULL */
    const gmsim_gpu *gpu;
    const gmtrace_capture *capture;
    gmsim_caches caches;
    bool flush;                   /* L2 was emptied before every launch */
    uint32_t launch_count;        /* in the trace */
    const gmtrace_reader *reader; /* for the list of launches that were not captured, where it is of
                                   * all; or NULL */
    uint64_t repeats_told;
    uint32_t selected; /* of them reported */
    bool summary;      /* text: the program as a whole and the launches that matter */
    unsigned top;      /* of them, and of its kernels, that many; 0: as many as fit a screen */
    int sort;          /* GMSIM_BY_* or a metric: what they are ordered by */
    const char *const *kernel; /* names of all kernels in the trace */
    unsigned kernels;
    bool arrays;              /* traffic by allocation is wanted; then, of each launch: */
    const gmsim_array *array; /* the arrays that it touched (arrays.h) ... */
    unsigned array_count;
    gmsim_array array_sum;  /* ... and their sum */
    const double *measured; /* of each metric, NaN where there is none; NULL: not measured */
    /* Private to the format. */
    gmsim_json json;
    gmsim_table table;
    gmsim_application *application;
    GPtrArray *leading; /* launches so far that lead the others */
    GHashTable *likes;  /* launches by kernel and shape */
    GHashTable *names;  /* texts of the kernels' names */
    GPtrArray *verdict; /* of each kernel's longest launch */
    GHashTable *known;  /* parts that several launches have alike, by their text */
    uint64_t detail;    /* bytes of such parts */
    GArray *totals;     /* uint64_t: sums of all that was written */
    struct gmsim_timeline_file *timeline;
    uint32_t written;
} gmsim_report;

/* What varies in a sweep, and a launch's numbers at one of its points. */
typedef enum gmsim_sweep_kind {
    GMSIM_SWEEP_TRACE,
    GMSIM_SWEEP_GPU,
    GMSIM_SWEEP_BRACES, /* of a synthetic pattern */
    GMSIM_SWEEP_KEY     /* of the GPU */
} gmsim_sweep_kind;

typedef struct gmsim_sweep_column {
    const char *name;
    gmsim_sweep_kind kind;
    unsigned index; /* of the braces or the key */
    bool varies;
} gmsim_sweep_column;

typedef struct gmsim_sweep_row {
    uint32_t launch;
    char *kernel;
    double *value; /* of each metric; NaN where the launch has none */
} gmsim_sweep_row;

typedef struct gmsim_sweep_point {
    GPtrArray *rows; /* gmsim_sweep_row *, one a launch */
    char *failure;   /* NULL where all went well; a point that failed is left out */
    int code;
} gmsim_sweep_point;

typedef struct gmsim_sweep {
    GArray *columns;      /* gmsim_sweep_column: trace, GPU, braces, keys */
    GArray *metrics;      /* unsigned: indices into gmsim_metrics */
    bool chosen;          /* by the user; others are not shown where they are 0 */
    uint64_t count;       /* points */
    uint64_t first, step; /* this process' share: first, first + step, ... */
    gmsim_sweep_point *point;
    const char *(*value)(const void *plan, uint64_t point, const gmsim_sweep_column *column);
    const void *plan;
} gmsim_sweep;

/* The columns of a point that vary: "gpu=a100 l1.size=256K". Free with g_free(). */
char *gmsim_sweep_describe(const gmsim_sweep *sweep, uint64_t point);

/* A format may leave out what it cannot show: then its functions are NULL. */
typedef struct gmsim_format {
    const char *name, *meaning;
    bool arrays;    /* it shows traffic by allocation always, not only where that is asked for */
    bool over_time; /* shows gmsim_result.timeline */
    bool measured;  /* it can show measurements */
    void (*begin)(gmsim_report *report);
    /* index: the launch's number in the trace. */
    void (*launch)(gmsim_report *report, uint32_t index, const gmsim_result *result);
    /* complete: every selected launch was written; false after an error. */
    void (*end)(gmsim_report *report, bool complete);
    void (*begin_pairs)(gmsim_report *report);
    void (*pair)(gmsim_report *report, const gmsim_comparison_of_two *compare);
    void (*end_pairs)(gmsim_report *report, bool complete);
    void (*sweep)(gmsim_report *report, const gmsim_sweep *sweep);
    void (*advise)(gmsim_report *report, const gmsim_advice *advice);
    void (*limits)(gmsim_report *report, const gmsim_limits *limits);
} gmsim_format;

/* Ended by NULL; the first is the default. */
extern const gmsim_format *const gmsim_formats[];

/* NULL where there is no such format. */
const gmsim_format *gmsim_format_find(const char *name);
/* That which `path` ends in (".csv"), else the default. path may be NULL. */
const gmsim_format *gmsim_format_of(const char *path);
/* "text, json, csv, ...". Free with g_free(). */
char *gmsim_format_names(void);

G_END_DECLS

#endif
