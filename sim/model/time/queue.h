/* SPDX-License-Identifier: MIT
 *
 * queue.h - a resource that all SMs share and that serves so much a clock. SMs are simulated one
 * after the other in steps, so that requests do not come in the order of their times: a queue knows
 * how much work there was ahead at the beginning of the step, and what has come since. A request
 * waits for what of that is left at its time.
 *
 * Left out: whom the resource serves first, within a step.
 */
#ifndef GMSIM_QUEUE_H
#define GMSIM_QUEUE_H

#include <stdint.h>

/* Clocks that an SM runs ahead of the others at most, and so those by which a request may come too
 * late. Of the simulation, not of a GPU: more are faster, fewer are closer to the order of time. */
#define GMSIM_STEP 128u

typedef struct gmsim_queue {
    uint64_t step; /* clock at which the step of its last request began */
    uint64_t work; /* not served at that clock, in units of which `rate` are served a clock */
} gmsim_queue;

/* Adds work that arrives at `now`, in the step that began at `step`; returns the clocks until it is
 * its turn. */
static inline uint64_t gmsim_queue_take(gmsim_queue *queue, uint64_t step, uint64_t now,
                                        uint64_t work, uint32_t rate)
{
    if (queue->step < step) {
        uint64_t served = (step - queue->step) * rate;
        queue->work = queue->work > served ? queue->work - served : 0;
        queue->step = step;
    }
    uint64_t since = now > step ? (now - step) * rate : 0;
    uint64_t ahead = queue->work > since ? queue->work - since : 0;
    queue->work += work;
    return ahead < rate ? 0 : ahead < UINT32_MAX ? (uint32_t)ahead / rate : ahead / rate;
}

#endif
