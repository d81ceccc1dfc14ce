/* SPDX-License-Identifier: MIT
 *
 * groups.h - as an H200 does (micro/cta_order.cu, micro/grid_order.cu): one CTA an SM at a time,
 * group by group of SMs; the first group has its turn again after every so many of the others. No
 * SM takes more than an even share of the grid, nor one more than that, before all have theirs.
 * CTAs that are too few for an SM each are spread evenly: each group takes one for each TPC, in
 * turn, then for each TPC's other SM, but SMs that are in no group (singles) come before. Clusters
 * go to one group after another, a cluster each time.
 *
 * Left out: that the turns begin with another group from launch to launch.
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
        uint32_t first = again ? group[0] : 0;
        gmsim_groups_spread(d, group, groups, share > even ? d->ctas % d->sms : d->sms, takes);
        for (uint32_t i = again != 0; i < groups; first += group[i++]) {
            if (again && turn++ % again == 0)
                dealt |= gmsim_groups_turn(d, 0, group[0], share, takes[0]);
            dealt |= gmsim_groups_turn(d, first, group[i], share, takes[i]);
        }
        if (!dealt) {
            share++;
            turn = 0;
        }
    }
}

#endif
