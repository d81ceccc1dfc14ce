/* SPDX-License-Identifier: MIT
 *
 * schedule.c - a launch from its first CTA to its last. A trace holds no order between warps; this
 * is the order the model gives them: SMs advance together in steps of GMSIM_STEP clocks; what each
 * does in a step is step.c's, and on how many threads crew.c's. CTAs come as deal.c has it.
 */
#include "sim/model/time/schedule.h"

#include "sim/model/count/lanes.h"
#include "sim/model/time/cluster.h"
#include "sim/model/time/constants.h"
#include "sim/model/time/crew.h"
#include "sim/model/time/deal.h"
#include "sim/model/time/fetch.h"
#include "sim/model/time/mbarrier.h"
#include "sim/model/time/polls.h"
#include "sim/model/time/step.h"
#include "sim/model/watch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Times beyond this many clocks after the epoch move it. */
#define EPOCH_CLOCKS (1u << 30)

#define PROGRESS_STEP  (1u << 13) /* records */
#define PROGRESS_STEPS 15u        /* looked at every 16 steps */

#define DEPENDS_STEPS 7u /* in the same way: whether the result depends on who steps whom */

/* The last SM first, before any is answered: for tests. */
static bool run_apart(gmsim_scheduler *s, uint64_t limit, GError **error)
{
    for (uint32_t i = s->plan.sms; i-- > 0;)
        if (!gmsim_step_run(s, i, i + 1u, limit, error))
            return false;
    return gmsim_step_answer(s, 0, s->plan.sms, limit, error);
}

/* One step of all SMs. */
static bool run_step(gmsim_scheduler *s, uint64_t limit, GError **error)
{
    gmsim_shared_step(s->shared, limit - GMSIM_STEP);
    const bool done = s->crew         ? gmsim_crew_step(s->crew, limit, error)
                      : s->plan.apart ? run_apart(s, limit, error)
                                      : gmsim_step_all(s, 0, s->plan.sms, limit, error);
    if (!done)
        return false;
    gmsim_mbarriers_step(s);
    gmsim_clusters_step(s);
    gmsim_constants_step(s);
    gmsim_polls_step(s);
    s->step++;
    return true;
}

/* Nobody can go on: a barrier waits for warps that never come. In a trace that was cut short that
 * is to be expected, and the warps go on. */
static bool resolve_deadlock(gmsim_scheduler *s, uint64_t now, GError **error)
{
    if (s->crew)
        s->truncated |= gmsim_crew_truncated(s->crew);
    bool gave_up = gmsim_mbarriers_give_up(s, now);
    if (gmsim_clusters_give_up(s, now) || gave_up)
        return true;
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        for (uint32_t place = 0; place < s->plan.sm_ctas; place++) {
            gmsim_cta *cta = &sm->cta[place];
            if (cta->waiting == 0)
                continue;
            if (!s->truncated)
                return gmsim_step_corrupt(
                    error, &sm->warp[place * s->plan.cta_warps + gmsim_lowest(cta->waiting)],
                    "waits at a barrier that the other warps never reach");
            for (uint32_t left = cta->waiting; left; left &= left - 1u)
                gmsim_ready_at(s, sm, place * s->plan.cta_warps + gmsim_lowest(left), now);
            cta->waiting = 0;
            memset(cta->arrived_at, 0, sizeof cta->arrived_at);
            memset(cta->waiting_at, 0, sizeof cta->waiting_at);
        }
    }
    return true;
}

/* Ready times are 32 bits wide: long launches move the clock they are counted from. */
static void move_ready(uint32_t *ready, uint32_t clocks)
{
    if (*ready != GMSIM_NEVER)
        *ready = *ready > clocks ? *ready - clocks : 0;
}

static void move_epoch(gmsim_scheduler *s, uint32_t clocks)
{
    if (s->crew)
        gmsim_crew_rest(s->crew);
    s->epoch += clocks;
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        for (uint32_t slot = 0; slot < GMSIM_MAX_SM_WARPS; slot++)
            move_ready(&s->sm[i].ready[slot], clocks);
        move_ready(&s->sm[i].next, clocks);
    }
}

__attribute__((cold, noinline)) static void record_cta(const gmsim_scheduler *s, uint32_t sm,
                                                       uint32_t place)
{
    const gmsim_cta *cta = &s->sm[sm].cta[place];
    const gmsim_resident resident = {
        .cta = cta->number, .begin = cta->begin, .end = cta->end, .sm = sm, .place = place};
    gmsim_recorder_cta(s->recorder, &resident);
}

/* The places that CTAs have left in this step. */
static void collect_freed(gmsim_scheduler *s, const gmsim_part *part)
{
    for (uint32_t i = part->first; i < part->end; i++) {
        gmsim_sm *sm = &s->sm[i];
        for (; sm->left; sm->left &= sm->left - 1u) {
            uint32_t place = gmsim_lowest(sm->left);
            s->freed[s->freed_count++] =
                (gmsim_freed){.clock = sm->cta[place].end, .sm = i, .place = place};
            if (__builtin_expect(s->recorder != NULL, 0))
                record_cta(s, i, place);
        }
    }
}

/* What all SMs have come to in the step. With a crew they may already be on their way further. */
static gmsim_part look(gmsim_scheduler *s)
{
    gmsim_part all = {.end = s->plan.sms, .soonest = GMSIM_NEVER}, part = all;
    if (!s->crew)
        gmsim_step_look(s, &part);
    for (uint32_t n = 0; s->crew ? gmsim_crew_part(s->crew, n, &part) : n == 0; n++) {
        all.soonest = MIN(all.soonest, part.soonest);
        all.resident |= part.resident;
        all.records += part.records;
        if (part.left)
            collect_freed(s, &part);
    }
    return all;
}

/* Whether a CTA is there, or a place waits for one. */
static bool any_left(const gmsim_scheduler *s, bool resident)
{
    resident |= s->waiting.count + s->freed_count != 0;
    for (uint32_t i = 0; i < s->plan.sms && !resident; i++)
        resident = s->sm[i].resident != 0;
    return resident;
}

static bool run(gmsim_scheduler *s, GError **error)
{
    if (!gmsim_deal_first(s, error))
        return false;
    uint64_t reported = 0, limit = GMSIM_STEP, records = 0;
    for (;;) {
        if (!run_step(s, limit, error))
            return false;
        /* There may be fewer than before: reads that polled in vain do not count. */
        const gmsim_part all = look(s);
        records = all.records;
        uint32_t soonest = all.soonest;
        if (s->crew) {
            s->depends = (s->step & DEPENDS_STEPS) == 0 && gmsim_crew_depends(s->crew);
            if (s->depends)
                return false;
        }
        if (s->recorder)
            gmsim_recorder_step(s->recorder, &s->replay->tally, limit - GMSIM_STEP);
        if (s->freed_count || s->waiting.count) {
            if (!gmsim_deal_freed(s, limit, error))
                return false;
            soonest = MIN(soonest, gmsim_since_epoch(s, limit));
        }
        if (!any_left(s, all.resident))
            return true;
        if (soonest == GMSIM_NEVER) {
            if (!resolve_deadlock(s, limit, error))
                return false;
            soonest = gmsim_since_epoch(s, limit);
        }
        limit = s->epoch + soonest + GMSIM_STEP;
        if (soonest > EPOCH_CLOCKS)
            move_epoch(s, soonest);
        if (G_UNLIKELY(s->stop && *s->stop)) {
            g_set_error_literal(error, GMSIM_ERROR, GMSIM_ERROR_IO, "stopped");
            return false;
        }
        if (s->progress && (s->step & PROGRESS_STEPS) == 0) {
            if (records >= reported + PROGRESS_STEP) {
                reported = records;
                s->progress(records, s->plan.records, s->progress_data);
            }
        }
    }
}

/* What an SM counted. */
static void add_sm(gmsim_scheduler *s, const gmsim_sm *sm)
{
    s->records += sm->records;
    s->barriers += sm->barriers;
    s->product_bytes += sm->product_bytes;
    s->end = MAX(s->end, sm->end);
    s->timing.sm_active += sm->active;
    s->timing.warp_active += sm->timing.warp_active;
    s->timing.loads += sm->timing.loads;
    s->timing.load_cycles += sm->timing.load_cycles;
    for (uint32_t i = 0; i < GMSIM_STALLS; i++)
        s->timing.stall[i] += sm->timing.stall[i];
}

bool gmsim_schedule(gmsim_scheduler *s, GError **error)
{
    GError *problem = NULL;
    s->next_cta = s->records = s->barriers = s->product_bytes = s->epoch = s->end = s->ended =
        s->step = 0;
    s->freed_count = 0;
    memset(&s->waiting, 0, sizeof s->waiting);
    s->truncated = s->depends = false;
    memset(&s->timing, 0, sizeof s->timing);
    if (s->clusters.size)
        memset(s->clusters.home, 0, s->plan.ctas * sizeof *s->clusters.home);
    gmsim_constants_forget(s);
    gmsim_polls_forget(s);
    gmsim_fetch_restart(s);
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        gmsim_sm_has(sm, &s->lists[i], &s->lists[s->crew || s->plan.apart ? i : 0]);
        memset(sm->ready, 0xff, sizeof sm->ready);
        sm->next = GMSIM_NEVER;
        memset(sm->coming, 0, sizeof sm->coming);
        for (uint32_t part = 0; part < GMSIM_MAX_SUB_PARTITIONS; part++)
            memset(&sm->part[part], 0, offsetof(gmsim_sub_partition, load));
        sm->standing = sm->standing_shared = sm->served = 0;
        sm->served_at = 0;
        sm->deferred = 0;
        sm->runs = false;
        sm->unit_free = sm->unit_work = sm->held = sm->stored = sm->constant_free = 0;
        sm->copy_free = sm->constant_taken = 0;
        sm->mbarrier_free = 0;
        sm->active = sm->active_since = sm->active_until = 0;
        sm->taken = sm->promised = sm->turn = 0;
        sm->room = sm->open = false;
        memset(sm->gone, 0, sizeof sm->gone);
        sm->resident = sm->accesses = sm->left = sm->waiting = sm->slots = 0;
        sm->cluster_ready = sm->told = sm->signals = 0;
        sm->polling = 0;
        memset(sm->turn_at, 0, sizeof sm->turn_at);
        sm->unplanned = sm->records = sm->barriers = sm->product_bytes = sm->end = 0;
        memset(&sm->timing, 0, sizeof sm->timing);
        sm->paths = s->crew ? gmsim_crew_paths(s->crew, i) : s->paths;
        sm->course = s->recorder ? &s->recorder->sm[i] : NULL;
        for (uint32_t place = 0; place < GMSIM_MAX_SM_CTAS; place++)
            sm->cta[place].live = sm->cta[place].waiting = 0;
        for (uint32_t slot = 0; slot < GMSIM_MAX_SM_WARPS; slot++)
            sm->warp[slot].unserved = 0;
    }
    if (s->recorder)
        gmsim_recorder_begin(s->recorder);
    bool done = run(s, &problem);
    if (s->crew) {
        s->truncated |= gmsim_crew_truncated(s->crew);
        s->depends |= done && gmsim_crew_depends(s->crew);
    }
    if (s->recorder)
        gmsim_recorder_end(s->recorder);
    s->end = MAX(s->end, s->shared->drained);
    for (uint32_t i = 0; i < s->plan.sms; i++)
        add_sm(s, &s->sm[i]);
    if (!done) {
        for (uint32_t i = 0; i < s->plan.sms; i++)
            for (uint64_t left = s->sm[i].taken; left; left &= left - 1u)
                gmtrace_cursor_close(s->reader, &s->sm[i].warp[__builtin_ctzll(left)].cursor);
        if (problem)
            g_propagate_error(error, problem);
    }
    return done && !s->depends;
}
