/* SPDX-License-Identifier: MIT
 *
 * groups.h - as an H200 does (micro/cta_order.cu): one CTA an SM at a time, group by group of SMs;
 * the first group has its turn again after every so many of the others. No SM takes more than an
 * even share of the grid, nor one more than that, before all have theirs.
 */
#ifndef GMSIM_GROUPS_H
#define GMSIM_GROUPS_H

/* One more CTA for each SM of a group that has fewer than `share`. */
static inline bool gmsim_groups_turn(gmsim_dealer *d, uint32_t first, uint32_t sms, uint32_t share)
{
    bool dealt = false;
    for (uint32_t sm = first; sm < first + sms; sm++)
        dealt |= d->held[sm] < share && gmsim_deal_to(d, sm);
    return dealt;
}

static inline void gmsim_groups_deal(gmsim_dealer *d)
{
    uint64_t even = d->ctas / d->sms;
    uint32_t share = even < 1u ? 1u : even < d->places ? (uint32_t)even : d->places, turn = 0;
    const uint32_t *group = d->groups ? d->group : &d->sms;
    uint32_t groups = d->groups ? d->groups : 1u, again = groups > 1u ? d->again : 0;
    while (!gmsim_deal_done(d)) {
        bool dealt = false;
        uint32_t first = again ? group[0] : 0;
        for (uint32_t i = again != 0; i < groups; first += group[i++]) {
            if (again && turn++ % again == 0)
                dealt |= gmsim_groups_turn(d, 0, group[0], share);
            dealt |= gmsim_groups_turn(d, first, group[i], share);
        }
        if (!dealt) {
            share++;
            turn = 0;
        }
    }
}

#endif
