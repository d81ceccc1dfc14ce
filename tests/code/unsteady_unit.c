/* SPDX-License-Identifier: MIT
 *
 * unsteady_unit.c - what is found unsteady of small pieces of code, as a compiler writes them.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/unsteady.h"

#define NO GMTRACE_NO_INSTR

/* Operands: general registers unless said otherwise, r read, w written. */
#define R(first, count)                                                                            \
    {                                                                                              \
        GMTRACE_REG_GENERAL, first, count, 0                                                       \
    }
#define W(first, count)                                                                            \
    {                                                                                              \
        GMTRACE_REG_GENERAL, first, count, 1                                                       \
    }
#define RP(number)                                                                                 \
    {                                                                                              \
        GMTRACE_REG_PREDICATE, number, 1, 0                                                        \
    }
#define WP(number)                                                                                 \
    {                                                                                              \
        GMTRACE_REG_PREDICATE, number, 1, 1                                                        \
    }
#define OPERANDS(count, ...) .operand_count = count, .operand = {__VA_ARGS__}
#define ALWAYS               .predicate = GMTRACE_NO_REGISTER, .target = NO
#define IF(number)           .predicate = number, .target = NO

/* A try to change the word at R4: R9 is what was there. The listing merges neighbours. */
#define CAS                                                                                        \
    {                                                                                              \
        .opcode = "ATOMG.E.CAS.STRONG.GPU", .operands = "PT, R9, [R4], R6, R7",                    \
        .op_class = GMTRACE_CLASS_ATOMIC, .space = GMTRACE_SPACE_GLOBAL, .width = 4, ALWAYS,       \
        OPERANDS(2, W(9, 1), R(4, 4))                                                              \
    }
#define ADD_OLD                                                                                    \
    {                                                                                              \
        .opcode = "ATOMG.E.ADD.STRONG.GPU", .operands = "PT, R9, desc[UR6][R4.64], R6",            \
        .op_class = GMTRACE_CLASS_ATOMIC, .space = GMTRACE_SPACE_GLOBAL, .width = 4, ALWAYS,       \
        OPERANDS(2, W(9, 1), R(4, 3))                                                              \
    }
#define LOAD_STRONG                                                                                \
    {                                                                                              \
        .opcode = "LDG.E.STRONG.GPU", .operands = "R9, desc[UR6][R4.64]",                          \
        .op_class = GMTRACE_CLASS_LOAD, .space = GMTRACE_SPACE_GLOBAL, .width = 4,                 \
        .cache = GMTRACE_CACHE_STRONG_GPU, ALWAYS, OPERANDS(2, W(9, 1), R(4, 2))                   \
    }
#define COMPARE                                                                                    \
    {                                                                                              \
        .opcode = "ISETP.NE.AND", .operands = "P0, PT, R9, R6, PT", .op_class = GMTRACE_CLASS_INT, \
        ALWAYS, OPERANDS(3, WP(0), R(9, 1), R(6, 1))                                               \
    }
#define BACK_IF(to)                                                                                \
    {                                                                                              \
        .opcode = "BRA", .operands = "`(.L_x)", .op_class = GMTRACE_CLASS_BRANCH, .predicate = 0,  \
        .target = to, OPERANDS(1, RP(0))                                                           \
    }
#define NEXT_ADDRESS                                                                               \
    {                                                                                              \
        .opcode = "IADD3", .operands = "R4, R4, 0x4, RZ", .op_class = GMTRACE_CLASS_INT, ALWAYS,   \
        OPERANDS(2, W(4, 1), R(4, 1))                                                              \
    }
#define PLACE                                                                                      \
    {                                                                                              \
        .opcode = "IMAD.WIDE", .operands = "R10, R9, 0x4, R2", .op_class = GMTRACE_CLASS_INT,      \
        ALWAYS, OPERANDS(3, W(10, 2), R(9, 1), R(2, 2))                                            \
    }
#define FORGET                                                                                     \
    {                                                                                              \
        .opcode = "MOV", .operands = "R9, RZ", .op_class = GMTRACE_CLASS_INT, ALWAYS,              \
        OPERANDS(1, W(9, 1))                                                                       \
    }
#define STORE_THERE                                                                                \
    {                                                                                              \
        .opcode = "STG.E", .operands = "desc[UR6][R10.64], R12", .op_class = GMTRACE_CLASS_STORE,  \
        .space = GMTRACE_SPACE_GLOBAL, .width = 4, ALWAYS, OPERANDS(2, R(10, 2), R(12, 1))         \
    }
#define STORE_IT                                                                                   \
    {                                                                                              \
        .opcode = "STG.E", .operands = "desc[UR6][R2.64], R9", .op_class = GMTRACE_CLASS_STORE,    \
        .space = GMTRACE_SPACE_GLOBAL, .width = 4, ALWAYS, OPERANDS(2, R(2, 2), R(9, 1))           \
    }
#define KEEP                                                                                       \
    {                                                                                              \
        .opcode = "STS", .operands = "[R1], R9", .op_class = GMTRACE_CLASS_STORE,                  \
        .space = GMTRACE_SPACE_SHARED, .width = 4, ALWAYS, OPERANDS(2, R(1, 1), R(9, 1))           \
    }
#define TAKE                                                                                       \
    {                                                                                              \
        .opcode = "LDS", .operands = "R9, [R1]", .op_class = GMTRACE_CLASS_LOAD,                   \
        .space = GMTRACE_SPACE_SHARED, .width = 4, ALWAYS, OPERANDS(2, W(9, 1), R(1, 1))           \
    }
#define EXIT                                                                                       \
    {                                                                                              \
        .opcode = "EXIT", .operands = "", .op_class = GMTRACE_CLASS_EXIT, ALWAYS                   \
    }

/* The kind of the first instruction; all others are steady. */
#define FIRST_IS(kind_, ...)                                                                       \
    do {                                                                                           \
        const gmtrace_instr code[] = {__VA_ARGS__};                                                \
        expect(code, G_N_ELEMENTS(code), kind_);                                                   \
    } while (0)

static void expect(const gmtrace_instr *code, uint32_t count, gmtrace_unsteady first)
{
    const gmtrace_kernel kernel = {.instr = code, .instr_count = count};
    uint8_t kind[16];
    g_assert_cmpuint(count, <=, sizeof kind);
    memset(kind, 0xff, sizeof kind);
    g_assert_true(gmtrace_find_unsteady(&kernel, kind));
    g_assert_cmpuint(kind[0], ==, first);
    for (uint32_t i = 1; i < count; i++)
        g_assert_cmpuint(kind[i], ==, GMTRACE_STEADY);
}

static void test_spin(void)
{
    FIRST_IS(GMTRACE_UNSTEADY_SPIN, CAS, COMPARE, BACK_IF(0), EXIT);
    FIRST_IS(GMTRACE_UNSTEADY_SPIN, LOAD_STRONG, COMPARE, BACK_IF(0), EXIT);
}

/* Only a load that nothing else is accessed behind waits. */
static void test_polls(void)
{
    const gmtrace_instr waiting[] = {LOAD_STRONG, COMPARE, BACK_IF(0), EXIT};
    const gmtrace_instr trying[] = {CAS, COMPARE, BACK_IF(0), EXIT};
    const gmtrace_instr working[] = {LOAD_STRONG, COMPARE, TAKE, BACK_IF(0), EXIT};
    const struct {
        const gmtrace_instr *code;
        uint32_t count;
        bool polls;
    } cases[] = {{waiting, G_N_ELEMENTS(waiting), true},
                 {trying, G_N_ELEMENTS(trying), false},
                 {working, G_N_ELEMENTS(working), false}};
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const gmtrace_kernel kernel = {.instr = cases[i].code, .instr_count = cases[i].count};
        uint8_t kind[16];
        bool polls[16] = {false, true};
        g_assert_true(gmtrace_find_unsteady(&kernel, kind));
        g_assert_cmpuint(kind[0], ==, GMTRACE_UNSTEADY_SPIN);
        g_assert_true(gmtrace_find_polls(&kernel, kind, polls));
        g_assert_cmpint(polls[0], ==, cases[i].polls);
        g_assert_false(polls[1]);
    }
}

static void test_order(void)
{
    /* the next slot of a table; a place in a queue, also one that shared memory hands on */
    FIRST_IS(GMTRACE_UNSTEADY_ORDER, CAS, NEXT_ADDRESS, COMPARE, BACK_IF(0), EXIT);
    FIRST_IS(GMTRACE_UNSTEADY_ORDER, ADD_OLD, PLACE, STORE_THERE, EXIT);
    FIRST_IS(GMTRACE_UNSTEADY_ORDER, ADD_OLD, KEEP, TAKE, PLACE, STORE_THERE, EXIT);
    FIRST_IS(GMTRACE_UNSTEADY_ORDER, ADD_OLD, COMPARE, BACK_IF(3), EXIT);
}

static void test_steady(void)
{
    /* the result is only stored; or overwritten before it could steer; or unused */
    FIRST_IS(GMTRACE_STEADY, ADD_OLD, STORE_IT, EXIT);
    FIRST_IS(GMTRACE_STEADY, ADD_OLD, FORGET, PLACE, STORE_THERE, EXIT);
    FIRST_IS(GMTRACE_STEADY, CAS, EXIT);
    /* a strong load that is not repeated, or of another address each time */
    FIRST_IS(GMTRACE_STEADY, LOAD_STRONG, COMPARE, BACK_IF(3), EXIT);
    FIRST_IS(GMTRACE_STEADY, LOAD_STRONG, NEXT_ADDRESS, COMPARE, BACK_IF(0), EXIT);
    /* from the loop's own steering nothing follows */
    FIRST_IS(GMTRACE_STEADY, ADD_OLD, FORGET, COMPARE, BACK_IF(0), EXIT);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/unsteady/spin", test_spin);
    g_test_add_func("/unsteady/polls", test_polls);
    g_test_add_func("/unsteady/order", test_order);
    g_test_add_func("/unsteady/steady", test_steady);
    return g_test_run();
}
