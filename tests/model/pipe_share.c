/* SPDX-License-Identifier: MIT
 *
 * pipe_share.c - what warps of several CTAs take for the same chain on an H200, against
 * validate/measured/h200/micro-warp_share.csv, `mufu`: a MUFU and an FADD that needs it, 24.5
 * clocks of a warp alone and 8 of the pipe. Fences, which hold a warp up and empty L1, against
 * micro-fence.csv. What waits for a scoreboard that several set, against micro-scoreboard.csv; code
 * that an SM executes for the first time, against micro-cold_code.csv, 132 CTAs; constants that
 * miss, against micro-constant_miss.csv; lines that all SMs load, against micro-together.csv; and
 * that instructions behind a barrier take their time where each is in the trace.
 */
#include "tests/support/cycles.h"
#include "tests/support/trace_builder.h"

#include <string.h>

#define SMS   132u
#define UNITS 512u

static void memory(gmtrace_instr *instr, const char *opcode, gmtrace_class op_class)
{
    instr->opcode = opcode;
    instr->op_class = (uint8_t)op_class;
    instr->space = GMTRACE_SPACE_GLOBAL;
    instr->width = 4;
}

static const gmtrace_record access = {.mask = UINT32_MAX,
                                      .kind = GMTRACE_ACCESS,
                                      .op = GMTRACE_OP_STORE,
                                      .space = GMTRACE_SPACE_GLOBAL,
                                      .size = 4,
                                      .stride = 4,
                                      .address = 0x7f0000000000u};

/* A launch of one kernel; records are appended to `trace`. */
typedef struct program {
    gmtest_trace trace;
    char *path;
} program;

/* The last of the `count` instructions becomes EXIT. */
static program begin(gmtrace_instr *instr, unsigned count, unsigned ctas, unsigned threads)
{
    program p;
    g_autofree char *folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    instr[count - 1].opcode = "EXIT";
    instr[count - 1].op_class = GMTRACE_CLASS_EXIT;
    const gmtrace_kernel kernel = {
        .mangled = "share", .name = "share", .registers = 16, .instr_count = count, .instr = instr};
    p.path = g_build_filename(folder, "share.trc", NULL);
    gmtest_open(&p.trace, p.path);
    gmtest_use_kernel(&p.trace, &kernel);
    gmtest_launch(&p.trace, ctas, threads);
    return p;
}

static gmsim_result end(program *p)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    gmtest_close(&p->trace);
    gmsim_gpu_load(&gpu, "h200", &error);
    g_assert_no_error(error);
    gpu.sm_constant_dram = 0; /* the programs measured had written their constants to L2 */
    const gmsim_result found = gmtest_replay(p->path, &gpu);
    g_free(p->path);
    return found;
}

/* The warp's next record: `instr` accesses a line `offset` bytes behind the first. */
static void touch(program *p, unsigned cta, unsigned warp, unsigned instr, gmtrace_op op,
                  uint64_t offset)
{
    gmtrace_record record = access;
    record.instr = instr;
    record.op = (uint8_t)op;
    record.address += offset;
    gmtest_append(&p->trace, cta, warp, &record, NULL);
}

/* `count` instructions, a store and EXIT; every warp stores once. */
static double cycles(gmtrace_instr *instr, unsigned count, unsigned ctas)
{
    memory(&instr[count], "STG.E", GMTRACE_CLASS_STORE);
    program p = begin(instr, count + 2, ctas, 128);
    for (unsigned c = 0; c < ctas; c++)
        for (unsigned w = 0; w < 4; w++)
            touch(&p, c, w, count, GMTRACE_OP_STORE, 128u * (4u * c + w));
    return (double)end(&p).timing.cycles;
}

static double chain(unsigned units, unsigned ctas)
{
    g_autofree gmtrace_instr *instr = g_new(gmtrace_instr, 2 * units + 2);
    for (unsigned i = 0; i < 2 * units + 2; i++)
        instr[i] = gmtest_instr(i, i % 2 ? "FADD" : "MUFU.RSQ");
    for (unsigned i = 0; i < units; i++) {
        instr[2 * i].stall = 1;
        instr[2 * i].write_barrier = 0;
        instr[2 * i + 1].wait_mask = 1;
        instr[2 * i + 1].stall = 4;
    }
    return cycles(instr, 2 * units, ctas);
}

/* What `ctas` an SM take, in times of what one takes. */
static void expect_share(unsigned ctas, double right)
{
    const double alone = chain(2 * UNITS, SMS) - chain(UNITS, SMS);
    const double found = (chain(2 * UNITS, ctas * SMS) - chain(UNITS, ctas * SMS)) / alone;
    g_test_message("%u CTAs: %.2f times one, measured %.2f", ctas, found, right);
    g_assert_cmpfloat_with_epsilon(found, right, 0.15 * right);
}

/* The pipe has room for three: a third more than full, and the last have it to themselves. */
static void test_older_first(void)
{
    expect_share(3, 16561. / 12723);
    expect_share(5, 30951. / 12723);
    expect_share(7, 38224. / 12723);
}

static double fences(unsigned count, const char *opcode)
{
    g_autofree gmtrace_instr *instr = g_new(gmtrace_instr, count + 2);
    for (unsigned i = 0; i < count + 2; i++) {
        instr[i] = gmtest_instr(i, opcode);
        instr[i].stall = 6;
    }
    return cycles(instr, count, SMS);
}

static void test_fences(void)
{
    const double gpu = (fences(48, "MEMBAR.SC.GPU") - fences(16, "MEMBAR.SC.GPU")) / 32;
    const double cta = (fences(48, "MEMBAR.SC.CTA") - fences(16, "MEMBAR.SC.CTA")) / 32;
    g_test_message("a fence after a fence: %.0f clocks of the GPU, %.0f of the CTA", gpu, cta);
    g_assert_cmpfloat_with_epsilon(gpu - cta, 251, 0.05 * 251);
    g_assert_cmpfloat(cta, <, 10); /* a turn of micro/fence.cu takes 121 with what is around it */
}

/* A warp loads a line, goes past what is between, and loads it again. */
static double hits(const char *between)
{
    enum { FIRST, BETWEEN, FENCE, SECOND, COUNT };
    gmtrace_instr instr[COUNT + 1];
    for (unsigned i = 0; i <= COUNT; i++)
        instr[i] = gmtest_instr(i, between);
    instr[BETWEEN].opcode = "MEMBAR.SC.GPU";
    memory(&instr[FIRST], "LDG.E", GMTRACE_CLASS_LOAD);
    memory(&instr[SECOND], "LDG.E", GMTRACE_CLASS_LOAD);
    program p = begin(instr, COUNT + 1, 1, 32);
    touch(&p, 0, 0, FIRST, GMTRACE_OP_LOAD, 0);
    touch(&p, 0, 0, SECOND, GMTRACE_OP_LOAD, 0);
    return (double)end(&p).row[GMSIM_GLOBAL_LOAD].l1_hit_sectors;
}

static void test_empties(void)
{
    g_assert_cmpfloat(hits("ERRBAR"), ==, 4);
    g_assert_cmpfloat(hits("CCTL.IVALL"), ==, 0);
}

/* A load and SHFL, FADD that waits for both, and a store of it: clocks more than with SHFL alone.
 */
static double load_waits(unsigned board)
{
    enum { LOAD, SHUFFLE, SUM, STORE, COUNT };
    double found[2];
    for (unsigned waits = 0; waits < 2; waits++) {
        gmtrace_instr instr[COUNT + 1];
        for (unsigned i = 0; i <= COUNT; i++) {
            instr[i] = gmtest_instr(i, i == SHUFFLE ? "SHFL.IDX" : "FADD");
            instr[i].stall = 4;
        }
        memory(&instr[LOAD], "LDG.E", GMTRACE_CLASS_LOAD);
        memory(&instr[STORE], "STG.E", GMTRACE_CLASS_STORE);
        instr[LOAD].write_barrier = 2;
        instr[SHUFFLE].write_barrier = (uint8_t)(waits ? board : 3u);
        instr[SUM].wait_mask = (uint8_t)(1u << instr[SHUFFLE].write_barrier | (waits ? 4u : 0));
        program p = begin(instr, COUNT + 1, 1, 32);
        for (uint64_t turn = 0; turn < 2; turn++) {
            touch(&p, 0, 0, LOAD, GMTRACE_OP_LOAD, turn << 20);
            touch(&p, 0, 0, STORE, GMTRACE_OP_STORE, turn << 20);
        }
        found[waits] = (double)end(&p).timing.cycles;
    }
    return found[1] - found[0];
}

/* A scoreboard counts: whoever waits for it waits for all that set it. */
static void test_scoreboard(void)
{
    g_test_message("own %.0f, the same %.0f", load_waits(1), load_waits(2));
    g_assert_cmpfloat(load_waits(1), >, 300);
    g_assert_cmpfloat(load_waits(2), ==, load_waits(1));
}

static double straight(unsigned count, uint8_t stall)
{
    g_autofree gmtrace_instr *instr = g_new(gmtrace_instr, count + 2);
    for (unsigned i = 0; i < count + 2; i++) {
        instr[i] = gmtest_instr(i, "FFMA");
        instr[i].stall = stall;
    }
    return cycles(instr, count, SMS);
}

/* 64 KB of code are near when the launch begins: a chain waits for none of them
 * (micro-cold_code.csv), what could go faster does (micro-cold_wide.csv, four chains, one warp). */
static void test_cold_code(void)
{
    const double there = straight(4000, 4), more = straight(6144, 4);
    g_test_message("2,000 instructions take %.0f clocks, 2,144 behind 64 KB %.0f",
                   there - straight(2000, 4), more - there);
    g_assert_cmpfloat_with_epsilon(there - straight(2000, 4), 4 * 2000, 80);
    g_assert_cmpfloat_with_epsilon(more - there, 43567 - 16798 + 4 * 96, 1500);
    const double wide = straight(4096, 1), far = straight(12288, 1);
    g_test_message("a clock each: %.0f, %.0f", wide - straight(1024, 1), far - wide);
    g_assert_cmpfloat_with_epsilon(wide - straight(1024, 1), 10301 - 2471, 400);
    g_assert_cmpfloat_with_epsilon(far - wide, 119285 - 10301, 3000);
}

static void operand(gmtrace_instr *instr, gmtrace_regfile file, uint8_t number, bool write)
{
    instr->operand[instr->operand_count++] = (gmtrace_operand){(uint8_t)file, number, 1, write};
}

#define CONSTANTS 512

/* A warp reads so many constants, a line apart, of fewer: the index is `& mask`. It stores at the
 * end, or behind `each`. */
static double constants(const char *mask, bool each)
{
    enum { BEGIN, INDEX, LOAD, STEP, STORE, COMPARE, AGAIN, COUNT };
    static const char *const opcode[] = {"MOV", "LOP3.LUT",     "LDC", "VIADD",
                                         "NOP", "ISETP.NE.AND", "BRA"};
    gmtrace_instr instr[COUNT + 2];
    for (unsigned i = 0; i < COUNT + 2; i++) {
        instr[i] = gmtest_instr(i, i < COUNT ? opcode[i] : "NOP");
        instr[i].stall = 6;
    }
    instr[BEGIN].operands = "R4, RZ";
    operand(&instr[BEGIN], GMTRACE_REG_GENERAL, 4, true);
    instr[INDEX].operands = mask;
    operand(&instr[INDEX], GMTRACE_REG_GENERAL, 5, true);
    operand(&instr[INDEX], GMTRACE_REG_GENERAL, 4, false);
    instr[LOAD].operands = "R6, c[0x3][R5]";
    operand(&instr[LOAD], GMTRACE_REG_GENERAL, 6, true);
    operand(&instr[LOAD], GMTRACE_REG_GENERAL, 5, false);
    instr[LOAD].op_class = GMTRACE_CLASS_LOAD;
    instr[LOAD].space = GMTRACE_SPACE_CONSTANT;
    instr[LOAD].width = 4;
    instr[LOAD].write_barrier = 0;
    instr[STEP].operands = "R4, R4, 0x40";
    instr[STEP].wait_mask = 1;
    operand(&instr[STEP], GMTRACE_REG_GENERAL, 4, true);
    operand(&instr[STEP], GMTRACE_REG_GENERAL, 4, false);
    instr[COMPARE].operands = "P0, PT, R4, 0x8000, PT";
    operand(&instr[COMPARE], GMTRACE_REG_PREDICATE, 0, true);
    operand(&instr[COMPARE], GMTRACE_REG_GENERAL, 4, false);
    instr[AGAIN].predicate = 0;
    instr[AGAIN].op_class = GMTRACE_CLASS_BRANCH;
    instr[AGAIN].target = INDEX;
    memory(&instr[each ? STORE : COUNT], "STG.E", GMTRACE_CLASS_STORE);
    program p = begin(instr, COUNT + 2, 1, 32);
    for (unsigned i = 0; i < (each ? CONSTANTS : 1); i++)
        touch(&p, 0, 0, each ? STORE : COUNT, GMTRACE_OP_STORE, 0);
    return (double)end(&p).timing.cycles;
}

/* Beyond 2 KB they miss, and what is read for the first time comes from L2: of 512 constants of
 * 4, 16 and 32 KB, against 1 KB (micro-constant_miss.csv: chain, step 16, a warp on each SM). */
static void test_constants(void)
{
    static const struct {
        const char *mask;
        double clocks;
    } row[] = {{"R5, R4, 0xfff, RZ, 0xc0, !PT", 133.1},
               {"R5, R4, 0x3fff, RZ, 0xc0, !PT", 154.0},
               {"R5, R4, 0x7fff, RZ, 0xc0, !PT", 180.9}};
    static const char *const fits = "R5, R4, 0x3ff, RZ, 0xc0, !PT";
    for (unsigned each = 0; each < 2; each++) {
        const double near = constants(fits, each);
        for (unsigned i = 0; i < G_N_ELEMENTS(row); i++) {
            const double found = (constants(row[i].mask, each) - near) / CONSTANTS,
                         right = row[i].clocks - 58.9;
            g_test_message("%s%s: %.1f clocks more a constant, measured %.1f", row[i].mask,
                           each ? ", a store each" : "", found, right);
            g_assert_cmpfloat_with_epsilon(found, right, 0.06 * right);
        }
    }
}

/* A warp of each CTA loads so many lines, the same for all, one after the other. */
static double lines(unsigned count, unsigned ctas)
{
    g_autofree gmtrace_instr *instr = g_new(gmtrace_instr, count + 1);
    for (unsigned i = 0; i < count + 1; i++)
        instr[i] = gmtest_instr(i, "NOP");
    for (unsigned i = 0; i < count; i++) {
        memory(&instr[i], "LDG.E", GMTRACE_CLASS_LOAD);
        instr[i].stall = 2;
        instr[i].write_barrier = 0;
        instr[i].wait_mask = 1;
    }
    program p = begin(instr, count + 1, ctas, 32);
    for (unsigned c = 0; c < ctas; c++)
        for (unsigned i = 0; i < count; i++)
            touch(&p, c, 0, i, GMTRACE_OP_LOAD, 128u * i);
    return (double)end(&p).timing.cycles;
}

/* From DRAM, of 8,192 lines: 724 clocks for one SM, 599 for 132 (micro-together.csv, step 128, one
 * lane), of which 26 and more are refresh. */
static void test_together(void)
{
    enum { FEW = 512, MANY = 1536 };
    const double alone = (lines(MANY, 1) - lines(FEW, 1)) / (MANY - FEW),
                 all = (lines(MANY, SMS) - lines(FEW, SMS)) / (MANY - FEW);
    g_test_message("a line: %.1f clocks for one SM, %.1f for all", alone, all);
    g_assert_cmpfloat_with_epsilon(alone - all, 724 - 599, 20);
}

/* A warp loads a line, from DRAM or L2, and then one that L2 has, and waits for this alone. */
static double pairs(unsigned count, bool cold)
{
    g_autofree gmtrace_instr *instr = g_new(gmtrace_instr, 2 * count + 1);
    for (unsigned i = 0; i < 2 * count + 1; i++)
        instr[i] = gmtest_instr(i, "NOP");
    for (unsigned i = 0; i < 2 * count; i++) {
        memory(&instr[i], "LDG.E.STRONG.GPU", GMTRACE_CLASS_LOAD);
        instr[i].cache = GMTRACE_CACHE_STRONG_GPU;
        instr[i].stall = 2;
        instr[i].write_barrier = i % 2 ? 0 : 1;
        instr[i].wait_mask = i % 2 ? 0 : 1;
    }
    program p = begin(instr, 2 * count + 1, 1, 32);
    for (unsigned i = 0; i < count; i++) {
        touch(&p, 0, 0, 2 * i, GMTRACE_OP_LOAD, cold ? 128u * (i + 2u) : 128u);
        touch(&p, 0, 0, 2 * i + 1, GMTRACE_OP_LOAD, 0);
    }
    return (double)end(&p).timing.cycles;
}

/* What L2 answers a warp comes in the order in which it was asked: 811 clocks behind a load from
 * DRAM, 404 behind one that L2 has (micro-hit_behind.csv: own, one first, then l2). */
static void test_in_order(void)
{
    enum { FEW = 16, MANY = 400 };
    const double warm = (pairs(MANY, false) - pairs(FEW, false)) / (MANY - FEW),
                 cold = (pairs(MANY, true) - pairs(FEW, true)) / (MANY - FEW);
    g_test_message("a load from L2: %.1f clocks, %.1f behind one from DRAM", warm, cold);
    g_assert_cmpfloat_with_epsilon(cold - warm, 811 - 404, 60);
}

/* A barrier and `count` additions, all of them in the trace. */
static double behind_barrier(unsigned count)
{
    enum { BARRIER, ADD, END, COUNT };
    gmtrace_instr instr[COUNT] = {gmtest_instr(0, "BAR.SYNC"), gmtest_instr(1, "FADD"),
                                  gmtest_instr(2, "EXIT")};
    instr[BARRIER].op_class = GMTRACE_CLASS_BARRIER;
    instr[ADD].stall = 4;
    program p = begin(instr, COUNT, 1, 40);
    for (unsigned w = 0; w < 2; w++) {
        gmtrace_record record = {.mask = w ? 0xffu : UINT32_MAX, .kind = GMTRACE_BARRIER};
        record.aux = 40;
        gmtest_append(&p.trace, 0, w, &record, NULL);
        record = (gmtrace_record){.mask = record.mask, .kind = GMTRACE_EXEC, .instr = ADD};
        for (unsigned i = 0; i < count; i++)
            gmtest_append(&p.trace, 0, w, &record, NULL);
    }
    return (double)end(&p).timing.cycles;
}

static void test_behind_barrier(void)
{
    g_assert_cmpfloat_with_epsilon(behind_barrier(600) - behind_barrier(100), 4 * 500, 20);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/share/older", test_older_first);
    g_test_add_func("/fence/clocks", test_fences);
    g_test_add_func("/fence/empties", test_empties);
    g_test_add_func("/scoreboard/counts", test_scoreboard);
    g_test_add_func("/barrier/full-detail", test_behind_barrier);
    g_test_add_func("/code/cold", test_cold_code);
    g_test_add_func("/constants/miss", test_constants);
    g_test_add_func("/dram/together", test_together);
    g_test_add_func("/dram/in-order", test_in_order);
    return g_test_run();
}
