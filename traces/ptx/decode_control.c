/* SPDX-License-Identifier: MIT
 *
 * decode_control.c - branches, calls, returns, barriers, fences.
 */
#include "traces/ptx/decode.h"
#include "traces/ptx/parser.h"

#include <stdlib.h>

static bool decode_branch(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    const ptx_operand *to = gmptx_operand(d, 0);
    gmptx_take(parts, "uni");
    if (!to || to->kind != OPERAND_LABEL || to->value != NAME_LABEL)
        return gmptx_bad_operand(d, 0);
    op->control = CONTROL_BRANCH;
    op->target = d->image->first + to->index;
    op->op_class = GMTRACE_CLASS_BRANCH;
    return true;
}

static bool decode_branch_index(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    const ptx_operand *index = gmptx_operand(d, 0), *to = gmptx_operand(d, 1);
    ptx_kernel *k = d->kernel;
    ptx_ref ref;
    gmptx_take(parts, "uni");
    if (!gmptx_take(parts, "idx"))
        return gmptx_unsupported(d);
    if (op->guard != REF_NONE)
        return gmptx_unsupported(d);
    if (!to || to->kind != OPERAND_LABEL || to->value != NAME_BRANCHES)
        return gmptx_bad_operand(d, 1);
    if (!gmptx_place(d, index, 4, PTX_U32, &ref) || !gmptx_add_ref(op, ref))
        return gmptx_bad_operand(d, 0);
    const ptx_branch_list *list = &d->function->branch_list[to->index];
    op->control = CONTROL_BRANCH_INDEX;
    op->op_class = GMTRACE_CLASS_BRANCH;
    op->first = k->target_count;
    op->count = list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!GMT_GROW(k->target, k->target_count))
            return gmptx_fail(d->error, GMTRACE_MEMORY, d->statement->line, "out of memory");
        k->target[k->target_count++] = d->image->first + d->function->target[list->first + i];
    }
    return true;
}

/* Adds the slots of a list of .param variables of this call. */
static bool add_slots(ptx_decoder *d, ptx_call *call, const ptx_operand *list, uint32_t at)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        const ptx_operand *e = gmptx_element(d, list, i);
        const gmptx_module *m = d->module;
        if (e->kind != OPERAND_SYMBOL || m->symbol[e->index].is_function ||
            m->variable[m->symbol[e->index].index].space != PTX_SPACE_PARAM || e->value)
            return gmptx_fail(d->error, GMTRACE_UNSUPPORTED, d->statement->line,
                              "a call's argument that is no .param variable is not supported");
        const ptx_variable *v = &m->variable[m->symbol[e->index].index];
        call->argument[at + i] = (ptx_slot){(uint32_t)v->offset, (uint32_t)v->size};
    }
    return true;
}

/* malloc(bytes), free(address). Which lane gets which memory depends on who comes first. */
static bool decode_heap(ptx_decoder *d, ptx_op *op, const ptx_call *call, bool gives)
{
    d->kernel->order_matters = d->kernel->info.allocates = true;
    op->control = gives ? CONTROL_CALL_MALLOC : CONTROL_CALL_FREE;
    return (call->argument_count == 1 && call->result_count == gives &&
            call->argument[0].size == 8 && (!gives || call->argument[1].size == 8)) ||
           gmptx_bad_operand(d, 0);
}

static bool decode_call(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    ptx_kernel *k = d->kernel;
    unsigned number = 0;
    gmptx_take(parts, "uni");
    const ptx_operand *results = NULL, *arguments = NULL, *o = gmptx_operand(d, 0);
    if (o && o->kind == OPERAND_VECTOR) {
        results = o;
        o = gmptx_operand(d, ++number);
    }
    const ptx_operand *callee = o;
    o = gmptx_operand(d, ++number);
    if (o && o->kind == OPERAND_VECTOR) {
        arguments = o;
        number++;
    }
    if (!callee ||
        (number < gmptx_operand_count(d) && (gmptx_operand(d, number)->kind != OPERAND_LABEL ||
                                             gmptx_operand(d, number)->value != NAME_PROTOTYPE)))
        return gmptx_bad_operand(d, number);
    if (!GMT_GROW(k->call, k->call_count))
        return gmptx_fail(d->error, GMTRACE_MEMORY, d->statement->line, "out of memory");
    op->op_class = GMTRACE_CLASS_CALL;
    op->first = k->call_count;
    ptx_call *call = &k->call[k->call_count];
    *call = (ptx_call){arguments ? arguments->count : 0, results ? results->count : 0, NULL};
    call->argument =
        calloc((size_t)call->argument_count + call->result_count + 1, sizeof *call->argument);
    if (!call->argument)
        return gmptx_fail(d->error, GMTRACE_MEMORY, d->statement->line, "out of memory");
    k->call_count++;
    if (!add_slots(d, call, arguments, 0) || !add_slots(d, call, results, call->argument_count))
        return false;
    if (callee->kind == OPERAND_REGISTER) {
        ptx_ref ref;
        op->control = CONTROL_CALL_INDIRECT;
        return (gmptx_place(d, callee, 8, PTX_U64, &ref) && gmptx_add_ref(op, ref)) ||
               gmptx_bad_operand(d, number);
    }
    if (callee->kind != OPERAND_SYMBOL || !d->module->symbol[callee->index].is_function)
        return gmptx_bad_operand(d, number);
    const uint32_t function = d->module->symbol[callee->index].index;
    const ptx_function *f = &d->module->function[function];
    op->control = CONTROL_CALL;
    op->target = k->image_of[function];
    if (slice_is(f->name, "vprintf")) {
        op->control = CONTROL_CALL_PRINT;
        for (uint32_t i = 0; i < call->argument_count; i++)
            if (call->argument[i].size != 8)
                return gmptx_bad_operand(d, number);
        return call->argument_count == 2 || gmptx_bad_operand(d, number);
    }
    if (slice_is(f->name, "__assertfail")) {
        op->control = CONTROL_CALL_ASSERT;
        return true;
    }
    if (op->target == PTX_UNKNOWN && (slice_is(f->name, "malloc") || slice_is(f->name, "free")))
        return decode_heap(d, op, call, slice_is(f->name, "malloc"));
    return op->target != PTX_UNKNOWN ||
           gmptx_fail(d->error, GMTRACE_UNSUPPORTED, d->statement->line,
                      "function %.*s is called but has no body", SLICE(f->name));
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.popc.u32 d, a{, b}, {!}p. Lanes of a warp come
 * together: also barrier.sync, which PTX would allow apart. */
static bool decode_barrier(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    unsigned number = 0, sources = gmptx_operand_count(d);
    ptx_ref ref;
    gmptx_take(parts, "cta");
    gmptx_take(parts, "aligned");
    op->op_class = GMTRACE_CLASS_BARRIER;
    if (gmptx_take(parts, "warp")) {
        if (!gmptx_take(parts, "sync"))
            return gmptx_unsupported(d);
        op->control = CONTROL_MEMORY;
        op->op_class = GMTRACE_CLASS_RECONVERGE;
        op->run = gmptx_run_sync_warp;
        return (gmptx_place(d, gmptx_operand(d, 0), 4, PTX_U32, &ref) && gmptx_add_ref(op, ref)) ||
               gmptx_bad_operand(d, 0);
    }
    op->control = CONTROL_BARRIER;
    if (gmptx_take(parts, "red")) {
        const bool count = gmptx_take(parts, "popc");
        op->mode = count ? '+' : gmptx_take(parts, "and") ? '&' : gmptx_take(parts, "or") ? '|' : 0;
        if (!op->mode || !gmptx_take(parts, count ? "u32" : "pred"))
            return gmptx_unsupported(d);
        if (!gmptx_place_result(d, gmptx_operand(d, 0), count ? 4 : 0, &ref) ||
            !gmptx_add_ref(op, ref))
            return gmptx_bad_operand(d, 0);
        op->writes = 1;
        number = 1;
        sources--;
        const ptx_operand *p = gmptx_operand(d, gmptx_operand_count(d) - 1);
        if (p && p->negated)
            op->flags |= PTX_FLAG_NEGATED;
        sources--;
    } else if (!gmptx_take(parts, "sync")) {
        return gmptx_unsupported(d); /* arrive */
    }
    if (sources < 1 || sources > 2)
        return gmptx_bad_operand(d, number);
    op->imm = sources == 2;
    for (unsigned i = 0; i < sources; i++, number++)
        if (!gmptx_place(d, gmptx_operand(d, number), 4, PTX_U32, &ref) || !gmptx_add_ref(op, ref))
            return gmptx_bad_operand(d, number);
    if (op->mode &&
        (!gmptx_place(d, gmptx_operand(d, number), 0, PTX_PRED, &ref) || !gmptx_add_ref(op, ref)))
        return gmptx_bad_operand(d, number);
    return true;
}

static bool decode_fence(ptx_op *op, ptx_parts *parts)
{
    static const char *const words[] = {"cta",         "gl",      "sys",     "gpu",
                                        "sc",          "acq_rel", "acquire", "release",
                                        "cluster",     "proxy",   "async",   "mbarrier_init",
                                        "shared::cta", "global"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        gmptx_take(parts, words[i]);
    op->run = gmptx_run_nothing;
    op->op_class = GMTRACE_CLASS_FENCE;
    return true;
}

bool gmptx_decode_control(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known)
{
    const ptx_slice base = parts->part[0];
    *known = true;
    if (slice_is(base, "bra"))
        return decode_branch(d, op, parts);
    if (slice_is(base, "brx"))
        return decode_branch_index(d, op, parts);
    if (slice_is(base, "call"))
        return decode_call(d, op, parts);
    if (slice_is(base, "bar") || slice_is(base, "barrier"))
        return decode_barrier(d, op, parts);
    if (slice_is(base, "mbarrier"))
        return gmptx_decode_mbarrier(d, op, parts);
    if (slice_is(base, "membar") || slice_is(base, "fence"))
        return decode_fence(op, parts);
    if (slice_is(base, "ret")) {
        gmptx_take(parts, "uni");
        const bool entry = d->function->is_entry;
        op->control = entry ? CONTROL_EXIT : CONTROL_RETURN;
        op->op_class = entry ? GMTRACE_CLASS_EXIT : GMTRACE_CLASS_RETURN;
        return true;
    }
    if (slice_is(base, "exit")) {
        op->control = CONTROL_EXIT;
        op->op_class = GMTRACE_CLASS_EXIT;
        return true;
    }
    if (slice_is(base, "trap") || slice_is(base, "brkpt")) {
        op->control = CONTROL_TRAP;
        return true;
    }
    if (slice_is(base, "nanosleep") || slice_is(base, "pmevent")) {
        gmptx_take(parts, "u32");
        op->run = gmptx_run_nothing;
        return true;
    }
    *known = false;
    return true;
}
