/* SPDX-License-Identifier: MIT
 *
 * mbarriers.c - who waits for an mbarrier, or for its cluster, goes on when all have arrived, and
 * not before; a launch ends where nobody ever arrives.
 */
#include "tests/support/cycles.h"
#include "tests/support/trace_builder.h"

enum { INIT, ARRIVE, WAIT, LOAD, CLUSTER_ARRIVE, CLUSTER_WAIT, BARRIER, EXIT, INSTRS };

#define FULL  0x400u /* an mbarrier */
#define EMPTY 0x408u
#define DRAM  400 /* clocks; a load takes more */

/* What a warp does, in order. */
typedef struct deed {
    int what; /* -1: nothing more */
    uint32_t barrier;
} deed;

static gmtrace_record record_of(const deed *done, uint64_t warp)
{
    static const gmtrace_mbarrier action[] = {GMTRACE_MBARRIER_INIT, GMTRACE_MBARRIER_ARRIVE,
                                              GMTRACE_MBARRIER_WAIT};
    gmtrace_record record = {.instr = (uint32_t)done->what, .mask = 1};
    if (done->what == LOAD) {
        record.kind = GMTRACE_ACCESS;
        record.op = GMTRACE_OP_LOAD;
        record.space = GMTRACE_SPACE_GLOBAL;
        record.size = 4;
        record.address = 0x7f0000000000u + warp * 4096u;
    } else if (done->what <= WAIT) {
        record.kind = GMTRACE_MBARRIER;
        record.space = GMTRACE_SPACE_SHARED;
        record.address = done->barrier;
        record.aux = action[done->what];
    } else if (done->what == BARRIER) {
        record.kind = GMTRACE_BARRIER;
        record.mask = UINT32_MAX;
        record.aux = 64; /* threads */
    } else {
        record.kind = done->what == CLUSTER_ARRIVE ? GMTRACE_CLUSTER_ARRIVE : GMTRACE_CLUSTER_WAIT;
    }
    return record;
}

/* Clocks of `ctas` CTAs of so many warps; a row of `warps` is what one does. */
static double cycles(uint32_t ctas, uint32_t cta_warps, uint32_t cluster, const deed warps[][8])
{
    static const char *const opcode[INSTRS] = {"SYNCS.EXCH.64",
                                               "SYNCS.ARRIVE.TRANS64.A1T0",
                                               "SYNCS.PHASECHK.TRANS64.TRYWAIT",
                                               "LDG.E",
                                               "UCGABAR_ARV",
                                               "UCGABAR_WAIT",
                                               "BAR.SYNC.DEFER_BLOCKING",
                                               "EXIT"};
    GError *error = NULL;
    gmsim_gpu gpu;
    gmtest_trace trace;
    g_autofree char *folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "mbarriers.trc", NULL);
    gmtrace_instr instr[INSTRS];
    for (uint32_t i = 0; i < INSTRS; i++) {
        instr[i] = gmtest_instr(i, opcode[i]);
        instr[i].op_class = i == LOAD   ? GMTRACE_CLASS_LOAD
                            : i == EXIT ? GMTRACE_CLASS_EXIT
                                        : GMTRACE_CLASS_BARRIER;
        instr[i].stall = 2; /* so that there are control bits */
        if (i != LOAD)
            instr[i].wait_mask = 1;
    }
    instr[LOAD].space = GMTRACE_SPACE_GLOBAL;
    instr[LOAD].width = 4;
    instr[LOAD].write_barrier = 0;
    const gmtrace_kernel kernel = {
        .mangled = "wait", .name = "wait", .registers = 16, .instr_count = INSTRS, .instr = instr};
    gmtest_open(&trace, path);
    gmtest_use_kernel(&trace, &kernel);
    const gmtrace_launch launch = {.grid = {ctas, 1, 1},
                                   .block = {32 * cta_warps, 1, 1},
                                   .cluster = {cluster, 1, 1},
                                   .shared_config = GMTRACE_UNKNOWN,
                                   .carveout_percent = -1};
    gmtest_launch_with(&trace, &launch);
    for (uint32_t warp = 0; warp < cta_warps * ctas; warp++)
        for (uint32_t i = 0; i < 8 && warps[warp][i].what >= 0; i++) {
            const gmtrace_record record = record_of(&warps[warp][i], warp);
            gmtest_append(&trace, warp / cta_warps, warp % cta_warps, &record, NULL);
        }
    gmtest_close(&trace);
    g_assert_true(gmsim_gpu_load(&gpu, "h200", &error));
    return gmtest_cycles(path, &gpu);
}

static void test_held(void)
{
    static const deed late[][8] = {{{INIT, FULL}, {WAIT, FULL}, {LOAD, 0}, {-1, 0}},
                                   {{LOAD, 0}, {ARRIVE, FULL}, {-1, 0}}};
    static const deed early[][8] = {{{INIT, FULL}, {WAIT, FULL}, {LOAD, 0}, {-1, 0}},
                                    {{ARRIVE, FULL}, {LOAD, 0}, {-1, 0}}};
    g_assert_cmpfloat(cycles(1, 2, 1, late), >, cycles(1, 2, 1, early) + DRAM);
}

/* The producer's first wait passes, its second is for what the consumer leaves. */
static void test_passes(void)
{
    static const deed both[][8] = {
        {{INIT, FULL},
         {INIT, EMPTY},
         {WAIT, EMPTY},
         {ARRIVE, FULL},
         {WAIT, EMPTY},
         {ARRIVE, FULL},
         {LOAD, 0},
         {-1, 0}},
        {{WAIT, FULL}, {LOAD, 0}, {ARRIVE, EMPTY}, {WAIT, FULL}, {ARRIVE, EMPTY}, {-1, 0}}};
    static const deed one[][8] = {
        {{INIT, FULL}, {INIT, EMPTY}, {WAIT, EMPTY}, {ARRIVE, FULL}, {LOAD, 0}, {-1, 0}},
        {{WAIT, FULL}, {LOAD, 0}, {ARRIVE, EMPTY}, {-1, 0}}};
    g_assert_cmpfloat(cycles(1, 2, 1, both), >, cycles(1, 2, 1, one) + DRAM);
}

/* The first CTA tells what completes a phase; the second never arrives. */
static void test_never(void)
{
    static const deed stuck[][8] = {{{INIT, FULL}, {WAIT, FULL}, {-1, 0}},
                                    {{ARRIVE, FULL}, {-1, 0}},
                                    {{INIT, FULL}, {WAIT, FULL}, {LOAD, 0}, {-1, 0}},
                                    {{LOAD, 0}, {-1, 0}}};
    g_assert_cmpfloat(cycles(2, 2, 1, stuck), <, 20 * DRAM);
}

static void test_cluster(void)
{
    static const deed late[][8] = {{{CLUSTER_ARRIVE, 0}, {CLUSTER_WAIT, 0}, {LOAD, 0}, {-1, 0}},
                                   {{CLUSTER_ARRIVE, 0}, {CLUSTER_WAIT, 0}, {-1, 0}},
                                   {{LOAD, 0}, {CLUSTER_ARRIVE, 0}, {CLUSTER_WAIT, 0}, {-1, 0}},
                                   {{CLUSTER_ARRIVE, 0}, {CLUSTER_WAIT, 0}, {-1, 0}}};
    static const deed never[][8] = {{{CLUSTER_ARRIVE, 0}, {CLUSTER_WAIT, 0}, {LOAD, 0}, {-1, 0}},
                                    {{CLUSTER_ARRIVE, 0}, {CLUSTER_WAIT, 0}, {-1, 0}},
                                    {{LOAD, 0}, {-1, 0}},
                                    {{LOAD, 0}, {-1, 0}}};
    const double apart = cycles(2, 2, 1, late), together = cycles(2, 2, 2, late);
    g_assert_cmpfloat(together, >, apart + DRAM);
    g_assert_cmpfloat(cycles(2, 2, 2, never), <, together); /* who has ended is not waited for */
}

/* Two pairs of warps, each of which waits at barrier 0 for 64 threads. */
static void test_parts(void)
{
    static const deed late[][8] = {{{INIT, FULL}, {BARRIER, 0}, {LOAD, 0}, {-1, 0}},
                                   {{LOAD, 0}, {BARRIER, 0}, {-1, 0}},
                                   {{BARRIER, 0}, {-1, 0}},
                                   {{BARRIER, 0}, {-1, 0}}};
    static const deed early[][8] = {{{INIT, FULL}, {BARRIER, 0}, {LOAD, 0}, {-1, 0}},
                                    {{BARRIER, 0}, {LOAD, 0}, {-1, 0}},
                                    {{BARRIER, 0}, {-1, 0}},
                                    {{BARRIER, 0}, {-1, 0}}};
    g_assert_cmpfloat(cycles(1, 4, 1, late), >, cycles(1, 4, 1, early) + DRAM);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mbarriers/held", test_held);
    g_test_add_func("/mbarriers/passes", test_passes);
    g_test_add_func("/mbarriers/never", test_never);
    g_test_add_func("/mbarriers/cluster", test_cluster);
    g_test_add_func("/mbarriers/parts", test_parts);
    return g_test_run();
}
