/* SPDX-License-Identifier: MIT
 *
 * sides_unit.c - both sides of branches that each lane decides by what it has loaded, and all
 * targets of jumps by a table.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/path.h"

#define NO GMTRACE_NO_INSTR
#define CODE(op, args, c, sp, t)                                                                   \
    {                                                                                              \
        .opcode = op, .operands = args, .op_class = GMTRACE_CLASS_##c,                             \
        .space = GMTRACE_SPACE_##sp, .target = t, .file = GMTRACE_UNKNOWN,                         \
        .predicate = GMTRACE_NO_REGISTER, .write_barrier = 7, .read_barrier = 7, .stall = 2        \
    }
#define TID    CODE("S2R", "R6, SR_TID.X", OTHER, NONE, NO)
#define CTAID  CODE("S2R", "R6, SR_CTAID.X", OTHER, NONE, NO)
#define LDG    CODE("LDG.E", "R4, desc[UR4][R6.64]", LOAD, GLOBAL, NO)
#define STG    CODE("STG.E", "desc[UR4][R8.64], R5", STORE, GLOBAL, NO)
#define SETP   CODE("FSETP.GE.AND", "P0, PT, R4, 0.5, PT", FP32, NONE, NO)
#define ADD    CODE("FADD", "R5, R5, R4", FP32, NONE, NO)
#define MUFU   CODE("MUFU.RCP", "R4, R4", SPECIAL, NONE, NO)
#define BRA(t) CODE("BRA", "`(.L_x_9)", BRANCH, NONE, t)
#define BSSY   CODE("BSSY", "B0, `(.L_x_9)", RECONVERGE, NONE, 14)
#define BSYNC  CODE("BSYNC", "B0", RECONVERGE, NONE, NO)
#define EXIT   CODE("EXIT", "", EXIT, NONE, NO)

static void operand(gmtrace_instr *instr, uint8_t file, uint8_t first, bool write)
{
    instr->operand[instr->operand_count++] = (gmtrace_operand){file, first, 1, write};
}

/* What the code reads and writes, as far as it matters here. */
static void name_registers(gmtrace_instr *code, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *op = code[i].opcode;
        if (strcmp(op, "S2R") == 0)
            operand(&code[i], GMTRACE_REG_GENERAL, 6, true);
        if (strcmp(op, "LDG.E") == 0 || strcmp(op, "MUFU.RCP") == 0) {
            operand(&code[i], GMTRACE_REG_GENERAL, 4, true);
            operand(&code[i], GMTRACE_REG_GENERAL, *op == 'L' ? 6 : 4, false);
        }
        if (strcmp(op, "FSETP.GE.AND") == 0) {
            operand(&code[i], GMTRACE_REG_PREDICATE, 0, true);
            operand(&code[i], GMTRACE_REG_GENERAL, 4, false);
        }
        if (strcmp(op, "BRX") == 0)
            operand(&code[i], GMTRACE_REG_GENERAL, 4, false);
        if (strcmp(op, "BRA") == 0 && i && strcmp(code[i - 1u].opcode, "FSETP.GE.AND") == 0)
            code[i].predicate = 0;
    }
}

/* Instructions that a whole warp executes between its load, which comes second, and its store. */
static uint64_t executed(gmtrace_instr *code, uint32_t count, uint32_t store)
{
    gmtrace_kernel kernel = {.instr = code, .instr_count = count};
    gmtrace_path_warp warp;
    gmtrace_paths *paths;
    name_registers(code, count);
    paths = gmtrace_paths_create(&kernel, GMTRACE_DETAIL_MEMORY);
    g_assert_nonnull(paths);
    gmtrace_path_enter(paths, &warp, UINT32_MAX);
    const gmtrace_record load = {.instr = 1, .mask = UINT32_MAX, .op = GMTRACE_OP_LOAD};
    const gmtrace_record last = {.instr = store, .mask = UINT32_MAX, .op = GMTRACE_OP_STORE};
    gmtrace_path_step(paths, &warp, &load);
    const gmtrace_path *path = gmtrace_path_step(paths, &warp, &last);
    const uint64_t instructions = path->instructions;
    g_assert_true(path->ambiguous);
    gmtrace_paths_free(paths);
    return instructions;
}

/* One side is 6 to 9, the other 10 to 12; they meet at 13. */
static uint64_t two_sides(const gmtrace_instr *first, const char *compared)
{
    gmtrace_instr code[] = {*first, LDG,     MUFU, BSSY, SETP, BRA(10), ADD, ADD,
                            ADD,    BRA(13), ADD,  ADD,  ADD,  BSYNC,   STG, EXIT};
    code[4].operands = compared;
    return executed(code, G_N_ELEMENTS(code), 14);
}

static void test_both(void)
{
    const gmtrace_instr tid = TID, cta = CTAID;
    /* MUFU, BSSY, SETP, BRA; 3 and a branch; 3; BSYNC by each */
    g_assert_cmpuint(two_sides(&tid, "P0, PT, R4, 0.5, PT"), ==, 4 + 4 + 3 + 2);
    /* all lanes load one word: one side, that which falls through */
    g_assert_cmpuint(two_sides(&cta, "P0, PT, R4, 0.5, PT"), ==, 4 + 4 + 1);
    /* P0 jumps to what is for large numbers, or very small ones */
    g_assert_cmpuint(two_sides(&tid, "P0, PT, |R4|, 105615, PT"), ==, 4 + 4 + 1);
    g_assert_cmpuint(two_sides(&tid, "P0, PT, R4, 9.9999997473787516356e-05, PT"), ==, 4 + 3 + 1);
}

/* A float made of a word that all lanes load and the lane's number: both sides, as in test_both. */
static void test_mixed(void)
{
    gmtrace_instr code[] = {CTAID, LDG,     TID, CODE("I2F", "R7, R6", OTHER, NONE, NO),
                            SETP,  BRA(10), ADD, ADD,
                            ADD,   BRA(13), ADD, ADD,
                            ADD,   BSYNC,   STG, EXIT};
    operand(&code[3], GMTRACE_REG_GENERAL, 7, true);
    operand(&code[3], GMTRACE_REG_GENERAL, 6, false);
    operand(&code[4], GMTRACE_REG_GENERAL, 7, false);
    g_assert_cmpuint(executed(code, G_N_ELEMENTS(code), 14), ==, 4 + 4 + 3 + 2);
}

static void test_within(void)
{
    gmtrace_instr code[] = {TID,     LDG, MUFU, BSSY,    SETP, BRA(9), SETP, BRA(12),
                            BRA(12), ADD, ADD,  BRA(13), ADD,  BSYNC,  STG,  EXIT};
    /* to 5; to 8, which jumps to 12; 12 once for each that comes there; 9 to 11; 13 by both */
    const uint64_t found = executed(code, G_N_ELEMENTS(code), 14);
    g_assert_cmpuint(found, ==, 4 + 3 + 1 + 3 + 2);
}

/* Two sides of a table behind a branch that others name, and the place where they meet. */
static uint64_t by_table(const char *places)
{
    gmtrace_instr code[] = {TID,
                            LDG,
                            MUFU,
                            BSSY,
                            CODE("BRX", places, BRANCH, NONE, NO),
                            ADD,
                            BRA(13),
                            ADD,
                            ADD,
                            BRA(13),
                            CODE("NOP", "", OTHER, NONE, NO),
                            CODE("NOP", "", OTHER, NONE, NO),
                            CODE("NOP", "", OTHER, NONE, NO),
                            BSYNC,
                            STG,
                            EXIT};
    for (uint32_t i = 0; i < G_N_ELEMENTS(code); i++)
        code[i].pc = 16u * i;
    return executed(code, G_N_ELEMENTS(code), 14);
}

static void test_table(void)
{
    /* to 4; 5 and 6; 7 to 9; the third target is where they meet, and wait */
    g_assert_cmpuint(by_table("R4 -0x10 (*\"BRANCH_TARGETS .L_x_20,.L_x_21,.L_x_9\"*)"), ==,
                     3 + 2 + 3 + 2);
    g_assert_cmpuint(by_table("R4 -0x10 (*\"BRANCH_TARGETS 0x50,0x70,0xd0\"*)"), ==, 3 + 2 + 3 + 2);
    /* nothing else leads to 10 either, but the table says where it leads to */
    g_assert_cmpuint(by_table("R4 -0x10 (*\"BRANCH_TARGETS 0x70,0x50,0x50,0xd0\"*)"), ==,
                     3 + 2 + 3 + 2);
    /* no instruction's place: each place that nothing else leads to may be one */
    g_assert_cmpuint(by_table("R4 -0x10 (*\"BRANCH_TARGETS 0x58,0x70\"*)"), ==, 3 + 2 + 3 + 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sides/both", test_both);
    g_test_add_func("/sides/mixed", test_mixed);
    g_test_add_func("/sides/within", test_within);
    g_test_add_func("/sides/table", test_table);
    return g_test_run();
}
