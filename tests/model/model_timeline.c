/* SPDX-License-Identifier: MIT
 *
 * model_timeline.c - a timeline is what the launch counted, spread over its time: its stretches add
 * up to the result, the result is the same with and without it, CTAs are on their SMs one after the
 * other; and what does not fit is left out as timeline.h says.
 */
#include "sim/model/timeline.h"

#include "sim/model/time/recorder.h"

#include <string.h>

typedef struct run {
    gmtrace_reader *reader;
    gmsim_model *model;
    gmsim_gpu gpu;
    const gmsim_result *result;
} run;

static void begin(run *r, const char *sample, bool timeline, gmsim_caches caches)
{
    g_autofree char *path =
        g_build_filename(g_getenv("GMSIM_SRCDIR"), "traces", "samples", sample, NULL);
    const gmsim_options options = {.timeline = timeline, .caches = caches};
    GError *error = NULL;
    gmtrace_error reason;

    gmsim_gpu_load(&r->gpu, "h200", &error);
    g_assert_no_error(error);
    r->reader = gmtrace_open(path, &reason);
    g_assert_nonnull(r->reader);
    r->model = gmsim_model_new(&r->gpu, &options, &error);
    g_assert_no_error(error);
    r->result = gmsim_model_run(r->model, r->reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
}

static void end(run *r)
{
    gmsim_model_free(r->model);
    gmtrace_close(r->reader);
}

static uint64_t flow(const gmsim_timeline *t, gmsim_flow flow)
{
    uint64_t sum = 0;

    for (uint32_t b = 0; b < GMSIM_TIMELINE_BINS; b++)
        sum += t->bin[b].flow[flow];
    return sum;
}

static uint64_t stall(const gmsim_timeline *t, unsigned stall)
{
    uint64_t sum = 0;

    for (uint32_t b = 0; b < GMSIM_TIMELINE_BINS; b++)
        sum += t->bin[b].stall[stall];
    return sum;
}

static void sums(const gmsim_result *r)
{
    const gmsim_timeline *t = r->timeline;
    uint64_t hit = 0, miss = 0, all = 0;

    g_assert_nonnull(t);
    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        hit += r->row[i].l1_hit_sectors;
        miss += r->row[i].l1_miss_sectors;
    }
    g_assert_cmpuint(flow(t, GMSIM_FLOW_L1_HIT), ==, hit);
    g_assert_cmpuint(flow(t, GMSIM_FLOW_L1_MISS), ==, miss);
    g_assert_cmpuint(flow(t, GMSIM_FLOW_L2_READ), ==, r->l2.read_sectors);
    g_assert_cmpuint(flow(t, GMSIM_FLOW_L2_HIT), ==,
                     r->l2.read_hit_sectors + r->l2.fabric_read_hit_sectors);
    g_assert_cmpuint(flow(t, GMSIM_FLOW_L2_WRITTEN), ==, r->l2.write_sectors);
    g_assert_cmpuint(flow(t, GMSIM_FLOW_L2_UPDATED), ==,
                     r->l2.atomic_sectors + r->l2.reduction_sectors);
    g_assert_cmpuint(flow(t, GMSIM_FLOW_DRAM_READ), ==, r->l2.dram_read_sectors);
    g_assert_cmpuint(flow(t, GMSIM_FLOW_DRAM_WRITTEN), ==, r->l2.dram_write_sectors);
    for (unsigned i = GMSIM_STALL_ISSUE + 1; i < GMSIM_STALLS; i++)
        g_assert_cmpuint(stall(t, i), ==, r->timing.stall[i]);
    for (unsigned i = 0; i < GMSIM_STALLS; i++)
        all += stall(t, i);
    g_assert_cmpuint(all, >=, r->timing.warp_active);
    g_assert_cmpuint(all - r->timing.warp_active, <=, r->timing.warp_active / 1000);
    g_assert_cmpuint((uint64_t)t->bins * t->bin_clocks, >=,
                     r->timing.cycles - r->timing.launch_cycles - t->bin_clocks);
}

static int by_place(const void *left, const void *right)
{
    const gmsim_resident *a = left, *b = right;

    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Every CTA once, in its place when the one before has left it. */
static void residents(const gmsim_result *r)
{
    const gmsim_timeline *t = r->timeline;
    const uint64_t ctas = (uint64_t)r->launch->grid[0] * r->launch->grid[1] * r->launch->grid[2];
    gmsim_resident *sorted = g_new(gmsim_resident, t->residents);
    uint8_t *seen = g_malloc0(ctas);

    memcpy(sorted, t->resident, t->residents * sizeof *sorted);
    g_assert_cmpuint(t->residents, ==, ctas);
    g_assert_cmpuint(t->sm_step, ==, 1);
    g_assert_cmpuint(t->lost, ==, 0);
    qsort(sorted, t->residents, sizeof *sorted, by_place);
    for (uint32_t i = 0; i < t->residents; i++) {
        g_assert_cmpuint(sorted[i].cta, <, ctas);
        g_assert_cmpuint(seen[sorted[i].cta]++, ==, 0);
        g_assert_cmpuint(sorted[i].begin, <=, sorted[i].end);
        g_assert_cmpuint(sorted[i].end, <=, r->timing.cycles - r->timing.launch_cycles);
        if (i > 0 && sorted[i].sm == sorted[i - 1].sm && sorted[i].place == sorted[i - 1].place)
            g_assert_cmpuint(sorted[i].begin, >=, sorted[i - 1].end);
    }
    g_free(seen);
    g_free(sorted);
}

static void test_sample(gconstpointer sample)
{
    run with, without;

    begin(&with, sample, true, GMSIM_CACHES_COLD);
    begin(&without, sample, false, GMSIM_CACHES_COLD);
    sums(with.result);
    residents(with.result);
    g_assert_null(without.result->timeline);
    g_assert_true(
        memcmp(&with.result->timing, &without.result->timing, sizeof with.result->timing) == 0);
    g_assert_true(memcmp(&with.result->l2, &without.result->l2, sizeof with.result->l2) == 0);
    end(&with);
    end(&without);
}

/* The replay that warms the caches is not in it. */
static void test_warm(void)
{
    run r;

    begin(&r, "matmul_tiled16.trc", true, GMSIM_CACHES_WARM);
    sums(r.result);
    residents(r.result);
    end(&r);
}

/* ------------------------------------------------------------------------- what does not fit */

static void test_long_launch(void)
{
    gmsim_recorder *recorder = gmsim_recorder_new(2);
    const uint64_t far = UINT64_C(1) << 40;
    const gmsim_timeline *t = &recorder->timeline;

    gmsim_recorder_begin(recorder);
    gmsim_course_resident(&recorder->sm[0], 0, far);
    gmsim_course_wait(&recorder->sm[0], GMSIM_STALL_L2, 1000, far - 3000);
    gmsim_course_resident(&recorder->sm[1], 100, 200);
    gmsim_course_flow(&recorder->shared, GMSIM_FLOW_DRAM_READ, 5000, 7);
    gmsim_recorder_end(recorder);
    g_assert_cmpuint(t->bin_clocks, ==, far / GMSIM_TIMELINE_BINS);
    g_assert_cmpuint(t->bins, ==, GMSIM_TIMELINE_BINS);
    g_assert_cmpuint(stall(t, GMSIM_STALL_L2), ==, far - 3000);
    g_assert_cmpuint(stall(t, GMSIM_STALL_ISSUE), ==, 3000 + 200);
    g_assert_cmpuint(t->bin[0].stall[GMSIM_STALL_ISSUE], ==, 1000 + 200);
    g_assert_cmpuint(t->bin[0].flow[GMSIM_FLOW_DRAM_READ], ==, 7);
    gmsim_recorder_begin(recorder);
    gmsim_recorder_end(recorder);
    g_assert_cmpuint(t->bins, ==, 0);
    free(recorder);
}

/* A wait reaches into the stretches where it was, to the clock. */
static void test_edges(void)
{
    gmsim_recorder *recorder = gmsim_recorder_new(1);
    const gmsim_timeline *t = &recorder->timeline;

    gmsim_recorder_begin(recorder);
    gmsim_course_resident(&recorder->sm[0], 0, 400);
    gmsim_course_wait(&recorder->sm[0], GMSIM_STALL_L1, 100, 200);
    gmsim_course_wait(&recorder->sm[0], GMSIM_STALL_L1, 300, 0);
    gmsim_recorder_end(recorder);
    g_assert_cmpuint(t->bin_clocks, ==, 128);
    g_assert_cmpuint(t->bin[0].stall[GMSIM_STALL_L1], ==, 28);
    g_assert_cmpuint(t->bin[1].stall[GMSIM_STALL_L1], ==, 128);
    g_assert_cmpuint(t->bin[2].stall[GMSIM_STALL_L1], ==, 44);
    g_assert_cmpuint(t->bin[2].stall[GMSIM_STALL_ISSUE], ==, 84);
    g_assert_cmpuint(t->bin[3].stall[GMSIM_STALL_ISSUE], ==, 16);
    g_assert_cmpuint(t->bins, ==, 4);
    free(recorder);
}

static void test_many_ctas(void)
{
    gmsim_recorder *recorder = gmsim_recorder_new(132);
    const gmsim_timeline *t = &recorder->timeline;
    uint64_t cta = 0;

    gmsim_recorder_begin(recorder);
    for (uint32_t turn = 0; turn < 1000; turn++)
        for (uint32_t sm = 0; sm < 132; sm++, cta++)
            gmsim_recorder_cta(recorder, &(gmsim_resident){cta, turn, turn + 1, sm, 0});
    g_assert_cmpuint(t->sm_step, ==, 16); /* 9 SMs' 1,000; 17 SMs' are too many */
    g_assert_cmpuint(t->residents, ==, 9000);
    for (uint32_t i = 0; i < t->residents; i++)
        g_assert_cmpuint(t->resident[i].sm % 16, ==, 0);
    g_assert_cmpuint(t->lost, ==, 0);
    for (uint32_t turn = 0; turn < 100000; turn++)
        gmsim_recorder_cta(recorder, &(gmsim_resident){cta, turn, turn + 1, 0, 0});
    g_assert_cmpuint(t->sm_step, ==, 256);
    g_assert_cmpuint(t->residents, ==, GMSIM_TIMELINE_CTAS);
    g_assert_cmpuint(t->lost, ==, 101000 - GMSIM_TIMELINE_CTAS);
    free(recorder);
}

/* Warps wait no longer than they are there. In these launches younger CTAs get back what they
 * waited for older ones (share.c) before they begin. */
static void test_waits(gconstpointer data)
{
    run r;
    begin(&r, data, false, GMSIM_CACHES_COLD);
    const uint64_t most = r.result->timing.warp_active;
    for (unsigned i = 0; i < GMSIM_STALLS; i++)
        g_assert_cmpuint(r.result->timing.stall[i], <=, most);
    end(&r);
}

int main(int argc, char **argv)
{
    static const char *const samples[] = {"transpose_nopad.trc", "matmul_tiled16.trc",
                                          "tile_cp_async.trc",   "histogram_global.trc",
                                          "spill_heavy.trc",     "dot_naive.trc"};

    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(samples); i++) {
        g_autofree char *name = g_strdup_printf("/timeline/%s", samples[i]);

        g_test_add_data_func(name, samples[i], test_sample);
    }
    g_test_add_data_func("/waits/reduce_shuffle", "reduce_shuffle.trc", test_waits);
    g_test_add_data_func("/waits/spmv_csr_vector", "spmv_csr_vector.trc", test_waits);
    g_test_add_func("/timeline/warm", test_warm);
    g_test_add_func("/timeline/long-launch", test_long_launch);
    g_test_add_func("/timeline/edges", test_edges);
    g_test_add_func("/timeline/many-ctas", test_many_ctas);
    return g_test_run();
}
