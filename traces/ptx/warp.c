/* SPDX-License-Identifier: MIT
 *
 * warp.c - the loop that executes a warp's operations, and its SIMT stack: branches, calls,
 * returns, barriers.
 */
#include "traces/ptx/exec.h"

#include <stdlib.h>

#define MAX_DEPTH 4096u /* entries of the stack */

static ptx_entry *top_of(const ptx_warp *w)
{
    return &w->entry[w->entries - 1];
}

static bool push(ptx_warp *w, uint32_t pc, uint32_t meet, uint32_t mask)
{
    if (w->entries == w->entry_room) {
        const uint32_t room = w->entry_room ? w->entry_room * 2 : 32;
        ptx_entry *entry = room <= MAX_DEPTH ? realloc(w->entry, room * sizeof *entry) : NULL;
        if (!entry)
            return false;
        w->entry = entry;
        w->entry_room = room;
    }
    w->entry[w->entries++] = (ptx_entry){pc, meet, mask};
    return true;
}

static void set_frame(ptx_warp *w)
{
    const ptx_frame *f = &w->frame[w->frames - 1];
    w->base[PTX_FILE_FRAME] = w->registers + f->reg;
    w->frame_stack = f->stack;
    w->frame_local = f->local;
}

/* Drops entries that have no lanes left or stand where they meet the one below; frames go with
 * the entry that their call made. */
static void settle(ptx_warp *w)
{
    while (w->entries) {
        const ptx_entry *e = top_of(w);
        if (e->mask && (e->pc != e->meet || e->meet == PTX_UNKNOWN))
            break;
        w->entries--;
        if (w->frames > 1 && w->frame[w->frames - 1].entry == w->entries) {
            w->frames--;
            set_frame(w);
        }
    }
    if (!w->entries)
        w->state = WARP_DONE;
}

/* Lanes leave the warp, or return from the running function (down to its frame's entry). */
static void drop_lanes(ptx_warp *w, uint32_t mask, uint32_t down_to)
{
    for (uint32_t i = down_to; i < w->entries; i++)
        w->entry[i].mask &= ~mask;
}

static void leave(ptx_warp *w, uint32_t mask)
{
    w->live &= ~mask;
    drop_lanes(w, mask, 0);
    settle(w);
}

static void copy_slots(ptx_warp *w, uint32_t mask, uint32_t to, uint32_t from, uint32_t bytes)
{
    const uint64_t step = w->kernel->stack_bytes;
    for (; mask; mask &= mask - 1) {
        uint8_t *lane = w->stack + (uint64_t)__builtin_ctz(mask) * step;
        memcpy(lane + to, lane + from, bytes);
    }
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void do_return(ptx_warp *w, uint32_t mask)
{
    if (w->frames == 1) {
        leave(w, mask);
        return;
    }
    const ptx_frame *f = &w->frame[w->frames - 1], *caller = &w->frame[f->caller];
    const ptx_image_function *callee = &w->kernel->image[f->image];
    const ptx_call *call = &w->kernel->call[w->kernel->op[f->call].first];
    const ptx_function *function = &w->kernel->module->function[callee->function];
    for (uint32_t i = 0; i < call->result_count && i < function->result_count; i++) {
        const ptx_slot *to = &call->argument[call->argument_count + i];
        const ptx_slot *from = &callee->param[function->param_count + i];
        copy_slots(w, mask, caller->stack + to->offset, f->stack + from->offset,
                   smaller(to->size, from->size));
    }
    drop_lanes(w, mask, f->entry);
    settle(w);
}

/* The new frame lies above all others; the caller's need not be the last where lanes of one call
 * go to different functions. */
static bool do_call(ptx_warp *w, const ptx_op *op, uint32_t image, uint32_t mask, uint32_t by)
{
    const ptx_kernel *k = w->kernel;
    const ptx_frame caller = w->frame[by], last = w->frame[w->frames - 1];
    const ptx_image_function *from = &k->image[last.image], *to = &k->image[image];
    const ptx_frame f = {.entry = w->entries,
                         .image = image,
                         .caller = by,
                         .call = (uint32_t)(op - k->op),
                         .reg = last.reg + from->frame_bytes,
                         .stack = last.stack + from->stack_bytes,
                         .local = last.local + from->local_bytes};
    const bool fits = f.reg + (uint64_t)to->frame_bytes <= k->register_bytes &&
                      f.stack + (uint64_t)to->stack_bytes <= k->stack_bytes &&
                      f.local + (uint64_t)to->local_bytes <= k->local_bytes;
    if (fits && w->frames == w->frame_room) {
        ptx_frame *frame = realloc(w->frame, w->frame_room * 2 * sizeof *frame);
        if (frame) {
            w->frame = frame;
            w->frame_room *= 2;
        }
    }
    if (!fits || w->frames == w->frame_room || !push(w, to->first, PTX_UNKNOWN, mask)) {
        gmptx_fault_at(w, op, LANES, GMPTX_FAULT_OTHER);
        return false;
    }
    const ptx_call *call = &k->call[op->first];
    const ptx_function *function = &k->module->function[to->function];
    for (uint32_t i = 0; i < call->argument_count && i < function->param_count; i++)
        copy_slots(w, mask, f.stack + to->param[i].offset, caller.stack + call->argument[i].offset,
                   smaller(to->param[i].size, call->argument[i].size));
    w->frame[w->frames++] = f;
    return true;
}

/* A frame for each function called, one above the other; all but the topmost wait. */
static void call_indirect(ptx_warp *w, const ptx_op *op, uint32_t mask)
{
    uint64_t value[LANES];
    const uint32_t by = w->frames - 1;
    memcpy(value, lanes_of(w, op->r[0]), sizeof value);
    for (uint32_t left = mask; left;) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t function = value[lane] - PTX_FUNCTION_WINDOW;
        uint32_t group = 0;
        for (unsigned i = 0; i < LANES; i++)
            group |= (left >> i & 1 && value[i] == value[lane]) ? 1u << i : 0;
        if (function >= w->kernel->module->function_count ||
            w->kernel->image_of[function] == PTX_UNKNOWN) {
            gmptx_fault_at(w, op, lane, GMPTX_FAULT_INSTRUCTION);
            return;
        }
        if (!do_call(w, op, w->kernel->image_of[function], group, by))
            return;
        left &= ~group;
    }
    set_frame(w);
}

static void branch(ptx_warp *w, const ptx_op *op, uint32_t taken, uint32_t fall)
{
    ptx_entry *e = top_of(w);
    if (!fall || !taken) {
        e->pc = fall ? e->pc + 1 : op->target;
        return;
    }
    const uint32_t next = e->pc + 1, meet = op->reconverge, outer = e->meet;
    if (meet == PTX_UNKNOWN || meet == outer) {
        /* the entry below waits for both, or nothing does */
        const uint32_t stays = meet == PTX_UNKNOWN ? outer : meet;
        *e = (ptx_entry){next, stays, fall};
        if (stays != PTX_UNKNOWN && next == stays)
            *e = (ptx_entry){op->target, stays, taken};
        else if (stays == PTX_UNKNOWN || op->target != stays)
            if (!push(w, op->target, stays, taken))
                gmptx_fault_at(w, op, LANES, GMPTX_FAULT_OTHER);
        return;
    }
    e->pc = meet;
    if ((next != meet && !push(w, next, meet, fall)) ||
        (op->target != meet && !push(w, op->target, meet, taken)))
        gmptx_fault_at(w, op, LANES, GMPTX_FAULT_OTHER);
}

static void branch_index(ptx_warp *w, const ptx_op *op, uint32_t mask)
{
    const uint32_t *index = lanes_of(w, op->r[0]);
    const uint32_t meet = op->reconverge;
    uint32_t to[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        if (index[i] >= op->count) {
            gmptx_fault_at(w, op, i, GMPTX_FAULT_INSTRUCTION);
            return;
        }
        to[i] = w->kernel->target[op->first + index[i]];
    }
    ptx_entry *e = top_of(w);
    const uint32_t outer = e->meet;
    const uint32_t stays = meet == PTX_UNKNOWN ? outer : meet;
    const uint32_t base = w->entries - 1;
    if (meet == PTX_UNKNOWN || meet == outer)
        w->entries--; /* its lanes go into the entries pushed below */
    else
        e->pc = meet;
    for (uint32_t left = mask; left;) {
        const uint32_t target = to[__builtin_ctz(left)];
        uint32_t group = 0;
        for (unsigned i = 0; i < LANES; i++)
            group |= (left >> i & 1 && to[i] == target) ? 1u << i : 0;
        left &= ~group;
        if ((stays != PTX_UNKNOWN && target == stays) && !(w->entries == base && !left && !base))
            continue;
        if (!push(w, target, stays, group)) {
            gmptx_fault_at(w, op, LANES, GMPTX_FAULT_OTHER);
            return;
        }
    }
    settle(w);
}

static void barrier(ptx_warp *w, const ptx_op *op, uint32_t mask)
{
    w->barrier = ((const uint32_t *)lanes_of(w, op->r[op->writes]))[__builtin_ctz(mask)];
    w->barrier_threads =
        op->imm & 1 ? ((const uint32_t *)lanes_of(w, op->r[op->writes + 1]))[__builtin_ctz(mask)]
                    : 0;
    w->barrier_op = (uint32_t)(op - w->kernel->op);
    if (mask != w->live) {
        gmptx_fault_at(w, op, (unsigned)__builtin_ctz(w->live & ~mask), GMPTX_FAULT_BARRIER);
        return;
    }
    if (w->barrier > 15 || w->barrier_threads % LANES) {
        gmptx_fault_at(w, op, LANES, GMPTX_FAULT_INSTRUCTION);
        return;
    }
    if (w->cta->sink) {
        const gmtrace_record record = {.instr = w->barrier_op,
                                       .mask = mask,
                                       .kind = GMTRACE_BARRIER,
                                       .address = w->barrier,
                                       .aux = w->barrier_threads};
        gmptx_record(w, op, &record, NULL);
    }
    top_of(w)->pc++;
    w->state = WARP_WAITS;
}

static void control(ptx_warp *w, const ptx_op *op, uint32_t active, uint32_t mask)
{
    ptx_entry *e = top_of(w);
    switch ((ptx_control)op->control) {
    case CONTROL_BRANCH:
        record_exec(w, op, active);
        branch(w, op, mask, active & ~mask);
        break;
    case CONTROL_BRANCH_RETURN:
        record_exec(w, op, active);
        e->pc++;
        if (mask)
            do_return(w, mask);
        break;
    case CONTROL_BRANCH_INDEX:
        record_exec(w, op, active);
        branch_index(w, op, mask);
        break;
    case CONTROL_RETURN:
        record_exec(w, op, mask);
        e->pc++;
        do_return(w, mask);
        break;
    case CONTROL_EXIT:
        record_exec(w, op, mask);
        e->pc++;
        leave(w, mask);
        break;
    case CONTROL_CALL:
        record_exec(w, op, mask);
        e->pc++;
        if (do_call(w, op, op->target, mask, w->frames - 1))
            set_frame(w);
        break;
    case CONTROL_CALL_INDIRECT:
        record_exec(w, op, mask);
        e->pc++;
        call_indirect(w, op, mask);
        break;
    case CONTROL_CALL_PRINT:
        record_exec(w, op, mask);
        e->pc++;
        if (!gmptx_print(w, op))
            gmptx_fault_at(w, op, LANES, GMPTX_FAULT_OTHER);
        break;
    case CONTROL_CALL_MALLOC:
    case CONTROL_CALL_FREE:
        record_exec(w, op, mask);
        e->pc++;
        gmptx_call_heap(w, op);
        break;
    case CONTROL_BARRIER:
        barrier(w, op, mask);
        break;
    default:
        gmptx_fault_at(w, op, (unsigned)__builtin_ctz(mask), GMPTX_FAULT_TRAP);
    }
}

/* What runs between two operations that end a stretch: a way out of a warp's topmost entry, its
 * meeting, a warp that waits, fails, or has had its slice. Within it lanes change by guards alone.
 */
typedef struct stretch {
    uint64_t executed, threads;
} stretch;

static inline unsigned lanes_in(uint32_t mask)
{
    return mask == ALL_LANES ? LANES : (unsigned)__builtin_popcount(mask);
}

static void run_stretch(ptx_warp *w, uint64_t slice, stretch *count)
{
    ptx_entry *e = top_of(w);
    const ptx_cta *cta = w->cta;
    const ptx_op *const ops = w->kernel->op, *op = ops + e->pc;
    const uint32_t active = e->mask, meet = e->meet;
    const unsigned lanes = lanes_in(active);
    const bool traced = cta->sink != NULL;
    uint64_t executed = count->executed, threads = count->threads;
    do {
        uint32_t mask = active;
        if (op->guard != REF_NONE) {
            const uint32_t p = *mask_of(w, op->guard);
            mask &= op->guard_negated ? ~p : p;
        }
        executed++;
        if (op->control > CONTROL_MEMORY &&
            (mask || op->control == CONTROL_BRANCH || op->control == CONTROL_BRANCH_RETURN)) {
            threads += lanes_in(mask);
            w->active = mask;
            e->pc = (uint32_t)(op - ops);
            control(w, op, active, mask);
            if (w->entries)
                settle(w);
            goto out;
        }
        if (mask) {
            threads += mask == active ? lanes : lanes_in(mask);
            w->active = mask;
            op->run(w, op);
            if (traced && op->control == CONTROL_NONE)
                record_exec(w, op, mask);
        }
        op++;
        if ((uint32_t)(op - ops) == meet) {
            e->pc = meet;
            settle(w);
            goto out;
        }
    } while (executed < slice && w->state == WARP_RUNS && cta->fault.kind == GMPTX_FAULT_NONE);
    e->pc = (uint32_t)(op - ops);
out:
    *count = (stretch){executed, threads};
}

void gmptx_run_warp(ptx_warp *w, uint64_t slice)
{
    ptx_cta *cta = w->cta;
    stretch count = {0};
    while (w->state == WARP_RUNS && count.executed < slice && cta->fault.kind == GMPTX_FAULT_NONE)
        run_stretch(w, slice, &count);
    cta->instructions += count.executed;
    cta->thread_instructions += count.threads;
}
