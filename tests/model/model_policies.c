/* SPDX-License-Identifier: MIT
 *
 * model_policies.c - every policy against a reference that knows nothing of its code: sequences
 * worked out by hand, and caches kept as plain lists.
 */
#include "sim/model/cache/l1.h"
#include "sim/policy/order.h"
#include "sim/policy/replacement.h"
#include "sim/policy/write.h"

#include <glib.h>
#include <string.h>

/* ------------------------------------------------------------------------------- replacement */

/* A set of 32 ways with nothing but the policy's own state. */
typedef struct state {
    uint8_t way[32];
    uint32_t set;
    uint64_t cache;
} state;

static gmsim_lines lines_of(state *s)
{
    return (gmsim_lines){s->way, &s->set, &s->cache, 32, 32};
}

/* Of a full set of four ways: "u2" uses way 2, "v1" demands that way 1 leaves, and fills it. */
static const struct {
    uint32_t policy;
    const char *steps;
} by_hand[] = {
    {GMSIM_REPLACEMENT_lru, "v0 v1 v2 v3 v0 u1 v2 u3 v0 v1 v2 v3"},
    {GMSIM_REPLACEMENT_fifo, "u0 u1 v0 u1 u1 v1 u0 v2 v3 v0"},
    /* The root points away from the half used last, each half's node from its way used last. */
    {GMSIM_REPLACEMENT_plru, "v0 v2 v1 v3 v0 u1 u2 v0 v3 v1 v2 u3 u1 v2"},
    /* Used lines stay (Jaleel et al., figure 2): 0 and 1 are used, then others come. */
    {GMSIM_REPLACEMENT_srrip, "u0 u1 v2 v3 v2 v3 v0 u0 v1"},
    /* Two are protected; the third that is makes 0 an ordinary line, as if it had just come. */
    {GMSIM_REPLACEMENT_slru, "u0 v1 u2 v3 u1 v3 v0"},
    {GMSIM_REPLACEMENT_lasting, "v0 v1 v2 v3 v0 u1 v2 u3 v0 v1 v2 v3"},
};

static void test_by_hand(void)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(by_hand); i++) {
        const gmsim_replacement *policy = &gmsim_replacements[by_hand[i].policy];
        state s = {.cache = 0};
        g_auto(GStrv) step = g_strsplit(by_hand[i].steps, " ", -1);
        for (uint32_t way = 0; way < 4; way++)
            policy->fill(lines_of(&s), way);
        for (char **p = step; *p; p++) {
            uint32_t way = (uint32_t)((*p)[1] - '0');
            if (**p == 'u') {
                policy->use(lines_of(&s), way);
                continue;
            }
            uint32_t victim = policy->victim(lines_of(&s), 0xf);
            if (victim != way)
                g_error("%s: way %u leaves at step %d", by_hand[i].steps, victim, (int)(p - step));
            policy->fill(lines_of(&s), way);
        }
    }
}

/* The simplest cache of each policy: places with a line and numbers as its definition has them. */
typedef struct place {
    uint64_t line; /* 0: empty */
    uint64_t came, used;
    int interval;
} place;

/* Which half of a range of places was used last: that half's last use is the later one. A bit of
 * tree-PLRU says no more than this. */
static uint32_t reference_tree(const place *set, uint32_t first, uint32_t size, uint32_t ways)
{
    if (size == 1)
        return first;
    uint64_t left = 0, right = 0;
    for (uint32_t i = 0; i < size / 2; i++)
        left = MAX(left, set[first + i].used);
    for (uint32_t i = first + size / 2; i < MIN(first + size, ways); i++)
        right = MAX(right, set[i].used);
    bool go = first + size / 2 < ways && left > right;
    return reference_tree(set, go ? first + size / 2 : first, size / 2, ways);
}

static uint32_t reference_victim(uint32_t policy, place *set, uint32_t ways)
{
    uint32_t victim = 0;
    for (uint32_t i = 0; i < ways; i++)
        if (!set[i].line)
            return i;
    switch (policy) {
    case GMSIM_REPLACEMENT_lru:
        for (uint32_t i = 0; i < ways; i++)
            victim = set[i].used < set[victim].used ? i : victim;
        return victim;
    case GMSIM_REPLACEMENT_fifo:
        for (uint32_t i = 0; i < ways; i++)
            victim = set[i].came < set[victim].came ? i : victim;
        return victim;
    case GMSIM_REPLACEMENT_plru:
        return reference_tree(set, 0, 8, ways);
    case GMSIM_REPLACEMENT_srrip:
        for (;;) {
            for (uint32_t i = 0; i < ways; i++)
                if (set[i].interval == 3)
                    return i;
            for (uint32_t i = 0; i < ways; i++)
                set[i].interval++;
        }
    default:
        g_assert_not_reached();
    }
}

/* An L1 of one set takes random loads and drops as the reference does. */
static void test_reference(void)
{
    gmsim_gpu gpu = {.l1_max_cache = 65536, .l1_sets = 1, .l1_write = GMSIM_WRITE_through};
    gmsim_l1_words whole = {.record = NULL};
    for (uint32_t policy = 0; policy < GMSIM_REPLACEMENT_random; policy++)
        for (uint32_t ways = 2; ways <= 8; ways++) {
            gmsim_l1 l1;
            gmsim_l1_set set[2];
            place reference[8];
            memset(reference, 0, sizeof reference);
            gpu.l1_replacement = policy;
            gmsim_l1_init(&l1, set, &gpu, ways * 128);
            g_assert_cmpuint(l1.ways, ==, ways);
            uint32_t hits = 0;
            for (uint64_t now = 1; now < 5000; now++) {
                uint64_t line = (uint64_t)g_test_rand_int_range(1, (int)ways * 2);
                uint32_t at = 0;
                while (at < ways && reference[at].line != line)
                    at++;
                /* Under tree-PLRU the bits of an empty way stay; the reference forgets them. */
                if (policy != GMSIM_REPLACEMENT_plru && g_test_rand_int_range(0, 8) == 0) {
                    gmsim_l1_drop(&l1, line);
                    if (at < ways)
                        reference[at] = (place){0};
                    continue;
                }
                bool hit = !gmsim_l1_read(&l1, gmsim_l1_find(&l1, line), line, 0xf,
                                          GMSIM_L1_ALLOCATE, &whole);
                g_assert_cmpint(hit, ==, at < ways);
                hits += hit;
                if (!hit) {
                    at = reference_victim(policy, reference, ways);
                    reference[at] = (place){.line = line, .came = now, .interval = 2};
                } else {
                    reference[at].interval = 0;
                }
                reference[at].used = now;
            }
            g_assert_cmpuint(hits, >, 1000);
        }
}

/* Only candidates leave, each of them at some time; a used line is not the next to leave. */
static void test_candidates(void)
{
    for (uint32_t policy = 0; policy < GMSIM_REPLACEMENT_COUNT; policy++) {
        const gmsim_replacement *p = &gmsim_replacements[policy];
        state s = {.cache = 0};
        uint32_t left = 0;
        for (uint32_t way = 0; way < 32; way++)
            p->fill(lines_of(&s), way);
        for (uint32_t i = 0; i < 20000; i++) {
            uint32_t some = (uint32_t)g_test_rand_int() & (uint32_t)g_test_rand_int();
            uint32_t candidates = some ? some : 1;
            uint32_t way = p->victim(lines_of(&s), candidates);
            g_assert_cmpuint(way, <, 32);
            g_assert_true(candidates >> way & 1);
            left |= 1u << way;
            p->fill(lines_of(&s), way);
            if (policy == GMSIM_REPLACEMENT_lru || policy == GMSIM_REPLACEMENT_plru)
                g_assert_cmpuint(p->victim(lines_of(&s), UINT32_MAX), !=, way);
        }
        if (policy <= GMSIM_REPLACEMENT_random) /* others may stick to some ways */
            g_assert_cmphex(left, ==, UINT32_MAX);
    }
}

/* All ways leave equally often, and a second cache draws the same whatever the first does. */
static void test_random(void)
{
    const gmsim_replacement *policy = &gmsim_replacements[GMSIM_REPLACEMENT_random];
    state one = {.cache = 0}, other = {.cache = 0};
    uint32_t drawn[1000], times[4] = {0};
    for (uint32_t i = 0; i < 1000; i++)
        times[drawn[i] = policy->victim(lines_of(&one), 0xf)]++;
    for (uint32_t i = 0; i < 1000; i++) {
        g_assert_cmpuint(policy->victim(lines_of(&other), 0xf), ==, drawn[i]);
        policy->victim(lines_of(&one), 0x7);
    }
    for (uint32_t way = 0; way < 4; way++)
        g_assert_cmpuint(times[way], >, 200);
}

/* --------------------------------------------------------------------------------------- hash */

/* Lines a power of two apart: all in one set by the textbook, over half of the sets by the others.
 */
static void test_strides(void)
{
    gmsim_sets sets = gmsim_sets_of(64);
    for (uint32_t hash = 0; hash < GMSIM_HASH_COUNT; hash++)
        for (uint64_t stride = 64; stride <= 65536; stride *= 2) {
            uint64_t hit = 0;
            for (uint64_t i = 0; i < 512; i++) {
                uint32_t set;
                gmsim_sets_divide(&sets, gmsim_hashes[hash].mix(i * stride, &sets), &set);
                g_assert_cmpuint(set, <, 64);
                hit |= UINT64_C(1) << set;
            }
            if (hash == GMSIM_HASH_linear)
                g_assert_cmphex(hit, ==, 1);
            else
                g_assert_cmpint(__builtin_popcountll(hit), >, 32);
        }
}

/* -------------------------------------------------------------------------------------- order */

static bool note(void *data, uint32_t sm)
{
    g_string_append_printf(data, "%u", sm);
    return true;
}

static bool refuse(void *data, uint32_t sm)
{
    note(data, sm);
    return sm != 2;
}

/* 10 CTAs on 4 SMs in groups of 1, 1 and 2; the first has its turn again before every second of the
 * others, which begin with the third. */
static void test_orders(void)
{
    static const uint32_t group[] = {1, 1, 2};
    static const char *const expected[] = {
        [GMSIM_ORDER_groups] = "0230123101",
        [GMSIM_ORDER_round] = "0123012301",
        [GMSIM_ORDER_fill] = "0001112223",
    };
    for (uint32_t order = 0; order < GMSIM_ORDER_COUNT; order++) {
        g_autoptr(GString) dealt = g_string_new(NULL);
        gmsim_dealer dealer = {.ctas = 10,
                               .sms = 4,
                               .places = 3,
                               .groups = 3,
                               .again = 2,
                               .group = group,
                               .give = note,
                               .data = dealt};
        gmsim_dealer full = dealer, stopped = dealer;
        gmsim_orders[order].deal(&dealer);
        g_assert_cmpstr(dealt->str, ==, expected[order]);
        full.ctas = 100; /* more than there are places */
        gmsim_orders[order].deal(&full);
        g_assert_cmpuint(full.dealt, ==, 12);
        g_string_truncate(dealt, 0);
        stopped.give = refuse;
        gmsim_orders[order].deal(&stopped);
        g_assert_true(stopped.stopped);
        g_assert_true(strchr(dealt->str, '2') == dealt->str + dealt->len - 1);
    }
}

static char *deal_in_groups(uint32_t ctas, uint32_t cluster, bool singles)
{
    static const uint32_t group[] = {2, 3, 4};
    GString *dealt = g_string_new(NULL);
    gmsim_dealer dealer = {.ctas = ctas,
                           .sms = 9,
                           .places = 2,
                           .groups = 3,
                           .group = group,
                           .cluster = cluster,
                           .singles = singles,
                           .give = note,
                           .data = dealt};
    gmsim_orders[GMSIM_ORDER_groups].deal(&dealer);
    return g_string_free(dealt, FALSE);
}

/* Small grids and clusters, on SMs 0 1, 2-4 and 5-8: as on an H200, whose groups are larger
 * (measured/h200/micro-grid_order.csv.gz). */
static void test_spread(void)
{
    static const struct {
        uint32_t ctas, cluster;
        bool singles;
        const char *expected;
    } cases[] = {
        {5, 0, false, "02457"},        /* an SM of each TPC, in turn over the groups */
        {7, 0, false, "0123457"},      /* then the other, of the first TPCs */
        {4, 0, true, "0125"},          /* single TPCs before all others */
        {12, 0, true, "012345678012"}, /* and again of what is left after an SM each */
        {8, 2, false, "01235678"},     /* a cluster a group */
        {8, 2, true, "01235678"},
        {6, 3, true, "234567"},        /* those of more than two not to single TPCs */
        {12, 3, true, "234567234856"}, /* the SMs with the fewest CTAs first */
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *dealt = deal_in_groups(cases[i].ctas, cases[i].cluster, cases[i].singles);
        g_assert_cmpstr(dealt, ==, cases[i].expected);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/policies/replacement/by-hand", test_by_hand);
    g_test_add_func("/policies/replacement/reference", test_reference);
    g_test_add_func("/policies/replacement/candidates", test_candidates);
    g_test_add_func("/policies/replacement/random", test_random);
    g_test_add_func("/policies/hash/strides", test_strides);
    g_test_add_func("/policies/order", test_orders);
    g_test_add_func("/policies/spread", test_spread);
    return g_test_run();
}
