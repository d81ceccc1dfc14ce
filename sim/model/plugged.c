/* SPDX-License-Identifier: MIT
 *
 * plugged.c - plug-ins of a model: their state is allocated once, and given to the caches whose
 * policies they are. Orders of CTAs keep theirs in deal.c.
 */
#include "sim/model/plugged.h"

#include "sim/policy/prefetch.h"

#include <stdlib.h>

/* The plug-in that a policy's number stands for, or NULL: it is one of `count` built-in ones. */
static const gmsim_plugin *plugin_of(const gmsim_gpu *gpu, uint32_t policy, uint32_t count)
{
    return policy < count ? NULL : gpu->plugin[policy - count];
}

bool gmsim_plugged_init(gmsim_plugged *p, const gmsim_gpu *gpu)
{
    *p = (gmsim_plugged){
        .gpu = gpu,
        .l1 = plugin_of(gpu, gpu->l1_replacement, GMSIM_REPLACEMENT_COUNT),
        .l2 = plugin_of(gpu, gpu->l2_replacement, GMSIM_REPLACEMENT_COUNT),
        .prefetch = plugin_of(gpu, gpu->l1_prefetch, GMSIM_PREFETCH_COUNT),
    };
    if (p->l2)
        p->sm_at = gmsim_replacer_bytes(p->l2->replacement, gmsim_l2_sets(gpu), GMSIM_L2_WAYS);
    if (p->l1)
        p->l1_bytes =
            gmsim_replacer_bytes(p->l1->replacement, gmsim_l1_most_sets(gpu), GMSIM_L1_SLOTS);
    if (p->prefetch)
        p->prefetch_bytes = gmsim_round8(p->prefetch->prefetcher->state_bytes);
    if (!p->l1 && !p->l2 && !p->prefetch)
        return true;
    p->state = calloc(1, p->sm_at + gpu->gpu_sm_count * (p->l1_bytes + p->prefetch_bytes) + 8u);
    return p->state != NULL;
}

void gmsim_plugged_clear(gmsim_plugged *p)
{
    free(p->state);
    p->state = NULL;
}

void gmsim_plugged_shared(const gmsim_plugged *p, gmsim_shared *shared)
{
    if (p->l2)
        gmsim_l2_plug(&shared->l2, p->l2->replacement, p->state);
}

void gmsim_plugged_sm(const gmsim_plugged *p, gmsim_sm_memory *memory, uint32_t number)
{
    if (!p->state)
        return;
    uint8_t *state = p->state + p->sm_at + number * (p->l1_bytes + p->prefetch_bytes);
    if (p->l1)
        gmsim_l1_plug(&memory->l1, p->l1->replacement, state);
    if (p->prefetch)
        gmsim_sm_memory_plug(memory, p->prefetch->prefetcher, state + p->l1_bytes);
}

static bool wrong_victim(const gmsim_plugin *plugin, const gmsim_replacer *replacer,
                         const char *cache, GError **error)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_UNSUPPORTED,
                "plug-in %s: victim() answered %u in %s, which is none of the candidates 0x%x (%u "
                "wrong answers there)",
                plugin->name, replacer->answer, cache, replacer->candidates, replacer->wrong);
    return false;
}

static bool wrong_ahead(const gmsim_plugin *plugin, const gmsim_prefetcher *prefetcher, uint32_t sm,
                        GError **error)
{
    if (prefetcher->answer > GMSIM_PLUGIN_AHEAD)
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_UNSUPPORTED,
                    "plug-in %s: access() gave %u lines ahead in SM %u; %u are the most",
                    plugin->name, prefetcher->answer, sm, GMSIM_PLUGIN_AHEAD);
    else
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_UNSUPPORTED,
                    "plug-in %s: access() gave line 0x%" G_GINT64_MODIFIER
                    "x ahead in SM %u; a line is an address / 128, below 2^%u",
                    plugin->name, prefetcher->first.line, sm, GMSIM_LINE_BITS);
    return false;
}

bool gmsim_plugged_check(const gmsim_plugged *p, const gmsim_sm *sm, const gmsim_shared *shared,
                         GError **error)
{
    if (p->l2 && shared->l2.replacer.wrong)
        return wrong_victim(p->l2, &shared->l2.replacer, "L2", error);
    for (uint32_t i = 0; (p->l1 || p->prefetch) && i < p->gpu->gpu_sm_count; i++) {
        const gmsim_sm_memory *memory = &sm[i].memory;
        if (p->l1 && memory->l1.replacer.wrong)
            return wrong_victim(p->l1, &memory->l1.replacer, "an L1", error);
        if (p->prefetch && memory->prefetcher.wrong)
            return wrong_ahead(p->prefetch, &memory->prefetcher, i, error);
    }
    return true;
}
