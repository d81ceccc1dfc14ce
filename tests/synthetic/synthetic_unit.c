/* SPDX-License-Identifier: MIT
 *
 * synthetic_unit.c - synthetic traces against counts derived by hand. Each case says how its
 * numbers follow from the pattern.
 */
#include "sim/analysis/rows.h"
#include "traces/code/path.h"
#include "traces/synthetic/synthetic.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

typedef struct expectation {
    const char *spec;
    gmsim_row row;
    uint64_t requests, work, tags; /* work: wavefronts in shared memory, sectors elsewhere */
} expectation;

static gmtrace_reader *open_spec(const char *spec)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_synthetic_open(spec, &error);
    if (!reader)
        g_error("%s: %s", spec, error.text);
    return reader;
}

static gmsim_model *new_model(void)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    gmsim_gpu_load(&gpu, "h200", &error);
    g_assert_no_error(error);
    return gmsim_model_new(&gpu, &(gmsim_options){.flush = true}, NULL);
}

static const gmsim_result *run(gmsim_model *model, gmtrace_reader *reader)
{
    GError *error = NULL;
    const gmsim_result *result = gmsim_model_run(model, reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    return result;
}

static void check(const expectation *cases, size_t count)
{
    gmsim_model *model = new_model();
    for (size_t i = 0; i < count; i++) {
        const expectation *e = &cases[i];
        gmtrace_reader *reader = open_spec(e->spec);
        const gmsim_counts *counts = &run(model, reader)->row[e->row];
        const bool shared = e->row >= GMSIM_SHARED_LOAD;
        const uint64_t work = shared ? counts->wavefronts : counts->sectors;
        const uint64_t instructions = counts->instructions;
        if (instructions != e->requests || work != e->work || (e->tags && counts->tags != e->tags))
            g_error("%s, %s: %" G_GUINT64_FORMAT " requests, %" G_GUINT64_FORMAT
                    " sectors or wavefronts, %" G_GUINT64_FORMAT " tags; by hand %" G_GUINT64_FORMAT
                    ", %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT,
                    e->spec, gmsim_row_name(e->row), instructions, work, counts->tags, e->requests,
                    e->work, e->tags);
        gmtrace_close(reader);
    }
    gmsim_model_free(model);
}

#define K 1024u

static void test_stride(void)
{
    /* 64K threads are 2K warps. */
    static const expectation cases[] = {
        /* 32 lanes of 4 bytes are 128 bytes: 4 sectors of one line. */
        {"stride:n=64K", GMSIM_GLOBAL_LOAD, 2 * K, 4 * 2 * K, 2 * K},
        {"stride:n=64K,bytes=1", GMSIM_GLOBAL_LOAD, 2 * K, 1 * 2 * K, 2 * K},
        {"stride:n=64K,bytes=2", GMSIM_GLOBAL_LOAD, 2 * K, 2 * 2 * K, 2 * K},
        {"stride:n=64K,bytes=8", GMSIM_GLOBAL_LOAD, 2 * K, 8 * 2 * K, 2 * 2 * K},
        {"stride:n=64K,bytes=16", GMSIM_GLOBAL_LOAD, 2 * K, 16 * 2 * K, 4 * 2 * K},
        /* Twice as far apart, twice as many; from 32 bytes on a sector each, from 128 a line. */
        {"stride:n=64K,stride=2", GMSIM_GLOBAL_LOAD, 2 * K, 8 * 2 * K, 2 * 2 * K},
        {"stride:n=64K,stride=8", GMSIM_GLOBAL_LOAD, 2 * K, 32 * 2 * K, 8 * 2 * K},
        {"stride:n=64K,bytes=4,stride=32", GMSIM_GLOBAL_LOAD, 2 * K, 32 * 2 * K, 32 * 2 * K},
        {"stride:n=64K,stride=0", GMSIM_GLOBAL_LOAD, 2 * K, 2 * K, 2 * K},
        /* Four bytes behind a line's start: a fifth sector, in the next line. */
        {"stride:n=64K,offset=1", GMSIM_GLOBAL_LOAD, 2 * K, 5 * 2 * K, 2 * 2 * K},
        {"stride:n=64K,offset=8", GMSIM_GLOBAL_LOAD, 2 * K, 4 * 2 * K, 2 * 2 * K},
        /* 31 full warps, and one of 8 lanes in one sector; however they are dealt to CTAs. */
        {"stride:n=1000", GMSIM_GLOBAL_LOAD, 32, 31 * 4 + 1, 32},
        {"stride:n=1000,block=1000", GMSIM_GLOBAL_LOAD, 32, 31 * 4 + 1, 32},
        {"stride:n=1000,block=64,grid=2", GMSIM_GLOBAL_LOAD, 32, 31 * 4 + 1, 32},
        {"stride:n=1000,block=64,grid=2,passes=3", GMSIM_GLOBAL_LOAD, 96, 3 * 125, 96},
        /* Blocks of 48 are a warp and a half: 2 requests, 4 + 2 sectors, 20 blocks; 40 are left
         * over: 32 and 8. Blocks begin 192 bytes apart: at a line's start or its middle. */
        {"stride:n=1000,block=48", GMSIM_GLOBAL_LOAD, 42, 20 * 6 + 4 + 1, 0},
        {"stride:n=64K,op=store", GMSIM_GLOBAL_STORE, 2 * K, 4 * 2 * K, 2 * K},
        {"stride:n=64K,op=store", GMSIM_GLOBAL_LOAD, 0, 0, 0},
        {"stride:n=64K,op=copy,stride=2", GMSIM_GLOBAL_LOAD, 2 * K, 8 * 2 * K, 2 * 2 * K},
        {"stride:n=64K,op=copy,stride=2", GMSIM_GLOBAL_STORE, 2 * K, 8 * 2 * K, 2 * 2 * K},
        {"stride:n=64K,op=atomic,bytes=8", GMSIM_GLOBAL_ATOMIC, 2 * K, 8 * 2 * K, 2 * 2 * K},
        {"stride:n=64K,op=red", GMSIM_GLOBAL_REDUCTION, 2 * K, 4 * 2 * K, 2 * K},
    };
    check(cases, G_N_ELEMENTS(cases));
}

static void test_random(void)
{
    static const expectation cases[] = {
        /* One element, so one sector whatever is chosen. */
        {"random:n=64K,footprint=4", GMSIM_GLOBAL_LOAD, 2 * K, 2 * K, 2 * K},
        {"random:n=1000,footprint=32,op=store", GMSIM_GLOBAL_STORE, 32, 32, 32},
        {"random:n=1000,footprint=4,passes=5,grid=1", GMSIM_GLOBAL_LOAD, 160, 160, 160},
    };
    check(cases, G_N_ELEMENTS(cases));

    /* 64 sectors: the mean number of different ones among 32 is 64 * (1 - (63/64)^32) = 25.33; the
     * mean of 2048 such numbers lies within 0.2 of that (4 standard deviations are 0.17). */
    gmtrace_reader *reader = open_spec("random:n=64K,footprint=2K,seed=7");
    gmsim_model *model = new_model();
    const gmsim_counts *counts = &run(model, reader)->row[GMSIM_GLOBAL_LOAD];
    g_assert_cmpuint(counts->tags, >, 0);
    g_assert_cmpfloat_with_epsilon((double)counts->sectors / (double)counts->requests, 25.33, 0.2);
    gmsim_model_free(model);
    gmtrace_close(reader);
}

static void test_chase(void)
{
    static const expectation cases[] = {
        /* 64K / 128 nodes, visited twice by one lane. */
        {"chase:footprint=64K", GMSIM_GLOBAL_LOAD, 2 * 512, 2 * 512, 2 * 512},
        {"chase:footprint=64K,order=linear,laps=3", GMSIM_GLOBAL_LOAD, 3 * 512, 3 * 512, 3 * 512},
        /* 32 lanes at 32 different nodes, each in a line of its own. */
        {"chase:footprint=64K,block=32,laps=1", GMSIM_GLOBAL_LOAD, 512, 32 * 512, 32 * 512},
    };
    check(cases, G_N_ELEMENTS(cases));

    /* L1 holds it: the first lap misses, the second hits. */
    gmtrace_reader *reader = open_spec("chase:footprint=64K");
    gmsim_model *model = new_model();
    const gmsim_counts *counts = &run(model, reader)->row[GMSIM_GLOBAL_LOAD];
    g_assert_cmpuint(counts->l1_hit_sectors, ==, 512);
    g_assert_cmpuint(counts->l1_miss_sectors, ==, 512);
    gmsim_model_free(model);
    gmtrace_close(reader);
}

/* The list must lead through every node once a lap. */
static void test_chase_order(void)
{
    gmtrace_reader *reader = open_spec("chase:footprint=32K,laps=3,seed=5");
    const uint64_t base = gmtrace_get_launch(reader, 0)->allocation[0].base;
    uint8_t visits[256] = {0};
    unsigned rising = 0;
    uint64_t last = 0;
    for (uint64_t c = 0; c < gmtrace_chunk_count(reader); c++) {
        gmtrace_error error;
        const gmtrace_chunk *chunk = gmtrace_chunk_read(reader, c, &error);
        g_assert_nonnull(chunk);
        for (uint32_t i = 0; i < chunk->record_count; i++) {
            const uint64_t at = chunk->record[i].address - base;
            g_assert_cmpuint(at % 128, ==, 0);
            g_assert_cmpuint(at / 128, <, 256);
            visits[at / 128]++;
            rising += at == last + 128;
            last = at;
        }
        gmtrace_chunk_release(reader, chunk);
    }
    for (unsigned i = 0; i < 256; i++)
        g_assert_cmpuint(visits[i], ==, 3);
    g_assert_cmpuint(rising, <, 3 * 32); /* in no order that a prefetcher would see */
    gmtrace_close(reader);
}

static void test_banks(void)
{
    /* 8 warps, 16 rounds: 128 requests. Words s apart share a bank every 32 / gcd(s, 32) lanes. */
    static const expectation cases[] = {
        {"banks:block=256,rounds=16", GMSIM_SHARED_LOAD, 128, 128, 0},
        {"banks:block=256,rounds=16,stride=0", GMSIM_SHARED_LOAD, 128, 128, 0},
        {"banks:block=256,rounds=16,stride=2", GMSIM_SHARED_LOAD, 128, 2 * 128, 0},
        {"banks:block=256,rounds=16,stride=3", GMSIM_SHARED_LOAD, 128, 128, 0},
        {"banks:block=256,rounds=16,stride=4", GMSIM_SHARED_LOAD, 128, 4 * 128, 0},
        {"banks:block=256,rounds=16,stride=8", GMSIM_SHARED_LOAD, 128, 8 * 128, 0},
        {"banks:block=256,rounds=16,stride=12", GMSIM_SHARED_LOAD, 128, 4 * 128, 0},
        {"banks:block=256,rounds=16,stride=16", GMSIM_SHARED_LOAD, 128, 16 * 128, 0},
        {"banks:block=256,rounds=16,stride=32", GMSIM_SHARED_LOAD, 128, 32 * 128, 0},
        {"banks:block=256,rounds=16,stride=33", GMSIM_SHARED_LOAD, 128, 128, 0},
        {"banks:block=256,rounds=16,stride=32,op=store", GMSIM_SHARED_STORE, 128, 32 * 128, 0},
        {"banks:block=256,rounds=16,stride=1,offset=5", GMSIM_SHARED_LOAD, 128, 128, 0},
        {"banks:block=256,rounds=16,op=atomic", GMSIM_SHARED_ATOMIC, 128, 128, 0},
        /* Four lanes a word. */
        {"banks:block=256,rounds=16,bytes=1", GMSIM_SHARED_LOAD, 128, 128, 0},
        /* 256 and 512 bytes need 2 and 4 passes of 128. */
        {"banks:block=256,rounds=16,bytes=8", GMSIM_SHARED_LOAD, 128, 2 * 128, 0},
        {"banks:block=256,rounds=16,bytes=16", GMSIM_SHARED_LOAD, 128, 4 * 128, 0},
        /* Half a warp a pass, its 16 lanes 16 bytes apart: lanes 8 apart share banks. */
        {"banks:block=256,rounds=16,bytes=8,stride=2", GMSIM_SHARED_LOAD, 128, 4 * 128, 0},
        /* 40 threads are two warps, of which the second has 8 lanes on 8 banks. */
        {"banks:block=40,rounds=16,stride=4", GMSIM_SHARED_LOAD, 32, 16 * (4 + 1), 0},
    };
    check(cases, G_N_ELEMENTS(cases));
}

static void test_transpose(void)
{
    /* n * n / 32 requests of each kind: 8K of 512. */
    static const expectation cases[] = {
        {"transpose:n=512", GMSIM_GLOBAL_LOAD, 8 * K, 4 * 8 * K, 8 * K},
        {"transpose:n=512", GMSIM_GLOBAL_STORE, 8 * K, 4 * 8 * K, 8 * K},
        {"transpose:n=512", GMSIM_SHARED_STORE, 8 * K, 8 * K, 0},
        /* A column of a tile 32 words wide: one bank. */
        {"transpose:n=512", GMSIM_SHARED_LOAD, 8 * K, 32 * 8 * K, 0},
        {"transpose:n=512,tile=32,pad=1", GMSIM_SHARED_LOAD, 8 * K, 8 * K, 0},
        {"transpose:n=512,pad=1", GMSIM_SHARED_STORE, 8 * K, 8 * K, 0},
        {"transpose:n=512,pad=2", GMSIM_SHARED_LOAD, 8 * K, 2 * 8 * K, 0},
        {"transpose:n=512,swizzle=xor", GMSIM_SHARED_LOAD, 8 * K, 8 * K, 0},
        {"transpose:n=512,swizzle=xor", GMSIM_SHARED_STORE, 8 * K, 8 * K, 0},
        {"transpose:n=512,rows=32", GMSIM_SHARED_LOAD, 8 * K, 32 * 8 * K, 0},
        /* Two columns of a tile 16 words wide: rows x and x + 2 share banks, 8 words in each. */
        {"transpose:n=512,tile=16,rows=16", GMSIM_SHARED_LOAD, 8 * K, 8 * 8 * K, 0},
        /* 17 wide: word 17 x + y for x to 15 and y to 1; (15, 1) is word 256, in bank 0 as (0, 0).
         */
        {"transpose:n=512,tile=16,rows=16,pad=1", GMSIM_SHARED_LOAD, 8 * K, 2 * 8 * K, 0},
        /* Two rows of 64 bytes. */
        {"transpose:n=512,tile=16,rows=16", GMSIM_GLOBAL_LOAD, 8 * K, 4 * 8 * K, 2 * 8 * K},
        {"transpose:n=512,via=global", GMSIM_GLOBAL_STORE, 8 * K, 32 * 8 * K, 32 * 8 * K},
        {"transpose:n=512,via=global", GMSIM_SHARED_LOAD, 0, 0, 0},
        {"transpose:n=512,bytes=8", GMSIM_GLOBAL_LOAD, 8 * K, 8 * 8 * K, 2 * 8 * K},
        /* 100 rows of 3 full warps and one of 4 lanes. Rows are 400 bytes apart: odd ones begin in
         * the middle of a sector, where a full warp touches 5, an even one 4; 4 lanes touch 1. */
        {"transpose:n=100", GMSIM_GLOBAL_LOAD, 400, 50 * (3 * 4 + 1) + 50 * (3 * 5 + 1), 0},
        {"transpose:n=100", GMSIM_GLOBAL_STORE, 400, 50 * (3 * 4 + 1) + 50 * (3 * 5 + 1), 0},
        /* In shared memory all 16 tiles are whole. */
        {"transpose:n=100,pad=1", GMSIM_SHARED_LOAD, 16 * 32, 16 * 32, 0},
        /* 24 lanes fill rows of 96 bytes; 12 x 12 tiles of 24 rows, 8 of them in 6 warps. */
        {"transpose:n=288,tile=24,rows=8", GMSIM_GLOBAL_LOAD, 144 * 3 * 6, 144 * 24 * 3, 0},
    };
    check(cases, G_N_ELEMENTS(cases));
}

static void test_matmul(void)
{
    /* 8 x 8 CTAs of 8 warps go through 8 tiles of 16. */
    static const expectation cases[] = {
        /* A tile of A and one of B: two rows of 64 bytes a warp. */
        {"tiled-matmul:n=128", GMSIM_GLOBAL_LOAD, 512 * 8 * 2, 4 * 512 * 8 * 2, 0},
        {"tiled-matmul:n=128", GMSIM_GLOBAL_STORE, 512, 4 * 512, 0},
        {"tiled-matmul:n=128", GMSIM_SHARED_STORE, 512 * 8 * 2, 512 * 8 * 2, 0},
        /* 16 words of B; 4 times 4 words of A, in two rows. */
        {"tiled-matmul:n=128", GMSIM_SHARED_LOAD, 512 * 8 * 20, 512 * 8 * (16 + 4 * 2), 0},
        /* 4 x 4 CTAs of 32 warps, 4 tiles of 32. All lanes need the same words of A; a 16-byte load
         * takes two passes, of half a warp each, all the same. */
        {"tiled-matmul:n=128,tile=32", GMSIM_GLOBAL_LOAD, 512 * 4 * 2, 4 * 512 * 4 * 2, 0},
        {"tiled-matmul:n=128,tile=32", GMSIM_SHARED_LOAD, 512 * 4 * 40, 512 * 4 * (32 + 8 * 2), 0},
        /* Rows of 33 words: A word by word. */
        {"tiled-matmul:n=128,tile=32,pad=1", GMSIM_SHARED_LOAD, 512 * 4 * 64, 512 * 4 * 64, 0},
    };
    check(cases, G_N_ELEMENTS(cases));
    /* 9 x 9 CTAs of 121 threads, so 4 warps; 9 tiles, 11 pairs. */
    gmtrace_reader *reader = open_spec("tiled-matmul:n=99,tile=11");
    gmsim_model *model = new_model();
    const gmsim_result *result = run(model, reader);
    g_assert_cmpuint(result->row[GMSIM_GLOBAL_STORE].instructions, ==, 81 * 4);
    g_assert_cmpuint(result->row[GMSIM_GLOBAL_STORE].threads, ==, 99 * 99);
    g_assert_cmpuint(result->row[GMSIM_SHARED_LOAD].instructions, ==, 81 * 4 * 9 * 22);
    g_assert_cmpuint(result->barriers, ==, 81 * 4 * 9 * 2);
    gmsim_model_free(model);
    gmtrace_close(reader);
}

static void test_stencil(void)
{
    static const expectation cases[] = {
        /* 254 rows of 8 warps. Centre, above, below: 4 sectors each. To the left: the first warp
         * begins at column 0 and touches 4, the others 5; to the right the last one. */
        {"stencil:n=256", GMSIM_GLOBAL_LOAD, 254 * 8 * 5, 254 * (3 * 32 + 2 * (4 + 7 * 5)), 0},
        {"stencil:n=256", GMSIM_GLOBAL_STORE, 254 * 8, 254 * 32, 254 * 8},
        /* The same along one axis. */
        {"stencil:n=1K,dims=1", GMSIM_GLOBAL_LOAD, 32 * 3, 32 * 4 + 2 * (4 + 31 * 5), 0},
        {"stencil:n=1K,dims=1,radius=3", GMSIM_GLOBAL_LOAD, 32 * 7, 32 * 4 + 6 * (4 + 31 * 5), 0},
        /* 30 x 30 rows of 30 points that begin at column 1; 31 lies in the fourth sector, too. */
        {"stencil:n=32,dims=3", GMSIM_GLOBAL_LOAD, 900 * 7, 900 * 7 * 4, 900 * 7},
        {"stencil:n=32,dims=3", GMSIM_GLOBAL_STORE, 900, 900 * 4, 900},
    };
    check(cases, G_N_ELEMENTS(cases));
}

/* ------------------------------------------------------------------------------ launch and code */

/* One warp's way through the code. */
static void walk(gmtrace_reader *reader, gmtrace_paths *paths, uint64_t cta, uint32_t w,
                 uint32_t live)
{
    gmtrace_error error;
    gmtrace_path_warp warp;
    gmtrace_cursor cursor;
    gmtrace_path_enter(paths, &warp, live);
    g_assert_true(gmtrace_cursor_open(reader, &cursor, cta, w, &error));
    while (cursor.next < cursor.end || gmtrace_cursor_refill(reader, &cursor, &error))
        gmtrace_path_step(paths, &warp, cursor.next++);
    gmtrace_cursor_close(reader, &cursor);
    gmtrace_path_end(paths, &warp);
}

/* Each load of a chase waits for the one before: the code's control bits are followed. */
static void test_latency(void)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    gmsim_gpu_load(&gpu, "h200", &error);
    g_assert_no_error(error);
    const struct {
        const char *spec;
        uint64_t least;
    } cases[] = {
        {"chase:footprint=64K,laps=3",
         512 * (uint64_t)gpu.dram_latency + 2 * 512 * (uint64_t)gpu.l1_latency},
        {"chase:footprint=16M,stride=16K,laps=1", 1024 * (uint64_t)gpu.dram_latency},
    };
    gmsim_model *model = new_model();
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmtrace_reader *reader = open_spec(cases[i].spec);
        const gmsim_result *result = run(model, reader);
        g_assert_true(result->timed);
        g_assert_cmpuint(result->timing.cycles, >=, cases[i].least);
        g_assert_cmpuint(result->timing.cycles, <, 3 * cases[i].least);
        gmtrace_close(reader);
    }
    gmsim_model_free(model);
}

/* 6 instructions before the loop, 5 in it, 2 after it, in each of 8 warps. */
static void test_executed(void)
{
    gmtrace_reader *reader = open_spec("banks:block=256,rounds=100");
    gmtrace_paths *paths = gmtrace_paths_create(gmtrace_get_kernel(reader, 0), 1);
    gmtrace_error error;
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    for (uint32_t w = 0; w < 8; w++)
        walk(reader, paths, 0, w, UINT32_MAX);
    g_assert_cmpuint(gmtrace_path_get_counts(paths).instructions, ==, 8 * (6 + 5 * 100 + 2));
    gmtrace_paths_free(paths);
    gmtrace_close(reader);
}

static void test_launch(void)
{
    gmtrace_reader *reader = open_spec("banks:stride=2,block=96,grid=7,registers=40,shared=1K,"
                                       "launches=3");
    const gmtrace_launch *launch = gmtrace_get_launch(reader, 2);
    const gmtrace_kernel *kernel = gmtrace_get_kernel(reader, launch->kernel);
    g_assert_cmpuint(gmtrace_launch_count(reader), ==, 3);
    g_assert_cmpuint(gmtrace_kernel_count(reader), ==, 1);
    g_assert_cmpuint(launch->block[0], ==, 96);
    g_assert_cmpuint(launch->grid[0], ==, 7);
    g_assert_cmpuint(launch->ordinal, ==, 2);
    g_assert_cmpuint(launch->dynamic_shared, ==, 1024);
    g_assert_cmpuint(launch->warps, ==, 21);
    g_assert_cmpuint(launch->records, ==, 21 * 1024);
    g_assert_cmpuint(kernel->registers, ==, 40);
    g_assert_cmpuint(kernel->static_shared, ==, 31 * 8 + 4);
    g_assert_cmpstr(kernel->name, ==, "banks");
    gmtrace_close(reader);

    /* Two tiles of 32 x 64 doubles leave no room for static shared memory. */
    reader = open_spec("tiled-matmul:n=64,tile=32,pad=32,bytes=8");
    launch = gmtrace_get_launch(reader, 0);
    g_assert_cmpuint(launch->dynamic_shared, ==, 0);
    g_assert_cmpuint(gmtrace_get_kernel(reader, 0)->static_shared, ==, 2 * 32 * 64 * 8);
    gmtrace_close(reader);
    reader = open_spec("transpose:n=64,tile=64,rows=16,bytes=16,pad=1");
    g_assert_cmpuint(gmtrace_get_launch(reader, 0)->dynamic_shared, ==, 64 * 65 * 16);
    g_assert_cmpuint(gmtrace_get_kernel(reader, 0)->static_shared, ==, 0);
    gmtrace_close(reader);
}

/* Not here: several passes that each go round several times. Of a loop within a loop, records alone
 * do not tell where the outer one turned; it is taken not to have. */
static const char *const every[] = {
    "stride:n=9999",
    "stride:n=9999,grid=3,offset=3,bytes=16",
    "stride:n=9999,passes=2,offset=3,bytes=16",
    "stride:n=9999,op=copy,bytes=2",
    "stride:n=9999,op=store,bytes=8,grid=2",
    "stride:n=9999,op=atomic,passes=4",
    "stride:n=9999,op=red,bytes=8",
    "random:n=9999",
    "random:n=9999,op=atomic,grid=2",
    "chase:footprint=8K",
    "chase:footprint=8K,block=33,grid=3,order=linear",
    "banks:rounds=9,grid=2",
    "banks:rounds=9,op=store,bytes=16",
    "banks:rounds=9,op=atomic,stride=7",
    "transpose:n=96",
    "transpose:n=100,pad=1",
    "transpose:n=96,swizzle=xor,bytes=16",
    "transpose:n=70,via=global",
    "transpose:n=70,tile=10,rows=2,bytes=1",
    "transpose:n=70,tile=64,rows=4,bytes=16",
    "tiled-matmul:n=64",
    "tiled-matmul:n=64,tile=32,bytes=8,pad=1",
    "tiled-matmul:n=20,tile=5",
    "stencil:n=40",
    "stencil:n=40,dims=1,radius=8,bytes=8",
    "stencil:n=40,dims=3,radius=2,block=64",
};

/* Whole files; every record belongs to an instruction of its kind; and between the records the code
 * leads on without doubt. */
static void test_every(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(every); i++) {
        gmtrace_error error;
        gmtrace_reader *reader = open_spec(every[i]);
        const gmtrace_kernel *kernel = gmtrace_get_kernel(reader, 0);
        g_assert_null(gmtrace_damage(reader));
        g_assert_true(gmtrace_verify(reader, &error));
        for (uint32_t k = 0; k < kernel->instr_count; k++) /* SR: special registers */
            if (!strstr(kernel->instr[k].operands, "SR"))
                g_assert_cmpuint(kernel->instr[k].op_class, !=, GMTRACE_CLASS_OTHER);
        for (uint64_t c = 0; c < gmtrace_chunk_count(reader); c++) {
            const gmtrace_chunk *chunk = gmtrace_chunk_read(reader, c, &error);
            g_assert_nonnull(chunk);
            for (uint32_t r = 0; r < chunk->record_count; r++) {
                const gmtrace_record *record = &chunk->record[r];
                const gmtrace_instr *instr = &kernel->instr[record->instr];
                if (record->kind == GMTRACE_BARRIER) {
                    g_assert_cmpuint(instr->op_class, ==, GMTRACE_CLASS_BARRIER);
                    continue;
                }
                g_assert_cmpuint(record->size, ==, instr->width);
                g_assert_cmpuint(record->space, ==, instr->space);
            }
            gmtrace_chunk_release(reader, chunk);
        }
        gmtrace_paths *paths = gmtrace_paths_create(kernel, GMTRACE_DETAIL_MEMORY);
        const gmtrace_launch *launch = gmtrace_get_launch(reader, 0);
        const uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
        const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
        g_assert_true(gmtrace_select_launch(reader, 0, &error));
        for (uint64_t cta = 0; cta < ctas; cta++)
            for (uint32_t w = 0; w * 32 < threads; w++) {
                const uint32_t left = threads - w * 32;
                walk(reader, paths, cta, w, left >= 32 ? UINT32_MAX : (1u << left) - 1);
            }
        const gmtrace_path_counts counts = gmtrace_path_get_counts(paths);
        if (gmtrace_paths_failed(paths) || counts.ambiguous || counts.estimated || counts.lost)
            g_error("%s: %u ways in doubt, %u lost", every[i],
                    (unsigned)(counts.ambiguous + counts.estimated), (unsigned)counts.lost);
        g_assert_cmpuint(counts.steps, ==, launch->records);
        gmtrace_paths_free(paths);
        gmtrace_close(reader);
    }
}

/* --------------------------------------------------------------------------------------- errors */

static void test_errors(void)
{
    static const struct {
        const char *spec, *says;
    } cases[] = {
        {"", "no pattern is named; there are stride, random, chase, banks, transpose"},
        {"strid", "'strid' is no pattern; there are stride, random"},
        {"strid:n=1", "'strid' is no pattern"},
        {"stride:strde=2", "stride has no key 'strde'; it has n, bytes, stride, offset"},
        {"stride:n=1,", "stride has no key ''"},
        {"stride:n", "'n' lacks a value; write n=1M"},
        {"stride:n=", "n= is no number"},
        {"stride:n=-1", "n=-1 is no number"},
        {"stride:n=1KK", "n=1KK is no number"},
        {"stride:n=1.5M", "is no number"},
        {"stride:n=99999999999999999999999", "is no number"},
        {"stride:n=18446744073709551615G", "is no number"},
        {"stride:n=0", "n=0 is out of range, which is 1 to"},
        {"stride:n=1,n=2", "n is given twice"},
        {"stride:bytes=3", "bytes=3 is not one of 1|2|4|8|16"},
        {"stride:op=loa", "op=loa is not one of load|store"},
        {"stride:op=atomic,bytes=2", "of 4 or 8 bytes"},
        {"stride:block=1025", "out of range"},
        {"stride:n=4G,block=1", "more than 2147483647 CTAs"},
        {"stride:n=4G,stride=1M,block=1024", "more than 8 TiB"},
        {"stride:registers=2", "registers=2 is too few; the code uses"},
        {"stride:shared=228K", "out of range"},
        {"random:footprint=2", "smaller than one element"},
        {"chase:stride=12", "multiple of a pointer's 8 bytes"},
        {"chase:footprint=1G,stride=8", "134217728 nodes; 1 to 16777216 are possible"},
        {"chase:footprint=64,stride=128", "0 nodes"},
        {"banks:stride=8K", "shared memory; 232448 is the most"},
        {"banks:op=atomic,bytes=8", "of 4 bytes"},
        {"transpose:rows=5", "rows=5 must divide tile=32"},
        {"transpose:tile=64,rows=32", "more than 1024 threads"},
        {"transpose:tile=24,swizzle=xor", "power of two"},
        {"tiled-matmul:n=100", "n=100 is no multiple of tile=16"},
        {"stencil:n=16,radius=8", "leaves no points inside radius=8"},
        {"stencil:block=100", "multiple of 32"},
        {"stencil:n=4G", "more than a grid can have"},
        {"stride:\033[31m=1", "has no key '?[31m'"},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmtrace_error error;
        g_assert_null(gmtrace_synthetic_open(cases[i].spec, &error));
        g_assert_cmpuint(error.status, ==, GMTRACE_USAGE);
        if (!strstr(error.text, cases[i].says))
            g_error("'%s': '%s' does not say '%s'", cases[i].spec, error.text, cases[i].says);
        g_assert_null(strchr(error.text, '\n'));
    }
    char *name = g_strnfill(5000, 'x'), *long_key = g_strdup_printf("stride:%s=1", name);
    gmtrace_error error;
    g_assert_null(gmtrace_synthetic_open(long_key, &error));
    g_assert_nonnull(strstr(error.text, "xxx...'; it has n, bytes"));
    g_free(long_key);
    g_free(name);
}

static void test_help(void)
{
    char *all = gmtrace_synthetic_help(NULL), *one = gmtrace_synthetic_help("banks");
    g_assert_nonnull(strstr(all, "\nstride: "));
    g_assert_nonnull(strstr(all, "\nstencil: "));
    g_assert_nonnull(strstr(all, one));
    g_assert_true(g_str_has_prefix(one, "banks: "));
    g_assert_nonnull(strstr(one, "  rounds=1K "));
    g_assert_null(gmtrace_synthetic_help("bank"));
    free(all);
    free(one);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/synthetic/stride", test_stride);
    g_test_add_func("/synthetic/random", test_random);
    g_test_add_func("/synthetic/chase", test_chase);
    g_test_add_func("/synthetic/chase/order", test_chase_order);
    g_test_add_func("/synthetic/banks", test_banks);
    g_test_add_func("/synthetic/transpose", test_transpose);
    g_test_add_func("/synthetic/tiled-matmul", test_matmul);
    g_test_add_func("/synthetic/stencil", test_stencil);
    g_test_add_func("/synthetic/launch", test_launch);
    g_test_add_func("/synthetic/latency", test_latency);
    g_test_add_func("/synthetic/executed", test_executed);
    g_test_add_func("/synthetic/every", test_every);
    g_test_add_func("/synthetic/errors", test_errors);
    g_test_add_func("/synthetic/help", test_help);
    return g_test_run();
}
