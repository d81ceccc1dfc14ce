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
#include "traces/format/grow.h"
#include "traces/ptx/image.h"

#include <stdlib.h>

#define MAX_WORK  (1u << 28) /* registers times the blocks into which they are live */
#define MAX_PLACE (1u << 20)
#define NONE      UINT32_MAX

typedef struct life {
    uint32_t first, last; /* operations; first > last: never used */
} life;

/* Blocks of a register, chained by index. */
typedef struct mention {
    uint32_t block, next;
} mention;

typedef struct analysis {
    const ptx_kernel *kernel;
    const ptx_op *op;
    const gmt_graph *graph;
    const ptx_function *f;
    life *life;
    /* By register: blocks that read it before they write it, blocks that write it whatever is read;
     * and the last of either. */
    uint32_t *exposed, *killed;
    mention *mention;
    uint32_t mentions;
    /* By block: those before it, from first_before[block] on; the last register seen there + 1. */
    uint32_t *before, *first_before, *live_mark, *kill_mark, *stack;
    uint64_t work;
    bool failed;
} analysis;

typedef void (*visit)(analysis *a, uint32_t reg, uint32_t at, bool write, bool partial);

static void each_register(analysis *a, uint32_t at, visit call, bool writes)
{
    const ptx_op *op = &a->op[at];
    const bool partial = op->guard != REF_NONE;
    const ptx_ref *refs = gmptx_refs(a->kernel, op);
    for (unsigned i = 0; i < op->refs; i++)
        if (REF_FILE(refs[i]) == PTX_FILE_VIRTUAL && refs[i] != REF_NONE &&
            (i < op->writes) == writes)
            call(a, REF_OFFSET(refs[i]), at, writes, partial);
    if (writes)
        return;
    if (op->guard != REF_NONE && REF_FILE(op->guard) == PTX_FILE_VIRTUAL)
        call(a, REF_OFFSET(op->guard), at, false, false);
    if (op->address != REF_NONE && REF_FILE(op->address) == PTX_FILE_VIRTUAL)
        call(a, REF_OFFSET(op->address), at, false, false);
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

static bool is_in(const analysis *a, uint32_t chain, uint32_t block)
{
    return chain != NONE && a->mention[chain].block == block; /* blocks come in order */
}

static void mention_block(analysis *a, uint32_t *chain, uint32_t block)
{
    if (is_in(a, *chain, block))
        return;
    if (!GMT_GROW(a->mention, a->mentions)) {
        a->failed = true;
        return;
    }
    a->mention[a->mentions] = (mention){block, *chain};
    *chain = a->mentions++;
}

static void note(analysis *a, uint32_t reg, uint32_t at, bool write, bool partial)
{
    const uint32_t block = a->graph->block_of[at];
    extend(&a->life[reg], at);
    if (write && !partial)
        mention_block(a, &a->killed[reg], block);
    else if (!is_in(a, a->killed[reg], block))
        mention_block(a, &a->exposed[reg], block);
}

static void list_before(analysis *a)
{
    const gmt_graph *g = a->graph;
    uint32_t *first = a->first_before;
    for (uint32_t pass = 0; pass < 2; pass++) /* counts, then fills from the end */
        for (uint32_t i = 0; i < g->block_count; i++) {
            for (uint32_t e = 0; e < g->block[i].edge_count; e++) {
                const uint32_t to = g->edge[g->block[i].edge + e].to;
                if (to == GMT_OUT)
                    continue;
                if (pass)
                    a->before[--first[to]] = i;
                else
                    first[to]++;
            }
            if (!pass && i + 1 == g->block_count)
                for (uint32_t b = 1; b <= g->block_count; b++)
                    first[b] += first[b - 1];
        }
}

/* From the blocks that read a register backwards to those that write it: once for each block into
 * which it is live. */
static void flood(analysis *a, uint32_t reg)
{
    const gmt_graph *g = a->graph;
    uint32_t depth = 0;
    for (uint32_t m = a->killed[reg]; m != NONE; m = a->mention[m].next)
        a->kill_mark[a->mention[m].block] = reg + 1;
    for (uint32_t m = a->exposed[reg]; m != NONE; m = a->mention[m].next) {
        a->live_mark[a->mention[m].block] = reg + 1;
        a->stack[depth++] = a->mention[m].block;
    }
    while (depth && a->work < MAX_WORK) {
        const uint32_t block = a->stack[--depth];
        extend(&a->life[reg], g->block[block].first);
        a->work += 1 + a->first_before[block + 1] - a->first_before[block];
        for (uint32_t i = a->first_before[block]; i < a->first_before[block + 1]; i++) {
            const uint32_t from = a->before[i];
            extend(&a->life[reg], g->block[from].first + g->block[from].count - 1);
            if (a->kill_mark[from] == reg + 1 || a->live_mark[from] == reg + 1)
                continue;
            a->live_mark[from] = reg + 1;
            a->stack[depth++] = from;
        }
    }
}

/* When each register lives. False without memory, or where that would take too long. */
static bool find_lives(analysis *a, uint32_t count)
{
    const size_t blocks = a->graph->block_count, regs = a->f->reg_count;
    uint32_t *memory = calloc(4 * blocks + 2 + a->graph->edge_count + 2 * regs, sizeof *memory);
    if (!memory)
        return false;
    a->first_before = memory;
    a->live_mark = memory + blocks + 1;
    a->kill_mark = a->live_mark + blocks;
    a->stack = a->kill_mark + blocks;
    a->before = a->stack + blocks;
    a->exposed = a->before + a->graph->edge_count + 1;
    a->killed = a->exposed + regs;
    memset(a->exposed, 0xff, 2 * regs * sizeof *a->exposed);
    for (uint32_t i = 0; i < regs; i++)
        a->life[i] = (life){1, 0};
    for (uint32_t i = 0; i < count; i++) {
        each_register(a, i, note, false);
        each_register(a, i, note, true);
    }
    list_before(a);
    for (uint32_t i = 0; i < regs && !a->failed; i++)
        if (a->exposed[i] != NONE)
            flood(a, i);
    free(a->mention);
    free(memory);
    return !a->failed && a->work < MAX_WORK;
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
    uint32_t *place = memory, *chain = place + regs;
    if (!find_lives(a, count))
        return false;
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
            ptx_ref *refs = gmptx_refs(kernel, op);
            for (unsigned k = 0; k < op->refs; k++)
                refs[k] = placed(a->f, place, start, refs[k]);
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
    analysis a = {.kernel = kernel, .op = kernel->op + image->first, .graph = graph, .f = function};
    /* place, chain (by register), begin, end (by operation), next_end (by register) */
    uint32_t *memory = calloc(3 * regs + 2 * (count + 1) + 1, sizeof *memory);
    a.life = calloc(regs + 1, sizeof *a.life);
    const bool good = memory && a.life && solve(&a, kernel, image, memory);
    free(memory);
    free(a.life);
    return good || gmptx_fail(error, GMTRACE_MEMORY, function->line, "%.*s is too large to analyse",
                              SLICE(function->name));
}
