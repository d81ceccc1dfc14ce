/* SPDX-License-Identifier: MIT
 *
 * together_unit.c - of two ways to run a launch's steps the one that takes less time is found,
 * soon, and again when that has become the other; nearly all steps are run in it; and one that took
 * very long changes nothing.
 */
#include "sim/model/time/together.h"

enum { STEPS = 20000, WORK = 500 };

/* Nanoseconds that a step takes, alone and together. */
typedef struct way_costs {
    uint64_t of[2];
} way_costs;

static uint64_t clock_of, work_of;

/* So many steps, of which each `odd`-th takes 50 times as long (0: none); how many were run
 * together. */
static uint32_t run(gmsim_together *t, way_costs costs, uint32_t steps, uint32_t odd)
{
    uint32_t together = 0;
    for (uint32_t i = 0; i < steps; i++) {
        together += t->now;
        clock_of += costs.of[t->now] * (odd && i % odd == odd - 1u ? 50u : 1u);
        work_of += WORK;
        gmsim_together_next(t, clock_of, work_of);
    }
    return together;
}

static void test_finds(void)
{
    static const way_costs case_of[] = {
        {{20000, 5000}}, {{5000, 20000}}, {{20000, 15000}}, {{2000, 60000}}, {{1600000, 200000}}};
    for (uint32_t odd = 0; odd < 100u; odd += 37u)
        for (uint32_t i = 0; i < G_N_ELEMENTS(case_of); i++) {
            const way_costs costs = case_of[i];
            const bool best = costs.of[1] < costs.of[0];
            gmsim_together t;
            gmsim_together_begin(&t, clock_of);
            work_of = 0;
            const uint64_t began = clock_of;
            const uint32_t together = run(&t, costs, STEPS, odd);
            g_assert_cmpuint(best ? together : STEPS - together, >, STEPS * 85u / 100u);
            if (!odd) /* the other way, tried, costs a few percent */
                g_assert_cmpuint(clock_of - began, <, costs.of[best] * STEPS * 110u / 100u);
        }
}

static void test_changes(void)
{
    gmsim_together t;
    gmsim_together_begin(&t, clock_of);
    work_of = 0;
    run(&t, (way_costs){{20000, 5000}}, STEPS, 0);
    g_assert_cmpuint(run(&t, (way_costs){{20000, 90000}}, STEPS, 0), <, STEPS / 10u);
    g_assert_cmpuint(run(&t, (way_costs){{20000, 5000}}, STEPS, 0), >, STEPS / 2u);
}

/* The first steps of a launch are run together, whatever they take. */
static void test_begins(void)
{
    gmsim_together t;
    gmsim_together_begin(&t, clock_of);
    work_of = 0;
    g_assert_cmpuint(run(&t, (way_costs){{10, 1000000}}, GMSIM_TOGETHER_FIRST, 0), ==,
                     GMSIM_TOGETHER_FIRST);
    g_assert_cmpuint(run(&t, (way_costs){{10, 1000000}}, 100, 0), <, 20);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/together/finds", test_finds);
    g_test_add_func("/together/changes", test_changes);
    g_test_add_func("/together/begins", test_begins);
    return g_test_run();
}
