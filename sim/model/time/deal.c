/* SPDX-License-Identifier: MIT
 *
 * deal.c - which SM gets which CTA, and when. As measured on an H200:
 *
 * - The first CTAs are dealt one an SM at a time, group by group of SMs, until no SM takes another;
 *   the first group has its turns more often than the others; but none takes more than an even
 *   share of the grid, nor one more than that, before all have theirs (micro/cta_order.cu). After
 *   that the next CTA goes to the place that becomes free first.
 * - The first CTA of an SM starts slowly, the second half of its warps later; CTAs end one after
 *   the other on the whole GPU, and a place is empty for a while before the next starts there
 *   (micro/launch.cu).
 *
 * Left out: clusters placed together, several kernels at a time.
 */
#include "sim/model/time/deal.h"

#include "sim/model/count/lanes.h"
#include "sim/model/trace_error.h"

#include <stdlib.h>
#include <string.h>

static bool start_cta(gmsim_scheduler *s, uint32_t sm_number, uint32_t place, uint64_t now,
                      uint32_t start, GError **error)
{
    gmsim_sm *sm = &s->sm[sm_number];
    gmsim_cta *cta = &sm->cta[place];
    uint32_t warps = s->plan.cta_warps, first = place * warps;
    memset(cta, 0, sizeof *cta);
    cta->number = s->next_cta++;
    for (uint32_t i = 0; i < warps; i++) {
        gmsim_warp *warp = &sm->warp[first + i];
        gmtrace_error reason = {.status = GMTRACE_OK};
        memset(warp, 0, sizeof *warp);
        warp->cta = place;
        warp->last = GMTRACE_NO_INSTR;
        warp->start = now;
        warp->who = (gmsim_executor){
            .cta = cta->number,
            .warp = i,
            .sm = sm_number,
            .copy_instr = GMTRACE_NO_INSTR,
            .window = (1ull << 50) +
                      ((uint64_t)sm_number * GMSIM_MAX_SM_WARPS + first + i) * s->plan.window_size,
        };
        if (!gmtrace_cursor_open(s->reader, &warp->cursor, cta->number, i, &reason)) {
            if (reason.status != GMTRACE_TRUNCATED) {
                gmsim_trace_error(error, NULL, &reason);
                return false;
            }
            s->truncated = true;
            continue;
        }
        uint32_t threads = s->plan.cta_threads - i * GMTRACE_WARP_LANES;
        gmtrace_path_enter(s->paths, &warp->path,
                           threads < 32u ? (1u << threads) - 1u : GMSIM_ALL_LANES);
        cta->live |= 1u << i;
        uint64_t go = now + start;
        sm->ready[first + i] = gmsim_since_epoch(s, go);
        s->timing.stall[GMSIM_STALL_LAUNCH] += go - now;
    }
    cta->end = now;
    if (cta->live && sm->resident++ == 0)
        sm->active_since = now;
    return true;
}

/* Gives a free place the next CTA, if there is one. */
static bool deal(gmsim_scheduler *s, uint32_t sm_number, uint32_t place, uint64_t now,
                 uint32_t start, GError **error)
{
    while (s->next_cta < s->plan.ctas && s->sm[sm_number].cta[place].live == 0)
        if (!start_cta(s, sm_number, place, now, start, error))
            return false;
    return true;
}

static int by_clock(const void *a, const void *b)
{
    const gmsim_freed *one = a, *other = b;
    if (one->clock != other->clock)
        return one->clock < other->clock ? -1 : 1;
    return one->sm != other->sm ? (one->sm < other->sm ? -1 : 1)
                                : (int)one->place - (int)other->place;
}

/* The places that became free in this step take the next CTAs, in the order in which they did. */
bool gmsim_deal_freed(gmsim_scheduler *s, GError **error)
{
    const gmsim_gpu *gpu = s->plan.gpu;
    qsort(s->freed, s->freed_count, sizeof *s->freed, by_clock);
    for (uint32_t i = 0; i < s->freed_count; i++) {
        const gmsim_freed *freed = &s->freed[i];
        s->ended = MAX(s->ended, freed->clock * 1000u);
        if (gpu->launch_ctas)
            s->ended += 1000000u / gpu->launch_ctas;
        uint64_t now = s->ended / 1000u;
        s->end = MAX(s->end, now);
        if (!deal(s, freed->sm, freed->place, now + gpu->launch_refill, gpu->launch_start, error))
            return false;
    }
    s->freed_count = 0;
    return true;
}

/* Gives each SM of a group one more CTA, if it takes one. */
static bool deal_group(gmsim_scheduler *s, uint32_t first, uint32_t sms, bool *dealt,
                       GError **error)
{
    for (uint32_t i = first; i < first + sms; i++) {
        uint32_t place = 0;
        while (place < s->first_ctas && s->sm[i].cta[place].live)
            place++;
        if (place == s->first_ctas || s->next_cta == s->plan.ctas)
            continue;
        const gmsim_gpu *gpu = s->plan.gpu;
        uint32_t before = place * s->plan.cta_warps;
        if (!deal(s, i, place,
                  before + s->plan.cta_warps > gpu->launch_first_warps && before ? gpu->launch_half
                                                                                 : 0,
                  place ? gpu->launch_start : gpu->launch_first, error))
            return false;
        *dealt = true;
    }
    return true;
}

/* The first CTAs, until the SMs are full: group by group; the first group out of turn. */
bool gmsim_deal_first(gmsim_scheduler *s, GError **error)
{
    gmsim_list groups = s->plan.groups;
    uint32_t first[GMSIM_LIST_MAX + 1] = {0}, sms = s->plan.sms, turn = 0;
    /* An even share for every SM first, then the rest. */
    s->first_ctas = (uint32_t)MIN(MAX(s->plan.ctas / sms, 1u), s->plan.sm_ctas);
    if (groups.count == 0)
        groups = (gmsim_list){.count = 1, .value = {sms}};
    for (uint32_t i = 0; i < groups.count; i++)
        first[i + 1] = first[i] + groups.value[i];
    uint32_t again = groups.count > 1u ? s->plan.again : 0;
    for (bool dealt = true; dealt && s->next_cta < s->plan.ctas;) {
        dealt = false;
        for (uint32_t i = again != 0; i < groups.count; i++) {
            if (again && turn++ % again == 0 && !deal_group(s, 0, groups.value[0], &dealt, error))
                return false;
            if (!deal_group(s, first[i], groups.value[i], &dealt, error))
                return false;
        }
        if (!dealt && s->first_ctas < s->plan.sm_ctas) {
            s->first_ctas++;
            turn = 0;
            dealt = true;
        }
    }
    return true;
}
