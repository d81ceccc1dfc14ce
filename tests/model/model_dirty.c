/* SPDX-License-Identifier: MIT
 *
 * model_dirty.c - how long dirty and partly written lines stay in L2, against what launches of
 * validate/micro/l2_dirty.cu measured on an H200: an L2 of its size plays their accesses in order,
 * four lines side by side from one SM, SMs of the two sides by turns as a hash has it. The same of
 * launches of micro/l2_policy.cu that only read, of micro/l2_spread.cu, micro/l2_again.cu,
 * micro/l2_hints.cu, micro/l2_partly.cu, micro/l2_relief.cu and micro/l2_cross.cu.
 */
#include "sim/model/cache/l2.h"
#include "tests/support/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEGA  8192u /* lines */
#define FIRST UINT64_C(0xfe000000)
#define OTHER UINT64_C(0xfe200000)
#define AHEAD 8u /* lines */

typedef struct player {
    gmsim_gpu gpu;
    gmsim_l2 l2;
    gmsim_l2_set *set;
} player;

/* An H200's L2, empty; tests that change the GPU do so before gmsim_l2_init(). */
static player *new_player(void)
{
    player *p = g_new0(player, 1);
    GError *error = NULL;
    g_assert_true(gmsim_gpu_load(&p->gpu, "h200", &error));
    g_assert_no_error(error);
    p->set = g_malloc0(gmsim_l2_size(&p->gpu));
    return p;
}

static void free_player(player *p)
{
    g_free(p->set);
    g_free(p);
}

static const uint64_t whole[2] = {UINT64_MAX, UINT64_MAX};
static const uint64_t low_half[2] = {UINT64_C(0x0000ffff0000ffff), UINT64_C(0x0000ffff0000ffff)};
static const uint64_t high_half[2] = {UINT64_C(0xffff0000ffff0000), UINT64_C(0xffff0000ffff0000)};

static uint32_t side_of(uint64_t line)
{
    return (uint32_t)((line / 4u * UINT64_C(0x9e3779b97f4a7c15)) >> 61) & 1u;
}

/* Fetches what an access to a line will look at, as replays do; else most of the time is waiting.
 */
static void expect(const player *p, uint64_t line)
{
    const gmsim_l2_place place = gmsim_l2_find(&p->l2, line);
    gmsim_l2_prefetch(&p->l2, &place, 0);
    gmsim_l2_prefetch(&p->l2, &place, 1);
}

/* Where a line lies; the one AHEAD of it is accessed soon. */
static gmsim_l2_place find(const player *p, uint64_t line)
{
    expect(p, line + AHEAD);
    return gmsim_l2_find(&p->l2, line);
}

static void write_line(player *p, uint64_t line, uint32_t sectors, const uint64_t bytes[2])
{
    const gmsim_l2_place place = gmsim_l2_find(&p->l2, line);
    gmsim_l2_write(&p->l2, &place, side_of(line), sectors, bytes == whole ? sectors : 0, bytes);
}

static void write_lines(player *p, uint64_t first, uint64_t lines, uint32_t sectors,
                        const uint64_t bytes[2])
{
    for (uint64_t line = first; line < first + lines; line++) {
        expect(p, line + AHEAD);
        write_line(p, line, sectors, bytes);
    }
}

static void read_lines(player *p, uint64_t first, uint64_t lines)
{
    for (uint64_t line = first; line < first + lines; line++) {
        gmsim_l2_place place = find(p, line);
        gmsim_l2_read(&p->l2, &place, side_of(line + 64u), 0xf);
    }
}

/* What the launch of a row does; false for those that are not played. */
static bool play(player *p, const char *experiment, uint64_t mega, uint64_t other, uint32_t sectors)
{
    uint64_t lines = mega * MEGA, others = other * MEGA;
    if (!strcmp(experiment, "write")) {
        write_lines(p, FIRST, lines, (1u << sectors) - 1u, whole);
    } else if (!strcmp(experiment, "twice")) {
        write_lines(p, FIRST, lines, 0xf, whole);
        write_lines(p, FIRST, lines, 0xf, whole);
    } else if (!strcmp(experiment, "copy")) {
        for (uint64_t i = 0; i < lines; i += 4u) {
            for (uint64_t k = 0; k < other / mega; k++)
                read_lines(p, OTHER + k * lines + i, 4);
            write_lines(p, FIRST + i, 4, 0xf, whole);
        }
    } else if (g_str_has_prefix(experiment, "half_") && other) { /* else nothing parts the halves */
        write_lines(p, FIRST, lines, 0xf, low_half);
        if (!strcmp(experiment, "half_writes"))
            write_lines(p, OTHER, others, 0xf, whole);
        else
            read_lines(p, OTHER, others);
        write_lines(p, FIRST, lines, 0xf, high_half);
    } else {
        return false;
    }
    return true;
}

/* The launch of the row before, measured once more: here it would come to the same. */
static bool repeated(const GPtrArray *rows, guint r)
{
    char **cell = g_ptr_array_index(rows, r), **before = r ? g_ptr_array_index(rows, r - 1u) : NULL;
    return before && !strcmp(cell[0], before[0]) && !strcmp(cell[1], before[1]) &&
           !strcmp(cell[2], before[2]) && !strcmp(cell[3], before[3]);
}

/* DRAM sectors within a margin of what was measured: one MiB, and a twentieth. */
static bool near(uint64_t predicted, double measured)
{
    double margin = 32768.0 + measured / 20.0;
    return (double)predicted > measured - margin && (double)predicted < measured + margin;
}

/* Of a row whose first four columns name it: sectors read and written stand from column `at` on. */
static bool as_measured(const gmsim_l2_counts *counts, char *const *cell, unsigned at)
{
    const bool ok = near(counts->dram_read_sectors, atof(cell[at])) &&
                    near(counts->dram_write_sectors, atof(cell[at + 1]));
    if (!ok)
        g_test_message("%s %s %s %s: read %" G_GUINT64_FORMAT ", measured %s, "
                       "written %" G_GUINT64_FORMAT ", measured %s",
                       cell[0], cell[1], cell[2], cell[3], counts->dram_read_sectors, cell[at],
                       counts->dram_write_sectors, cell[at + 1]);
    return ok;
}

static void test_measured(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l2_dirty.csv", 9);
    player *p = new_player();
    p->gpu.l2_flush_dirty = 0; /* the counters took one pass: nothing was restored in between */
    gmsim_l2_init(&p->l2, p->set, &p->gpu);
    uint32_t played = 0, missed = 0;
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        gmsim_l2_flush(&p->l2);
        gmsim_l2_reset_counts(&p->l2);
        if (!play(p, cell[0], strtoull(cell[1], NULL, 10), strtoull(cell[2], NULL, 10),
                  (uint32_t)atoi(cell[3])))
            continue;
        const gmsim_l2_counts *counts = &p->l2.counts;
        played++;
        missed += !as_measured(counts, cell, 7);
    }
    free_player(p);
    g_assert_cmpuint(played, ==, 90);
    g_assert_cmpuint(missed, ==, 2);
}

/* Each line by one SM, the one that writes it; with a hint, or without. */
static void read_by_owners(player *p, uint64_t first, uint64_t lines, bool hint)
{
    for (uint64_t line = first; line < first + lines; line++) {
        gmsim_l2_place place = find(p, line);
        if (hint)
            gmsim_l2_read_hinted(&p->l2, &place, side_of(line), 0xf, false, true);
        else
            gmsim_l2_read(&p->l2, &place, side_of(line), 0xf);
    }
}

/* What one SM a line reads, `passes` times: what DRAM brings, as copies of the other side's lines
 * take room, and how it writes what the flush left, more of it where hits follow. */
static void test_private(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l2_policy.csv", 21);
    player *p = new_player();
    gmsim_l2_init(&p->l2, p->set, &p->gpu);
    uint32_t played = 0, missed = 0;
    double off = 0;
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        uint64_t lines = strtoull(cell[1], NULL, 10) / 128u;
        if (strcmp(cell[0], "private") || lines < 28u * MEGA || lines > 44u * MEGA)
            continue;
        gmsim_l2_flush(&p->l2);
        gmsim_l2_reset_counts(&p->l2);
        for (int pass = 0; pass < atoi(cell[2]); pass++)
            read_by_owners(p, FIRST, lines, false);
        const gmsim_l2_counts *counts = &p->l2.counts;
        played++;
        missed += !near(counts->dram_read_sectors, atof(cell[18]));
        double written = (double)counts->dram_write_sectors - atof(cell[19]);
        g_test_message("%s MB, %s times: written %s, here %.0f", cell[1], cell[2], cell[19],
                       written + atof(cell[19]));
        off += fabs(written);
    }
    free_player(p);
    g_assert_cmpuint(played, ==, 27);
    g_assert_cmpuint(missed, ==, 3);
    g_assert_cmpfloat(off, <, 3000.0 * played); /* of up to 75,000 */
}

/* One to one on 0 ... mask, as in l2_spread.cu. */
static uint64_t scatter(uint64_t i, uint64_t mask)
{
    i = (i * UINT64_C(0x9E3779B97F4A7C15)) & mask;
    i ^= i >> 9;
    i = (i * UINT64_C(0xD6E8FEB86659FD93)) & mask;
    return i ^ i >> 11;
}

/* The i-th line of those that a launch of l2_spread.cu writes. */
static uint64_t spread_line(uint64_t i, bool any, uint64_t run, uint64_t pitch)
{
    return any ? scatter(i, pitch - 1u) : i / run * pitch + i % run;
}

/* How unevenly lines of sparse areas fill what bounds them: any lines of a span, and so many side
 * by side at every so manieth line; what is left of them written in part as well. */
static void test_spread(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l2_spread.csv", 7);
    static const uint64_t word[2] = {UINT64_C(0x0000000f0000000f), UINT64_C(0x0000000f0000000f)};
    player *p = new_player();
    const uint32_t foreign = p->gpu.l2_flush_dirty;
    uint32_t played = 0, missed = 0;
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        const char *experiment = cell[0];
        uint64_t mega = strtoull(cell[1], NULL, 10), run = strtoull(cell[2], NULL, 10);
        uint64_t pitch = strtoull(cell[3], NULL, 10);
        p->gpu.l2_flush_dirty = g_str_has_prefix(experiment, "passes_") ? foreign : 0;
        if (p->gpu.l2_flush_dirty)
            experiment += strlen("passes_");
        bool whole_lines = !strcmp(experiment, "random") || !strcmp(experiment, "runs");
        bool any = !strcmp(experiment, "random") || !strcmp(experiment, "any_words");
        if ((!whole_lines && !any) || mega > 28u || (!whole_lines && mega > 10u))
            continue;
        gmsim_l2_init(&p->l2, p->set, &p->gpu);
        gmsim_l2_reset_counts(&p->l2);
        for (uint64_t i = 0; i < mega * MEGA; i++) {
            expect(p, FIRST + spread_line(i + AHEAD, any, run, pitch));
            write_line(p, FIRST + spread_line(i, any, run, pitch),
                       whole_lines ? 0xf : (1u << run) - 1u, whole_lines ? whole : word);
        }
        const gmsim_l2_counts *counts = &p->l2.counts;
        played++;
        missed += !as_measured(counts, cell, 5);
        if (!any && pitch == 1u && mega <= 20u && !p->gpu.l2_flush_dirty) /* dense: evenly */
            g_assert_cmpuint(counts->dram_write_sectors, <, 1000);
        if (any && whole_lines && !p->gpu.l2_flush_dirty) /* chance alone: within a sixth */
            g_assert_cmpfloat(ABS((double)counts->dram_write_sectors - atof(cell[6])), <,
                              atof(cell[6]) / 6.0 + 100.0);
    }
    free_player(p);
    g_assert_cmpuint(played, >, 100);
    g_assert_cmpuint(missed, ==, 2);
}

/* The side of the SM that writes a line in the k-th turn: another by chance, or always one. */
static uint32_t writer(uint64_t line, uint64_t k, bool others)
{
    return others ? gmsim_l2_chance(line / 4u * 1024u + k) & 1u : side_of(line);
}

/* A launch of l2_again.cu. */
static void play_again(player *p, const char *kind, uint64_t old, uint64_t lines, uint64_t times)
{
    const bool after = !strcmp(kind, "after"), clean = !strcmp(kind, "clean");
    const uint64_t again = FIRST + old;
    if (clean)
        read_by_owners(p, FIRST, old, false);
    else
        write_lines(p, FIRST, old, 0xf, whole);
    for (uint64_t k = 0; k < times; k++) {
        for (uint64_t line = again; line < again + lines; line++) {
            gmsim_l2_place place = find(p, line);
            gmsim_l2_write(&p->l2, &place, writer(line, k, strcmp(kind, "same")), 0xf, 0xf, whole);
        }
        if (!strcmp(kind, "fresh") && k % 4u == 0)
            write_lines(p, FIRST, old, 0xf, whole);
    }
    if (after || clean)
        read_by_owners(p, FIRST, old, false);
}

/* Lines that both sides write by turns fill their sets with useless copies: then the set's oldest
 * line is written back, but does not leave. Lines that one side writes, or that are written again
 * before, are not. Where ncu takes several passes, lines that it leaves are. */
static void test_again(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l2_again.csv", 8);
    player *p = new_player();
    const uint32_t foreign = p->gpu.l2_flush_dirty;
    uint32_t played = 0;
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        const bool passes = g_str_has_prefix(cell[0], "passes_");
        const char *kind = cell[0] + (passes ? strlen("passes_") : 0);
        const uint64_t old = strtoull(cell[1], NULL, 10) * MEGA / 16u;
        const uint64_t lines = strtoull(cell[2], NULL, 10) * MEGA / 16u;
        const uint64_t times = strtoull(cell[3], NULL, 10);
        const bool others = !strcmp(kind, "others"), after = !strcmp(kind, "after");
        const bool quiet =
            !strcmp(kind, "same") || !strcmp(kind, "clean") || !strcmp(kind, "fresh");
        if (!(others || after || quiet) || times < 64u || (!old && !passes) ||
            (old && (old > 16u * MEGA || lines > 4u * MEGA))) /* as many as may be dirty */
            continue;
        if (!repeated(rows, r)) {
            p->gpu.l2_flush_dirty = passes ? foreign : 0;
            gmsim_l2_init(&p->l2, p->set, &p->gpu);
            gmsim_l2_reset_counts(&p->l2);
            play_again(p, kind, old, lines, times);
        }
        const gmsim_l2_counts *counts = &p->l2.counts;
        const double here = (double)counts->dram_write_sectors, measured = atof(cell[7]);
        g_test_message("%s %s %s %s: %.0f measured, %.0f here", cell[0], cell[1], cell[2], cell[3],
                       measured, here);
        g_assert_cmpuint(counts->dram_read_sectors, ==, !strcmp(kind, "clean") ? 4u * old : 0);
        if (quiet) {
            g_assert_cmpfloat(measured, <, 10000);
            g_assert_cmpfloat(here, <, 10000);
        } else {
            g_assert_cmpfloat(here, >, measured * 0.55);
            g_assert_cmpfloat(here, <, measured * 1.3);
        }
        played++;
    }
    free_player(p);
    g_assert_cmpuint(played, ==, 43);
}

/* What is read with a hint pushes nothing out that is read without; among themselves such lines
 * leave as others. */
static void test_hints(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l2_hints.csv", 8);
    player *p = new_player();
    p->gpu.l2_flush_dirty = 0;
    uint32_t played = 0, kept = 0;
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        const bool reads = !strcmp(cell[0], "reads"), others = !strcmp(cell[0], "others");
        const bool hint = strcmp(cell[1], "plain") && strcmp(cell[1], "cg");
        const uint64_t lines = strtoull(cell[2], NULL, 10) * MEGA;
        const uint64_t other = strtoull(cell[3], NULL, 10) * MEGA;
        if (!reads && !others)
            continue;
        gmsim_l2_init(&p->l2, p->set, &p->gpu);
        gmsim_l2_reset_counts(&p->l2);
        read_by_owners(p, FIRST, lines, hint && reads);
        read_by_owners(p, OTHER, other, hint && others);
        read_by_owners(p, FIRST, lines, false);
        const uint64_t here = p->l2.counts.dram_read_sectors;
        g_test_message("%s %s %s %s: %s read, %" G_GUINT64_FORMAT " here", cell[0], cell[1],
                       cell[2], cell[3], cell[6], here);
        g_assert_true(near(here, atof(cell[6])));
        if (hint && others)
            kept += here == 4u * (lines + other);
        played++;
    }
    free_player(p);
    g_assert_cmpuint(played, ==, 30);
    g_assert_cmpuint(kept, ==, 9);
}

static const uint64_t words[2] = {UINT64_C(0x0000000f0000000f), UINT64_C(0x0000000f0000000f)};

/* A word of the first `count` sectors of each line, from `first` on (UINT64_MAX: of lines
 * anywhere). Warps, of which one writes 32 sectors at once, come in any order. */
static void write_words(player *p, uint64_t first, uint64_t lines, uint32_t count)
{
    const uint64_t run = 32u / count, runs = lines / run;
    uint64_t all = 1;
    while (all < runs)
        all *= 2u;
    for (uint64_t i = 0; i < all; i++)
        for (uint64_t at = scatter(i, all - 1u) * run, k = 0; k < run && at < lines; k++, at++)
            write_lines(p, first == UINT64_MAX ? FIRST + scatter(at, 256u * MEGA - 1u) : first + at,
                        1, (1u << count) - 1u, words);
}

/* The launch of a row of l2_partly.cu, its sectors a lane each. */
static void play_partly(player *p, char *const *cell)
{
    const char *experiment = cell[0];
    const bool any = !strcmp(experiment, "any"), mix = !strcmp(experiment, "mix");
    const bool reads = any || mix || !strcmp(experiment, "reads") || !strcmp(experiment, "hits");
    uint64_t lines = strtoull(cell[1], NULL, 10) * MEGA,
             others = strtoull(cell[4], NULL, 10) * MEGA;
    uint64_t first = FIRST + strtoull(cell[2], NULL, 10) * MEGA, other = FIRST + 600u * MEGA;
    uint32_t count = (uint32_t)atoi(cell[3]), sectors = (1u << count) - 1u;
    uint32_t times = strcmp(experiment, "wait") ? (uint32_t)atoi(cell[5]) : 0;
    if (!strcmp(experiment, "hits"))
        read_lines(p, other, others);
    write_words(p, any ? UINT64_MAX : first, lines, count);
    if (mix)
        write_lines(p, first, lines, 0xfu & ~sectors, whole);
    for (uint32_t k = 0; k < times; k++)
        if (reads)
            read_lines(p, other, others);
        else if (!strcmp(experiment, "writes"))
            write_lines(p, other, others, 0xf, whole);
        else
            write_lines(p, first, lines, sectors, strcmp(experiment, "whole") ? words : whole);
}

/* When partly written sectors are completed and written back, of neighbouring lines and of any, and
 * that what else is dirty of their lines stays. */
static void test_partly(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l2_partly.csv", 10);
    player *p = new_player();
    p->gpu.l2_flush_dirty = 0;
    double off = 0, lines = 0;
    uint32_t played = 0;
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        if (atoi(cell[1]) > 16) /* there the card completes more than it writes back */
            continue;
        gmsim_l2_init(&p->l2, p->set, &p->gpu);
        gmsim_l2_reset_counts(&p->l2);
        play_partly(p, cell);
        const gmsim_l2_counts *counts = &p->l2.counts;
        double here = (double)counts->dram_write_sectors / atof(cell[3]);
        double measured = atof(cell[9]) / atof(cell[3]);
        g_test_message("%s %s %s %s %s: %.0f lines measured, %.0f here", cell[0], cell[1], cell[3],
                       cell[4], cell[5], measured, here);
        off += fabs(here - measured);
        lines += measured;
        played++;
        if (!strcmp(cell[0], "mix")) /* no more is written than was completed */
            g_assert_cmpuint(counts->dram_write_sectors, <=, counts->dram_read_sectors);
        if (!strcmp(cell[0], "any")) /* chance alone: within a quarter */
            g_assert_cmpfloat(fabs(here - measured), <, 0.25 * measured + 500.0);
    }
    g_test_message("%u rows: %.0f lines of %.0f", played, off / played, lines / played);
    free_player(p);
    g_assert_cmpuint(played, >, 200);
    g_assert_cmpfloat(off, <, 0.15 * lines);
}

/* The launches of l2_relief.cu whose SMs wait for one another: dense areas of partly written lines
 * complete as many of these as on the card, in the mean over where they begin; and an access on a
 * line's own side relieves one group, whether the line's home is there or a copy lies there. */
static void test_relief(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l2_relief.csv", 10);
    double measured[17] = {0}, here[17] = {0};
    double near[2][2] = {{0}}; /* of `reads` and `near`: measured, and here */
    player *p = new_player();
    p->gpu.l2_flush_dirty = 0;
    for (guint r = 1; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        const bool is_near = !strcmp(cell[0], "near");
        const uint64_t kilo = strtoull(cell[1], NULL, 10);
        const uint64_t others = strtoull(cell[3], NULL, 10) * MEGA, other = FIRST + 600u * MEGA;
        if ((strcmp(cell[0], "reads") && !is_near) || kilo % 1024u)
            continue;
        gmsim_l2_init(&p->l2, p->set, &p->gpu);
        gmsim_l2_reset_counts(&p->l2);
        if (is_near)
            read_lines(p, other, others);
        write_words(p, FIRST + strtoull(cell[2], NULL, 10) * MEGA, kilo * 8u, 1);
        read_lines(p, other, others);
        const double lines = atof(cell[9]), now = (double)p->l2.counts.dram_write_sectors;
        if (others == 4u * MEGA && !is_near) {
            measured[kilo / 1024u] += lines;
            here[kilo / 1024u] += now;
        }
        if (others == MEGA || others == 2u * MEGA) {
            near[is_near][0] += lines;
            near[is_near][1] += now;
        }
    }
    free_player(p);
    for (uint32_t mega = 8; mega <= 14; mega++) {
        g_test_message("%u MB: %.0f lines measured, %.0f here", mega, measured[mega], here[mega]);
        g_assert_cmpfloat(fabs(here[mega] - measured[mega]), <=, 0.3 * measured[mega]);
    }
    g_test_message("on one side: %.0f of %.0f lines measured, %.0f of %.0f here", near[1][0],
                   near[0][0], near[1][1], near[0][1]);
    g_assert_cmpfloat(fabs(near[1][1] / near[0][1] - near[1][0] / near[0][0]), <, 0.15);
}

/* The launches of l2_cross.cu: pairs of sectors cross the fabric, be they at home or not, and
 * copies push out as much of what ncu left as on the card. */
static void test_cross(void)
{
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-l2_cross.csv", 19);
    player *p = new_player();
    gmsim_l2_init(&p->l2, p->set, &p->gpu);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        const bool copy = !strcmp(cell[0], "copy");
        const uint64_t lines = strtoull(cell[1], NULL, 10) * MEGA;
        const uint32_t sectors = (uint32_t)atoi(cell[2]);
        gmsim_l2_flush(&p->l2);
        gmsim_l2_reset_counts(&p->l2);
        for (uint64_t i = 0; i < lines; i += 4u) {
            read_lines(p, OTHER + i, 4);
            if (copy)
                write_lines(p, FIRST + i, 4, 0xf, whole);
        }
        for (uint64_t i = 0; i < lines; i++) { /* from either side, by chance */
            const gmsim_l2_place place = find(p, OTHER + i);
            if (copy ? i * 5u % 8u < sectors : sectors)
                gmsim_l2_read(&p->l2, &place, side_of((OTHER + i) * 7u + 12345u),
                              copy ? 0xf : sectors);
        }
        const gmsim_l2_counts *counts = &p->l2.counts;
        const double crossed = atof(cell[11]), written = atof(cell[17]);
        g_test_message("%s %s %s: %s crossed, %" G_GUINT64_FORMAT " here; %s written, "
                       "%" G_GUINT64_FORMAT " here",
                       cell[0], cell[1], cell[2], cell[11], counts->fabric_read_sectors, cell[17],
                       counts->dram_write_sectors);
        g_assert_cmpfloat(fabs((double)counts->fabric_read_sectors - crossed), <, 0.025 * crossed);
        g_assert_cmpfloat(fabs((double)counts->dram_write_sectors - written), <,
                          0.25 * written + 2500.0);
    }
    free_player(p);
    g_assert_cmpuint(rows->len, ==, 32);
}

/* What a flush leaves is dirty, and bounded as all that is. */
static void test_flush(void)
{
    player *p = new_player();
    p->gpu.l2_size = 1u << 20;
    uint32_t lines = 1u << 13, most = lines * p->gpu.l2_dirty_percent / 100u;
    g_assert_cmpuint(p->gpu.l2_flush_dirty / 4u, >, lines);
    gmsim_l2_init(&p->l2, p->set, &p->gpu);
    read_lines(p, FIRST, 8u * lines);
    g_assert_cmpuint(p->l2.counts.dram_write_sectors, <=, 4u * most);
    g_assert_cmpuint(p->l2.counts.dram_write_sectors, >, 4u * most * 9u / 10u);
    free_player(p);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/model/dirty/as-measured", test_measured);
    g_test_add_func("/model/dirty/private", test_private);
    g_test_add_func("/model/dirty/spread", test_spread);
    g_test_add_func("/model/dirty/again", test_again);
    g_test_add_func("/model/dirty/hints", test_hints);
    g_test_add_func("/model/dirty/partly", test_partly);
    g_test_add_func("/model/dirty/relief", test_relief);
    g_test_add_func("/model/dirty/cross", test_cross);
    g_test_add_func("/model/dirty/flush-is-bounded", test_flush);
    return g_test_run();
}
