/* SPDX-License-Identifier: MIT
 *
 * runs_unit.c - a scheduler stays with a warp that can issue each clock: what runs a way has, and
 * how long another warp waits for them (validate/micro/warp_turns.cu).
 */
#include "sim/model/time/pace.h"
#include "tests/support/cycles.h"
#include "tests/support/trace_builder.h"

#include <string.h>

#define RUN        72u
#define RUNS       3u /* of a turn */
#define RUN_TURNS  20u
#define LOADS      20u /* of a turn */
#define LOAD_TURNS 10u

static gmtrace_instr add(uint32_t number, uint8_t stall)
{
    gmtrace_instr instr = gmtest_instr(number, "FADD");
    instr.operands = "R2, R3, 0.5";
    instr.stall = stall;
    return instr;
}

/* The pace of a way of FADD with those stalls. */
static gmsim_pace pace_of(const uint8_t *stall, uint32_t count)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    g_autofree gmtrace_instr *instr = g_new(gmtrace_instr, count);
    for (uint32_t i = 0; i < count; i++)
        instr[i] = add(i, stall[i]);
    const gmtrace_kernel kernel = {.instr_count = count, .instr = instr};
    g_autofree gmtrace_decoded *decoded = g_new0(gmtrace_decoded, count);
    for (uint32_t i = 0; i < count; i++)
        decoded[i] = (gmtrace_decoded){.unit = GMTRACE_UNIT_FP32, .sixteenths = 16};
    g_assert_true(gmsim_gpu_load(&gpu, "h200", &error));
    gmtrace_path_piece piece = {.first = 0, .count = count, .times = 1};
    const gmtrace_path way = {.number = 0, .piece = &piece, .piece_count = 1};
    gmsim_paces paces = {0};
    g_assert_true(gmsim_paces_begin(&paces, &kernel, decoded, &gpu));
    const gmsim_pace pace = *gmsim_pace_make(&paces, &paces.ways, &way);
    g_assert_cmpint(paces.runs, ==, pace.run != 0);
    gmsim_paces_clear(&paces);
    return pace;
}

/* The record behind a way goes on with its last run, unless that ends in a stall. */
static void test_paces(void)
{
    uint8_t stall[64];
    memset(stall, 1, sizeof stall);
    gmsim_pace pace = pace_of(stall, 40);
    g_assert_cmpuint(pace.head, ==, 41);
    g_assert_cmpuint(pace.run, ==, 41);
    g_assert_cmpuint(pace.run_at, ==, 0);
    stall[39] = 2;
    g_assert_cmpuint(pace_of(stall, 40).run, ==, 40);
    stall[9] = 4;
    pace = pace_of(stall, 40);
    g_assert_cmpuint(pace.head, ==, 10);
    g_assert_cmpuint(pace.run, ==, 30);
    g_assert_cmpuint(pace.run_at, ==, 13);
    stall[24] = 2;
    pace = pace_of(stall, 38);
    g_assert_cmpuint(pace.run, ==, 0);
    g_assert_cmpuint(pace.head, ==, 10);
}

/* The one loop loads, four clocks apart; the other adds, and loads behind each run, which ends in a
 * stall. Returns where the second begins. */
static uint32_t fill(gmtrace_instr *instr, uint8_t stall)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < LOADS; i++, n++)
        instr[n] = gmtest_lds(n, 4);
    instr[n] = gmtest_jump(n, 1, 5);
    instr[n + 1] = gmtest_exit(n + 1);
    const uint32_t second = n + 2;
    instr[0] = gmtest_jump(0, second, 5);
    n = second;
    for (uint32_t r = 0; r < RUNS; r++) {
        for (uint32_t i = 0; i < RUN; i++, n++)
            instr[n] = add(n, i + 1 < RUN ? 1 : stall);
        instr[n] = gmtest_lds(n, 1);
        n++;
    }
    instr[n] = gmtest_jump(n, second, 5);
    instr[n + 1] = gmtest_exit(n + 1);
    return second;
}

/* Clocks of a CTA whose first warps, if asked for, go through the one loop, and the others through
 * the other. */
static double cycles(bool loads, bool adds, uint8_t stall)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    gmtest_trace trace;
    gmtrace_instr instr[LOADS + 5 + RUNS * (RUN + 1)];
    const uint32_t second = fill(instr, stall);
    const gmtrace_kernel kernel = {.mangled = "runs",
                                   .name = "runs",
                                   .registers = 16,
                                   .instr_count = G_N_ELEMENTS(instr),
                                   .instr = instr};
    g_autofree char *folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "runs.trc", NULL);
    gmtest_open(&trace, path);
    gmtest_use_kernel(&trace, &kernel);
    gmtest_launch(&trace, 1, 256);
    for (uint32_t w = 0; w < 8; w++) {
        gmtrace_record record = {.mask = UINT32_MAX,
                                 .kind = GMTRACE_ACCESS,
                                 .op = GMTRACE_OP_LOAD,
                                 .space = GMTRACE_SPACE_SHARED,
                                 .size = 4,
                                 .stride = 4,
                                 .address = 128u * w};
        for (uint32_t i = 0; w < 4 && loads && i < LOADS * LOAD_TURNS; i++) {
            record.instr = 1 + i % LOADS;
            gmtest_append(&trace, 0, w, &record, NULL);
        }
        for (uint32_t r = 0; w >= 4 && adds && r < RUNS * RUN_TURNS; r++) {
            record.instr = second + r % RUNS * (RUN + 1) + RUN;
            gmtest_append(&trace, 0, w, &record, NULL);
        }
    }
    gmtest_close(&trace);
    g_assert_true(gmsim_gpu_load(&gpu, "h200", &error));
    g_assert_no_error(error);
    return gmtest_cycles(path, &gpu);
}

/* Loads come in where runs end, and do not hold them up: one by one in the order of their turns,
 * each run would wait for some. */
static void test_waits(void)
{
    for (uint8_t stall = 1; stall <= 8; stall = (uint8_t)(stall + 7)) {
        const double adds = cycles(false, true, stall), both = cycles(true, true, stall);
        g_test_message("runs that end in a stall of %u: %.0f, with loads %.0f", stall, adds, both);
        g_assert_cmpfloat(both - adds, <, LOADS * LOAD_TURNS);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/runs/paces", test_paces);
    g_test_add_func("/runs/waits", test_waits);
    return g_test_run();
}
