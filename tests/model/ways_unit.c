/* SPDX-License-Identifier: MIT
 *
 * ways_unit.c - the ways from SMs to L2: ports of their groups, and which slices lines are in.
 */
#include "sim/model/cache/shared.h"

#include <string.h>

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

/* All sectors of a line are stored then, `full` of them whole; returns when they are there. */
static uint64_t store_sectors(ways *x, uint32_t gpc, uint64_t line, uint64_t clock, uint8_t full)
{
    const uint64_t bytes[1][2] = {{UINT64_MAX, UINT64_MAX}};
    gmsim_ask ask = {.kind = GMSIM_ASK_WRITE, .messages = 1};
    gmsim_message message = {
        .line = line, .clock = clock, .touched = 0xf, .full = full, .units = 4};
    const gmsim_sender from = {gpc, gpc % GMSIM_L2_SIDES, gpc};
    gmsim_shared_expect(x->shared, from, &message, 1);
    gmsim_shared_serve(x->shared, from, &ask, &message, bytes, x->shared->place);
    return message.clock;
}

static uint64_t store_line(ways *x, uint32_t gpc, uint64_t line, uint64_t clock)
{
    return store_sectors(x, gpc, line, clock, 0xf);
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
    /* All by whole lines: no less than it takes one side. */
    g_assert_cmpuint(took[0][1], >, took[0][0] * 95u / 100u);
    g_assert_cmpuint(took[1][1], <=, took[1][0] + 10u);
    g_assert_cmpuint(took[2][1], ==, took[2][0]);
    g_assert_cmpuint(x->gpu.l2_contested, >, 0);
}

/* So many stores to `lines` lines of one slice for atomics, one after another by each side; each to
 * so many sectors. When the last is there. */
static uint64_t store_in_turn(ways *x, uint32_t stores, uint32_t lines, uint32_t sectors)
{
    const uint8_t mask = (uint8_t)((1u << sectors) - 1u);
    const uint64_t bytes[1][2] = {{UINT64_MAX, UINT64_MAX}};
    uint64_t last = 0;
    gmsim_l2_flush(&x->shared->l2);
    gmsim_shared_begin(x->shared);
    gmsim_shared_step(x->shared, 0);
    for (uint32_t i = 0; i < stores; i++) {
        const uint32_t number = i % lines, side = i / lines % GMSIM_L2_SIDES;
        const gmsim_sender from = {3u + side, side, 3u + side};
        gmsim_ask ask = {.kind = GMSIM_ASK_WRITE, .messages = 1};
        gmsim_message message = {.line = (1u << 20) + number % 2u + number / 2u * 4u,
                                 .touched = mask,
                                 .full = mask,
                                 .units = (uint8_t)sectors};
        gmsim_shared_expect(x->shared, from, &message, 1);
        gmsim_shared_serve(x->shared, from, &ask, &message, bytes, x->shared->place);
        last = MAX(last, message.clock);
    }
    return last;
}

/* How long the slice takes depends on how many lines it has, and how much of them is stored
 * (micro/store_crowd.cu: a sector 2.6 clocks of two lines, 2.9 to 4 of four). */
static void test_contested_lines(ways *x, gconstpointer data)
{
    (void)data;
    const uint32_t stores = 2400;
    const double two = (double)store_in_turn(x, stores, 2, 1) / stores;
    const double four = (double)store_in_turn(x, stores, 4, 1) / stores;
    const double whole = (double)store_in_turn(x, stores, 2, 4) / stores;
    g_test_message("a sector: %.2f of two lines, %.2f of four; a line of two: %.2f", two, four,
                   whole);
    g_assert_cmpfloat(two, >, 2.2);
    g_assert_cmpfloat(two, <, 3.0);
    g_assert_cmpfloat(four, >, two * 1.1);
    g_assert_cmpfloat(four, <, 4.4);
    g_assert_cmpfloat(whole, >, 4.0);
    g_assert_cmpfloat(whole, <, 5.2);
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
        gmsim_shared_expect(x->shared, (gmsim_sender){2, 0, 0}, &message, 1);
        gmsim_shared_serve(x->shared, (gmsim_sender){2, 0, 0}, &ask, &message, bytes,
                           x->shared->place);
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/ways/ports", ways, NULL, find_ways, test_ports, lose_ways);
    g_test_add("/ways/contested", ways, NULL, find_ways, test_contested, lose_ways);
    g_test_add("/ways/contested/lines", ways, NULL, find_ways, test_contested_lines, lose_ways);
    g_test_add("/ways/steps", ways, NULL, find_ways, test_steps, lose_ways);
    g_test_add("/ways/neighbours", ways, NULL, find_ways, test_neighbours, lose_ways);
    return g_test_run();
}
