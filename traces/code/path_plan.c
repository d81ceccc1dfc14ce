/* SPDX-License-Identifier: MIT
 *
 * path_plan.c - a branch is doubtful where both its sides lead to the same record, or to the end,
 * with none between. What its predicate is made of is followed back to thread and CTA numbers,
 * parameters, numbers in the code and what memory is known to hold; that code is to be run
 * (micro/parting.cu, micro/silent_loops.cu). So is, where it costs nothing from one turn of a loop
 * to the next, what decides other branches, and whether lanes that come to a record are in it: it
 * tells that lanes which stay behind went elsewhere.
 */
#include "traces/code/decoded_private.h"
#include "traces/code/path_plan.h"
#include "traces/code/sass_op.h"

#include <stdlib.h>

#define MAX_WORK     (1u << 24) /* instructions looked at for one kernel */
#define MAX_DEPTH    256u       /* instructions that a predicate is made of, one of the other */
#define MOST_WRITERS 256u       /* of a register that are looked at */

/* -------------------------------------------------------------------- what predicates are made of
 */

typedef struct search {
    path_values *v;
    uint32_t *stack, *seen, turn;
    uint32_t *jump, *other_jump; /* one that jumps to each, plus one; another to the same place */
    uint32_t *visited, visit, *list, count; /* instructions of the branch that is looked at */
    uint32_t *other_return, first_return;   /* the next return's number, plus one */
    uint32_t *last_turn; /* the last that jumps back to an instruction, or before it; else 0 */
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

/* The stack slot that the instruction, of local memory, accesses; false where it has an index. */
static bool slot_of(const gmtrace_instr *instr, int64_t *begin, int64_t *end)
{
    sass_op op;
    gmt_sass_read(instr, &op);
    const sass_operand *o = &op.operand[gmt_has_prefix(instr->opcode, "STL") ? 0 : 1];
    *begin = o->value;
    *end = o->value + (sass_has(&op, SASS_WORD__128)  ? 16
                       : sass_has(&op, SASS_WORD__64) ? 8
                                                      : 4); /* or less, of the same word */
    return o->kind == SASS_ADDRESS && o->number == 1 && o->uniform == SASS_ZERO;
}

static bool may_share(const gmtrace_instr *store, const gmtrace_instr *load)
{
    int64_t from, to, begin, end;
    return !slot_of(store, &from, &to) || !slot_of(load, &begin, &end) ||
           (from < end && begin < to);
}

/* Who may have written a register. */
typedef struct writers {
    uint32_t found[MOST_WRITERS], count, top;
    uint8_t file, number;
    bool good;
} writers;

/* An instruction that may come before another. */
static void look_at(search *f, writers *w, uint32_t n)
{
    const gmtrace_instr *instr = &f->v->graph->instr[n];
    if (f->seen[n] == f->turn || !w->good)
        return;
    f->seen[n] = f->turn;
    w->good = ++f->work < MAX_WORK;
    const bool writer = writes(instr, w->file, w->number);
    if (writer && w->count < MOST_WRITERS)
        w->found[w->count++] = n;
    if (!writer || instr->predicate != GMTRACE_NO_REGISTER)
        f->stack[w->top++] = n;
}

/* May it be known what the register holds before `at`: is any good that may have written it? Others
 * make it unknown where they are executed. A return leads behind any call. */
static bool good_register(search *f, uint32_t at, uint8_t file, uint8_t number, uint32_t depth)
{
    const gmtrace_instr *code = f->v->graph->instr;
    writers *w = calloc(1, sizeof *w);
    if (!w)
        return false;
    *w = (writers){.file = file, .number = number, .good = true};
    f->turn++;
    f->stack[w->top++] = at;
    while (w->top && w->good) {
        const uint32_t to = f->stack[--w->top];
        if (to && gmt_may_fall(&code[to - 1u]))
            look_at(f, w, to - 1u);
        for (uint32_t jump = f->jump[to]; jump; jump = f->other_jump[jump - 1u])
            look_at(f, w, jump - 1u);
        const bool called = to && code[to - 1u].op_class == GMTRACE_CLASS_CALL;
        for (uint32_t r = called ? f->first_return : 0; r; r = f->other_return[r - 1u])
            look_at(f, w, r - 1u);
    }
    bool good = w->good && !w->count;
    for (uint32_t i = 0; i < w->count && w->good; i++)
        good |= is_good(f, w->found[i], depth);
    free(w);
    return good;
}

/* May it be known what any of those stored whose place in local memory may be that of a load? */
static bool good_stores(search *f, uint32_t load, uint32_t depth)
{
    const gmtrace_instr *code = f->v->graph->instr;
    bool good = false;
    for (uint32_t n = 0; n < f->v->graph->instr_count; n++)
        if (gmt_has_prefix(code[n].opcode, "STL") && may_share(&code[n], &code[load]))
            good |= is_good(f, n, depth);
    return good;
}

static bool good_sources(search *f, uint32_t n, uint32_t depth)
{
    path_step step;
    if (!path_step_read(&f->v->graph->instr[n], f->v->launch, &step))
        return false;
    bool good =
        !step.guard.is_register || good_register(f, n, step.guard.file, step.guard.number, depth);
    if (path_step_loads_local(&step) || path_step_stores(&step))
        good &= f->v->local;
    if (path_step_loads_local(&step) && good)
        return good_stores(f, n, depth);
    for (unsigned i = 0; i < step.sources && good; i++)
        good = !step.source[i].is_register ||
               good_register(f, n, step.source[i].file, step.source[i].number, depth);
    return good;
}

static bool is_good(search *f, uint32_t n, uint32_t depth)
{
    if (f->v->role[n] & (PATH_BAD | PATH_GOOD))
        return f->v->role[n] & PATH_GOOD;
    if (f->visited[n] == f->visit)
        return true;
    if (depth == MAX_DEPTH)
        return false;
    f->visited[n] = f->visit;
    f->list[f->count++] = n;
    const bool good = good_sources(f, n, depth + 1u);
    if (!good)
        f->v->role[n] |= PATH_BAD;
    return good;
}

static bool find_jumps(search *f)
{
    const uint32_t count = f->v->graph->instr_count + 1u;
    f->stack = calloc(count, 8u * sizeof *f->stack);
    if (!f->stack)
        return false;
    f->seen = f->stack + count;
    f->jump = f->seen + count;
    f->other_jump = f->jump + count;
    f->visited = f->other_jump + count;
    f->list = f->visited + count;
    f->last_turn = f->list + count;
    f->other_return = f->last_turn + count;
    for (uint32_t n = 0; n + 1u < count; n++) {
        const uint32_t target = f->v->graph->instr[n].target;
        if (f->v->graph->instr[n].op_class == GMTRACE_CLASS_RETURN) {
            f->other_return[n] = f->first_return;
            f->first_return = n + 1u;
        }
        if (target < count && gmt_transfers(&f->v->graph->instr[n])) { /* BSSY has one, too */
            f->other_jump[n] = f->jump[target];
            f->jump[target] = n + 1u;
            if (target <= n && n > f->last_turn[target])
                f->last_turn[target] = n;
        }
    }
    for (uint32_t n = 1; n < count; n++) /* loops end where the last one around does */
        if (f->last_turn[n - 1u] >= n && f->last_turn[n - 1u] > f->last_turn[n])
            f->last_turn[n] = f->last_turn[n - 1u];
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

/* Of "@P0 BRA !P1, `(L)" both; of "@P0 EXIT !P1" as well. */
static uint32_t conditions_of(const path_values *v, uint32_t b, path_condition list[2])
{
    const gmt_block *block = &v->graph->flow.block[b];
    const path_block *own = &v->graph->block[b];
    const gmtrace_instr *last = &v->graph->instr[block->first + block->count - 1u];
    const char *text = last->operands;
    uint32_t count = 0;
    if ((last->op_class != GMTRACE_CLASS_BRANCH && last->op_class != GMTRACE_CLASS_EXIT) ||
        own->unlikely || block->edge_count != 2)
        return 0;
    if (own->predicate < 7)
        list[count++] = (path_condition){own->predicate, own->value};
    if (!own->falls_anyway)
        return count;
    const bool negated = *text == '!';
    text += negated;
    const bool leaves = strcmp(last->opcode, "EXIT") == 0;
    if ((!leaves && strcmp(last->opcode, "BRA") != 0) || text[0] != 'P' || text[1] < '0' ||
        text[1] > '6' || text[2] != (leaves ? '\0' : ','))
        return 0;
    list[count++] = (path_condition){(uint8_t)(text[1] - '0'), !negated};
    return count;
}

static bool is_doubtful(search *f, uint32_t b)
{
    const gmt_block *block = &f->v->graph->flow.block[b];
    path_condition list[2];
    if (!conditions_of(f->v, b, list))
        return false;
    f->turn += 2u;
    const gmt_edge *edge = &f->v->graph->flow.edge[block->edge];
    reaches(f, &edge[0], f->turn - 1u, f->turn);
    return reaches(f, &edge[1], f->turn, f->turn - 1u);
}

static bool writes_predicates(const gmtrace_instr *instr)
{
    for (uint32_t k = 0; k < instr->operand_count; k++)
        if (instr->operand[k].write && instr->operand[k].file < GMTRACE_REG_PREDICATE)
            return false;
    return true;
}

/* What counts a loop's turns makes each a state of its own. */
static bool is_in_loop(const search *f, uint32_t n)
{
    return f->last_turn[n] >= n;
}

/* Is it known of what the predicate is made that the instruction reads? Then that will be run;
 * `cheap`: if nothing has to be kept for it from one turn of a loop to the next. */
static bool decide(search *f, uint32_t at, uint8_t predicate, bool cheap)
{
    path_values *v = f->v;
    f->visit++;
    f->count = 0;
    bool good = good_register(f, at, GMTRACE_REG_PREDICATE, predicate, 0);
    for (uint32_t i = 0; i < f->count && good && cheap; i++)
        good = v->role[f->list[i]] & PATH_BAD || v->role[f->list[i]] & PATH_GOOD ||
               !is_in_loop(f, f->list[i]) || writes_predicates(&v->graph->instr[f->list[i]]);
    for (uint32_t i = 0; i < f->count && good; i++) {
        if (v->role[f->list[i]] & (PATH_BAD | PATH_GOOD))
            continue;
        v->steps++;
        v->role[f->list[i]] |= PATH_GOOD;
    }
    return good;
}

static void decide_branch(search *f, uint32_t b, bool cheap)
{
    const gmt_block *block = &f->v->graph->flow.block[b];
    path_condition list[2];
    const uint32_t count = conditions_of(f->v, b, list);
    bool good = count != 0;
    for (uint32_t i = 0; i < count && good; i++)
        good = decide(f, block->first + block->count - 1u, list[i].predicate, cheap);
    f->v->branch[b] |= good ? PATH_DECIDES : 0;
}

static void decide_branches(search *f, bool all)
{
    path_values *v = f->v;
    const uint32_t count = v->graph->flow.block_count;
    for (uint32_t b = 0; b < count; b++)
        if (is_doubtful(f, b)) {
            v->branch[b] = PATH_DOUBTFUL;
            decide_branch(f, b, false);
        }
    for (uint32_t b = 0; b < count && v->steps && all; b++)
        if (!(v->branch[b] & PATH_DOUBTFUL))
            decide_branch(f, b, true);
}

/* Whether lanes that come to a record are in it. */
static void decide_guards(search *f)
{
    path_values *v = f->v;
    for (uint32_t b = 0; b < v->graph->flow.block_count; b++) {
        const uint32_t n = v->graph->flow.block[b].first;
        const uint8_t predicate = v->graph->instr[n].predicate;
        if (v->graph->block[b].seen != PATH_UNSEEN && predicate < 7 &&
            decide(f, n, predicate, false))
            v->branch[b] |= PATH_GUARDS;
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
    free(v->step);
    v->step = calloc(v->steps + 1u, sizeof *v->step);
    if (!v->step)
        return false;
    for (uint32_t n = 0; n < v->graph->instr_count; n++) {
        v->step_of[n] = UINT32_MAX;
        if (!(v->role[n] & PATH_GOOD))
            continue;
        path_step *step = &v->step[next];
        v->step_of[n] = next++;
        path_step_read(&v->graph->instr[n], v->launch, step);
        give_place(v, &step->guard);
        for (unsigned i = 0; i < step->sources; i++)
            give_place(v, &step->source[i]);
        for (unsigned i = 0; i < step->targets; i++)
            give_place(v, &step->target[i]);
    }
    return v->places < PATH_PLACES;
}

static path_places bits_of(const path_values *v, uint32_t file, uint32_t first, uint32_t count)
{
    path_places places = 0;
    for (uint32_t r = first; r < 256u && r < first + count; r++)
        if (v->place[file][r] != PATH_NO_PLACE)
            places |= (path_places)1 << v->place[file][r];
    return places;
}

/* Places that the instruction writes, a bit each; R2P names no predicate, and may write all. */
static path_places written_by(const path_values *v, const gmtrace_instr *instr)
{
    path_places places = 0;
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const gmtrace_operand *o = &instr->operand[k];
        if (o->write && o->file < PATH_FILES)
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
        if (v->step_of[n] == UINT32_MAX)
            v->forgotten[n] = written_by(v, &v->graph->instr[n]);
}

static path_places bit_of(const path_source *s)
{
    return s->is_register && s->place != PATH_NO_PLACE ? (path_places)1 << s->place : 0;
}

static path_places bit_of_predicate(const path_values *v, uint8_t number)
{
    const uint8_t place = v->place[GMTRACE_REG_PREDICATE][number];
    return place == PATH_NO_PLACE ? 0 : (path_places)1 << place;
}

/* What is asked for before the instruction, if `after` is behind it. */
static path_places live_before(const path_values *v, uint32_t n, path_places after)
{
    const bool always = v->graph->instr[n].predicate == GMTRACE_NO_REGISTER;
    if (always)
        after &= ~v->forgotten[n];
    if (v->branch[v->graph->flow.block_of[n]] & PATH_GUARDS)
        after |= bit_of_predicate(v, v->graph->instr[n].predicate);
    if (v->step_of[n] == UINT32_MAX)
        return after;
    const path_step *step = &v->step[v->step_of[n]];
    for (unsigned i = 0; i < step->targets && always; i++)
        after &= ~bit_of(&step->target[i]);
    for (unsigned i = 0; i < step->sources; i++)
        after |= bit_of(&step->source[i]);
    after |= path_step_asks_warp(step) ? PATH_ASKS_WARP : 0;
    after |= path_step_asks_cta(step) ? PATH_ASKS_CTA : 0;
    return after | bit_of(&step->guard);
}

/* Behind the block. A return may lead behind any call. */
static path_places live_behind(const path_values *v, uint32_t b)
{
    const gmt_block *block = &v->graph->flow.block[b];
    path_places live = 0;
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const gmt_edge *edge = &v->graph->flow.edge[block->edge + e];
        if (edge->to < v->graph->flow.block_count)
            live |= v->live[edge->to];
    }
    return live;
}

/* Behind the first `from` instructions of a block. */
static path_places live_from(const path_values *v, uint32_t b, uint32_t from)
{
    const gmt_block *block = &v->graph->flow.block[b];
    path_places live = live_behind(v, b);
    path_condition list[2];
    const uint32_t count = v->branch[b] & PATH_DECIDES ? conditions_of(v, b, list) : 0;
    for (uint32_t i = 0; i < count; i++)
        live |= bit_of_predicate(v, list[i].predicate);
    for (uint32_t n = block->first + block->count; n-- > block->first + from;)
        live = live_before(v, n, live);
    return live;
}

static void find_live(path_values *v)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = v->graph->flow.block_count; b-- > 0;) {
            const path_places live = live_from(v, b, 0);
            changed |= live != v->live[b];
            v->live[b] = live;
        }
    }
}

/* What the instruction stores to local memory is asked for once its record is there, too. */
static path_places stored_by(const path_values *v, uint32_t n)
{
    const path_step *step = v->step_of[n] == UINT32_MAX ? NULL : &v->step[v->step_of[n]];
    path_places stored = 0;
    for (unsigned i = 0; step && path_step_stores(step) && i < step->sources; i++)
        stored |= bit_of(&step->source[i]);
    return stored;
}

/* What is asked for often. */
static void note(path_values *v)
{
    const uint32_t count = v->graph->instr_count;
    v->next[count] = count;
    for (uint32_t n = count; n-- > 0;)
        v->next[n] = v->step_of[n] != UINT32_MAX || v->forgotten[n] ? n : v->next[n + 1u];
    for (uint32_t b = 0; b < v->graph->flow.block_count; b++) {
        v->behind[b] = live_from(v, b, 1) | stored_by(v, v->graph->flow.block[b].first);
        v->decided[b].count = conditions_of(v, b, v->decided[b].list);
    }
    v->lanes.places = v->places;
    v->holds = PATH_NO_VALUES;
}

static bool loads_local(const path_values *v)
{
    bool any = false;
    for (uint32_t i = 0; i < v->steps && !any; i++)
        any = path_step_loads_local(&v->step[i]);
    return any;
}

/* What is to be run: for doubtful branches alone, or for all that may tell that lanes go elsewhere.
 * False where that is nothing, or too much. */
static bool plan(search *f, bool all)
{
    path_values *v = f->v;
    memset(v->place, PATH_NO_PLACE, sizeof v->place);
    memset(v->role, 0, v->graph->instr_count);
    memset(v->branch, 0, v->graph->flow.block_count);
    v->places = v->steps = 0;
    decide_branches(f, all);
    if (v->steps && all)
        decide_guards(f);
    return v->steps && f->work < MAX_WORK && make_steps(v);
}

bool path_plan_make(path_values *v)
{
    search f = {.v = v};
    const bool found = find_jumps(&f);
    v->local = found; /* as much as fits */
    bool good = found && (plan(&f, true) || plan(&f, false));
    if (found && !good) {
        v->local = false;
        f.work = 0;
        good = plan(&f, true) || plan(&f, false);
    }
    free(f.stack);
    if (!good)
        return false;
    v->local = v->local && loads_local(v);
    find_forgetters(v);
    find_live(v);
    note(v);
    return true;
}
