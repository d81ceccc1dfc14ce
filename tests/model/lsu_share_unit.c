/* SPDX-License-Identifier: MIT
 *
 * lsu_share_unit.c - how far warps of one sub-partition hold each other up that load from shared
 * memory, eight times before they wait, add for a while and begin again. The bounds are an H200's,
 * which takes 2 % longer with two such warps than with one (validate/micro/lsu_share.cu, lds_32,
 * degree 1, masks 0x11 and 0x1), 10 % with four whose loads take two wavefronts (degree 2, mask
 * 0x1111), and 4 % with three whose loads take eight (degree 8, mask 0x111).
 */
#include "tests/support/cycles.h"
#include "tests/support/trace_builder.h"

#define LOADS 8u
#define ADDS  16u
#define TURNS 64u

/* A loop of eight loads, then as many additions, each of which needs the one before it. */
static uint32_t fill(gmtrace_instr *instr)
{
    uint32_t n = 0;
    for (; n < LOADS; n++) {
        instr[n] = gmtest_lds(n, 4);
        instr[n].write_barrier = n + 1 < LOADS ? 7 : 0;
    }
    for (; n < LOADS + ADDS; n++) {
        instr[n] = gmtest_instr(n, "IADD3");
        instr[n].operands = "R2, R2, 0x1, RZ";
        instr[n].stall = 5;
        instr[n].wait_mask = n == LOADS;
    }
    instr[n] = gmtest_jump(n, 0, 5);
    instr[n + 1] = gmtest_exit(n + 1);
    return n + 2;
}

/* Clocks of a CTA of which so many warps of its first sub-partition go through the loop, whose
 * loads take so many wavefronts; all other warps end at once. */
static double cycles(uint32_t warps, uint32_t wavefronts)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    gmtest_trace trace;
    gmtrace_instr instr[LOADS + ADDS + 2];
    const gmtrace_kernel kernel = {.mangled = "share",
                                   .name = "share",
                                   .registers = 16,
                                   .instr_count = fill(instr),
                                   .instr = instr};
    g_autofree char *folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "share.trc", NULL);
    g_assert_true(gmsim_gpu_load(&gpu, "h200", &error));
    g_assert_no_error(error);
    gmtest_open(&trace, path);
    gmtest_use_kernel(&trace, &kernel);
    gmtest_launch(&trace, 1, 512);
    for (uint32_t w = 0; w < 4 * warps; w += 4)
        for (uint32_t i = 0; i < LOADS * TURNS; i++) {
            gmtrace_record record = {.mask = UINT32_MAX,
                                     .kind = GMTRACE_ACCESS,
                                     .op = GMTRACE_OP_LOAD,
                                     .space = GMTRACE_SPACE_SHARED,
                                     .size = 4,
                                     .stride = (int32_t)(4 * wavefronts),
                                     .instr = i % LOADS};
            gmtest_append(&trace, 0, w, &record, NULL);
        }
    gmtest_close(&trace);
    return gmtest_cycles(path, &gpu);
}

/* Clocks that so many warps take beside those of a CTA that ends at once, to those of one. */
static double longer(uint32_t warps, uint32_t wavefronts)
{
    const double none = cycles(0, wavefronts);
    const double ratio = (cycles(warps, wavefronts) - none) / (cycles(1, wavefronts) - none);
    g_test_message("%u warps, %u wavefronts a load: %.3f times", warps, wavefronts, ratio);
    return ratio;
}

/* Additions of the one that went before the other's loads do not come behind them. */
static void test_two(void)
{
    g_assert_cmpfloat(longer(2, 1), <, 1.10);
}

/* A load that waits for its own warp's lets those of other warps pass. */
static void test_conflicts(void)
{
    g_assert_cmpfloat(longer(3, 8), <, 1.10);
}

/* Of warps that wait for a place in the queue the first comes next, so that none is left behind. */
static void test_turns(void)
{
    g_assert_cmpfloat(longer(4, 2), <, 1.25);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lsu_share/two", test_two);
    g_test_add_func("/lsu_share/conflicts", test_conflicts);
    g_test_add_func("/lsu_share/turns", test_turns);
    return g_test_run();
}
