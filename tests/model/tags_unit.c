/* SPDX-License-Identifier: MIT
 *
 * tags_unit.c - the sets in which L1 looks tags up, against
 * validate/measured/h100/micro-l1_words.csv: the clocks of each of its requests, which are drawn
 * again here as micro/l1_words.cu draws them.
 */
#include "sim/model/cache/tags.h"
#include "tests/support/measured.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, BANKS = 32 };

static uint32_t draw(uint32_t *x)
{
    return *x = *x * 1664525u + 1013904223u;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

static uint32_t lines_of_fullest_set(const uint32_t *line, uint32_t lines)
{
    uint32_t in[GMSIM_TAG_SETS] = {0}, most = 0;
    for (uint32_t i = 0; i < lines; i++) {
        const uint32_t lines_there = ++in[gmsim_tag_set(line[i])];
        most = MAX(most, lines_there);
    }
    return most;
}

/* Lanes of a line are side by side, so that a word of a line comes twice only in a row. */
static uint32_t words_of_fullest_bank(const uint32_t word[LANES], uint32_t lines)
{
    uint32_t in[BANKS] = {0}, most = 0;
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t seen = 0;
        for (uint32_t l = i * (LANES / lines); l < (i + 1u) * (LANES / lines); l++) {
            in[word[l]] += !(seen >> word[l] & 1u);
            most = MAX(most, in[word[l]]);
            seen |= 1u << word[l];
        }
    }
    return most;
}

static void test_patterns(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured_on("h100", "micro-l1_words.csv", 6);
    g_assert_cmpuint(rows->len, ==, 1600);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        const uint32_t lines = (uint32_t)atoi(cell[0]), bits = (uint32_t)atoi(cell[1]);
        uint32_t x = (uint32_t)atoi(cell[4]) * 2654435761u + 1u, line[LANES], word[LANES], n = 0;
        while (n < lines) {
            line[n] = draw(&x) >> (32u - bits);
            uint32_t same = 0;
            while (line[same] != line[n])
                same++;
            n += same == n;
        }
        if (strcmp(cell[3], "rising") == 0)
            qsort(line, lines, sizeof *line, by_number);
        for (uint32_t l = 0; l < LANES; l++)
            word[l] = strcmp(cell[2], "own") == 0   ? l
                      : strcmp(cell[2], "any") == 0 ? draw(&x) >> 27
                                                    : 0;
        const double clocks =
            MAX(lines_of_fullest_set(line, lines), words_of_fullest_bank(word, lines));
        const double measured = g_ascii_strtod(cell[5], NULL);
        if (measured < clocks - 0.5 || measured > clocks + MAX(0.3, clocks * 0.04))
            g_test_fail_printf("pattern %s of %s lines, words %s: %.2f clocks there, %.0f here",
                               cell[4], cell[0], cell[2], measured, clocks);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tags/patterns", test_patterns);
    return g_test_run();
}
