/* SPDX-License-Identifier: MIT
 *
 * trace_bench.c - what libgmtrace costs: records encoded, decoded and replayed a second, bytes
 * a record on disk. Two streams that bound real ones: fully coalesced loads of a grid-stride loop,
 * and 32 random 4-byte addresses. Decoding is measured from the page cache; every rate is the best
 * of several runs, because on a shared machine the others measure the neighbours.
 */
#include "tests/support/trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CTAS    256u
#define THREADS 256u
#define WARPS   (THREADS / GMTRACE_WARP_LANES)

static uint64_t state = 88172645463325252ull;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const gmtrace_error *error)
{
    fprintf(stderr, "trace_bench: %s\n", error->text);
    exit(1);
}

typedef enum stream { COALESCED, COALESCED_LANES, RANDOM } stream;

/* Writes `records` records and returns the seconds it took. */
static double encode(const char *path, stream kind, uint64_t records, uint64_t bytes)
{
    gmtest_trace trace;
    gmtrace_error error;
    static uint64_t lanes[4096][GMTRACE_WARP_LANES]; /* drawn before the clock starts */
    const uint64_t base = 0x7f2e40000000;
    for (size_t i = 0; i < 4096; i++)
        for (unsigned k = 0; k < GMTRACE_WARP_LANES; k++)
            lanes[i][k] = base + 4 * ((next_random() >> 20) % (bytes / 4));
    const gmtrace_record load = gmtest_record(GMTEST_LDG, UINT32_MAX);
    const gmtrace_record store = gmtest_record(GMTEST_STG, UINT32_MAX);
    const double begin = now();
    gmtest_open(&trace, path);
    gmtest_launch(&trace, CTAS, THREADS);
    const uint64_t each = records / (CTAS * WARPS);
    size_t drawn = 0;
    for (uint32_t cta = 0; cta < CTAS; cta++) {
        for (uint64_t i = 0; i < each; i++)
            for (uint32_t warp = 0; warp < WARPS; warp++) {
                const uint64_t at = ((i / 2 * CTAS + cta) * WARPS + warp) * 128;
                gmtrace_record r = i & 1 ? store : load;
                const uint64_t *address = NULL;
                if (kind == COALESCED) {
                    r.address = base + at + (i & 1 ? bytes : 0);
                    r.stride = 4;
                } else if (kind == COALESCED_LANES) {
                    uint64_t *lane = lanes[0];
                    for (unsigned k = 0; k < GMTRACE_WARP_LANES; k++)
                        lane[k] = base + at + (i & 1 ? bytes : 0) + 4 * k;
                    address = lane;
                } else {
                    address = lanes[drawn++ % 4096];
                }
                if (!gmtrace_writer_append(trace.writer, cta, warp, &r, address, &error))
                    fail(&error);
            }
        gmtest_end_cta(&trace, cta);
    }
    gmtest_close(&trace);
    return now() - begin;
}

/* Decodes every chunk in file order; returns the seconds. */
static double decode(const char *path, uint64_t *records, uint64_t *size)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    if (!reader)
        fail(&error);
    *size = gmtrace_file_size(reader);
    *records = 0;
    const double begin = now();
    for (uint64_t i = 0; i < gmtrace_chunk_count(reader); i++) {
        const gmtrace_chunk *chunk = gmtrace_chunk_read(reader, i, &error);
        if (!chunk)
            fail(&error);
        *records += chunk->record_count;
        gmtrace_chunk_release(reader, chunk);
    }
    const double seconds = now() - begin;
    gmtrace_close(reader);
    return seconds;
}

/* Replays as the model does: all warps of all CTAs open at once, each advancing in turn. */
static double replay(const char *path)
{
    static gmtrace_cursor cursor[CTAS * WARPS];
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    if (!reader)
        fail(&error);
    const double begin = now();
    uint64_t sum = 0;
    if (!gmtrace_select_launch(reader, 0, &error))
        fail(&error);
    for (uint32_t i = 0; i < CTAS * WARPS; i++)
        if (!gmtrace_cursor_open(reader, &cursor[i], i / WARPS, i % WARPS, &error))
            fail(&error);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < CTAS * WARPS; i++) {
            gmtrace_cursor *c = &cursor[i];
            if (c->next == c->end && !gmtrace_cursor_refill(reader, c, &error))
                continue;
            sum += (c->next++)->address;
            moved = true;
        }
    }
    const double seconds = now() - begin;
    if (error.status != GMTRACE_OK || sum == 0)
        fail(&error);
    gmtrace_close(reader);
    return seconds;
}

static void measure(const char *path, const char *name, stream kind, uint64_t records,
                    uint64_t bytes)
{
    double put = 1e9, get = 1e9, walk = 1e9;
    uint64_t seen = 0, size = 0;
    for (int run = 0; run < 3; run++) {
        const double seconds = encode(path, kind, records, bytes);
        put = seconds < put ? seconds : put;
    }
    for (int run = 0; run < 5; run++) {
        const double seconds = decode(path, &seen, &size);
        get = seconds < get ? seconds : get;
    }
    for (int run = 0; run < 5; run++) {
        const double seconds = replay(path);
        walk = seconds < walk ? seconds : walk;
    }
    printf("%-32s %8.2f M/s %8.2f M/s %8.2f M/s %8.2f B\n", name, (double)seen / put / 1e6,
           (double)seen / get / 1e6, (double)seen / walk / 1e6, (double)size / (double)seen);
    unlink(path);
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/gmtrace-bench-%ld.trc", folder ? folder : "/tmp",
             (long)getpid());
    printf("%-32s %12s %12s %12s %10s\n", "trace: records", "encode", "decode", "replay",
           "on disk");
    measure(path, "coalesced, given as a shape", COALESCED, 4u << 20, 512u << 20);
    measure(path, "coalesced, given as 32 addresses", COALESCED_LANES, 2u << 20, 512u << 20);
    measure(path, "32 random addresses in 64 MiB", RANDOM, 1u << 18, 64u << 20);
    measure(path, "32 random addresses in 512 MiB", RANDOM, 1u << 18, 512u << 20);
    return 0;
}
