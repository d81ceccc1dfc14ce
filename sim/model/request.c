/* SPDX-License-Identifier: MIT
 *
 * request.c - what a request does to L1 and L2, by kind. Counts of sectors that hit and miss and
 * that cross between L1 and L2 are made here; everything that follows from addresses alone was
 * counted before (replay.c).
 */
#include "sim/model/request.h"

static void load(gmsim_queue *queue, const gmsim_request *request)
{
    gmsim_counts *counts = request->counts;
    gmsim_traffic misses;
    counts->l1_hit_sectors +=
        gmsim_l1_read(&queue->l1[request->sm], &request->footprint, request->l1_set,
                      request->l2_set, (gmsim_l1_load)request->load, &misses);
    counts->l1_miss_sectors += misses.sectors;
    counts->xbar_read_sectors += misses.sectors;
    if (misses.lines)
        gmsim_l2_read(&queue->l2, &misses);
}

static void store(gmsim_queue *queue, const gmsim_request *request)
{
    gmsim_counts *counts = request->counts;
    uint32_t sectors = request->footprint.sectors;
    uint32_t hits = gmsim_l1_write(&queue->l1[request->sm], &request->footprint, request->l1_set,
                                   queue->store_allocate);
    counts->l1_hit_sectors += hits;
    counts->l1_miss_sectors += sectors - hits;
    counts->xbar_write_sectors += sectors;
    gmsim_l2_write(&queue->l2, &request->footprint, request->l2_set);
}

static void atomic(gmsim_queue *queue, const gmsim_request *request, bool reduction)
{
    gmsim_counts *counts = request->counts;
    uint32_t sectors = request->footprint.sectors;
    counts->l1_miss_sectors += sectors;
    counts->xbar_write_sectors += sectors;
    if (!reduction)
        counts->xbar_read_sectors += sectors;
    gmsim_l2_atomic(&queue->l2, &request->footprint, request->l2_set, reduction);
}

static void fetch(gmsim_queue *queue, const gmsim_request *request)
{
    gmsim_traffic traffic;
    gmsim_l1_read(&queue->l1[request->sm], &request->footprint, request->l1_set, request->l2_set,
                  GMSIM_L1_BYPASS, &traffic);
    if (request->counts)
        request->counts->xbar_read_sectors += traffic.sectors;
    gmsim_l2_read(&queue->l2, &traffic);
}

static void serve(gmsim_queue *queue)
{
    const gmsim_request *request = &queue->request[queue->tail++ % GMSIM_QUEUE_REQUESTS];
    queue->lines -= request->footprint.lines;
    switch ((gmsim_request_kind)request->kind) {
    case GMSIM_REQUEST_LOAD:
        load(queue, request);
        break;
    case GMSIM_REQUEST_STORE:
        store(queue, request);
        break;
    case GMSIM_REQUEST_ATOMIC:
    case GMSIM_REQUEST_REDUCTION:
        atomic(queue, request, request->kind == GMSIM_REQUEST_REDUCTION);
        break;
    case GMSIM_REQUEST_FETCH:
        fetch(queue, request);
        break;
    case GMSIM_REQUEST_WRITE_OUT:
        request->counts->xbar_write_sectors += request->footprint.sectors;
        gmsim_l2_write(&queue->l2, &request->footprint, request->l2_set);
        break;
    }
}

void gmsim_queue_send(gmsim_queue *queue)
{
    gmsim_request *request = gmsim_queue_next(queue);
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_cache_sets(&queue->l1[request->sm], footprint->line, footprint->lines, request->l1_set);
    gmsim_cache_sets(&queue->l2.cache, footprint->line, footprint->lines, request->l2_set);
    queue->lines += footprint->lines;
    queue->head++;
    while (queue->head - queue->tail == GMSIM_QUEUE_REQUESTS || queue->lines > GMSIM_QUEUE_LINES)
        serve(queue);
}

void gmsim_queue_drain(gmsim_queue *queue)
{
    while (queue->tail != queue->head)
        serve(queue);
}
