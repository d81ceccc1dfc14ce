/* SPDX-License-Identifier: MIT
 *
 * constants.c - the code that makes indices of constants is few instructions: those, all over the
 * kernel, that write what an index is made of. They are run along each way by path_const.h; what
 * they leave in registers is a state, and a way from a state is gone through once, whatever the
 * number of warps that go it. Lanes are run one by one where they read different constants.
 */
#include "traces/code/constants.h"
#include "traces/code/decoded_private.h"
#include "traces/code/graph.h"

#include <stdlib.h>

#define REGISTERS 48u        /* that indices may be made of */
#define STATES    (1u << 16) /* remembered; beyond, nothing is read */
#define ITEMS     (1u << 16) /* of a way */
#define TURNS     4096u      /* of a loop */
#define FILES     4u

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct step {
    struct step *other; /* of the same state */
    uint32_t way;
    gmtrace_constant_way reads;
} step;

typedef struct place {
    uint8_t file, number;
} place;

struct gmtrace_constants {
    const gmtrace_kernel *kernel;
    const gmtrace_decoded *decoded;
    const gmtrace_loaded *loaded;
    uint8_t *role;   /* of each instruction: RUNS, VARIES, READS */
    uint32_t lanes;  /* that are run */
    uint32_t places; /* registers of a state */
    place place[REGISTERS];
    path_const *now; /* of each lane */
    uint32_t *value; /* states one after the other, lanes, registers */
    step **first;    /* of each state */
    uint32_t states, room;
    gmtrace_constant *item; /* of the way that is gone through */
    uint32_t items, item_room;
    bool failed;
};

enum { RUNS = 1, VARIES = 2, READS = 4 };

static bool loads_constants(const gmtrace_decoded *decoded)
{
    return decoded->unit == GMTRACE_UNIT_LDC || decoded->unit == GMTRACE_UNIT_ULDC;
}

static bool writes(const gmtrace_instr *instr, place reg)
{
    for (uint32_t k = 0; k < instr->operand_count; k++)
        if (gmt_names(&instr->operand[k], true, reg.file, reg.number))
            return true;
    return false;
}

/* The code that makes indices, as it is found: `next` of the instructions on the list have not been
 * asked yet what they read. */
typedef struct search {
    uint32_t *list, count, next;
    uint32_t *stack; /* of places in the code that a register's value may come from */
    uint32_t *seen, turn;
    uint32_t *jump, *other_jump; /* one that jumps to each, plus one; another to the same place */
} search;

static void remember(gmtrace_constants *c, place reg)
{
    for (uint32_t i = 0; i < MIN(c->places, REGISTERS); i++)
        if (c->place[i].file == reg.file && c->place[i].number == reg.number)
            return;
    if (c->places < REGISTERS)
        c->place[c->places] = reg;
    c->places++;
}

/* The register's value may come by instruction `n`: on the list if that writes it, and on the stack
 * if it may come from before that. */
static void look_at(gmtrace_constants *c, search *f, uint32_t n, place reg, uint32_t *depth)
{
    const gmtrace_instr *instr = &c->kernel->instr[n];
    if (f->seen[n] == f->turn)
        return;
    f->seen[n] = f->turn;
    const bool found = writes(instr, reg);
    if (found && !(c->role[n] & RUNS)) {
        c->role[n] |= RUNS;
        f->list[f->count++] = n;
    }
    if (!found || instr->predicate != GMTRACE_NO_REGISTER)
        f->stack[(*depth)++] = n;
}

/* Puts on the list what the register's value at `at` may have been written by. */
static void find_writers(gmtrace_constants *c, search *f, uint32_t at, place reg)
{
    uint32_t depth = 0;
    remember(c, reg);
    f->stack[depth++] = at;
    for (f->turn++; depth;) {
        const uint32_t to = f->stack[--depth];
        if (to && gmt_may_fall(&c->kernel->instr[to - 1u]))
            look_at(c, f, to - 1u, reg, &depth);
        for (uint32_t from = f->jump[to]; from; from = f->other_jump[from - 1u])
            look_at(c, f, from - 1u, reg, &depth);
    }
}

static void ask_for_operands(gmtrace_constants *c, search *f, uint32_t at)
{
    const gmtrace_instr *instr = &c->kernel->instr[at];
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const gmtrace_operand *o = &instr->operand[k];
        for (uint32_t n = o->first; !o->write && n < (uint32_t)o->first + o->count; n++)
            if (o->file < FILES && n < PATH_REGISTERS && c->places <= REGISTERS)
                find_writers(c, f, at, (place){o->file, (uint8_t)n});
    }
}

/* Finds the code that makes indices. Whether there is any, and little enough of it. */
static bool find_code(gmtrace_constants *c, uint32_t lanes)
{
    const uint32_t count = c->kernel->instr_count + 1u;
    search f = {0};
    uint32_t bank;
    f.list = calloc(count, 5u * sizeof *f.list);
    if (!f.list)
        return false;
    f.stack = f.list + count;
    f.seen = f.stack + count;
    f.jump = f.seen + count;
    f.other_jump = f.jump + count;
    for (uint32_t n = 0; n + 1u < count; n++) {
        const uint32_t target = c->kernel->instr[n].target;
        if (target < count) {
            f.other_jump[n] = f.jump[target];
            f.jump[target] = n + 1u;
        }
    }
    for (uint32_t n = 0; n + 1u < count; n++) {
        const gmtrace_instr *instr = &c->kernel->instr[n];
        const char *index =
            loads_constants(&c->decoded[n]) ? gmt_constant_index(instr, &bank) : NULL;
        if (!index || bank != GMTRACE_CONSTANT_BANK)
            continue;
        c->role[n] |= READS;
        if (*index != 'R' && *index != 'U')
            continue;
        ask_for_operands(c, &f, n);
        if (c->decoded[n].addresses > 1u)
            c->lanes = lanes;
    }
    while (f.next < f.count && c->places <= REGISTERS) {
        const uint32_t n = f.list[f.next++];
        if (c->decoded[n].lanes == GMTRACE_LANES_DIFFER || gmt_varies(c->kernel, c->decoded, n))
            c->role[n] |= VARIES;
        for (uint32_t k = 0; k < c->kernel->instr[n].operand_count; k++) {
            const gmtrace_operand *o = &c->kernel->instr[n].operand[k];
            if (o->write && o->file < FILES)
                for (uint32_t i = o->first; i < (uint32_t)o->first + o->count; i++)
                    remember(c, (place){o->file, (uint8_t)i});
        }
        if (c->decoded[n].lanes != GMTRACE_LANES_DIFFER && !loads_constants(&c->decoded[n]))
            ask_for_operands(c, &f, n);
    }
    free(f.list);
    return c->places && c->places <= REGISTERS;
}

static uint32_t *values_of(const gmtrace_constants *c, uint32_t state)
{
    return c->value + (size_t)state * c->lanes * c->places;
}

/* Room for one more state; its number. */
static uint32_t add_state(gmtrace_constants *c)
{
    if (c->states == c->room) {
        const uint32_t room = c->room ? 2u * c->room : 64u;
        step **first = realloc(c->first, room * sizeof *first);
        c->first = first ? first : c->first;
        uint32_t *value = realloc(c->value, (size_t)room * c->lanes * c->places * sizeof *value);
        c->value = value ? value : c->value;
        if (!first || !value) {
            c->failed = true;
            return 0;
        }
        c->room = room;
    }
    c->first[c->states] = NULL;
    return c->states++;
}

gmtrace_constants *gmtrace_constants_create(const gmtrace_kernel *kernel,
                                            const gmtrace_decoded *decoded, uint32_t lanes,
                                            const gmtrace_loaded *loaded)
{
    gmtrace_constants *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->kernel = kernel;
    c->decoded = decoded;
    c->loaded = loaded;
    c->lanes = 1;
    c->role = calloc(kernel->instr_count + 1u, 1);
    if (c->role && find_code(c, lanes) && (c->now = malloc(c->lanes * sizeof *c->now))) {
        for (uint32_t lane = 0; lane < c->lanes; lane++) {
            path_const_begin(&c->now[lane]);
            c->now[lane].launch = gmt_launch_of(loaded);
        }
        add_state(c);
        if (!c->failed) {
            memset(c->value, 0, (size_t)c->lanes * c->places * sizeof *c->value);
            return c;
        }
    }
    gmtrace_constants_free(c);
    return NULL;
}

void gmtrace_constants_free(gmtrace_constants *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->states; i++)
        for (step *s = c->first[i], *other; s; s = other) {
            other = s->other;
            free((void *)s->reads.item);
            free(s);
        }
    free(c->first);
    free(c->value);
    free(c->now);
    free(c->item);
    free(c->role);
    free(c);
}

static void add(gmtrace_constants *c, uint32_t slot, uint32_t line, uint32_t after)
{
    if (c->items == c->item_room) {
        const uint32_t room = c->item_room ? 2u * c->item_room : 256u;
        gmtrace_constant *item = room <= ITEMS ? realloc(c->item, room * sizeof *item) : NULL;
        if (!item)
            return;
        c->item = item;
        c->item_room = room;
    }
    c->item[c->items++] = (gmtrace_constant){slot, (uint16_t)line, (uint16_t)after};
}

/* The lines that the lanes ask for, each once, and behind how many other addresses. */
static void read_lines(gmtrace_constants *c, uint32_t n, uint32_t slot)
{
    const gmtrace_instr *instr = &c->kernel->instr[n];
    uint32_t address[GMTRACE_WARP_LANES], addresses = 0, bank = 0;
    const uint32_t first = c->items;
    const char *index = gmt_constant_index(instr, &bank);
    const uint32_t kind = index && *index == 'U' && c->decoded[n].unit == GMTRACE_UNIT_ULDC
                              ? GMTRACE_CONSTANT_ULDC
                              : 0;
    const uint32_t active = c->lanes > 1u ? gmt_lanes_at(c->loaded, n) : 1u;
    for (uint32_t lane = 0; index && lane < c->lanes; lane++) {
        if (!(active >> lane & 1u))
            continue;
        const uint32_t at = gmt_constant_offset(&c->now[lane], index) & 0xffffu;
        const uint32_t line = at / GMTRACE_CONSTANT_LINE | kind;
        uint32_t same = 0;
        while (same < addresses && address[same] != at)
            same++;
        if (same < addresses)
            continue;
        address[addresses++] = at;
        same = first;
        while (same < c->items && c->item[same].line != line)
            same++;
        if (same == c->items)
            add(c, slot, line, addresses - 1u);
    }
}

/* Goes through an instruction; `boards`: those that constants set and nobody has waited for. */
static uint32_t go_on(gmtrace_constants *c, uint32_t n, uint32_t slot, uint32_t boards)
{
    const gmtrace_instr *instr = &c->kernel->instr[n];
    if (instr->wait_mask & boards) {
        add(c, slot, GMTRACE_CONSTANT_WAIT, 0);
        boards &= ~(uint32_t)instr->wait_mask;
    }
    if (c->role[n] & READS) {
        read_lines(c, n, slot);
        if (instr->write_barrier < GMTRACE_PATH_BARRIERS)
            boards |= 1u << instr->write_barrier;
        else
            add(c, slot, GMTRACE_CONSTANT_WAIT, 0);
    }
    for (uint32_t lane = 0; c->role[n] & RUNS && lane < c->lanes; lane++)
        if (!gmt_set_loaded(c->loaded, &c->now[lane], instr, n, lane))
            gmt_run_lane(&c->now[lane], instr, &c->decoded[n], c->role[n] & VARIES, lane);
    return boards;
}

/* Goes through the way, once for each of its turns. */
static uint32_t go_through(gmtrace_constants *c, const gmtrace_path *way)
{
    uint32_t slot = 0, boards = 0;
    for (uint32_t first = 0, end; first < way->piece_count; first = end) {
        const uint32_t times = way->piece[first].times;
        for (end = first + 1u;
             times > 1u && end < way->piece_count && way->piece[end].times == times; end++)
            ;
        for (uint32_t t = 0; t < MIN(times, TURNS) && c->items < ITEMS; t++)
            for (uint32_t p = first; p < end; p++)
                for (uint32_t i = 0; i < way->piece[p].count; i++) {
                    const uint32_t n = way->piece[p].first + i;
                    boards = go_on(c, n, slot, boards);
                    slot += MAX(c->kernel->instr[n].stall, 1u);
                }
    }
    if (boards)
        add(c, slot, GMTRACE_CONSTANT_WAIT, 0);
    return slot;
}

static void restore(gmtrace_constants *c, uint32_t state)
{
    const uint32_t *value = values_of(c, state);
    for (uint32_t lane = 0; lane < c->lanes; lane++)
        for (uint32_t i = 0; i < c->places; i++)
            c->now[lane].file[c->place[i].file].value[c->place[i].number] = *value++;
}

/* The state that the registers are in: the old one where nothing has changed. */
static uint32_t keep(gmtrace_constants *c, uint32_t before)
{
    const uint32_t state = add_state(c);
    if (c->failed)
        return before;
    uint32_t *value = values_of(c, state), *at = value;
    for (uint32_t lane = 0; lane < c->lanes; lane++)
        for (uint32_t i = 0; i < c->places; i++)
            *at++ = c->now[lane].file[c->place[i].file].value[c->place[i].number];
    if (memcmp(value, values_of(c, before), (size_t)(at - value) * sizeof *value) != 0)
        return state;
    c->states--;
    return before;
}

const gmtrace_constant_way *gmtrace_constants_step(gmtrace_constants *c, uint32_t state,
                                                   const gmtrace_path *way)
{
    static const gmtrace_constant_way none;
    /* Warps take a state's ways at about the same time: what one took is the first for the next. */
    for (step **at = &c->first[state]; *at; at = &(*at)->other) {
        step *s = *at;
        if (s->way != way->number)
            continue;
        *at = s->other;
        s->other = c->first[state];
        c->first[state] = s;
        return &s->reads;
    }
    step *s = c->states < STATES && !c->failed ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return &none;
    restore(c, state);
    c->items = 0;
    s->way = way->number;
    s->reads.slots = go_through(c, way);
    s->reads.count = c->items;
    s->reads.next = keep(c, state);
    gmtrace_constant *item = malloc((c->items + 1u) * sizeof *item);
    if (item && c->items)
        memcpy(item, c->item, c->items * sizeof *item);
    s->reads.item = item;
    if (!item)
        s->reads.count = 0;
    s->other = c->first[state];
    c->first[state] = s;
    return &s->reads;
}
