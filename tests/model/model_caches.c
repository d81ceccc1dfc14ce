/* SPDX-License-Identifier: MIT
 *
 * model_caches.c - the rules of L1, of the merging before L2, and of L2, one by one, and L2's
 * replacement against a list kept by time of last use.
 */
#include "sim/model/cache/l1.h"
#include "sim/model/cache/l2.h"
#include "sim/model/cache/lrc.h"
#include "sim/model/cache/shared.h"
#include "sim/policy/write.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------- L1 */

typedef struct fixture {
    gmsim_gpu gpu;
    gmsim_l1 l1;
    gmsim_l1_set l1_set[512];
    gmsim_l2 l2;
    gmsim_l2_set *l2_set;
    uint64_t read, written; /* what accesses to L2 cost so far */
} fixture;

static void set_up(fixture *x, gconstpointer data)
{
    (void)data;
    x->gpu = (gmsim_gpu){.l1_size = 65536,
                         .l1_max_cache = 65536,
                         .l1_sets = 64,
                         .l2_size = 64 * 8 * 128,
                         .l2_ways = 8,
                         .l2_partitions = 2,
                         .l2_partition_lines = 32,
                         .l2_fill_sectors = 2,
                         .l1_hash = GMSIM_HASH_polynomial,
                         .l1_write = GMSIM_WRITE_through,
                         .l2_hash = GMSIM_HASH_even,
                         .l2_dirty_percent = 50,
                         .l2_partial_percent = 25,
                         .l2_partial_groups = 100};
    gmsim_l1_init(&x->l1, x->l1_set, &x->gpu, 64 * 4 * 128);
    x->l2_set = g_malloc(gmsim_l2_size(&x->gpu));
    gmsim_l2_init(&x->l2, x->l2_set, &x->gpu);
}

static void tear_down(fixture *x, gconstpointer data)
{
    (void)data;
    g_free(x->l2_set);
}

static gmsim_l1_words whole = {.record = NULL};

static uint32_t load(fixture *x, uint64_t line, uint32_t touched)
{
    return gmsim_l1_read(&x->l1, gmsim_l1_find(&x->l1, line), line, touched, GMSIM_L1_ALLOCATE,
                         &whole);
}

static void test_l1_read(fixture *x, gconstpointer data)
{
    (void)data;
    g_assert_cmphex(load(x, 32, 0x1), ==, 0x1);
    g_assert_cmphex(load(x, 32, 0xf), ==, 0xe); /* the line is there, three sectors are not */
    g_assert_cmphex(load(x, 32, 0xf), ==, 0);
    /* A no-allocate load looks and does not keep. */
    g_assert_cmphex(
        gmsim_l1_read(&x->l1, gmsim_l1_find(&x->l1, 32), 32, 0xf, GMSIM_L1_PASS, &whole), ==, 0);
    g_assert_cmphex(
        gmsim_l1_read(&x->l1, gmsim_l1_find(&x->l1, 64), 64, 0x3, GMSIM_L1_PASS, &whole), ==, 0x3);
    g_assert_cmphex(load(x, 64, 0x3), ==, 0x3);
    /* What an atomic or a coherent load drops is gone, other lines are not. */
    gmsim_l1_drop(&x->l1, 32);
    gmsim_l1_drop(&x->l1, 4711);
    g_assert_cmphex(load(x, 32, 0x1), ==, 0x1);
    g_assert_cmphex(load(x, 64, 0x3), ==, 0);
}

/* A run of lines of exactly the capacity stays; each line more costs the lines of one set. */
static void test_l1_capacity(fixture *x, gconstpointer data)
{
    (void)data;
    static const uint32_t bytes[] = {64 * 4 * 128, 64 * 6 * 128, 64 * 2 * 128};
    for (uint32_t k = 0; k < G_N_ELEMENTS(bytes); k++) {
        uint32_t lines = bytes[k] / 128u;
        for (uint32_t extra = 0; extra <= 1; extra++) {
            gmsim_l1_init(&x->l1, x->l1_set, &x->gpu, bytes[k]);
            uint32_t missed = 0;
            for (uint32_t pass = 0; pass < 3; pass++) {
                missed = 0;
                for (uint32_t i = 0; i < lines + extra; i++)
                    missed += load(x, i, 0xf) != 0;
            }
            if (extra == 0)
                g_assert_cmpuint(missed, ==, 0);
            else
                g_assert_cmpuint(missed, ==, lines / x->l1.sets.count + 1u);
        }
    }
}

/* An L1 whose sets have more tags than there is room for lines. */
static void pool(fixture *x, uint32_t replacement)
{
    x->gpu.l1_max_cache = 240 * 1024;
    x->gpu.l1_sets = 512;
    x->gpu.l1_ways = 4;
    x->gpu.l1_hash = GMSIM_HASH_banked;
    x->gpu.l1_replacement = replacement;
}

/* Sets have more tags than there is room for lines: whatever the set, a run of lines that the room
 * holds stays. Of more, lines go row by row, the least recently used of each, which come back one
 * after another: far fewer miss than under one LRU, which would find none. Two lines of each set,
 * wanted twice, outlast any number that come once. */
static void test_l1_pools(fixture *x, gconstpointer data)
{
    (void)data;
    pool(x, GMSIM_REPLACEMENT_slru);
    static const struct {
        uint32_t lines,
            missed[3]; /* in passes 1 to 3: micro-l1_replace.csv.gz, cyclic, percent 7 */
    } run[] = {{1728, {0, 0, 0}}, {1744, {48, 40, 56}}, {1920, {1344, 1024, 1024}}};
    for (uint32_t k = 0; k < G_N_ELEMENTS(run); k++) {
        gmsim_l1_init(&x->l1, x->l1_set, &x->gpu, 1728 * 128);
        for (uint32_t pass = 0; pass < 4; pass++) {
            uint32_t missed = 0;
            for (uint32_t i = 0; i < run[k].lines; i++)
                missed += load(x, i, 0xf) != 0;
            const uint32_t want = pass ? run[k].missed[pass - 1] : run[k].lines;
            g_assert_cmpuint(missed, <=, want + want / 10 + (want ? 8 : 0));
            g_assert_cmpuint(missed + want / 10, >=, want);
        }
    }
    /* A fifth line of a set displaces one though there is room (micro/l1_replace.cu, set). */
    gmsim_l1_init(&x->l1, x->l1_set, &x->gpu, 1728 * 128);
    for (uint32_t i = 0; i < 1728; i++)
        load(x, i, 0xf);
    load(x, 4429, 0xf);
    g_assert_cmphex(load(x, 5, 0xf), ==, 0);
    g_assert_cmphex(load(x, 4, 0xf), ==, 0xf);
    gmsim_l1_init(&x->l1, x->l1_set, &x->gpu, 1728 * 128);
    for (uint32_t i = 0; i < 2 * 1024; i++)
        load(x, i % 1024, 0xf);
    for (uint32_t i = 0; i < 4096; i++)
        load(x, 16384 + i, 0xf);
    for (uint32_t i = 0; i < 1024; i++)
        g_assert_cmphex(load(x, i, 0xf), ==, 0);
}

/* Lines a power of two apart spread over the sets. */
static void test_l1_strides(fixture *x, gconstpointer data)
{
    (void)data;
    for (uint64_t stride = 1; stride <= 1024; stride *= 2) {
        gmsim_l1_init(&x->l1, x->l1_set, &x->gpu, 64 * 8 * 128);
        uint32_t missed = 0;
        for (uint32_t pass = 0; pass < 2; pass++) {
            missed = 0;
            for (uint32_t i = 0; i < 64; i++)
                missed += load(x, i * stride, 0x1) != 0;
        }
        g_assert_cmpuint(missed, ==, 0);
    }
}

static bool store(fixture *x, const gmtrace_record *record, uint32_t touched, uint32_t full)
{
    gmsim_l1_words words = {.record = record};
    return gmsim_l1_write(&x->l1, record->address / 128u, touched, full, GMSIM_L1_ALLOCATE, &words);
}

static uint32_t load_record(fixture *x, const gmtrace_record *record, uint32_t touched)
{
    gmsim_l1_words words = {.record = record};
    return gmsim_l1_read(&x->l1, gmsim_l1_find(&x->l1, record->address / 128u),
                         record->address / 128u, touched, GMSIM_L1_ALLOCATE, &words);
}

/* A store leaves the words it wrote whole, and nothing else of its sector. */
static void test_l1_store(fixture *x, gconstpointer data)
{
    (void)data;
    gmtrace_record word = {.address = 0x1000, .stride = 0, .size = 4, .mask = 1};
    gmtrace_record byte = {.address = 0x2000, .stride = 0, .size = 1, .mask = 1};
    gmtrace_record next = {.address = 0x1004, .stride = 0, .size = 4, .mask = 1};
    g_assert_false(store(x, &word, 0x1, 0));
    g_assert_true(store(x, &word, 0x1, 0));
    g_assert_cmphex(load_record(x, &word, 0x1), ==, 0); /* the word itself */
    g_assert_false(store(x, &byte, 0x1, 0));
    gmtrace_record around = {.address = 0x2000, .stride = 0, .size = 4, .mask = 1};
    g_assert_cmphex(load_record(x, &around, 0x1), ==, 0x1); /* a byte is no word */
    g_assert_cmphex(load_record(x, &around, 0x1), ==, 0);   /* fetched by then */
    g_assert_cmphex(load_record(x, &next, 0x1), ==, 0x1);   /* another word of the sector */
    g_assert_cmphex(load_record(x, &word, 0x2), ==, 0x2);   /* another sector of the line */
    /* A sector written whole is there; a store to a sector that is there takes nothing away. */
    gmtrace_record sector = {.address = 0x3000, .stride = 4, .size = 4, .mask = 0xff};
    g_assert_false(store(x, &sector, 0x1, 0x1));
    g_assert_cmphex(load_record(x, &sector, 0x1), ==, 0);
    gmtrace_record part = {.address = 0x3000, .stride = 0, .size = 1, .mask = 1};
    g_assert_true(store(x, &part, 0x1, 0));
    g_assert_cmphex(load_record(x, &sector, 0x1), ==, 0);
}

/* Where stores do not allocate nothing is left; what was there stays or goes. */
static void test_l1_write(fixture *x, gconstpointer data)
{
    (void)data;
    for (uint32_t policy = GMSIM_WRITE_through; policy < GMSIM_WRITE_COUNT; policy++) {
        bool through = policy == GMSIM_WRITE_through, evict = policy == GMSIM_WRITE_evict;
        x->gpu.l1_write = policy;
        gmsim_l1_init(&x->l1, x->l1_set, &x->gpu, 64 * 4 * 128);
        g_assert_false(gmsim_l1_write(&x->l1, 99, 0xf, 0xf, GMSIM_L1_ALLOCATE, &whole));
        g_assert_cmphex(load(x, 99, 0xf), ==, through ? 0 : 0xf);
        g_assert_true(gmsim_l1_write(&x->l1, 99, 0xf, 0xf, GMSIM_L1_ALLOCATE, &whole));
        g_assert_cmphex(load(x, 99, 0xf), ==, evict ? 0xf : 0);
    }
}

/* A store that is not to allocate writes a line that is there, and leaves nothing where none is. */
static void test_l1_no_allocate(fixture *x, gconstpointer data)
{
    (void)data;
    g_assert_false(gmsim_l1_write(&x->l1, 99, 0xf, 0xf, GMSIM_L1_PASS, &whole));
    g_assert_false(gmsim_l1_write(&x->l1, 99, 0xf, 0xf, GMSIM_L1_PASS, &whole));
    g_assert_cmphex(load(x, 99, 0x3), ==, 0x3);
    g_assert_true(gmsim_l1_write(&x->l1, 99, 0xf, 0xf, GMSIM_L1_PASS, &whole));
    g_assert_cmphex(load(x, 99, 0xf), ==, 0);
}

/* Of a set's four lines the one that evict_first touched leaves first, however young it is, and
 * though it was wanted twice; a store's as well as a load's. */
static void test_l1_evict_first(fixture *x, gconstpointer data)
{
    (void)data;
    for (uint32_t turn = 0; turn < 6; turn++) {
        const uint32_t how = turn % 3;
        pool(x, turn < 3 ? GMSIM_REPLACEMENT_slru : GMSIM_REPLACEMENT_lru);
        gmsim_l1_init(&x->l1, x->l1_set, &x->gpu, 1728 * 128);
        uint64_t line[5];
        uint32_t found = 0;
        for (uint64_t i = 0; found < 5; i++)
            if (gmsim_l1_find(&x->l1, i) == gmsim_l1_find(&x->l1, 0))
                line[found++] = i;
        for (uint32_t i = 0; i < 8; i++) /* the last of the four comes first, and is protected */
            load(x, line[i < 4 ? (i + 3) % 4 : 3], 0xf);
        if (how == 0)
            gmsim_l1_read(&x->l1, gmsim_l1_find(&x->l1, line[3]), line[3], 0xf, GMSIM_L1_FIRST,
                          &whole);
        if (how == 1)
            gmsim_l1_write(&x->l1, line[3], 0xf, 0xf, GMSIM_L1_FIRST, &whole);
        load(x, line[4], 0xf);
        g_assert_cmphex(load(x, line[how < 2 ? 3 : 0], 0xf), ==, 0xf);
        g_assert_cmphex(load(x, line[2], 0xf), ==, 0);
    }
}

/* A fence forgets global lines; those of local memory lie beyond. */
static void test_l1_empty(fixture *x, gconstpointer data)
{
    (void)data;
    for (uint64_t line = 99; line < 102; line++)
        load(x, line, 0xf);
    gmsim_l1_empty(&x->l1, 101);
    g_assert_cmphex(load(x, 101, 0xf), ==, 0);
    g_assert_cmphex(load(x, 100, 0xf), ==, 0xf);
    g_assert_cmphex(load(x, 99, 0xf), ==, 0xf);
}

/* --------------------------------------------------------------------------------------- LRC */

/* L2 reads of a line's sectors A and B, asked for in that order while the first is under way. */
static uint32_t lrc_reads(const char *order)
{
    gmsim_lrc_entry entry = {.line = 1};
    uint32_t reads = 0;
    for (uint64_t now = 0; *order; order++, now++) {
        uint32_t sectors = *order == 'A' ? 0x3 : 0x4;
        gmsim_lrc_role role = gmsim_lrc_meet(&entry, 7, sectors, now, 4);
        reads += role != GMSIM_LRC_JOINS;
        if (role == GMSIM_LRC_LEADS)
            entry = (gmsim_lrc_entry){
                .line = 7, .done = 100, .sectors = (uint8_t)sectors, .readers = 1};
    }
    return reads;
}

static void test_lrc(void)
{
    gmsim_lrc_entry entry = {.line = 7, .done = 100, .sectors = 0x3, .readers = 1};
    g_assert_cmpint(gmsim_lrc_meet(&entry, 8, 0x3, 50, 4), ==, GMSIM_LRC_LEADS);
    g_assert_cmpint(gmsim_lrc_meet(&entry, 7, 0x3, 100, 4), ==, GMSIM_LRC_LEADS); /* too late */
    for (int i = 1; i < 4; i++)
        g_assert_cmpint(gmsim_lrc_meet(&entry, 7, 0x3, 50, 4), ==, GMSIM_LRC_JOINS);
    g_assert_cmpint(gmsim_lrc_meet(&entry, 7, 0x3, 50, 4), ==, GMSIM_LRC_LEADS); /* four do */
    /* micro/merge_shape.cu, but for the order in which SMs come there. */
    static const struct {
        const char *order;
        uint32_t reads;
    } known[] = {{"ABA", 3},    {"AABAA", 3}, {"ABAAAA", 3},   {"AABBAA", 5},  {"ABBBAA", 5},
                 {"ABABAB", 6}, {"AAAB", 2},  {"AAAAAABA", 4}, {"AAAABBBB", 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        g_assert_cmpuint(lrc_reads(known[i].order), ==, known[i].reads);
}

/* ---------------------------------------------------------------------------------------- L2 */

/* The n-th line whose home is `side`. */
static uint64_t line_of(const fixture *x, uint32_t side, uint32_t n)
{
    for (uint64_t line = 1000;; line++)
        if (gmsim_l2_find(&x->l2, line).home == side && n-- == 0)
            return line;
}

/* What accesses say they cost is what is counted. */
static uint32_t spend(fixture *x, gmsim_l2_cost cost)
{
    x->read += cost.read;
    x->written += cost.written;
    g_assert_cmpuint(x->l2.counts.dram_read_sectors, ==, x->read);
    g_assert_cmpuint(x->l2.counts.dram_write_sectors, ==, x->written);
    return cost.reach;
}

static uint32_t read_l2(fixture *x, uint64_t line, uint32_t side, uint32_t touched)
{
    gmsim_l2_place place = gmsim_l2_find(&x->l2, line);
    return spend(x, gmsim_l2_read(&x->l2, &place, side, touched));
}

static void write_l2(fixture *x, uint64_t line, uint32_t side, uint32_t touched, uint32_t full)
{
    gmsim_l2_place place = gmsim_l2_find(&x->l2, line);
    const uint64_t none[2] = {0, 0};
    spend(x, gmsim_l2_write(&x->l2, &place, side, touched, full, none));
}

/* Set and tag together tell all lines apart, near ones and far ones, however they are mixed. */
static void check_places(fixture *x)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t line = i < 10000 ? i : (1ull << 44) - i * 12345u;
        gmsim_l2_place place = gmsim_l2_find(&x->l2, line);
        gint64 *key = g_new(gint64, 1);
        *key = (gint64)((uint64_t)place.tag << 32 | place.set);
        g_assert_cmpuint(place.set, <, x->l2.sets.count);
        g_assert_cmpuint(place.tag, !=, 0);
        g_assert_true(g_hash_table_add(seen, key));
    }
}

static void test_l2_places(fixture *x, gconstpointer data)
{
    (void)data;
    static const uint64_t size[] = {64 * 8 * 128, 96 * 8 * 128};
    for (uint32_t i = 0; i < 2 * GMSIM_HASH_COUNT; i++) {
        x->gpu.l2_hash = i / 2;
        x->gpu.l2_size = size[i % 2]; /* sets a power of two, and not */
        g_free(x->l2_set);
        x->l2_set = g_malloc(gmsim_l2_size(&x->gpu));
        gmsim_l2_init(&x->l2, x->l2_set, &x->gpu);
        check_places(x);
    }
}

static void test_l2_read(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    uint64_t near = line_of(x, 0, 0), far = line_of(x, 1, 0);
    g_assert_cmpint(read_l2(x, near, 0, 0x1), ==, GMSIM_L2_DRAM); /* its neighbour comes along */
    g_assert_cmpuint(c->dram_read_sectors, ==, 2);
    g_assert_cmpint(read_l2(x, near, 0, 0x2), ==, GMSIM_L2_NEAR);
    g_assert_cmpint(read_l2(x, near, 0, 0xf), ==, GMSIM_L2_DRAM);
    g_assert_cmpuint(c->dram_read_sectors, ==, 4);
    g_assert_cmpuint(c->read_sectors, ==, 6);
    g_assert_cmpuint(c->read_hit_sectors, ==, 3);
    g_assert_cmpuint(c->fabric_read_sectors, ==, 0);
    /* A line of the other side: first from there, then from the copy. */
    read_l2(x, far, 1, 0xf);
    g_assert_cmpint(read_l2(x, far, 0, 0xf), ==, GMSIM_L2_FAR);
    g_assert_cmpuint(c->fabric_read_sectors, ==, 4);
    g_assert_cmpuint(c->fabric_read_hit_sectors, ==, 4);
    g_assert_cmpint(read_l2(x, far, 0, 0xf), ==, GMSIM_L2_NEAR);
    g_assert_cmpuint(c->fabric_read_sectors, ==, 4);
    g_assert_cmpuint(c->dram_read_sectors, ==, 8);
    g_assert_cmpint(read_l2(x, line_of(x, 1, 1), 0, 0x8), ==, GMSIM_L2_DRAM);
    g_assert_cmpuint(c->fabric_read_sectors, ==, 6); /* two sectors cross */
    g_assert_cmpuint(c->fabric_read_hit_sectors, ==, 4);
}

static void test_l2_write(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    uint64_t far = line_of(x, 1, 0), near = line_of(x, 0, 0);
    write_l2(x, far, 0, 0xf, 0xf); /* to the other side, and a copy */
    g_assert_cmpuint(c->fabric_write_sectors, ==, 4);
    g_assert_cmpuint(c->write_sectors, ==, 4);
    g_assert_cmpuint(c->dirty_sectors, ==, 4);
    g_assert_cmpint(read_l2(x, far, 0, 0xf), ==, GMSIM_L2_NEAR);
    g_assert_cmpuint(c->dram_read_sectors, ==, 0);
    /* A sector written in part is read from DRAM when it is read, once, and that one alone. */
    write_l2(x, near, 0, 0x5, 0);
    write_l2(x, near, 0, 0x1, 0);
    g_assert_cmpuint(c->dram_read_sectors, ==, 0);
    g_assert_cmpint(read_l2(x, near, 0, 0x1), ==, GMSIM_L2_DRAM);
    g_assert_cmpuint(c->dram_read_sectors, ==, 2); /* it, and its neighbour, which was absent */
    g_assert_cmpint(read_l2(x, near, 0, 0x1), ==, GMSIM_L2_NEAR);
    /* Written bit by bit, until it is whole: nothing to read any more. */
    gmsim_l2_place place = gmsim_l2_find(&x->l2, near);
    for (uint32_t word = 0; word < 8; word++) {
        const uint64_t bytes[2] = {0, UINT64_C(0xf) << 4u * word};
        spend(x, gmsim_l2_write(&x->l2, &place, 0, 0x4, 0, bytes));
    }
    g_assert_cmpint(read_l2(x, near, 0, 0x4), ==, GMSIM_L2_NEAR);
    g_assert_cmpuint(c->dirty_sectors, ==, 6);
    gmsim_l2_reset_counts(&x->l2);
    x->read = x->written = 0;
    g_assert_cmpuint(c->write_sectors, ==, 0);
    g_assert_cmpuint(c->dirty_sectors, ==, 6);
    gmsim_l2_flush(&x->l2);
    g_assert_cmpuint(c->dirty_sectors, ==, 0);
    g_assert_cmpint(read_l2(x, far, 0, 0xf), ==, GMSIM_L2_DRAM);
}

/* What reaches DRAM at once, what stays, and what a store in part has to read. */
static void test_l2_policies(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    uint64_t far = line_of(x, 1, 0), near = line_of(x, 0, 0);
    for (uint32_t policy = 0; policy < GMSIM_WRITE_COUNT; policy++) {
        bool back = policy == GMSIM_WRITE_back, evict = policy == GMSIM_WRITE_evict;
        bool allocates = back || policy == GMSIM_WRITE_through;
        x->gpu.l2_write = policy;
        x->read = x->written = 0;
        gmsim_l2_init(&x->l2, x->l2_set, &x->gpu);
        write_l2(x, far, 0, 0xf, 0xf);
        g_assert_cmpuint(c->dram_write_sectors, ==, back ? 0 : 4);
        g_assert_cmpuint(c->dirty_sectors, ==, back ? 4 : 0);
        g_assert_cmpuint(c->fabric_write_sectors, ==, 4);
        g_assert_cmpint(read_l2(x, far, 0, 0xf), ==, allocates ? GMSIM_L2_NEAR : GMSIM_L2_DRAM);
        read_l2(x, far, 0, 0xf);
        write_l2(x, far, 0, 0xf, 0xf); /* it is there by now */
        g_assert_cmpuint(c->dram_write_sectors, ==, back ? 0 : 8);
        g_assert_cmpint(read_l2(x, far, 0, 0xf), ==, evict ? GMSIM_L2_DRAM : GMSIM_L2_NEAR);
        gmsim_l2_reset_counts(&x->l2);
        x->read = x->written = 0;
        write_l2(x, near, 0, 0x3, 0x1);
        g_assert_cmpuint(c->dram_read_sectors, ==, back ? 0 : 1);
        g_assert_cmpuint(c->write_hit_sectors, ==, allocates ? 2 : 0);
    }
}

/* Dirty lines and lines written in part are bounded; nothing is lost on the way to DRAM. */
static void test_l2_limits(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    uint32_t lines = 1000, sets = gmsim_l2_sets(&x->gpu);
    for (uint64_t line = 0; line < lines; line++)
        write_l2(x, line, 0, 0xf, 0xf);
    g_assert_cmpuint(c->dirty_sectors, <=, 4u * sets * 4u); /* half of all lines */
    g_assert_cmpuint(c->dram_write_sectors + c->dirty_sectors, ==, 4u * lines);
    g_assert_cmpuint(c->dram_read_sectors, ==, 0);
    gmsim_l2_flush(&x->l2);
    gmsim_l2_reset_counts(&x->l2);
    x->read = x->written = 0;
    for (uint64_t line = 0; line < lines; line++)
        write_l2(x, line, 0, 0x1, 0);
    uint32_t partial = 0;
    for (uint32_t i = 0; i < x->l2.parts; i++)
        partial += x->l2.part[i].lines;
    g_assert_cmpuint(partial, <=, sets * 2u); /* a quarter of all lines */
    g_assert_cmpuint(partial, >, 0);
    g_assert_cmpuint(c->dram_read_sectors, ==, lines - partial);
    g_assert_cmpuint(c->dram_write_sectors + c->dirty_sectors, ==, lines);
}

static void test_l2_atomic(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    uint64_t far = line_of(x, 1, 0);
    gmsim_l2_place place = gmsim_l2_find(&x->l2, far);
    read_l2(x, far, 0, 0xf);
    g_assert_cmpuint(spend(x, gmsim_l2_atomic(&x->l2, &place, 0, 0x3)), !=, GMSIM_L2_DRAM);
    g_assert_cmpint(read_l2(x, far, 0, 0xf), ==, GMSIM_L2_FAR); /* the copy is gone */
    g_assert_cmpuint(spend(x, gmsim_l2_atomic(&x->l2, &place, 1, 0x1)), !=, GMSIM_L2_DRAM);
    place = gmsim_l2_find(&x->l2, line_of(x, 1, 5));
    g_assert_cmpuint(spend(x, gmsim_l2_atomic(&x->l2, &place, 0, 0x1)), ==, GMSIM_L2_DRAM);
    g_assert_cmpuint(c->dram_read_sectors, ==, 6);
    g_assert_cmpuint(c->dirty_sectors, ==, 3);
}

/* Of copies that fill a set of the near side one leaves when a line comes that is at home there:
 * the one read first, or what was written later with evict_first. */
static void copy_leaves(fixture *x, gboolean first)
{
    uint64_t line[GMSIM_L2_WAYS + 1u] = {0};
    x->gpu.l2_replacement = GMSIM_REPLACEMENT_lru;
    gmsim_l2_init(&x->l2, x->l2_set, &x->gpu);
    const uint32_t lines = x->l2.ways + 1u;
    uint32_t set = gmsim_l2_find(&x->l2, line_of(x, 1, 0)).set, n = 0;
    for (uint64_t next = 0; n < lines; next++) {
        gmsim_l2_place place = gmsim_l2_find(&x->l2, next);
        if (place.home == (n + 1u < lines) && place.set == set)
            line[n++] = next;
    }
    read_l2(x, line[0], 0, 0xf);
    read_l2(x, line[0], 0, 0xf);
    read_l2(x, line[1], 0, 0xf);
    write_l2(x, line[1], 0, 0xf, 0xf);
    if (first) {
        gmsim_l2_place place = gmsim_l2_find(&x->l2, line[1]);
        gmsim_l2_copy_first(&x->l2, &place, 0);
    }
    for (n = 2; n < lines; n++)
        read_l2(x, line[n], 0, 0xf);
    g_assert_cmpint(read_l2(x, line[first ? 0 : 1], 0, 0xf), ==, GMSIM_L2_NEAR);
    g_assert_cmpint(read_l2(x, line[first ? 1 : 0], 0, 0xf), !=, GMSIM_L2_NEAR);
}

static void test_l2_copy_first(fixture *x, gconstpointer data)
{
    (void)data;
    copy_leaves(x, TRUE);
}

static void test_l2_copy_plain(fixture *x, gconstpointer data)
{
    (void)data;
    copy_leaves(x, FALSE);
}

/* What a profiler's flush leaves is written back once lines enough have come. */
static void test_l2_foreign(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    x->l2.foreign = 32;
    gmsim_l2_flush(&x->l2);
    for (uint64_t line = 0; line < 40; line++)
        read_l2(x, line, gmsim_l2_find(&x->l2, line).home, 0xf);
    g_assert_cmpuint(c->dram_write_sectors, ==, 0);
    for (uint64_t line = 40; line < 5000; line++)
        read_l2(x, line, gmsim_l2_find(&x->l2, line).home, 0xf);
    g_assert_cmpuint(c->dram_write_sectors, ==, 32);
    g_assert_cmpuint(c->dirty_sectors, ==, 0);
}

/* Random reads of one side's lines, against times of last use. */
static void test_l2_lru(fixture *x, gconstpointer data)
{
    (void)data;
    enum { LINES = 600 };
    uint32_t used[LINES] = {0}, set[LINES], home[LINES];
    for (uint32_t i = 0; i < LINES; i++) {
        gmsim_l2_place place = gmsim_l2_find(&x->l2, i);
        set[i] = place.set;
        home[i] = place.home;
    }
    for (uint32_t now = 1; now < 60000; now++) {
        uint32_t line = (uint32_t)g_test_rand_int_range(0, LINES), held = 0, oldest = LINES;
        bool hit = read_l2(x, line, home[line], 0xf) == GMSIM_L2_NEAR;
        g_assert_cmpint(hit, ==, used[line] != 0);
        if (!hit) {
            for (uint32_t other = 0; other < LINES; other++) {
                if (!used[other] || set[other] != set[line] || home[other] != home[line])
                    continue;
                held++;
                if (oldest == LINES || used[other] < used[oldest])
                    oldest = other;
            }
            if (held == 8)
                used[oldest] = 0;
        }
        used[line] = now;
    }
}

/* ------------------------------------------------------------------------- ways from SMs to L2 */

typedef struct ways {
    gmsim_gpu gpu;
    gmsim_shared *shared;
    gmsim_l2_set *set;
} ways;

static void find_ways(ways *x, gconstpointer data)
{
    (void)data;
    GError *error = NULL;
    g_assert_true(gmsim_gpu_load(&x->gpu, "h200", &error));
    g_assert_no_error(error);
    x->shared = g_new0(gmsim_shared, 1);
    x->set = g_malloc(gmsim_l2_size(&x->gpu));
    gmsim_shared_init(x->shared, x->set, &x->gpu);
    gmsim_shared_begin(x->shared);
}

static void lose_ways(ways *x, gconstpointer data)
{
    (void)data;
    g_free(x->set);
    g_free(x->shared);
}

/* A whole line is stored at that clock; returns when it is there. */
static uint64_t store_line(ways *x, uint32_t gpc, uint64_t line, uint64_t clock)
{
    const uint64_t bytes[1][2] = {{UINT64_MAX, UINT64_MAX}};
    gmsim_ask ask = {.kind = GMSIM_ASK_WRITE, .messages = 1};
    gmsim_message message = {.line = line, .clock = clock, .touched = 0xf, .full = 0xf, .units = 4};
    gmsim_shared_serve(x->shared, (gmsim_sender){gpc, gpc % GMSIM_L2_SIDES}, &ask, &message, bytes);
    return message.clock;
}

/* Each GPC's stores go at its own rate, whatever others store; small groups of SMs share a port. */
static void test_ports(ways *x, gconstpointer data)
{
    (void)data;
    const uint64_t alone = store_line(x, 2, 1u << 20, 0), lines = 1000;
    uint64_t last[3] = {0, 0, 0};
    for (uint64_t i = 1; i < lines; i++)
        last[0] = store_line(x, 2, (1u << 20) + i * 37u, 0);
    const uint64_t clocks = lines * 128u / x->gpu.l2_group_write_bytes_per_clock;
    g_assert_cmpuint(last[0] - alone, >, clocks * 98u / 100u);
    g_assert_cmpuint(last[0] - alone, <, clocks * 102u / 100u);
    g_assert_cmpuint(store_line(x, 3, 1u << 25, 0), <, alone + clocks / 4u);
    for (uint64_t i = 0; i < lines; i++)
        last[1 + i % 2u] = store_line(x, (uint32_t)i % 2u, (1u << 26) + i * 37u, 0);
    g_assert_cmpuint(last[2] - alone, >, clocks * 98u / 100u);
}

/* Two sides that store to the same few lines take a slice longer than one; not where they come long
 * after one another. */
static void test_contested(ways *x, gconstpointer data)
{
    (void)data;
    static const uint32_t apart[] = {0, 10, 1000};
    uint64_t took[3][2];
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t both = 0; both < 2; both++) {
            uint64_t clock = 0;
            gmsim_l2_flush(&x->shared->l2);
            gmsim_shared_begin(x->shared);
            for (uint32_t i = 0; i < 600; i++) {
                clock = (uint64_t)i * apart[a];
                gmsim_shared_step(x->shared, clock / GMSIM_STEP * GMSIM_STEP);
                took[a][both] = store_line(x, both ? 3u + i % 4u : 3u, 1u << 20, clock) - clock;
            }
        }
    g_assert_cmpuint(took[0][1], >, took[0][0] + 600u);
    g_assert_cmpuint(took[1][1], <=, took[1][0] + x->gpu.l2_contested);
    g_assert_cmpuint(took[2][1], ==, took[2][0]);
    g_assert_cmpuint(x->gpu.l2_contested, >, 0);
}

/* Work of each slice after so many lines `step` apart were stored, or added to; how many slices
 * have some, and the most that one has, in percent of the mean of all. */
typedef struct shares {
    uint64_t work[GMSIM_SLICES];
    uint32_t used, most;
} shares;

static shares share(ways *x, gmsim_ask_kind kind, uint64_t first, uint64_t step, uint32_t lines)
{
    const uint64_t bytes[1][2] = {{UINT64_MAX, UINT64_MAX}};
    shares found = {.used = 0};
    uint64_t sum = 0, most = 0;
    gmsim_shared_begin(x->shared);
    for (uint32_t i = 0; i < lines; i++) {
        gmsim_ask ask = {.kind = (uint8_t)kind, .messages = 1};
        gmsim_message message = {.line = first + i * step, .touched = 0x1, .full = 0x1, .units = 1};
        message.operations = message.passes = message.lanes = 1;
        gmsim_shared_serve(x->shared, (gmsim_sender){2, 0}, &ask, &message, bytes);
    }
    for (uint32_t i = 0; i < x->shared->slices; i++) {
        found.work[i] = x->shared->slice[i].in.work;
        found.used += found.work[i] != 0;
        most = MAX(most, found.work[i]);
        sum += found.work[i];
    }
    found.most = (uint32_t)(100u * most * x->shared->slices / sum);
    return found;
}

/* Lines at equal steps, powers of two and others, lie in all slices, for stores and atomics. */
static void test_steps(ways *x, gconstpointer data)
{
    (void)data;
    static const gmsim_ask_kind kinds[] = {GMSIM_ASK_WRITE, GMSIM_ASK_REDUCTION};
    static const uint64_t from[] = {0, UINT64_C(0x7f3a40200000) / 128u};
    for (uint32_t k = 0; k < G_N_ELEMENTS(kinds); k++)
        for (uint32_t f = 0; f < G_N_ELEMENTS(from); f++)
            for (uint64_t odd = 1; odd <= 5; odd += 2)
                for (uint64_t power = 1; power <= 8192; power *= 2) { /* 128 bytes to 1 MiB */
                    shares found = share(x, kinds[k], from[f], odd * power, 24576);
                    g_assert_cmpuint(found.used, ==, x->gpu.l2_slices);
                    g_assert_cmpuint(found.most, <=, 150);
                }
}

/* Neighbouring lines lie in the slices of one group, and of one cluster, as evenly as can be;
 * atomics on 4 to 64 of them go to 2, 2, 4, 8 and 16 slices (micro/atomics_timing.cu). */
static void test_neighbours(ways *x, gconstpointer data)
{
    (void)data;
    static const uint32_t slices[] = {2, 2, 4, 8, 16};
    const uint32_t group = x->gpu.l2_group_slices, cluster = x->gpu.l2_cluster_slices;
    for (uint64_t first = 0; first < 64u * 512u; first += 64) {
        shares eight = share(x, GMSIM_ASK_WRITE, first + first / 64u % 8u * 8u, 1, 8);
        shares all = share(x, GMSIM_ASK_WRITE, first, 1, 64);
        uint32_t at = 0;
        while (!eight.work[at])
            at++;
        for (uint32_t i = 0; i < x->gpu.l2_slices; i++) {
            g_assert_cmpint(eight.work[i] != 0, ==, i / group == at / group);
            g_assert_cmpint(all.work[i] != 0, ==, i / cluster == at / cluster);
        }
        g_assert_cmpuint(eight.most, ==, 100u * x->gpu.l2_slices / group);
        g_assert_cmpuint(all.most, ==, 100u * x->gpu.l2_slices / cluster);
        for (uint32_t i = 0; i < G_N_ELEMENTS(slices); i++)
            g_assert_cmpuint(share(x, GMSIM_ASK_REDUCTION, first, 1, 4u << i).used, ==, slices[i]);
    }
}

#define ADD(path, test) g_test_add(path, fixture, NULL, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/caches/l1/read", test_l1_read);
    ADD("/caches/l1/capacity", test_l1_capacity);
    ADD("/caches/l1/pools", test_l1_pools);
    ADD("/caches/l1/strides", test_l1_strides);
    ADD("/caches/l1/store", test_l1_store);
    ADD("/caches/l1/write", test_l1_write);
    ADD("/caches/l1/no-allocate", test_l1_no_allocate);
    ADD("/caches/l1/evict-first", test_l1_evict_first);
    ADD("/caches/l1/empty", test_l1_empty);
    g_test_add_func("/caches/lrc", test_lrc);
    ADD("/caches/l2/places", test_l2_places);
    ADD("/caches/l2/read", test_l2_read);
    ADD("/caches/l2/write", test_l2_write);
    ADD("/caches/l2/policies", test_l2_policies);
    ADD("/caches/l2/limits", test_l2_limits);
    ADD("/caches/l2/atomic", test_l2_atomic);
    ADD("/caches/l2/copy-first", test_l2_copy_first);
    ADD("/caches/l2/copy-plain", test_l2_copy_plain);
    ADD("/caches/l2/foreign", test_l2_foreign);
    ADD("/caches/l2/lru", test_l2_lru);
    g_test_add("/caches/ways/ports", ways, NULL, find_ways, test_ports, lose_ways);
    g_test_add("/caches/ways/contested", ways, NULL, find_ways, test_contested, lose_ways);
    g_test_add("/caches/ways/steps", ways, NULL, find_ways, test_steps, lose_ways);
    g_test_add("/caches/ways/neighbours", ways, NULL, find_ways, test_neighbours, lose_ways);
    return g_test_run();
}
