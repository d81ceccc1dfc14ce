/* SPDX-License-Identifier: MIT
 *
 * together.h - whether the threads of a crew run a step together or one runs it alone: in whichever
 * way steps have taken less time of late, for what was done in them. Where they do little, or where
 * other programs want the processors, threads that wait for one another take longer than one. The
 * other way is tried now and then, the more seldom the more time it took. What a launch counts does
 * not depend on it.
 */
#ifndef GMSIM_TOGETHER_H
#define GMSIM_TOGETHER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define GMSIM_TOGETHER_FIRST 32u /* steps of a launch, in most of which warps' ways are found */
#define GMSIM_TOGETHER_TRY   6u  /* steps in which the other way is tried; */
#define GMSIM_TOGETHER_SET   2u  /* the first of them still have to do with the way before */
#define GMSIM_TOGETHER_STAY  16u /* before the other is tried, were it as good; */
#define GMSIM_TOGETHER_SURE  8u  /* times as many at most, doubled by each try in vain */

typedef struct gmsim_together {
    uint64_t cost[2]; /* alone, together: nanoseconds for 1,024 parts of work; 0: not known */
    uint64_t clock;   /* when the step began, in nanoseconds */
    uint64_t work;    /* before it */
    uint32_t steps;   /* in that way so far, */
    uint32_t stay;    /* and how many are to be; */
    uint32_t set;     /* how many of them say nothing */
    uint32_t sure;
    bool tries;
    bool now; /* the way: together */
} gmsim_together;

/* A launch begins, at that time in nanoseconds. */
static inline void gmsim_together_begin(gmsim_together *t, uint64_t clock)
{
    *t = (gmsim_together){
        .clock = clock,
        .stay = GMSIM_TOGETHER_FIRST,
        .set = GMSIM_TOGETHER_FIRST - GMSIM_TOGETHER_TRY,
        .sure = 1u,
        .now = true,
    };
}

/* What the step took, in the way in which it was run. One that took much longer than those before
 * hardly counts more than one that took twice as long. */
static inline void gmsim_together_note(gmsim_together *t, uint64_t nanoseconds, uint64_t work)
{
    uint64_t *cost = &t->cost[t->now];
    const uint64_t took = MAX(nanoseconds * 1024u / MAX(work, 1u), 1u);
    if (t->steps > t->set)
        *cost = *cost ? (*cost * 3u + CLAMP(took, *cost / 2u, *cost * 2u)) / 4u : took;
}

static inline void gmsim_together_turn(gmsim_together *t, bool to_try, uint32_t stay)
{
    t->now = !t->now;
    t->tries = to_try;
    t->steps = 0;
    t->stay = stay;
    t->set = GMSIM_TOGETHER_SET;
}

/* A step is over, and so much work has been done so far: t->now is how the next is to be run. */
static inline void gmsim_together_next(gmsim_together *t, uint64_t clock, uint64_t work)
{
    t->steps++;
    gmsim_together_note(t, clock - t->clock, work - MIN(work, t->work));
    t->clock = clock;
    t->work = work;
    const uint64_t own = t->cost[t->now], other = t->cost[!t->now];
    const bool worse = other && own > other + other / 8u;
    if (t->steps < t->stay && (t->tries || !worse))
        return;
    if (!t->tries && !worse) {
        gmsim_together_turn(t, true, GMSIM_TOGETHER_TRY);
        return;
    }
    const uint64_t least = MAX(MIN(own, other), 1u), ratio = MIN(MAX(own, other) / least, 16u);
    t->sure = t->tries && worse ? MIN(2u * t->sure, GMSIM_TOGETHER_SURE) : 1u;
    const uint32_t stay = (uint32_t)(GMSIM_TOGETHER_STAY * ratio * ratio) * t->sure;
    if (worse) {
        gmsim_together_turn(t, false, stay);
    } else {
        t->tries = false;
        t->stay = t->steps + stay;
    }
}

#endif
