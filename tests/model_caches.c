/* SPDX-License-Identifier: MIT
 *
 * model_caches.c - the cache array against a naive LRU, and the rules of L1 and L2 one by one.
 */
#include "sim/model/l1.h"
#include "sim/model/lanes.h"

#include <string.h>

static gmsim_footprint footprint_of(uint64_t address, int32_t stride, uint8_t size, uint32_t mask)
{
    gmtrace_record record = {.address = address, .stride = stride, .size = size, .mask = mask};
    gmsim_footprint f;
    gmsim_coalesce(&f, NULL, &record);
    return f;
}

static const uint32_t all = GMSIM_ALL_LANES;

/* --------------------------------------------------------------------------------- the array */

/* A run of as many aligned lines as there are sets puts one line in each, wherever it starts. */
static void test_sets_even(void)
{
    static const uint32_t counts[] = {1, 2, 3, 64, 96, 432, 864, 1000, 30720, 24577};
    for (uint32_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        uint32_t sets = counts[i];
        gmsim_cache cache;
        gmsim_entry *entry = g_new(gmsim_entry, gmsim_cache_entries(sets, 1));
        gmsim_cache_init(&cache, entry, sets, 1);
        for (uint64_t start = 0; start < 5; start++) {
            uint64_t first = start * 0x1000000000u / sets * sets;
            gmsim_cache_clear(&cache);
            for (uint64_t line = first; line < first + sets; line++) {
                gmsim_entry *set = gmsim_cache_set(&cache, line);
                g_assert_true(set >= entry && set < entry + 4u * sets);
                g_assert_cmpuint(*set, ==, 0);
                *set = 1;
            }
        }
        g_free(entry);
    }
}

/* The quotient by multiplication is exact up to the largest line number. */
static void test_sets_large(void)
{
    static const uint32_t counts[] = {1, 3, 5, 7, 15, 27, 1023, 24577, 65535};
    for (uint32_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        gmsim_cache cache;
        gmsim_entry *entry = g_new(gmsim_entry, gmsim_cache_entries(counts[i], 1));
        gmsim_cache_init(&cache, entry, counts[i], 1);
        for (int k = 0; k < 20000; k++) {
            uint64_t line = ((uint64_t)g_test_rand_int() << 32 ^ (uint32_t)g_test_rand_int()) >>
                            (7 + g_test_rand_int_range(0, 50));
            g_assert_true(gmsim_cache_set(&cache, line) == entry + line % counts[i] * 4u);
        }
        g_assert_true(gmsim_cache_set(&cache, UINT64_MAX >> 7) ==
                      entry + (UINT64_MAX >> 7) % counts[i] * 4u);
        g_free(entry);
    }
}

/* Random lines into few sets, against a list kept by time of last use. */
static void test_lru(void)
{
    enum { SETS = 3, WAYS = 5, LINES = 40 };
    gmsim_cache cache;
    gmsim_entry entry[SETS * (WAYS + 3)];
    uint32_t used[LINES] = {0}; /* time of last use, 0: absent */
    gmsim_cache_init(&cache, entry, SETS, WAYS);
    for (uint32_t now = 1; now < 20000; now++) {
        uint32_t line = (uint32_t)g_test_rand_int_range(0, LINES);
        gmsim_entry *set = gmsim_cache_set(&cache, line);
        bool found = gmsim_cache_find(&cache, set, line);
        g_assert_cmpint(found, ==, used[line] != 0);
        if (!found) {
            uint32_t held = 0, oldest = LINES;
            for (uint32_t other = line % SETS; other < LINES; other += SETS) {
                held += used[other] != 0;
                if (used[other] && (oldest == LINES || used[other] < used[oldest]))
                    oldest = other;
            }
            gmsim_entry victim = gmsim_cache_insert(&cache, set, line, line & 0xffu);
            if (held < WAYS) {
                g_assert_cmphex(victim, ==, 0);
            } else {
                g_assert_cmphex(victim, ==, gmsim_entry_tag(oldest) | (oldest & 0xffu));
                used[oldest] = 0;
            }
        }
        g_assert_cmphex(set[0], ==, gmsim_entry_tag(line) | (line & 0xffu));
        used[line] = now;
    }
}

/* ---------------------------------------------------------------------------------------- L1 */

typedef struct fixture {
    gmsim_cache l1;
    gmsim_entry l1_entry[8 * 4];
    gmsim_l2 l2;
    gmsim_entry *l2_entry;
    gmsim_gpu gpu;
    gmsim_footprint misses;
} fixture;

static void set_up(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_cache_init(&x->l1, x->l1_entry, 8, 4);
    x->gpu.l2_size = 16 * 4 * 128;
    x->gpu.l2_ways = 4;
    x->gpu.l2_fill_sectors = 2;
    x->l2_entry = g_new(gmsim_entry, gmsim_l2_entries(&x->gpu));
    gmsim_l2_init(&x->l2, x->l2_entry, &x->gpu);
}

static void tear_down(fixture *x, gconstpointer data)
{
    (void)data;
    g_free(x->l2_entry);
}

/* Leaves the misses in x->misses. */
static uint32_t read_l1(fixture *x, gmsim_footprint f, gmsim_l1_load how)
{
    gmsim_entry *set[GMSIM_MAX_LINES];
    gmsim_cache_sets(&x->l1, f.line, f.lines, set);
    x->misses = f;
    return gmsim_l1_read(&x->l1, &x->misses, set, how);
}

static uint32_t write_l1(fixture *x, gmsim_footprint f, bool allocate)
{
    gmsim_entry *set[GMSIM_MAX_LINES];
    gmsim_cache_sets(&x->l1, f.line, f.lines, set);
    return gmsim_l1_write(&x->l1, &f, set, allocate);
}

static void write_l2(fixture *x, gmsim_footprint f)
{
    gmsim_entry *set[GMSIM_MAX_LINES];
    gmsim_cache_sets(&x->l2.cache, f.line, f.lines, set);
    gmsim_l2_write(&x->l2, &f, set);
}

static void atomic_l2(fixture *x, gmsim_footprint f, bool reduction)
{
    gmsim_entry *set[GMSIM_MAX_LINES];
    gmsim_cache_sets(&x->l2.cache, f.line, f.lines, set);
    gmsim_l2_atomic(&x->l2, &f, set, reduction);
}

static void test_l1_read(fixture *x, gconstpointer data)
{
    (void)data;
    g_assert_cmpuint(read_l1(x, footprint_of(0x1000, 4, 4, 0xff), GMSIM_L1_ALLOCATE), ==, 0);
    g_assert_cmpuint(x->misses.sectors, ==, 1);
    g_assert_cmphex(x->misses.touched[0], ==, 0x1);
    /* The line is there, three of its sectors are not. */
    g_assert_cmpuint(read_l1(x, footprint_of(0x1000, 4, 4, all), GMSIM_L1_ALLOCATE), ==, 1);
    g_assert_cmphex(x->misses.touched[0], ==, 0xe);
    g_assert_cmpuint(read_l1(x, footprint_of(0x1000, 4, 4, all), GMSIM_L1_ALLOCATE), ==, 4);
    g_assert_cmpuint(x->misses.lines, ==, 0);
    /* Coherent loads do not look; no-allocate loads look and do not keep. */
    g_assert_cmpuint(read_l1(x, footprint_of(0x1000, 4, 4, all), GMSIM_L1_BYPASS), ==, 0);
    g_assert_cmpuint(x->misses.sectors, ==, 4);
    g_assert_cmpuint(read_l1(x, footprint_of(0x1000, 4, 4, all), GMSIM_L1_PASS), ==, 4);
    g_assert_cmpuint(read_l1(x, footprint_of(0x2000, 4, 4, all), GMSIM_L1_PASS), ==, 0);
    g_assert_cmpuint(read_l1(x, footprint_of(0x2000, 4, 4, all), GMSIM_L1_PASS), ==, 0);
}

/* A footprint of exactly the capacity stays; one line more in each set leaves nothing. */
static void test_l1_capacity(fixture *x, gconstpointer data)
{
    (void)data;
    for (uint32_t lines = 32; lines <= 40; lines += 8) {
        gmsim_cache_clear(&x->l1);
        for (uint32_t pass = 0; pass < 3; pass++) {
            uint32_t hits = 0;
            for (uint32_t i = 0; i < lines; i++)
                hits += read_l1(x, footprint_of(i * 128u, 4, 4, all), GMSIM_L1_ALLOCATE);
            g_assert_cmpuint(hits, ==, pass && lines == 32 ? 128 : 0);
        }
    }
}

/* Four warps store 32 contiguous bytes each into one line: 3 of 4 hit where stores allocate (an
 * H200 shows 71 % over a whole kernel), none where they do not. */
static void test_l1_store(fixture *x, gconstpointer data)
{
    (void)data;
    for (uint32_t allocate = 0; allocate < 2; allocate++) {
        uint32_t hits = 0;
        gmsim_cache_clear(&x->l1);
        for (uint32_t warp = 0; warp < 4; warp++) {
            gmsim_footprint f = footprint_of(0x1000 + 32u * warp, 1, 1, all);
            hits += write_l1(x, f, allocate != 0);
        }
        g_assert_cmpuint(hits, ==, allocate ? 3 : 0);
        /* Sectors written whole can be read back; sectors written in part cannot. */
        gmsim_footprint part = footprint_of(0x1080, 8, 4, all);
        write_l1(x, part, allocate != 0);
        g_assert_cmpuint(read_l1(x, footprint_of(0x1000, 4, 4, all), GMSIM_L1_ALLOCATE), ==,
                         allocate ? 4 : 0);
        g_assert_cmpuint(read_l1(x, footprint_of(0x1080, 4, 4, all), GMSIM_L1_ALLOCATE), ==, 0);
        /* A store after a load of any sector of the line hits. */
        gmsim_footprint after = footprint_of(0x1060, 4, 4, 0xff);
        g_assert_cmpuint(write_l1(x, after, allocate != 0), ==, 1);
    }
}

static void test_l1_geometry(void)
{
    gmsim_gpu gpu = {.l1_size = 262144, .l1_max_cache = 221184, .l1_sets = 432};
    g_assert_cmpuint(gmsim_l1_ways(&gpu), ==, 4);
    g_assert_cmpuint(gmsim_l1_sets(&gpu, 221184), ==, 432);
    g_assert_cmpuint(gmsim_l1_sets(&gpu, 28672), ==, 56);
    gpu.l1_sets = 4;
    g_assert_cmpuint(gmsim_l1_ways(&gpu), ==, 432);
    g_assert_cmpuint(gmsim_l1_sets(&gpu, 1), ==, 1);
}

/* ---------------------------------------------------------------------------------------- L2 */

static void read_l2(fixture *x, gmsim_footprint f)
{
    gmsim_entry *set[GMSIM_MAX_LINES];
    gmsim_cache_sets(&x->l2.cache, f.line, f.lines, set);
    gmsim_l2_read(&x->l2, &f, set);
}

static void test_l2_read(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    read_l2(x, footprint_of(0x1000, 4, 4, 1)); /* one sector asked for, two brought */
    g_assert_cmpuint(c->read_sectors, ==, 1);
    g_assert_cmpuint(c->read_hit_sectors, ==, 0);
    g_assert_cmpuint(c->dram_read_sectors, ==, 2);
    read_l2(x, footprint_of(0x1020, 4, 4, 1)); /* the neighbour came along */
    g_assert_cmpuint(c->read_hit_sectors, ==, 1);
    g_assert_cmpuint(c->dram_read_sectors, ==, 2);
    read_l2(x, footprint_of(0x1000, 4, 4, all));
    g_assert_cmpuint(c->read_sectors, ==, 6);
    g_assert_cmpuint(c->read_hit_sectors, ==, 3);
    g_assert_cmpuint(c->dram_read_sectors, ==, 4);
    x->l2.fill_sectors = 1;
    read_l2(x, footprint_of(0x2000, 4, 4, 1));
    g_assert_cmpuint(c->dram_read_sectors, ==, 5);
    x->l2.fill_sectors = 4;
    read_l2(x, footprint_of(0x3060, 4, 4, 1));
    g_assert_cmpuint(c->dram_read_sectors, ==, 9);
}

static void test_l2_write(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    gmsim_footprint whole = footprint_of(0x1000, 4, 4, all), part = footprint_of(0x2000, 64, 4, 3);
    write_l2(x, whole);
    g_assert_cmpuint(c->write_sectors, ==, 4);
    g_assert_cmpuint(c->dram_read_sectors, ==, 0);
    g_assert_cmpuint(c->dirty_sectors, ==, 4);
    /* Scattered 4-byte stores read the rest of their sectors, once. */
    write_l2(x, part);
    write_l2(x, part);
    g_assert_cmpuint(c->dram_read_sectors, ==, 2);
    g_assert_cmpuint(c->dirty_sectors, ==, 6);
    /* Five more lines of the same set push the first one out. */
    uint64_t line = 0x1000 / 128;
    gmsim_entry *set = gmsim_cache_set(&x->l2.cache, line);
    for (uint64_t other = line + 1, pushed = 0; pushed < 4; other++) {
        if (gmsim_cache_set(&x->l2.cache, other) == set && other != 0x2000 / 128) {
            read_l2(x, footprint_of(other * 128, 4, 4, all));
            pushed++;
        }
    }
    g_assert_cmpuint(c->dram_write_sectors, >=, 4);
    g_assert_cmpuint(c->dram_write_sectors + c->dirty_sectors, ==, 6);
    gmsim_l2_reset_counts(&x->l2);
    g_assert_cmpuint(c->write_sectors, ==, 0);
    gmsim_l2_flush(&x->l2);
    g_assert_cmpuint(c->dirty_sectors, ==, 0);
}

static void test_l2_atomic(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    gmsim_footprint f = footprint_of(0x1000, 4, 4, all);
    atomic_l2(x, f, false);
    atomic_l2(x, f, true);
    g_assert_cmpuint(c->atomic_sectors, ==, 4);
    g_assert_cmpuint(c->reduction_sectors, ==, 4);
    g_assert_cmpuint(c->dram_read_sectors, ==, 4);
    g_assert_cmpuint(c->dirty_sectors, ==, 4);
}

#define ADD(path, test) g_test_add(path, fixture, NULL, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/caches/sets/even", test_sets_even);
    g_test_add_func("/caches/sets/large", test_sets_large);
    g_test_add_func("/caches/lru", test_lru);
    g_test_add_func("/caches/l1/geometry", test_l1_geometry);
    ADD("/caches/l1/read", test_l1_read);
    ADD("/caches/l1/capacity", test_l1_capacity);
    ADD("/caches/l1/store", test_l1_store);
    ADD("/caches/l2/read", test_l2_read);
    ADD("/caches/l2/write", test_l2_write);
    ADD("/caches/l2/atomic", test_l2_atomic);
    return g_test_run();
}
