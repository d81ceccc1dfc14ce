/* SPDX-License-Identifier: MIT
 *
 * groups.h - as an H200 does (micro/cta_order.cu, micro/grid_order.cu): one CTA an SM at a time,
 * group by group of SMs; the first group has its turn again before the last of every so many
 * others. No SM takes more than an even share of the grid, nor one more than that, before all have
 * theirs. CTAs that are too few for an SM each are spread evenly: each group takes one for each
 * TPC, in turn, then for each TPC's other SM, but SMs that are in no group (singles) come before.
 * Clusters go to one group after another, a cluster each time.
 *
 * Left out: that the turns begin with another group from launch to launch; here the third is the
 * first after the first, as the second of an H200 is smaller than most.
 */
#ifndef GMSIM_GROUPS_H
#define GMSIM_GROUPS_H

/* One more CTA for each SM of a group that has fewer than `share`, of those SMs that come first
 * when `most` are chosen, TPC by TPC. */
static inline bool gmsim_groups_turn(gmsim_dealer *d, uint32_t first, uint32_t sms, uint32_t share,
                                     uint32_t most)
{
    const uint32_t tpcs = (sms + 1u) / 2u, both = most > tpcs ? most - tpcs : 0;
    bool dealt = false;
    for (uint32_t i = 0; i < sms; i++)
        if (i / 2u < (i % 2u ? both : most) && d->held[first + i] < share)
            dealt |= gmsim_deal_to(d, first + i);
    return dealt;
}

/* A group's first SM. */
static inline uint32_t gmsim_groups_first(const uint32_t *group, uint32_t i)
{
    uint32_t first = 0;
    while (i-- > 0)
        first += group[i];
    return first;
}

/* Of `left` CTAs, fewer than SMs: how many each group takes. */
static inline void gmsim_groups_spread(const gmsim_dealer *d, const uint32_t *group,
                                       uint32_t groups, uint64_t left, uint32_t *takes)
{
    for (uint32_t i = 0; i < groups; i++)
        takes[i] = 0;
    if (d->singles) {
        takes[0] = left < group[0] ? (uint32_t)left : group[0];
        left -= takes[0];
    }
    for (uint32_t sm = 1; sm <= 2u; sm++)
        for (bool some = true; some && left;) {
            some = false;
            for (uint32_t i = d->singles ? 1u : 0; i < groups && left; i++)
                if (takes[i] < (sm == 1u ? (group[i] + 1u) / 2u : group[i])) {
                    takes[i]++;
                    left--;
                    some = true;
                }
        }
}

/* A cluster for the SMs of a group that have the fewest CTAs, if so many have fewer than `share`.
 */
static inline bool gmsim_groups_cluster(gmsim_dealer *d, uint32_t first, uint32_t sms,
                                        uint32_t share)
{
    uint32_t room = 0, left = d->cluster;
    uint8_t held[GMSIM_ORDER_SMS];
    for (uint32_t i = 0; i < sms; i++) {
        held[i] = d->held[first + i];
        room += held[i] < share;
    }
    if (room < left)
        return false;
    for (uint32_t least = 0; left && !gmsim_deal_done(d); least++)
        for (uint32_t i = 0; i < sms && left; i++)
            if (held[i] == least)
                left -= gmsim_deal_to(d, first + i);
    return true;
}

static inline void gmsim_groups_clusters(gmsim_dealer *d, const uint32_t *group, uint32_t groups)
{
    for (uint32_t share = 1; share <= d->places && !gmsim_deal_done(d); share++) {
        bool some = d->singles && d->cluster <= 2u;
        while (some && !gmsim_deal_done(d))
            some = gmsim_groups_cluster(d, 0, group[0], share);
        for (some = true; some && !gmsim_deal_done(d);) {
            some = false;
            for (uint32_t i = 0, first = 0; i < groups; first += group[i++])
                if ((i || !d->singles) && !gmsim_deal_done(d))
                    some |= gmsim_groups_cluster(d, first, group[i], share);
        }
    }
}

static inline void gmsim_groups_deal(gmsim_dealer *d)
{
    uint64_t even = d->ctas / d->sms;
    uint32_t share = even < 1u ? 1u : even < d->places ? (uint32_t)even : d->places, turn = 0;
    const uint32_t *group = d->groups ? d->group : &d->sms;
    uint32_t groups = d->groups ? d->groups : 1u, again = groups > 1u ? d->again : 0;
    uint32_t takes[GMSIM_ORDER_SMS];
    if (d->cluster > 1u) {
        gmsim_groups_clusters(d, group, groups);
        return;
    }
    while (!gmsim_deal_done(d)) {
        bool dealt = false;
        gmsim_groups_spread(d, group, groups, share > even ? d->ctas % d->sms : d->sms, takes);
        for (uint32_t k = again != 0; k < groups; k++) {
            const uint32_t i = again ? k % (groups - 1u) + 1u : k;
            if (again && (turn == 0 || turn % again == again - 1u))
                dealt |= gmsim_groups_turn(d, 0, group[0], share, takes[0]);
            turn++;
            dealt |= gmsim_groups_turn(d, gmsim_groups_first(group, i), group[i], share, takes[i]);
        }
        if (!dealt) {
            share++;
            turn = 0;
        }
    }
}

#endif
