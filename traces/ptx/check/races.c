/* SPDX-License-Identifier: MIT
 *
 * races.c - see races.h. Each word of four bytes has its last write and the last reads of two
 * warps: those of shared memory for the CTA at hand, those of global memory, in pages, for the
 * launch. Words beyond what MAX_CHUNKS hold, findings beyond MAX_FOUND and what comes after 2^32
 * steps of time are left out.
 */
#include "traces/ptx/check/races.h"
#include "traces/ptx/check/check.h"

#include <stdlib.h>

#define PAGE_WORDS  16u
#define CHUNK_PAGES 1024u
#define MAX_CHUNKS  1024u /* 64 MiB of memory watched, with 1 GiB */
#define MAX_FOUND   16u

typedef struct stamp {
    uint32_t time; /* 0: none */
    uint32_t cta, op;
    uint8_t warp, lane;
    uint8_t bytes; /* a bit a byte */
    bool atomic;
} stamp;

typedef struct word {
    uint32_t released, access; /* when; and the number of the one that wrote last */
    stamp write, read[2];
} word;

/* Words of global memory that lie side by side. */
typedef struct page {
    uint64_t number; /* first word / PAGE_WORDS */
    word word[PAGE_WORDS];
} page;

typedef struct found {
    gmptx_race race;
    uint64_t line[2]; /* what makes two the same: file and line, or the operation */
} found;

struct ptx_races {
    uint32_t time, accesses; /* of warps */
    uint32_t left, each;     /* accesses of CTA `cta` that are watched, of any */
    word *shared;            /* of CTA `cta` */
    uint64_t cta;
    page *chunk[MAX_CHUNKS];
    uint32_t pages;
    uint32_t *slot, slots; /* hash of pages, from 1 on; a power of two */
    page *last;            /* used */
    found found[MAX_FOUND];
    uint32_t founds;
    bool incomplete; /* a word, or time, could not be had */
};

ptx_races *gmptx_open_races(uint32_t shared_bytes, uint32_t each)
{
    ptx_races *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->time = 1;
    r->each = each ? each : UINT32_MAX;
    r->cta = UINT64_MAX;
    r->slots = 1u << 12;
    r->slot = calloc(r->slots, sizeof *r->slot);
    r->shared = calloc(shared_bytes / 4 + 2, sizeof *r->shared);
    if (r->slot && r->shared)
        return r;
    gmptx_close_races(r);
    return NULL;
}

void gmptx_close_races(ptx_races *races)
{
    if (!races)
        return;
    for (uint32_t i = 0; i < MAX_CHUNKS; i++)
        free(races->chunk[i]);
    free(races->slot);
    free(races->shared);
    free(races);
}

static page *page_at(const ptx_races *r, uint32_t index)
{
    return &r->chunk[index / CHUNK_PAGES][index % CHUNK_PAGES];
}

static uint32_t *slot_of(const ptx_races *r, uint32_t *slot, uint32_t slots, uint64_t number)
{
    uint32_t at = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (slots - 1);
    while (slot[at] && page_at(r, slot[at] - 1)->number != number)
        at = (at + 1) & (slots - 1);
    return &slot[at];
}

static bool grow(ptx_races *r)
{
    uint32_t *larger = calloc((size_t)r->slots * 2, sizeof *larger);
    if (!larger)
        return false;
    for (uint32_t i = 0; i < r->pages; i++)
        *slot_of(r, larger, r->slots * 2, page_at(r, i)->number) = i + 1;
    free(r->slot);
    r->slot = larger;
    r->slots *= 2;
    return true;
}

/* A word of global memory; NULL where there is no room for one more. */
static word *find_global(ptx_races *r, uint64_t n)
{
    const uint64_t number = n / PAGE_WORDS;
    if (r->last && r->last->number == number)
        return &r->last->word[n % PAGE_WORDS];
    uint32_t *slot = slot_of(r, r->slot, r->slots, number);
    if (!*slot) {
        page **chunk = &r->chunk[r->pages / CHUNK_PAGES % MAX_CHUNKS];
        if (r->pages == MAX_CHUNKS * CHUNK_PAGES)
            return NULL;
        if (r->pages >= r->slots / 2) {
            if (!grow(r))
                return NULL;
            slot = slot_of(r, r->slot, r->slots, number);
        }
        if (!*chunk && !(*chunk = calloc(CHUNK_PAGES, sizeof **chunk)))
            return NULL;
        page_at(r, r->pages)->number = number;
        *slot = ++r->pages;
    }
    r->last = page_at(r, *slot - 1);
    return &r->last->word[n % PAGE_WORDS];
}

/* ------------------------------------------------------------------------------------- findings */

static gmptx_side side_of(const ptx_cta *cta, const stamp *s, bool is_write)
{
    gmptx_side side = gmptx_side_of(cta, s->cta, s->warp, s->lane, s->op);
    side.is_write = is_write;
    side.is_atomic = s->atomic;
    return side;
}

static void tell(const ptx_warp *w, bool shared, const stamp *now, bool now_writes,
                 const stamp *before, bool before_writes)
{
    const ptx_cta *cta = w->cta;
    ptx_races *r = cta->races;
    const uint64_t line[2] = {gmptx_line_of(cta->kernel, before->op),
                              gmptx_line_of(cta->kernel, now->op)};
    for (uint32_t i = 0; i < r->founds; i++) {
        found *f = &r->found[i];
        const bool same = f->line[0] == line[0] && f->line[1] == line[1];
        if (f->race.shared == shared &&
            (same || (f->line[0] == line[1] && f->line[1] == line[0]))) {
            f->race.count++;
            return;
        }
    }
    if (r->founds == MAX_FOUND)
        return;
    r->found[r->founds++] = (found){
        .line = {line[0], line[1]},
        .race = {.kernel = cta->kernel->info.mangled,
                 .shared = shared,
                 .one_instruction =
                     before->op == now->op && before->cta == now->cta && before->warp == now->warp,
                 .count = 1,
                 .side = {side_of(cta, before, before_writes), side_of(cta, now, now_writes)}},
    };
}

void gmptx_tell_races(const ptx_races *races, const gmptx_launch *launch)
{
    for (uint32_t i = 0; i < races->founds; i++)
        launch->race(launch->race_user, &races->found[i].race);
}

bool gmptx_races_incomplete(const ptx_races *races)
{
    return races->incomplete;
}

/* ------------------------------------------------------------------------------------- accesses */

static bool is_race(const ptx_warp *w, const stamp *before, const stamp *now)
{
    if (!before->time || !(before->bytes & now->bytes) || (before->atomic && now->atomic))
        return false;
    if (before->cta != now->cta)
        return before->time >= w->seen;
    return before->warp != now->warp && before->time >= w->met && before->time >= w->seen;
}

/* Is the store's value there already? */
static bool changes(const uint8_t *host, const uint8_t *value, uint32_t bytes)
{
    return !value || memcmp(host, value, bytes) != 0;
}

static void read_word(const ptx_warp *w, word *x, const stamp *now, bool shared)
{
    if (is_race(w, &x->write, now) && (shared || !x->write.atomic))
        tell(w, shared, now, false, &x->write, true);
    const bool same = x->read[0].cta == now->cta && x->read[0].warp == now->warp;
    if (!same)
        x->read[1] = x->read[0];
    x->read[0] = *now;
}

static void write_word(const ptx_warp *w, word *x, const stamp *now, bool shared,
                       const uint8_t *value, uint32_t bytes)
{
    const ptx_races *r = w->cta->races;
    if (is_race(w, &x->write, now))
        tell(w, shared, now, true, &x->write, true);
    for (unsigned i = 0; i < 2; i++)
        if (is_race(w, &x->read[i], now) && (shared || !now->atomic)) {
            tell(w, shared, now, true, &x->read[i], false);
            break;
        }
    if (x->access == r->accesses && value && x->write.bytes & now->bytes &&
        changes(value + (size_t)x->write.lane * bytes, value + (size_t)now->lane * bytes, bytes))
        tell(w, shared, now, true, &x->write, true);
    x->write = *now;
    x->access = r->accesses;
}

void gmptx_watch_access(ptx_warp *w, const ptx_op *op, ptx_touch touch, bool shared, uint32_t mask,
                        uint32_t bytes, uint8_t *const *host, const uint8_t *value)
{
    ptx_cta *cta = w->cta;
    ptx_races *r = cta->races;
    const bool atomic = touch >= TOUCH_REDUCTION;
    const bool ordered = atomic || (!shared && op->cache >= GMTRACE_CACHE_STRONG_SM &&
                                    op->cache <= GMTRACE_CACHE_STRONG_SYS);
    const bool releases = ordered && touch != TOUCH_LOAD;
    const bool sees = ordered && (touch == TOUCH_LOAD || touch == TOUCH_ATOMIC);
    if (r->cta != cta->number) {
        r->cta = cta->number;
        r->left = r->each;
        memset(r->shared, 0, (cta->shared_bytes / 4 + 2) * sizeof *r->shared);
    }
    if (r->time == UINT32_MAX - 1 || r->accesses == UINT32_MAX || r->left == 0) {
        r->incomplete = true;
        return;
    }
    r->accesses++;
    r->left--;
    r->time += releases;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint64_t at =
            shared ? (uint64_t)(host[lane] - cta->shared) : (uint64_t)(uintptr_t)host[lane];
        const uint8_t *own = value ? value + (size_t)lane * bytes : NULL;
        /* A store of what is there changes nothing, unless another lane of it did. */
        const bool silent = touch == TOUCH_STORE && own && !changes(host[lane], own, bytes);
        for (uint64_t n = at / 4; n <= (at + bytes - 1) / 4; n++) {
            word *x = shared ? &r->shared[n] : find_global(r, n);
            if (!x) {
                r->incomplete = true;
                continue;
            }
            const uint64_t from = n * 4 > at ? 0 : at - n * 4;
            const uint64_t to = (n + 1) * 4 < at + bytes ? 4 : at + bytes - n * 4;
            const stamp now = {.time = r->time,
                               .cta = (uint32_t)cta->number,
                               .op = (uint32_t)(op - w->kernel->op),
                               .warp = (uint8_t)w->number,
                               .lane = (uint8_t)lane,
                               .bytes = (uint8_t)((1u << to) - (1u << from)),
                               .atomic = atomic};
            if (sees && x->released > w->seen)
                w->seen = x->released;
            if (releases)
                x->released = r->time;
            if (ordered && !atomic)
                continue;
            if (touch == TOUCH_LOAD)
                read_word(w, x, &now, shared);
            else if (!silent || x->access == r->accesses)
                write_word(w, x, &now, shared, value, bytes);
        }
    }
}

void gmptx_watch_barrier(ptx_cta *cta, uint32_t barrier)
{
    uint32_t seen = 0;
    const uint32_t time = cta->races->time += cta->races->time < UINT32_MAX - 1;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < cta->warps; i++) {
            ptx_warp *w = &cta->warp[i];
            if (w->state != WARP_WAITS || w->barrier != barrier)
                continue;
            if (pass) {
                w->met = time;
                w->seen = seen;
            } else if (w->seen > seen) {
                seen = w->seen;
            }
        }
}

void gmptx_watch_phase(ptx_cta *cta)
{
    uint32_t seen = 0;
    const uint32_t time = cta->races->time += cta->races->time < UINT32_MAX - 1;
    for (uint32_t i = 0; i < cta->warps; i++)
        seen = cta->warp[i].seen > seen ? cta->warp[i].seen : seen;
    for (uint32_t i = 0; i < cta->warps; i++) {
        cta->warp[i].met = time;
        cta->warp[i].seen = seen;
    }
}
