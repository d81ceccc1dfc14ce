/* SPDX-License-Identifier: MIT
 *
 * l2_unit.c - the rules of the merging before L2, and of L2, one by one, and its replacement
 * against a list kept by time of last use.
 */
#include "sim/model/cache/l2_private.h"
#include "sim/model/cache/lrc.h"
#include "sim/model/cache/shared.h"
#include "sim/policy/write.h"

#include <string.h>

/* L2 reads of a line's sectors A and B, asked for in that order while the first is under way; x: an
 * atomic on the line, y: on another. */
static uint32_t lrc_reads(const char *order)
{
    gmsim_lrc_entry entry = {.line = 1};
    uint32_t reads = 0;
    for (uint64_t now = 0; *order; order++, now++) {
        uint32_t sectors = *order == 'A' ? 0x3 : 0x4;
        if (*order == 'x' || *order == 'y') {
            gmsim_lrc_update(&entry, *order == 'x' ? 7 : 8);
            continue;
        }
        gmsim_lrc_role role = gmsim_lrc_meet(&entry, 7, sectors, now, 4);
        reads += role != GMSIM_LRC_JOINS;
        if (role == GMSIM_LRC_LEADS)
            entry = (gmsim_lrc_entry){
                .line = 7, .done = 100, .sectors = (uint8_t)sectors, .readers = 1};
    }
    return reads;
}

/* Reads of one line come SM by SM, each asking twice: of both times the reads become one. One of an
 * earlier time than that which leads joins it, if that were still under way. */
static void test_lrc_times(void)
{
    static const struct {
        uint64_t at;
        gmsim_lrc_role role;
    } known[] = {{1000, GMSIM_LRC_LEADS}, {1400, GMSIM_LRC_LEADS}, {1010, GMSIM_LRC_JOINS},
                 {1390, GMSIM_LRC_JOINS}, {800, GMSIM_LRC_JOINS},  {1299, GMSIM_LRC_JOINS},
                 {600, GMSIM_LRC_LEADS}};
    gmsim_lrc_entry two[2] = {{.line = 1}, {.line = 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        gmsim_lrc_entry *entry = gmsim_lrc_find(two, 7, known[i].at);
        g_assert_cmpint(gmsim_lrc_meet(entry, 7, 0xf, known[i].at, 4), ==, known[i].role);
        if (known[i].role == GMSIM_LRC_LEADS)
            *entry = (gmsim_lrc_entry){
                .line = 7, .done = known[i].at + 300, .under = 300, .sectors = 0xf, .readers = 1};
        else
            g_assert_cmpuint(gmsim_lrc_back(entry, known[i].at), <=, known[i].at + 300);
    }
}

static void test_lrc(void)
{
    /* Its data are back later than what joins it may come. */
    gmsim_lrc_entry entry = {.line = 7, .done = 300, .late = 200, .sectors = 0x3, .readers = 1};
    g_assert_cmpint(gmsim_lrc_meet(&entry, 8, 0x3, 50, 4), ==, GMSIM_LRC_LEADS);
    g_assert_cmpint(gmsim_lrc_meet(&entry, 7, 0x3, 100, 4), ==, GMSIM_LRC_LEADS); /* too late */
    for (int i = 1; i < 4; i++)
        g_assert_cmpint(gmsim_lrc_meet(&entry, 7, 0x3, 50, 4), ==, GMSIM_LRC_JOINS);
    g_assert_cmpint(gmsim_lrc_meet(&entry, 7, 0x3, 50, 4), ==, GMSIM_LRC_LEADS); /* four do */
    /* micro/merge_shape.cu, but for the order in which SMs come there. */
    static const struct {
        const char *order;
        uint32_t reads;
    } known[] = {{"ABA", 3},    {"AABAA", 3},    {"ABAAAA", 3},   {"AABBAA", 5},   {"ABBBAA", 5},
                 {"ABABAB", 6}, {"AAAB", 2},     {"AAAAAABA", 4}, {"AAAABBBB", 3}, {"xAA", 1},
                 {"AAyAA", 1},  {"AAxAAAAA", 5}, {"AxAxAAAAA", 6}}; /* hot_line.cu */
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        g_assert_cmpuint(lrc_reads(known[i].order), ==, known[i].reads);
}

/* Small groups of SMs are one GPC, as large as the largest at most. */
static void test_gpcs(void)
{
    static const uint32_t of[] = {0, 0, 1, 2, 3, 3, 4};
    const gmsim_gpu gpu = {.launch_groups = {.count = 7, .value = {8, 8, 16, 18, 4, 10, 5}}};
    for (uint32_t group = 0; group < G_N_ELEMENTS(of); group++)
        g_assert_cmpuint(gmsim_gpc_of(&gpu, group), ==, of[group]);
}

/* Reads of a line that go on to L2, where SMs ask for sectors as in `order`, `clocks` apart. */
static uint32_t crowd_reads(const char *order, uint32_t clocks)
{
    gmsim_lrc_entry entry = {.line = 1};
    gmsim_lrc_crowd crowd = {.line = 1};
    uint32_t reads = 0, late;
    uint64_t now = UINT32_MAX - 10u; /* the lower half of the clock passes zero */
    for (const char *one = order; *one; one++, now += clocks) {
        const uint32_t sectors = 1u << (*one - 'A');
        gmsim_lrc_enter(&crowd, 7, sectors, 0, now);
        const gmsim_lrc_role role =
            gmsim_lrc_among(&crowd, &entry, gmsim_lrc_meet(&entry, 7, sectors, now, 4), &late);
        reads += late + (role != GMSIM_LRC_JOINS);
        if (role == GMSIM_LRC_LEADS)
            entry = (gmsim_lrc_entry){.line = 7,
                                      .done = now + 57u,
                                      .under = 57,
                                      .sectors = (uint8_t)sectors,
                                      .readers = 1};
    }
    return reads;
}

/* What a request asks for again comes right behind, unless another SM has asked, too. */
static void test_lrc_own(void)
{
    gmsim_lrc_crowd crowd = {.line = 1};
    gmsim_lrc_enter(&crowd, 7, 1, 5, 1000);
    gmsim_lrc_enter(&crowd, 7, 2, 5, 1010);
    g_assert_true(gmsim_lrc_is_own(&crowd, 7, 1011));
    g_assert_false(gmsim_lrc_is_own(&crowd, 8, 1011));
    g_assert_false(gmsim_lrc_is_own(&crowd, 7, 1000 + GMSIM_LRC_TOGETHER));
    gmsim_lrc_enter(&crowd, 7, 1, 6, 1012);
    g_assert_false(gmsim_lrc_is_own(&crowd, 7, 1013));
}

static void test_lrc_crowd(void)
{
    static const struct {
        const char *order;
        uint32_t clocks, reads;
    } known[] = {{"AAAAAAAAAAAAAAAA", 1, 4},  /* one kind: as ever */
                 {"AAAABBBBCCCCDDDD", 1, 13}, /* 86 of 100 */
                 {"AAAAAAAABBBBBBBB", 1, 11}, /* 70 of 100 */
                 {"ABABABAB", 1, 8},          /* none joins */
                 {"AAAAB", 1, 3},             /* one that had joined goes on */
                 {"AAAABBBB", 100, 8},        /* too late to join anyway */
                 {"AB", 300, 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        g_assert_cmpuint(crowd_reads(known[i].order, known[i].clocks), ==, known[i].reads);

    gmsim_lrc_crowd crowd = {.line = 7, .last = 1000, .gone = 1};
    g_assert_false(gmsim_lrc_crowded(&crowd, 1000)); /* the first */
    crowd.gone = 2;
    g_assert_true(gmsim_lrc_crowded(&crowd, 1000 + GMSIM_LRC_UNDER - 1u));
    g_assert_true(gmsim_lrc_crowded(&crowd, 1000)); /* SMs come in any order */
    g_assert_false(gmsim_lrc_crowded(&crowd, 1000 + GMSIM_LRC_UNDER));
}

typedef struct fixture {
    gmsim_gpu gpu;
    gmsim_l2 l2;
    gmsim_l2_set *l2_set;
    uint64_t read, written; /* what accesses to L2 cost so far */
} fixture;

static void set_up(fixture *x, gconstpointer data)
{
    (void)data;
    x->gpu = (gmsim_gpu){.l2_size = 64 * 8 * 128,
                         .l2_ways = 8,
                         .l2_partitions = 2,
                         .l2_partition_lines = 32,
                         .l2_fill_sectors = 2,
                         .l2_hash = GMSIM_HASH_even,
                         .l2_dirty_percent = 50,
                         .l2_partial_percent = 25,
                         .l2_partial_groups = 100};
    x->l2_set = g_malloc(gmsim_l2_size(&x->gpu));
    gmsim_l2_init(&x->l2, x->l2_set, &x->gpu);
}

static void tear_down(fixture *x, gconstpointer data)
{
    (void)data;
    g_free(x->l2_set);
}

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

/* A prefetch brings what it asks for to its home, and counts as no read. */
static void test_l2_bring(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    const uint64_t line = line_of(x, 1, 0);
    const gmsim_l2_place place = gmsim_l2_find(&x->l2, line);
    g_assert_cmpint(spend(x, gmsim_l2_bring(&x->l2, &place, 0x3)), ==, GMSIM_L2_DRAM);
    g_assert_cmpint(spend(x, gmsim_l2_bring(&x->l2, &place, 0xf)), ==, GMSIM_L2_DRAM);
    g_assert_cmpuint(c->dram_read_sectors, ==, 4);
    g_assert_cmpuint(c->prefetch_sectors, ==, 6);
    g_assert_cmpuint(c->prefetch_hit_sectors, ==, 2);
    g_assert_cmpuint(c->read_sectors + c->read_hit_sectors + c->fabric_read_sectors, ==, 0);
    g_assert_cmpint(read_l2(x, line, 1, 0xf), ==, GMSIM_L2_NEAR);
    g_assert_cmpint(read_l2(x, line, 0, 0xf), ==, GMSIM_L2_FAR);
    g_assert_cmpuint(c->fabric_read_hit_sectors, ==, 4);
}

/* What is written in part of a sector that the writer's side has a copy of, it has still. */
static void test_l2_copy_part(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    const uint64_t line = line_of(x, 1, 0);
    read_l2(x, line, 0, 0x3);
    g_assert_cmpuint(c->fabric_read_sectors, ==, 2);
    write_l2(x, line, 0, 0x6, 0); /* the third is not there */
    g_assert_cmpint(read_l2(x, line, 0, 0x3), ==, GMSIM_L2_NEAR);
    g_assert_cmpuint(c->fabric_read_sectors, ==, 2);
    read_l2(x, line, 0, 0x4);
    g_assert_cmpuint(c->fabric_read_sectors, ==, 4);
    write_l2(x, line, 1, 0x1, 0); /* by the other side: the copy is useless */
    g_assert_cmpint(read_l2(x, line, 0, 0x1), ==, GMSIM_L2_FAR);
}

/* ld.global.L2::128B: micro/l2_promote.cu, a sector of each line. */
static void test_l2_read_whole(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_l2_counts *c = &x->l2.counts;
    gmsim_l2_place near = gmsim_l2_find(&x->l2, line_of(x, 0, 0)),
                   far = gmsim_l2_find(&x->l2, line_of(x, 1, 0));
    spend(x, gmsim_l2_read_hinted(&x->l2, &near, 0, 0x1, true, false));
    g_assert_cmpuint(c->read_sectors, ==, 1);
    g_assert_cmpuint(c->dram_read_sectors, ==, 4);
    g_assert_cmpint(gmsim_l2_read(&x->l2, &near, 0, 0xe).reach, ==, GMSIM_L2_NEAR);
    spend(x, gmsim_l2_read_hinted(&x->l2, &far, 0, 0x8, true, false));
    g_assert_cmpuint(c->dram_read_sectors, ==, 8);
    g_assert_cmpuint(c->fabric_read_sectors, ==, 4); /* all cross */
    g_assert_cmpint(gmsim_l2_read(&x->l2, &far, 0, 0x7).reach, ==, GMSIM_L2_NEAR);
    /* Of a line that is there nothing is brought. */
    read_l2(x, line_of(x, 0, 1), 0, 0x1);
    gmsim_l2_place half = gmsim_l2_find(&x->l2, line_of(x, 0, 1));
    gmsim_l2_read_hinted(&x->l2, &half, 0, 0x2, true, false);
    g_assert_cmpuint(c->dram_read_sectors, ==, 10);
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
        partial += l2_part_at(&x->l2, i)->lines;
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
    g_assert_cmpuint(c->dram_read_sectors, ==, 5); /* from the other side no sector more */
    place = gmsim_l2_find(&x->l2, line_of(x, 1, 6));
    g_assert_cmpuint(spend(x, gmsim_l2_atomic(&x->l2, &place, 1, 0x1)), ==, GMSIM_L2_DRAM);
    g_assert_cmpuint(c->dram_read_sectors, ==, 7);
    g_assert_cmpuint(c->dirty_sectors, ==, 4);
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

#define ADD(path, test) g_test_add(path, fixture, NULL, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/l2/merging", test_lrc);
    g_test_add_func("/l2/merging-times", test_lrc_times);
    g_test_add_func("/l2/merging_crowd", test_lrc_crowd);
    g_test_add_func("/l2/merging_crowd-own", test_lrc_own);
    g_test_add_func("/l2/gpcs", test_gpcs);
    ADD("/l2/places", test_l2_places);
    ADD("/l2/read", test_l2_read);
    ADD("/l2/read-whole", test_l2_read_whole);
    ADD("/l2/bring", test_l2_bring);
    ADD("/l2/copy-part", test_l2_copy_part);
    ADD("/l2/write", test_l2_write);
    ADD("/l2/policies", test_l2_policies);
    ADD("/l2/limits", test_l2_limits);
    ADD("/l2/atomic", test_l2_atomic);
    ADD("/l2/copy-first", test_l2_copy_first);
    ADD("/l2/copy-plain", test_l2_copy_plain);
    ADD("/l2/foreign", test_l2_foreign);
    ADD("/l2/lru", test_l2_lru);
    return g_test_run();
}
