/* SPDX-License-Identifier: MIT
 *
 * parse_body.c - a function's statements. Registers, labels and variables follow the braces they
 * are declared in; a label may be named before it is seen, nothing else.
 */
#include "traces/ptx/parser.h"
#include "traces/ptx/special.h"

#include <ctype.h>

#define MAX_DEPTH 64u

/* --------------------------------------------------------------------------------------- scopes */

static bool open_scope(ptx_parser *p, uint32_t parent)
{
    if (p->depth == MAX_DEPTH)
        return gmptx_parse_error(p, "braces nested more than %u deep", MAX_DEPTH);
    if (!GMT_GROW(p->parent, p->scope_count))
        return gmptx_no_memory(p);
    p->depth++;
    p->parent[p->scope_count] = parent;
    p->scope = p->scope_count++;
    return true;
}

static const ptx_name *find_from(const ptx_parser *p, uint32_t scope, ptx_slice name, bool is_range)
{
    for (; scope != PTX_UNKNOWN; scope = p->parent[scope]) {
        const ptx_name *entry = gmptx_names_find(&p->names, scope, name, is_range);
        if (entry)
            return entry;
    }
    return NULL;
}

/* A register by its name: declared alone, or as one of %r<23>. */
static bool find_register(const ptx_parser *p, ptx_slice name, uint32_t *reg)
{
    const ptx_name *entry = find_from(p, p->scope, name, false);
    if (entry) {
        *reg = entry->index;
        return entry->kind == NAME_REGISTERS;
    }
    uint32_t number = 0, scale = 1;
    for (uint32_t cut = name.length; cut > 1 && isdigit((unsigned char)name.text[cut - 1]);) {
        cut--;
        if (scale > PTX_MAX_REGISTERS)
            return false;
        number += (uint32_t)(name.text[cut] - '0') * scale;
        scale *= 10;
        if (name.text[cut] == '0' && cut + 1 < name.length)
            continue; /* %r01 is not %r1 */
        entry = find_from(p, p->scope, (ptx_slice){name.text, cut}, true);
        if (entry && number < entry->count) {
            *reg = entry->index + number;
            return true;
        }
    }
    return false;
}

/* .reg .b32 %r<23>, %temp; */
static bool parse_registers(ptx_parser *p)
{
    ptx_function *f = p->function;
    gmptx_advance(p);
    if (p->token.kind != TOKEN_DIRECTIVE)
        return gmptx_parse_error(p, ".reg without a type");
    const ptx_type type = gmptx_type_of(p->token.slice);
    if (type == PTX_NONE || type == PTX_B128)
        return gmptx_fail(p->error, GMTRACE_UNSUPPORTED, p->token.line,
                          "registers of .%.*s are not supported", SLICE(p->token.slice));
    do {
        gmptx_advance(p);
        if (p->token.kind != TOKEN_NAME)
            return gmptx_parse_error(p, "a register's name expected before '%.*s'",
                                     SLICE(p->token.slice));
        ptx_name entry = {.name = p->token.slice,
                          .scope = p->scope,
                          .index = f->reg_count,
                          .count = 1,
                          .kind = NAME_REGISTERS};
        gmptx_advance(p);
        if (at_punct(p, '<')) {
            uint64_t count;
            gmptx_advance(p);
            if (!gmptx_expect_int(p, PTX_MAX_REGISTERS, &count) || !gmptx_expect(p, '>'))
                return false;
            entry.count = (uint32_t)count;
            entry.is_range = true;
        }
        if (entry.count > PTX_MAX_REGISTERS - f->reg_count)
            return gmptx_parse_error(p, "a function with more than %u registers",
                                     PTX_MAX_REGISTERS);
        if (gmptx_names_find(&p->names, p->scope, entry.name, entry.is_range))
            return gmptx_parse_error(p, "%.*s is declared twice", SLICE(entry.name));
        for (uint32_t i = 0; i < entry.count; i++) {
            if (!GMT_GROW(f->reg, f->reg_count))
                return gmptx_no_memory(p);
            f->reg[f->reg_count++] =
                (ptx_register){entry.name, entry.is_range ? i : PTX_UNKNOWN, (uint8_t)type};
        }
        if (!gmptx_names_add(&p->names, &entry))
            return gmptx_no_memory(p);
    } while (at_punct(p, ','));
    return gmptx_expect(p, ';');
}

/* --------------------------------------------------------------------------------------- labels */

static bool add_pending(ptx_parser *p, ptx_slice name, uint32_t at, bool is_target)
{
    if (!GMT_GROW(p->pending, p->pending_count))
        return gmptx_no_memory(p);
    p->pending[p->pending_count++] = (ptx_pending){name, p->scope, p->token.line, at, is_target};
    return true;
}

static bool resolve_labels(ptx_parser *p)
{
    ptx_function *f = p->function;
    for (uint32_t i = 0; i < p->pending_count; i++) {
        const ptx_pending *wait = &p->pending[i];
        const ptx_name *entry = find_from(p, wait->scope, wait->name, false);
        const bool found =
            entry &&
            (entry->kind == NAME_LABEL ||
             (!wait->is_target && (entry->kind == NAME_BRANCHES || entry->kind == NAME_PROTOTYPE)));
        if (!found)
            return gmptx_fail(p->error, GMTRACE_CORRUPT, wait->line, "%.*s is not known",
                              SLICE(wait->name));
        if (wait->is_target) {
            f->target[wait->operand] = entry->index;
        } else {
            f->operand[wait->operand].index = entry->index;
            /* what kind of label it is; the decoder checks that it suits the instruction */
            f->operand[wait->operand].value = entry->kind;
        }
    }
    p->pending_count = 0;
    return true;
}

static bool parse_branch_targets(ptx_parser *p)
{
    ptx_function *f = p->function;
    if (!GMT_GROW(f->branch_list, f->branch_list_count))
        return gmptx_no_memory(p);
    ptx_branch_list *list = &f->branch_list[f->branch_list_count++];
    *list = (ptx_branch_list){f->target_count, 0};
    do {
        gmptx_advance(p);
        if (p->token.kind != TOKEN_NAME)
            return gmptx_parse_error(p, "a label expected");
        if (list->count == PTX_MAX_BRANCHES)
            return gmptx_parse_error(p, "too many branch targets");
        if (!GMT_GROW(f->target, f->target_count))
            return gmptx_no_memory(p);
        f->target[f->target_count] = 0;
        if (!add_pending(p, p->token.slice, f->target_count, true))
            return false;
        f->target_count++;
        list->count++;
        gmptx_advance(p);
    } while (at_punct(p, ','));
    return gmptx_expect(p, ';');
}

/* The name has been read and the token is ':'. */
static bool parse_label(ptx_parser *p, ptx_slice name)
{
    ptx_function *f = p->function;
    ptx_name entry = {
        .name = name, .scope = p->scope, .index = f->statement_count, .kind = NAME_LABEL};
    if (gmptx_names_find(&p->names, p->scope, name, false))
        return gmptx_parse_error(p, "%.*s is declared twice", SLICE(name));
    gmptx_advance(p);
    bool good = true;
    if (at_directive(p, "branchtargets")) {
        entry.kind = NAME_BRANCHES;
        entry.index = f->branch_list_count;
        good = parse_branch_targets(p);
    } else if (at_directive(p, "callprototype") || at_directive(p, "calltargets")) {
        entry.kind = NAME_PROTOTYPE;
        good = gmptx_skip_until(p, ';');
    }
    return good && (gmptx_names_add(&p->names, &entry) || gmptx_no_memory(p));
}

/* ------------------------------------------------------------------------------------- operands */

static bool parse_offset(ptx_parser *p, int64_t *value)
{
    while (at_punct(p, '+') || at_punct(p, '-')) {
        bool minus = at_punct(p, '-');
        gmptx_advance(p);
        if (at_punct(p, '-')) { /* [%r1+-8] */
            minus = !minus;
            gmptx_advance(p);
        }
        uint64_t number;
        if (!gmptx_expect_int(p, UINT64_MAX, &number))
            return false;
        *value = (int64_t)((uint64_t)*value + (minus ? 0 - number : number));
    }
    return true;
}

/* A register, variable, function or special register. False without a message where there is
 * none of that name. */
static bool lookup(ptx_parser *p, ptx_slice name, ptx_operand *o)
{
    uint32_t index;
    if (find_register(p, name, &index)) {
        o->kind = OPERAND_REGISTER;
        o->index = index;
        return true;
    }
    const ptx_name *entry = find_from(p, p->scope, name, false);
    if (entry ? entry->kind == NAME_SYMBOL : gmptx_find_symbol(p, name, &index)) {
        o->kind = OPERAND_SYMBOL;
        o->index = entry ? entry->index : index;
        return true;
    }
    if (slice_is(name, "WARP_SZ")) {
        o->kind = OPERAND_INT;
        o->value = GMTRACE_WARP_LANES;
        return true;
    }
    const ptx_special special = gmptx_special_of(name);
    o->kind = OPERAND_SPECIAL;
    o->index = special;
    return special != SPECIAL_COUNT;
}

static bool parse_number(ptx_parser *p, ptx_operand *o)
{
    const bool minus = at_punct(p, '-'), inverted = at_punct(p, '~');
    if (minus || inverted || at_punct(p, '+'))
        gmptx_advance(p);
    switch (p->token.kind) {
    case TOKEN_INT:
        o->kind = OPERAND_INT;
        o->value = (int64_t)(minus ? 0 - p->token.bits : inverted ? ~p->token.bits : p->token.bits);
        break;
    case TOKEN_FLOAT32:
        o->kind = OPERAND_FLOAT32;
        o->value = (int64_t)(p->token.bits ^ (minus ? 1ull << 31 : 0));
        break;
    case TOKEN_FLOAT64:
        o->kind = OPERAND_FLOAT64;
        o->value = (int64_t)(p->token.bits ^ (minus ? 1ull << 63 : 0));
        break;
    default:
        return gmptx_parse_error(p, "an operand expected before '%.*s'", SLICE(p->token.slice));
    }
    gmptx_advance(p);
    return true;
}

static bool parse_simple(ptx_parser *p, ptx_operand *o, bool may_be_label)
{
    if (at_punct(p, '!')) {
        o->negated = 1;
        gmptx_advance(p);
    }
    if (p->token.kind != TOKEN_NAME)
        return parse_number(p, o);
    const ptx_slice name = p->token.slice;
    if (slice_is(name, "_")) {
        o->kind = OPERAND_SINK;
    } else if (!lookup(p, name, o)) {
        if (!may_be_label)
            return gmptx_parse_error(p, "%.*s is not known", SLICE(name));
        o->kind = OPERAND_LABEL;
        if (!add_pending(p, name, p->function->operand_count, false))
            return false;
    }
    gmptx_advance(p);
    return o->kind != OPERAND_SYMBOL || parse_offset(p, &o->value);
}

static bool parse_address(ptx_parser *p, ptx_operand *o)
{
    ptx_operand base = {0};
    gmptx_advance(p);
    if (!parse_simple(p, &base, false) || !parse_offset(p, &base.value))
        return false;
    if (base.kind != OPERAND_REGISTER && base.kind != OPERAND_SYMBOL && base.kind != OPERAND_INT)
        return gmptx_parse_error(p, "an address expected before '%.*s'", SLICE(p->token.slice));
    *o = base;
    o->kind = OPERAND_ADDRESS;
    o->base = base.kind;
    o->count = at_punct(p, ',');
    if (o->count)
        return true;
    return gmptx_expect(p, ']');
}

static bool add_element(ptx_parser *p, const ptx_operand *o)
{
    ptx_function *f = p->function;
    if (!GMT_GROW(f->element, f->element_count))
        return gmptx_no_memory(p);
    f->element[f->element_count++] = *o;
    return true;
}

static bool parse_list(ptx_parser *p, char close, ptx_operand *o)
{
    gmptx_advance(p);
    o->kind = OPERAND_VECTOR;
    o->index = p->function->element_count;
    while (!at_punct(p, close)) {
        ptx_operand element = {0};
        if (!parse_simple(p, &element, false) || !add_element(p, &element))
            return false;
        o->count++;
        if (!at_punct(p, ','))
            break;
        gmptx_advance(p);
    }
    return gmptx_expect(p, close);
}

static bool parse_operand(ptx_parser *p, ptx_operand *o)
{
    *o = (ptx_operand){0};
    if (at_punct(p, '['))
        return parse_address(p, o);
    if (at_punct(p, '{'))
        return parse_list(p, '}', o);
    if (at_punct(p, '('))
        return parse_list(p, ')', o);
    if (!parse_simple(p, o, true))
        return false;
    if (!at_punct(p, '|'))
        return true;
    const ptx_operand first = *o;
    ptx_operand second = {0};
    gmptx_advance(p);
    if (!parse_simple(p, &second, false))
        return false;
    *o = (ptx_operand){.kind = OPERAND_PAIR, .index = p->function->element_count, .count = 2};
    return add_element(p, &first) && add_element(p, &second);
}

/* ----------------------------------------------------------------------------------- statements */

static bool parse_guard(ptx_parser *p, ptx_statement *s)
{
    gmptx_advance(p);
    if (at_punct(p, '!')) {
        s->guard_negated = true;
        gmptx_advance(p);
    }
    if (p->token.kind != TOKEN_NAME || !find_register(p, p->token.slice, &s->guard) ||
        p->function->reg[s->guard].type != PTX_PRED)
        return gmptx_parse_error(p, "'%.*s' is no predicate", SLICE(p->token.slice));
    gmptx_advance(p);
    return true;
}

static bool parse_instruction(ptx_parser *p, ptx_statement *s)
{
    ptx_function *f = p->function;
    if (p->token.kind != TOKEN_NAME)
        return gmptx_parse_error(p, "an instruction expected before '%.*s'", SLICE(p->token.slice));
    gmptx_extend_opcode(&p->lexer, &p->token);
    s->opcode = p->token.slice;
    s->line = p->token.line;
    s->file = p->file;
    s->source_line = p->line;
    s->first = f->operand_count;
    gmptx_advance(p);
    s->operands.text = p->token.slice.text;
    bool open = false; /* a bracket, between an object and its coordinates */
    while (!at_punct(p, ';')) {
        ptx_operand o;
        if (!parse_operand(p, &o) || (open && !gmptx_expect(p, ']')))
            return false;
        open = o.kind == OPERAND_ADDRESS && o.count != 0;
        if (!GMT_GROW(f->operand, f->operand_count))
            return gmptx_no_memory(p);
        f->operand[f->operand_count++] = o;
        if (o.kind == OPERAND_SYMBOL && p->module->symbol[o.index].is_function &&
            !(s->opcode.length >= 4 && memcmp(s->opcode.text, "call", 4) == 0))
            p->module->function[p->module->symbol[o.index].index].address_taken = true;
        if (!at_punct(p, ','))
            break;
        gmptx_advance(p);
    }
    s->count = f->operand_count - s->first;
    s->operands.length = (uint32_t)(p->token.slice.text - s->operands.text);
    while (s->operands.length && isspace((unsigned char)s->operands.text[s->operands.length - 1]))
        s->operands.length--;
    if (!gmptx_expect(p, ';'))
        return false;
    if (!GMT_GROW(f->statement, f->statement_count))
        return gmptx_no_memory(p);
    f->statement[f->statement_count++] = *s;
    return true;
}

static bool parse_directive(ptx_parser *p)
{
    if (at_directive(p, "reg"))
        return parse_registers(p);
    if (at_directive(p, "loc"))
        return gmptx_parse_loc(p);
    if (at_directive(p, "pragma"))
        return gmptx_skip_until(p, ';');
    static const struct {
        const char *name;
        ptx_space space;
    } spaces[] = {{"param", PTX_SPACE_PARAM},
                  {"local", PTX_SPACE_LOCAL},
                  {"shared", PTX_SPACE_SHARED},
                  {"global", PTX_SPACE_GLOBAL},
                  {"const", PTX_SPACE_CONST}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (at_directive(p, spaces[i].name)) {
            gmptx_advance(p);
            return gmptx_parse_variables(p, spaces[i].space, false);
        }
    return gmptx_fail(p->error, GMTRACE_UNSUPPORTED, p->token.line,
                      "directive .%.*s is not known in a function", SLICE(p->token.slice));
}

static bool parse_statement(ptx_parser *p)
{
    ptx_statement s = {.guard = PTX_UNKNOWN};
    if (p->token.kind == TOKEN_DIRECTIVE)
        return parse_directive(p);
    if (p->token.kind == TOKEN_NAME) {
        const ptx_lexer lexer = p->lexer;
        const ptx_token name = p->token;
        gmptx_advance(p);
        if (at_punct(p, ':'))
            return parse_label(p, name.slice);
        p->lexer = lexer;
        p->token = name;
    }
    return (!at_punct(p, '@') || parse_guard(p, &s)) && parse_instruction(p, &s);
}

bool gmptx_parse_body(ptx_parser *p, ptx_function *function)
{
    p->function = function;
    p->scope_count = p->pending_count = p->depth = 0;
    p->file = PTX_UNKNOWN;
    p->line = 0;
    if (!open_scope(p, PTX_UNKNOWN))
        return false;
    for (;;) {
        bool good = true;
        if (at_punct(p, '{')) {
            gmptx_advance(p);
            good = open_scope(p, p->scope);
        } else if (at_punct(p, '}')) {
            const uint32_t parent = p->parent[p->scope];
            gmptx_advance(p);
            if (parent == PTX_UNKNOWN)
                break;
            p->scope = parent;
            p->depth--;
        } else if (at_punct(p, ';')) {
            gmptx_advance(p);
        } else if (p->token.kind == TOKEN_END) {
            good = gmptx_parse_error(p, "'}' expected before the end");
        } else {
            good = parse_statement(p);
        }
        if (!good)
            return false;
    }
    const bool good = resolve_labels(p);
    p->function = NULL;
    return good;
}
