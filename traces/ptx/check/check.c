/* SPDX-License-Identifier: MIT
 *
 * check.c - see check.h. Places beyond MAX_FOUND are left out, and counted.
 */
#include "traces/ptx/check/check.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_FOUND 64u

enum { OWNED = 1, WRITTEN = 2 }; /* of a byte of shared memory */

typedef struct found {
    gmptx_finding finding;
    uint64_t line;
} found;

struct ptx_check {
    const gmptx_checks *want;
    uint8_t *shared, *fresh; /* of the CTA at hand; of each before it runs */
    uint8_t *local;          /* lanes one after the other; 1: written */
    uint64_t shared_bytes, local_bytes;
    found found[MAX_FOUND];
    uint32_t founds;
};

static void own(ptx_check *c, uint64_t from, uint64_t bytes)
{
    for (uint64_t i = from; i < from + bytes && i < c->shared_bytes; i++)
        c->fresh[i] = OWNED;
}

ptx_check *gmptx_open_check(const gmptx_launch *launch, uint32_t shared_bytes, uint32_t warps)
{
    const ptx_kernel *k = kernel_of(launch->kernel);
    ptx_check *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->want = launch->checks;
    c->shared_bytes = shared_bytes;
    c->local_bytes = k->local_bytes * LANES * warps;
    c->shared = calloc(1, shared_bytes + 1u);
    c->fresh = calloc(1, shared_bytes + 1u);
    c->local = calloc(1, c->local_bytes + 1);
    if (!c->shared || !c->fresh || !c->local) {
        gmptx_close_check(c);
        return NULL;
    }
    for (uint32_t i = 0; i < k->module->variable_count; i++)
        if (k->shared_offset[i] != UINT64_MAX)
            own(c, k->shared_offset[i], k->module->variable[i].size);
    own(c, k->dynamic_start, launch->dynamic_shared);
    return c;
}

void gmptx_close_check(ptx_check *check)
{
    if (!check)
        return;
    free(check->shared);
    free(check->fresh);
    free(check->local);
    free(check);
}

void gmptx_check_begin(ptx_cta *cta)
{
    ptx_check *c = cta->check;
    memcpy(c->shared, c->fresh, c->shared_bytes);
    memset(c->local, 0, c->local_bytes);
}

bool gmptx_check_shared(const ptx_check *c, uint64_t offset, uint64_t bytes)
{
    for (uint64_t i = offset; i < offset + bytes; i++)
        if (!c->shared[i])
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------- findings */

gmptx_side gmptx_side_of(const ptx_cta *cta, uint64_t number, uint32_t warp, uint32_t lane,
                         uint32_t op)
{
    const ptx_kernel *k = cta->kernel;
    const gmptx_launch *l = cta->launch;
    const ptx_statement *s = gmptx_statement_of(k, op);
    const uint32_t thread = warp * LANES + lane;
    gmptx_side side = {
        .block = {(uint32_t)(number % l->grid[0]), (uint32_t)(number / l->grid[0] % l->grid[1]),
                  (uint32_t)(number / l->grid[0] / l->grid[1])},
        .thread = {thread % l->block[0], thread / l->block[0] % l->block[1],
                   thread / l->block[0] / l->block[1]},
    };
    if (s) {
        side.ptx_line = s->line;
        if (s->file < k->module->file_count && k->module->file[s->file]) {
            side.file = k->module->file[s->file];
            side.line = s->source_line;
        }
    }
    return side;
}

uint64_t gmptx_line_of(const ptx_kernel *kernel, uint32_t op)
{
    const ptx_statement *s = gmptx_statement_of(kernel, op);
    return s && s->source_line ? (uint64_t)s->file << 32 | s->source_line
                               : UINT64_MAX - (uint64_t)op;
}

/* The variable that begins last at or below an address of shared or the module's own memory. */
static void name_variable(const ptx_cta *cta, gmptx_finding *f)
{
    const ptx_kernel *k = cta->kernel;
    const gmptx_module *m = k->module;
    const ptx_variable *best = NULL;
    for (uint32_t i = 0; i < m->variable_count; i++) {
        const ptx_variable *v = &m->variable[i];
        uint64_t start;
        if (f->space == GMTRACE_SPACE_SHARED && k->shared_offset[i] != UINT64_MAX)
            start = k->shared_offset[i];
        else if (f->space != GMTRACE_SPACE_SHARED && !v->is_extern &&
                 (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST))
            start = (uint64_t)(uintptr_t)m->memory[v->space == PTX_SPACE_CONST] + v->offset;
        else
            continue;
        const uint64_t size = v->size ? v->size : cta->launch->dynamic_shared;
        if (f->address < start || f->address - start > size + GMPTX_ROOM ||
            (best && f->offset <= f->address - start))
            continue;
        best = v;
        f->offset = f->address - start;
        f->size = size;
        snprintf(f->variable, sizeof f->variable, "%.*s", SLICE(v->name));
    }
}

static void tell(ptx_cta *cta, const gmptx_finding *what, uint32_t warp, uint32_t lane, uint32_t op)
{
    ptx_check *c = cta->check;
    const uint64_t line = gmptx_line_of(cta->kernel, op);
    for (uint32_t i = 0; i < c->founds; i++) {
        found *f = &c->found[i];
        if (f->line == line && f->finding.kind == what->kind && f->finding.space == what->space &&
            f->finding.is_write == what->is_write) {
            f->finding.count++;
            return;
        }
    }
    if (c->founds == MAX_FOUND)
        return;
    found *f = &c->found[c->founds++];
    *f = (found){.finding = *what, .line = line};
    f->finding.kernel = cta->kernel->info.mangled;
    f->finding.count = 1;
    f->finding.at = gmptx_side_of(cta, cta->number, warp, lane, op);
    f->finding.at.is_write = what->is_write;
    name_variable(cta, &f->finding);
}

void gmptx_check_fault(ptx_cta *cta)
{
    const gmptx_fault *fault = &cta->fault;
    const gmptx_finding what = {.kind = fault->kind == GMPTX_FAULT_MISALIGNED
                                            ? GMPTX_FOUND_MISALIGNED
                                            : GMPTX_FOUND_OUTSIDE,
                                .space = fault->space,
                                .address = fault->address,
                                .bytes = fault->bytes,
                                .is_write = fault->is_write};
    tell(cta, &what, cta->fault_warp, cta->fault_lane, cta->fault_op);
    cta->fault = (gmptx_fault){0};
}

void gmptx_tell_findings(const ptx_check *check, const gmptx_launch *launch)
{
    for (uint32_t i = 0; i < check->founds; i++)
        launch->checks->found(launch->checks->user, &check->found[i].finding);
}

/* ------------------------------------------------------------------------- what nobody wrote yet
 */

static bool any_written(const uint8_t *byte, unsigned bytes)
{
    unsigned any = 0;
    for (unsigned i = 0; i < bytes; i++)
        any |= byte[i];
    return any & WRITTEN;
}

static void touch_own(ptx_warp *w, const ptx_op *op, const ptx_access *a, unsigned lane,
                      uint8_t *byte, unsigned element, bool reads, bool writes)
{
    for (unsigned at = 0; reads && at < a->bytes; at += element)
        if (!any_written(byte + at, element)) {
            const bool shared = a->space == PTX_SPACE_SHARED;
            const gmptx_finding what = {.kind = GMPTX_FOUND_UNWRITTEN,
                                        .space =
                                            shared ? GMTRACE_SPACE_SHARED : GMTRACE_SPACE_LOCAL,
                                        .address = w->address[lane] + at,
                                        .bytes = element};
            tell(w->cta, &what, w->number, lane, (uint32_t)(op - w->kernel->op));
            break;
        }
    for (unsigned at = 0; writes && at < a->bytes; at++)
        byte[at] |= WRITTEN;
}

static void touch_global(ptx_warp *w, const ptx_op *op, const ptx_access *a, unsigned lane,
                         unsigned element, bool reads, bool writes)
{
    const gmptx_shadow *s = &w->cta->check->want->shadow;
    const uint64_t address = (uint64_t)(uintptr_t)a->host[lane];
    for (unsigned at = 0; reads && at < a->bytes; at += element)
        if (gmptx_shadow_unwritten(s, address + at, element) == element) {
            const gmptx_finding what = {.kind = GMPTX_FOUND_UNWRITTEN,
                                        .space = GMTRACE_SPACE_GLOBAL,
                                        .address = address + at,
                                        .bytes = element};
            tell(w->cta, &what, w->number, lane, (uint32_t)(op - w->kernel->op));
            break;
        }
    if (writes)
        gmptx_shadow_mark(s, address, a->bytes, true);
}

void gmptx_check_touch(ptx_warp *w, const ptx_op *op, const ptx_access *a, unsigned element,
                       bool reads, bool writes)
{
    ptx_check *c = w->cta->check;
    reads = reads && c->want->unwritten;
    LANES_IN(a->mask)
    {
        if (a->space == PTX_SPACE_SHARED)
            touch_own(w, op, a, i, c->shared + (a->host[i] - w->cta->shared), element, reads,
                      writes);
        else if (a->space == PTX_SPACE_LOCAL)
            touch_own(w, op, a, i,
                      c->local + (uint64_t)w->number * LANES * w->kernel->local_bytes +
                          (a->host[i] - w->local),
                      element, reads, writes);
        else if (a->space == PTX_SPACE_GLOBAL)
            touch_global(w, op, a, i, element, reads, writes);
    }
}
