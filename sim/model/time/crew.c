/* SPDX-License-Identifier: MIT
 *
 * crew.c - see crew.h. Hands wait for one another by looking at a number again and again for some
 * microseconds, as steps are short, and asleep after that.
 */
#include "sim/model/time/crew.h"

#include "sim/model/time/constants.h"
#include "sim/model/time/step.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LOOKS 8000u /* at a number that is to become another, before a hand sleeps */

/* The later of two hands has so many per mille of the SMs more, over the number of hands. */
#define LATER 300u

typedef enum task { TASK_BEGIN, TASK_STEP, TASK_LEAVE } task;

typedef struct hand {
    gmsim_crew *crew;
    uint32_t number;
    uint32_t first, end; /* SMs */
    gmsim_scheduler scheduler;
    gmsim_replay replay;
    gmsim_paces paces;
    GError *error;
    bool good;
    pthread_t thread;
} hand;

struct gmsim_crew {
    hand *hand; /* the first is the caller, whose scheduler is not in use */
    uint32_t hands;
    gmsim_scheduler *s; /* the caller's */
    const gmtrace_launch *launch;
    gmtrace_detail detail;
    uint64_t limit;
    task task;
    _Atomic uint32_t called; /* how often all were given something to do */
    _Atomic uint32_t done;   /* hands, from the first on, that are ready with it */
    _Atomic uint32_t asleep;
    pthread_mutex_t lock, reader;
    pthread_cond_t changed;
};

/* ------------------------------------------------------------------------------------- waiting */

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void wait_for(gmsim_crew *crew, _Atomic uint32_t *number, uint32_t value)
{
    for (uint32_t look = 0; look < LOOKS; look++) {
        if (atomic_load_explicit(number, memory_order_acquire) == value)
            return;
        relax();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->asleep, 1u);
    while (atomic_load(number) != value)
        pthread_cond_wait(&crew->changed, &crew->lock);
    atomic_fetch_sub(&crew->asleep, 1u);
    pthread_mutex_unlock(&crew->lock);
}

static void change(gmsim_crew *crew, _Atomic uint32_t *number, uint32_t value)
{
    atomic_store(number, value);
    if (atomic_load(&crew->asleep) == 0)
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

/* --------------------------------------------------------------------------------------- tasks */

/* All that the launch's scheduler says, but for what is the hand's own. */
static void take_over(hand *h)
{
    gmsim_scheduler *own = &h->scheduler;
    gmtrace_paths *paths = own->paths;
    gmtrace_constants *constants = own->constants;
    *own = *h->crew->s;
    own->replay = &h->replay;
    own->paces = &h->paces;
    own->paths = paths;
    own->constants = constants;
    own->truncated = false;
}

static void begin(hand *h)
{
    const gmsim_scheduler *s = h->crew->s;
    const gmtrace_kernel *kernel = s->replay->tally.kernel;
    const gmsim_tally tally = h->replay.tally;
    h->replay = *s->replay;
    h->replay.tally = tally;
    h->scheduler.paths = gmtrace_paths_create(kernel, h->crew->detail);
    take_over(h);
    if (h->scheduler.paths)
        gmtrace_paths_know(h->scheduler.paths, h->crew->launch);
    h->good = h->scheduler.paths && gmsim_tally_share(&h->replay.tally, &s->replay->tally) &&
              gmsim_paces_begin(&h->paces, kernel, s->replay->tally.decoded, s->plan.gpu) &&
              gmsim_constants_share(&h->scheduler, s);
}

/* One hand after the other has its SMs answered; after an error none does. */
static void step(hand *h, gmsim_scheduler *s)
{
    gmsim_crew *crew = h->crew;
    h->good = gmsim_step_run(s, h->first, h->end, crew->limit, &h->error);
    wait_for(crew, &crew->done, h->number);
    for (uint32_t i = 0; i < h->number && h->good; i++)
        h->good = crew->hand[i].good;
    h->good = h->good && gmsim_step_answer(s, h->first, h->end, crew->limit, &h->error);
    change(crew, &crew->done, h->number + 1u);
}

static void *work(void *data)
{
    hand *h = data;
    gmsim_crew *crew = h->crew;
    for (uint32_t call = 1;; call++) {
        wait_for(crew, &crew->called, call);
        switch (crew->task) {
        case TASK_BEGIN:
            begin(h);
            wait_for(crew, &crew->done, h->number);
            change(crew, &crew->done, h->number + 1u);
            break;
        case TASK_STEP:
            step(h, &h->scheduler);
            break;
        default:
            return NULL;
        }
    }
}

static void call(gmsim_crew *crew, task what)
{
    crew->task = what;
    atomic_store(&crew->done, 0);
    change(crew, &crew->called, atomic_load(&crew->called) + 1u);
}

/* ---------------------------------------------------------------------------------------- crew */

gmsim_crew *gmsim_crew_new(uint32_t threads)
{
    threads = MIN(threads, GMSIM_MOST_THREADS);
    gmsim_crew *crew = threads > 1u ? calloc(1, sizeof *crew) : NULL;
    if (!crew)
        return NULL;
    crew->hand = calloc(threads, sizeof *crew->hand);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_mutex_init(&crew->reader, NULL);
    pthread_cond_init(&crew->changed, NULL);
    sigset_t all, before; /* signals are the caller's */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (crew->hands = crew->hand ? 1u : 0; crew->hands && crew->hands < threads; crew->hands++) {
        hand *h = &crew->hand[crew->hands];
        h->crew = crew;
        h->number = crew->hands;
        if (pthread_create(&h->thread, NULL, work, h))
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (crew->hands > 1u) {
        crew->hand[0].crew = crew;
        return crew;
    }
    gmsim_crew_free(crew);
    return NULL;
}

void gmsim_crew_free(gmsim_crew *crew)
{
    if (!crew)
        return;
    if (crew->hands > 1u)
        call(crew, TASK_LEAVE);
    for (uint32_t i = 1; i < crew->hands; i++) {
        hand *h = &crew->hand[i];
        pthread_join(h->thread, NULL);
        gmsim_tally_clear_shared(&h->replay.tally);
        gmsim_paces_clear(&h->paces);
    }
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->reader);
    pthread_mutex_destroy(&crew->lock);
    free(crew->hand);
    free(crew);
}

/* SMs of a TPC, which stand side by side, have one hand: they share how constants come to them. */
static void share_out(gmsim_crew *crew, uint32_t sms)
{
    const uint64_t pairs = (sms + 1u) / 2u, n = crew->hands;
    const uint64_t all = n * 1000u + LATER * (n - 1u) / 2u;
    uint64_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        hand *h = &crew->hand[i];
        h->first = (uint32_t)MIN(2u * (pairs * before / all), sms);
        before += 1000u + LATER * i / n;
        h->end = i + 1u == n ? sms : (uint32_t)MIN(2u * (pairs * before / all), sms);
    }
}

bool gmsim_crew_begin(gmsim_crew *crew, gmsim_scheduler *s, const gmtrace_launch *launch,
                      gmtrace_detail detail)
{
    s->crew = crew;
    s->reader_lock = &crew->reader;
    crew->s = s;
    crew->launch = launch;
    crew->detail = detail;
    share_out(crew, s->plan.sms);
    call(crew, TASK_BEGIN);
    change(crew, &crew->done, 1u);
    wait_for(crew, &crew->done, crew->hands);
    bool good = true;
    for (uint32_t i = 1; i < crew->hands; i++)
        good = good && crew->hand[i].good;
    return good;
}

void gmsim_crew_end(gmsim_crew *crew)
{
    for (uint32_t i = 1; crew && i < crew->hands; i++) {
        gmsim_scheduler *own = &crew->hand[i].scheduler;
        gmtrace_paths_free(own->paths);
        gmtrace_constants_free(own->constants);
        own->paths = NULL;
        own->constants = NULL;
    }
}

void gmsim_crew_reset(gmsim_crew *crew)
{
    for (uint32_t i = 1; i < crew->hands; i++)
        gmsim_replay_reset(&crew->hand[i].replay);
}

gmtrace_paths *gmsim_crew_paths(const gmsim_crew *crew, uint32_t sm)
{
    for (uint32_t i = 1; i < crew->hands; i++)
        if (sm >= crew->hand[i].first && sm < crew->hand[i].end)
            return crew->hand[i].scheduler.paths;
    return crew->s->paths;
}

/* The error of the first hand that has one. */
static bool take_errors(gmsim_crew *crew, GError **error)
{
    bool good = true;
    for (uint32_t i = 0; i < crew->hands; i++) {
        hand *h = &crew->hand[i];
        good = good && h->good;
        if (h->error && !*error)
            *error = h->error;
        else
            g_clear_error(&h->error);
        h->error = NULL;
    }
    return good;
}

static bool step_alone(gmsim_crew *crew, gmsim_scheduler *s, uint64_t limit, GError **error)
{
    for (uint32_t i = 0; i < crew->hands; i++) {
        const hand *h = &crew->hand[i];
        if (!gmsim_step_all(i ? &crew->hand[i].scheduler : s, h->first, h->end, limit, error))
            return false;
    }
    return true;
}

bool gmsim_crew_step(gmsim_crew *crew, gmsim_scheduler *s, uint64_t limit, bool busy,
                     GError **error)
{
    bool good = true;
    crew->limit = limit;
    for (uint32_t i = 1; i < crew->hands; i++)
        take_over(&crew->hand[i]);
    if (busy) {
        call(crew, TASK_STEP);
        step(&crew->hand[0], s);
        wait_for(crew, &crew->done, crew->hands);
        good = take_errors(crew, error);
    } else {
        good = step_alone(crew, s, limit, error);
    }
    for (uint32_t i = 1; i < crew->hands; i++)
        s->truncated |= crew->hand[i].scheduler.truncated;
    return good;
}

bool gmsim_crew_depends(const gmsim_crew *crew)
{
    const gmsim_tally *tally = &crew->s->replay->tally;
    gmtrace_path_order order = {0};
    bool lost = tally->meet && tally->meet->lost;
    gmtrace_paths_add_order(crew->s->paths, &order);
    for (uint32_t i = 1; i < crew->hands; i++) {
        const hand *h = &crew->hand[i];
        gmtrace_paths_add_order(h->scheduler.paths, &order);
        lost |= tally->meet && h->replay.tally.meet->lost;
    }
    return lost || gmtrace_paths_ordered(&order);
}

void gmsim_crew_add_up(const gmsim_crew *crew, gmsim_scheduler *s)
{
    for (uint32_t i = 1; i < crew->hands; i++)
        gmsim_replay_add(s->replay, &crew->hand[i].replay);
}

gmtrace_path_counts gmsim_crew_path_counts(const gmsim_crew *crew)
{
    gmtrace_path_counts sum = gmtrace_path_get_counts(crew->s->paths);
    for (uint32_t i = 1; i < crew->hands; i++) {
        const gmtrace_path_counts own = gmtrace_path_get_counts(crew->hand[i].scheduler.paths);
        sum.steps += own.steps;
        sum.instructions += own.instructions;
        for (uint32_t n = 0; n < GMTRACE_CLASS_COUNT; n++)
            sum.by_class[n] += own.by_class[n];
        sum.ambiguous += own.ambiguous;
        sum.estimated += own.estimated;
        sum.lost += own.lost;
    }
    return sum;
}

bool gmsim_crew_complete(const gmsim_crew *crew)
{
    bool complete = true;
    for (uint32_t i = 1; i < crew->hands; i++)
        complete = complete && !crew->hand[i].paces.failed &&
                   !gmtrace_paths_failed(crew->hand[i].scheduler.paths);
    return complete;
}
