/* SPDX-License-Identifier: MIT
 *
 * atomic_times.c - how long atomics of all SMs on neighbouring words take, by type, against
 * measured/h200/micro-atomics_timing.csv: where all warps add to the same words, where each has
 * lines of its own, and where each warp of an SM has lines that it shares with the other SMs; and,
 * against micro-atomics_grid.csv, where lanes meet in words of one line, and, against
 * micro-atomics_words.csv, where some work on some words of each sector, and, against
 * micro-atomics_scatter.csv, where lanes go to lines anywhere. Two numbers of turns, or of warps,
 * are replayed; the difference has no launch in it.
 */
#include "tests/support/cycles.h"
#include "tests/support/measured.h"
#include "tests/support/trace_builder.h"

#include <stdlib.h>

#define SMS       132u
#define WARPS     4u
#define FEW       16u
#define MANY      48u
#define PRECISION 0.35

static const struct {
    const char *op, *opcode;
    unsigned size;
} kinds[] = {
    {"red.add.u32", "RED.E.ADD.STRONG.GPU", 4},
    {"red.add.u64", "RED.E.ADD.64.STRONG.GPU", 8},
    {"red.add.f32", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 4},
    {"red.add.f64", "RED.E.ADD.F64.RN.STRONG.GPU", 8},
    {"atom.add.u32", "ATOMG.E.ADD.STRONG.GPU", 4},
    {"atom.cas.u32", "ATOMG.E.CAS.STRONG.GPU", 4},
    {"red.add.f16x2", "RED.E.ADD.F16x2.RN.STRONG.GPU", 4},
    {"red.add.bf16x2", "RED.E.ADD.BF16x2.RN.STRONG.GPU", 4},
};
#define TIMED 4u /* of them, the first: of atomics_timing.cu */

/* Where lane l of warp w of CTA c adds: to word l / group * stride + warp * w + cta * c, or, if
 * `lanes` is not 0, as micro/atomics_scatter.cu, so many lanes to a line that is any. */
typedef struct places {
    uint64_t warp, cta;
    unsigned group, stride, lanes;
} places;

#define LINES (16u << 20 >> 7)
#define TURNS 16u /* of atomics_scatter.cu */

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static uint64_t word_of(const places *at, unsigned warps, unsigned c, unsigned w, unsigned t,
                        unsigned l)
{
    if (!at->lanes)
        return l / at->group * at->stride + at->warp * w + at->cta * c;
    const uint32_t any = mixed(((c * warps + w) * TURNS + t) * 32u + l / at->lanes);
    return any % LINES * 32u + l % at->lanes;
}

/* Lanes that are in the mask. */
static gmsim_timing replay_places(unsigned kind, unsigned turns, const places *at, unsigned warps,
                                  uint32_t mask)
{
    const bool returns = g_str_has_prefix(kinds[kind].op, "atom");
    GError *error = NULL;
    gmsim_gpu gpu;
    gmtest_trace trace;
    g_autofree char *folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "atomics.trc", NULL);
    gmtrace_instr instr[] = {gmtest_instr(0, kinds[kind].opcode), gmtest_instr(1, "EXIT")};
    instr[0].op_class = returns ? GMTRACE_CLASS_ATOMIC : GMTRACE_CLASS_REDUCTION;
    instr[0].space = GMTRACE_SPACE_GLOBAL;
    instr[0].width = (uint8_t)kinds[kind].size;
    instr[1].op_class = GMTRACE_CLASS_EXIT;
    const gmtrace_kernel kernel = {.mangled = "add",
                                   .name = "add",
                                   .registers = 16,
                                   .instr_count = G_N_ELEMENTS(instr),
                                   .instr = instr};
    gmtest_open(&trace, path);
    gmtest_use_kernel(&trace, &kernel);
    gmtest_launch(&trace, SMS, 32 * warps);
    for (unsigned c = 0; c < SMS; c++)
        for (unsigned w = 0; w < warps; w++)
            for (unsigned t = 0; t < turns; t++) {
                uint64_t address[GMTRACE_WARP_LANES];
                for (unsigned l = 0; l < GMTRACE_WARP_LANES; l++)
                    address[l] =
                        0x7f0000000000u + word_of(at, warps, c, w, t, l) * kinds[kind].size;
                const gmtrace_record record = {.instr = 0,
                                               .mask = mask,
                                               .kind = GMTRACE_ACCESS,
                                               .op = returns ? GMTRACE_OP_ATOMIC
                                                             : GMTRACE_OP_REDUCTION,
                                               .space = GMTRACE_SPACE_GLOBAL,
                                               .size = (uint8_t)kinds[kind].size};
                gmtest_append(&trace, c, w, &record, address);
            }
    gmtest_close(&trace);

    g_assert_true(gmsim_gpu_load(&gpu, "h200", &error));
    return gmtest_replay(path, &gpu).timing;
}

static gmsim_timing replay_mask(unsigned kind, unsigned turns, uint64_t warp, uint64_t cta,
                                unsigned group, unsigned stride, unsigned warps, uint32_t mask)
{
    const places at = {warp, cta, group, stride, 0};
    return replay_places(kind, turns, &at, warps, mask);
}

static gmsim_timing replay_warps(unsigned kind, unsigned turns, uint64_t warp, uint64_t cta,
                                 unsigned group, unsigned stride, unsigned warps)
{
    return replay_mask(kind, turns, warp, cta, group, stride, warps, UINT32_MAX);
}

static gmsim_timing replay_lanes(unsigned kind, unsigned turns, uint64_t warp, uint64_t cta,
                                 unsigned group, unsigned stride)
{
    return replay_warps(kind, turns, warp, cta, group, stride, WARPS);
}

static gmsim_timing replay(unsigned kind, unsigned turns, uint64_t warp, uint64_t cta)
{
    return replay_lanes(kind, turns, warp, cta, 1, 1);
}

static double cycles(unsigned kind, unsigned turns, uint64_t warp, uint64_t cta)
{
    return (double)replay(kind, turns, warp, cta).cycles;
}

static void test_rows(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-atomics_timing.csv", 10);
    unsigned compared = 0;
    for (guint i = 0; i < rows->len; i++) {
        char **cell = g_ptr_array_index(rows, i);
        const bool same = !strcmp(cell[4], "0") && !strcmp(cell[5], "0");
        const bool own = !strcmp(cell[4], "32") && !strcmp(cell[5], "4096");
        const bool few = !strcmp(cell[4], "32") && !strcmp(cell[5], "0");
        if (strcmp(cell[0], "global") || strcmp(cell[2], "1") || strcmp(cell[3], "1") ||
            strcmp(cell[6], "132") || strcmp(cell[7], "4") || !(same || own || few))
            continue;
        for (unsigned k = 0; k < TIMED; k++) {
            if (strcmp(cell[1], kinds[k].op))
                continue;
            const uint64_t warp = strtoull(cell[4], NULL, 10), cta = strtoull(cell[5], NULL, 10);
            const double measured = strtod(cell[9], NULL) / strtod(cell[8], NULL);
            const double found =
                (cycles(k, MANY, warp, cta) - cycles(k, FEW, warp, cta)) / (MANY - FEW);
            g_test_message("%s %s: %.1f clocks a turn, measured %.1f", cell[1],
                           same  ? "same"
                           : own ? "own"
                                 : "few",
                           found, measured);
            if (found < measured * (1 - PRECISION) || found > measured * (1 + PRECISION))
                g_test_fail();
            compared++;
        }
    }
    g_assert_cmpuint(compared, ==, 3 * TIMED);
}

/* Lanes that meet in words of a line, or of one beside it. */
static void test_meeting(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-atomics_grid.csv", 12);
    unsigned compared = 0;
    for (guint i = 0; i < rows->len; i++) {
        char **cell = g_ptr_array_index(rows, i);
        const unsigned group = (unsigned)atoi(cell[2]), stride = (unsigned)atoi(cell[3]);
        if (strcmp(cell[0], "grid") || strcmp(cell[4], "0") || strcmp(cell[6], "132") ||
            strcmp(cell[7], "32") || group == 1 || stride > 8)
            continue;
        for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++) {
            if (strcmp(cell[1], kinds[k].op) || g_str_has_prefix(cell[1], "atom") ||
                32 / group * stride * kinds[k].size > 256)
                continue;
            const double measured = strtod(cell[11], NULL) / strtod(cell[8], NULL) / 32 * WARPS;
            const double found = (double)(replay_lanes(k, 6, 0, 0, group, stride).cycles -
                                          replay_lanes(k, 2, 0, 0, group, stride).cycles) /
                                 4;
            g_test_message("%s, %u in a word, %u apart: %.0f clocks a turn, measured %.0f", cell[1],
                           group, stride, found, measured);
            if (found < measured * 0.85 || found > measured * 1.15)
                g_test_fail();
            compared++;
        }
    }
    g_assert_cmpuint(compared, >, 50);
}

/* Lines of each lane's or warp's own, by how many lanes lie in one. Not where they are 4 of every
 * 16 KB, or 8: which slices such lines lie in decides there, and some have twice what others have
 * (test_scattered has those without that). */
static void test_own(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-atomics_timing.csv", 10);
    unsigned compared = 0;
    for (guint i = 0; i < rows->len; i++) {
        char **cell = g_ptr_array_index(rows, i);
        const uint64_t warp = strtoull(cell[4], NULL, 10), cta = strtoull(cell[5], NULL, 10);
        if (strcmp(cell[0], "global") || strcmp(cell[2], "1") || strcmp(cell[6], "132") ||
            strcmp(cell[7], "32") || !cta)
            continue;
        const unsigned stride = (unsigned)atoi(cell[3]);
        for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++) {
            if (strcmp(cell[1], kinds[k].op) || kinds[k].size == 8u ||
                (stride < 4u && strcmp(cell[1], "atom.cas.u32")))
                continue;
            const double measured = strtod(cell[9], NULL) / strtod(cell[8], NULL);
            const uint64_t many = replay_warps(k, 12, warp, cta, 1, stride, 32).sm_active,
                           few = replay_warps(k, 4, warp, cta, 1, stride, 32).sm_active;
            const double found = (double)(many - few) / SMS / 8;
            g_test_message("%s, words %u apart: %.0f clocks a turn, measured %.0f", cell[1], stride,
                           found, measured);
            if (found < measured * 0.75 || found > measured * 1.25)
                g_test_fail();
            compared++;
        }
    }
    g_assert_cmpuint(compared, ==, 14);
}

/* Of words of eight bytes some of each sector: doubles take their time by its halves. */
static void test_words(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-atomics_words.csv", 9);
    unsigned compared = 0;
    for (guint i = 0; i < rows->len; i++) {
        char **cell = g_ptr_array_index(rows, i);
        const unsigned kind = strcmp(cell[1], "red.add.u64") ? 3 : 1;
        const uint32_t mask = (uint32_t)atoi(cell[2]) * 0x11111111u;
        if (strcmp(cell[0], "hot") || strcmp(cell[1], kinds[kind].op))
            continue;
        const double measured =
            strtod(cell[8], NULL) / strtod(cell[6], NULL) / strtod(cell[5], NULL) * WARPS;
        const double found = (double)(replay_mask(kind, 6, 0, 0, 1, 1, WARPS, mask).cycles -
                                      replay_mask(kind, 2, 0, 0, 1, 1, WARPS, mask).cycles) /
                             4;
        g_test_message("%s on words %s: %.0f clocks a turn, measured %.0f", cell[1], cell[2], found,
                       measured);
        if (found < measured * 0.94 || found > measured * 1.06)
            g_test_fail();
        compared++;
    }
    g_assert_cmpuint(compared, ==, 16);
}

/* SMs of the line's side are done sooner, but where the slice is slow. */
static void test_sides(void)
{
    const gmsim_timing quick = replay(0, 200, 0, 0), slow = replay(3, 200, 0, 0);
    const double all = (double)quick.sm_active / SMS / (double)quick.cycles;
    const double doubles = (double)slow.sm_active / SMS / (double)slow.cycles;
    g_test_message("the mean SM is done after %.2f of the time, adding doubles %.2f", all, doubles);
    g_assert_cmpfloat(all, >, 0.7);
    g_assert_cmpfloat(all, <, 0.9);
    g_assert_cmpfloat(doubles, >, 0.93);
}

/* Lines that may be any: what 24 warps more take. */
static void test_scattered(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-atomics_scatter.csv", 6);
    unsigned compared = 0;
    for (guint i = 0; i < rows->len; i++) {
        char **many = g_ptr_array_index(rows, i);
        const places at = {.lanes = (unsigned)atoi(many[1])};
        if (strcmp(many[0], "red") || strcmp(many[2], "first") || strcmp(many[3], "32") ||
            at.lanes == 1u || 32u % at.lanes)
            continue;
        for (guint n = 0; n < rows->len; n++) {
            char **few = g_ptr_array_index(rows, n);
            if (strcmp(few[0], "red") || strcmp(few[1], many[1]) || strcmp(few[2], "first") ||
                strcmp(few[3], "8"))
                continue;
            const double measured = strtod(many[5], NULL) - strtod(few[5], NULL);
            const double found = (double)(replay_places(0, TURNS, &at, 32, UINT32_MAX).cycles) -
                                 (double)(replay_places(0, TURNS, &at, 8, UINT32_MAX).cycles);
            g_test_message("%u lanes a line: %.0f clocks, measured %.0f", at.lanes, found,
                           measured);
            if (found < measured * 0.85 || found > measured * 1.15)
                g_test_fail();
            compared++;
        }
    }
    g_assert_cmpuint(compared, ==, 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/atomics/times", test_rows);
    g_test_add_func("/atomics/meeting", test_meeting);
    g_test_add_func("/atomics/own", test_own);
    g_test_add_func("/atomics/scattered", test_scattered);
    g_test_add_func("/atomics/words", test_words);
    g_test_add_func("/atomics/sides", test_sides);
    return g_test_run();
}
