/* SPDX-License-Identifier: MIT
 *
 * path_values.c - a branch is doubtful where both its sides lead to the same record, or to the end,
 * with none between. If its predicate is made of thread and CTA numbers, the launch's size and
 * numbers in the code, by instructions of path_lanes.h, those instructions are run along the ways
 * of each warp (micro/parting.cu). What they leave in the lanes' registers has a number; equal ones
 * have the same. Left out: branches on parameters, on what was loaded, and on floats; code with
 * mbarriers, whose times go with the older rules (micro/mbarrier.cu, pingpong).
 */
#include "traces/code/path_values.h"
#include "traces/code/decoded_private.h"
#include "traces/code/path_list.h"

#include <stdlib.h>

#define MAX_STATES (1u << 16) /* beyond, nothing is known */
#define MAX_WORK   (1u << 24) /* instructions looked at for one kernel */
#define MAX_DEPTH  256u       /* instructions that a predicate is made of, one of the other */
#define FILES      4u

enum { FORGETS = 1, BAD = 2, GOOD = 4 };

struct path_values {
    const path_graph *graph;
    const gmtrace_launch *launch;
    path_step *step;   /* of each instruction that is run */
    uint32_t *step_of; /* of each instruction; UINT32_MAX: none */
    uint8_t *role;     /* of each instruction */
    bool *decides;     /* of each block */
    uint8_t place[FILES][256];
    uint32_t places, steps;
    bool asks_warp, asks_cta;
    path_set states;
};

/* -------------------------------------------------------------------- what predicates are made of
 */

typedef struct search {
    path_values *v;
    uint32_t *stack, *seen, turn;
    uint32_t *jump, *other_jump; /* one that jumps to each, plus one; another to the same place */
    uint32_t *visited, visit, *list, count; /* instructions of the branch that is looked at */
    uint32_t work;
} search;

static bool writes(const gmtrace_instr *instr, uint8_t file, uint8_t number)
{
    for (uint32_t k = 0; k < instr->operand_count; k++)
        if (gmt_names(&instr->operand[k], true, file, number))
            return true;
    return false;
}

static bool is_good(search *f, uint32_t n, uint32_t depth);

/* Are all good that may have written the register before `at`? */
static bool good_register(search *f, uint32_t at, uint8_t file, uint8_t number, uint32_t depth)
{
    const gmtrace_instr *code = f->v->graph->instr;
    const uint32_t room = f->v->graph->instr_count + 1u;
    uint32_t *found = malloc(64 * sizeof *found), founds = 0, top = 0;
    bool good = found != NULL;
    f->turn++;
    f->stack[top++] = at;
    while (top && good) {
        const uint32_t to = f->stack[--top];
        uint32_t from = to && gmt_may_fall(&code[to - 1u]) ? to : 0;
        for (uint32_t jump = f->jump[to]; good && (from || jump);) {
            const uint32_t n = (from ? from : jump) - 1u;
            jump = from ? jump : f->other_jump[n];
            from = 0;
            if (f->seen[n] == f->turn)
                continue;
            f->seen[n] = f->turn;
            good = ++f->work < MAX_WORK;
            const bool writer = writes(&code[n], file, number);
            if (writer && founds == 64)
                good = false;
            else if (writer)
                found[founds++] = n;
            if ((!writer || code[n].predicate != GMTRACE_NO_REGISTER) && top < room)
                f->stack[top++] = n;
        }
    }
    for (uint32_t i = 0; i < founds && good; i++)
        good = is_good(f, found[i], depth);
    free(found);
    return good;
}

static bool good_sources(search *f, uint32_t n, uint32_t depth)
{
    path_step step;
    if (!path_step_read(&f->v->graph->instr[n], f->v->launch, &step))
        return false;
    bool good =
        !step.guard.is_register || good_register(f, n, step.guard.file, step.guard.number, depth);
    for (unsigned i = 0; i < step.sources && good; i++)
        good = !step.source[i].is_register ||
               good_register(f, n, step.source[i].file, step.source[i].number, depth);
    return good;
}

static bool is_good(search *f, uint32_t n, uint32_t depth)
{
    if (f->v->role[n] & (BAD | GOOD))
        return f->v->role[n] & GOOD;
    if (f->visited[n] == f->visit)
        return true;
    if (depth == MAX_DEPTH)
        return false;
    f->visited[n] = f->visit;
    f->list[f->count++] = n;
    const bool good = good_sources(f, n, depth + 1u);
    if (!good)
        f->v->role[n] |= BAD;
    return good;
}

static bool find_jumps(search *f)
{
    const uint32_t count = f->v->graph->instr_count + 1u;
    f->stack = calloc(count, 6u * sizeof *f->stack);
    if (!f->stack)
        return false;
    f->seen = f->stack + count;
    f->jump = f->seen + count;
    f->other_jump = f->jump + count;
    f->visited = f->other_jump + count;
    f->list = f->visited + count;
    for (uint32_t n = 0; n + 1u < count; n++) {
        const uint32_t target = f->v->graph->instr[n].target;
        if (target < count && gmt_transfers(&f->v->graph->instr[n])) { /* BSSY has one, too */
            f->other_jump[n] = f->jump[target];
            f->jump[target] = n + 1u;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------ doubtful branches
 */

/* Marks what is reached from an edge without a record between; whether anything recorded, or the
 * end, was reached from the other edge, too. */
static bool reaches(search *f, const gmt_edge *edge, uint32_t mark, uint32_t other)
{
    const path_graph *graph = f->v->graph;
    const gmt_graph *flow = &graph->flow;
    uint32_t top = 0;
    bool both = false;
    f->stack[top++] = edge->to;
    while (top && f->work < MAX_WORK) {
        const uint32_t b = f->stack[--top];
        const uint32_t at = b == PATH_END ? flow->block_count : b;
        const bool ends = b == PATH_END || graph->block[b].seen != PATH_UNSEEN;
        f->work++;
        if (at > flow->block_count || f->seen[at] == mark)
            continue;
        both |= ends && f->seen[at] == other;
        f->seen[at] = mark;
        if (b == PATH_END || graph->block[b].seen == PATH_SEEN)
            continue;
        for (uint32_t e = 0; e < flow->block[b].edge_count && top < graph->instr_count; e++)
            f->stack[top++] = flow->edge[flow->block[b].edge + e].to;
    }
    return both;
}

static bool is_doubtful(search *f, uint32_t b)
{
    const gmt_block *block = &f->v->graph->flow.block[b];
    const path_block *own = &f->v->graph->block[b];
    const gmtrace_instr *last = &f->v->graph->instr[block->first + block->count - 1u];
    if (last->op_class != GMTRACE_CLASS_BRANCH || own->predicate >= 7 || own->falls_anyway ||
        own->unlikely || block->edge_count != 2)
        return false;
    f->turn += 2u;
    const gmt_edge *edge = &f->v->graph->flow.edge[block->edge];
    reaches(f, &edge[0], f->turn - 1u, f->turn);
    return reaches(f, &edge[1], f->turn, f->turn - 1u);
}

static void decide(search *f, uint32_t b)
{
    path_values *v = f->v;
    const gmt_block *block = &v->graph->flow.block[b];
    f->visit++;
    f->count = 0;
    v->decides[b] = good_register(f, block->first + block->count - 1u, GMTRACE_REG_PREDICATE,
                                  v->graph->block[b].predicate, 0);
    for (uint32_t i = 0; i < f->count && v->decides[b]; i++) {
        v->steps += !(v->role[f->list[i]] & GOOD);
        v->role[f->list[i]] |= GOOD;
    }
}

/* ------------------------------------------------------------------------------------------- steps
 */

static void give_place(path_values *v, path_source *s)
{
    if (!s->is_register)
        return;
    uint8_t *place = &v->place[s->file][s->number];
    if (*place == PATH_NO_PLACE && v->places < PATH_PLACES)
        *place = (uint8_t)v->places++;
    s->place = *place;
}

static bool make_steps(path_values *v)
{
    uint32_t next = 0;
    v->step = calloc(v->steps + 1u, sizeof *v->step);
    if (!v->step)
        return false;
    for (uint32_t n = 0; n < v->graph->instr_count; n++) {
        v->step_of[n] = UINT32_MAX;
        if (!(v->role[n] & GOOD))
            continue;
        path_step *step = &v->step[next];
        v->step_of[n] = next++;
        path_step_read(&v->graph->instr[n], v->launch, step);
        give_place(v, &step->guard);
        for (unsigned i = 0; i < step->sources; i++)
            give_place(v, &step->source[i]);
        for (unsigned i = 0; i < step->targets; i++)
            give_place(v, &step->target[i]);
        v->asks_warp |= path_step_asks_warp(step);
        v->asks_cta |= path_step_asks_cta(step);
    }
    return v->places < PATH_PLACES;
}

static uint64_t bits_of(const path_values *v, uint32_t file, uint32_t first, uint32_t count)
{
    uint64_t places = 0;
    for (uint32_t r = first; r < 256u && r < first + count; r++)
        if (v->place[file][r] != PATH_NO_PLACE)
            places |= UINT64_C(1) << v->place[file][r];
    return places;
}

/* Places that the instruction writes, a bit each; R2P names no predicate, and may write all. */
static uint64_t places_written(const path_values *v, const gmtrace_instr *instr)
{
    uint64_t places = 0;
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const gmtrace_operand *o = &instr->operand[k];
        if (o->write && o->file < FILES)
            places |= bits_of(v, o->file, o->first, o->count);
    }
    if (gmt_has_prefix(instr->opcode, "R2P"))
        places |= bits_of(v, GMTRACE_REG_PREDICATE, 0, 7);
    return places;
}

/* Instructions that are not run, and write what others are made of. */
static void find_forgetters(path_values *v)
{
    for (uint32_t n = 0; n < v->graph->instr_count; n++)
        if (v->step_of[n] == UINT32_MAX && places_written(v, &v->graph->instr[n]))
            v->role[n] |= FORGETS;
}

static bool has_mbarriers(const path_graph *graph)
{
    for (uint32_t n = 0; n < graph->instr_count; n++)
        if (gmt_has_prefix(graph->instr[n].opcode, "SYNCS"))
            return true;
    return false;
}

path_values *path_values_create(const path_graph *graph, const gmtrace_launch *launch)
{
    path_values *v = has_mbarriers(graph) ? NULL : calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->graph = graph;
    v->launch = launch;
    memset(v->place, PATH_NO_PLACE, sizeof v->place);
    v->step_of = calloc(graph->instr_count + (size_t)1, sizeof *v->step_of);
    v->role = calloc(graph->instr_count + (size_t)1, 1);
    v->decides = calloc(graph->flow.block_count + (size_t)1, sizeof *v->decides);
    search f = {.v = v};
    bool good = v->step_of && v->role && v->decides && find_jumps(&f);
    for (uint32_t b = 0; good && b < graph->flow.block_count; b++)
        if (is_doubtful(&f, b))
            decide(&f, b);
    free(f.stack);
    if (good && v->steps && f.work < MAX_WORK && make_steps(v)) {
        find_forgetters(v);
        return v;
    }
    path_values_free(v);
    return NULL;
}

void path_values_free(path_values *v)
{
    if (!v)
        return;
    path_set_free(&v->states);
    free(v->step);
    free(v->step_of);
    free(v->role);
    free(v->decides);
    free(v);
}

/* ------------------------------------------------------------------------------------------ states
 */

#define HEAD 3u /* words: lanes, warp, CTA */

/* A register is a word that says in which lanes it is known, and one value, or one a lane. */
uint32_t path_values_keep(path_values *v, const path_lanes *lanes)
{
    uint32_t word[HEAD + PATH_PLACES * (2u + GMTRACE_WARP_LANES)], at = 0;
    if (v->states.count >= MAX_STATES)
        return PATH_NO_VALUES;
    word[at++] = lanes->mask;
    word[at++] = lanes->warp;
    word[at++] = lanes->cta;
    for (uint32_t p = 0; p < v->places; p++) {
        const uint32_t known = lanes->known[p] & lanes->mask;
        const uint32_t first = known ? (uint32_t)__builtin_ctz(known) : 0;
        bool same = true;
        for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && same; lane++)
            same = !(known >> lane & 1u) || lanes->value[p][lane] == lanes->value[p][first];
        word[at++] = known;
        if (!known)
            continue;
        word[at++] = same;
        for (uint32_t lane = first; lane < (same ? first + 1u : GMTRACE_WARP_LANES); lane++)
            word[at++] = known >> lane & 1u ? lanes->value[p][lane] : 0;
    }
    return path_set_put(&v->states, word, at * sizeof *word);
}

void path_values_join(const path_values *v, uint32_t number, path_lanes *lanes)
{
    size_t size;
    const uint32_t *word = path_set_get(&v->states, number, &size);
    lanes->mask |= *word++;
    lanes->warp = *word++;
    lanes->cta = *word++;
    for (uint32_t p = 0; p < v->places; p++) {
        const uint32_t known = *word++;
        lanes->known[p] |= known;
        if (!known)
            continue;
        const bool same = *word++;
        for (uint32_t lane = (uint32_t)__builtin_ctz(known); lane < GMTRACE_WARP_LANES; lane++) {
            if (known >> lane & 1u)
                lanes->value[p][lane] = *word;
            word += !same;
        }
        word += same;
    }
}

void path_values_open(const path_values *v, uint32_t number, path_lanes *lanes)
{
    lanes->mask = 0;
    memset(lanes->known, 0, sizeof lanes->known);
    path_values_join(v, number, lanes);
}

uint32_t path_values_mask(const path_values *v, uint32_t number)
{
    size_t size;
    return *(const uint32_t *)path_set_get(&v->states, number, &size);
}

uint32_t path_values_enter(path_values *v, uint32_t cta, uint32_t warp, uint32_t live)
{
    path_lanes lanes;
    lanes.mask = live;
    lanes.warp = v->asks_warp ? warp : 0;
    lanes.cta = v->asks_cta ? cta : 0;
    memset(lanes.known, 0, sizeof lanes.known);
    return path_values_keep(v, &lanes);
}

void path_values_run(const path_values *v, path_lanes *lanes, uint32_t first, uint32_t count,
                     uint32_t mask)
{
    for (uint32_t n = first; n < first + count; n++) {
        if (v->step_of[n] != UINT32_MAX)
            path_step_run(&v->step[v->step_of[n]], v->launch, lanes, mask);
        if (!(v->role[n] & FORGETS))
            continue;
        for (uint64_t left = places_written(v, &v->graph->instr[n]); left; left &= left - 1u)
            lanes->known[__builtin_ctzll(left)] &= ~mask;
    }
}

bool path_values_decide(const path_values *v, uint32_t block)
{
    return v->decides[block];
}

bool path_values_jump(const path_values *v, const path_lanes *lanes, uint32_t block, uint32_t mask,
                      uint32_t *jump)
{
    const path_block *own = &v->graph->block[block];
    const uint8_t place = v->place[GMTRACE_REG_PREDICATE][own->predicate];
    if (place == PATH_NO_PLACE || (mask & ~lanes->known[place]))
        return false;
    *jump = 0;
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
        if (mask >> lane & 1u && (lanes->value[place][lane] != 0) == own->value)
            *jump |= 1u << lane;
    return true;
}
