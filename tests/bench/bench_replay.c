/* SPDX-License-Identifier: MIT
 *
 * bench_replay.c - how fast launches replay. `bench_replay make PATTERN COUNT FILE` writes a
 * synthetic trace of COUNT warp instructions; `bench_replay run FILE` replays it and prints million
 * warp instructions a second (best of three, reading and unpacking included) and peak memory.
 * bench_replay.sh runs both for every pattern.
 */
#include "sim/model/model.h"
#include "tests/support/trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define ALL   UINT32_MAX
#define BASE  0x7f0000000000u
#define WARPS 8u /* a CTA */

typedef struct place {
    uint64_t cta, serial; /* serial number of the access in the launch */
    uint32_t warp, step;
} place;

typedef void (*emit)(gmtest_trace *trace, const place *at);

static uint64_t state = 88172645463325252u;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

/* Copy: each warp reads and writes the next 128 bytes. */
static void stream(gmtest_trace *t, const place *at)
{
    uint64_t to = BASE + at->serial / 2 * 128 + (at->serial % 2 ? 1ull << 36 : 0);
    gmtest_affine(t, at->cta, at->warp, at->serial % 2 ? GMTEST_STG : GMTEST_LDG, ALL, to, 4);
}

/* Each lane in a line of its own, 4 KiB apart: a walk down the columns of a matrix. */
static void divergent(gmtest_trace *t, const place *at)
{
    uint64_t warp = at->cta * WARPS + at->warp;
    gmtest_affine(t, at->cta, at->warp, GMTEST_LDG, ALL,
                  BASE + warp % 512 * 131072 + at->step % 1024 * 4, 4096);
}

/* 32 random words of 64 MiB. */
static void gather(gmtest_trace *t, const place *at)
{
    uint64_t address[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] = BASE + (random32() & 0x3fffffcu);
    gmtest_lanes(t, at->cta, at->warp, GMTEST_LDG, ALL, address);
}

/* Shared memory: a column of a tile, 32 lanes in one bank. */
static void conflict(gmtest_trace *t, const place *at)
{
    gmtest_affine(t, at->cta, at->warp, GMTEST_LDS, ALL, at->step % 32 * 4, 128);
}

/* Shared memory: 32 random words of 32 KiB. */
static void scatter(gmtest_trace *t, const place *at)
{
    uint64_t address[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] = random32() & 0x7ffcu;
    gmtest_lanes(t, at->cta, at->warp, GMTEST_LDS, ALL, address);
}

/* Matrix product in tiles of 16 x 16, one row of CTAs after the other: two global loads of two rows
 * of a tile, two stores to shared memory, a barrier, 32 shared loads, a barrier. */
static void matmul(gmtest_trace *t, const place *at)
{
    enum { N = 1024, TILES = N / 16 };
    uint32_t phase = at->step / 38 % TILES, part = at->step % 38;
    uint64_t row = at->cta / TILES % TILES * 16 + at->warp * 2, column = at->cta % TILES * 16;
    gmtrace_record record = gmtest_record(part < 2 ? GMTEST_LDG : GMTEST_STS, ALL);
    record.shape = GMTRACE_GRID;
    record.log2_columns = 4;
    record.stride = 4;
    if (part < 2) {
        uint64_t a = row * N + phase * 16u, b = (phase * 16u + at->warp * 2) * N + column;
        record.address = BASE + (part == 0 ? a : (1u << 24) + b) * 4;
        record.stride2 = N * 4;
        gmtest_append(t, at->cta, at->warp, &record, NULL);
    } else if (part < 4) {
        gmtest_affine(t, at->cta, at->warp, GMTEST_STS, ALL, (part - 2) * 1024 + at->warp * 128, 4);
    } else if (part == 4 || part == 37) {
        gmtest_barrier(t, at->cta, at->warp);
    } else if (part % 2) { /* two rows, each lane of a row the same element */
        record = gmtest_record(GMTEST_LDS, ALL);
        record.shape = GMTRACE_GRID;
        record.log2_columns = 4;
        record.address = at->warp * 128 + part / 2 * 4;
        record.stride2 = 64;
        gmtest_append(t, at->cta, at->warp, &record, NULL);
    } else { /* one row, read by both halves of the warp */
        record = gmtest_record(GMTEST_LDS, ALL);
        record.shape = GMTRACE_GRID;
        record.log2_columns = 4;
        record.address = 1024 + part / 2 * 64;
        record.stride = 4;
        gmtest_append(t, at->cta, at->warp, &record, NULL);
    }
}

static int make(const char *name, uint64_t count, const char *path)
{
    static const struct {
        const char *name;
        emit emit;
        uint32_t steps; /* of a warp */
    } pattern[] = {{"stream", stream, 64},    {"divergent", divergent, 64},
                   {"gather", gather, 64},    {"conflict", conflict, 128},
                   {"scatter", scatter, 128}, {"matmul", matmul, 38 * 64}};
    for (size_t i = 0; i < G_N_ELEMENTS(pattern); i++) {
        if (strcmp(pattern[i].name, name) != 0)
            continue;
        gmtest_trace trace;
        uint32_t steps = pattern[i].steps;
        uint64_t ctas = MAX(count / (steps * WARPS), 1);
        gmtest_open(&trace, path);
        gmtest_launch(&trace, (uint32_t)ctas, WARPS * 32);
        for (uint64_t cta = 0; cta < ctas; cta++) {
            for (uint32_t warp = 0; warp < WARPS; warp++)
                for (uint32_t step = 0; step < steps; step++) {
                    place at = {.cta = cta, .warp = warp, .step = step};
                    at.serial = (cta * WARPS + warp) * steps + step;
                    pattern[i].emit(&trace, &at);
                }
            gmtest_end_cta(&trace, cta);
        }
        gmtest_close(&trace);
        return 0;
    }
    fprintf(stderr, "bench_replay: no pattern %s\n", name);
    return 2;
}

/* Of this process, so that others on the machine cost nothing but cache. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run(const char *path, int repeats)
{
    GError *error = NULL;
    gmtrace_error reason;
    gmsim_gpu gpu;
    gmtrace_reader *reader = gmtrace_open(path, &reason);
    if (!reader || !gmsim_gpu_load(&gpu, "h200", &error)) {
        fprintf(stderr, "bench_replay: %s\n", reader ? error->message : reason.text);
        return 1;
    }
    gmsim_model *model = gmsim_model_new(&gpu, NULL, &error);
    if (!model) {
        fprintf(stderr, "bench_replay: %s\n", error->message);
        return 1;
    }
    double best = 0;
    uint64_t records = 0;
    for (int i = 0; i < repeats; i++) {
        double start = cpu_seconds();
        const gmsim_result *result = gmsim_model_run(model, reader, 0, NULL, NULL, &error);
        if (!result) {
            fprintf(stderr, "bench_replay: %s\n", error->message);
            return 1;
        }
        double rate = (double)result->records / (cpu_seconds() - start) * 1e-6;
        best = MAX(best, rate);
        records = result->records;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%" G_GUINT64_FORMAT " %.2f %.0f %.2f\n", records, best,
           (double)usage.ru_maxrss / 1024.0, (double)gmtrace_file_size(reader) / (double)records);
    gmsim_model_free(model);
    gmtrace_close(reader);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "make") == 0)
        return make(argv[2], strtoull(argv[3], NULL, 10), argv[4]);
    if ((argc == 3 || argc == 4) && strcmp(argv[1], "run") == 0)
        return run(argv[2], argc == 4 ? atoi(argv[3]) : 3);
    fprintf(stderr, "usage: bench_replay make PATTERN COUNT FILE | run FILE [REPEATS]\n");
    return 2;
}
