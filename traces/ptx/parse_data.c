/* SPDX-License-Identifier: MIT
 *
 * parse_data.c - declarations of variables and parameters, and initialisers. Left out: vectors of
 * registers, texture and surface references, initialisers with mask().
 */
#include "traces/ptx/parser.h"

#include <stdlib.h>

/* What stands before the name: .align 8 .v2 .f32 .ptr .global .attribute(.managed) */
typedef struct head {
    uint32_t align; /* 0: the type's own */
    uint32_t vector;
    ptx_type type;
} head;

static bool parse_head(ptx_parser *p, head *h)
{
    *h = (head){.vector = 1};
    while (p->token.kind == TOKEN_DIRECTIVE) {
        const ptx_slice s = p->token.slice;
        uint64_t number;
        if (slice_is(s, "align")) {
            gmptx_advance(p);
            if (!gmptx_expect_int(p, 1u << 20, &number))
                return false;
            if (number == 0 || (number & (number - 1)))
                return gmptx_parse_error(p, "an alignment is no power of two");
            h->align = (uint32_t)number;
            continue;
        }
        if (slice_is(s, "attribute")) {
            gmptx_advance(p);
            if (!gmptx_skip_until(p, ')'))
                return false;
            continue;
        }
        if (slice_is(s, "ptr")) {
            /* .ptr .global .align 4: about what the pointer points at */
            gmptx_advance(p);
            while (at_directive(p, "global") || at_directive(p, "const") ||
                   at_directive(p, "shared") || at_directive(p, "local") ||
                   at_directive(p, "param"))
                gmptx_advance(p);
            if (at_directive(p, "align")) {
                gmptx_advance(p);
                if (!gmptx_expect_int(p, UINT32_MAX, &number))
                    return false;
            }
            continue;
        }
        if (slice_is(s, "v2") || slice_is(s, "v4"))
            h->vector = s.text[1] == '2' ? 2 : 4;
        else if (gmptx_type_of(s) != PTX_NONE)
            h->type = gmptx_type_of(s);
        else
            return gmptx_fail(p->error, GMTRACE_UNSUPPORTED, p->token.line,
                              ".%.*s is not supported in a declaration", SLICE(s));
        gmptx_advance(p);
    }
    if (h->type == PTX_NONE || h->type == PTX_PRED)
        return gmptx_parse_error(p, "a declaration without a type of data");
    return true;
}

/* [4][8]; *open is set for [] */
static bool parse_sides(ptx_parser *p, uint64_t *size, bool *open)
{
    *open = false;
    while (at_punct(p, '[')) {
        uint64_t side;
        gmptx_advance(p);
        if (at_punct(p, ']')) {
            *open = true;
            gmptx_advance(p);
            continue;
        }
        if (!gmptx_expect_int(p, PTX_MAX_VARIABLE, &side) || !gmptx_expect(p, ']'))
            return false;
        if (side && *size > PTX_MAX_VARIABLE / side)
            return gmptx_parse_error(p, "a variable of more than 1 GiB");
        *size *= side;
    }
    return true;
}

static bool add_variable(ptx_parser *p, const ptx_variable *v, uint32_t *index)
{
    gmptx_module *m = p->module;
    if (!GMT_GROW(m->variable, m->variable_count))
        return gmptx_no_memory(p);
    *index = m->variable_count++;
    m->variable[*index] = *v;
    return true;
}

/* Names inside a function belong to its table, others to the module's. */
static bool name_variable(ptx_parser *p, uint32_t variable, bool inside)
{
    gmptx_module *m = p->module;
    ptx_names *table = inside ? &p->names : &p->global;
    ptx_name entry = {
        .name = m->variable[variable].name, .kind = NAME_SYMBOL, .scope = inside ? p->scope : 0};
    const ptx_name *old = gmptx_names_find(table, entry.scope, entry.name, false);
    if (old) {
        /* an extern declaration, repeated or followed by the definition */
        if (old->kind == NAME_SYMBOL && !inside && !m->symbol[old->index].is_function &&
            (m->variable[m->symbol[old->index].index].is_extern ||
             m->variable[variable].is_extern)) {
            if (!m->variable[variable].is_extern)
                m->symbol[old->index].index = variable;
            return true;
        }
        return gmptx_parse_error(p, "%.*s is declared twice", SLICE(entry.name));
    }
    if (!GMT_GROW(m->symbol, m->symbol_count))
        return gmptx_no_memory(p);
    m->symbol[m->symbol_count] = (ptx_symbol){false, variable};
    entry.index = m->symbol_count++;
    return gmptx_names_add(table, &entry) || gmptx_no_memory(p);
}

/* `x[4][2]` behind a head; *open: its outermost side is not told. */
static bool parse_declared(ptx_parser *p, const head *h, ptx_space space, ptx_variable *v,
                           bool *open)
{
    const bool param = space == PTX_SPACE_PARAM;
    if (p->token.kind != TOKEN_NAME)
        return gmptx_parse_error(p, "a %s's name expected before '%.*s'",
                                 param ? "parameter" : "variable", SLICE(p->token.slice));
    const uint32_t bytes = gmptx_type_bytes(h->type) * h->vector;
    *v = (ptx_variable){.name = p->token.slice,
                        .space = (uint8_t)space,
                        .align = h->align ? h->align : bytes,
                        .size = bytes,
                        .line = p->token.line};
    gmptx_advance(p);
    if (!parse_sides(p, &v->size, open))
        return false;
    if (*open)
        v->size = 0;
    return !param || v->size <= 65536 || gmptx_parse_error(p, "a parameter of more than 64 KiB");
}

bool gmptx_parse_param(ptx_parser *p, uint32_t *index)
{
    head h;
    bool open;
    ptx_variable v;
    if (!parse_head(p, &h) || !parse_declared(p, &h, PTX_SPACE_PARAM, &v, &open))
        return false;
    return add_variable(p, &v, index) && (slice_is(v.name, "_") || name_variable(p, *index, true));
}

bool gmptx_parse_variables(ptx_parser *p, ptx_space space, bool is_extern)
{
    head h;
    const bool inside = p->function != NULL;
    if (!parse_head(p, &h))
        return false;
    for (;;) {
        bool open;
        uint32_t index;
        ptx_variable v;
        if (!parse_declared(p, &h, space, &v, &open))
            return false;
        v.is_extern = is_extern;
        v.is_dynamic = open && space == PTX_SPACE_SHARED;
        if (!add_variable(p, &v, &index) || !name_variable(p, index, inside))
            return false;
        if (inside) {
            if (!GMT_GROW(p->function->local, p->function->local_count))
                return gmptx_no_memory(p);
            p->function->local[p->function->local_count++] = index;
        }
        if (at_punct(p, '=')) {
            gmptx_advance(p);
            if (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_CONST)
                return gmptx_parse_error(p, "only .global and .const may be initialised");
            if (open)
                return gmptx_parse_error(p, "an array of unknown size may not be initialised");
            if (!gmptx_parse_initial(p, index, h.type))
                return false;
        }
        if (!at_punct(p, ','))
            return gmptx_expect(p, ';');
        gmptx_advance(p);
    }
}

static bool put(ptx_parser *p, uint32_t variable, uint64_t at, unsigned bytes, uint64_t value)
{
    ptx_variable *v = &p->module->variable[variable];
    if (at + bytes > v->size)
        return gmptx_parse_error(p, "more initial values than %.*s holds", SLICE(v->name));
    if (!v->initial && !(v->initial = calloc(1, v->size)))
        return gmptx_no_memory(p);
    for (unsigned i = 0; i < bytes && i < 8; i++)
        v->initial[at + i] = (uint8_t)(value >> 8 * i);
    return true;
}

static bool relocate(ptx_parser *p, uint32_t variable, uint64_t at, unsigned bytes)
{
    gmptx_module *m = p->module;
    uint32_t symbol;
    if (p->token.kind != TOKEN_NAME || !gmptx_find_symbol(p, p->token.slice, &symbol))
        return gmptx_parse_error(p, "%.*s in an initialiser is not known", SLICE(p->token.slice));
    if (bytes != 8)
        return gmptx_parse_error(p, "an address does not fit into %u bytes", bytes);
    if (m->symbol[symbol].is_function)
        m->function[m->symbol[symbol].index].address_taken = true;
    if (!GMT_GROW(m->relocation, m->relocation_count) ||
        !GMT_GROW(m->relocation_variable, m->relocation_count))
        return gmptx_no_memory(p);
    m->relocation[m->relocation_count] = (ptx_relocation){.at = at, .symbol = symbol};
    m->relocation_variable[m->relocation_count++] = variable;
    gmptx_advance(p);
    return put(p, variable, at, 8, 0);
}

/* name, name + 4, generic(name) + 4 */
static bool parse_address(ptx_parser *p, uint32_t variable, uint64_t at, unsigned bytes)
{
    if (slice_is(p->token.slice, "generic")) {
        gmptx_advance(p);
        if (!gmptx_expect(p, '(') || !relocate(p, variable, at, bytes) || !gmptx_expect(p, ')'))
            return false;
    } else if (!relocate(p, variable, at, bytes)) {
        return false;
    }
    while (at_punct(p, '+') || at_punct(p, '-')) {
        const bool minus = at_punct(p, '-');
        uint64_t value;
        gmptx_advance(p);
        if (!gmptx_expect_int(p, INT64_MAX, &value))
            return false;
        ptx_relocation *r = &p->module->relocation[p->module->relocation_count - 1];
        r->addend = (int64_t)((uint64_t)r->addend + (minus ? 0 - value : value));
    }
    return true;
}

static bool parse_value(ptx_parser *p, uint32_t variable, uint64_t at, ptx_type type)
{
    const unsigned bytes = gmptx_type_bytes(type);
    if (p->token.kind == TOKEN_NAME)
        return parse_address(p, variable, at, bytes);
    const bool minus = at_punct(p, '-');
    if (minus)
        gmptx_advance(p);
    uint64_t bits = p->token.bits;
    switch (p->token.kind) {
    case TOKEN_INT:
        bits = minus ? 0 - bits : bits;
        break;
    case TOKEN_FLOAT32:
        if (type == PTX_F64) {
            float narrow;
            const uint32_t low = (uint32_t)bits;
            memcpy(&narrow, &low, sizeof low);
            const double wide = (double)narrow;
            memcpy(&bits, &wide, sizeof bits);
        }
        bits ^= minus ? 1ull << (bytes * 8 - 1) : 0;
        break;
    case TOKEN_FLOAT64:
        if (type == PTX_F32) {
            double wide;
            memcpy(&wide, &bits, sizeof wide);
            const float narrow = (float)wide;
            uint32_t low;
            memcpy(&low, &narrow, sizeof low);
            bits = low;
        }
        bits ^= minus ? 1ull << (bytes * 8 - 1) : 0;
        break;
    default:
        return gmptx_parse_error(p, "an initial value expected before '%.*s'",
                                 SLICE(p->token.slice));
    }
    gmptx_advance(p);
    return put(p, variable, at, bytes, bits);
}

/* Braces only group: values fill the variable from its start, an inner group fills its own row in
 * full as compilers write it. */
bool gmptx_parse_initial(ptx_parser *p, uint32_t variable, ptx_type type)
{
    uint64_t at = 0;
    uint32_t depth = 0;
    const unsigned bytes = gmptx_type_bytes(type);
    do {
        if (at_punct(p, '{')) {
            gmptx_advance(p);
            depth++;
        } else if (at_punct(p, '}') && depth) {
            gmptx_advance(p);
            depth--;
        } else if (at_punct(p, ',') && depth) {
            gmptx_advance(p);
        } else {
            if (!parse_value(p, variable, at, type))
                return false;
            at += bytes;
        }
    } while (depth);
    return true;
}
