/* SPDX-License-Identifier: MIT
 *
 * fill.h - each SM takes as many CTAs as it can before the next gets any: neighbouring CTAs share
 * an L1.
 */
#ifndef GMSIM_FILL_H
#define GMSIM_FILL_H

static inline void gmsim_fill_deal(gmsim_dealer *d)
{
    for (uint32_t sm = 0; !gmsim_deal_done(d);)
        if (!gmsim_deal_to(d, sm))
            sm++;
}

#endif
