/* SPDX-License-Identifier: MIT
 *
 * limits.h - what a project demands of its kernels: a file of limits on metrics, and whether the
 * launches of traces keep to them.
 *
 *     # in a group's brackets a regular expression of kernels' names; * is every kernel
 *     [transpose]
 *     shared.per_request <= 1.1
 *     dram.read <= 4M
 *     [*]
 *     local.sectors = 0
 *
 * A metric is named as in metrics.h: by ncu's name, key or word. Numbers are whole or not, or end
 * in K, M or G (powers of 1024). A limit is asked of every launch of the kernels; of each kernel it
 * has one answer, that of its worst launch.
 */
#ifndef GMSIM_LIMITS_H
#define GMSIM_LIMITS_H

#include "sim/analysis/metrics.h"

G_BEGIN_DECLS

typedef enum gmsim_relation { GMSIM_AT_MOST, GMSIM_AT_LEAST, GMSIM_EQUAL } gmsim_relation;

typedef struct gmsim_limit {
    unsigned line;  /* of the file */
    char *pattern;  /* of its group, as written */
    GRegex *kernel; /* NULL: every kernel */
    unsigned metric;
    gmsim_relation relation;
    double bound;
    char *text; /* "shared.per_request <= 1.1" */
    bool asked; /* of some launch */
} gmsim_limit;

typedef enum gmsim_answer_kind {
    GMSIM_ANSWER_HOLDS,
    GMSIM_ANSWER_NONE, /* no launch has the metric: nothing of the kind was done */
    GMSIM_ANSWER_FAILS,
    GMSIM_ANSWER_UNKNOWN, /* the trace does not tell all that it counts: it may not hold */
    GMSIM_ANSWER_NOBODY,  /* no launch's kernel matches the group's pattern */
    GMSIM_ANSWERS
} gmsim_answer_kind;

/* Of a limit, for one kernel of one trace. */
typedef struct gmsim_limit_answer {
    const gmsim_limit *limit;
    char *trace, *kernel;             /* NULL where nobody was asked */
    uint32_t launches;                /* asked */
    uint32_t valued, beyond, unknown; /* of them: have the metric; do not keep to it; cannot tell */
    double worst;                     /* of those that have it */
    uint32_t worst_launch;
    unsigned order;
} gmsim_limit_answer;

typedef struct gmsim_limits {
    char *path;
    GPtrArray *limit; /* gmsim_limit *, as in the file */
    GPtrArray
        *answer; /* gmsim_limit_answer *; after gmsim_limits_finish() by trace, limit, kernel */
    GHashTable *find; /* private */
} gmsim_limits;

/* Reads a file; "PATH:LINE: what is wrong" where it is none such. Call gmsim_limits_clear() in any
 * case. */
bool gmsim_limits_read(gmsim_limits *limits, const char *path, GError **error);
/* Asks a launch of a trace, named as the user did. Traces come one after the other. */
void gmsim_limits_ask(gmsim_limits *limits, const char *trace, uint32_t index,
                      const gmsim_result *result);
/* After the last launch: an answer for each limit that nobody was asked, and their order. */
void gmsim_limits_finish(gmsim_limits *limits);
void gmsim_limits_clear(gmsim_limits *limits);

gmsim_answer_kind gmsim_limit_answer_kind(const gmsim_limit_answer *answer);
/* Whether the answer is as the limit demands: it holds, or there was nothing to limit. */
bool gmsim_limit_kept(const gmsim_limit_answer *answer);

/* "holds", "fails", ... of each kind */
extern const char *const gmsim_answer_words[GMSIM_ANSWERS];

G_END_DECLS

#endif
