/* SPDX-License-Identifier: MIT
 *
 * constants.c - loads of constants that miss (micro/constant.cu, constant_miss.cu,
 * constant_warps.cu, uniform_constants.cu).
 * - An SM's first cache holds 32 lines of 64 bytes in eight sets, of which the least recently used
 *   leaves. What it does not hold comes later, four lines at a time for two SMs; of one load a line
 *   after the other, and a warp's loads in their order. A warp that wants a line on its way waits
 *   as long as the one that asked. Warps ask when those before them have theirs.
 * - ULDC with an index finds four such lines that its sub-partition has for that, and comes later
 *   where it does not.
 * - What nobody on the SM has read in this launch comes from L2, 256 bytes at a time, and from DRAM
 *   for the first SM that reads it of a launch that begins with an empty L2.
 *
 * Which constants are read tells traces/code/constants.h. Left out: what does not fit the second
 * cache, instructions that share it, constants that arithmetic takes as operands, ULDC
 * without an index.
 */
#include "sim/model/time/constants.h"

#include "sim/model/hot.h"

#include <stdlib.h>
#include <string.h>

#define SETS  8u
#define WAYS  4u
#define BLOCK 4u /* lines that come from L2 at a time */
#define UNDER 4u /* lines under way at a time */
#define LINES GMTRACE_CONSTANT_LINES
#define ASKED (LINES / BLOCK) /* an SM asks for each once */

typedef struct gmsim_constant_warp {
    const gmtrace_constant_way *way;
    uint32_t state, next;  /* item of the way */
    uint64_t begins, gone; /* clocks of its way before, and that the warp has gone */
    uint64_t asked, there; /* when the last that is waited for would be at hand, and when it is */
    uint64_t hit, held;    /* when its last load would be ..., and how much later that came */
    uint32_t clocks;
} gmsim_constant_warp;

/* The same of those that a sub-partition holds for ULDC. */
typedef struct near_lines {
    uint32_t line[WAYS];
    uint64_t there[LINES], gone[LINES];
} near_lines;

typedef struct gmsim_constant_sm {
    uint32_t line[SETS][WAYS]; /* plus one; the last to be used come first */
    uint64_t free[UNDER];      /* when it can ask for another line */
    uint64_t step;             /* in which it asked for `missed[0]`; and in the one before */
    uint32_t missed[2];
    uint64_t there[LINES], gone[LINES]; /* of lines that were replaced: when they came, and left */
    near_lines near[GMSIM_MAX_SUB_PARTITIONS];
    uint64_t block[LINES / BLOCK]; /* when it came from L2; 0: never */
    uint16_t ask[ASKED];           /* blocks that it is the first to ask for, in this step */
    uint32_t asked;
    gmsim_constant_warp warp[GMSIM_MAX_SM_WARPS];
} gmsim_constant_sm;

bool gmsim_constants_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel, uint32_t lanes,
                           bool cold)
{
    if (s->plan.functional || !s->plan.control_bits)
        return true;
    s->constants = gmtrace_constants_create(kernel, s->replay->tally.decoded, lanes, s->loaded);
    s->constant_lanes = lanes;
    s->paces->constants = s->constants != NULL;
    if (!s->constants)
        return true;
    s->constant_sm = calloc(s->plan.sms + 1u, sizeof *s->constant_sm);
    s->constant_l2 = cold ? calloc(LINES / BLOCK, sizeof *s->constant_l2) : NULL;
    return s->constant_sm && (s->constant_l2 || !cold);
}

bool gmsim_constants_share(gmsim_scheduler *own, const gmsim_scheduler *s)
{
    const gmsim_tally *tally = &s->replay->tally;
    own->constants = s->constants ? gmtrace_constants_create(tally->kernel, tally->decoded,
                                                             s->constant_lanes, s->loaded)
                                  : NULL;
    own->paces->constants = own->constants != NULL;
    return !s->constants == !own->constants;
}

void gmsim_constants_end(gmsim_scheduler *s)
{
    gmtrace_constants_free(s->constants);
    gmtrace_loaded_free(s->loaded);
    free(s->constant_sm);
    free(s->constant_l2);
    s->constants = NULL;
    s->loaded = NULL;
    s->constant_sm = NULL;
    s->constant_l2 = NULL;
}

void gmsim_constants_forget(gmsim_scheduler *s)
{
    if (s->constant_sm)
        memset(s->constant_sm, 0, (s->plan.sms + 1u) * sizeof *s->constant_sm);
    if (s->constant_l2)
        memset(s->constant_l2, 0, LINES / BLOCK * sizeof *s->constant_l2);
}

static gmsim_constant_sm *of(const gmsim_scheduler *s, const gmsim_sm *sm)
{
    return &s->constant_sm[sm - s->sm];
}

void gmsim_constants_enter(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t slot)
{
    static const gmtrace_constant_way none;
    if (s->constants)
        of(s, sm)->warp[slot] = (gmsim_constant_warp){.way = &none};
}

void gmsim_constants_set_out(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t slot,
                             const gmtrace_path *way, uint64_t at, uint32_t clocks)
{
    gmsim_constant_warp *warp = &of(s, sm)->warp[slot];
    warp->way = gmtrace_constants_step(s->constants, warp->state, way);
    warp->state = warp->way->next;
    warp->next = 0;
    warp->begins = at;
    warp->gone = 0;
    warp->clocks = clocks;
}

static void begin_step(gmsim_constant_sm *c, uint64_t step)
{
    if (c->step == step)
        return;
    c->missed[1] = c->step + 1u == step ? c->missed[0] : 0;
    c->missed[0] = 0;
    c->step = step;
}

/* A line that misses is asked for at `now`: when it is on its way. Two SMs, those of a TPC, share
 * what has it under way: one has so much less of that as the other asked for in the step before. */
static uint64_t set_under_way(const gmsim_scheduler *s, gmsim_constant_sm *c, uint64_t now,
                              uint64_t clocks)
{
    gmsim_constant_sm *other = &s->constant_sm[(c - s->constant_sm) ^ 1];
    const uint64_t room = UNDER * GMSIM_STEP;
    uint32_t first = 0;
    for (uint32_t i = 1; i < UNDER; i++)
        if (c->free[i] < c->free[first])
            first = i;
    begin_step(c, s->step);
    c->missed[0]++;
    const uint32_t missed = other->step == s->step        ? other->missed[1]
                            : other->step + 1u == s->step ? other->missed[0]
                                                          : 0;
    const uint64_t begin = MAX(now, c->free[first]);
    c->free[first] = begin + clocks + MIN(missed * clocks, room) * clocks / room;
    return begin;
}

/* When a block is there that would be so if L2 had it. It comes from DRAM for the SMs that ask in
 * the step in which the first does; of what one of them has asked for others hear after it. */
static uint64_t from_l2(const gmsim_scheduler *s, gmsim_constant_sm *c, uint32_t block,
                        uint64_t then)
{
    if (!s->constant_l2)
        return then;
    if (s->constant_l2[block])
        return MAX(then, s->constant_l2[block]);
    if (c->asked < ASKED)
        c->ask[c->asked++] = (uint16_t)block;
    return then + s->plan.gpu->sm_constant_dram;
}

void gmsim_constants_step(gmsim_scheduler *s)
{
    for (uint32_t i = 0; s->constant_l2 && i < s->plan.sms; i++) {
        gmsim_constant_sm *c = &s->constant_sm[i];
        for (; c->asked; c->asked--) {
            const uint32_t block = c->ask[c->asked - 1u];
            uint64_t *there = &s->constant_l2[block];
            *there = *there ? MIN(*there, c->block[block]) : c->block[block];
        }
    }
}

/* When a line that misses is there, which is asked for at `now` and comes `clocks` after it is on
 * its way, if the SM has read its block before. */
static uint64_t fetch(const gmsim_scheduler *s, gmsim_constant_sm *c, uint32_t line, uint64_t now,
                      uint64_t clocks)
{
    uint64_t *block = &c->block[line / BLOCK];
    const uint64_t then = set_under_way(s, c, now, clocks) + clocks;
    if (!*block)
        *block = from_l2(s, c, line / BLOCK, then + s->plan.gpu->sm_constant_cold);
    return MAX(then, *block);
}

/* When the line is there that is asked for at `now`, were it at hand then, of so many in the order
 * of their use. Warps come here with all that they read on a piece of their way: what another has
 * replaced by then, but later, is there. */
GMSIM_INLINE uint64_t ask_of(const gmsim_scheduler *s, gmsim_constant_sm *c, uint32_t *lines,
                             uint64_t *there, uint64_t *gone, uint32_t line, uint64_t now,
                             uint64_t clocks)
{
    uint32_t n = 0;
    if (now < gone[line])
        return MAX(there[line], now);
    while (n < WAYS && lines[n] != line + 1u)
        n++;
    if (n == WAYS) {
        if (lines[--n])
            gone[lines[n] - 1u] = now;
        there[line] = fetch(s, c, line, now, clocks);
        gone[line] = 0;
    }
    for (; n; n--)
        lines[n] = lines[n - 1u];
    lines[n] = line + 1u;
    return MAX(there[line], now);
}

static uint64_t ask(const gmsim_scheduler *s, gmsim_constant_sm *c, uint32_t line, uint64_t now)
{
    return ask_of(s, c, c->line[line % SETS], c->there, c->gone, line, now,
                  s->plan.gpu->sm_constant_miss);
}

/* The same for ULDC, which asks its sub-partition. */
static uint64_t ask_near(const gmsim_scheduler *s, gmsim_constant_sm *c, uint32_t part,
                         uint32_t line, uint64_t now)
{
    near_lines *near = &c->near[part];
    return ask_of(s, c, near->line, near->there, near->gone, line, now,
                  s->plan.gpu->sm_constant_uniform);
}

uint64_t gmsim_constants_read(const gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now,
                              uint64_t asks, uint64_t clocks, bool all)
{
    gmsim_constant_sm *c = of(s, sm);
    gmsim_constant_warp *warp = &c->warp[slot];
    const uint64_t until = warp->gone + clocks, slots = MAX(warp->way->slots, 1u);
    const gmsim_cost *ldc = &s->plan.gpu->pipe_ldc;
    const uint64_t latency = ldc->latency;
    const uint64_t address = s->plan.gpu->sm_constant_address;
    uint64_t late = 0, before = 0;
    for (; warp->next < warp->way->count; warp->next++) {
        const gmtrace_constant *item = &warp->way->item[warp->next];
        const uint64_t at = warp->begins + (uint64_t)item->slot * warp->clocks / slots;
        if (at >= until && !all)
            break;
        const uint64_t after = at > warp->gone ? at - warp->gone : 0, when = now + late + after;
        if (item->line == GMTRACE_CONSTANT_WAIT) {
            late += warp->there - MIN(MAX(when, warp->asked), warp->there);
            warp->asked = warp->there = 0;
        } else if (item->line & GMTRACE_CONSTANT_ULDC) {
            const uint32_t part = sm->warp[slot].who.part;
            const uint64_t then = ask_near(s, c, part, item->line & ~GMTRACE_CONSTANT_ULDC, when);
            warp->asked = MAX(warp->asked, when);
            warp->there = MAX(warp->there, then);
        } else {
            /* The addresses of one load come one after the other, misses as well, and the load
             * before it comes first. */
            const uint64_t behind = item->after * address;
            const uint64_t hit = MAX(now + late, asks) + after + behind;
            if (!item->after) {
                const uint64_t since = hit - MIN(warp->hit, hit);
                before = warp->held > since ? warp->held - since + ldc->constant : 0;
                warp->hit = hit;
                warp->held = 0;
            }
            const uint64_t then = MAX(ask(s, c, item->line, hit + warp->held), hit + before);
            warp->held = then - hit;
            warp->asked = MAX(warp->asked, when + behind + latency);
            warp->there = MAX(warp->there, then + latency);
        }
    }
    if (all) { /* what is asked for now and wanted behind the next record */
        late += warp->there - MIN(MAX(warp->asked, now + late + clocks), warp->there);
        warp->asked = warp->there = 0;
    }
    warp->gone = until;
    return late;
}
