/* SPDX-License-Identifier: MIT
 *
 * operands_unit.c - when instructions read their registers, against what loops took on an H200:
 * validate/micro/register_reads.cu, whose sequences are made here again.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/time/operands.h"
#include "tests/support/measured.h"

#define SLOTS 60u
#define OTHER 3u  /* of the loop's own, which read nothing here */
#define TURNS 4u  /* before clocks are counted, and counted */
#define CLOSE 2.0 /* clocks a turn, of 63 to 180 */

enum { SET, NAME, COUNT, WARPS, CLOCKS, COLUMNS };

static gmtrace_decoded reader(const unsigned *source, unsigned sources, unsigned result)
{
    gmtrace_decoded d = {.result = (uint8_t)result, .results = 1};
    for (unsigned i = 0; i < sources; i++) {
        d.reads[source[i] % 2]++;
        d.source[d.sources++] = (uint8_t)source[i];
    }
    return d;
}

static double clocks_of_turn(const gmtrace_decoded *loop)
{
    const gmtrace_decoded other = {0};
    gmsim_operands operands = {0};
    uint64_t clock = 0, began = 0;
    for (unsigned turn = 0; turn < 2 * TURNS; turn++) {
        if (turn == TURNS)
            began = clock;
        for (unsigned i = 0; i < SLOTS + OTHER; i++)
            clock = gmsim_operands_read(&operands, i < SLOTS ? &loop[i] : &other, clock) + 1u;
    }
    return (double)(clock - began) / TURNS;
}

/* "FFMA-eeo-beside-eo": of even and odd registers, one after the other; z is none. */
static void make_reads(gmtrace_decoded loop[SLOTS], const char *name, unsigned count)
{
    const unsigned every = SLOTS / count;
    unsigned next[2] = {0, 0};
    g_auto(GStrv) part = g_strsplit(name, "-", 4);
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned source[3], sources = 0;
        const size_t beside = strlen(part[3]);
        const char *bank = i % every ? part[3] + i % beside : part[1];
        for (size_t left = i % every ? 1 : strlen(part[1]); left; left--, bank++)
            if (*bank != 'z') {
                const unsigned b = *bank == 'o';
                source[sources++] = 2u * (next[b]++ % 14u) + b;
            }
        loop[i] = reader(source, sources, 200u + i % 8u);
    }
}

/* "FADD-one-4-5": two registers, of one bank or not, written four and five instructions before. */
static void make_fresh(gmtrace_decoded loop[SLOTS], const char *name)
{
    g_auto(GStrv) part = g_strsplit(name, "-", 4);
    const unsigned young = (unsigned)atoi(part[2]), old = (unsigned)atoi(part[3]);
    const unsigned pair[2] = {10, strcmp(part[1], "one") ? 13 : 12};
    for (unsigned i = 0; i < SLOTS; i++) {
        const unsigned before = 14 - i % 15;
        loop[i] = before == 0 ? reader(pair, 2, 200)
                              : reader(NULL, 0,
                                       before == young ? pair[0]
                                       : before == old ? pair[1]
                                                       : 201 + i % 5);
    }
}

/* "DFMA-p-beside-w": of doubles no registers or pairs, beside what writes registers or none. */
static void make_late(gmtrace_decoded *loop, const char *name, unsigned count)
{
    const bool writes = g_str_has_suffix(name, "w"), reads = strstr(name, "-p-") != NULL;
    const gmtrace_decoded other = {.results = writes, .result = 200};
    gmtrace_decoded doubles = {.writes_late = true};
    if (reads && name[0] == 'H') { /* of words, all of even number */
        doubles.reads[0] = 3;
    } else if (reads) {
        doubles.reads[0] = doubles.reads[1] = name[1] == 'A' ? 2 : 3;
    }
    for (unsigned i = 0; i < SLOTS; i++)
        loop[i] = i % (SLOTS / count) ? other : doubles;
}

static bool is_any(const char *name)
{
    return name != NULL;
}

static void compare(const char *set, bool (*holds)(const char *name),
                    void (*make)(gmtrace_decoded *loop, const char *name, unsigned count))
{
    unsigned compared = 0;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-register_reads.csv", COLUMNS);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        if (strcmp(cell[SET], set) || strcmp(cell[WARPS], "4") || !holds(cell[NAME]))
            continue;
        gmtrace_decoded loop[SLOTS];
        make(loop, cell[NAME], (unsigned)atoi(cell[COUNT]));
        const double predicted = clocks_of_turn(loop),
                     measured = g_ascii_strtod(cell[CLOCKS], NULL);
        if (ABS(predicted - measured) > CLOSE)
            g_test_message("%s %s: predicted %.2f, measured %.2f", cell[NAME], cell[COUNT],
                           predicted, measured);
        g_assert_cmpfloat(ABS(predicted - measured), <=, CLOSE);
        compared++;
    }
    g_assert_cmpuint(compared, >, 20);
}

/* Integers have pipes of their own that are full beside it. */
static bool is_fp32(const char *name)
{
    return name[0] == 'F';
}

static void test_reads(void)
{
    compare("reads", is_fp32, make_reads);
}

/* Compilers leave a result of FP32 four clocks, of integers five, before FP32 reads it. */
static bool is_there(const char *name)
{
    const char *young = strchr(strchr(name, '-') + 1, '-') + 1;
    return atoi(young) >= (name[0] == 'F' ? 4 : 5);
}

static void make_fresh_of(gmtrace_decoded *loop, const char *name, unsigned count)
{
    g_assert_cmpuint(count, ==, SLOTS / 15);
    make_fresh(loop, name);
}

static void test_fresh(void)
{
    compare("fresh", is_there, make_fresh_of);
}

static void test_late(void)
{
    compare("late", is_any, make_late);
}

/* Results that are forgotten are not fresh, banks go on. */
static void test_forgotten(void)
{
    const unsigned pair[2] = {10, 12};
    const gmtrace_decoded first = reader(NULL, 0, 10), second = reader(NULL, 0, 12),
                          both = reader(pair, 2, 200);
    for (unsigned forget = 0; forget < 2; forget++) {
        gmsim_operands operands = {0};
        gmsim_operands_read(&operands, &first, 0);
        gmsim_operands_read(&operands, &second, 1);
        if (forget)
            g_assert_false(gmsim_operands_forget(&operands, 2));
        g_assert_cmpuint(gmsim_operands_read(&operands, &both, 5), ==, forget ? 5 : 8);
        gmsim_operands_later(&operands, 100);
        g_assert_cmpuint(operands.bank[0], ==, forget ? 107 : 110);
    }
}

/* What comes late may meet others' results as long as nobody issued two clocks behind it. */
static void test_open(void)
{
    const gmtrace_decoded late = {.writes_late = true}, other = {.results = 1, .result = 10};
    for (uint64_t behind = 1; behind < 5; behind++) {
        gmsim_operands operands = {0};
        g_assert_cmpuint(gmsim_operands_read(&operands, &late, 5), ==, 5);
        g_assert_cmpuint(gmsim_operands_read(&operands, &other, 5 + behind), ==,
                         5 + behind + (behind == 2));
        gmsim_operands again = operands;
        g_assert_true(gmsim_operands_forget(&operands, 5 + MIN(behind, 2)));
        g_assert_false(gmsim_operands_forget(&operands, 5));
        g_assert_false(gmsim_operands_forget(&again, 8));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/operands/reads", test_reads);
    g_test_add_func("/operands/fresh", test_fresh);
    g_test_add_func("/operands/late", test_late);
    g_test_add_func("/operands/forgotten", test_forgotten);
    g_test_add_func("/operands/open", test_open);
    return g_test_run();
}
