/* SPDX-License-Identifier: MIT
 *
 * request.h - requests between the coalescer and the caches. The caches see them in the order in
 * which they were sent, but some requests later: meanwhile the host fetches the cache sets they
 * will need, which are known as soon as the lines are.
 */
#ifndef GMSIM_REQUEST_H
#define GMSIM_REQUEST_H

#include "sim/model/l1.h"

#pragma GCC visibility push(hidden)

/* Requests and lines under way at most, powers of two: enough to hide the host's memory latency,
 * few enough to stay in its first cache level. */
#define GMSIM_QUEUE_REQUESTS 16u
#define GMSIM_QUEUE_LINES    96u

typedef enum gmsim_request_kind {
    GMSIM_REQUEST_LOAD,
    GMSIM_REQUEST_STORE,
    GMSIM_REQUEST_ATOMIC,
    GMSIM_REQUEST_REDUCTION,
    GMSIM_REQUEST_FETCH,     /* reads L2 past L1 without being a load: bulk copies, prefetches */
    GMSIM_REQUEST_WRITE_OUT, /* writes L2 past L1: bulk copies */
} gmsim_request_kind;

typedef struct gmsim_request {
    gmsim_footprint footprint;
    gmsim_counts *counts; /* whose cache counters it adds to */
    uint32_t sm;
    uint8_t kind; /* gmsim_request_kind */
    uint8_t load; /* gmsim_l1_load */
    gmsim_entry *l1_set[GMSIM_MAX_LINES], *l2_set[GMSIM_MAX_LINES];
} gmsim_request;

typedef struct gmsim_queue {
    gmsim_l2 l2;
    gmsim_cache *l1; /* one an SM */
    bool store_allocate;
    uint32_t head, tail; /* sent and served so far, modulo 2^32 */
    uint32_t lines;      /* of the requests under way */
    gmsim_request request[GMSIM_QUEUE_REQUESTS];
} gmsim_queue;

/* The request to be filled in and sent next. */
static inline gmsim_request *gmsim_queue_next(gmsim_queue *queue)
{
    return &queue->request[queue->head % GMSIM_QUEUE_REQUESTS];
}

/* Sends it. */
void gmsim_queue_send(gmsim_queue *queue);
/* Serves all that is under way. */
void gmsim_queue_drain(gmsim_queue *queue);

#pragma GCC visibility pop

#endif
