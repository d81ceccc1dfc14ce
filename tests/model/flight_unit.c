/* SPDX-License-Identifier: MIT
 *
 * flight_unit.c - which lines L1 loses where a store comes to them while an earlier one is on its
 * way out, held to what micro/store_again.cu, store_drop.cu and store_lost.cu measured on an H200,
 * and store_bytes.cu on an H100.
 */
#include "sim/model/cache/flight.h"
#include "sim/model/count/lanes.h"
#include "tests/support/measured.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES 32u

static gmsim_gpu gpu;
static gmsim_l1 l1;
static gmsim_l1_set *sets;
static gmsim_flights flights;

/* L1 has lines 0 to 63 whole, and nothing is on its way. */
static void begin(void)
{
    memset(&flights, 0, sizeof flights);
    gmsim_l1_init(&l1, sets, &gpu, gpu.l1_max_cache);
    for (uint64_t line = 0; line < 64; line++) {
        gmsim_l1_words words = {.known = false};
        gmsim_l1_write(&l1, line, 0xfu, 0xfu, GMSIM_L1_ALLOCATE, &words);
    }
}

/* Each lane's word at `by` from its own, of `words`: as the microbenchmark has it, by lane. */
static gmsim_footprint store_of(uint32_t turn, uint32_t by, uint32_t words)
{
    gmsim_footprint footprint = {.lines = 0};
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint64_t line = (turn + lane + by) % words;
        uint32_t i = 0;
        while (i < footprint.lines && footprint.line[i] != line)
            i++;
        if (i == footprint.lines) {
            footprint.line[footprint.lines++] = line;
            footprint.touched[i] = footprint.full[i] = 0;
        }
        footprint.touched[i] |= (uint8_t)(1u << lane / 8u);
    }
    return footprint;
}

/* Lines that L1 has lost of those that the second store writes. */
static uint32_t lost(const gmsim_footprint *first, const gmsim_footprint *second, uint64_t clocks)
{
    uint32_t gone = 0;
    begin();
    gmsim_flights_store(&flights, &l1, first, 1000, &gpu);
    gmsim_flights_store(&flights, &l1, second, 1000 + clocks, &gpu);
    for (uint32_t i = 0; i < second->lines; i++) {
        gmsim_l1_words words = {.known = false};
        gone += gmsim_l1_read(&l1, gmsim_l1_find(&l1, second->line[i]), second->line[i], 0xfu,
                              GMSIM_L1_PASS, &words) != 0;
    }
    return gone;
}

/* Eight lines, a sector of each for every eight lanes: a load that hits is between the two, which
 * takes 54 clocks. On the card 3 of the 8 are lost (local,8,hashed,1,0,4,7: 369 of 992 sectors). */
static void test_eight_lines(void)
{
    const gmsim_footprint first = store_of(0, 1, 8), second = store_of(0, 4, 8);
    g_assert_cmpuint(lost(&first, &second, 10), ==, 0); /* it joins: 1,-1,4,7 */
    const uint32_t some = lost(&first, &second, 54);
    g_assert_cmpuint(some, >=, 2);
    g_assert_cmpuint(some, <=, 4);
    g_assert_cmpuint(lost(&first, &second, 196), ==, 0); /* gap 10 */
}

/* A line a lane: one store right behind the other finds those just leaving that the queue has no
 * room for (local,64,lane,1,-1,4,7: 18 a turn); with a load that hits between, of as many
 * lines, some 140 clocks later the last few (1,0,4,7: 3.5 counted, 5.6 by sectors alike). */
static void test_line_a_lane(void)
{
    const gmsim_footprint first = store_of(0, 1, 64), second = store_of(0, 4, 64);
    const uint32_t behind = lost(&first, &second, 64), later = lost(&first, &second, 138);
    g_test_message("behind %u, later %u", behind, later);
    g_assert_cmpuint(behind, >=, 9);
    g_assert_cmpuint(later, >=, 3);
    g_assert_cmpuint(later, <=, 12);
    g_assert_cmpuint(lost(&first, &second, 250), ==, 0);
}

/* Lane n's word of the line `by` further. */
static gmsim_footprint lanes_of(uint32_t lanes, uint32_t by)
{
    gmsim_footprint footprint = {.lines = lanes};
    for (uint32_t lane = 0; lane < lanes; lane++) {
        footprint.line[lane] = lane + by;
        footprint.touched[lane] = (uint8_t)(1u << (lane + by) / 8u % 4u);
    }
    return footprint;
}

/* Stores one right behind another, each of lines so many further: which an H200 lost, by lines. Not
 * told: a line or two that leave between the stores. */
static void test_behind(void)
{
    uint32_t lines = 0, wrong = 0, losses = 0;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-store_lost.csv", 8);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        if (strcmp(cell[6], "0") || strcmp(cell[4], "up"))
            continue;
        uint32_t lanes = (uint32_t)atoi(cell[0]);
        uint64_t now = 1000;
        begin();
        for (uint32_t s = 0; s < (uint32_t)atoi(cell[5]); s++) {
            const gmsim_footprint one = lanes_of(lanes, s * (uint32_t)atoi(cell[2]));
            gmsim_flights_store(&flights, &l1, &one, now, &gpu);
            now += 2u * lanes;
            lanes = (uint32_t)atoi(cell[1]);
        }
        g_auto(GStrv) lost_here = g_strsplit(cell[7], ":", -1);
        for (uint32_t line = 0; lost_here[line] && line < 64u; line++) {
            gmsim_l1_words words = {.known = false};
            const bool gone = gmsim_l1_read(&l1, gmsim_l1_find(&l1, line), line, 0xfu,
                                            GMSIM_L1_PASS, &words) != 0;
            const bool was = atoi(lost_here[line]) >= 16;
            lines++;
            losses += was;
            wrong += gone != was;
        }
    }
    g_test_message("%u of %u lines, of which %u were lost", wrong, lines, losses);
    g_assert_cmpuint(lines, >, 9000);
    g_assert_cmpuint(losses, >, 900);
    g_assert_cmpuint(wrong, <, 150);
}

/* Some lines stored to, and again up to 124 clocks later: how many L1 has lost. */
static void test_again(void)
{
    double off = 0, lost_there = 0;
    uint32_t count = 0;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-store_again.csv", 8);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        if (strcmp(cell[0], "none") != 0) /* what a load between takes is no matter of this file */
            continue;
        const uint32_t lines = (uint32_t)atoi(cell[1]), sectors = lines == 4 ? 2 : 1;
        const uint32_t clocks = MAX(4u * (uint32_t)atoi(cell[2]), 2u * lines);
        gmsim_footprint store = {.lines = lines};
        for (uint32_t line = 0; line < lines; line++) {
            store.line[line] = line;
            store.touched[line] = sectors == 2 ? 3 : 1;
        }
        /* 32 times; the first loads of the lines and of another missed. */
        const double was = (atoi(cell[6]) - (double)(lines * sectors + 1)) / (32.0 * sectors);
        off += fabs(was - lost(&store, &store, clocks));
        lost_there += was;
        count++;
    }
    g_test_message("off by %.2f lines in the mean of %u, lost %.2f", off / count, count,
                   lost_there / count);
    g_assert_cmpuint(count, ==, 128);
    g_assert_cmpfloat(lost_there / count, >, 5);
    g_assert_cmpfloat(off / count, <, 0.6);
}

/* Where the same sector is under way the tag goes, too; else a store counts as a hit. */
static void test_tag(void)
{
    gmsim_footprint one = {.lines = 1, .line = {7}, .touched = {1}};
    for (uint8_t sector = 1; sector <= 2; sector++) {
        begin();
        gmsim_flights_store(&flights, &l1, &one, 1000, &gpu);
        one.touched[0] = sector;
        gmsim_flights_store(&flights, &l1, &one, 1012, &gpu);
        gmsim_l1_words words = {.known = false};
        g_assert_cmpint(gmsim_l1_write(&l1, 7, sector, 0, GMSIM_L1_ALLOCATE, &words), ==,
                        sector == 2);
        one.touched[0] = 1;
    }
}

/* Where lines leave for want of room it goes whatever the sector: of columns that warps store one
 * behind another none hits (store_hit.cu, warps, 0 to 50), of those 200 clocks apart all do. */
static void test_pushed(void)
{
    for (uint64_t clocks = 64; clocks <= 200; clocks += 136) {
        gmsim_footprint first = {.lines = 32}, second = {.lines = 32};
        uint32_t hits = 0;
        begin();
        for (uint32_t line = 0; line < 32; line++) {
            first.line[line] = second.line[line] = line;
            first.touched[line] = 1;
            second.touched[line] = 2;
        }
        gmsim_flights_store(&flights, &l1, &first, 1000, &gpu);
        gmsim_flights_store(&flights, &l1, &second, 1000 + clocks, &gpu);
        for (uint32_t line = 0; line < 32; line++) {
            gmsim_l1_words words = {.known = false};
            hits += gmsim_l1_write(&l1, line, 2, 0, GMSIM_L1_ALLOCATE, &words);
        }
        g_assert_cmpuint(hits, ==, clocks == 64 ? 0 : 32);
    }
}

/* Bytes do not wait: another store loses the line 19 clocks after them (local,same,S0 L0 S0), not
 * 28 (split), where words' would just leave, nor right behind; and what waits stays. */
static void test_bytes(void)
{
    const gmsim_footprint one = {.lines = 1, .line = {7}, .touched = {0xf}};
    const struct {
        uint64_t clocks;
        bool lost;
    } seen[] = {{2, false}, {19, true}, {28, false}, {60, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(seen); i++) {
        begin();
        gmsim_flights_bytes(&flights, &l1, &one, 1000, &gpu);
        gmsim_flights_bytes(&flights, &l1, &one, 1000 + seen[i].clocks, &gpu);
        gmsim_l1_words words = {.known = false};
        g_assert_cmpuint(gmsim_l1_read(&l1, gmsim_l1_find(&l1, 7), 7, 0xfu, GMSIM_L1_PASS, &words),
                         ==, seen[i].lost ? 0xf : 0);
    }
    begin();
    const gmsim_footprint word = {.lines = 1, .line = {9}, .touched = {1}};
    gmsim_flights_store(&flights, &l1, &word, 1000, &gpu);
    gmsim_flights_bytes(&flights, &l1, &one, 1002, &gpu);
    gmsim_flights_store(&flights, &l1, &word, 1004, &gpu); /* joins what it would push out */
    gmsim_l1_words words = {.known = false};
    g_assert_cmpuint(gmsim_l1_read(&l1, gmsim_l1_find(&l1, 9), 9, 0xfu, GMSIM_L1_PASS, &words), ==,
                     0);
}

/* Sectors of other lines lose nothing, however many. */
static void test_others(void)
{
    begin();
    for (uint64_t n = 0; n < 64; n++) {
        const gmsim_footprint one = {.lines = 1, .line = {n}, .touched = {1}};
        gmsim_flights_store(&flights, &l1, &one, 1000 + 2 * n, &gpu);
    }
    for (uint64_t line = 0; line < 64; line++) {
        gmsim_l1_words words = {.known = false};
        g_assert_cmpuint(
            gmsim_l1_read(&l1, gmsim_l1_find(&l1, line), line, 0xfu, GMSIM_L1_PASS, &words), ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    sets = g_new0(gmsim_l1_set, gmsim_l1_room(&gpu));
    g_test_add_func("/flight/eight-lines", test_eight_lines);
    g_test_add_func("/flight/line-a-lane", test_line_a_lane);
    g_test_add_func("/flight/behind", test_behind);
    g_test_add_func("/flight/again", test_again);
    g_test_add_func("/flight/tag", test_tag);
    g_test_add_func("/flight/pushed", test_pushed);
    g_test_add_func("/flight/bytes", test_bytes);
    g_test_add_func("/flight/others", test_others);
    const int status = g_test_run();
    g_free(sets);
    return status;
}
