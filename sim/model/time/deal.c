/* SPDX-License-Identifier: MIT
 *
 * deal.c - which SM gets which CTA, and when. As measured on an H200:
 *
 * - The first CTAs are dealt by a policy (sim/policy/order.h) until no SM takes another. After that
 *   one group of SMs after another has its turn, in which each of its SMs that has a free place
 *   takes a CTA: of places that become free at about the same time neighbouring CTAs go to one
 *   group (micro/cta_order.cu).
 * - The first CTAs of an SM start slowly, all at the same time, as all wait for the same code and
 *   parameters; the second half of their warps later. CTAs end one after the other on the whole
 *   GPU, and a place is empty for a while before the next starts there (micro/launch.cu).
 * - A CTA that lets launches begin which depend on this one tells the GPU so, which takes as long
 *   as its end does: not many of them can end at a time (micro/dependents.cu).
 * - CTAs of one warp come and go faster than the GPU can give places away: then places wait, and
 *   SMs have turns, whichever became free first (micro/cta_short.cu).
 * - CTAs of a cluster are dealt one after the other, to SMs of one group while all are free.
 *
 * Left out: clusters that begin together, several kernels at a time.
 */
#include "sim/model/time/deal.h"
#include "sim/model/time/constants.h"

#include "sim/model/time/cluster.h"
#include "sim/model/time/mbarrier.h"
#include "sim/model/trace_error.h"
#include "sim/model/watch.h"
#include "sim/policy/order.h"

#include <stdlib.h>
#include <string.h>

typedef struct dealing {
    gmsim_scheduler *scheduler;
    GError **error;
} dealing;

/* Where a warp slot's local memory begins: windows follow one another, an SM's those of the SM
 * before (micro/local_windows.cu). */
static uint64_t window_of(const gmsim_plan *plan, uint32_t slot)
{
    return GMSIM_LOCAL_WINDOWS + slot * plan->window_size;
}

/* A slot for each warp: those of a CTA are in sub-partitions by turns, and go on where the CTA
 * before stopped, or with the next where that would be the same again (micro/warp_slots.cu). */
static void find_slots(const gmsim_scheduler *s, gmsim_sm *sm, uint8_t slot[GMSIM_MAX_CTA_WARPS])
{
    const uint32_t warps = s->plan.cta_warps, parts = s->plan.sub_partitions;
    uint64_t free = ~sm->taken;
    for (uint32_t i = 0; i < warps; i++) {
        const uint32_t part = (sm->turn + i) % parts;
        uint64_t left = free;
        while (left && (uint32_t)__builtin_ctzll(left) % parts != part)
            left &= left - 1u;
        slot[i] = (uint8_t)__builtin_ctzll(left ? left : free);
        free &= ~(UINT64_C(1) << slot[i]);
    }
    sm->turn = (sm->turn + warps + (warps % parts == 0)) % parts;
}

static bool start_cta(gmsim_scheduler *s, uint32_t sm_number, uint32_t place, uint64_t now,
                      uint32_t start, GError **error)
{
    gmsim_sm *sm = &s->sm[sm_number];
    gmsim_cta *cta = &sm->cta[place];
    uint32_t warps = s->plan.cta_warps;
    memset(cta, 0, sizeof *cta);
    cta->begin = now;
    find_slots(s, sm, cta->slot);
    cta->number = gmsim_cluster_cta(s, s->next_cta++);
    gmsim_mbarriers_enter(s, sm_number, place);
    gmsim_cluster_enter(s, sm_number, place);
    for (uint32_t i = 0; i < warps; i++) {
        const uint32_t slot = cta->slot[i];
        gmsim_warp *warp = &sm->warp[slot];
        gmtrace_error reason; /* the reader clears it, but for its long text */
        memset(warp, 0, sizeof *warp);
        warp->cta = place;
        warp->part = &sm->part[slot % s->plan.sub_partitions];
        warp->last = GMTRACE_NO_INSTR;
        warp->start = now;
        warp->who.cta = cta->number;
        warp->who.warp = i;
        warp->who.slot = sm_number * GMSIM_MAX_SM_WARPS + slot;
        warp->who.part = (uint8_t)(slot % s->plan.sub_partitions);
        warp->who.copy_instr = GMTRACE_NO_INSTR;
        warp->who.copy = &sm->copy[slot];
        warp->who.window = window_of(&s->plan, warp->who.slot);
        if (!gmtrace_cursor_open(s->reader, &warp->cursor, cta->number, i, &reason)) {
            if (reason.status != GMTRACE_TRUNCATED) {
                gmsim_trace_error(error, NULL, &reason);
                return false;
            }
            s->truncated = true;
            continue;
        }
        gmtrace_path_enter_as(sm->paths, &warp->path, gmsim_lanes_of(&s->plan, i), cta->number, i);
        gmsim_constants_enter(s, sm, slot);
        cta->live |= 1u << i;
        sm->taken |= UINT64_C(1) << slot;
        sm->slots = MAX(sm->slots, slot + 1u);
        uint64_t go = now + start;
        gmsim_ready_at(s, sm, slot, go);
        sm->timing.stall[GMSIM_STALL_LAUNCH] += go - now;
        if (gmsim_sm_recorded(sm))
            gmsim_course_wait(sm->course, GMSIM_STALL_LAUNCH, now, go - now);
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

static int by_turn(const void *a, const void *b)
{
    const gmsim_freed *one = a, *other = b;
    if (one->turn != other->turn)
        return one->turn < other->turn ? -1 : 1;
    return one->sm != other->sm ? (one->sm < other->sm ? -1 : 1)
                                : (int)one->place - (int)other->place;
}

/* The turn over the groups of SMs in which a place takes a CTA: an SM has one in each, of those
 * places that became free with it. They come SM by SM. */
static uint64_t turn_of(const gmsim_scheduler *s, uint32_t i, uint64_t clocks)
{
    const gmsim_freed *freed = s->freed;
    uint64_t turn = freed[i].clock / clocks;
    for (uint32_t k = i; k > 0 && freed[k - 1u].sm == freed[i].sm && clocks > 1u; k--)
        if (freed[k - 1u].turn == turn) {
            turn++;
            k = i + 1u;
        }
    return turn;
}

/* A place takes the next CTA, if there is one, as soon as one more may have ended. */
static bool give_back(gmsim_scheduler *s, const gmsim_freed *freed, uint64_t from, GError **error)
{
    const gmsim_gpu *gpu = s->plan.gpu;
    s->ended = MAX(s->ended, from * 1000u);
    if (gpu->launch_ctas && !freed->early)
        s->ended += s->plan.cta_messages * 1000000u / gpu->launch_ctas;
    const uint64_t now = MAX(s->ended / 1000u, freed->clock);
    s->end = MAX(s->end, now);
    return freed->full ||
           deal(s, freed->sm, freed->place, now + gpu->launch_refill, gpu->launch_start, error);
}

/* Of an SM of those that wait, whose turn it is: groups take so many CTAs each, by turns, and in a
 * group its SMs by turns. The first two groups are the halves of one, if the first comes again. */
static uint32_t whose_turn(gmsim_scheduler *s)
{
    const gmsim_list *groups = &s->plan.groups;
    const uint32_t halves = s->plan.again && groups->count > 1u;
    const uint32_t turns = groups->count ? groups->count - halves : 1u;
    gmsim_waiting *w = &s->waiting;
    for (;;) {
        uint32_t first = 0, sms = groups->count ? groups->value[0] : s->plan.sms;
        if (halves)
            sms += groups->value[1];
        for (uint32_t i = 0; i < w->turn; i++) {
            first += sms;
            sms = groups->value[i + 1u + halves];
        }
        for (uint32_t i = 0; i < sms && w->taken < s->plan.gpu->launch_turn_ctas; i++) {
            const uint32_t next = (w->next[w->turn] + i) % sms;
            if (s->sm[first + next].waiting) {
                w->next[w->turn] = next + 1u;
                w->taken++;
                return first + next;
            }
        }
        w->turn = (w->turn + 1u) % turns;
        w->taken = 0;
    }
}

/* CTAs of one warp: places that became free before the GPU could give one away wait for their SM's
 * turn, into later steps if need be. */
static bool deal_in_turn(gmsim_scheduler *s, uint64_t limit, GError **error)
{
    gmsim_waiting *w = &s->waiting;
    uint32_t i = 0;
    while (i < s->freed_count || w->count) {
        const uint64_t now = s->ended / 1000u;
        for (; i < s->freed_count && s->freed[i].clock <= now; i++, w->count++)
            s->sm[s->freed[i].sm].waiting |= 1u << s->freed[i].place;
        gmsim_freed freed = {.clock = 0};
        if (w->count) {
            if (now >= limit && s->next_cta < s->plan.ctas)
                break;
            freed.sm = whose_turn(s);
            freed.place = gmsim_lowest(s->sm[freed.sm].waiting);
            s->sm[freed.sm].waiting &= s->sm[freed.sm].waiting - 1u;
            w->count--;
        } else {
            freed = s->freed[i++];
        }
        if (!give_back(s, &freed, freed.clock, error))
            return false;
    }
    s->freed_count -= i;
    memmove(s->freed, s->freed + i, s->freed_count * sizeof *s->freed);
    return true;
}

/* Are there slots for one more CTA besides those promised, of those that had been left by then? */
static bool fits(const gmsim_scheduler *s, const gmsim_sm *sm, uint32_t promised, uint64_t by)
{
    const gmsim_plan *plan = &s->plan;
    const uint32_t parts = plan->sub_partitions, warps = (promised + 1u) * plan->cta_warps;
    uint32_t taken[GMSIM_MAX_SUB_PARTITIONS] = {0}, all = 0;
    for (uint32_t slot = 0; slot < GMSIM_MAX_SM_WARPS; slot++)
        if ((sm->taken >> slot & 1u) || sm->gone[slot] > by) {
            taken[slot % parts]++;
            all++;
        }
    bool room = sm->resident + promised < plan->places && all + warps <= plan->sm_warps;
    for (uint32_t i = 0; i < parts && warps % parts == 0; i++)
        room = room && taken[i] + warps / parts <= plan->sm_warps / parts;
    return room;
}

/* While CTAs end, SMs take further ones for warps that have ended before their CTAs; and those that
 * had done so take none when these end (micro/early_exit.cu). SMs that are not open may be on their
 * way further (crew.h). */
static void look_for_room(gmsim_scheduler *s, uint64_t limit)
{
    const uint64_t clocks = s->plan.gpu->launch_early;
    for (uint32_t i = 0; i < s->freed_count; i++) {
        gmsim_freed *freed = &s->freed[i];
        gmsim_sm *sm = &s->sm[freed->sm];
        freed->full = !fits(s, sm, gmsim_lane_count(sm->promised), UINT64_MAX);
        if (!freed->full)
            sm->promised |= 1u << freed->place;
    }
    for (uint32_t i = 0; i < s->plan.sms && s->next_cta < s->plan.ctas; i++) {
        gmsim_sm *sm = &s->sm[i];
        for (uint32_t place = 0; sm->open && place < s->plan.places; place++) {
            if (sm->cta[place].live || sm->promised >> place & 1u)
                continue;
            if (!fits(s, sm, gmsim_lane_count(sm->promised), limit - MIN(limit, clocks)))
                break;
            sm->promised |= 1u << place;
            s->freed[s->freed_count++] =
                (gmsim_freed){.clock = limit - GMSIM_STEP, .sm = i, .place = place, .early = true};
        }
    }
}

bool gmsim_has_room(const gmsim_scheduler *s, const gmsim_sm *sm)
{
    return s->plan.places > s->plan.sm_ctas && fits(s, sm, 0, UINT64_MAX);
}

/* The places that became free in this step take the next CTAs, turn by turn, SM by SM: those of a
 * group are neighbours. CTAs of clusters go where places became free first. */
bool gmsim_deal_freed(gmsim_scheduler *s, uint64_t limit, GError **error)
{
    const gmsim_gpu *gpu = s->plan.gpu;
    const bool clusters = s->clusters.size > 1u;
    const uint64_t clocks = clusters ? 1u : MAX(gpu->launch_turn, 1u);
    const bool early = s->plan.places > s->plan.sm_ctas;
    if (early)
        look_for_room(s, limit);
    for (uint32_t i = 0; i < s->freed_count; i++)
        s->freed[i].turn = turn_of(s, i, clocks);
    qsort(s->freed, s->freed_count, sizeof *s->freed, by_turn);
    if (s->plan.cta_warps == 1u && gpu->launch_turn_ctas && !clusters)
        return deal_in_turn(s, limit, error);
    for (uint32_t i = 0; i < s->freed_count; i++) {
        const gmsim_freed *freed = &s->freed[i];
        if (!give_back(s, freed, MIN(freed->turn * clocks, freed->clock), error))
            return false;
    }
    s->freed_count = 0;
    for (uint32_t i = 0; i < s->plan.sms && early; i++) {
        gmsim_sm *sm = &s->sm[i];
        if (sm->open) {
            sm->promised = 0;
            sm->room = gmsim_has_room(s, sm);
        }
    }
    return true;
}

/* One of the first CTAs for an SM that has a place left. */
static bool give(void *data, uint32_t sm)
{
    dealing *d = data;
    gmsim_scheduler *s = d->scheduler;
    const gmsim_gpu *gpu = s->plan.gpu;
    uint32_t place = 0;
    while (place < s->plan.sm_ctas && s->sm[sm].cta[place].live)
        place++;
    uint32_t before = place * s->plan.cta_warps;
    return deal(s, sm, place,
                before + s->plan.cta_warps > gpu->launch_first_warps && before ? gpu->launch_half
                                                                               : 0,
                gpu->launch_first, d->error);
}

/* A plug-in's order. */
static bool deal_plugged(gmsim_dealer *dealer, const gmsim_plugin *plugin, GError **error)
{
    const gmsim_plugin_launch launch = {.ctas = dealer->ctas,
                                        .sms = dealer->sms,
                                        .places = dealer->places,
                                        .groups = dealer->groups,
                                        .group = dealer->group};
    uint64_t state[16] = {0};
    while (!gmsim_deal_done(dealer)) {
        uint32_t sm = plugin->order->next(state, &launch, dealer->dealt, dealer->held);
        if (sm >= dealer->sms || dealer->held[sm] == dealer->places) {
            g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_UNSUPPORTED,
                        "plug-in %s: next() gave CTA %" G_GUINT64_FORMAT
                        " to SM %u, which %s; SMs are 0 to %u, each takes %u CTAs",
                        plugin->name, dealer->dealt, sm, sm >= dealer->sms ? "is none" : "is full",
                        dealer->sms - 1u, dealer->places);
            return false;
        }
        gmsim_deal_to(dealer, sm);
    }
    return !dealer->stopped;
}

static gmsim_dealer dealer_of(const gmsim_scheduler *s, bool (*to)(void *data, uint32_t sm),
                              void *data)
{
    return (gmsim_dealer){.ctas = s->plan.ctas,
                          .sms = s->plan.sms,
                          .places = s->plan.sm_ctas,
                          .groups = s->plan.groups.count,
                          .again = s->plan.again,
                          .group = s->plan.groups.value,
                          .cluster = s->clusters.size,
                          .singles = s->plan.singles,
                          .give = to,
                          .data = data};
}

bool gmsim_deal_first(gmsim_scheduler *s, GError **error)
{
    gmsim_dealer dealer = dealer_of(s, give, &(dealing){s, error});
    const gmsim_gpu *gpu = s->plan.gpu;
    if (gpu->launch_order >= GMSIM_ORDER_COUNT)
        return deal_plugged(&dealer, gpu->plugin[gpu->launch_order - GMSIM_ORDER_COUNT], error);
    gmsim_orders[gpu->launch_order].deal(&dealer);
    return !dealer.stopped;
}

static bool go_on(void *data, uint32_t sm)
{
    (void)data, (void)sm;
    return true;
}

void gmsim_deal_try(const gmsim_scheduler *s, uint8_t *ctas)
{
    gmsim_dealer dealer = dealer_of(s, go_on, NULL);
    if (s->plan.gpu->launch_order >= GMSIM_ORDER_COUNT) {
        memset(ctas, 1, s->plan.sms);
        return;
    }
    gmsim_orders[s->plan.gpu->launch_order].deal(&dealer);
    memcpy(ctas, dealer.held, s->plan.sms);
}
