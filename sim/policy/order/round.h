/* SPDX-License-Identifier: MIT
 *
 * round.h - one CTA an SM at a time, in the order of the SMs' numbers.
 */
#ifndef GMSIM_ROUND_H
#define GMSIM_ROUND_H

static inline void gmsim_round_deal(gmsim_dealer *d)
{
    for (uint32_t sm = 0; !gmsim_deal_done(d); sm = sm + 1u < d->sms ? sm + 1u : 0)
        gmsim_deal_to(d, sm);
}

#endif
