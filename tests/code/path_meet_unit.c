/* SPDX-License-Identifier: MIT
 *
 * path_meet_unit.c - lanes that part at one branch after the other and meet in between, where only
 * records' masks tell who went where. What the hardware executes is worked out by hand: each
 * instruction once, but BSYNC by each part that comes to it.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/path.h"

#define LOW   0x0000ffffu
#define HIGH  0xffff0000u
#define THIRD 0x00249249u

/* Predicate P0, or none; opcode, operands, class, where it goes. */
#define CODE(p, op, args, c, t)                                                                    \
    {                                                                                              \
        .opcode = op, .operands = args, .op_class = GMTRACE_CLASS_##c,                             \
        .space =                                                                                   \
            GMTRACE_CLASS_##c == GMTRACE_CLASS_LOAD ? GMTRACE_SPACE_GLOBAL : GMTRACE_SPACE_NONE,   \
        .target = t, .file = GMTRACE_UNKNOWN, .predicate = p ? 0 : GMTRACE_NO_REGISTER,            \
        .write_barrier = 7, .read_barrier = 7, .stall = 2                                          \
    }
#define LOAD    CODE(0, "LDG.E", "R4, desc[UR4][R6.64]", LOAD, GMTRACE_NO_INSTR)
#define LOAD_IF CODE(1, "LDG.E", "R4, desc[UR4][R6.64]", LOAD, GMTRACE_NO_INSTR)
#define ADD     CODE(0, "IADD3", "R4, R4, R2, RZ", INT, GMTRACE_NO_INSTR)
#define SET                                                                                        \
    {                                                                                              \
        .opcode = "ISETP.GE.AND", .operands = "P0, PT, R4, R2, PT", .op_class = GMTRACE_CLASS_INT, \
        .space = GMTRACE_SPACE_NONE, .target = GMTRACE_NO_INSTR, .file = GMTRACE_UNKNOWN,          \
        .predicate = GMTRACE_NO_REGISTER, .write_barrier = 7, .read_barrier = 7, .stall = 2,       \
        .operand_count = 1, .operand = {                                                           \
            {GMTRACE_REG_PREDICATE, 0, 1, 1}                                                       \
        }                                                                                          \
    }
#define SKIP(t) CODE(1, "BRA", "`(.L_x)", BRANCH, t)
#define BSSY    CODE(0, "BSSY", "B0, `(.L_x)", RECONVERGE, GMTRACE_NO_INSTR)
#define BSYNC   CODE(0, "BSYNC", "B0", RECONVERGE, GMTRACE_NO_INSTR)
#define EXIT    CODE(0, "EXIT", "", EXIT, GMTRACE_NO_INSTR)

/* if (A) load; add; if (B) load; add; if (C) load; add; load */
static const gmtrace_instr code[] = {LOAD,  SET, BSSY,    SKIP(6),  LOAD, ADD,
                                     BSYNC, SET, BSSY,    SKIP(12), LOAD, ADD,
                                     BSYNC, SET, LOAD_IF, ADD,      LOAD, EXIT};
enum { ONCE = G_N_ELEMENTS(code), FIRST = 0, IN_A = 4, IN_B = 10, IF_C = 14, LAST = 16 };

typedef struct step {
    uint32_t instr, mask;
} step;

/* How many instructions the warp executes that has these records. */
static uint64_t executed(const step *steps)
{
    const gmtrace_kernel kernel = {.instr = code, .instr_count = G_N_ELEMENTS(code)};
    gmtrace_paths *paths = gmtrace_paths_create(&kernel, GMTRACE_DETAIL_MEMORY);
    gmtrace_path_warp warp;
    g_assert_nonnull(paths);
    gmtrace_path_enter(paths, &warp, UINT32_MAX);
    for (; steps->mask; steps++) {
        const gmtrace_record record = {
            .instr = steps->instr, .mask = steps->mask, .op = GMTRACE_OP_LOAD};
        g_assert_nonnull(gmtrace_path_step(paths, &warp, &record));
    }
    g_assert_nonnull(gmtrace_path_end(paths, &warp));
    const gmtrace_path_counts counts = gmtrace_path_get_counts(paths);
    g_assert_false(gmtrace_paths_failed(paths));
    g_assert_cmpuint(counts.lost, ==, 0);
    gmtrace_paths_free(paths);
    return counts.instructions;
}

#define EXECUTED(...) executed((const step[]){__VA_ARGS__, {0, 0}})

static void test_others(void)
{
    /* Who is not in the first part is all of the second. */
    g_assert_cmpuint(EXECUTED({FIRST, UINT32_MAX}, {IN_A, HIGH}, {IN_B, LOW}, {LAST, UINT32_MAX}),
                     ==, ONCE + 2);
    /* The same, and then some of those under a predicate, who the first part comes along with. */
    g_assert_cmpuint(EXECUTED({FIRST, UINT32_MAX}, {IN_A, HIGH}, {IN_B, LOW}, {IF_C, THIRD & LOW},
                              {LAST, UINT32_MAX}),
                     ==, ONCE + 2);
    g_assert_cmpuint(
        EXECUTED({FIRST, UINT32_MAX}, {IN_A, LOW}, {IN_B, HIGH}, {IF_C, HIGH}, {LAST, UINT32_MAX}),
        ==, ONCE + 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/path/meet/others", test_others);
    return g_test_run();
}
