/* SPDX-License-Identifier: MIT
 *
 * local_windows_unit.c - which sets of L1 local memory is in, and what of it eight warps lose, held
 * to micro/local_windows.cu as an H200 played it under ncu.
 */
#include <glib.h>
#include <stdlib.h>

#include "sim/model/cache/l1.h"
#include "tests/support/measured.h"

#define STACK 256u /* lines of a warp's window, without what ncu adds */
#define MORE  276u
#define SLOTS 64u
#define SETS  0x1ffu
#define WORDS 128u /* a warp, of which it is told what was lost */
#define WARPS 8u

static gmsim_gpu gpu;
static gmsim_l1 l1;
static gmsim_l1_set *sets;

static uint32_t number(const char *cell, int base)
{
    return (uint32_t)strtoul(cell, NULL, base);
}

/* The first line of the warp's array, which ends with the stack. */
static uint64_t first_line(uint32_t words, uint32_t sm, uint32_t slot)
{
    const uint32_t stack = MAX(words, STACK);
    return (uint64_t)(sm * SLOTS + slot) * (stack + MORE) + stack - words;
}

static uint32_t set_of(uint64_t line)
{
    return (uint32_t)(gmsim_l1_find(&l1, line) - sets);
}

/* Windows begin anywhere, so that sets are told against the first one's on the SM. */
static void test_sets(void)
{
    uint32_t told = 0, wrong = 0, launch = UINT32_MAX, sm = UINT32_MAX, from = 0;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-local_windows.csv", 8);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        const uint32_t yes = number(cell[5], 16), known = yes ^ number(cell[6], 16);
        const uint32_t set =
            set_of(first_line(number(cell[1], 10), number(cell[3], 10), number(cell[4], 10)));
        if (known != SETS)
            continue;
        if (number(cell[0], 10) == launch && number(cell[3], 10) == sm) {
            told++;
            wrong += (set ^ yes) != from;
        }
        launch = number(cell[0], 10);
        sm = number(cell[3], 10);
        from = set ^ yes;
    }
    g_test_message("sets: %u of %u wrong", wrong, told);
    g_assert_cmpuint(told, >, 700);
    g_assert_cmpuint(wrong * 100u, <, told); /* where carries reach what is not known */
}

/* All lines, one warp after another; then each again. */
static uint32_t access_line(uint64_t line, bool stores)
{
    gmsim_l1_words words = {.known = false};
    if (stores)
        return !gmsim_l1_write(&l1, line, 0xfu, 0xfu, GMSIM_L1_ALLOCATE, &words);
    return gmsim_l1_read(&l1, gmsim_l1_find(&l1, line), line, 0xfu, GMSIM_L1_ALLOCATE, &words) != 0;
}

static bool was_lost(const char *bits, uint32_t word)
{
    return number((char[]){bits[WORDS / 4u - 1u - word / 4u], 0}, 16) >> word % 4u & 1u;
}

/* The rows of an SM stand one after the other, its warps in order. */
static void test_lost(void)
{
    uint32_t lost = 0, here = 0, wrong = 0;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-local_windows.csv", 8);
    for (guint r = 0; r + WARPS <= rows->len; r += WARPS) {
        if (number(((char **)g_ptr_array_index(rows, r))[0], 10))
            break;
        gmsim_l1_init(&l1, sets, &gpu, 1728u * GMSIM_LINE_BYTES);
        for (uint32_t pass = 0; pass < 2u; pass++)
            for (guint warp = r; warp < r + WARPS; warp++) {
                char **cell = g_ptr_array_index(rows, warp);
                const uint64_t from = first_line(WORDS, number(cell[3], 10), number(cell[4], 10));
                for (uint32_t word = 0; word < WORDS; word++) {
                    const uint32_t missed = access_line(from + word, pass == 0);
                    if (pass == 0)
                        continue;
                    lost += was_lost(cell[7], word);
                    here += missed;
                    wrong += was_lost(cell[7], word) != missed;
                }
            }
    }
    g_test_message("lines: %u lost, %u here, %u otherwise", lost, here, wrong);
    g_assert_cmpuint(lost, >, 15000);
    g_assert_cmpuint(wrong, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    sets = g_new0(gmsim_l1_set, gmsim_l1_room(&gpu));
    gmsim_l1_init(&l1, sets, &gpu, 1728u * GMSIM_LINE_BYTES);
    g_test_add_func("/local-windows/sets", test_sets);
    g_test_add_func("/local-windows/lost", test_lost);
    const int status = g_test_run();
    g_free(sets);
    return status;
}
