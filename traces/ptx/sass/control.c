/* SPDX-License-Identifier: MIT
 *
 * control.c - where lanes go. Lanes that part are splits, each with a pc of its own; they meet
 * where the code says so: BSSY notes who goes into a region, in a register that every lane has a
 * copy of, and at BSYNC they wait for each other. One split runs until it has to wait, ends, or
 * yields.
 *
 * Which side of a branch hardware runs first is not documented; captures of kernels that part show
 * the order that is taken here.
 */
#include "traces/ptx/sass/sass.h"

#include <stdlib.h>

typedef enum sass_control {
    GO_BRANCH = CONTROL_BRANCH,
    GO_BRANCH_DIVERGED,
    GO_BRANCH_CONVERGED,
    GO_ENTER,
    GO_MEET,
    GO_LEAVE,
    GO_SYNC,
    GO_SYNC_ALL,
    GO_BARRIER,
    GO_CALL,
    GO_RETURN,
    GO_EXIT,
    GO_YIELD,
    GO_TRAP,
} sass_control;

static sass_split *running(const ptx_warp *w)
{
    return &w->split[w->running];
}

static uint32_t *barrier_masks(const ptx_warp *w, uint32_t number)
{
    return (uint32_t *)(void *)(w->base[PTX_FILE_FRAME] + SASS_BARRIERS + number * PTX_UNIT);
}

static void drop_empty(ptx_warp *w)
{
    uint32_t kept = 0, current = w->running;
    for (uint32_t i = 0; i < w->splits; i++) {
        if (!w->split[i].mask)
            continue;
        if (i == w->running)
            current = kept;
        w->split[kept++] = w->split[i];
    }
    w->splits = kept;
    w->running = current < kept ? current : kept ? kept - 1 : 0;
    if (!kept)
        w->state = WARP_DONE;
}

static bool waits_alike(const sass_split *s, const sass_split *like)
{
    return s->state == like->state && (s->state != SPLIT_MEETS || s->members == like->members);
}

/* Splits of these lanes that wait as `like` does, at the same place, become one that goes on behind
 * it. */
static void go_on(ptx_warp *w, uint32_t lanes, sass_split like)
{
    for (uint32_t i = 0; i < w->splits; i++) {
        sass_split *s = &w->split[i];
        if (!(s->mask & lanes) || !waits_alike(s, &like))
            continue;
        for (uint32_t k = i + 1; k < w->splits; k++) {
            sass_split *other = &w->split[k];
            if (other->mask & lanes && other->pc == s->pc && waits_alike(other, &like)) {
                s->mask |= other->mask;
                other->mask = 0;
            }
        }
        s->state = SPLIT_RUNS;
        s->pc++;
    }
}

/* Lanes that wait as `like` does: of those at a BSYNC, for the same barrier. */
static uint32_t waiting(const ptx_warp *w, sass_split like)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->splits; i++)
        if (waits_alike(&w->split[i], &like))
            lanes |= w->split[i].mask;
    return lanes;
}

/* All of the warp's lanes wait at one CTA barrier: the warp does. */
static void wait_for_cta(ptx_warp *w)
{
    const ptx_op *op = &w->kernel->op[w->split[0].pc];
    const uint32_t lane = (uint32_t)__builtin_ctz(w->split[0].mask);
    w->barrier = ((const uint32_t *)lanes_of(w, op->r[0]))[lane];
    w->barrier_threads = op->refs > 1 ? ((const uint32_t *)lanes_of(w, op->r[1]))[lane] : 0;
    w->barrier_op = w->split[0].pc;
    if (w->barrier > 15 || w->barrier_threads % LANES) {
        gmptx_fault_at(w, op, LANES, GMPTX_FAULT_INSTRUCTION);
        return;
    }
    if (w->cta->sink) {
        const gmtrace_record record = {.instr = w->barrier_op,
                                       .mask = w->live,
                                       .kind = GMTRACE_BARRIER,
                                       .address = w->barrier,
                                       .aux = w->barrier_threads};
        gmptx_record(w, op, &record, NULL);
    }
    go_on(w, w->live, (sass_split){.state = SPLIT_WAITS});
    w->state = WARP_WAITS;
}

/* After lanes have come, left, or ended: who waited for them goes on. */
static void release(ptx_warp *w)
{
    for (uint32_t i = 0; i < w->splits; i++) {
        const sass_split *s = &w->split[i];
        if (!s->mask)
            continue;
        if (s->state == SPLIT_MEETS) {
            const uint32_t members = barrier_masks(w, s->members)[__builtin_ctz(s->mask)] & w->live;
            if (!(members & ~waiting(w, *s)))
                go_on(w, members | s->mask, *s);
        } else if (s->state == SPLIT_SYNCS && !(s->members & w->live & ~waiting(w, *s))) {
            go_on(w, s->members | s->mask, *s);
        }
    }
    drop_empty(w);
    if (w->splits && waiting(w, (sass_split){.state = SPLIT_WAITS}) == w->live)
        wait_for_cta(w);
}

/* The split that runs next: the last one that may. */
static bool choose(ptx_warp *w, bool other)
{
    for (uint32_t n = 1; n <= w->splits; n++) {
        const uint32_t i = (w->running + w->splits - (other ? n : n - 1)) % w->splits;
        if (w->split[i].state == SPLIT_RUNS) {
            w->running = i;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------ execution */

/* `away` go to `target`, the others on, and run first. */
static void part(ptx_warp *w, uint32_t away, uint32_t target)
{
    sass_split *s = running(w);
    if (away == s->mask) {
        s->pc = target;
        return;
    }
    s->pc++;
    if (!away)
        return;
    s->mask &= ~away;
    /* there are never more splits than lanes */
    w->split[w->splits++] = (sass_split){.pc = target, .mask = away};
}

static void do_return(ptx_warp *w, const ptx_op *op, uint32_t mask)
{
    uint64_t to[LANES];
    wide_of(w, op, 0, to);
    while (mask) {
        const uint64_t target = to[__builtin_ctz(mask)];
        uint32_t same = 0;
        for (unsigned i = 0; i < LANES; i++)
            same |= (uint32_t)(mask >> i & 1 && to[i] == target) << i;
        if (target % 16 || target / 16 >= w->kernel->op_count) {
            gmptx_fault_at(w, op, (unsigned)__builtin_ctz(same), GMPTX_FAULT_INSTRUCTION);
            return;
        }
        mask &= ~same;
        sass_split *s = running(w);
        if (s->mask == same) {
            s->pc = (uint32_t)(target / 16);
            return;
        }
        s->mask &= ~same;
        w->split[w->splits++] = (sass_split){.pc = (uint32_t)(target / 16), .mask = same};
    }
    running(w)->pc++; /* of those whose guard did not hold */
}

static void leave_region(ptx_warp *w, uint32_t number, uint32_t mask)
{
    uint32_t *masks = barrier_masks(w, number);
    for (unsigned i = 0; i < LANES; i++)
        if (!(mask >> i & 1))
            masks[i] &= ~mask;
}

static void record_sync(ptx_warp *w, const ptx_op *op, uint32_t mask, uint32_t members)
{
    if (!w->cta->sink)
        return;
    const gmtrace_record record = {.instr = (uint32_t)(op - w->kernel->op),
                                   .mask = mask,
                                   .aux = members,
                                   .kind = GMTRACE_SYNCWARP};
    gmptx_record(w, op, &record, NULL);
}

static void step(ptx_warp *w, const ptx_op *op, uint32_t mask)
{
    sass_split *s = running(w);
    const uint32_t active = s->mask;
    if (op->control < (uint8_t)GO_SYNC || op->control > (uint8_t)GO_BARRIER)
        record_exec(w, op, mask);
    switch ((sass_control)op->control) {
    case GO_BRANCH:
        part(w, op->refs ? mask & predicate_of(w, op, 0) : mask, op->target);
        return;
    case GO_BRANCH_DIVERGED:
    case GO_BRANCH_CONVERGED: {
        const uint32_t *wanted = lanes_of(w, op->r[0]);
        const bool whole = !(wanted[0] & w->live & ~active);
        part(w, whole == (op->control == (uint8_t)GO_BRANCH_CONVERGED) ? mask : 0, op->target);
        return;
    }
    case GO_ENTER:
        for (unsigned i = 0; i < LANES; i++)
            if (mask >> i & 1)
                barrier_masks(w, op->imm)[i] = mask;
        s->pc++;
        return;
    case GO_MEET:
        s->members = op->imm;
        s->state = SPLIT_MEETS;
        break;
    case GO_LEAVE:
        leave_region(w, op->imm, op->refs ? mask & predicate_of(w, op, 0) : mask);
        s->pc++;
        break;
    case GO_SYNC:
    case GO_SYNC_ALL:
        s->members = op->control == (uint8_t)GO_SYNC
                         ? ((const uint32_t *)lanes_of(w, op->r[0]))[__builtin_ctz(mask)]
                         : ALL_LANES;
        s->state = SPLIT_SYNCS;
        record_sync(w, op, mask, s->members);
        break;
    case GO_BARRIER:
        s->state = SPLIT_WAITS;
        break;
    case GO_CALL:
        part(w, mask, op->target);
        return;
    case GO_RETURN:
        do_return(w, op, mask);
        return;
    case GO_EXIT:
        w->live &= ~mask;
        s->mask &= ~mask;
        s->pc++;
        break;
    case GO_YIELD:
        s->pc++;
        choose(w, true);
        return;
    case GO_TRAP:
        gmptx_fault_at(w, op, (unsigned)__builtin_ctz(mask), GMPTX_FAULT_TRAP);
        return;
    }
    release(w);
}

/* Of an instruction whose predicate holds for no lane. */
static void record_skipped(ptx_warp *w, const ptx_op *op, uint32_t active)
{
    if (!w->cta->sink)
        return;
    const gmtrace_record record = {
        .instr = (uint32_t)(op - w->kernel->op), .mask = active, .aux = 1, .kind = GMTRACE_EXEC};
    gmptx_record(w, op, &record, NULL);
}

void gmsass_run_warp(ptx_warp *w, uint64_t slice)
{
    ptx_cta *cta = w->cta;
    const ptx_op *ops = w->kernel->op;
    uint64_t executed = 0, threads = 0;
    while (w->state == WARP_RUNS && executed < slice && cta->fault.kind == GMPTX_FAULT_NONE) {
        sass_split *s = running(w);
        if (s->state != SPLIT_RUNS) {
            if (!choose(w, true))
                gmptx_fault_of(w, s->pc, GMPTX_FAULT_BARRIER);
            continue;
        }
        if (s->pc >= w->kernel->op_count) {
            gmptx_fault_of(w, 0, GMPTX_FAULT_INSTRUCTION);
            break;
        }
        const ptx_op *op = &ops[s->pc];
        uint32_t mask = s->mask;
        executed++;
        if (op->guard != REF_NONE) {
            const uint32_t p = *mask_of(w, op->guard);
            mask &= op->guard_negated ? ~p : p;
        } else if (op->guard_negated) {
            mask = 0; /* !PT */
        }
        if (!mask) {
            record_skipped(w, op, s->mask);
            s->pc++;
            continue;
        }
        threads += mask == ALL_LANES ? LANES : (uint64_t)__builtin_popcount(mask);
        if (op->control <= CONTROL_MEMORY) {
            w->active = op->flags & SASS_IS_UNIFORM ? ALL_LANES : mask;
            op->run(w, op);
            if (op->control == CONTROL_NONE)
                record_exec(w, op, mask);
            s->pc++;
        } else {
            step(w, op, mask);
        }
    }
    if (w->state == WARP_PAUSES || (w->state == WARP_RUNS && executed >= slice))
        choose(w, true); /* a split may wait for another one in memory */
    cta->instructions += executed;
    cta->thread_instructions += threads;
}

void gmsass_start_warp(ptx_warp *w)
{
    w->split[0] = (sass_split){.mask = w->live};
    w->splits = 1;
    w->running = 0;
}

/* ------------------------------------------------------------------------------------- decoding */

static bool goes(sass_builder *b, sass_control what)
{
    b->op->control = (uint8_t)what;
    return true;
}
static bool take_label(sass_builder *b)
{
    if (gmsass_peek(b)->kind != SASS_LABEL || b->op->target == GMTRACE_NO_INSTR)
        return false;
    b->next++;
    return true;
}
static bool take_number(sass_builder *b)
{
    const sass_operand *o = gmsass_peek(b);
    b->op->imm = o->number;
    b->next++;
    return o->kind == SASS_BARRIER && o->number < 16;
}

static bool make_bra(sass_builder *b)
{
    const bool diverged = sass_take(&b->in, SASS_WORD_DIV),
               whole = sass_take(&b->in, SASS_WORD_CONV);
    sass_take(&b->in, SASS_WORD_U);
    if (diverged || whole)
        gmsass_source(b, 1);
    else if (gmsass_at_predicate(b))
        gmsass_predicate(b);
    return take_label(b) && goes(b, diverged ? GO_BRANCH_DIVERGED
                                    : whole  ? GO_BRANCH_CONVERGED
                                             : GO_BRANCH);
}
static bool make_bssy(sass_builder *b)
{
    return take_number(b) && take_label(b) && goes(b, GO_ENTER);
}
static bool make_bsync(sass_builder *b)
{
    return take_number(b) && goes(b, GO_MEET);
}
static bool make_break(sass_builder *b)
{
    if (gmsass_at_predicate(b))
        gmsass_predicate(b);
    return take_number(b) && goes(b, GO_LEAVE);
}
static bool make_exit(sass_builder *b)
{
    return goes(b, GO_EXIT);
}
static bool make_warpsync(sass_builder *b)
{
    if (sass_take(&b->in, SASS_WORD_ALL))
        return goes(b, GO_SYNC_ALL);
    const bool collective = sass_take(&b->in, SASS_WORD_COLLECTIVE);
    gmsass_source(b, 1);
    return (!collective || take_label(b)) && goes(b, GO_SYNC);
}
static bool make_bar(sass_builder *b)
{
    sass_take(&b->in, SASS_WORD_DEFER_BLOCKING);
    if (!sass_take(&b->in, SASS_WORD_SYNC))
        return false;
    gmsass_source(b, 1);
    if (b->next < b->in.count)
        gmsass_source(b, 1);
    return goes(b, GO_BARRIER);
}
static bool make_call(sass_builder *b)
{
    sass_take(&b->in, SASS_WORD_NOINC);
    return sass_take(&b->in, SASS_WORD_REL) && take_label(b) && goes(b, GO_CALL);
}
/* RET R2 `(kernel): the register counts from the start of the code. */
static bool make_ret(sass_builder *b)
{
    sass_take(&b->in, SASS_WORD_NODEC);
    if (!sass_take(&b->in, SASS_WORD_REL))
        return false;
    gmsass_source(b, 2);
    if (gmsass_peek(b)->kind != SASS_LABEL)
        return false;
    b->next++;
    return goes(b, GO_RETURN);
}
static bool make_yield(sass_builder *b)
{
    b->next = b->in.count; /* for how long does not matter */
    return goes(b, GO_YIELD);
}
static bool make_bpt(sass_builder *b)
{
    b->next = b->in.count;
    return sass_take(&b->in, SASS_WORD_TRAP) && goes(b, GO_TRAP);
}
static bool make_nop(sass_builder *b)
{
    b->op->run = gmptx_run_nothing;
    return true;
}

const sass_row gmsass_control_rows[] = {
    {SASS_BRA, make_bra},           {SASS_BSSY, make_bssy},       {SASS_BSYNC, make_bsync},
    {SASS_BREAK, make_break},       {SASS_EXIT, make_exit},       {SASS_WARPSYNC, make_warpsync},
    {SASS_BAR, make_bar},           {SASS_CALL, make_call},       {SASS_RET, make_ret},
    {SASS_YIELD, make_yield},       {SASS_NANOSLEEP, make_yield}, {SASS_BPT, make_bpt},
    {SASS_ENDCOLLECTIVE, make_nop}, {SASS_NOP, make_nop},         {SASS_NOP, NULL},
};
