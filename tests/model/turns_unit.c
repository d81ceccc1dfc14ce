/* SPDX-License-Identifier: MIT
 *
 * turns_unit.c - turns come in the order of ready times, of several at one clock in that of slots,
 * whatever time a turn gives its own warp and others: as a search of all times has it.
 */
#include "sim/model/time/turns.h"

#include <string.h>

#define NEVER UINT32_MAX
#define STEP  128u

static uint32_t least_of(const uint32_t ready[GMSIM_MAX_SM_WARPS])
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < GMSIM_MAX_SM_WARPS; i++)
        least = ready[i] < ready[least] ? i : least;
    return least;
}

/* Warps wait for some clocks, for ever, or, now and then, go back. */
static void set(gmsim_turns *turns, uint32_t ready[GMSIM_MAX_SM_WARPS], uint32_t slot, uint32_t now,
                GRand *chance)
{
    const gint32 kind = g_rand_int_range(chance, 0, 16);
    const uint32_t clocks = (uint32_t)g_rand_int_range(chance, 0, kind < 12 ? 40 : 400);
    ready[slot] = kind == 0 ? NEVER : kind == 1 ? now - MIN(now, clocks) : now + clocks;
    if (ready[slot] != NEVER)
        gmsim_turns_at(turns, slot, ready[slot]);
}

static void test_order(gconstpointer data)
{
    const uint32_t warps = GPOINTER_TO_UINT(data);
    static gmsim_turns turns;
    static const void *const each[GMSIM_MAX_SM_WARPS];
    uint32_t ready[GMSIM_MAX_SM_WARPS], until = STEP, slot = 0;
    GRand *chance = g_rand_new_with_seed(warps);
    memset(ready, 0xff, sizeof ready);
    gmsim_turns_forget(&turns);
    for (uint32_t i = 0; i < warps; i++)
        ready[i] = (uint32_t)g_rand_int_range(chance, 0, 200);
    for (uint32_t turn = 0; turn < 200000;) {
        const uint32_t clock =
            gmsim_turns_next(&turns, ready, warps <= GMSIM_FEW_WARPS, until, &slot, each);
        const uint32_t least = least_of(ready);
        g_assert_cmpuint(clock, ==, ready[least]);
        if (clock == NEVER)
            break;
        if (clock >= until) { /* the next step; times may change before it, untold */
            until = clock + STEP;
            ready[least] += 3u;
            gmsim_turns_forget(&turns);
            continue;
        }
        g_assert_cmpuint(slot, ==, least);
        turn++;
        gmsim_turns_pass(&turns);
        ready[slot] = clock + 1u; /* one at least goes on */
        gmsim_turns_at(&turns, slot, ready[slot]);
        if (turn % 8u == 0)
            set(&turns, ready, (uint32_t)g_rand_int_range(chance, 0, (gint32)warps), clock, chance);
        else if (turn % 3u)
            set(&turns, ready, slot, clock, chance);
    }
    g_rand_free(chance);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/turns/one", GUINT_TO_POINTER(1u), test_order);
    g_test_add_data_func("/turns/few", GUINT_TO_POINTER(GMSIM_FEW_WARPS), test_order);
    g_test_add_data_func("/turns/all", GUINT_TO_POINTER(GMSIM_MAX_SM_WARPS), test_order);
    return g_test_run();
}
