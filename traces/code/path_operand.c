/* SPDX-License-Identifier: MIT
 *
 * path_operand.c - what an instruction reads and writes: registers, numbers in the code, the
 * launch's size and parameters. Left out: constants that are no parameters.
 */
#include "traces/code/path_step.h"

#include <string.h>

static bool is_register(const sass_operand *o)
{
    return o->kind == SASS_REG || o->kind == SASS_UREG || o->kind == SASS_PRED ||
           o->kind == SASS_UPRED;
}

path_source path_read_register(const sass_operand *o)
{
    static const uint8_t file[] = {[SASS_REG] = GMTRACE_REG_GENERAL,
                                   [SASS_UREG] = GMTRACE_REG_UNIFORM,
                                   [SASS_PRED] = GMTRACE_REG_PREDICATE,
                                   [SASS_UPRED] = GMTRACE_REG_UPREDICATE};
    const bool predicate = o->kind == SASS_PRED || o->kind == SASS_UPRED;
    path_source s = {.place = PATH_NO_PLACE, .negated = o->negated, .inverted = o->inverted};
    if (o->number == (predicate ? 7u : SASS_ZERO)) {
        s.value = predicate ? !o->negated : o->inverted ? UINT32_MAX : 0;
        s.negated = s.inverted = false;
    } else {
        s.is_register = true;
        s.file = file[o->kind];
        s.number = o->number;
    }
    return s;
}

/* Of the first bank: the launch's sizes lie at its beginning, the parameters further on. Of the
 * fourth: variables, as far as the capture told what they held. */
bool path_read_constant_bytes(const gmtrace_launch *launch, const sass_operand *o, uint32_t size,
                              uint64_t *value)
{
    const gmtrace_known *known = launch->known;
    uint32_t head[6];
    *value = 0;
    if (o->number != SASS_ZERO || o->uniform != SASS_ZERO || o->value < 0)
        return false;
    const uint64_t at = (uint64_t)o->value;
    if (o->bank == 3u)
        return path_memory_constant(known, at, size, value);
    if (o->bank)
        return false;
    memcpy(head, launch->block, 12);
    memcpy(head + 3, launch->grid, 12);
    if (at + size <= sizeof head) {
        memcpy(value, (const uint8_t *)head + at, size);
        return true;
    }
    if (!known || at < known->constants_offset ||
        at + size > (uint64_t)known->constants_offset + known->constants_size)
        return false;
    memcpy(value, known->constants + (at - known->constants_offset), size);
    return true;
}

void path_read_target(path_reading *r)
{
    const sass_operand *o = &r->op.operand[r->next++];
    if (r->next > r->op.count || !is_register(o) || r->step->targets == PATH_TARGETS) {
        r->good = false;
        return;
    }
    r->step->target[r->step->targets++] = path_read_register(o);
}

/* The register behind the target before. */
void path_read_next_target(path_reading *r)
{
    path_source *s = &r->step->target[r->step->targets];
    if (!r->good || r->step->targets == PATH_TARGETS) {
        r->good = false;
        return;
    }
    *s = s[-1];
    s->number = (uint8_t)(s->number + s->is_register);
    r->step->targets++;
}

void path_read_target_pair(path_reading *r)
{
    path_read_target(r);
    path_read_next_target(r);
}

bool path_read_at_predicate(const path_reading *r)
{
    const uint8_t kind = r->next < r->op.count ? r->op.operand[r->next].kind : SASS_NONE;
    return kind == SASS_PRED || kind == SASS_UPRED;
}

path_source *path_read_next_source(path_reading *r)
{
    static path_source none;
    if (r->step->sources == PATH_SOURCES) {
        r->good = false;
        return &none;
    }
    return &r->step->source[r->step->sources++];
}

/* A source of 32 bits. */
static bool read_value(path_reading *r, const sass_operand *o, path_source *s)
{
    uint64_t value = 0;
    if (is_register(o)) {
        *s = path_read_register(o);
        return true;
    }
    *s = (path_source){.place = PATH_NO_PLACE, .negated = o->negated, .inverted = o->inverted};
    if (o->kind == SASS_IMM)
        value = (uint32_t)o->value;
    else if (o->kind == SASS_CONST && !r->launch)
        r->step->constants = true;
    else if (o->kind != SASS_CONST || !path_read_constant_bytes(r->launch, o, 4, &value))
        return false;
    s->value = (uint32_t)value;
    return true;
}

void path_read_source(path_reading *r)
{
    const sass_operand *o = &r->op.operand[r->next++];
    r->good = r->good && r->next <= r->op.count && !o->absolute && o->part == SASS_WHOLE &&
              !o->byte && read_value(r, o, path_read_next_source(r));
}

void path_read_value(path_reading *r, uint64_t value)
{
    *path_read_next_source(r) = (path_source){.place = PATH_NO_PLACE, .value = (uint32_t)value};
}

/* 64 bits of integers: registers, or constants. */
void path_read_source_pair(path_reading *r)
{
    const sass_operand *o = &r->op.operand[r->next];
    uint64_t value = 0;
    if (o->kind == SASS_CONST && r->launch && !o->negated && !o->inverted) {
        r->good =
            r->good && r->next++ < r->op.count && path_read_constant_bytes(r->launch, o, 8, &value);
        path_read_value(r, value);
        path_read_value(r, value >> 32);
        return;
    }
    path_read_source(r);
    path_source *low = &r->step->source[r->step->sources - 1u];
    if (!r->good || low->negated || low->inverted || (!low->is_register && low->value)) {
        r->good = false;
        return;
    }
    path_source *high = path_read_next_source(r);
    *high = *low;
    high->number = (uint8_t)(low->number + low->is_register);
}

void path_read_comparison(path_reading *r, bool real)
{
    static const struct {
        uint8_t word, holds;
    } known[] = {{SASS_WORD_LT, 1},   {SASS_WORD_EQ, 2},   {SASS_WORD_LE, 3},   {SASS_WORD_GT, 4},
                 {SASS_WORD_NE, 5},   {SASS_WORD_GE, 6},   {SASS_WORD_NUM, 7},  {SASS_WORD_NAN, 8},
                 {SASS_WORD_LTU, 9},  {SASS_WORD_EQU, 10}, {SASS_WORD_LEU, 11}, {SASS_WORD_GTU, 12},
                 {SASS_WORD_NEU, 13}, {SASS_WORD_GEU, 14}};
    unsigned mode = 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (path_read_takes(r, (sass_word)known[i].word))
            mode = known[i].holds;
    r->good &= mode != 0 && (real || mode < 7);
    mode |= path_read_takes(r, SASS_WORD_OR)    ? WITH_OR
            : path_read_takes(r, SASS_WORD_XOR) ? WITH_XOR
                                                : WITH_AND;
    path_read_takes(r, SASS_WORD_AND);
    r->step->mode = (uint8_t)mode;
    path_read_target(r);
    path_read_target(r);
}
