/* SPDX-License-Identifier: MIT
 *
 * gmsim.h - libgmsim in one header: a trace and a few options in, a report as text out. What the
 * gmsim command does, for programs and for other languages; needs no GLib in the caller.
 *
 *     gmsim_job job = {.size = sizeof job, .trace = "transpose.trc", .gpu = "h200"};
 *     char *report, *error;
 *
 *     if (gmsim_simulate(&job, &report, &error) == GMSIM_DONE)
 *         fputs(report, stdout);
 *     else
 *         fprintf(stderr, "%s\n", error);
 *     gmsim_free(report);
 *     gmsim_free(error);
 *
 * Calls are independent of each other and may run in several threads at once; each may start
 * threads of its own, gone when it returns. Nothing is printed. The report's schema is
 * "gmsim-report/1", as `gmsim --format json` writes it.
 */
#ifndef GMSIM_H
#define GMSIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The command's exit codes mean the same. */
typedef enum gmsim_status {
    GMSIM_DONE = 0,
    GMSIM_FAILED = 1, /* a file that cannot be read, or is damaged */
    GMSIM_USAGE = 2,  /* an option is wrong */
} gmsim_status;

/* Options by the names of the command's. NULL, false and 0 are the defaults. Strings are borrowed
 * for the call. New fields are added at the end; `size` tells which of them the caller knows. */
typedef struct gmsim_job {
    size_t size;              /* sizeof(gmsim_job) */
    const char *trace;        /* file; "-" is standard input */
    const char *gpu;          /* name or path of an .ini file; default h200 */
    const char *const *set;   /* "l1.size=192K", ..., ended by NULL */
    const char *kernel;       /* regular expression: only launches whose kernel name matches */
    const char *launch;       /* only this launch, counted from 0 */
    const char *caches;       /* "cold" (default) or "warm" */
    const char *format;       /* "json" (default), "csv", "text", "html", "callgrind", "timeline" */
    bool flush;               /* empty L2 before every launch */
    bool functional;          /* count without timing */
    bool verbose;             /* text: everything */
    const char *synthetic;    /* in place of trace, a pattern: "stride:n=1M,stride=32" */
    const char *source;       /* text: show lines of source files below this folder, too */
    const char *limit_memory; /* what the trace may make the reader take: "4G"; default 1G; "none":
                               * no bound, nor one on warps without records */
    const char *launches;     /* only these launches: "0-7", "2,5-8,100-" */
    unsigned top;             /* text: so many kernels and launches of many; 0: one screen */
    const char *sort;         /* "cycles" (default), "launches" or a metric: their order */
    bool arrays;              /* traffic by allocation, too */
    /* Shared objects (sim/policy/plugin.h), ended by NULL, whose policies `set` may name. They run
     * with the caller's rights. */
    const char *const *plugin;
    const char *measured; /* html: a file of Nsight Compute's, shown beside the predictions */
    /* NULL, or a place where another thread or a signal handler puts something else than 0 to end
     * the call: within milliseconds of simulation, GMSIM_FAILED and a message that ends with
     * "stopped". What comes before the first launch is not ended. */
    const volatile int *stop;
    unsigned threads; /* that replay a launch's SMs side by side; 0: one a processor, 8 at most.
                       * The report is the same, byte by byte */
} gmsim_job;

/* Simulates; *report is set to its text (NULL on failure), *error to one line without the
 * program's name that says what, where and what to do (NULL on success). Either may be passed as
 * NULL; give both to gmsim_free(). */
gmsim_status gmsim_simulate(const gmsim_job *job, char **report, char **error);

/* What each cost of the launches, and each fix, is worth: the job's launches are replayed once as
 * they are and once for each change that applies. JSON has the schema "gmsim-advice/1", as `gmsim
 * advise --format json` writes it. Otherwise as gmsim_simulate(). */
gmsim_status gmsim_advise(const gmsim_job *job, char **report, char **error);

/* With gpu NULL, a JSON array of the GPUs known: [{"name": "h200", "title": ..., "cc": [9, 0],
 * "sm_count": 132, "path": ...}, ...]. With a GPU's name or .ini file, that one as an object that
 * also has "parameters": {"l1.size": {"value": ..., "meaning": ..., "source": ...}, ...}, after
 * the assignments of `set` (ended by NULL, or NULL). */
gmsim_status gmsim_describe_gpus(const char *gpu, const char *const *set, char **description,
                                 char **error);

/* "0.1.0" */
const char *gmsim_version(void);

void gmsim_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
