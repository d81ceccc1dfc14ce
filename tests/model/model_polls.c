/* SPDX-License-Identifier: MIT
 *
 * model_polls.c - warps that read a word until another CTA has written it: how often a captured
 * warp read makes no difference, who waits goes on when the word is written, CTAs have their turns
 * one after the other, a barrier holds all, a look-back goes back as far as it has to; who sleeps
 * reads less often; and where
 * all wait for what nobody will write, the launch ends all the same.
 */
#include "sim/model/model.h"
#include "tests/support/trace_builder.h"

#include <glib/gstdio.h>
#include <string.h>

#define WORD 0x7f0000000000u
#define DATA 0x7f0010000000u

enum { SLEEP, POLL, COMPARE, AGAIN, WORK, WRITE, ADD, EXIT, CODE_COUNT };

#define REG(number, registers, writes)                                                             \
    {                                                                                              \
        GMTRACE_REG_GENERAL, number, registers, writes                                             \
    }

static char *path;
static bool sleepy; /* the loop sleeps before it reads */
static gmtest_trace trace;

/* A loop that polls, a load that the next one waits for, a strong store, a reduction. */
static void fill(gmtrace_instr *code)
{
    const char *const opcode[] = {
        sleepy ? "NANOSLEEP" : "NOP", "LDG.E.STRONG.GPU",      "ISETP.NE.AND", "BRA", "LDG.E",
        "STG.E.STRONG.GPU",           "REDG.E.ADD.STRONG.GPU", "EXIT"};
    static const char *const operands[] = {"0x2bc",
                                           "R9, desc[UR6][R4.64]",
                                           "P0, PT, R9, R6, PT",
                                           "`(.L_x_0)",
                                           "R8, desc[UR6][R2.64]",
                                           "desc[UR6][R10.64], R12",
                                           "desc[UR6][R10.64], R12",
                                           ""};
    static const uint8_t op_class[] = {
        GMTRACE_CLASS_OTHER, GMTRACE_CLASS_LOAD,  GMTRACE_CLASS_INT,       GMTRACE_CLASS_BRANCH,
        GMTRACE_CLASS_LOAD,  GMTRACE_CLASS_STORE, GMTRACE_CLASS_REDUCTION, GMTRACE_CLASS_EXIT};
    static const gmtrace_operand operand[][3] = {
        {{0}},
        {REG(9, 1, 1), REG(4, 2, 0)},
        {{GMTRACE_REG_PREDICATE, 0, 1, 1}, REG(9, 1, 0), REG(6, 1, 0)},
        {{GMTRACE_REG_PREDICATE, 0, 1, 0}},
        {REG(8, 1, 1), REG(2, 2, 0)},
        {REG(10, 2, 0), REG(12, 1, 0)},
        {REG(10, 2, 0), REG(12, 1, 0)},
        {{0}}};
    static const uint8_t count[] = {0, 2, 3, 1, 2, 2, 2, 0};

    for (uint32_t i = 0; i < CODE_COUNT; i++) {
        code[i] = gmtest_instr(i, opcode[i]);
        code[i].operands = operands[i];
        code[i].op_class = op_class[i];
        code[i].operand_count = count[i];
        code[i].stall = 4;
        memcpy(code[i].operand, operand[i], sizeof operand[i]);
        if (i == POLL || i == WORK || i == WRITE || i == ADD) {
            code[i].space = GMTRACE_SPACE_GLOBAL;
            code[i].width = 4;
            code[i].cache = i == WORK ? GMTRACE_CACHE_DEFAULT : GMTRACE_CACHE_STRONG_GPU;
        }
    }
    code[POLL].write_barrier = code[WORK].write_barrier = 0;
    code[COMPARE].wait_mask = code[WORK].wait_mask = code[WRITE].wait_mask = 1;
    code[AGAIN].predicate = 0;
    code[AGAIN].target = sleepy ? SLEEP : POLL;
}

static void begin(uint32_t ctas)
{
    gmtrace_instr code[CODE_COUNT];
    const gmtrace_kernel kernel = {.mangled = "polls",
                                   .name = "polls",
                                   .registers = 32,
                                   .barriers = 1,
                                   .instr_count = CODE_COUNT,
                                   .instr = code};
    fill(code);
    gmtest_open(&trace, path);
    gmtest_use_kernel(&trace, &kernel);
    gmtest_launch(&trace, ctas, 32);
}

/* Lane 0's, or with a stride all lanes'. */
static void append(uint64_t cta, uint32_t instr, uint64_t address, int32_t stride)
{
    const gmtrace_record record = {.kind = GMTRACE_ACCESS,
                                   .instr = instr,
                                   .mask = stride ? UINT32_MAX : 1u,
                                   .op = (uint8_t)(instr == WRITE ? GMTRACE_OP_STORE
                                                   : instr == ADD ? GMTRACE_OP_REDUCTION
                                                                  : GMTRACE_OP_LOAD),
                                   .space = GMTRACE_SPACE_GLOBAL,
                                   .shape = GMTRACE_AFFINE,
                                   .size = 4,
                                   .stride = stride,
                                   .address = address};
    gmtest_append(&trace, cta, 0, &record, NULL);
}

static void poll(uint64_t cta, uint64_t word, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        append(cta, POLL, WORD + 128u * word, 0);
}

/* So many loads from DRAM, one after the other. */
static void work(uint64_t cta, uint32_t loads)
{
    for (uint32_t i = 0; i < loads; i++)
        append(cta, WORK, DATA + (cta << 20) + 4096u * i, 0);
}

static void put(uint64_t cta, uint64_t word, bool adds)
{
    append(cta, adds ? ADD : WRITE, WORD + 128u * word, 0);
}

typedef struct outcome {
    uint64_t cycles, requests; /* of loads */
} outcome;

static outcome run(uint32_t ctas)
{
    for (uint64_t cta = 0; cta < ctas; cta++)
        gmtest_end_cta(&trace, cta);
    gmtest_close(&trace);
    GError *error = NULL;
    gmtrace_error reason;
    gmsim_gpu gpu;
    gmtrace_reader *reader = gmtrace_open(path, &reason);
    g_assert_nonnull(reader);
    gmsim_gpu_load(&gpu, "h200", &error);
    g_assert_no_error(error);
    outcome first = {0};
    for (uint32_t threads = 1; threads <= 4u; threads += 3u) {
        gmsim_model *model = gmsim_model_new(
            &gpu, &(gmsim_options){.flush = true, .threads = threads, .share_from = 1}, &error);
        g_assert_no_error(error);
        const gmsim_result *result = gmsim_model_run(model, reader, 0, NULL, NULL, &error);
        g_assert_no_error(error);
        const outcome one = {result->timing.cycles, result->row[GMSIM_GLOBAL_LOAD].requests};
        if (threads == 1u)
            first = one;
        g_assert_cmpuint(one.cycles, ==, first.cycles);
        g_assert_cmpuint(one.requests, ==, first.requests);
        gmsim_model_free(model);
    }
    gmtrace_close(reader);
    g_unlink(path);
    return first;
}

/* CTA 0 works, and writes a flag that CTA 1 has polled so often. */
static outcome flag(uint32_t loads, uint32_t polls)
{
    begin(2);
    work(0, loads);
    put(0, 0, false);
    poll(1, 0, polls);
    work(1, 1);
    return run(2);
}

static void test_flag(void)
{
    const outcome soon = flag(1, 1), late = flag(40, 1), again = flag(40, 300);
    g_assert_cmpuint(late.cycles, >, soon.cycles + 39u * 500u);
    g_assert_cmpuint(again.cycles, ==, late.cycles);
    g_assert_cmpuint(again.requests, ==, late.requests);
    const uint64_t polls = late.requests - 41u, clocks = late.cycles - soon.cycles;
    g_assert_cmpuint(polls * 250u, <, clocks + 3000u);
    g_assert_cmpuint(polls * 400u, >, clocks);
}

/* A loop that sleeps 700 nanoseconds reads with every tick of 1,024. */
static void test_sleep(void)
{
    sleepy = true;
    const outcome soon = flag(1, 1), late = flag(40, 1);
    sleepy = false;
    const uint64_t polls = late.requests - 41u, clocks = late.cycles - soon.cycles;
    g_assert_cmpuint(clocks, >, 39u * 500u);
    g_assert_cmpuint(polls * 1900u, <, clocks + 6000u);
    g_assert_cmpuint(polls * 2200u, >, clocks);
}

/* CTAs that wait for their turns at one word, or at one each. */
static outcome turns(uint32_t ctas, bool together)
{
    begin(ctas);
    for (uint64_t cta = 0; cta < ctas; cta++) {
        poll(cta, together ? 0 : cta, 1u + (uint32_t)(cta % 3u));
        work(cta, 2);
        put(cta, together ? 0 : cta, false);
    }
    return run(ctas);
}

static void test_turns(void)
{
    const outcome one = turns(1, true), apart = turns(16, false), four = turns(4, true),
                  many = turns(16, true);
    g_assert_cmpuint(apart.cycles, <, one.cycles + 1000u);
    g_assert_cmpuint(many.cycles, >, one.cycles + 15u * 1000u);
    g_assert_cmpuint((many.cycles - one.cycles) * 3u, >, (four.cycles - one.cycles) * 14u);
    g_assert_cmpuint((many.cycles - one.cycles) * 3u, <, (four.cycles - one.cycles) * 16u);
}

/* All come to a barrier, the last of them late. */
static outcome barrier(uint32_t ctas, uint32_t late)
{
    begin(ctas);
    for (uint64_t cta = 0; cta < ctas; cta++)
        for (uint32_t round = 0; round < 2u; round++) {
            work(cta, cta + 1u == ctas ? late : 1u);
            put(cta, 0, true);
            poll(cta, 0, 1);
        }
    return run(ctas);
}

static void test_barrier(void)
{
    const outcome even = barrier(64, 1), late = barrier(64, 20);
    g_assert_cmpuint(late.cycles, >, even.cycles + 2u * 18u * 300u);
    g_assert_cmpuint(late.requests, >, even.requests + 63u * 2u * 18u * 300u / 400u);
}

/* Each CTA reads the flags of the 32 before it, which are written twice; those before the first are
 * there. It was captured when one of them had been written for the second time. */
static outcome lookback(uint32_t ctas)
{
    begin(ctas);
    for (uint64_t cta = 0; cta < ctas; cta++) {
        const uint64_t own = WORD + 4096u + 4u * cta;
        append(cta, WRITE, own, 0);
        if (!cta)
            continue;
        append(cta, POLL, own - 4u, -4);
        append(cta, WRITE, own, 0);
    }
    return run(ctas);
}

/* Lanes that each look for a word of one CTA, the one before, of which all are written twice: they
 * do not go on to what that one's other lanes have. */
static outcome apart(uint32_t ctas)
{
    begin(ctas);
    for (uint64_t cta = 0; cta < ctas; cta++) {
        const uint64_t own = WORD + 4096u + 128u * cta;
        append(cta, WRITE, own, 4);
        if (cta)
            append(cta, POLL, own - 128u, 4);
        work(cta, 30);
        append(cta, WRITE, own, 4);
    }
    return run(ctas);
}

static void test_apart(void)
{
    const outcome two = apart(2), many = apart(64);
    g_assert_cmpuint(many.requests - 64u * 30u, <=, 63u * (two.requests - 2u * 30u + 3u));
    g_assert_cmpuint(many.cycles, <, two.cycles + 3000u);
}

static void test_lookback(void)
{
    const outcome one = lookback(30), four = lookback(120);
    g_assert_cmpuint(four.requests - 119u, >, one.requests - 29u + 50u); /* to rows farther back */
    g_assert_cmpuint(four.cycles, >, one.cycles + 300u);
    g_assert_cmpuint(four.cycles, <, one.cycles + 5000u);
}

/* What two CTAs wait for comes behind what the other waits for: this cannot be what they did. */
static void test_stuck(void)
{
    begin(2);
    poll(0, 1, 2);
    put(0, 0, false);
    poll(1, 0, 2);
    put(1, 1, false);
    const outcome stuck = run(2);
    g_assert_cmpuint(stuck.cycles, >, 3000);
    g_assert_cmpuint(stuck.cycles, <, 60000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    char *folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    path = g_build_filename(folder, "test.trc", NULL);
    g_test_add_func("/polls/flag", test_flag);
    g_test_add_func("/polls/sleep", test_sleep);
    g_test_add_func("/polls/apart", test_apart);
    g_test_add_func("/polls/turns", test_turns);
    g_test_add_func("/polls/barrier", test_barrier);
    g_test_add_func("/polls/lookback", test_lookback);
    g_test_add_func("/polls/stuck", test_stuck);
    const int failed = g_test_run();
    g_rmdir(folder);
    g_free(folder);
    g_free(path);
    return failed;
}
