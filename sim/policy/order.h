/* SPDX-License-Identifier: MIT
 *
 * order.h - which SMs the first CTAs of a launch go to: launch.order. Later ones go where a place
 * becomes free. To add a policy:
 *
 *  1. Write order/NAME.h with gmsim_NAME_deal(dealer), as order/round.h has it: it calls
 *     gmsim_deal_to() for one SM after the other until gmsim_deal_done().
 *  2. Include it below, and add X(NAME) to the list.
 */
#ifndef GMSIM_ORDER_H
#define GMSIM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define GMSIM_ORDER_SMS 1024u

typedef struct gmsim_dealer {
    uint64_t ctas;          /* of the launch */
    uint32_t sms, places;   /* SMs; CTAs that each takes at most */
    uint32_t groups, again; /* of SMs, numbered in a row (GPCs), 0: not known; launch.again */
    const uint32_t *group;  /* SMs of each */
    uint32_t cluster;       /* CTAs of a cluster, which must be in one group; 0: there are none */
    bool singles;           /* the first group's TPCs are alone: each takes CTAs before others do,
                             * and no cluster of more than two */
    bool (*give)(void *data, uint32_t sm); /* starts the next CTA there; false: stop */
    void *data;
    /* Below: zero at first. */
    uint64_t dealt;
    bool stopped;
    uint8_t held[GMSIM_ORDER_SMS]; /* CTAs of each SM so far */
} gmsim_dealer;

/* All CTAs are dealt, all places taken, or there was an error. */
static inline bool gmsim_deal_done(const gmsim_dealer *d)
{
    return d->stopped || d->dealt == d->ctas || d->dealt == (uint64_t)d->sms * d->places;
}

/* The SM's next CTA, if it takes one and there is one. Returns whether. */
static inline bool gmsim_deal_to(gmsim_dealer *d, uint32_t sm)
{
    if (gmsim_deal_done(d) || d->held[sm] == d->places)
        return false;
    d->held[sm]++;
    d->dealt++;
    d->stopped = !d->give(d->data, sm);
    return !d->stopped;
}

#include "sim/policy/order/fill.h"
#include "sim/policy/order/groups.h"
#include "sim/policy/order/round.h"

#define GMSIM_ORDERS(X) X(groups) X(round) X(fill)

#define GMSIM_ENUM(name) GMSIM_ORDER_##name,
enum { GMSIM_ORDERS(GMSIM_ENUM) GMSIM_ORDER_COUNT };
#undef GMSIM_ENUM

typedef struct gmsim_order {
    void (*deal)(gmsim_dealer *dealer);
} gmsim_order;

/* By GMSIM_ORDER_*. */
extern const gmsim_order gmsim_orders[];
extern const char *const gmsim_order_names[];

#endif
