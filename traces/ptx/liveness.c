/* SPDX-License-Identifier: MIT
 *
 * liveness.c - virtual registers to places in a frame. A register lives from its first to its last
 * operation in the text, gaps filled, as far as it is live; two that never live at once may share a
 * place. That holds for warps whose lanes have parted too: each lane follows the graph, and lanes
 * that do not execute an operation keep what they hold.
 *
 * The most places in use at once is the estimate of registers a thread. What ptxas makes of the
 * same text differs: it reads parameters from constant memory, moves loads up, and may recompute.
 */
#include "traces/ptx/image.h"

#include <stdlib.h>

#define MAX_BITS  (1ull << 31) /* of all live-in sets together */
#define MAX_PLACE (1u << 20)

typedef struct life {
    uint32_t first, last; /* operations; first > last: never used */
} life;

typedef struct analysis {
    const ptx_op *op;
    const gmt_graph *graph;
    const ptx_function *f;
    uint32_t *dense;      /* by register: number among those live into some block, or PTX_UNKNOWN */
    uint32_t *defined_in; /* by register: block + 1 of the last definition seen */
    uint32_t *reg_of;     /* by dense number */
    uint32_t count;
    size_t words;
    uint64_t *in, *kill; /* bit sets a block */
    life *life;
} analysis;

typedef void (*visit)(analysis *a, uint32_t reg, uint32_t at, bool write, bool partial);

static void each_register(analysis *a, uint32_t at, visit call, bool writes)
{
    const ptx_op *op = &a->op[at];
    const bool partial = op->guard != REF_NONE;
    for (unsigned i = 0; i < op->refs; i++)
        if (REF_FILE(op->r[i]) == PTX_FILE_VIRTUAL && op->r[i] != REF_NONE &&
            (i < op->writes) == writes)
            call(a, REF_OFFSET(op->r[i]), at, writes, partial);
    if (writes)
        return;
    if (op->guard != REF_NONE && REF_FILE(op->guard) == PTX_FILE_VIRTUAL)
        call(a, REF_OFFSET(op->guard), at, false, false);
    if (op->address != REF_NONE && REF_FILE(op->address) == PTX_FILE_VIRTUAL)
        call(a, REF_OFFSET(op->address), at, false, false);
}

/* First pass: which registers are read in a block before they are written there? */
static void note_exposed(analysis *a, uint32_t reg, uint32_t at, bool write, bool partial)
{
    const uint32_t block = a->graph->block_of[at];
    if (write && !partial)
        a->defined_in[reg] = block + 1;
    else if (a->defined_in[reg] != block + 1 && a->dense[reg] == PTX_UNKNOWN) {
        a->dense[reg] = a->count;
        a->reg_of[a->count++] = reg;
    }
}

static void note_sets(analysis *a, uint32_t reg, uint32_t at, bool write, bool partial)
{
    const uint32_t n = a->dense[reg], block = a->graph->block_of[at];
    if (n == PTX_UNKNOWN)
        return;
    uint64_t *in = a->in + block * a->words, *kill = a->kill + block * a->words;
    const uint64_t bit = 1ull << (n % 64);
    if (write && !partial)
        kill[n / 64] |= bit;
    else if (!(kill[n / 64] & bit))
        in[n / 64] |= bit;
}

static void extend(life *l, uint32_t at)
{
    if (l->first > l->last) {
        l->first = l->last = at;
        return;
    }
    l->first = at < l->first ? at : l->first;
    l->last = at > l->last ? at : l->last;
}

static void note_life(analysis *a, uint32_t reg, uint32_t at, bool write, bool partial)
{
    (void)write;
    (void)partial;
    extend(&a->life[reg], at);
}

static void pass(analysis *a, uint32_t count, visit call)
{
    for (uint32_t i = 0; i < count; i++) {
        each_register(a, i, call, false);
        each_register(a, i, call, true);
    }
}

/* What is live into the block is live at the operation. */
static void extend_all(analysis *a, uint32_t block, uint32_t at)
{
    const uint64_t *in = a->in + block * a->words;
    for (size_t w = 0; w < a->words; w++)
        for (uint64_t left = in[w]; left; left &= left - 1)
            extend(&a->life[a->reg_of[w * 64 + (unsigned)__builtin_ctzll(left)]], at);
}

static void propagate(analysis *a)
{
    const gmt_graph *g = a->graph;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g->block_count; i-- > 0;) {
            const gmt_block *block = &g->block[i];
            uint64_t *in = a->in + i * a->words;
            const uint64_t *kill = a->kill + i * a->words;
            for (uint32_t e = 0; e < block->edge_count; e++) {
                if (g->edge[block->edge + e].to == GMT_OUT)
                    continue;
                const uint64_t *after = a->in + g->edge[block->edge + e].to * a->words;
                for (size_t w = 0; w < a->words; w++) {
                    const uint64_t more = in[w] | (after[w] & ~kill[w]);
                    changed = changed || more != in[w];
                    in[w] = more;
                }
            }
        }
    }
    /* live into a block: from its start, and to the end of those before it */
    for (uint32_t i = 0; i < g->block_count; i++) {
        const gmt_block *block = &g->block[i];
        extend_all(a, i, block->first);
        for (uint32_t e = 0; e < block->edge_count; e++)
            if (g->edge[block->edge + e].to != GMT_OUT)
                extend_all(a, g->edge[block->edge + e].to, block->first + block->count - 1);
    }
}

/* ------------------------------------------------------------------------------------ placement */

/* Lane i of a register lies at i times the register's size, so only registers of one size may share
 * a place: where lanes have parted, a write of one lane must not meet another lane's value. */
typedef enum place_class { PREDICATES, HALVES, WORDS, DOUBLES, PLACE_CLASSES } place_class;

typedef struct places {
    uint8_t *used; /* by register */
    uint32_t capacity, top, lowest;
} places;

static bool take(places *p, uint32_t *at)
{
    while (p->lowest < p->capacity && p->used[p->lowest])
        p->lowest++;
    if (p->lowest == p->capacity) {
        const uint32_t capacity = p->capacity ? p->capacity * 2 : 64;
        uint8_t *used = capacity <= MAX_PLACE ? realloc(p->used, capacity) : NULL;
        if (!used)
            return false;
        memset(used + p->capacity, 0, capacity - p->capacity);
        p->used = used;
        p->capacity = capacity;
    }
    *at = p->lowest++;
    p->used[*at] = 1;
    p->top = *at + 1 > p->top ? *at + 1 : p->top;
    return true;
}

static void give(places *p, uint32_t at)
{
    p->used[at] = 0;
    p->lowest = at < p->lowest ? at : p->lowest;
}

static place_class class_of(const ptx_register *r)
{
    if (r->type == PTX_PRED)
        return PREDICATES;
    const unsigned bytes = gmptx_type_bytes((ptx_type)r->type);
    return bytes == 8 ? DOUBLES : bytes == 4 ? WORDS : HALVES;
}

/* Registers of a thread that a value takes. */
static uint32_t units_of(const ptx_register *r)
{
    static const uint32_t units[PLACE_CLASSES] = {0, 1, 1, 2};
    return units[class_of(r)];
}

/* Registers that begin at each operation, chained; then a sweep. place[] gets numbers within the
 * register's class, *peak the most units in use at once. */
static bool sweep(const analysis *a, uint32_t count, uint32_t *place, uint32_t *chain,
                  places *of_class, uint32_t *peak)
{
    const uint32_t regs = a->f->reg_count;
    uint32_t live = 0;
    uint32_t *begin = chain + regs, *end = begin + count + 1, *next = chain;
    uint32_t *next_end = end + count + 1;
    memset(begin, 0xff, 2 * ((size_t)count + 1) * sizeof *begin);
    for (uint32_t i = regs; i-- > 0;) {
        const life *l = &a->life[i];
        if (l->first > l->last)
            continue;
        next[i] = begin[l->first];
        begin[l->first] = i;
        next_end[i] = end[l->last];
        end[l->last] = i;
    }
    for (uint32_t at = 0; at < count; at++) {
        for (uint32_t i = begin[at]; i != PTX_UNKNOWN; i = next[i]) {
            const ptx_register *r = &a->f->reg[i];
            if (!take(&of_class[class_of(r)], &place[i]))
                return false;
            live += units_of(r);
        }
        *peak = live > *peak ? live : *peak;
        for (uint32_t i = end[at]; i != PTX_UNKNOWN; i = next_end[i]) {
            const ptx_register *r = &a->f->reg[i];
            give(&of_class[class_of(r)], place[i]);
            live -= units_of(r);
        }
    }
    return true;
}

static ptx_ref placed(const ptx_function *f, const uint32_t *place, const uint32_t *start,
                      ptx_ref ref)
{
    static const uint32_t bytes[PLACE_CLASSES] = {4, PTX_UNIT, PTX_UNIT, 2 * PTX_UNIT};
    if (ref == REF_NONE || REF_FILE(ref) != PTX_FILE_VIRTUAL)
        return ref;
    const uint32_t reg = REF_OFFSET(ref);
    const place_class class = class_of(&f->reg[reg]);
    return REF(PTX_FILE_FRAME, start[class] + place[reg] * bytes[class]);
}

static bool solve(analysis *a, ptx_kernel *kernel, ptx_image_function *image, uint32_t *memory)
{
    const uint32_t regs = a->f->reg_count, count = image->count;
    uint32_t *place = memory + 3 * (size_t)regs, *chain = place + regs;
    a->dense = memory;
    a->defined_in = memory + regs;
    a->reg_of = memory + 2 * (size_t)regs;
    memset(a->dense, 0xff, regs * sizeof *a->dense);
    pass(a, count, note_exposed);
    a->words = ((size_t)a->count + 63) / 64;
    if ((uint64_t)a->words * 64 * a->graph->block_count > MAX_BITS)
        return false;
    a->in = calloc(a->words * a->graph->block_count + 1, sizeof *a->in);
    a->kill = calloc(a->words * a->graph->block_count + 1, sizeof *a->kill);
    if (!a->in || !a->kill)
        return false;
    for (uint32_t i = 0; i < regs; i++)
        a->life[i] = (life){1, 0};
    pass(a, count, note_sets);
    propagate(a);
    pass(a, count, note_life);
    places of_class[PLACE_CLASSES] = {0};
    uint32_t peak = 0;
    const bool good = sweep(a, count, place, chain, of_class, &peak);
    if (good) {
        uint32_t start[PLACE_CLASSES] = {0};
        start[HALVES] = (of_class[PREDICATES].top * 4 + 255) & ~255u;
        start[WORDS] = start[HALVES] + of_class[HALVES].top * PTX_UNIT;
        start[DOUBLES] = (start[WORDS] + of_class[WORDS].top * PTX_UNIT + 255) & ~255u;
        image->registers = peak;
        image->frame_bytes = start[DOUBLES] + of_class[DOUBLES].top * 2 * PTX_UNIT;
        image->predicate_bytes = start[HALVES];
        for (uint32_t i = 0; i < count; i++) {
            ptx_op *op = &kernel->op[image->first + i];
            for (unsigned k = 0; k < op->refs; k++)
                op->r[k] = placed(a->f, place, start, op->r[k]);
            op->guard = placed(a->f, place, start, op->guard);
            op->address = placed(a->f, place, start, op->address);
        }
    }
    for (unsigned i = 0; i < PLACE_CLASSES; i++)
        free(of_class[i].used);
    return good;
}

bool gmptx_place_registers(ptx_kernel *kernel, ptx_image_function *image, const gmt_graph *graph,
                           const ptx_function *function, gmtrace_error *error)
{
    const size_t regs = function->reg_count, count = image->count;
    analysis a = {.op = kernel->op + image->first, .graph = graph, .f = function};
    /* dense, defined_in, reg_of, place, chain (by register), begin, end (by operation), next_end */
    uint32_t *memory = calloc(6 * regs + 2 * (count + 1) + 1, sizeof *memory);
    a.life = calloc(regs + 1, sizeof *a.life);
    const bool good = memory && a.life && solve(&a, kernel, image, memory);
    free(memory);
    free(a.life);
    free(a.in);
    free(a.kill);
    return good || gmptx_fail(error, GMTRACE_MEMORY, function->line, "%.*s is too large to analyse",
                              SLICE(function->name));
}
