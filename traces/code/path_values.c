/* SPDX-License-Identifier: MIT
 *
 * path_values.c - runs the code that decides how lanes go (path_plan.h) along the ways of each
 * warp. What it leaves in the lanes' registers has a number; equal ones have the same, where
 * registers count that something later is made of. Left out: branches on what was loaded where the
 * trace does not say what memory held; code with mbarriers, whose times go with the older rules
 * (micro/mbarrier.cu, pingpong).
 */
#include "traces/code/path_plan.h"
#include "traces/format/wide.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* lanes side by side */
#endif

#include <stdlib.h>
#include <string.h>

#define MAX_STATES (1u << 28) /* bytes for what lanes have; beyond, nothing is known */
#define PER_STATE  256u       /* what each takes elsewhere: ways, moves */
#define PER_EACH   48u        /* what each number for values takes */
#define MAX_RUN    (1u << 27) /* instructions that are run; half of either: see apart() */
#define PER_LOAD   64u        /* what a load counts as */

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
    v->step_of = calloc(graph->instr_count + (size_t)1, sizeof *v->step_of);
    v->role = calloc(graph->instr_count + (size_t)1, 1);
    v->forgotten = calloc(graph->instr_count + (size_t)1, sizeof *v->forgotten);
    v->branch = calloc(graph->flow.block_count + (size_t)1, 1);
    v->live = calloc(graph->flow.block_count + (size_t)1, sizeof *v->live);
    v->behind = calloc(graph->flow.block_count + (size_t)1, sizeof *v->behind);
    v->decided = calloc(graph->flow.block_count + (size_t)1, sizeof *v->decided);
    v->next = calloc(graph->instr_count + (size_t)1, sizeof *v->next);
    if (v->step_of && v->role && v->forgotten && v->branch && v->live && v->behind && v->decided &&
        v->next && path_plan_make(v) && path_memory_make(&v->memory, launch->known))
        return v;
    path_values_free(v);
    return NULL;
}

void path_values_free(path_values *v)
{
    if (!v)
        return;
    path_set_free(&v->states);
    path_set_free(&v->each);
    free(v->step);
    free(v->step_of);
    free(v->role);
    free(v->forgotten);
    free(v->branch);
    free(v->live);
    path_memory_free(&v->memory);
    free(v->behind);
    free(v->decided);
    free(v->next);
    free(v);
}

/* ------------------------------------------------------------------------------------------ states
 */

#define HEAD 4u /* words: lanes, warp, CTA, missing */

/* What lanes have in a register: nothing that is known; the same in all; as much more from lane to
 * lane; any. */
enum { UNKNOWN, SAME, STEPS, EACH };

#define INLINED static inline __attribute__((always_inline))

/* What lane 0 would have if all had what the form says. */
INLINED uint32_t origin_of(uint32_t first, uint32_t base, uint32_t step)
{
    return base - first * step;
}

WIDE static unsigned form_of(const uint32_t *value, uint32_t known, uint32_t *step)
{
    const uint32_t first = (uint32_t)__builtin_ctz(known);
    const bool two = first < 31 && known >> (first + 1u) & 1u;
    const uint32_t by = two ? value[first + 1u] - value[first] : 0;
    const uint32_t origin = origin_of(first, value[first], by);
    uint32_t other = 0;
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && known == UINT32_MAX; lane++)
        other |= value[lane] ^ (origin + lane * by);
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && known != UINT32_MAX; lane++)
        other |= (value[lane] ^ (origin + lane * by)) & (0u - (known >> lane & 1u));
    *step = by;
    return other ? EACH : by ? STEPS : SAME;
}

/* Four bits of each place come first, its form and whether a word says in which lanes it is known,
 * not all there are; then, of each, that word, and its values: those of EACH as a number, for they
 * are the same in many states. */
enum { IN_SOME = 4, FORM = 3, FORM_BITS = 4, FORMS = 32 / FORM_BITS };
#define FORM_WORDS(places) (((places) + FORMS - 1u) / FORMS)
#define WORDS              (HEAD + FORM_WORDS(PATH_PLACES) + PATH_PLACES * 3u)

/* The number of what each lane has, UINT32_MAX without memory. */
static uint32_t keep_each(path_values *v, const uint32_t *value, uint32_t known)
{
    uint32_t each[GMTRACE_WARP_LANES];
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && known != UINT32_MAX; lane++)
        each[lane] = value[lane] & (0u - (known >> lane & 1u));
    const uint32_t before = v->each.count;
    const uint32_t number = path_set_put(&v->each, known == UINT32_MAX ? value : each, sizeof each);
    v->kept += number >= before && number != UINT32_MAX ? sizeof each + PER_EACH : 0;
    return number;
}

/* False without memory. */
static bool find_form(path_values *v, path_form *f, const uint32_t *value, uint32_t known,
                      uint32_t mask)
{
    f->own = form_of(value, known, &f->step);
    f->base = f->own == EACH ? keep_each(v, value, known) : value[__builtin_ctz(known)];
    if (f->own == EACH && f->base == UINT32_MAX)
        return false;
    f->own |= known != mask ? IN_SOME : 0;
    return true;
}

/* How many words, 0 without memory. Lanes then have no more than these say. */
static uint32_t write_state(path_values *v, path_lanes *lanes, path_places live,
                            uint32_t word[WORDS])
{
    uint32_t at = HEAD + FORM_WORDS(v->places), *form = word + HEAD;
    lanes->warp = live & PATH_ASKS_WARP ? lanes->warp : 0;
    lanes->cta = live & PATH_ASKS_CTA ? lanes->cta : 0;
    lanes->unsure = false;
    word[0] = lanes->mask;
    word[1] = lanes->warp;
    word[2] = lanes->cta;
    word[3] = lanes->missing;
    memset(form, 0, (at - HEAD) * sizeof *form);
    if (lanes->form_mask != lanes->mask)
        for (uint32_t p = 0; p < v->places; p++)
            lanes->form[p].own = 0;
    lanes->form_mask = lanes->mask;
    for (uint32_t p = 0; p < v->places; p++) {
        const uint64_t half = (uint64_t)(p < 64 ? live : live >> 64); /* as the host's registers */
        const uint32_t known = lanes->known[p] &= half >> p % 64u & 1u ? lanes->mask : 0;
        path_form *f = &lanes->form[p];
        if (!known)
            continue;
        if (!f->own && !find_form(v, f, lanes->value[p], known, lanes->mask))
            return 0;
        if (f->own & IN_SOME)
            word[at++] = known;
        word[at++] = f->base;
        if ((f->own & FORM) == STEPS)
            word[at++] = f->step;
        form[p / FORMS] |= f->own << p % FORMS * FORM_BITS;
    }
    return at;
}

static uint32_t keep(path_values *v, path_lanes *lanes, path_places live)
{
    uint32_t word[WORDS];
    const uint32_t at = v->full ? 0 : write_state(v, lanes, live, word), before = v->states.count;
    const uint32_t number = at ? path_set_put(&v->states, word, at * sizeof *word) : PATH_NO_VALUES;
    if (number != PATH_NO_VALUES && number >= before)
        v->kept += at * sizeof *word + PER_STATE;
    v->full |= v->kept > MAX_STATES;
    v->holds = number; /* they are the open ones */
    return number;
}

uint32_t path_values_keep(path_values *v, path_lanes *lanes)
{
    return keep(v, lanes, PATH_ALL_LIVE);
}

uint32_t path_values_keep_behind(path_values *v, path_lanes *lanes, uint32_t block)
{
    return keep(v, lanes, block == PATH_END ? 0 : v->behind[block]);
}

/* Of the lanes in which it is known. */
WIDE static void fill(uint32_t value[GMTRACE_WARP_LANES], uint32_t known, uint32_t origin,
                      uint32_t step)
{
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && known == UINT32_MAX; lane++)
        value[lane] = origin + lane * step;
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && known != UINT32_MAX; lane++) {
        const uint32_t own = 0u - (known >> lane & 1u);
        value[lane] ^= (value[lane] ^ (origin + lane * step)) & own;
    }
}

WIDE static void fill_each(uint32_t value[GMTRACE_WARP_LANES], uint32_t known, const uint32_t *each)
{
    if (known == UINT32_MAX)
        memcpy(value, each, GMTRACE_WARP_LANES * sizeof *value);
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && known != UINT32_MAX; lane++) {
        const uint32_t own = 0u - (known >> lane & 1u);
        value[lane] ^= (value[lane] ^ each[lane]) & own;
    }
}

void path_values_join(const path_values *v, uint32_t number, path_lanes *lanes)
{
    size_t size;
    const uint32_t *word = path_set_get(&v->states, number, &size), *form = word + HEAD;
    const uint32_t mask = word[0];
    const bool alone = !lanes->mask;
    lanes->mask |= mask;
    lanes->form_mask = alone ? mask : 0;
    lanes->warp = word[1];
    lanes->cta = word[2];
    lanes->missing |= word[3] != 0;
    word = form + FORM_WORDS(v->places);
    for (uint32_t p = 0; p < v->places; p += FORMS)
        for (uint32_t left = form[p / FORMS]; left;) {
            const uint32_t n = (uint32_t)__builtin_ctz(left) / FORM_BITS, place = p + n;
            const uint32_t own = left >> n * FORM_BITS;
            left &= ~(15u << n * FORM_BITS);
            const uint32_t known = own & IN_SOME ? *word++ : mask, base = *word++;
            const uint32_t step = (own & FORM) == STEPS ? *word++ : 0;
            lanes->form[place] = (path_form){own & (FORM | IN_SOME), base, step};
            lanes->known[place] |= known;
            if ((own & FORM) == EACH)
                fill_each(lanes->value[place], known, path_set_get(&v->each, base, &size));
            else
                fill(lanes->value[place], known,
                     origin_of((uint32_t)__builtin_ctz(known), base, step), step);
        }
}

path_lanes *path_values_open(path_values *v, uint32_t number)
{
    path_lanes *lanes = &v->lanes;
    if (v->holds != number) {
        lanes->mask = 0;
        lanes->unsure = lanes->missing = false;
        memset(lanes->known, 0, v->places * sizeof *lanes->known);
        path_values_join(v, number, lanes);
    }
    v->holds = PATH_NO_VALUES;
    return lanes;
}

uint32_t path_values_mask(const path_values *v, uint32_t number)
{
    size_t size;
    return *(const uint32_t *)path_set_get(&v->states, number, &size);
}

/* As what can be known becomes scarce, not every warp is followed by itself: one of two from half
 * of it on, of four from three quarters on, ... */
static uint32_t apart(const path_values *v)
{
    const uint64_t bytes = v->kept < MAX_STATES ? MAX_STATES - v->kept : 1;
    const uint64_t runs = v->ran < MAX_RUN ? MAX_RUN - v->ran : 1;
    uint32_t n = 1;
    while (n < 1024u && (bytes * 2u * n <= MAX_STATES || runs * 2u * n <= MAX_RUN))
        n *= 2u;
    return n;
}

uint32_t path_values_enter(path_values *v, uint32_t cta, uint32_t warp, uint32_t live)
{
    path_lanes *lanes = &v->lanes;
    lanes->mask = live;
    lanes->unsure = lanes->missing = false;
    lanes->warp = warp;
    lanes->cta = cta - cta % apart(v); /* the others as the one before */
    memset(lanes->known, 0, v->places * sizeof *lanes->known);
    return keep(v, lanes, v->graph->flow.block_count ? v->live[0] : 0);
}

bool path_values_full(const path_values *v)
{
    return v->full;
}

void path_values_add_order(const path_values *v, gmtrace_path_order *order)
{
    order->kept += v->full ? GMTRACE_PATHS_ORDERED : v->kept * UINT64_C(2000) / MAX_STATES;
    order->ran += v->ran * UINT64_C(2000) / MAX_RUN;
}

void path_values_give_up(path_values *v)
{
    v->full = true;
}

void path_values_spend(path_values *v)
{
    v->kept += PER_STATE;
    v->full |= v->kept > MAX_STATES;
}

bool path_values_loads(const path_values *v, uint32_t instr)
{
    return v->step_of[instr] != UINT32_MAX && path_step_loads(&v->step[v->step_of[instr]]);
}

/* Generic addresses may be local. */
static bool may_store_local(const gmtrace_instr *instr)
{
    return gmt_has_prefix(instr->opcode, "STL") || strcmp(instr->opcode, "ST") == 0 ||
           gmt_has_prefix(instr->opcode, "ST.");
}

bool path_values_accesses(const path_values *v, uint32_t instr)
{
    if (v->step_of[instr] == UINT32_MAX)
        return v->local && may_store_local(&v->graph->instr[instr]);
    const path_step *step = &v->step[v->step_of[instr]];
    return path_step_loads(step) || path_step_loads_local(step) || path_step_stores(step);
}

/* Has each lane that knows what it loaded found the same? */
static bool is_uniform(const path_step *step, const path_lanes *lanes, uint32_t mask)
{
    bool same = true;
    for (unsigned i = 0; i < step->targets; i++) {
        const uint8_t place = step->target[i].place;
        const uint32_t known = place == PATH_NO_PLACE ? 0 : mask & lanes->known[place];
        const uint32_t first = known ? (uint32_t)__builtin_ctz(known) : 0;
        for (uint32_t left = known; left && same; left &= left - 1u)
            same = lanes->value[place][__builtin_ctz(left)] == lanes->value[place][first];
    }
    return same;
}

static path_places targets_of(const path_step *step)
{
    path_places found = 0;
    for (unsigned i = 0; i < step->targets; i++)
        if (step->target[i].is_register && step->target[i].place != PATH_NO_PLACE)
            found |= (path_places)1 << step->target[i].place;
    return found;
}

/* What is not followed goes as others went (path_way.c). */
uint32_t path_values_access(path_values *v, uint32_t number, const gmtrace_record *record,
                            const uint64_t address[GMTRACE_WARP_LANES], path_local *local)
{
    const uint32_t instr = record->instr;
    if (v->step_of[instr] == UINT32_MAX) {
        if (record->space == GMTRACE_SPACE_LOCAL)
            path_local_forget(local, record->mask, address, record->size);
        return number;
    }
    const path_step *step = &v->step[v->step_of[instr]];
    path_lanes *lanes = path_values_open(v, number);
    const uint32_t mask = record->mask & lanes->mask;
    v->ran += PER_LOAD;
    v->full |= v->ran > MAX_RUN;
    if (path_step_stores(step)) {
        path_local_store(local, step, lanes, mask, address);
        v->holds = number; /* the lanes have what they had */
        return number;
    }
    if (path_step_loads_local(step))
        path_local_load(local, step, lanes, mask, address);
    else
        path_step_load(step, &v->memory, lanes, mask, address);
    if (!is_uniform(step, lanes, mask) && v->loads++ % apart(v))
        for (unsigned i = 0; i < step->targets; i++)
            if (step->target[i].place != PATH_NO_PLACE)
                path_lanes_forget(lanes, step->target[i].place, mask);
    for (unsigned i = 0; i < step->targets; i++)
        if (step->target[i].place != PATH_NO_PLACE)
            lanes->missing |= (mask & ~lanes->known[step->target[i].place]) != 0;
    return path_values_keep_behind(v, lanes, v->graph->flow.block_of[instr]);
}

bool path_values_misses(path_values *v, const gmtrace_record *record,
                        const uint64_t address[GMTRACE_WARP_LANES], uint32_t mask,
                        path_places places)
{
    const uint32_t n = v->step_of[record->instr];
    if (n == UINT32_MAX || !path_step_loads(&v->step[n]) || v->full ||
        v->ran + PER_LOAD > MAX_RUN ||
        places & (path_values_over(v, v->graph->flow.block_of[record->instr]) |
                  targets_of(&v->step[n])) ||
        path_step_finds(&v->step[n], &v->memory, record->mask & mask, address))
        return false;
    v->ran += PER_LOAD;
    return true;
}

static unsigned lowest(path_places places)
{
    const uint64_t low = (uint64_t)places;
    return (unsigned)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(places >> 64)));
}

void path_values_run(path_values *v, path_lanes *lanes, uint32_t first, uint32_t count,
                     uint32_t mask)
{
    v->ran += count;
    for (uint32_t n = v->next[first]; n < first + count; n = v->next[n + 1u]) {
        if (v->step_of[n] != UINT32_MAX)
            path_step_run(&v->step[v->step_of[n]], v->launch, lanes, mask);
        for (path_places left = v->forgotten[n]; left; left &= left - 1u)
            path_lanes_forget(lanes, (uint8_t)lowest(left), mask);
    }
}

void path_values_count(path_values *v, uint64_t instructions)
{
    v->ran += instructions;
}

path_effect path_values_effect(const path_values *v, uint32_t first, uint32_t count,
                               path_places *places)
{
    path_effect most = PATH_LEAVES;
    for (uint32_t n = v->next[first]; n < first + count; n = v->next[n + 1u]) {
        *places |= v->forgotten[n];
        if (v->step_of[n] == UINT32_MAX)
            continue;
        const path_step *step = &v->step[v->step_of[n]];
        const bool loads = path_step_loads(step) || path_step_loads_local(step);
        const path_effect own = loads || path_step_stores(step) ? PATH_LEAVES
                                : path_step_votes(step)         ? PATH_VOTES
                                                                : PATH_RUNS;
        most = own > most ? own : most;
        *places |= loads ? targets_of(step) : 0;
    }
    return most;
}

path_places path_values_over(const path_values *v, uint32_t block)
{
    return ~(block == PATH_END ? 0 : v->behind[block]);
}

path_places path_values_places(const path_values *v, uint32_t number, bool *missing)
{
    size_t size;
    const uint32_t *word = path_set_get(&v->states, number, &size), *form = word + HEAD;
    path_places found = (word[1] ? PATH_ASKS_WARP : 0) | (word[2] ? PATH_ASKS_CTA : 0);
    for (uint32_t p = 0; p < v->places; p++)
        found |= (path_places)((form[p / FORMS] >> p % FORMS * FORM_BITS & FORM) != 0) << p;
    *missing = word[3];
    return found;
}

bool path_values_doubt(const path_values *v, uint32_t block)
{
    return v->branch[block] & PATH_DOUBTFUL;
}

bool path_values_guard(const path_values *v, uint32_t block)
{
    return block != PATH_END && v->branch[block] & PATH_GUARDS;
}

int path_values_recorded(const path_values *v, const path_lanes *lanes, uint32_t block,
                         uint32_t mask)
{
    const gmtrace_instr *instr = &v->graph->instr[v->graph->flow.block[block].first];
    if (instr->predicate >= 7)
        return instr->predicate == GMTRACE_NO_REGISTER || !instr->predicate_negated;
    const uint8_t place = v->place[GMTRACE_REG_PREDICATE][instr->predicate];
    if (!(v->branch[block] & PATH_GUARDS) || place == PATH_NO_PLACE)
        return -1;
    for (uint32_t left = mask & lanes->known[place]; left; left &= left - 1u)
        if ((lanes->value[place][__builtin_ctz(left)] != 0) != instr->predicate_negated)
            return 1;
    return mask & ~lanes->known[place] ? -1 : 0;
}

bool path_values_decide(const path_values *v, uint32_t block)
{
    return v->branch[block] & PATH_DECIDES;
}

bool path_values_jump(const path_values *v, const path_lanes *lanes, uint32_t block, uint32_t mask,
                      uint32_t *jump)
{
    const path_conditions *own = &v->decided[block];
    uint32_t unknown = 0; /* lanes that jump if what is not known says so */
    *jump = mask;
    for (uint32_t i = 0; i < own->count; i++) {
        const uint8_t place = v->place[GMTRACE_REG_PREDICATE][own->list[i].predicate];
        if (place == PATH_NO_PLACE)
            return false;
        unknown |= ~lanes->known[place];
        for (uint32_t left = *jump & lanes->known[place]; left; left &= left - 1u) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            if ((lanes->value[place][lane] != 0) != own->list[i].value)
                *jump &= ~(1u << lane);
        }
    }
    return !(*jump & unknown);
}
