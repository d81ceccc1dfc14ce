/* SPDX-License-Identifier: MIT
 *
 * deal.h - CTAs come to SMs.
 */
#ifndef GMSIM_DEAL_H
#define GMSIM_DEAL_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* How many of the first CTAs each SM is to get: room for GMSIM_ORDER_SMS. By a plug-in's order,
 * which can be asked only once, one each. */
void gmsim_deal_try(const gmsim_scheduler *s, uint8_t *ctas);
/* The first CTAs, until the SMs are full. False on an error, which is then set. */
bool gmsim_deal_first(gmsim_scheduler *s, GError **error);
/* The next CTAs, for the places that became free in this step, which ends at `limit`; some may
 * wait for a later one (s->waiting.count). */
bool gmsim_deal_freed(gmsim_scheduler *s, uint64_t limit, GError **error);

/* Whether an SM may take a CTA more, as warps have ended before their CTAs. */
bool gmsim_has_room(const gmsim_scheduler *s, const gmsim_sm *sm);

#pragma GCC visibility pop

#endif
