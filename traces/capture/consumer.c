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

/* The most payload a record can have: 32 addresses of 64 bits. */
#define MAX_PAYLOAD 8u

struct gmc_consumer {
    gmc_cell *ring;
    uint64_t cells, wrap;
    uint64_t *device_tail;
    uint64_t tail, published;
    gmc_intake intake;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    enum { IDLE, RUNNING, FINISHING, QUITTING } state;
    uint64_t head; /* in FINISHING: where to stop */

    gmc_turns *turns; /* of a graph; NULL outside */
};

static void publish(gmc_consumer *consumer)
{
    __atomic_store_n(consumer->device_tail, consumer->tail, __ATOMIC_RELEASE);
    consumer->published = consumer->tail;
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
        gmc_intake_fail(&consumer->intake, NULL);
        more = 0;
    }
    for (int i = 0; i < more; i++) {
        gmc_cell *cell = &consumer->ring[(consumer->tail + 1 + (uint64_t)i) & consumer->wrap];
        payload[i] = *cell;
        cell->mark = 0;
    }
    if (consumer->turns)
        gmc_turns_take(consumer->turns, first, payload);
    else
        gmc_intake_take(&consumer->intake, first, payload);
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
        gmc_intake_fail(&consumer->intake, NULL);
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

static void end_turns(gmc_consumer *consumer)
{
    const uint64_t strays = gmc_turns_end(consumer->turns);
    consumer->turns = NULL;
    memset(&consumer->intake.job, 0, sizeof consumer->intake.job);
    gmc_intake_begin(&consumer->intake);
    consumer->intake.result.odd = strays;
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
        if (consumer->turns)
            end_turns(consumer);
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
    consumer->intake.job = *job;
    gmc_intake_begin(&consumer->intake);
    consumer->state = RUNNING;
    pthread_cond_signal(&consumer->wake);
    pthread_mutex_unlock(&consumer->lock);
}

bool gmc_consumer_start_graph(gmc_consumer *consumer, const gmc_turn_calls *calls)
{
    gmc_turns *turns = gmc_turns_create(calls, &consumer->intake);
    if (!turns)
        return false;
    pthread_mutex_lock(&consumer->lock);
    consumer->turns = turns;
    consumer->state = RUNNING;
    pthread_cond_signal(&consumer->wake);
    pthread_mutex_unlock(&consumer->lock);
    return true;
}

bool gmc_consumer_wait(gmc_consumer *consumer)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    uint64_t before = 0;
    for (unsigned idle = 0; idle < 2000; idle++) {
        if (__atomic_load_n(&consumer->intake.result.exited, __ATOMIC_ACQUIRE) ==
            consumer->intake.job.ctas)
            return true;
        const uint64_t tail = __atomic_load_n(consumer->device_tail, __ATOMIC_RELAXED);
        if (tail != before)
            idle = 0;
        before = tail;
        nanosleep(&nap, NULL);
    }
    return false;
}

void gmc_consumer_finish(gmc_consumer *consumer, uint64_t head, gmc_result *result)
{
    pthread_mutex_lock(&consumer->lock);
    consumer->head = head;
    __atomic_store_n(&consumer->state, FINISHING, __ATOMIC_RELEASE);
    while (consumer->state != IDLE)
        pthread_cond_wait(&consumer->done, &consumer->lock);
    gmc_intake_end(&consumer->intake);
    *result = consumer->intake.result;
    result->tail = consumer->tail;
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
    gmc_intake_free(&consumer->intake);
    free(consumer);
}
