/* SPDX-License-Identifier: MIT
 *
 * unsteady.c - whether what an atomic returns, or a strong load finds, steers the code: whether it
 * comes to guard a branch or an access, or into an access's address. From such a read on, registers
 * made of its result are followed along the flow of control until nothing changes any more.
 *
 * Left out: global and local memory as a way from one register to another; that lanes part by the
 * result without a branch depends on it (SEL); several reads whose results only matter together.
 */
#include "traces/code/unsteady.h"

#include "traces/code/decoded.h"
#include "traces/code/graph.h"

#include <stdio.h>
#include <stdlib.h>

/* What is made of the result, a bit a register; one for all of shared memory. */
typedef struct marks {
    uint64_t general[4], uniform, predicates;
    bool shared;
} marks;

enum { UPREDICATES = 8 }; /* their place in `predicates` */

static uint64_t *word_of(marks *m, const gmtrace_operand *operand, uint32_t reg, uint64_t *bit)
{
    switch ((gmtrace_regfile)operand->file) {
    case GMTRACE_REG_GENERAL:
        *bit = (uint64_t)1 << reg % 64u;
        return &m->general[reg / 64u % 4u];
    case GMTRACE_REG_UNIFORM:
        *bit = (uint64_t)1 << reg % 64u;
        return &m->uniform;
    case GMTRACE_REG_PREDICATE:
        *bit = (uint64_t)1 << reg % 8u;
        return &m->predicates;
    default:
        *bit = (uint64_t)1 << (reg % 8u + UPREDICATES);
        return &m->predicates;
    }
}

static bool marked(const marks *m, const gmtrace_operand *operand)
{
    marks copy = *m;
    uint64_t bit;
    for (uint32_t reg = operand->first; reg < (uint32_t)operand->first + operand->count; reg++)
        if (*word_of(&copy, operand, reg, &bit) & bit)
            return true;
    return false;
}

static void mark(marks *m, const gmtrace_operand *operand, bool on)
{
    uint64_t bit;
    for (uint32_t reg = operand->first; reg < (uint32_t)operand->first + operand->count; reg++) {
        uint64_t *word = word_of(m, operand, reg, &bit);
        *word = on ? *word | bit : *word & ~bit;
    }
}

/* Adds what is marked in `from`; true if that is more. */
static bool merge(marks *to, const marks *from)
{
    const marks before = *to;
    for (int i = 0; i < 4; i++)
        to->general[i] |= from->general[i];
    to->uniform |= from->uniform;
    to->predicates |= from->predicates;
    to->shared |= from->shared;
    return memcmp(before.general, to->general, sizeof to->general) != 0 ||
           before.uniform != to->uniform || before.predicates != to->predicates ||
           before.shared != to->shared;
}

static bool is_guarded(const gmtrace_instr *instr)
{
    return instr->predicate < 7u;
}

static bool guard_marked(const marks *m, const gmtrace_instr *instr)
{
    return is_guarded(instr) && (m->predicates >> instr->predicate & 1u);
}

/* The registers between brackets: "desc[UR6][R2.64+0x10]" has R2 and R3, and UR6. Operands do not
 * tell them from those of the data, which may be neighbours. */
static void mark_address(marks *m, const gmtrace_instr *instr)
{
    const bool wide = instr->space != GMTRACE_SPACE_SHARED && instr->space != GMTRACE_SPACE_LOCAL;
    bool inside = false;
    for (const char *p = instr->operands; *p; p++) {
        inside = *p == '[' || (inside && *p != ']');
        const bool uniform = p[0] != 0 && p[1] == 'U' && p[2] == 'R';
        const char *digits = p + (uniform ? 3 : 2);
        if (!inside || (*p != '[' && *p != '+') || (!uniform && p[1] != 'R') || *digits < '0' ||
            *digits > '9')
            continue;
        const gmtrace_operand reg = {
            .file = uniform ? GMTRACE_REG_UNIFORM : GMTRACE_REG_GENERAL,
            .first = (uint8_t)strtoul(digits, NULL, 10),
            .count = wide && !uniform ? 2 : 1,
        };
        mark(m, &reg, true);
    }
}

static bool overlap(const marks *a, const marks *b)
{
    for (int i = 0; i < 4; i++)
        if (a->general[i] & b->general[i])
            return true;
    return (a->uniform & b->uniform) != 0;
}

/* The instruction is executed by what is marked, or accesses what is. */
static bool is_steered(const marks *m, const gmtrace_instr *instr)
{
    const bool memory = gmtrace_accesses_by_lane(instr);
    if ((memory || gmt_transfers(instr)) && guard_marked(m, instr))
        return true;
    for (uint32_t k = 0; k < instr->operand_count && gmt_transfers(instr); k++)
        if (!instr->operand[k].write && marked(m, &instr->operand[k]))
            return true;
    marks address = {.shared = false};
    if (memory)
        mark_address(&address, instr);
    return overlap(m, &address);
}

static bool stores_shared(const gmtrace_instr *instr)
{
    return instr->op_class == GMTRACE_CLASS_STORE &&
           (instr->space == GMTRACE_SPACE_SHARED || instr->space == GMTRACE_SPACE_GENERIC);
}

/* What is marked behind the instruction. */
static void step(marks *m, const gmtrace_instr *instr, bool is_source)
{
    bool any = is_source || guard_marked(m, instr);
    for (uint32_t k = 0; k < instr->operand_count && !any; k++)
        any = !instr->operand[k].write && marked(m, &instr->operand[k]);
    if (any && !is_source && stores_shared(instr))
        m->shared = true;
    if (m->shared && instr->op_class == GMTRACE_CLASS_LOAD && instr->space == GMTRACE_SPACE_SHARED)
        any = true;
    for (uint32_t k = 0; k < instr->operand_count; k++)
        if (instr->operand[k].write && (any || !is_guarded(instr)))
            mark(m, &instr->operand[k], any);
}

typedef struct walk {
    const gmtrace_kernel *kernel;
    gmt_graph graph;
    marks *before; /* by block */
    bool *reached, *waiting;
    uint32_t *list;
} walk;

/* A block's turn comes once more where something new reaches it. */
static void reach(walk *w, uint32_t block, const marks *m, uint32_t *count)
{
    const bool more = merge(&w->before[block], m) || !w->reached[block];
    w->reached[block] = true;
    if (more && !w->waiting[block]) {
        w->waiting[block] = true;
        w->list[(*count)++] = block;
    }
}

static void leave(walk *w, uint32_t block, const marks *m, uint32_t *count)
{
    const gmt_block *self = &w->graph.block[block];
    for (uint32_t e = 0; e < self->edge_count; e++) {
        const uint32_t to = w->graph.edge[self->edge + e].to;
        if (to < w->graph.block_count)
            reach(w, to, m, count);
    }
}

static bool has_mark(const marks *m)
{
    static const marks none;
    return memcmp(m->general, none.general, sizeof m->general) || m->uniform || m->predicates ||
           m->shared;
}

/* Follows the result of one read: is anything steered by it? */
static bool steers(walk *w, uint32_t source)
{
    const gmtrace_instr *instr = w->kernel->instr;
    uint32_t count = 0;
    memset(w->before, 0, w->graph.block_count * sizeof *w->before);
    memset(w->reached, 0, w->graph.block_count * sizeof *w->reached);
    memset(w->waiting, 0, w->graph.block_count * sizeof *w->waiting);
    const marks none = {.shared = false};
    reach(w, w->graph.block_of[source], &none, &count);
    while (count > 0) {
        const uint32_t block = w->list[--count];
        const gmt_block *self = &w->graph.block[block];
        marks m = w->before[block];
        w->waiting[block] = false;
        for (uint32_t i = self->first; i < self->first + self->count; i++) {
            if (is_steered(&m, &instr[i]))
                return true;
            step(&m, &instr[i], i == source);
        }
        if (has_mark(&m))
            leave(w, block, &m, &count);
    }
    return false;
}

static marks written_by(const gmtrace_instr *instr)
{
    marks written = {.shared = false};
    for (uint32_t k = 0; k < instr->operand_count; k++)
        if (instr->operand[k].write)
            mark(&written, &instr->operand[k], true);
    return written;
}

/* Is there a way from the read back to it on which its address stays the same, and, asked for one
 * that `waits`, on which nothing else is accessed? */
static bool comes_back(walk *w, uint32_t source, bool waits)
{
    const gmtrace_instr *instr = w->kernel->instr;
    uint32_t count = 0, at = source + 1u;
    marks address = {.shared = false};
    mark_address(&address, &instr[source]);
    const marks own = written_by(&instr[source]);
    if (overlap(&own, &address))
        return false;
    uint32_t block = w->graph.block_of[source];
    memset(w->reached, 0, w->graph.block_count * sizeof *w->reached);
    for (;;) {
        const gmt_block *b = &w->graph.block[block];
        bool same = true;
        for (; same && at < b->first + b->count; at++) {
            if (at == source)
                return true;
            const marks written = written_by(&instr[at]);
            same = !overlap(&written, &address) && !(waits && gmtrace_accesses_by_lane(&instr[at]));
        }
        for (uint32_t e = 0; same && e < b->edge_count; e++) {
            const uint32_t to = w->graph.edge[b->edge + e].to;
            if (to < w->graph.block_count && !w->reached[to]) {
                w->reached[to] = true;
                w->list[count++] = to;
            }
        }
        if (count == 0)
            return false;
        block = w->list[--count];
        at = w->graph.block[block].first;
    }
}

/* Reads what others write meanwhile: an atomic that returns something, a strong load. */
static bool is_source(const gmtrace_instr *instr)
{
    if (instr->op_class == GMTRACE_CLASS_LOAD)
        return instr->space != GMTRACE_SPACE_CONSTANT &&
               (instr->cache == GMTRACE_CACHE_STRONG_GPU ||
                instr->cache == GMTRACE_CACHE_STRONG_SYS);
    return instr->op_class == GMTRACE_CLASS_ATOMIC;
}

static gmtrace_unsteady judge(walk *w, uint32_t i)
{
    const gmtrace_decoded decoded = gmtrace_decode(&w->kernel->instr[i]);
    const bool load = decoded.op_class == GMTRACE_CLASS_LOAD;
    const bool again =
        load || decoded.atomic == GMTRACE_ATOMIC_CAS || decoded.atomic == GMTRACE_ATOMIC_CAST;
    const bool spins = again && comes_back(w, i, false);
    if ((load && !spins) || !steers(w, i))
        return GMTRACE_STEADY;
    return spins ? GMTRACE_UNSTEADY_SPIN : GMTRACE_UNSTEADY_ORDER;
}

static bool begin(walk *w, const gmtrace_kernel *kernel)
{
    *w = (walk){.kernel = kernel};
    bool *alone = calloc(kernel->instr_count, sizeof *alone);
    bool good = alone && gmt_graph_of_code(&w->graph, kernel->instr, kernel->instr_count, alone);
    const size_t blocks = good ? w->graph.block_count : 0;
    w->before = good ? malloc(blocks * sizeof *w->before) : NULL;
    w->reached = good ? malloc(blocks * sizeof *w->reached) : NULL;
    w->waiting = good ? malloc(blocks * sizeof *w->waiting) : NULL;
    w->list = good ? malloc(blocks * sizeof *w->list) : NULL;
    free(alone);
    return good && w->before && w->reached && w->waiting && w->list;
}

static void end(walk *w)
{
    free(w->before);
    free(w->reached);
    free(w->waiting);
    free(w->list);
    gmt_graph_free(&w->graph);
}

bool gmtrace_find_unsteady(const gmtrace_kernel *kernel, uint8_t *kind)
{
    uint32_t sources = 0, count = kernel->instr_count;
    memset(kind, GMTRACE_STEADY, count);
    for (uint32_t i = 0; i < count; i++)
        sources += is_source(&kernel->instr[i]);
    if (sources == 0)
        return true;
    walk w;
    const bool good = begin(&w, kernel);
    for (uint32_t i = 0; good && i < count; i++)
        if (is_source(&kernel->instr[i]))
            kind[i] = (uint8_t)judge(&w, i);
    end(&w);
    return good;
}

bool gmtrace_find_polls(const gmtrace_kernel *kernel, const uint8_t *kind, bool *polls)
{
    uint32_t spins = 0, count = kernel->instr_count;
    memset(polls, 0, count * sizeof *polls);
    for (uint32_t i = 0; i < count; i++)
        spins += kind[i] == GMTRACE_UNSTEADY_SPIN;
    if (spins == 0)
        return true;
    walk w;
    const bool good = begin(&w, kernel);
    for (uint32_t i = 0; good && i < count; i++)
        polls[i] = kind[i] == GMTRACE_UNSTEADY_SPIN &&
                   kernel->instr[i].op_class == GMTRACE_CLASS_LOAD && comes_back(&w, i, true);
    end(&w);
    return good;
}
