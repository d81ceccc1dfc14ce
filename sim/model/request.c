/* SPDX-License-Identifier: MIT
 *
 * request.c - what a request does to L1 and L2, by kind. Counts of sectors that hit and miss and
 * that cross between L1 and L2 are made here; everything that follows from addresses alone was
 * counted before (replay.c).
 */
#include "sim/model/request.h"

static inline bool uses_l1(const gmsim_request *request)
{
    return request->kind == GMSIM_REQUEST_LOAD || request->kind == GMSIM_REQUEST_STORE;
}

/* L1's part, for the oldest request that waits for it. */
static void look_up(gmsim_queue *queue)
{
    gmsim_request *request = &queue->request[queue->looked_up++ % GMSIM_QUEUE_REQUESTS];
    gmsim_footprint *footprint = &request->footprint;
    gmsim_counts *counts = request->counts;
    const gmsim_cache *l1 = &queue->l1[request->sm];
    uint32_t hits, sectors = footprint->sectors;
    queue->waiting_lines -= footprint->lines;
    switch ((gmsim_request_kind)request->kind) {
    case GMSIM_REQUEST_LOAD:
        hits = gmsim_l1_read(l1, footprint, request->set, (gmsim_l1_load)request->load);
        counts->l1_hit_sectors += hits;
        counts->l1_miss_sectors += sectors - hits;
        counts->xbar_read_sectors += sectors - hits;
        break;
    case GMSIM_REQUEST_STORE:
        hits = gmsim_l1_write(l1, footprint, request->set, queue->store_allocate);
        counts->l1_hit_sectors += hits;
        counts->l1_miss_sectors += sectors - hits;
        counts->xbar_write_sectors += sectors;
        break;
    case GMSIM_REQUEST_ATOMIC:
        counts->xbar_read_sectors += sectors;
        /* fall through */
    case GMSIM_REQUEST_REDUCTION:
        counts->l1_miss_sectors += sectors;
        counts->xbar_write_sectors += sectors;
        break;
    case GMSIM_REQUEST_FETCH:
        if (counts)
            counts->xbar_read_sectors += sectors;
        break;
    case GMSIM_REQUEST_WRITE_OUT:
        counts->xbar_write_sectors += sectors;
        break;
    }
    gmsim_cache_sets(&queue->l2.cache, footprint->line, footprint->lines, request->set);
    queue->missed_lines += footprint->lines;
}

/* L2's part, for the oldest request that waits for it. */
static void serve(gmsim_queue *queue)
{
    const gmsim_request *request = &queue->request[queue->served++ % GMSIM_QUEUE_REQUESTS];
    queue->missed_lines -= request->footprint.lines;
    switch ((gmsim_request_kind)request->kind) {
    case GMSIM_REQUEST_LOAD:
    case GMSIM_REQUEST_FETCH:
        gmsim_l2_read(&queue->l2, &request->footprint, request->set);
        break;
    case GMSIM_REQUEST_STORE:
    case GMSIM_REQUEST_WRITE_OUT:
        gmsim_l2_write(&queue->l2, &request->footprint, request->set);
        break;
    case GMSIM_REQUEST_ATOMIC:
    case GMSIM_REQUEST_REDUCTION:
        gmsim_l2_atomic(&queue->l2, &request->footprint, request->set,
                        request->kind == GMSIM_REQUEST_REDUCTION);
        break;
    }
}

void gmsim_queue_send(gmsim_queue *queue)
{
    gmsim_request *request = gmsim_queue_next(queue);
    const gmsim_footprint *footprint = &request->footprint;
    if (uses_l1(request))
        gmsim_cache_sets(&queue->l1[request->sm], footprint->line, footprint->lines, request->set);
    queue->waiting_lines += footprint->lines;
    queue->sent++;
    while (queue->sent - queue->looked_up > GMSIM_STAGE_REQUESTS ||
           queue->waiting_lines > GMSIM_STAGE_LINES)
        look_up(queue);
    while (queue->looked_up - queue->served > GMSIM_STAGE_REQUESTS ||
           queue->missed_lines > GMSIM_STAGE_LINES)
        serve(queue);
}

void gmsim_queue_drain(gmsim_queue *queue)
{
    while (queue->looked_up != queue->sent)
        look_up(queue);
    while (queue->served != queue->looked_up)
        serve(queue);
}
