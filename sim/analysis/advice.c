/* SPDX-License-Identifier: MIT
 *
 * advice.c - clocks with and without changes, added up over launches.
 */
#include "sim/analysis/advice.h"

#include <stdlib.h>
#include <string.h>

static void clear_launch(gpointer data)
{
    gmsim_whatif_facts_clear(&((gmsim_advice_launch *)data)->facts);
}

void gmsim_advice_init(gmsim_advice *advice, uint32_t wanted)
{
    *advice = (gmsim_advice){.wanted = wanted};
    advice->launch = g_array_new(FALSE, TRUE, sizeof(gmsim_advice_launch));
    g_array_set_clear_func(advice->launch, clear_launch);
}

void gmsim_advice_clear(gmsim_advice *advice)
{
    g_array_unref(advice->launch);
    memset(advice, 0, sizeof *advice);
}

void gmsim_advice_add(gmsim_advice *advice, const gmsim_gpu *gpu, uint32_t index,
                      const gmsim_result *result)
{
    gmsim_advice_launch launch = {.index = index,
                                  .timed = result->timed,
                                  .kernel = result->kernel->name,
                                  .cycles = result->timing.cycles};
    gmsim_whatif_look(gpu, result, &launch.facts);
    launch.facts.applies &= advice->wanted;
    for (unsigned change = 0; change < GMSIM_CHANGES; change++)
        launch.changed[change] = launch.cycles;
    g_array_append_val(advice->launch, launch);
}

/* They were added in the order of their numbers. */
gmsim_advice_launch *gmsim_advice_find(const gmsim_advice *advice, uint32_t index)
{
    unsigned low = 0, high = advice->launch->len;
    while (low < high) {
        unsigned middle = low + (high - low) / 2u;
        gmsim_advice_launch *launch = &g_array_index(advice->launch, gmsim_advice_launch, middle);
        if (launch->index == index)
            return launch;
        if (launch->index < index)
            low = middle + 1u;
        else
            high = middle;
    }
    return NULL;
}

uint32_t gmsim_advice_changes(const gmsim_advice *advice)
{
    uint32_t changes = 0;
    for (unsigned i = 0; i < advice->launch->len; i++)
        changes |= g_array_index(advice->launch, gmsim_advice_launch, i).facts.applies;
    return changes;
}

/* Best first; of equals a fix before an ideal, then as they are listed. */
static int by_saving(gconstpointer left, gconstpointer right, gpointer data)
{
    const gmsim_advice *advice = data;
    const gmsim_change a = *(const gmsim_change *)left, b = *(const gmsim_change *)right;
    const bool fix_a = gmsim_change_table[a].fix, fix_b = gmsim_change_table[b].fix;
    if (advice->changed[a] != advice->changed[b])
        return advice->changed[a] < advice->changed[b] ? -1 : 1;
    return fix_a != fix_b ? fix_b - fix_a : (a > b) - (a < b);
}

void gmsim_advice_finish(gmsim_advice *advice)
{
    for (unsigned i = 0; i < advice->launch->len; i++) {
        const gmsim_advice_launch *launch = &g_array_index(advice->launch, gmsim_advice_launch, i);
        advice->untimed += !launch->timed;
        advice->cycles += launch->cycles;
        for (unsigned change = 0; change < GMSIM_CHANGES; change++) {
            advice->changed[change] += launch->changed[change];
            advice->applies[change] += launch->facts.applies >> change & 1u;
        }
    }
    for (unsigned change = 0; change < GMSIM_CHANGES; change++)
        if (advice->applies[change])
            advice->order[advice->count++] = (gmsim_change)change;
    g_qsort_with_data(advice->order, (gint)advice->count, sizeof *advice->order, by_saving, advice);
}

bool gmsim_advice_read(const char *list, uint32_t *wanted, char **wrong)
{
    g_auto(GStrv) word = g_strsplit(list, ",", -1);
    *wanted = 0;
    for (char **w = word; *w != NULL; w++) {
        unsigned change = 0;
        while (change < GMSIM_CHANGES && strcmp(gmsim_change_table[change].key, *w) != 0)
            change++;
        if (change == GMSIM_CHANGES) {
            *wrong = g_strdup(*w);
            return false;
        }
        *wanted |= 1u << change;
    }
    return *wanted != 0 || (*wrong = g_strdup(list)) == NULL;
}
