/* SPDX-License-Identifier: MIT
 *
 * replay_bench.c - a small trace is written, then a model replays it.
 */
#include "tests/support/replay_bench.h"

#include <glib/gstdio.h>
#include <string.h>

void bench_begin(bench *b)
{
    memset(b, 0, sizeof *b);
    b->folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    g_assert_nonnull(b->folder);
    b->path = g_build_filename(b->folder, "test.trc", NULL);
    gmtest_open(&b->trace, b->path);
}

void bench_open_of(bench *b, const char *name, const char *set, gmsim_options options)
{
    GError *error = NULL;
    gmtrace_error reason;
    gmsim_gpu gpu;
    gmsim_gpu_load(&gpu, name, &error);
    g_assert_no_error(error);
    if (set)
        g_assert_true(gmsim_gpu_set(&gpu, set, NULL));
    b->reader = gmtrace_open(b->path, &reason);
    g_assert_nonnull(b->reader);
    b->model = gmsim_model_new(&gpu, &options, &error);
    g_assert_no_error(error);
}

void bench_open(bench *b, gmsim_options options)
{
    bench_open_of(b, "h200", NULL, options);
}

void bench_close(bench *b)
{
    gmsim_model_free(b->model);
    gmtrace_close(b->reader);
    b->model = NULL;
    b->reader = NULL;
}

const gmsim_result *bench_run(bench *b)
{
    GError *error = NULL;
    gmtest_close(&b->trace);
    bench_open(b, (gmsim_options){.flush = true});
    const gmsim_result *result = gmsim_model_run(b->model, b->reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(result);
    return result;
}

void bench_end(bench *b)
{
    bench_close(b);
    g_unlink(b->path);
    g_rmdir(b->folder);
    g_free(b->path);
    g_free(b->folder);
}

void bench_expect_error(bench *b, uint32_t launch, gmsim_error_code code, const char *text)
{
    GError *error = NULL;
    g_assert_null(gmsim_model_run(b->model, b->reader, launch, NULL, NULL, &error));
    g_assert_error(error, GMSIM_ERROR, (int)code);
    g_assert_nonnull(strstr(error->message, text));
    g_error_free(error);
}

void bench_barrier(bench *b, uint64_t cta, uint32_t warp, uint32_t mask, uint64_t number,
                   uint32_t threads)
{
    gmtrace_record record = gmtest_record(GMTEST_BAR, mask);
    record.address = number;
    record.aux = threads;
    gmtest_append(&b->trace, cta, warp, &record, NULL);
}

void bench_load(bench *b, uint64_t cta, uint32_t warp, uint64_t address)
{
    gmtest_affine(&b->trace, cta, warp, GMTEST_LDG, ALL, address, 4);
}
