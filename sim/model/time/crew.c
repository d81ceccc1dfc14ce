/* SPDX-License-Identifier: MIT
 *
 * crew.c - see crew.h. Hands wait for one another by looking at a number again and again for some
 * microseconds, as steps are short, and asleep after that.
 */
#include "sim/model/time/crew.h"

#include "sim/model/time/constants.h"
#include "sim/model/time/deal.h"
#include "sim/model/time/step.h"
#include "sim/model/time/together.h"
#include "sim/policy/order.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOKS 8000u /* at a number that is to become another, before a hand sleeps */

/* A number that becomes another, and how many sleep until it does. */
typedef struct cell {
    _Alignas(64) _Atomic uint32_t value;
    _Atomic uint32_t asleep;
} cell;

typedef enum task { TASK_BEGIN, TASK_STEP, TASK_LEAVE } task;

typedef struct hand {
    gmsim_crew *crew;
    uint32_t number;
    gmsim_part part; /* its SMs */
    gmsim_scheduler scheduler;
    gmsim_replay replay; /* these three of all but the first, which has the caller's */
    gmsim_paces paces;
    pthread_t thread;
    GError *error;
    GError *ahead_error; /* of what belongs to the next step */
    bool good, ahead_good;
    gmtrace_path_order order; /* of its ways, when it had last been answered, */
    bool lost;                /* and whether what was to be noted was lost */
    cell called;              /* how often it was given something to do, */
    cell rests;               /* and with how much of that it is ready */
} hand;

struct gmsim_crew {
    hand *hand;         /* the first is the caller */
    uint32_t threads;   /* as many, */
    uint32_t hands;     /* of which the first so many have SMs in this launch */
    gmsim_scheduler *s; /* the caller's */
    const gmtrace_launch *launch;
    gmtrace_detail detail;
    uint64_t limit;
    gmsim_together together;
    bool always;    /* all run each step */
    bool may_ahead; /* an SM may go on to what is certain to belong to the next step */
    bool anew;      /* the caller has changed more than what each step changes */
    task task;
    cell done; /* hands, from the first on, that are ready with it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* ------------------------------------------------------------------------------------- waiting */

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wait_for(gmsim_crew *crew, cell *number, uint32_t value)
{
    for (uint32_t look = 0; look < LOOKS; look++) {
        if (atomic_load_explicit(&number->value, memory_order_acquire) == value)
            return;
        relax();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&number->asleep, 1u);
    while (atomic_load(&number->value) != value)
        pthread_cond_wait(&crew->changed, &crew->lock);
    atomic_fetch_sub(&number->asleep, 1u);
    pthread_mutex_unlock(&crew->lock);
}

static void change(gmsim_crew *crew, cell *number, uint32_t value)
{
    atomic_store(&number->value, value);
    if (atomic_load(&number->asleep) == 0)
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

/* --------------------------------------------------------------------------------------- tasks */

static gmsim_replay *replay_of(hand *h)
{
    return h->number ? &h->replay : h->crew->s->replay;
}

/* All that the launch's scheduler says, but for what is the hand's own. */
static void take_over(hand *h)
{
    gmsim_scheduler *own = &h->scheduler;
    gmtrace_paths *paths = own->paths;
    gmtrace_constants *constants = own->constants;
    *own = *h->crew->s;
    if (!h->number)
        return;
    own->replay = &h->replay;
    own->paces = &h->paces;
    own->paths = paths;
    own->constants = constants;
}

static void begin(hand *h)
{
    const gmsim_scheduler *s = h->crew->s;
    const gmtrace_kernel *kernel = s->replay->tally.kernel;
    h->good = h->ahead_good = true;
    if (!h->number) {
        take_over(h);
        return;
    }
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

/* How far its result is from depending on who follows which warp. */
static void note_order(hand *h)
{
    const gmsim_tally *tally = &replay_of(h)->tally;
    memset(&h->order, 0, sizeof h->order);
    gmtrace_paths_add_order(h->scheduler.paths, &h->order);
    h->lost = tally->meet && tally->meet->lost;
}

/* A step begins. What is wrong with what was done ahead is wrong with this one. */
static void set_out(hand *h)
{
    const gmsim_crew *crew = h->crew;
    if (crew->anew) {
        const bool truncated = h->scheduler.truncated;
        take_over(h);
        h->scheduler.truncated |= truncated;
    }
    h->scheduler.epoch = crew->s->epoch;
    h->scheduler.step = crew->s->step;
    h->good = h->ahead_good;
    h->error = h->ahead_error;
    h->ahead_error = NULL;
}

/* The step is over for this hand, but for others not yet. What SMs do before they are answered does
 * not depend on that: they go on as far as the next step leads in any case, which is as many clocks
 * behind this one's end as a step has, or more. Not where the caller may give one of them a CTA. */
static void go_ahead(hand *h, uint64_t limit)
{
    h->scheduler.step++;
    h->ahead_good =
        gmsim_step_run(&h->scheduler, h->part.first, h->part.end, limit, &h->ahead_error);
}

/* One hand after the other has its SMs answered; after an error none does. */
static void step(hand *h)
{
    gmsim_crew *crew = h->crew;
    gmsim_scheduler *s = &h->scheduler;
    set_out(h);
    h->good = h->good && gmsim_step_run(s, h->part.first, h->part.end, crew->limit, &h->error);
    wait_for(crew, &crew->done, h->number);
    for (uint32_t i = 0; i < h->number && h->good; i++)
        h->good = crew->hand[i].good;
    h->good = h->good && gmsim_step_answer(s, h->part.first, h->part.end, crew->limit, &h->error);
    gmsim_step_look(s, &h->part);
    note_order(h);
    const bool ahead = crew->may_ahead && h->good && !h->part.left;
    const uint64_t limit = crew->limit + GMSIM_STEP;
    change(crew, &crew->done, h->number + 1u); /* soon the caller has the crew again */
    if (ahead)
        go_ahead(h, limit);
}

static void *work(void *data)
{
    hand *h = data;
    gmsim_crew *crew = h->crew;
    for (uint32_t call = 1;; call++) {
        wait_for(crew, &h->called, call);
        switch (crew->task) {
        case TASK_BEGIN:
            begin(h);
            wait_for(crew, &crew->done, h->number);
            change(crew, &crew->done, h->number + 1u);
            break;
        case TASK_STEP:
            step(h);
            break;
        default:
            return NULL;
        }
        change(crew, &h->rests, call);
    }
}

/* All that have SMs, or all there are. */
static void call(gmsim_crew *crew, task what)
{
    crew->task = what;
    atomic_store(&crew->done.value, 0);
    for (uint32_t i = 1; i < (what == TASK_LEAVE ? crew->threads : crew->hands); i++) {
        hand *h = &crew->hand[i];
        change(crew, &h->called, atomic_load(&h->called.value) + 1u);
    }
}

/* ---------------------------------------------------------------------------------------- crew */

gmsim_crew *gmsim_crew_new(uint32_t threads, bool always)
{
    threads = MIN(threads, GMSIM_MOST_THREADS);
    gmsim_crew *crew = threads > 1u ? aligned_alloc(64, sizeof *crew) : NULL;
    if (!crew)
        return NULL;
    memset(crew, 0, sizeof *crew);
    crew->hand = aligned_alloc(64, threads * sizeof *crew->hand);
    if (crew->hand)
        memset(crew->hand, 0, threads * sizeof *crew->hand);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    sigset_t all, before; /* signals are the caller's */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (crew->threads = crew->hand ? 1u : 0; crew->threads && crew->threads < threads;
         crew->threads++) {
        hand *h = &crew->hand[crew->threads];
        h->crew = crew;
        h->number = crew->threads;
        if (pthread_create(&h->thread, NULL, work, h))
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (crew->threads > 1u) {
        crew->hand[0].crew = crew;
        crew->always = always;
        return crew;
    }
    gmsim_crew_free(crew);
    return NULL;
}

void gmsim_crew_free(gmsim_crew *crew)
{
    if (!crew)
        return;
    if (crew->threads > 1u)
        call(crew, TASK_LEAVE);
    for (uint32_t i = 1; i < crew->threads; i++) {
        hand *h = &crew->hand[i];
        pthread_join(h->thread, NULL);
        gmsim_tally_clear_shared(&h->replay.tally);
        gmsim_paces_clear(&h->paces);
    }
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    free(crew->hand);
    free(crew);
}

/* SMs of a TPC, which stand side by side, have one hand: they share how constants come to them. All
 * hands have about as many of the first CTAs; those that would have none have nothing to do. */
static void share_out(gmsim_crew *crew, const gmsim_scheduler *s)
{
    uint8_t ctas[GMSIM_ORDER_SMS];
    uint64_t all = 0, before = 0;
    uint32_t busy = 0, sm = 0;
    gmsim_deal_try(s, ctas);
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        all += ctas[i];
        busy += (i % 2u ? ctas[i - 1u] : 0) + ctas[i] != 0 && (i % 2u || i + 1u == s->plan.sms);
    }
    crew->hands = CLAMP(busy, 1u, crew->threads);
    for (uint32_t i = 0; i < crew->hands; i++) {
        gmsim_part *part = &crew->hand[i].part;
        const uint64_t until = all * (i + 1u) / crew->hands;
        part->first = sm;
        while (sm < s->plan.sms && (before < until || sm % 2u))
            before += ctas[sm++];
        part->end = sm = i + 1u == crew->hands ? s->plan.sms : sm;
    }
}

static void rest(gmsim_crew *crew)
{
    for (uint32_t i = 1; i < crew->hands; i++) {
        hand *h = &crew->hand[i];
        wait_for(crew, &h->rests, atomic_load(&h->called.value));
    }
}

void gmsim_crew_rest(gmsim_crew *crew)
{
    rest(crew);
    crew->anew = true;
}

bool gmsim_crew_begin(gmsim_crew *crew, gmsim_scheduler *s, const gmtrace_launch *launch,
                      gmtrace_detail detail)
{
    s->crew = crew;
    crew->s = s;
    crew->launch = launch;
    crew->detail = detail;
    share_out(crew, s);
    call(crew, TASK_BEGIN);
    begin(&crew->hand[0]);
    change(crew, &crew->done, 1u);
    wait_for(crew, &crew->done, crew->hands);
    bool good = true;
    for (uint32_t i = 1; i < crew->hands; i++)
        good = good && crew->hand[i].good;
    return good;
}

void gmsim_crew_end(gmsim_crew *crew)
{
    if (crew)
        gmsim_crew_rest(crew);
    for (uint32_t i = 0; crew && i < crew->hands; i++) {
        gmsim_scheduler *own = &crew->hand[i].scheduler;
        g_clear_error(&crew->hand[i].ahead_error);
        if (!i)
            continue;
        gmtrace_paths_free(own->paths);
        gmtrace_constants_free(own->constants);
        own->paths = NULL;
        own->constants = NULL;
    }
}

void gmsim_crew_reset(gmsim_crew *crew)
{
    crew->anew = true;
    gmsim_together_begin(&crew->together, clock_now());
    for (uint32_t i = 0; i < crew->hands; i++) {
        crew->hand[i].scheduler.truncated = false;
        if (i)
            gmsim_replay_reset(&crew->hand[i].replay);
    }
}

gmtrace_paths *gmsim_crew_paths(const gmsim_crew *crew, uint32_t sm)
{
    for (uint32_t i = 1; i < crew->hands; i++)
        if (sm >= crew->hand[i].part.first && sm < crew->hand[i].part.end)
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

/* The caller runs all. */
static bool step_alone(gmsim_crew *crew, GError **error)
{
    bool good = true;
    rest(crew);
    for (uint32_t i = 0; i < crew->hands && good; i++) {
        hand *h = &crew->hand[i];
        set_out(h);
        if (h->good)
            h->good =
                gmsim_step_all(&h->scheduler, h->part.first, h->part.end, crew->limit, &h->error);
        good = h->good;
    }
    if (!good)
        return take_errors(crew, error);
    for (uint32_t i = 0; i < crew->hands; i++) {
        gmsim_step_look(&crew->hand[i].scheduler, &crew->hand[i].part);
        note_order(&crew->hand[i]);
    }
    return true;
}

/* Is it certain what an SM does before others are answered? Not where they tell each other what
 * they do in a step when that is over, or where places wait for CTAs. */
static bool may_ahead(const gmsim_scheduler *s)
{
    return !s->clusters.size && !s->polls && !s->constant_l2 && !s->freed_count &&
           !s->waiting.count;
}

bool gmsim_crew_step(gmsim_crew *crew, uint64_t limit, GError **error)
{
    gmsim_scheduler *s = crew->s;
    uint64_t work = 0;
    bool good = true;
    crew->limit = limit;
    crew->may_ahead = may_ahead(s);
    if (crew->together.now || crew->always) {
        call(crew, TASK_STEP);
        step(&crew->hand[0]);
        wait_for(crew, &crew->done, crew->hands);
        good = take_errors(crew, error);
    } else {
        good = step_alone(crew, error);
    }
    crew->anew = false;
    for (uint32_t i = 0; i < crew->hands; i++)
        work += crew->hand[i].part.work;
    if (crew->hands > 1u)
        gmsim_together_next(&crew->together, clock_now(), work);
    return good;
}

bool gmsim_crew_part(const gmsim_crew *crew, uint32_t n, gmsim_part *part)
{
    if (n >= crew->hands)
        return false;
    *part = crew->hand[n].part;
    return true;
}

bool gmsim_crew_truncated(gmsim_crew *crew)
{
    bool truncated = false;
    gmsim_crew_rest(crew);
    for (uint32_t i = 0; i < crew->hands; i++)
        truncated |= crew->hand[i].scheduler.truncated;
    return truncated;
}

bool gmsim_crew_depends(const gmsim_crew *crew)
{
    gmtrace_path_order order = {0};
    bool lost = false;
    for (uint32_t i = 0; i < crew->hands; i++) {
        const hand *h = &crew->hand[i];
        const uint64_t *part = (const uint64_t *)&h->order;
        for (size_t n = 0; n < sizeof order / sizeof *part; n++)
            ((uint64_t *)&order)[n] += part[n];
        lost |= h->lost;
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
