/* SPDX-License-Identifier: MIT
 *
 * replay_bench.h - a small trace is written, then a model replays it: what tests of whole launches
 * have in common. What fails ends the test.
 */
#ifndef GMTEST_REPLAY_BENCH_H
#define GMTEST_REPLAY_BENCH_H

#include "sim/model/model.h"
#include "tests/support/trace_builder.h"

#define ALL  UINT32_MAX
#define BASE 0x7f0000000000u

/* A trace under construction in a temporary file, then the model that replays it. */
typedef struct bench {
    char *folder, *path;
    gmtest_trace trace;
    gmtrace_reader *reader;
    gmsim_model *model;
} bench;

/* The trace is begun; bench_end() removes it and the model. */
void bench_begin(bench *b);
void bench_end(bench *b);

/* The model of a GPU, with one setting ("l2.partitions=1", or NULL); the trace is closed. */
void bench_open_of(bench *b, const char *gpu, const char *set, gmsim_options options);
/* The H200's. */
void bench_open(bench *b, gmsim_options options);
void bench_close(bench *b);

/* Closes the trace and replays its first launch on an H200, L2 flushed before. The model's. */
const gmsim_result *bench_run(bench *b);
/* The launch is refused with that code, in words that hold the text. */
void bench_expect_error(bench *b, uint32_t launch, gmsim_error_code code, const char *text);

/* A barrier of so many threads, and a load of 32 words from an address on. */
void bench_barrier(bench *b, uint64_t cta, uint32_t warp, uint32_t mask, uint64_t number,
                   uint32_t threads);
void bench_load(bench *b, uint64_t cta, uint32_t warp, uint64_t address);

#endif
