/* SPDX-License-Identifier: MIT
 *
 * application.h - many launches as one program: what each kernel's launches sum up to. A sum is a
 * gmsim_result, so that every metric of metrics.h is there of a kernel as it is of a launch: rates
 * and hit rates are those of all its clocks and sectors. What has no sum (occupancy's limits, the
 * grid, instructions) is the first launch's or empty.
 *
 * A kernel is a symbol with its code: the same name with other code is another kernel. What lies
 * between launches on the GPU is in no sum, and a launch whose memory traffic the capture could not
 * see is not in that of the whole program.
 */
#ifndef GMSIM_APPLICATION_H
#define GMSIM_APPLICATION_H

#include "sim/analysis/metrics.h"
#include "sim/analysis/verdict.h"

G_BEGIN_DECLS

typedef struct gmsim_kernel_total {
    unsigned number;   /* in the order of first launches */
    uint32_t launches; /* those that stand for others count for them as well, as in all sums */
    uint32_t captured; /* of them */
    uint32_t unknown;  /* of them: their memory traffic was not seen, so they have no clocks */
    uint32_t longest;  /* number of the launch that takes most clocks, the first of equals */
    uint64_t longest_clocks;
    gmsim_result sum;
    uint64_t clocks;               /* of gmsim_launch_clocks() */
    uint32_t starts[GMSIM_STARTS]; /* of launches that were not captured: unknown */
    struct {
        uint32_t launches; /* whose verdict it is */
        uint64_t clocks;   /* of them */
    } finding[GMSIM_FINDING_COUNT];
} gmsim_kernel_total;

typedef struct gmsim_application gmsim_application;

/* The GPU is borrowed. */
gmsim_application *gmsim_application_new(const gmsim_gpu *gpu);
void gmsim_application_free(gmsim_application *application);

/* Adds launch number `index`. The kernel it is of, valid until the next call; its launch and kernel
 * stay those of the trace's reader. */
const gmsim_kernel_total *gmsim_application_add(gmsim_application *application, uint32_t index,
                                                const gmsim_result *result);

unsigned gmsim_application_kernels(const gmsim_application *application);
/* By number. */
const gmsim_kernel_total *gmsim_application_kernel(const gmsim_application *application,
                                                   unsigned number);
/* All launches as one kernel. */
const gmsim_kernel_total *gmsim_application_total(const gmsim_application *application);

/* Launches that were not captured, and what was taken for their clocks. Of each kind some were
 * captured: had all the others been as the one of fewest clocks, or of most, there were `least` or
 * `most`. Of kinds with a single captured launch no such thing is known; they have its clocks. */
typedef struct gmsim_sampled {
    uint64_t launches, clocks, least, most;
    uint64_t alone, alone_kinds; /* launches of kinds with a single captured one, and kinds */
} gmsim_sampled;
/* kernel NULL: of all. */
gmsim_sampled gmsim_application_sampled(const gmsim_application *application,
                                        const gmsim_kernel_total *kernel);

/* Predicted cycles, or without times the least that the launch's bound needs; 0 where its memory
 * traffic was not seen. */
uint64_t gmsim_launch_clocks(const gmsim_result *result);

/* What kernels and launches are ordered by: a metric's index, or one of these. */
enum { GMSIM_BY_CLOCKS = -1, GMSIM_BY_LAUNCHES = -2 };

/* GMSIM_BY_* or a metric by name; false where there is no such. NULL: by clocks. */
bool gmsim_sort_key(const char *name, int *key);
/* -1 where it has no such number. Launches are by their clocks where kernels are by launches. */
double gmsim_sort_value(int key, const gmsim_result *result);

/* Numbers of kernels, the largest first; equals by clocks, then as they came. Free with g_free().
 */
unsigned *gmsim_application_order(const gmsim_application *application, int key);

/* The verdict of the launches that take most of its clocks. */
gmsim_finding_kind gmsim_kernel_finding(const gmsim_kernel_total *kernel);

/* Metrics that make sense of a sum, by name; ended by NULL. */
extern const char *const gmsim_kernel_metrics[];

G_END_DECLS

#endif
