/* SPDX-License-Identifier: MIT
 *
 * request.h - requests on their way through the caches. They reach L1, and later L2, in the order
 * in which they were sent, but a few requests later: meanwhile the host fetches the cache sets they
 * will need, which are known as soon as the lines are.
 */
#ifndef GMSIM_REQUEST_H
#define GMSIM_REQUEST_H

#include "sim/model/l1.h"

#pragma GCC visibility push(hidden)

/* Requests and lines that wait for L1, and for L2, at most: enough to hide the host's memory
 * latency, few enough to stay in its first cache level. */
#define GMSIM_QUEUE_REQUESTS 32u /* slots, a power of two, more than the two stages' together */
#define GMSIM_STAGE_REQUESTS 12u
#define GMSIM_STAGE_LINES    64u

typedef enum gmsim_request_kind {
    GMSIM_REQUEST_LOAD,
    GMSIM_REQUEST_STORE,
    GMSIM_REQUEST_ATOMIC,
    GMSIM_REQUEST_REDUCTION,
    GMSIM_REQUEST_FETCH,     /* reads L2 past L1 without being a load: bulk copies, prefetches */
    GMSIM_REQUEST_WRITE_OUT, /* writes L2 past L1: bulk copies */
} gmsim_request_kind;

typedef struct gmsim_request {
    gmsim_footprint footprint; /* set by the sender; once sent, what is left for L2 */
    gmsim_counts *counts;      /* whose cache counters it adds to; NULL: nobody's */
    uint32_t sm;
    uint8_t kind;                      /* gmsim_request_kind */
    uint8_t load;                      /* gmsim_l1_load */
    gmsim_entry *set[GMSIM_MAX_LINES]; /* of L1, then of L2 */
} gmsim_request;

typedef struct gmsim_queue {
    gmsim_l2 l2;
    gmsim_cache *l1; /* one an SM */
    bool store_allocate;
    uint32_t sent, looked_up, served;     /* requests so far, modulo 2^32 */
    uint32_t waiting_lines, missed_lines; /* of those before L1, and of those before L2 */
    gmsim_request request[GMSIM_QUEUE_REQUESTS];
} gmsim_queue;

/* The request to be filled in and sent next. */
static inline gmsim_request *gmsim_queue_next(gmsim_queue *queue)
{
    return &queue->request[queue->sent % GMSIM_QUEUE_REQUESTS];
}

/* Sends it. */
void gmsim_queue_send(gmsim_queue *queue);
/* Serves all that is under way. */
void gmsim_queue_drain(gmsim_queue *queue);

#pragma GCC visibility pop

#endif
