/* SPDX-License-Identifier: MIT
 *
 * path_memory_unit.c - ranges of known memory are found as if all were looked through: few, many,
 * side by side, far apart, and what lies before, between and behind them.
 */
#include "traces/code/path_memory.h"

#include <glib.h>

#define MOST 3000u

static const gmtrace_known_range *looked_through(const gmtrace_known *known, uint64_t address)
{
    const gmtrace_known_range *found = NULL;
    for (uint32_t i = 0; i < known->range_count; i++)
        if (known->range[i].base <= address)
            found = &known->range[i];
    return found;
}

static void check(const gmtrace_known *known, GRand *chance)
{
    path_memory memory;
    g_assert_true(path_memory_make(&memory, known));
    for (uint32_t i = 0; i < 2000; i++) {
        const gmtrace_known_range *r =
            &known->range[g_rand_int_range(chance, 0, (gint32)known->range_count)];
        const uint64_t address = r->base + (uint64_t)(int64_t)g_rand_int_range(chance, -70, 3 * 70);
        g_assert_true(path_memory_at(&memory, address) == looked_through(known, address));
    }
    g_assert_null(path_memory_at(&memory, 0));
    g_assert_true(path_memory_at(&memory, UINT64_MAX) == &known->range[known->range_count - 1u]);
    path_memory_free(&memory);
}

static void test_ranges(void)
{
    static gmtrace_known_range range[MOST];
    GRand *chance = g_rand_new_with_seed(7);
    for (uint32_t count = 1; count <= MOST; count = count * 3u / 2u + 1u) {
        uint64_t at = UINT64_C(0x7f0000000000);
        for (uint32_t i = 0; i < count; i++) {
            range[i] = (gmtrace_known_range){.base = at, .size = 32};
            at += 32u * (uint32_t)g_rand_int_range(chance, 1, 4); /* some side by side */
            if (g_rand_int_range(chance, 0, 100) == 0)
                at += UINT64_C(1) << g_rand_int_range(chance, 10, 36); /* another allocation */
        }
        const gmtrace_known known = {.range_count = count, .range = range};
        check(&known, chance);
    }
    g_rand_free(chance);
}

static void test_none(void)
{
    const gmtrace_known known = {.range_count = 0};
    path_memory memory;
    g_assert_true(path_memory_make(&memory, NULL));
    g_assert_null(path_memory_at(&memory, 32));
    path_memory_free(&memory);
    g_assert_true(path_memory_make(&memory, &known));
    g_assert_null(path_memory_at(&memory, 32));
    path_memory_free(&memory);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/path/memory/ranges", test_ranges);
    g_test_add_func("/path/memory/none", test_none);
    return g_test_run();
}
