/* SPDX-License-Identifier: MIT
 *
 * polls.c - see polls.h. Words stand in an open-addressed table that is filled before the launch.
 * While SMs run it is read only: what they write, and which turns they ask for, they note down, and
 * it is entered when all have come to the step's end.
 */
#include "sim/model/time/polls.h"

#include "sim/model/cache/message.h"
#include "sim/model/count/lanes.h"
#include "sim/model/trace_error.h"

#include <stdlib.h>
#include <string.h>

/* Clocks that an atomic's result is there later than a store's (micro/poll.cu, `barrier`: rounds of
 * 66 CTAs and of 132, and how often each reads). */
#define ATOMIC_LATER 80u

#define MOST_WORDS (1u << 18) /* a launch that polls more waits for none of them */
#define BETWEEN    16u        /* records of a loop besides the read, which are no accesses */
#define STUCK      64u /* steps in which nobody wrote, after which it is looked whether all poll */
#define VAIN       8u  /* reads in vain of a warp that polls */

typedef enum kind { WORD_FREE, WORD_FLAG, WORD_BARRIER, WORD_TURN } kind;

typedef struct word {
    uint64_t key;    /* address plus one; 0: an empty place */
    uint64_t cta;    /* plus one: whose streams were read last */
    uint64_t writer; /* plus one: the last CTA of those that write it */
    uint32_t own;    /* its writes */
    uint32_t
        each; /* those of every CTA before that wrote; UINT32_MAX: some write more than others */
    bool polled, written; /* by it */
    uint8_t kind;
    uint32_t readers, writers, late; /* CTAs; writers that had read before */
    uint32_t writes;                 /* in the launch */
    uint32_t done, passed;           /* writes so far; CTAs whose turn it was, or is */
    uint32_t next;                   /* request of whose turn comes next, plus one */
    uint64_t first, last;            /* clocks of the first and the last of them */
} word;

typedef struct request {
    uint32_t word, sm, slot;
    uint64_t clock;
} request;

struct gmsim_polls {
    word *word;
    uint32_t slots, count; /* of the table: places, words */
    request *request;
    uint32_t requests, room;
    uint32_t quiet; /* steps since somebody wrote, or it was looked whether all warps poll */
    bool off;       /* nobody waits any more */
};

/* The word's place in a table that has room, or an empty one where it would be. */
static word *place_of(word *table, uint32_t slots, uint64_t address)
{
    uint32_t at = gmsim_scatter32(address) & (slots - 1u);
    while (table[at].key && table[at].key != address + 1u)
        at = (at + 1u) & (slots - 1u);
    return &table[at];
}

static word *find(const gmsim_polls *polls, uint64_t address)
{
    word *w = place_of(polls->word, polls->slots, address);
    return w->key ? w : NULL;
}

/* ---------------------------------------------------------------------------- before the launch */

static bool grow(gmsim_polls *polls)
{
    const uint32_t slots = polls->slots ? 2u * polls->slots : 256u;
    word *grown = slots > 2u * MOST_WORDS ? NULL : calloc(slots, sizeof *grown);
    if (!grown)
        return false;
    for (uint32_t i = 0; i < polls->slots; i++) {
        const word *w = &polls->word[i];
        if (w->key)
            *place_of(grown, slots, w->key - 1u) = *w;
    }
    free(polls->word);
    polls->word = grown;
    polls->slots = slots;
    return true;
}

static bool put(gmsim_polls *polls, uint64_t address)
{
    if (2u * polls->count >= polls->slots && !grow(polls))
        return false;
    word *w = place_of(polls->word, polls->slots, address);
    polls->count += !w->key;
    w->key = address + 1u;
    return true;
}

/* The CTA whose streams were read is done. */
static void count_cta(word *w)
{
    if (w->own && w->each && w->each != w->own)
        w->each = UINT32_MAX;
    else if (w->own)
        w->each = w->own;
    w->own = 0;
    w->polled = w->written = false;
}

/* A lane of the CTA reads or writes the word. */
static void count_lane(word *w, uint64_t cta, bool writes)
{
    if (w->cta != cta + 1u) {
        count_cta(w);
        w->cta = cta + 1u;
    }
    if (!writes) {
        w->readers += !w->polled;
        w->polled = true;
        return;
    }
    w->writers += !w->written;
    w->late += !w->written && w->polled;
    w->written = true;
    w->writer = cta + 1u;
    w->own++;
    w->writes++;
}

typedef enum reading { READING_WORDS, READING_COUNTS } reading;

static bool take(gmsim_scheduler *s, uint64_t cta, const gmtrace_chunk *chunk,
                 const gmtrace_record *record, reading what)
{
    const gmsim_site *site = gmsim_tally_site(&s->replay->tally, record->instr);
    if (record->kind != GMTRACE_ACCESS || record->space != GMTRACE_SPACE_GLOBAL ||
        (!site->polls && (!site->signals || what == READING_WORDS)))
        return true;
    uint64_t address[GMTRACE_WARP_LANES];
    gmsim_lane_addresses(chunk, record, address);
    for (uint32_t left = record->mask; left; left &= left - 1u) {
        const uint64_t one = address[gmsim_lowest(left)];
        if (what == READING_WORDS) {
            if (!put(s->polls, one))
                return false;
            continue;
        }
        word *w = find(s->polls, one);
        if (w)
            count_lane(w, cta, site->signals);
    }
    return true;
}

/* False on an error, which is then set, or where there is no room for all words. */
static bool read_cta(gmsim_scheduler *s, uint64_t cta, reading what, GError **error)
{
    for (uint32_t i = 0; i < s->plan.cta_warps; i++) {
        gmtrace_cursor cursor;
        gmtrace_error reason = {.status = GMTRACE_OK};
        bool good = true;
        if (gmtrace_cursor_open(s->reader, &cursor, cta, i, &reason)) {
            do
                for (; good && cursor.next < cursor.end; cursor.next++)
                    good = take(s, cta, cursor.chunk, cursor.next, what);
            while (good && gmtrace_cursor_refill(s->reader, &cursor, &reason));
            gmtrace_cursor_close(s->reader, &cursor);
        }
        if (reason.status != GMTRACE_OK && reason.status != GMTRACE_TRUNCATED) {
            gmsim_trace_error(error, NULL, &reason);
            return false;
        }
        if (!good)
            return false;
    }
    return true;
}

static kind kind_of(const word *w)
{
    if (w->writers == 0 || (w->writers == 1u && w->readers == 1u && w->late))
        return WORD_FREE;
    if (w->writers == 1u)
        return WORD_FLAG;
    if (w->late == 0 && w->each != UINT32_MAX)
        return WORD_BARRIER;
    return w->late == w->writers && w->each == 1u ? WORD_TURN : WORD_FREE;
}

/* Marks the sites; whether some poll. Without memory for that, none does. */
static bool mark(gmsim_tally *tally, const gmtrace_kernel *kernel)
{
    bool any = false, *polls = calloc(kernel->instr_count + 1u, sizeof *polls);
    if (!polls || !gmtrace_find_polls(kernel, tally->unsteady, polls)) {
        free(polls);
        return false;
    }
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const gmtrace_instr *instr = &kernel->instr[i];
        gmsim_site *site = &tally->site[i];
        const bool strong =
            instr->cache == GMTRACE_CACHE_STRONG_GPU || instr->cache == GMTRACE_CACHE_STRONG_SYS;
        site->polls = polls[i];
        site->signals = instr->op_class == GMTRACE_CLASS_ATOMIC ||
                        instr->op_class == GMTRACE_CLASS_REDUCTION ||
                        (instr->op_class == GMTRACE_CLASS_STORE && strong);
        any |= site->polls;
    }
    free(polls);
    return any;
}

static bool read_all(gmsim_scheduler *s, GError **error)
{
    for (uint32_t what = READING_WORDS; what <= READING_COUNTS; what++)
        for (uint64_t cta = 0; cta < s->plan.ctas; cta++)
            if (s->stop && *s->stop) {
                g_set_error_literal(error, GMSIM_ERROR, GMSIM_ERROR_IO, "stopped");
                return false;
            } else if (!read_cta(s, cta, (reading)what, error)) {
                return false;
            }
    return true;
}

bool gmsim_polls_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel, GError **error)
{
    s->polls = NULL;
    if (s->plan.functional || !s->plan.control_bits || !mark(&s->replay->tally, kernel))
        return true;
    s->polls = calloc(1, sizeof *s->polls);
    if (!s->polls || !grow(s->polls))
        return false;
    if (!read_all(s, error)) {
        const bool failed = *error != NULL;
        gmsim_polls_end(s); /* of more words than there is room for nobody waits */
        return !failed;
    }
    for (uint32_t i = 0; i < s->polls->slots; i++) {
        count_cta(&s->polls->word[i]);
        s->polls->word[i].kind = (uint8_t)kind_of(&s->polls->word[i]);
    }
    s->polls->room = s->plan.sms * GMSIM_MAX_SM_WARPS;
    s->polls->request = calloc(s->polls->room, sizeof *s->polls->request);
    return s->polls->request != NULL;
}

void gmsim_polls_end(gmsim_scheduler *s)
{
    if (!s->polls)
        return;
    free(s->polls->word);
    free(s->polls->request);
    free(s->polls);
    s->polls = NULL;
}

void gmsim_polls_forget(gmsim_scheduler *s)
{
    gmsim_polls *polls = s->polls;
    if (!polls)
        return;
    polls->requests = polls->quiet = 0;
    polls->off = false;
    for (uint32_t i = 0; i < polls->slots; i++) {
        polls->word[i].done = polls->word[i].passed = polls->word[i].next = 0;
        polls->word[i].first = polls->word[i].last = 0;
    }
}

/* ------------------------------------------------------------------------------- while SMs run */

/* Is the record one more read of the same loop, of which the first may stand before it? */
static bool is_again(const gmsim_scheduler *s, const gmtrace_chunk *chunk,
                     const gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES],
                     const gmtrace_record *next)
{
    uint64_t other[GMTRACE_WARP_LANES];
    if (next->kind != GMTRACE_ACCESS || !gmsim_tally_site(&s->replay->tally, next->instr)->polls ||
        (next->mask & ~record->mask))
        return false;
    gmsim_lane_addresses(chunk, next, other);
    for (uint32_t left = next->mask; left; left &= left - 1u)
        if (other[gmsim_lowest(left)] != address[gmsim_lowest(left)])
            return false;
    return true;
}

static bool is_between(const gmtrace_record *record)
{
    return record->kind == GMTRACE_EXEC || record->kind == GMTRACE_SYNCWARP ||
           record->kind == GMTRACE_COPY_WAIT;
}

/* Captured reads that follow in the same loop did not take place. */
static void pass_over(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                      const gmtrace_record *record)
{
    uint64_t address[GMTRACE_WARP_LANES];
    gmtrace_cursor *cursor = &warp->cursor;
    gmsim_lane_addresses(cursor->chunk, record, address);
    for (;;) {
        const gmtrace_record *next = cursor->next;
        while (next < cursor->end && next < cursor->next + BETWEEN && is_between(next))
            next++;
        if (next >= cursor->end || !is_again(s, cursor->chunk, record, address, next))
            return;
        for (; cursor->next <= next; cursor->next++) {
            gmtrace_path_step_in(sm->paths, &warp->path, cursor->next, cursor->chunk);
            sm->records++;
        }
    }
}

static void note(gmsim_sm *sm, uint32_t number, uint32_t slot, uint64_t clock, bool asks)
{
    if (sm->signals < GMSIM_SIGNALS)
        sm->signal[sm->signals] =
            (gmsim_signal){.clock = clock, .word = number, .slot = (uint8_t)slot, .asks = asks};
    sm->signals++; /* more than there is room for: see enter() */
}

/* How often the warp's CTA has written the barrier. */
static uint32_t *writes_of(gmsim_sm *sm, const gmsim_warp *warp, uint32_t number)
{
    gmsim_cta *cta = &sm->cta[warp->cta];
    if (cta->barrier_word != number + 1u) {
        cta->barrier_word = number + 1u;
        cta->barrier_writes = 0;
    }
    return &cta->barrier_writes;
}

bool gmsim_polls_note(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, const gmtrace_record *record,
                      uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    const gmsim_polls *polls = s->polls;
    const gmsim_site *site = gmsim_tally_site(&s->replay->tally, record->instr);
    if (record->kind != GMTRACE_ACCESS || record->space != GMTRACE_SPACE_GLOBAL || !record->mask)
        return false;
    uint64_t address[GMTRACE_WARP_LANES];
    const uint64_t there =
        now + s->plan.gpu->l2_latency / 2u + (record->op == GMTRACE_OP_STORE ? 0 : ATOMIC_LATER);
    gmsim_lane_addresses(warp->cursor.chunk, record, address);
    const uint64_t first = address[gmsim_lowest(record->mask)];
    if (warp->poll_over && site->polls && warp->poll_address == first) {
        pass_over(s, sm, warp, record); /* what the chunk before had no more of */
        return false;
    }
    warp->poll_over = false;
    warp->poll_address = first;
    for (uint32_t left = record->mask; left; left &= left - 1u) {
        const word *w = find(polls, address[gmsim_lowest(left)]);
        const uint32_t number = w ? (uint32_t)(w - polls->word) : 0;
        if (!w)
            continue;
        if (site->signals) {
            note(sm, number, slot, there, false);
            if (w->kind == WORD_BARRIER)
                ++*writes_of(sm, warp, number);
        } else if (w->kind == WORD_TURN && !sm->turn_at[slot]) {
            sm->turn_at[slot] = UINT64_MAX;
            note(sm, number, slot, there, true);
        }
    }
    warp->polled = now;
    return site->polls;
}

/* As often as it ever is? */
static bool is_written(const word *w, uint64_t clock)
{
    return w->done >= w->writes && w->last <= clock;
}

/* Does a read that was in L2 at `clock` find that it has to wait for the word? */
static bool waits(gmsim_sm *sm, uint32_t slot, const gmsim_polls *polls, const word *w,
                  uint64_t clock)
{
    if (is_written(w, clock))
        return false;
    const uint32_t number = (uint32_t)(w - polls->word);
    switch ((kind)w->kind) {
    case WORD_FLAG:
        return w->done == 0 || w->first > clock;
    case WORD_BARRIER: {
        const uint64_t wanted = (uint64_t)*writes_of(sm, &sm->warp[slot], number) * w->writers;
        return w->done < wanted || (w->done == wanted && w->last > clock);
    }
    case WORD_TURN:
        return sm->turn_at[slot] > clock;
    default:
        return false;
    }
}

/* Bytes from the words that lanes of a whole warp read to those of the 32 words before; 0: they do
 * not stand in a row. */
static uint64_t row_of(const gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES])
{
    const uint64_t step = address[0] - address[1];
    if (record->mask != GMSIM_ALL_LANES || !step)
        return 0;
    for (uint32_t i = 1; i + 1u < GMTRACE_WARP_LANES; i++)
        if (address[i] - address[i + 1u] != step)
            return 0;
    return step * GMTRACE_WARP_LANES;
}

/* Does another loop that polls follow, without an access between? */
static bool goes_on(const gmsim_scheduler *s, const gmtrace_cursor *cursor,
                    const gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES])
{
    const gmtrace_record *next = cursor->next;
    while (next < cursor->end &&
           (is_between(next) || is_again(s, cursor->chunk, record, address, next)))
        next++;
    return next < cursor->end && next->kind == GMTRACE_ACCESS &&
           gmsim_tally_site(&s->replay->tally, next->instr)->polls;
}

static bool must_wait(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot,
                      const gmtrace_record *record, uint64_t clock)
{
    gmsim_warp *warp = &sm->warp[slot];
    uint64_t address[GMTRACE_WARP_LANES];
    if (s->polls->off)
        return false;
    gmsim_lane_addresses(warp->cursor.chunk, record, address);
    const uint64_t row = row_of(record, address), back = warp->poll_rows * row;
    bool sums = false, sum = false; /* wanted, and there */
    uint64_t writer = 0;
    bool several = false; /* CTAs write the lanes' words */
    for (uint32_t left = record->mask; left; left &= left - 1u) {
        const word *w = find(s->polls, address[gmsim_lowest(left)] - back);
        if (w && waits(sm, slot, s->polls, w, clock))
            return true;
        sums |= w && w->kind == WORD_FLAG && w->writes == 2u;
        several |= w && writer && w->writer != writer;
        writer = w ? w->writer : writer;
        sum |= !w || w->kind == WORD_FREE || is_written(w, clock);
    }
    if (!sums || sum || !row || !several || goes_on(s, &warp->cursor, record, address))
        return false;
    warp->poll_rows++;
    return true;
}

bool gmsim_polls_over(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    const gmtrace_record *record = warp->cursor.next - 1;
    if (must_wait(s, sm, slot, record, warp->polled + (now - MIN(now, warp->polled)) / 2u)) {
        warp->in_vain++;
        return false;
    }
    pass_over(s, sm, warp, record);
    warp->poll_over = true;
    warp->poll_rows = 0;
    sm->turn_at[slot] = 0;
    warp->in_vain = 0;
    return true;
}

/* ------------------------------------------------------------------------------- behind a step */

static void enter(const gmsim_scheduler *s, gmsim_polls *polls, gmsim_sm *sm, uint32_t number)
{
    if (sm->signals > GMSIM_SIGNALS)
        polls->off = true; /* some were not noted down: whoever waits for them would for ever */
    for (uint32_t i = 0; i < MIN(sm->signals, GMSIM_SIGNALS); i++) {
        const gmsim_signal *signal = &sm->signal[i];
        word *w = &polls->word[signal->word];
        if (signal->asks) { /* a warp once at a time */
            if (polls->requests < polls->room)
                polls->request[polls->requests++] =
                    (request){signal->word, number, signal->slot, signal->clock};
            continue;
        }
        w->first = w->done ? MIN(w->first, signal->clock) : signal->clock;
        /* Who comes to a barrier adds to its word, one after the other. */
        w->last = MAX(w->last + (w->kind == WORD_BARRIER ? s->plan.gpu->atomic_slice / 100u : 0),
                      signal->clock);
        w->done++;
        polls->quiet = 0;
    }
    sm->signals = 0;
}

/* Of those who wait for a turn at a word the first to come has it, once all before have written. */
static void give_turns(gmsim_scheduler *s)
{
    gmsim_polls *polls = s->polls;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < polls->requests; i++) {
        word *w = &polls->word[polls->request[i].word];
        if (w->passed == w->done &&
            (!w->next || polls->request[i].clock < polls->request[w->next - 1u].clock))
            w->next = i + 1u;
    }
    for (uint32_t i = 0; i < polls->requests; i++) {
        const request *one = &polls->request[i];
        word *w = &polls->word[one->word];
        if (w->next != i + 1u) {
            polls->request[kept++] = *one;
            continue;
        }
        s->sm[one->sm].turn_at[one->slot] = MAX(w->last, 1u);
        w->passed++;
        w->next = 0;
    }
    polls->requests = kept;
}

/* Do all warps wait for what none of them will write? */
static bool is_stuck(const gmsim_scheduler *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->plan.sms; i++)
        for (uint32_t slot = 0; slot < s->sm[i].slots; slot++) {
            const gmsim_sm *sm = &s->sm[i];
            const gmsim_warp *warp = &sm->warp[slot];
            if (!(sm->taken >> slot & 1u))
                continue;
            const bool polls = warp->in_vain >= VAIN;
            const bool at_barrier = sm->ready[slot] == GMSIM_NEVER &&
                                    warp->turn == GMSIM_TURN_PLAN && !(sm->unplanned >> slot & 1u);
            if (!polls && !at_barrier)
                return false;
            any |= polls;
        }
    return any;
}

void gmsim_polls_step(gmsim_scheduler *s)
{
    gmsim_polls *polls = s->polls;
    if (!polls)
        return;
    for (uint32_t i = 0; i < s->plan.sms; i++)
        if (s->sm[i].signals)
            enter(s, polls, &s->sm[i], i);
    if (polls->requests)
        give_turns(s);
    if (++polls->quiet < STUCK)
        return;
    polls->quiet = 0;
    polls->off |= is_stuck(s);
}
