/* SPDX-License-Identifier: MIT
 *
 * pipe_rates.c - kernels of one instruction on each shipped GPU, against what is published of it:
 * results a clock and SM with 32 warps of independent instructions, clocks an instruction with one
 * warp in which each needs the last. Two lengths are run; the difference has no launch in it.
 *
 * Rates: CUDA C++ Programming Guide, arithmetic instructions; tensor cores: the white papers; of an
 * H200 these, and IMAD.WIDE: validate/measured/h200/micro-math_rates.csv. Clocks of a chain:
 * that table, an H100 taken for an H200; Jia et al., arXiv:1804.06826, for FP32 and FP64 of a V100.
 * FP64 chains of GeForce parts, whose latency nobody published, take at least what their rate says.
 */
#include "tests/support/cycles.h"
#include "tests/support/trace_builder.h"

#include <string.h>

#define SHORT     256u
#define LONG      768u
#define PRECISION 0.05

typedef enum what { FP32, FP64, SFU, FP16, IADD, IMAD, WIDE, SHFL, HMMA, VADD, KINDS } what;

static const struct {
    const char *opcode;
    unsigned stall; /* of a chain; 0: its result is waited for at a scoreboard */
    unsigned lanes; /* results of an instruction; multiply-adds of HMMA */
} kinds[KINDS] = {
    [FP32] = {"FFMA", 4, 32},      [FP64] = {"DFMA", 0, 32},  [SFU] = {"MUFU.RSQ", 0, 32},
    [FP16] = {"HFMA2", 4, 32},     [IADD] = {"IADD3", 4, 32}, [IMAD] = {"IMAD", 4, 32},
    [WIDE] = {"IMAD.WIDE", 4, 32}, [SHFL] = {"SHFL", 0, 32},  [HMMA] = {"HMMA.16816.F32", 0, 2048},
    [VADD] = {"VIADD", 4, 32},
};

static const struct {
    const char *gpu;
    double rate[KINDS]; /* a clock and SM; 0: not published of this instruction */
    double chain[SFU + 1];
} published[] = {
    {"v100", {64, 32, 16, 64, 64, 64, 0, 32, 512}, {4, 8, 0}},
    {"a100", {64, 32, 16, 128, 64, 64, 0, 32, 1024}, {4, 0, 0}},
    {"h100", {128, 64, 16, 128, 64, 64, 0, 32, 0}, {4, 8, 17.2}},
    {"h200", {128, 64, 16, 128, 64, 64, 31.1, 32, 1336}, {4, 8.1, 17.2}},
    {"rtx3090", {128, 2, 16, 64, 64, 64, 0, 32, 256}, {4, 64, 0}},
    {"rtx4090", {128, 2, 16, 64, 64, 64, 0, 32, 256}, {4, 64, 0}},
};

static bool jumps;  /* two of every eight instructions are a branch and what it skips */
static bool stores; /* every 16th is a store under a predicate, of a quarter of the warps */
static bool ends;   /* no store at the end */
static what partner = KINDS; /* of every other instruction, unless KINDS */

typedef struct pattern {
    const char *opcode, *operands;
    uint8_t stall; /* 0: as 1 */
} pattern;

static const pattern *patterns; /* unless NULL, all instructions, again and again */
static unsigned period;

static void store(gmtrace_instr *instr)
{
    instr->opcode = "STG.E";
    instr->op_class = GMTRACE_CLASS_STORE;
    instr->space = GMTRACE_SPACE_GLOBAL;
    instr->width = 4;
}

/* `count` instructions of a kind, a store, EXIT. */
static void fill(gmtrace_instr *instr, unsigned count, what kind, bool chain)
{
    for (unsigned i = 0; i < count + 2; i++) {
        instr[i] = gmtest_instr(i, kinds[kind].opcode);
        instr[i].stall = 1;
    }
    for (unsigned i = 0; chain && i < count; i++) {
        instr[i].stall = (uint8_t)MAX(kinds[kind].stall, 1u);
        instr[i].write_barrier = kinds[kind].stall ? 7 : 0;
        instr[i].wait_mask = kinds[kind].stall ? 0 : 1;
    }
    for (unsigned i = 6; jumps && i + 1 < count; i += 8) {
        instr[i].opcode = "BRA";
        instr[i].op_class = GMTRACE_CLASS_BRANCH;
        instr[i].target = i + 2;
        instr[i].stall = 6;
    }
    for (unsigned i = 1; partner != KINDS && i < count; i += 2)
        instr[i].opcode = kinds[partner].opcode;
    for (unsigned i = 0; patterns && i < count; i++) {
        instr[i].opcode = patterns[i % period].opcode;
        instr[i].operands = patterns[i % period].operands;
        instr[i].stall = MAX(patterns[i % period].stall, 1u);
    }
    for (unsigned i = 8; stores && i < count; i += 16) {
        store(&instr[i]);
        instr[i].predicate = 0;
    }
    for (unsigned i = 0; stores && i < count; i++)
        instr[i].stall = 6;
    if (!ends)
        store(&instr[count]);
    instr[count + 1].opcode = "EXIT";
    instr[count + 1].op_class = GMTRACE_CLASS_EXIT;
}

static const char *setting; /* of the GPU, or NULL */

static double cycles(const char *name, unsigned count, what kind, bool chain)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    gmtest_trace trace;
    const unsigned warps = chain ? 1 : 32;
    g_autofree char *folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "rate.trc", NULL);
    g_autofree gmtrace_instr *instr = g_new(gmtrace_instr, count + 2);
    fill(instr, count, kind, chain);
    const gmtrace_kernel kernel = {.mangled = "rate",
                                   .name = "rate",
                                   .registers = 16,
                                   .instr_count = count + 2,
                                   .instr = instr};
    gmtest_open(&trace, path);
    gmtest_use_kernel(&trace, &kernel);
    gmtest_launch(&trace, 1, 32 * warps);
    for (unsigned w = 0; w < warps; w++) {
        gmtrace_record record = {.instr = count,
                                 .mask = UINT32_MAX,
                                 .kind = GMTRACE_ACCESS,
                                 .op = GMTRACE_OP_STORE,
                                 .space = GMTRACE_SPACE_GLOBAL,
                                 .size = 4,
                                 .stride = 4,
                                 .address = 0x7f0000000000u + 128u * w};
        for (record.instr = 8; stores && w < warps / 4 && record.instr < count; record.instr += 16)
            gmtest_append(&trace, 0, w, &record, NULL);
        record.instr = count;
        if (!ends)
            gmtest_append(&trace, 0, w, &record, NULL);
    }
    gmtest_close(&trace);

    gmsim_gpu_load(&gpu, name, &error);
    g_assert_no_error(error);
    g_assert_true(!setting || gmsim_gpu_set(&gpu, setting, NULL));
    return gmtest_cycles(path, &gpu);
}

static void expect(const char *gpu, what kind, bool chain, double right)
{
    const double clocks = cycles(gpu, LONG, kind, chain) - cycles(gpu, SHORT, kind, chain);
    const double units = LONG - SHORT;
    const double found = chain ? clocks / units : units * 32 * kinds[kind].lanes / clocks;
    g_test_message("%s %s%s: %.2f, published %.2f", gpu, kinds[kind].opcode, chain ? " chain" : "",
                   found, right);
    if (found < right * (1 - PRECISION) || found > right * (1 + PRECISION))
        g_test_fail();
}

static void test_rates(gconstpointer data)
{
    const unsigned g = GPOINTER_TO_UINT(data);
    for (unsigned k = 0; k < KINDS; k++)
        if (published[g].rate[k] > 0)
            expect(published[g].gpu, (what)k, false, published[g].rate[k]);
}

static void test_chains(gconstpointer data)
{
    const unsigned g = GPOINTER_TO_UINT(data);
    for (unsigned k = 0; k <= SFU; k++)
        if (published[g].chain[k] > 0)
            expect(published[g].gpu, (what)k, true, published[g].chain[k]);
}

/* A taken branch takes 4 clocks beyond its stall count (micro-code_fetch.csv: over, jump). */
static void test_branches(void)
{
    jumps = true;
    expect("h200", FP32, true, (6 * 4 + 6 + 4) / 8.);
    jumps = false;
}

/* Of what the pipes could do, the scheduler issues half. */
static void test_issue(void)
{
    setting = "sm.issue=2";
    expect("h200", FP32, false, 64);
    setting = NULL;
}

/* IMAD has the heavy half of FFMA's pipe, VIADD goes where IMAD goes, and all others beside one
 * another (micro-pipe_rates.csv; VIADD: micro-math_rates.csv). */
static void test_pairs(void)
{
    static const struct {
        what one, other;
        double clocks; /* a pair, of a sub-partition; less the loop, which takes 3 of 67 */
    } pair[] = {
        {FP32, IADD, 2.08}, {FP32, IMAD, 2.65}, {FP32, FP64, 2.10},
        {FP64, IADD, 2.11}, {FP64, IMAD, 2.11}, {FP64, FP16, 2.15},
        {IMAD, IADD, 2.06}, {VADD, IADD, 2.0},  {VADD, IMAD, 4.0},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(pair); i++) {
        partner = pair[i].other;
        expect("h200", pair[i].one, false, 2 * 32 * 4 / pair[i].clocks);
    }
    partner = KINDS;
}

/* Four steps of a chain of doubles with their loop, but for its branch, read ten registers of even
 * numbers: 10.2 clocks (micro-pipe_rates.csv, fp64.4, 12 warps). What .reuse keeps is not read. */
static void test_banks(void)
{
    static const pattern turn[] = {
        {"DFMA", "R2, R2, R4, 0.5", 1},
        {"VIADD", "R6, R6, 0x4", 1},
        {"ISETP.NE.AND", "P0, PT, R6, 0x800, PT", 1},
        {"DFMA", "R2, R2, R4, 0.5", 1},
        {"DFMA", "R2, R2, R4, 0.5", 1},
        {"DFMA", "R2, R2, R4, 0.5", 1},
    };
    static const pattern kept[] = {{"DFMA", "R2, R4.reuse, R2, R4.reuse", 1}};
    patterns = turn;
    period = G_N_ELEMENTS(turn);
    expect("h200", FP64, false, 6 * 32 * 4 / 10.2);
    patterns = kept;
    period = G_N_ELEMENTS(kept);
    expect("h200", FP64, false, 32 * 4 / 2.02);
    patterns = NULL;
}

/* Loops of math_mixes.cu, but for their branches, as compiled for it, with stalls: operands of
 * three registers; sums of 64 bits and the upper half of a product, which keep the ALU from others.
 */
static const pattern horner_r[] = {
    {"FFMA", "R9, R7, R7, R0", 1}, {"IADD3", "R6, R6, -0x4, RZ", 3},
    {"FFMA", "R8, R9, R7, R2", 1}, {"ISETP.NE.AND", "P2, PT, R6, RZ, PT", 3},
    {"FFMA", "R9, R8, R7, R3", 4}, {"FFMA", "R9, R9, R7, R0", 4},
    {"FFMA", "R8, R9, R7, R2", 4}, {"FFMA", "R7, R8, R7, R3", 4},
    {"FFMA", "R9, R7, R7, R0", 4}, {"FFMA", "R8, R7, R9, R2", 4},
    {"FFMA", "R9, R7, R8, R3", 4}, {"FFMA", "R9, R7, R9, R0", 4},
    {"FFMA", "R8, R7, R9, R2", 4}, {"FFMA", "R7, R7, R8, R3", 4},
    {"FFMA", "R9, R7, R7, R0", 4}, {"FFMA", "R8, R7, R9, R2", 4},
    {"FFMA", "R9, R7, R8, R3", 4}, {"FFMA", "R9, R7, R9, R0", 4},
    {"FFMA", "R8, R7, R9, R2", 4}, {"FFMA", "R7, R7, R8, R3", 4},
    {"FFMA", "R9, R7, R7, R0", 4}, {"FFMA", "R8, R7, R9, R2", 4},
    {"FFMA", "R9, R7, R8, R3", 4}, {"FFMA", "R9, R7, R9, R0", 4},
    {"FFMA", "R8, R7, R9, R2", 4}, {"FFMA", "R7, R7, R8, R3", 1},
};
static const pattern three_ffma[] = {
    {"FFMA", "R4, R3, R5, R4", 1},    {"FFMA", "R5, R2, R3, R5", 1},
    {"IADD3", "R6, R6, -0x4, RZ", 2}, {"FFMA", "R8, R4.reuse, R2, R3", 1},
    {"FFMA", "R3, R4, R5, R2", 1},    {"ISETP.NE.AND", "P2, PT, R6, RZ, PT", 2},
    {"FFMA", "R4, R5, R8, R4", 1},    {"FFMA", "R5, R8, R3, R5", 3},
    {"FFMA", "R8, R3, R4, R8", 1},    {"FFMA", "R3, R4, R5, R3", 3},
    {"FFMA", "R4, R5, R8, R4", 1},    {"FFMA", "R5, R8, R3, R5", 3},
    {"FFMA", "R8, R3, R4, R8", 1},    {"FFMA", "R7, R4, R5, R3", 3},
    {"FFMA", "R4, R5, R8, R4", 1},    {"FFMA", "R5, R8, R7, R5", 3},
    {"FFMA", "R3, R7, R4, R8", 1},    {"FFMA", "R2, R4, R5, R7", 1},
};
static const pattern wide_2lop3[] = {
    {"LOP3.LUT", "R11, R3, R0.reuse, R11, 0x6a, !PT", 1},
    {"VIADD", "R7, R7, 0xfffffffc", 1},
    {"LOP3.LUT", "R10, R3.reuse, R0.reuse, R10, 0x6a, !PT", 1},
    {"IMAD.WIDE.U32", "R8, R8, R9, RZ", 1},
    {"LOP3.LUT", "R11, R3.reuse, R0.reuse, R11, 0x6a, !PT", 2},
    {"LOP3.LUT", "R10, R3.reuse, R0.reuse, R10, 0x6a, !PT", 1},
    {"IMAD.WIDE.U32", "R4, R4, R5, RZ", 1},
    {"LOP3.LUT", "R11, R3.reuse, R0.reuse, R11, 0x6a, !PT", 2},
    {"LOP3.LUT", "R10, R3.reuse, R0.reuse, R10, 0x6a, !PT", 1},
    {"IMAD.WIDE.U32", "R8, R8, R9, RZ", 1},
    {"LOP3.LUT", "R11, R3, R0, R11, 0x6a, !PT", 2},
    {"LOP3.LUT", "R10, R3, R0.reuse, R10, 0x6a, !PT", 1},
    {"IMAD.WIDE.U32", "R4, R4, R5, RZ", 1},
    {"ISETP.NE.AND", "P2, PT, R7, RZ, PT", 2},
    {"LOP3.LUT", "R11, R3.reuse, R0.reuse, R11, 0x6a, !PT", 1},
    {"IMAD.WIDE.U32", "R8, R8, R9, RZ", 1},
    {"LOP3.LUT", "R10, R3.reuse, R0.reuse, R10, 0x6a, !PT", 2},
    {"LOP3.LUT", "R11, R3.reuse, R0.reuse, R11, 0x6a, !PT", 1},
    {"IMAD.WIDE.U32", "R4, R4, R5, RZ", 1},
    {"LOP3.LUT", "R10, R3, R0, R10, 0x6a, !PT", 2},
    {"LOP3.LUT", "R11, R3.reuse, R0.reuse, R11, 0x6a, !PT", 1},
    {"IMAD.WIDE.U32", "R8, R8, R9, RZ", 1},
    {"LOP3.LUT", "R10, R3.reuse, R0.reuse, R10, 0x6a, !PT", 2},
    {"LOP3.LUT", "R11, R3.reuse, R0.reuse, R11, 0x6a, !PT", 1},
    {"IMAD.WIDE.U32", "R4, R4, R5, RZ", 1},
    {"LOP3.LUT", "R10, R3, R0, R10, 0x6a, !PT", 1},
};
static const pattern hi_lop3[] = {
    {"LOP3.LUT", "R9, R10, R10, R9, 0x6a, !PT", 1}, {"VIADD", "R2, R2, 0xfffffffc", 2},
    {"IMAD.HI.U32", "R3, R11, 0xfff7b7, RZ", 1},    {"LOP3.LUT", "R10, R9, R9, R10, 0x6a, !PT", 2},
    {"ISETP.NE.AND", "P2, PT, R2, RZ, PT", 1},      {"IMAD.HI.U32", "R8, R8, 0xfff7b7, RZ", 1},
    {"LOP3.LUT", "R9, R10, R10, R9, 0x6a, !PT", 3}, {"IMAD.HI.U32", "R3, R3, 0xfff7b7, RZ", 1},
    {"LOP3.LUT", "R10, R9, R9, R10, 0x6a, !PT", 3}, {"IMAD.HI.U32", "R8, R8, 0xfff7b7, RZ", 1},
    {"LOP3.LUT", "R9, R10, R10, R9, 0x6a, !PT", 3}, {"IMAD.HI.U32", "R3, R3, 0xfff7b7, RZ", 1},
    {"LOP3.LUT", "R10, R9, R9, R10, 0x6a, !PT", 3}, {"IMAD.HI.U32", "R8, R8, 0xfff7b7, RZ", 1},
    {"LOP3.LUT", "R9, R10, R10, R9, 0x6a, !PT", 3}, {"IMAD.HI.U32", "R11, R3, 0xfff7b7, RZ", 1},
    {"LOP3.LUT", "R10, R9, R9, R10, 0x6a, !PT", 3}, {"IMAD.HI.U32", "R8, R8, 0xfff7b7, RZ", 1},
};

/* A turn's clocks: micro-math_mixes.csv, 8 warps; one is the branch's. */
static void test_mixes(void)
{
    static const struct {
        const pattern *turn;
        unsigned count;
        double clocks;
    } loop[] = {
        {horner_r, G_N_ELEMENTS(horner_r), 45.4},
        {three_ffma, G_N_ELEMENTS(three_ffma), 26.2},
        {wide_2lop3, G_N_ELEMENTS(wide_2lop3), 50.7},
        {hi_lop3, G_N_ELEMENTS(hi_lop3), 36.2},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(loop); i++) {
        patterns = loop[i].turn;
        period = loop[i].count;
        expect("h200", FP32, false, loop[i].count * 32 * 4 / (loop[i].clocks - 1));
    }
    patterns = NULL;
}

/* One of five instructions, where nothing but the scheduler holds up the others: clocks of the five
 * (micro-issue_slots.csv, 16 of an instruction, 16 integers, 16 warps, less the loop). */
static void test_slots(void)
{
    static const struct {
        pattern fifth;
        double clocks;
    } five[] = {
        {{"FADD", "R8, R8, 0.5", 1}, 5.03},
        {{"IMAD.WIDE.U32", "R8, R8, R9, RZ", 1}, 7.04},
        {{"IMAD.HI.U32", "R8, R8, R9, RZ", 1}, 7.06},
        {{"DADD", "R8, R8, R10", 1}, 6.03},
        {{"DFMA", "R8, R10.reuse, R8, R10.reuse", 1}, 5.98},
        {{"DMUL", "R8, R8, 0.5", 1}, 5.94},
    };
    pattern turn[5] = {{"FADD", "R2, R2, 0.5", 1},
                       {"FADD", "R3, R3, 0.5", 1},
                       {"FADD", "R4, R4, 0.5", 1},
                       {"LOP3.LUT", "R5, R5, 0x12345, RZ, 0x3c, !PT", 1}};
    patterns = turn;
    period = G_N_ELEMENTS(turn);
    for (unsigned i = 0; i < G_N_ELEMENTS(five); i++) {
        turn[4] = five[i].fifth;
        expect("h200", FP32, false, 5 * 32 * 4 / five[i].clocks);
    }
    patterns = NULL;
}

/* A warp that stores nothing at its end has the pipes for itself as little as one that does. */
static void test_ends(void)
{
    ends = true;
    expect("h200", IADD, false, 64);
    ends = false;
}

/* Long ways leave to short ones what they do not use, and take what those leave. */
static void test_shares(void)
{
    stores = true;
    expect("h200", IADD, false, 64. * 16 / 15);
    stores = false;
}

/* No GPU is shipped without rates. */
static void test_all(void)
{
    g_auto(GStrv) list = gmsim_gpu_list();
    for (char **name = list; *name; name++) {
        bool known = false;
        for (gsize i = 0; i < G_N_ELEMENTS(published); i++)
            known |= g_str_equal(*name, published[i].gpu);
        if (!known) {
            g_test_message("%s: no published rates here", *name);
            g_test_fail();
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pipes/all", test_all);
    for (guint i = 0; i < G_N_ELEMENTS(published); i++) {
        g_autofree char *rates = g_strdup_printf("/pipes/rates/%s", published[i].gpu);
        g_autofree char *chains = g_strdup_printf("/pipes/chains/%s", published[i].gpu);
        g_test_add_data_func(rates, GUINT_TO_POINTER(i), test_rates);
        g_test_add_data_func(chains, GUINT_TO_POINTER(i), test_chains);
    }
    g_test_add_func("/pipe/pairs", test_pairs);
    g_test_add_func("/pipe/banks", test_banks);
    g_test_add_func("/pipe/mixes", test_mixes);
    g_test_add_func("/pipe/slots", test_slots);
    g_test_add_func("/pipe/ends", test_ends);
    g_test_add_func("/pipe/shares", test_shares);
    g_test_add_func("/pipe/issue", test_issue);
    g_test_add_func("/pipe/branches", test_branches);
    return g_test_run();
}
