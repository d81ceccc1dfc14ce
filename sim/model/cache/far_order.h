/* SPDX-License-Identifier: MIT
 *
 * far_order.h - in what order answers come back of lines whose home is L2's other side. A side
 * keeps copies of such lines. A read that finds one while reads of the same slice are on their way
 * to the other side's DRAM waits until those are back, or until two more reads of such lines come
 * to the slice, whatever they find (micro/hit_order.cu: a hit waits for misses of any SM of its
 * side, and of no others; micro/hit_homes.cu: hits of lines of which the side is the home wait for
 * nothing, and one SM's misses make others wait longer than those of 64; micro/hits_beside.cu: hits
 * themselves count, too).
 *
 * Which two come next is not known yet when a read is served. The two before it tell how often
 * they come; a little oftener, as SMs that are served later than it may have left sooner.
 *
 * Left out: the order of misses among themselves, of stores and of atomics.
 */
#ifndef GMSIM_FAR_ORDER_H
#define GMSIM_FAR_ORDER_H

#include <stdint.h>

#define GMSIM_FAR_NEXT 80u /* percent of the time since the last two came */

#pragma GCC visibility push(hidden)

/* Of the reads of a slice that came from one side and whose home is the other; clocks are those at
 * which requests leave their SMs and answers are there. */
typedef struct gmsim_far_order {
    uint64_t left, back; /* of the miss that is back last */
    uint64_t came[2];    /* the last two of all, the earlier one at came[turn] */
    uint32_t turn;
} gmsim_far_order;

static inline void gmsim_far_order_came(gmsim_far_order *order, uint64_t now)
{
    order->came[order->turn] = now;
    order->turn ^= 1u;
}

static inline void gmsim_far_order_miss(gmsim_far_order *order, uint64_t now, uint64_t back)
{
    if (back > order->back) {
        order->left = now;
        order->back = back;
    }
    gmsim_far_order_came(order, now);
}

/* When a hit is back that leaves its SM at `now` and would be back at `back`. */
static inline uint64_t gmsim_far_order_hit(gmsim_far_order *order, uint64_t now, uint64_t back)
{
    if (order->left <= now && order->back > back) {
        /* SMs are served one after the other (queue.h): what came before may have left later. */
        const uint64_t before = order->came[order->turn];
        const uint64_t apart = now > before ? now - before : before - now;
        const uint64_t next = back + apart * GMSIM_FAR_NEXT / 100u;
        back = next < order->back ? next : order->back;
    }
    gmsim_far_order_came(order, now);
    return back;
}

#pragma GCC visibility pop

#endif
