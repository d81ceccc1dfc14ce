/* SPDX-License-Identifier: MIT
 *
 * model_order.c - who waits for whom: warps at barriers, CTAs for a place on an SM.
 */
#include "tests/support/replay_bench.h"

/* Warp 1 reads after the barrier what warp 0 read before it: all of it hits. */
static void test_barrier_order(void)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 1, 64);
    for (uint64_t i = 0; i < 100; i++)
        bench_load(&b, 0, 0, BASE + i * 128);
    gmtest_barrier(&b.trace, 0, 0);
    gmtest_barrier(&b.trace, 0, 1);
    for (uint64_t i = 0; i < 100; i++)
        bench_load(&b, 0, 1, BASE + (99 - i) * 128);
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].l1_hit_sectors, ==, 400);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].l1_miss_sectors, ==, 400);
    bench_end(&b);
}

/* Warp 2 never arrives: it has no record. Warp 1 ends after the first of two barriers. */
static void test_exited_warps(void)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 1, 96);
    for (uint32_t warp = 0; warp < 2; warp++)
        gmtest_barrier(&b.trace, 0, warp);
    gmtest_barrier(&b.trace, 0, 0);
    bench_load(&b, 0, 0, BASE);
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->barriers, ==, 3);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].requests, ==, 1);
    bench_end(&b);
}

/* Lanes of one warp may arrive in pieces, which together are one arrival. */
static void test_divergent_arrival(void)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 1, 64);
    for (int i = 0; i < 2; i++) {
        bench_barrier(&b, 0, 0, 0x0000ffff, 0, 64);
        bench_barrier(&b, 0, 0, 0xffff0000, 0, 64);
        bench_barrier(&b, 0, 1, ALL, 0, 64);
    }
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->barriers, ==, 6);
    bench_end(&b);
}

/* Two of four warps meet at a barrier of their own; the others meet elsewhere. */
static void test_named_barriers(void)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 1, 128);
    for (int i = 0; i < 3; i++) {
        for (uint32_t warp = 0; warp < 4; warp++)
            bench_barrier(&b, 0, warp, ALL, 1 + warp / 2, 64);
        for (uint32_t warp = 0; warp < 4; warp++)
            bench_barrier(&b, 0, warp, ALL, 0, 128);
    }
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->barriers, ==, 24);
    bench_end(&b);
}

/* 96 of 128 threads are expected, 64 come. */
static void test_deadlock(void)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 1, 128);
    bench_barrier(&b, 0, 0, ALL, 3, 96);
    bench_barrier(&b, 0, 1, ALL, 3, 96);
    bench_load(&b, 0, 2, BASE);
    gmtest_close(&b.trace);
    bench_open(&b, (gmsim_options){.flush = true});
    bench_expect_error(&b, 0, GMSIM_ERROR_CORRUPT, "barrier");
    bench_expect_error(&b, 0, GMSIM_ERROR_CORRUPT, "CTA 0 warp 0");
    bench_expect_error(&b, 1, GMSIM_ERROR_USAGE, "no launch 1");
    bench_end(&b);
}

/* In the first wave CTA i and CTA i + 132 share an SM, so that the second finds the first's line,
 * except where the first group of SMs had its turn out of order (micro/cta_order.cu). CTAs of
 * different SMs share nothing but what merges on the way to L2: at most four reads of a group. */
static void test_first_wave(void)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 264, 1024);
    for (uint64_t cta = 0; cta < 264; cta++)
        bench_load(&b, cta, 0, BASE + cta % 132 * 128);
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].l1_hit_sectors, ==, 80 * 4); /* an H200: 82 */
    g_assert_cmpfloat(r->waves, ==, 1.0);
    bench_end(&b);
    bench_begin(&b);
    gmtest_launch(&b.trace, 132, 1024);
    for (uint64_t cta = 0; cta < 132; cta++)
        bench_load(&b, cta, 0, BASE);
    r = bench_run(&b);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].l1_hit_sectors, ==, 0);
    g_assert_cmpuint(r->l2.read_sectors, ==, (2 + 2 + 5 * 4 + 2 * 5) * 4);
    g_assert_cmpuint(r->l2.read_hit_sectors, ==, 32 * 4); /* each side misses once */
    bench_end(&b);
}

/* Later CTAs go to one group of SMs after another: as places become free at uneven times, two CTAs
 * with neighbouring numbers are mostly on one side of L2 (micro/cta_order.cu, 256 threads: 83 %),
 * and seldom on one SM (none). Each two read a line of their own: one whose home is the other side
 * crosses for either, or for both. */
static void test_turns(void)
{
    const uint64_t ctas = 8192;
    double own = 0, pairs = (double)ctas / 2.0;
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, (uint32_t)ctas, 256);
    for (uint64_t cta = 0; cta < ctas; cta++) {
        own += cta * 7 % 13 != 0;
        for (uint64_t i = 0; i < cta * 7 % 13; i++)
            bench_load(&b, cta, 1, BASE + (1u << 30) + cta * 128);
        bench_load(&b, cta, 0, BASE + cta / 2u * 128);
        gmtest_end_cta(&b.trace, cta);
    }
    const gmsim_result *r = bench_run(&b);
    const double crossed = (double)r->l2.fabric_read_sectors / 4.0 - own / 2.0;
    const double both = (crossed - pairs / 2.0) / (pairs / 2.0);
    g_test_message("on both sides: %.2f of the pairs", both);
    g_assert_cmpfloat(both, >, 0.1);
    g_assert_cmpfloat(both, <, 0.3);
    bench_end(&b);
}

/* The first CTAs of an SM begin together: all wait for code that is not there (micro/launch.cu,
 * spin: 528 CTAs of 32 threads within 6 clocks). Those that follow them find it. */
static void test_first_start(void)
{
    const uint32_t first = 600, start = 30, places = 32;
    for (uint32_t waves = 1; waves <= 2; waves++) {
        bench b;
        bench_begin(&b);
        gmtest_launch(&b.trace, 132 * places * waves, 32);
        for (uint64_t cta = 0; cta < 132 * places * waves; cta++)
            bench_load(&b, cta, 0, BASE);
        const gmsim_result *r = bench_run(&b);
        g_assert_cmpuint(r->timing.stall[GMSIM_STALL_LAUNCH], ==,
                         132u * places * (first + (waves - 1) * start));
        bench_end(&b);
    }
}

/* Many waves of CTAs of uneven length: each is run once, whoever gets it. */
static void test_many_waves(void)
{
    bench b;
    uint64_t loads = 0;
    bench_begin(&b);
    gmtest_launch(&b.trace, 5000, 512);
    for (uint64_t cta = 0; cta < 5000; cta++) {
        for (uint64_t i = 0; i < cta * 7 % 13; i++, loads++)
            bench_load(&b, cta, (uint32_t)(i % 16), BASE + (cta * 16 + i) * 128);
        gmtest_end_cta(&b.trace, cta);
    }
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->records, ==, loads);
    g_assert_cmpuint(r->l2.dram_read_sectors, ==, loads * 4);
    bench_end(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/order/barrier/order", test_barrier_order);
    g_test_add_func("/order/barrier/exited", test_exited_warps);
    g_test_add_func("/order/barrier/divergent", test_divergent_arrival);
    g_test_add_func("/order/barrier/named", test_named_barriers);
    g_test_add_func("/order/barrier/deadlock", test_deadlock);
    g_test_add_func("/order/ctas/first-wave", test_first_wave);
    g_test_add_func("/order/ctas/turns", test_turns);
    g_test_add_func("/order/first_start", test_first_start);
    g_test_add_func("/order/ctas/many-waves", test_many_waves);
    return g_test_run();
}
