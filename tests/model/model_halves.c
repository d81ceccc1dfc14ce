/* SPDX-License-Identifier: MIT
 *
 * model_halves.c - what SMs do within a step does not depend on one another: run the last first,
 * before any of what they ask for is answered, or on several threads, they give the same result as
 * one after the other, down to the worst request of each instruction. Launches that need every way
 * out of an SM: loads, stores and atomics that wait for one another, copies, small L1s full of
 * lines on their way, more writes than may be under way, answers that come before the step's end.
 */
#include "sim/model/model.h"
#include "tests/support/trace_builder.h"

#include <glib/gstdio.h>
#include <string.h>

#define BASE 0x7f0000000000u

static uint32_t state;

static uint32_t random_below(uint32_t bound)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
}

/* Everything that the report could show. */
static char *digest(const gmsim_result *result)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
#define ADD(x) g_checksum_update(sum, (const guchar *)&(x), sizeof(x))
    ADD(result->records);
    ADD(result->barriers);
    ADD(result->row);
    ADD(result->degree);
    ADD(result->l2);
    ADD(result->min_cycles);
    ADD(result->timing.cycles);
    ADD(result->timing.sm_active);
    ADD(result->timing.warp_active);
    ADD(result->timing.stall);
    ADD(result->timing.load_cycles);
    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_instr_counts *instr = &result->instr[i];
        ADD(instr->instr);
        ADD(instr->row);
        ADD(instr->counts);
        ADD(instr->worst.cta);
        ADD(instr->worst.warp);
        ADD(instr->worst.mask);
        ADD(instr->worst.work);
        ADD(instr->worst.address);
    }
#undef ADD
    char *text = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return text;
}

static char *replay(const char *path, const gmsim_gpu *gpu, bool apart, uint32_t threads,
                    bool functional, uint64_t *cycles)
{
    GError *error = NULL;
    gmtrace_error reason;
    gmtrace_reader *reader = gmtrace_open(path, &reason);
    g_assert_nonnull(reader);
    gmsim_model *model = gmsim_model_new(
        gpu,
        &(gmsim_options){
            .flush = true, .apart = apart, .threads = threads, .functional = functional},
        &error);
    g_assert_no_error(error);
    const gmsim_result *result = gmsim_model_run(model, reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    char *text = digest(result);
    *cycles = result->timing.cycles;
    gmsim_model_free(model);
    gmtrace_close(reader);
    return text;
}

/* Same result in both orders, on the H200 and where the numbers are unkind. */
static void both_orders(const char *path, bool random)
{
    static const char *const change[][4] = {
        {NULL},
        {"l1.max_cache=16K", "l1.writes=64", NULL},
        {"l2.latency=2", "l2.far_latency=2", "l2.spread=1", NULL},
    };
    uint64_t kind = 0, unkind = 0;
    for (uint32_t i = 0; i < G_N_ELEMENTS(change); i++)
        for (uint32_t functional = 0; functional < 2u; functional++) {
            GError *error = NULL;
            gmsim_gpu gpu;
            gmsim_gpu_load(&gpu, "h200", &error);
            g_assert_no_error(error);
            gmsim_gpu_set_all(&gpu, (char *const *)(gpointer)change[i], &error);
            g_assert_no_error(error);
            g_autofree char *together = replay(path, &gpu, false, 1, functional, &unkind);
            g_autofree char *apart = replay(path, &gpu, true, 1, functional, &unkind);
            g_assert_cmpstr(together, ==, apart);
            for (uint32_t threads = 2; threads <= 5u; threads += 3u) {
                g_autofree char *shared = replay(path, &gpu, false, threads, functional, &unkind);
                g_assert_cmpstr(together, ==, shared);
            }
            if (i == 0 && !functional)
                kind = unkind;
            else if (random && !functional)
                g_assert_cmpuint(unkind, !=, kind); /* the change makes a difference */
        }
}

static void test_sample(gconstpointer name)
{
    g_autofree char *path =
        g_build_filename(g_getenv("GMSIM_SRCDIR"), "traces", "samples", name, NULL);
    both_orders(path, false);
}

/* Loads, stores, atomics and reductions at random, all SMs on the same lines, with barriers. */
static void test_random(void)
{
    enum { CTAS = 150, WARPS = 8, STEPS = 40 };
    static const uint32_t instr[] = {GMTEST_LDG, GMTEST_LDG, GMTEST_STG,   GMTEST_STG,
                                     GMTEST_LDS, GMTEST_RED, GMTEST_ATOMG, GMTEST_LDL};
    char *folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "test.trc", NULL);
    gmtest_trace trace;
    uint64_t address[GMTRACE_WARP_LANES];
    state = 1;
    gmtest_open(&trace, path);
    gmtest_launch(&trace, CTAS, WARPS * 32u);
    for (uint64_t cta = 0; cta < CTAS; cta++)
        for (uint32_t warp = 0; warp < WARPS; warp++)
            for (uint32_t step = 0; step < STEPS; step++) {
                uint32_t what = instr[random_below(G_N_ELEMENTS(instr))];
                for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
                    address[lane] = what == GMTEST_LDS ? random_below(4096) * 4u
                                    : what == GMTEST_LDL
                                        ? random_below(64) * 4u
                                        : BASE + random_below(step % 4u ? 1u << 18 : 64u) * 4u;
                gmtest_lanes(&trace, cta, warp, what, UINT32_MAX, address);
                if (step % 10u == 9u)
                    gmtest_barrier(&trace, cta, warp);
            }
    gmtest_close(&trace);
    both_orders(path, true);
    g_unlink(path);
    g_rmdir(folder);
    g_free(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/halves/random", test_random);
    g_test_add_data_func("/halves/copies", "tile_cp_async4.trc", test_sample);
    g_test_add_data_func("/halves/atomics", "histogram_global.trc", test_sample);
    g_test_add_data_func("/halves/stores", "column_write_plain.trc", test_sample);
    g_test_add_data_func("/halves/shared-lines", "spmv_csr_vector.trc", test_sample);
    return g_test_run();
}
