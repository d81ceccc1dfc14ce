/* SPDX-License-Identifier: MIT
 *
 * share.c - how the warps of a sub-partition share its pipes on long ways without a record.
 *
 * - Warps of older CTAs come first, strictly: what they leave is for the next. Of 14 divisions that
 *   keep a pipe busy, each a quarter of the time, four are done while the others stand, and the
 *   last two have half of the pipe to themselves (micro/warp_share.cu). Warps of one CTA share
 *   alike.
 * - Warps that meet at a pipe wait for one another before it is full: on the whole
 *   load / (1 - load) of the work that the warp brings there, times how unevenly it asks, the
 *   variance of the clocks between its instructions over the square of their mean (Kingman's
 *   formula for a queue), times `meeting`. A chain of equal steps hardly waits
 *   (micro/branch_cost.cu, 8 and 16 warps: fma12 beside div, sqrt_rn, expf_).
 *
 * A warp's load is what it asks on its present piece over the time that it takes for it. On ways
 * shorter than a piece warps meet likewise, the load being what was asked on such ways over the
 * last clocks; all else, and the scheduler, is left there to the order in which warps come
 * (warp.c): loops that keep it busy with short ways take no longer than their slots
 * (micro/l1_mix.cu).
 */
#include "sim/model/time/share.h"

#include "sim/model/hot.h"

#define WHOLE       256u /* of a pipe */
#define LEAST       8u /* what is left to a warp that all others come before, so that it goes on */
#define FULL        192u /* load from which waiting is that for a full pipe, which the share tells */
#define MOST_PIECES 16u  /* of a way, where they are longer than GMSIM_PIECE_CLOCKS */
#define EVEN        256u /* variance over squared mean; at most twice as much counts */
#define CONSTANTS   64u  /* clocks of loads of constants a piece: a load of 32 addresses */

/* Divisions cost the host its time, and all pipes are divided by the same: products with what is a
 * little more than 2^32 over a number up to WHOLE, exact below 2^24; ... */
#define INVERSE(by)    (UINT64_C(1) << 32) / (by) + 1u
#define INVERSES4(by)  INVERSE(by), INVERSE((by) + 1), INVERSE((by) + 2), INVERSE((by) + 3)
#define INVERSES16(by) INVERSES4(by), INVERSES4((by) + 4), INVERSES4((by) + 8), INVERSES4((by) + 12)
#define INVERSES64(by)                                                                             \
    INVERSES16(by), INVERSES16((by) + 16), INVERSES16((by) + 32), INVERSES16((by) + 48)
static const uint64_t inverse_of[WHOLE] = {INVERSES64(1), INVERSES64(65), INVERSES64(129),
                                           INVERSES64(193)};

static inline uint64_t over_part(uint64_t n, uint32_t by)
{
    return n < 1u << 24 ? n * inverse_of[by - 1u] >> 32 : n / by;
}

/* ... or with what is a little less than 2^64 over any number, at most one short. */
typedef struct divisor {
    uint64_t by, inverse;
} divisor;

static inline divisor divisor_of(uint64_t by)
{
    return (divisor){by, UINT64_MAX / by};
}

static inline uint64_t over(uint64_t n, divisor d)
{
    __extension__ const uint64_t most = (uint64_t)((unsigned __int128)n * d.inverse >> 64);
    return most + (n - most * d.by >= d.by);
}

/* Of 64 warps, none of which takes more than WHOLE. */
typedef struct others {
    uint16_t older[GMSIM_PIPES]; /* what warps of older CTAs take */
    uint16_t kin[GMSIM_PIPES];   /* those of its own */
    uint16_t kins[GMSIM_PIPES];  /* how many of these */
} others;

/* `own`: the warp's place among them, or the first free one. */
GMSIM_INLINE others others_of(const gmsim_sub_partition *part, uint32_t slot, uint64_t cta,
                              uint32_t *own)
{
    others sum = {{0}, {0}, {0}};
    *own = part->loaded;
    for (uint32_t i = 0; i < part->loaded; i++) {
        const gmsim_load *other = &part->load[i];
        const bool is_other = other->slot != slot;
        *own = is_other ? *own : i;
        const uint16_t is_older = (uint16_t)(0u - (uint32_t)(other->cta < cta));
        const uint16_t is_kin = (uint16_t)(0u - (uint32_t)(other->cta == cta && is_other));
        for (uint32_t p = 0; p < GMSIM_PIPES; p++) { /* the host adds all at once */
            sum.older[p] = (uint16_t)(sum.older[p] + (other->pipe[p] & is_older));
            sum.kin[p] = (uint16_t)(sum.kin[p] + (other->pipe[p] & is_kin));
            sum.kins[p] = (uint16_t)(sum.kins[p] + ((other->pipe[p] != 0) & is_kin));
        }
    }
    return sum;
}

/* What of the pipe is there for the warp. */
GMSIM_INLINE uint32_t share_of(const others *sum, uint32_t pipe)
{
    const uint32_t left = WHOLE - MIN((uint32_t)sum->older[pipe], WHOLE);
    const uint32_t unused = left - MIN((uint32_t)sum->kin[pipe], left);
    return MAX(MAX(unused, (uint32_t)over_part(left, sum->kins[pipe] + 1u)), LEAST);
}

/* How unevenly the warp's instructions follow each other. */
static uint64_t unevenness(const gmsim_warp *warp, uint64_t clocks)
{
    const uint64_t squares = warp->gaps * MAX(warp->pipe[GMSIM_PIPE_ISSUE], 1u);
    const uint64_t over = squares / MAX(clocks * clocks / EVEN, 1u);
    return MIN(over - MIN(over, EVEN), 2u * EVEN);
}

/* Clocks of a piece. Where all warps of the sub-partition are on ways far longer than that, nothing
 * changes for long, and a part of the shortest way will do; but warps that load constants, which
 * leave their cache in the order of loads, take turns at that (micro/constant_warps.cu). */
static uint32_t piece_of(const gmsim_scheduler *s, const gmsim_sm *sm,
                         const gmsim_sub_partition *part)
{
    uint32_t shortest = UINT32_MAX;
    for (uint32_t i = 0; i < part->loaded && shortest >= GMSIM_PIECE_CLOCKS * MOST_PIECES; i++)
        shortest = MIN(shortest, part->load[i].clocks);
    if (shortest < GMSIM_PIECE_CLOCKS * MOST_PIECES ||
        part->loaded * s->plan.sub_partitions < sm->resident * s->plan.cta_warps)
        return GMSIM_PIECE_CLOCKS;
    return shortest / MOST_PIECES;
}

GMSIM_CLONES uint64_t gmsim_share(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot)
{
    gmsim_warp *warp = &sm->warp[slot];
    const uint64_t clocks = MAX(warp->clocks, 1u);
    gmsim_sub_partition *part = warp->part;
    uint32_t own;
    const others sum = others_of(part, slot, warp->who.cta, &own);
    const uint32_t uses = (warp->uses & GMSIM_USES_PIPES) | 1u << GMSIM_PIPE_ISSUE;
    uint64_t time = WHOLE, meeting = 0; /* of the way, in parts of its own time */
    uint64_t rate[GMSIM_PIPES];
    const divisor by_clocks = divisor_of(clocks);
    for (uint32_t left = uses; left; left &= left - 1u) {
        const uint32_t p = gmsim_lowest(left);
        rate[p] = over((uint64_t)warp->pipe[p] * WHOLE, by_clocks);
        const uint32_t load = MIN((uint32_t)sum.older[p] + sum.kin[p], FULL);
        if (!load) /* it has the pipe to itself */
            time = MAX(time, rate[p]);
        if (!rate[p] || !load)
            continue;
        time = MAX(time, over_part(rate[p] * WHOLE, share_of(&sum, p)));
        meeting += over_part(rate[p] * load, WHOLE - load);
    }
    if (meeting)
        time = MAX(time, WHOLE + meeting * unevenness(warp, clocks) * s->plan.gpu->sm_meeting /
                                     100u / EVEN);
    const divisor by_time = divisor_of(time);
    gmsim_load *load = &part->load[own];
    *load = (gmsim_load){.cta = warp->who.cta, .slot = slot, .clocks = (uint32_t)clocks};
    for (uint32_t left = uses; left; left &= left - 1u) {
        const uint32_t p = gmsim_lowest(left); /* no more than its share */
        load->pipe[p] = (uint16_t)over(rate[p] * WHOLE, by_time);
    }
    part->loaded += own == part->loaded;
    part->loads |= 1ull << slot;
    const uint64_t pieces = clocks * time / WHOLE / piece_of(s, sm, part) + 1u;
    const uint32_t loads = s->constants ? warp->constant / CONSTANTS : 0;
    warp->pieces = (uint32_t)MIN(MAX(pieces, loads), clocks);
    warp->gaps -= warp->gaps / warp->pieces;
    load->piece = warp->clocks / warp->pieces;
    const uint64_t delay = (uint64_t)load->piece * (time - WHOLE) / WHOLE;
    load->stretched = (uint32_t)delay;
    sm->timing.stall[GMSIM_STALL_MATH] += delay;
    return delay;
}

GMSIM_CLONES uint64_t gmsim_share_meet(const gmsim_scheduler *s, const gmsim_sm *sm,
                                       gmsim_warp *warp, uint64_t now)
{
    gmsim_sub_partition *part = warp->part;
    const uint64_t gone = now - MIN(part->asked_at, now);
    const uint32_t since = (uint32_t)MIN(gone, WHOLE);
    uint32_t left[GMSIM_PIPES];
    uint64_t meeting = 0; /* clocks, in parts of WHOLE */
    part->asked_at += gone;
    for (uint32_t p = 0; p < GMSIM_PIPES; p++) { /* a product might not fit into 32 bits */
        const uint32_t before = part->asked[p];
        left[p] = before - before / WHOLE * since - before % WHOLE * since / WHOLE;
    }
    gmsim_pipes_add(part->asked, left, warp->pipe);
    for (uint32_t used = warp->uses & GMSIM_USES_PIPES; used; used &= used - 1u) {
        const uint32_t p = gmsim_lowest(used), load = MIN(left[p], FULL);
        meeting += over_part((uint64_t)warp->pipe[p] * load * WHOLE, WHOLE - load);
    }
    if (!meeting)
        return 0;
    /* It does not meet itself: of so many alike that is one part. */
    const uint32_t warps =
        MAX(sm->resident * s->plan.cta_warps, s->plan.sub_partitions) / s->plan.sub_partitions;
    meeting = meeting * (warps - 1u) / warps;
    return meeting * unevenness(warp, MAX(warp->clocks, 1u)) * s->plan.gpu->sm_meeting / 100u /
           EVEN / WHOLE;
}

void gmsim_share_over(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_sub_partition *part = sm->warp[slot].part;
    const uint32_t since = gmsim_since_epoch(s, now);
    for (uint32_t i = 0; i < part->loaded; i++)
        if (part->load[i].slot == slot)
            part->load[i] = part->load[--part->loaded];
    part->loads &= ~(1ull << slot);
    for (uint32_t k = 0; k < part->loaded; k++) {
        gmsim_load *other = &part->load[k];
        const uint32_t i = other->slot;
        if (other->cta <= sm->warp[slot].who.cta)
            continue;
        const uint32_t soonest = since + other->piece;
        if (soonest < sm->ready[i]) {
            /* No more is given back than the piece was stretched: it may begin after `now`. */
            const uint32_t back = MIN(sm->ready[i] - soonest, other->stretched);
            sm->timing.stall[GMSIM_STALL_MATH] -= back;
            sm->ready[i] -= back;
            gmsim_turns_at(&s->turns, i, sm->ready[i]);
            other->stretched -= back;
        }
    }
}
