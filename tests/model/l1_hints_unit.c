/* SPDX-License-Identifier: MIT
 *
 * l1_hints_unit.c - which lines L1 gives up first where loads and stores bear hints, held to all
 * scripts of micro/l1_hints.cu as an H200 played them. Misses are counted to the number, so that
 * l1.c and its comment stay true.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/cache/l1.h"
#include "tests/support/measured.h"

#define LINES 8u /* of a set, at most */

static gmsim_gpu gpu;
static gmsim_l1 l1;
static gmsim_l1_set *sets;
static uint64_t of_set[LINES];

static void begin(uint32_t percent)
{
    gmsim_l1_init(&l1, sets, &gpu, (percent == 4 ? 1856u : 1184u) * GMSIM_LINE_BYTES);
}

/* Lines that share a set. */
static void find_lines(void)
{
    uint32_t found = 0;
    begin(4);
    for (uint64_t line = 0; found < LINES; line++)
        if (gmsim_l1_find(&l1, line) == gmsim_l1_find(&l1, 0))
            of_set[found++] = line;
}

static bool is_store(const char *op)
{
    return op[0] == 's';
}

static gmsim_l1_load policy(const char *op)
{
    if (g_str_has_suffix(op, "cs") || g_str_has_suffix(op, "evict_first"))
        return GMSIM_L1_FIRST;
    if (g_str_has_suffix(op, "lu") || g_str_has_suffix(op, "no_allocate"))
        return GMSIM_L1_PASS;
    return g_str_has_suffix(op, "evict_last") ? GMSIM_L1_LAST : GMSIM_L1_ALLOCATE;
}

/* Accesses a word of the line; whether a load hits. */
static bool access_line(uint64_t line, bool stores, gmsim_l1_load how)
{
    gmsim_l1_words words = {.known = false};
    if (!stores)
        return !gmsim_l1_read(&l1, gmsim_l1_find(&l1, line), line, 1u, how, &words);
    gmsim_l1_write(&l1, line, 1u, 1u, how, &words);
    return false;
}

static bool step(char what, const char *op)
{
    if (what <= '8')
        return access_line(of_set[what - '1'], true, GMSIM_L1_ALLOCATE);
    if (what < 'a')
        return access_line(of_set[what - 'A'], false, GMSIM_L1_ALLOCATE);
    return access_line(of_set[what - 'a'], is_store(op), policy(op));
}

/* Whether the line is there after the script. */
static bool stays(const char *script, const char *op, uint32_t line)
{
    begin(4);
    for (; *script; script++)
        step(*script, op);
    return access_line(of_set[line], false, GMSIM_L1_ALLOCATE);
}

typedef struct sums {
    uint32_t all, wrong;
} sums;

static sums compare_steps(char **cell)
{
    sums sum = {0, 0};
    for (uint32_t line = 0; cell[3][line]; line++) {
        const uint32_t hits = (uint32_t)(cell[3][line] - '0');
        sum.all += 4u;
        sum.wrong += stays(cell[2], cell[1], line) ? 4u - hits : hits;
    }
    return sum;
}

static sums compare_random(char **cell)
{
    const uint64_t bits = strtoull(cell[3], NULL, 16);
    sums sum = {0, 0};
    begin(4);
    for (; cell[2][sum.all]; sum.all++)
        sum.wrong += step(cell[2][sum.all], cell[1]) != (bits >> sum.all & 1u);
    return sum;
}

/* Of several lines that are to leave first an H200 takes another than the first; what unchanged
 * does is left out. */
static void test_sets(void)
{
    static const struct {
        const char *op;
        uint32_t steps, random; /* wrong of 2,420 and 3,840 */
    } known[] = {{"ld", 0, 66},
                 {"ld.cs", 106, 60},
                 {"ld.lu", 40, 21},
                 {"ld.L1::evict_first", 106, 61},
                 {"ld.L1::evict_last", 24, 37},
                 {"ld.L1::evict_unchanged", 400, 558},
                 {"ld.L1::no_allocate", 40, 30},
                 {"ld.nc.L1::evict_first", 106, 84},
                 {"st", 0, 29},
                 {"st.cs", 106, 32},
                 {"st.L1::evict_first", 106, 32},
                 {"st.L1::evict_last", 24, 28},
                 {"st.L1::evict_unchanged", 400, 221},
                 {"st.L1::no_allocate", 40, 16},
                 {"ld.nc.L1::evict_last", 24, 40},
                 {"st.cg", 0, 41}};
    sums steps[G_N_ELEMENTS(known)] = {{0, 0}}, random[G_N_ELEMENTS(known)] = {{0, 0}};
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l1_hints.csv", 4);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        const bool is_random = !strcmp(cell[0], "random");
        uint32_t k = 0;
        while (strcmp(known[k].op, cell[1]))
            k++;
        if (strcmp(cell[0], "large") == 0)
            continue;
        sums *sum = is_random ? &random[k] : &steps[k];
        const sums one = is_random ? compare_random(cell) : compare_steps(cell);
        sum->all += one.all;
        sum->wrong += one.wrong;
    }
    for (uint32_t k = 0; k < G_N_ELEMENTS(known); k++) {
        g_test_message("%s: %u of %u, %u of %u", known[k].op, steps[k].wrong, steps[k].all,
                       random[k].wrong, random[k].all);
        g_assert_cmpuint(steps[k].wrong, ==, known[k].steps);
        g_assert_cmpuint(random[k].wrong, ==, known[k].random);
    }
}

static uint32_t pass(uint64_t from, uint32_t count, const char *op)
{
    uint32_t hits = 0;
    for (uint64_t line = from; line < from + count; line++)
        hits += access_line(line, is_store(op), policy(op));
    return hits;
}

/* Of `hot` lines after so many others: how many are there yet. */
static uint32_t outlast(uint32_t hot, const char *hot_op, uint32_t others, const char *op)
{
    begin(4);
    pass(0, hot, hot_op);
    pass(16384, others, op);
    return pass(0, hot, "ld");
}

/* All of L1, 1,856 lines: measured 928, 1,024; 1,392, 464; 928 each (kinds `hot`, `past`). */
static void test_all(void)
{
    g_assert_cmpuint(outlast(928, "ld.L1::evict_last", 3712, "ld"), ==, 928);
    g_assert_cmpuint(outlast(1392, "ld.L1::evict_last", 3712, "ld"), ==, 1024);
    g_assert_cmpuint(outlast(928, "ld", 3712, "ld.cs"), ==, 928);
    g_assert_cmpuint(outlast(928, "ld", 3712, "ld.lu"), ==, 928);
    g_assert_cmpuint(outlast(928, "ld", 3712, "ld"), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    sets = g_new0(gmsim_l1_set, gmsim_l1_room(&gpu));
    find_lines();
    g_test_add_func("/l1-hints/sets", test_sets);
    g_test_add_func("/l1-hints/all", test_all);
    const int status = g_test_run();
    g_free(sets);
    return status;
}
