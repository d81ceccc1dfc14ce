/* SPDX-License-Identifier: MIT
 *
 * consumer.c - empties the ring. One thread: beside an H200 it takes, compression included, some
 * two million records of 32 scattered addresses a second, and more than ten million affine ones.
 */
#include "traces/capture/consumer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traces/capture/open_ctas.h"
#include "traces/capture/open_warps.h"
#include "traces/capture/tensor.h"

/* The most payload a record can have: 32 addresses of 64 bits. */
#define MAX_PAYLOAD 8u

struct gmc_consumer {
    gmc_cell *ring;
    uint64_t cells, wrap;
    uint64_t *device_tail;
    uint64_t tail, published;
    gmc_open_ctas open;
    gmc_open_warps warps; /* where their lanes stand, for job.slots alone */

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    enum { IDLE, RUNNING, FINISHING, QUITTING } state;
    uint64_t head; /* in FINISHING: where to stop */
    gmc_job job;
    gmc_result result;
};

static void publish(gmc_consumer *consumer)
{
    __atomic_store_n(consumer->device_tail, consumer->tail, __ATOMIC_RELEASE);
    consumer->published = consumer->tail;
}

static void fail(gmc_consumer *consumer, const gmtrace_error *error)
{
    if (consumer->result.sound && error)
        consumer->result.error = *error;
    consumer->result.sound = false;
}

/* Appends reconstructed accesses, but for those the capture has reported meanwhile. */
static void add_unseen(gmc_consumer *consumer, const gmc_cell *header,
                       const gmtrace_unseen_access *access, size_t count)
{
    gmtrace_unseen *slots = consumer->job.slots;
    for (size_t i = 0; i < count && consumer->result.sound; i++) {
        gmtrace_record record;
        gmtrace_error error = {0};
        if (gmtrace_unseen_retract(slots, &access[i]))
            continue;
        gmtrace_unseen_record(slots, &access[i], &record);
        consumer->result.records++;
        if (!gmtrace_writer_append(consumer->job.writer, header->cta, GMC_MARK_WARP(header->mark),
                                   &record, NULL, &error))
            fail(consumer, &error);
    }
}

static void add_pending(gmc_consumer *consumer, const gmc_cell *header, gmc_open_warp *warp)
{
    add_unseen(consumer, header, warp->pending, warp->pending_count);
    warp->pending_count = 0;
}

/* Some kernels' stack slots are reported (those with local arrays), others' are not. What follows a
 * record is kept until the warp's next one, when it is clear. */
static void keep(gmc_consumer *consumer, gmc_open_warp *warp, size_t first, size_t last)
{
    if (first < last &&
        !gmc_open_warp_keep(warp, gmtrace_unseen_list(consumer->job.slots) + first, last - first))
        fail(consumer, NULL);
}

/* The warp's place in the code; NULL without memory. */
static gmc_open_warp *find_warp(gmc_consumer *consumer, const gmc_cell *header)
{
    const uint32_t number = GMC_MARK_WARP(header->mark), first = number * GMTRACE_WARP_LANES;
    bool is_new;
    if (first >= consumer->job.threads)
        return NULL;
    gmc_open_warp *warp = gmc_open_warps_get(&consumer->warps, header->cta, number, &is_new);
    if (!warp) {
        fail(consumer, NULL);
        return NULL;
    }
    if (is_new) {
        const uint32_t left = consumer->job.threads - first;
        const uint32_t live = left >= GMTRACE_WARP_LANES ? UINT32_MAX : (1u << left) - 1u;
        keep(consumer, warp, 0, gmtrace_unseen_enter(consumer->job.slots, &warp->place, live));
    }
    return warp;
}

/* The thread, not the warp, exits: a CTA ends when all of its threads have. */
static void note_exit(gmc_consumer *consumer, const gmc_cell *header)
{
    gmtrace_error error = {0};
    uint32_t lanes = (uint32_t)__builtin_popcount(header->mask);
    if (consumer->job.slots) {
        gmc_open_warp *warp = find_warp(consumer, header);
        if (warp) {
            add_pending(consumer, header, warp);
            const size_t count =
                gmtrace_unseen_end(consumer->job.slots, &warp->place, header->mask);
            add_unseen(consumer, header, gmtrace_unseen_list(consumer->job.slots), count);
        }
    }
    const uint32_t exited = gmc_open_ctas_add(&consumer->open, header->cta, lanes);
    if (exited == 0)
        fail(consumer, NULL);
    if (exited < consumer->job.threads)
        return;
    gmc_open_ctas_remove(&consumer->open, header->cta);
    gmc_open_warps_remove(&consumer->warps, header->cta);
    if (!gmtrace_writer_end_cta(consumer->job.writer, header->cta, &error))
        fail(consumer, &error);
}

/* After a failure the ring is still emptied: the kernel must be able to end. */
static void append(gmc_consumer *consumer, const gmc_cell *header, const gmtrace_record *record,
                   const uint64_t *address)
{
    gmtrace_error error = {0};
    consumer->result.records++;
    consumer->result.unknown_pc += record->instr == GMTRACE_NO_INSTR;
    if (consumer->result.sound &&
        !gmtrace_writer_append(consumer->job.writer, header->cta, GMC_MARK_WARP(header->mark),
                               record, address, &error))
        fail(consumer, &error);
}

/* The record gets the number of its tensor map. */
static void name_map(gmc_consumer *consumer, const gmc_cell *payload, gmtrace_record *record)
{
    gmtrace_error error = {0};
    uint64_t map[GMTRACE_TENSOR_WORDS];
    gmc_tensor_map(payload, map);
    if (consumer->result.sound &&
        !gmtrace_writer_tensor_map(consumer->job.writer, map, &record->map, &error))
        fail(consumer, &error);
}

static void take(gmc_consumer *consumer, const gmc_cell *header, const gmc_cell *payload)
{
    gmtrace_record record;
    uint64_t address[GMTRACE_WARP_LANES];
    bool has_addresses;
    gmc_result *result = &consumer->result;
    switch (GMC_MARK_EVENT(header->mark)) {
    case GMC_EXIT:
        note_exit(consumer, header);
        return;
    case GMC_ENTER:
        result->dynamic_shared = header->aux;
        return;
    }
    if (!gmc_decode(consumer->job.code, header, payload, &record, address, &has_addresses)) {
        result->odd++;
        return;
    }
    size_t before = 0, count = 0;
    gmc_open_warp *warp = consumer->job.slots ? find_warp(consumer, header) : NULL;
    if (warp) {
        count = gmtrace_unseen_step(consumer->job.slots, &warp->place, record.instr, record.mask,
                                    &before);
        if (!gmtrace_unseen_is_slot(consumer->job.slots, record.instr))
            add_pending(consumer, header, warp);
        add_unseen(consumer, header, gmtrace_unseen_list(consumer->job.slots), before);
        keep(consumer, warp, before, count);
    }
    if (record.kind == GMTRACE_TENSOR)
        name_map(consumer, payload, &record);
    if (!has_addresses || record.kind == GMTRACE_ACCESS)
        append(consumer, header, &record, has_addresses ? address : NULL);
    else
        for (uint32_t left = record.mask; left;) {
            gmc_next_barrier(&record, address, &left);
            append(consumer, header, &record, NULL);
        }
}

/* Takes one record; false where the next is not written yet. */
static bool take_next(gmc_consumer *consumer)
{
    gmc_cell *first = &consumer->ring[consumer->tail & consumer->wrap];
    uint32_t mark = __atomic_load_n(&first->mark, __ATOMIC_ACQUIRE);
    if (!(mark & GMC_READY))
        return false;
    gmc_cell payload[MAX_PAYLOAD];
    int more = gmc_payload_cells(first);
    if (more < 0) {
        fail(consumer, NULL);
        more = 0;
    }
    for (int i = 0; i < more; i++) {
        gmc_cell *cell = &consumer->ring[(consumer->tail + 1 + (uint64_t)i) & consumer->wrap];
        payload[i] = *cell;
        cell->mark = 0;
    }
    take(consumer, first, payload);
    first->mark = 0;
    consumer->tail += 1 + (uint64_t)more;
    if (consumer->tail - consumer->published >= consumer->cells / 32)
        publish(consumer);
    return true;
}

/* A kernel that died leaves cells claimed and not written; what follows a hole cannot be told
 * apart from payload, so it is given up. */
static void take_rest(gmc_consumer *consumer)
{
    while (consumer->tail < consumer->head && take_next(consumer))
        ;
    if (consumer->tail < consumer->head)
        fail(consumer, NULL);
    for (; consumer->tail < consumer->head; consumer->tail++)
        consumer->ring[consumer->tail & consumer->wrap].mark = 0;
    publish(consumer);
}

static void pause_a_little(unsigned idle)
{
    if (idle < 256) {
#if defined __x86_64__
        __builtin_ia32_pause();
#endif
    } else {
        struct timespec nap = {.tv_nsec = 20000};
        nanosleep(&nap, NULL);
    }
}

static void drain(gmc_consumer *consumer)
{
    unsigned idle = 0;
    for (;;) {
        if (take_next(consumer)) {
            idle = 0;
            continue;
        }
        if (consumer->published != consumer->tail)
            publish(consumer);
        if (__atomic_load_n(&consumer->state, __ATOMIC_ACQUIRE) == FINISHING)
            break;
        pause_a_little(idle++);
    }
    take_rest(consumer);
}

static void *run(void *data)
{
    gmc_consumer *consumer = data;
    pthread_mutex_lock(&consumer->lock);
    for (;;) {
        while (consumer->state == IDLE)
            pthread_cond_wait(&consumer->wake, &consumer->lock);
        if (consumer->state == QUITTING)
            break;
        pthread_mutex_unlock(&consumer->lock);
        drain(consumer);
        pthread_mutex_lock(&consumer->lock);
        consumer->state = IDLE;
        pthread_cond_signal(&consumer->done);
    }
    pthread_mutex_unlock(&consumer->lock);
    return NULL;
}

gmc_consumer *gmc_consumer_create(gmc_cell *ring, uint64_t cells, uint64_t *tail)
{
    gmc_consumer *consumer = calloc(1, sizeof *consumer);
    if (!consumer)
        return NULL;
    consumer->ring = ring;
    consumer->cells = cells;
    consumer->wrap = cells - 1;
    consumer->device_tail = tail;
    pthread_mutex_init(&consumer->lock, NULL);
    pthread_cond_init(&consumer->wake, NULL);
    pthread_cond_init(&consumer->done, NULL);
    if (pthread_create(&consumer->thread, NULL, run, consumer)) {
        free(consumer);
        return NULL;
    }
    return consumer;
}

void gmc_consumer_start(gmc_consumer *consumer, const gmc_job *job)
{
    pthread_mutex_lock(&consumer->lock);
    consumer->job = *job;
    memset(&consumer->result, 0, sizeof consumer->result);
    consumer->result.sound = true;
    consumer->result.dynamic_shared = GMTRACE_UNKNOWN;
    gmc_open_ctas_clear(&consumer->open);
    gmc_open_warps_start(&consumer->warps);
    consumer->state = RUNNING;
    pthread_cond_signal(&consumer->wake);
    pthread_mutex_unlock(&consumer->lock);
}

void gmc_consumer_finish(gmc_consumer *consumer, uint64_t head, gmc_result *result)
{
    pthread_mutex_lock(&consumer->lock);
    consumer->head = head;
    __atomic_store_n(&consumer->state, FINISHING, __ATOMIC_RELEASE);
    while (consumer->state != IDLE)
        pthread_cond_wait(&consumer->done, &consumer->lock);
    *result = consumer->result;
    result->tail = consumer->tail;
    if (consumer->job.slots)
        result->slots = gmtrace_unseen_take_counts(consumer->job.slots);
    result->sound &= result->slots.dropped == 0;
    pthread_mutex_unlock(&consumer->lock);
}

void gmc_consumer_destroy(gmc_consumer *consumer)
{
    if (!consumer)
        return;
    pthread_mutex_lock(&consumer->lock);
    consumer->state = QUITTING;
    pthread_cond_signal(&consumer->wake);
    pthread_mutex_unlock(&consumer->lock);
    pthread_join(consumer->thread, NULL);
    gmc_open_ctas_free(&consumer->open);
    gmc_open_warps_free(&consumer->warps);
    free(consumer);
}
