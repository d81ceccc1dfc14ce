/* SPDX-License-Identifier: MIT
 *
 * advise.c - the replays behind advice. Launches that are replayed only for what they leave in L2
 * stay as they are.
 */
#include "sim/api/advise.h"

/* All launches with one change. */
static bool try_change(gmsim_simulation *s, gmsim_advice *advice, gmsim_change change,
                       const gmsim_gpu *gpu, gmsim_progress progress, gpointer data, GError **error)
{
    gmsim_gpu changed = *gpu;
    gmsim_whatif_gpu(change, &changed);
    gmsim_changer *changer = gmsim_changer_new(&changed);
    bool done = true;

    gmsim_simulation_restart(s, &changed, gmsim_changer_whatif(changer));
    while (done && gmsim_simulation_pending(s)) {
        gmsim_advice_launch *launch = gmsim_advice_find(advice, s->next);
        const gmsim_result *result;
        uint32_t index;

        gmsim_changer_set(changer, change, launch != NULL ? &launch->facts : NULL);
        done = gmsim_simulation_replay(s, &result, &index, progress, data, error);
        if (done && result != NULL && launch != NULL && (launch->facts.applies >> change & 1u))
            launch->changed[change] = result->timing.cycles;
    }
    gmsim_simulation_restart(s, gpu, NULL);
    gmsim_changer_free(changer);
    return done;
}

static bool look(gmsim_simulation *s, gmsim_advice *advice, gmsim_progress progress, gpointer data,
                 GError **error)
{
    while (gmsim_simulation_pending(s)) {
        const gmsim_result *result;
        uint32_t index;

        if (!gmsim_simulation_replay(s, &result, &index, progress, data, error))
            return false;
        if (result != NULL)
            gmsim_advice_add(advice, &s->gpu, index, result);
    }
    return true;
}

bool gmsim_advise_run(gmsim_simulation *s, gmsim_advice *advice, gmsim_advise_begin begin,
                      gmsim_progress progress, gpointer data, GError **error)
{
    const gmsim_gpu gpu = s->gpu;
    unsigned number = 1, count;

    if (begin != NULL)
        begin(number, 0, NULL, data);
    if (!look(s, advice, progress, data, error))
        return false;
    const uint32_t changes = gmsim_advice_changes(advice);
    count = 1u + (unsigned)__builtin_popcount(changes);
    for (unsigned change = 0; change < GMSIM_CHANGES; change++) {
        if (!(changes >> change & 1u))
            continue;
        if (begin != NULL)
            begin(++number, count, gmsim_change_table[change].name, data);
        if (!try_change(s, advice, (gmsim_change)change, &gpu, progress, data, error))
            return false;
    }
    gmsim_advice_finish(advice);
    return true;
}
