/* SPDX-License-Identifier: MIT
 *
 * constants_unit.c - which constants a capture tells: of those variables that the code names.
 */
#include <glib.h>
#include <string.h>

#include "traces/capture/constants.h"

enum { TABLE = 0x100, TABLE_SIZE = 64, SIZES = 0x40, SIZES_SIZE = 8 };

/* The device's memory is its address, a byte each; nobody can read from 0x3000 on. */
static size_t copy(void *to, uint64_t from, size_t size)
{
    for (size_t i = 0; i < size && from < 0x3000; i++)
        ((uint8_t *)to)[i] = (uint8_t)(from + i);
    return from < 0x3000 ? size : 0;
}

static const gmc_constant variables[] = {{TABLE, 0x1010, TABLE_SIZE, NULL},
                                         {SIZES, 0x2020, SIZES_SIZE, NULL}};

static gmtrace_known told(const char *first, const char *second, const gmc_constant *constant,
                          uint32_t count, const gmtrace_known_range *before)
{
    gmtrace_instr instr[] = {{.operands = first}, {.operands = second}};
    const gmtrace_sass sass = {.instr = instr, .instr_count = 2};
    gmtrace_known known = {.range_count = before != NULL, .range = before};
    g_assert_true(gmc_constants_tell(&known, &sass, constant, count, copy));
    return known;
}

static void check(const gmtrace_known_range *range, uint32_t offset, uint32_t size, uint8_t first)
{
    g_assert_cmpuint(range->base, ==, GMTRACE_BANK_ADDRESS(3u) + offset);
    g_assert_cmpuint(range->size, ==, size);
    g_assert_cmpuint(range->bytes[0], ==, first);
    g_assert_cmpuint(range->bytes[size - 1u], ==, first + size - 1u);
}

static void test_named(void)
{
    gmtrace_known known = told("R1, c[0x0][0x140]", "R2, c[0x3][0x44]", variables, 2, NULL);
    g_assert_cmpuint(known.range_count, ==, 1);
    check(known.range, SIZES, SIZES_SIZE, 0x20);
    known = told("R1, R2, c[0x3][0x40], R4", "R2, c[0x3][R5+0x100]", variables, 2, NULL);
    g_assert_cmpuint(known.range_count, ==, 2);
    check(&known.range[0], SIZES, SIZES_SIZE, 0x20);
    check(&known.range[1], TABLE, TABLE_SIZE, 0x10);
    known = told("R1, c[0x3][0x48]", NULL, variables, 2, NULL);
    g_assert_cmpuint(known.range_count, ==, 0);
    /* of any */
    g_assert_cmpuint(told("R1, c[0x3][R5]", NULL, variables, 2, NULL).range_count, ==, 2);
    g_assert_cmpuint(told("R1, c[0x3][R5+-0x8]", NULL, variables, 2, NULL).range_count, ==, 2);
}

/* Behind what loads found. */
static void test_behind(void)
{
    const uint8_t byte = 7;
    const gmtrace_known_range before = {0x5000, 1, &byte};
    const gmtrace_known known = told("R1, c[0x3][UR4+0x100]", NULL, variables, 2, &before);
    g_assert_cmpuint(known.range_count, ==, 2);
    g_assert_cmpuint(known.range[0].base, ==, 0x5000);
    g_assert_cmpuint(*known.range[0].bytes, ==, 7);
    check(&known.range[1], TABLE, TABLE_SIZE, 0x10);
}

/* Of a module that has just been loaded: nobody asks the device. */
static void test_initial(void)
{
    static const uint8_t bytes[] = {5, 6, 7};
    const gmc_constant fresh = {0x20, 0x3000, sizeof bytes, bytes};
    const gmtrace_known known = told("R1, c[0x3][0x22]", NULL, &fresh, 1, NULL);
    g_assert_cmpuint(known.range_count, ==, 1);
    check(known.range, 0x20, 3, 5);
}

/* Memory that is held no more; variables that cannot be. */
static void test_odd(void)
{
    const gmc_constant gone[] = {{TABLE, 0x3000, TABLE_SIZE, NULL},
                                 {SIZES, 0x2020, SIZES_SIZE, NULL}};
    const gmc_constant over[] = {{TABLE, 0x1010, TABLE_SIZE, NULL}, {TABLE + 8, 0x1010, 8, NULL}};
    const gmc_constant large[] = {
        {0xfffc, 0x1010, 8, NULL}, {0, 0x1010, 0x10001, NULL}, {0, 0x1010, 0, NULL}};
    g_assert_cmpuint(told("R1, c[0x3][R5]", NULL, gone, 2, NULL).range_count, ==, 1);
    g_assert_cmpuint(told("R1, c[0x3][R5]", NULL, over, 2, NULL).range_count, ==, 1);
    g_assert_cmpuint(told("R1, c[0x3][R5]", NULL, large, 3, NULL).range_count, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/constants/named", test_named);
    g_test_add_func("/constants/behind", test_behind);
    g_test_add_func("/constants/initial", test_initial);
    g_test_add_func("/constants/odd", test_odd);
    return g_test_run();
}
