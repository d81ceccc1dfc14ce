/* SPDX-License-Identifier: MIT
 *
 * parse_module.c - the module's outer level: directives, functions' heads. Variables are in
 * parse_data.c, bodies in parse_body.c.
 */
#include "traces/ptx/parser.h"

#include <stdlib.h>

/* .file number "name" [, time, size] */
static bool parse_file(ptx_parser *p)
{
    uint64_t number;
    gmptx_advance(p);
    if (!gmptx_expect_int(p, 65535, &number))
        return false;
    if (p->token.kind != TOKEN_STRING)
        return gmptx_parse_error(p, "a file name expected");
    gmptx_module *m = p->module;
    while (m->file_count <= number) {
        if (!GMT_GROW(m->file, m->file_count))
            return gmptx_no_memory(p);
        m->file[m->file_count++] = NULL;
    }
    free((char *)m->file[number]);
    m->file[number] = strndup(p->token.slice.text, p->token.slice.length);
    if (!m->file[number])
        return gmptx_no_memory(p);
    gmptx_advance(p);
    while (at_punct(p, ',')) {
        gmptx_advance(p);
        gmptx_advance(p);
    }
    return true;
}

/* .section .debug_info { ... }: DWARF, not needed beside .loc */
static bool skip_section(ptx_parser *p)
{
    while (!at_punct(p, '{')) {
        if (p->token.kind == TOKEN_END || p->token.kind == TOKEN_BAD)
            return gmptx_parse_error(p, "'{' expected before the end");
        gmptx_advance(p);
    }
    return gmptx_skip_until(p, '}');
}

static bool parse_target(ptx_parser *p)
{
    gmptx_advance(p);
    for (;;) {
        if (p->token.kind != TOKEN_NAME)
            return gmptx_parse_error(p, "a target expected");
        const ptx_slice s = p->token.slice;
        if (s.length > 3 && s.length < 16 && memcmp(s.text, "sm_", 3) == 0) {
            char digits[16] = {0};
            memcpy(digits, s.text + 3, s.length - 3);
            const unsigned long number = strtoul(digits, NULL, 10);
            p->module->cc_major = (uint32_t)(number / 10 % 100);
            p->module->cc_minor = (uint32_t)(number % 10);
        }
        gmptx_advance(p);
        if (!at_punct(p, ','))
            return true;
        gmptx_advance(p);
    }
}

static bool parse_param_list(ptx_parser *p, uint32_t **list, uint32_t *count)
{
    if (!gmptx_expect(p, '('))
        return false;
    while (!at_punct(p, ')')) {
        if (!at_directive(p, "param"))
            return at_directive(p, "reg")
                       ? gmptx_parse_error(p, "parameters in .reg are not supported")
                       : gmptx_parse_error(p, ".param expected before '%.*s'",
                                           SLICE(p->token.slice));
        if (*count == PTX_MAX_PARAMS)
            return gmptx_parse_error(p, "too many parameters");
        gmptx_advance(p);
        uint32_t variable;
        if (!gmptx_parse_param(p, &variable))
            return false;
        if (!GMT_GROW(*list, *count))
            return gmptx_no_memory(p);
        (*list)[(*count)++] = variable;
        if (!at_punct(p, ','))
            break;
        gmptx_advance(p);
    }
    return gmptx_expect(p, ')');
}

/* What stands between a head and its body: .maxntid 256, 1, 1 and the like. */
static bool parse_tuning(ptx_parser *p, ptx_function *f)
{
    while (p->token.kind == TOKEN_DIRECTIVE) {
        const bool threads = at_directive(p, "maxntid") || at_directive(p, "reqntid");
        if (at_directive(p, "reqnctapercluster") || at_directive(p, "explicitcluster"))
            return gmptx_fail(p->error, GMTRACE_UNSUPPORTED, p->token.line,
                              "clusters (.%.*s) are not supported", SLICE(p->token.slice));
        if (at_directive(p, "pragma")) {
            if (!gmptx_skip_until(p, ';'))
                return false;
            continue;
        }
        if (!threads && !at_directive(p, "maxnreg") && !at_directive(p, "minnctapersm") &&
            !at_directive(p, "maxnctapersm") && !at_directive(p, "noreturn") &&
            !at_directive(p, "maxclusterrank") && !at_directive(p, "abi_preserve") &&
            !at_directive(p, "abi_preserve_control"))
            return gmptx_parse_error(p, "unknown directive .%.*s", SLICE(p->token.slice));
        gmptx_advance(p);
        uint64_t product = 1;
        while (p->token.kind == TOKEN_INT) {
            uint64_t value;
            if (!gmptx_expect_int(p, 65535, &value))
                return false;
            product = product * value > UINT32_MAX ? UINT32_MAX : product * value;
            if (at_punct(p, ','))
                gmptx_advance(p);
        }
        if (threads)
            f->max_threads = (uint32_t)product;
    }
    return true;
}

/* The function of that name, made where there is none yet. */
static bool open_function(ptx_parser *p, ptx_slice name, uint32_t *index)
{
    gmptx_module *m = p->module;
    uint32_t symbol;
    if (gmptx_find_symbol(p, name, &symbol)) {
        if (!m->symbol[symbol].is_function)
            return gmptx_parse_error(p, "%.*s is a variable already", SLICE(name));
        *index = m->symbol[symbol].index;
        return true;
    }
    if (!GMT_GROW(m->function, m->function_count) || !GMT_GROW(m->symbol, m->symbol_count))
        return gmptx_no_memory(p);
    *index = m->function_count++;
    m->function[*index] = (ptx_function){.name = name, .line = p->token.line};
    m->symbol[m->symbol_count] = (ptx_symbol){true, *index};
    const ptx_name entry = {.name = name, .kind = NAME_SYMBOL, .index = m->symbol_count++};
    return gmptx_names_add(&p->global, &entry) || gmptx_no_memory(p);
}

static void drop_heads(ptx_function *f)
{
    free(f->param);
    free(f->result);
    f->param = f->result = NULL;
    f->param_count = f->result_count = 0;
}

static bool parse_function(ptx_parser *p, bool is_entry)
{
    uint32_t *result = NULL, results = 0, index = 0;
    gmptx_advance(p);
    gmptx_names_clear(&p->names);
    p->scope = 0;
    if (!is_entry && at_punct(p, '(') && !parse_param_list(p, &result, &results)) {
        free(result);
        return false;
    }
    if (p->token.kind != TOKEN_NAME || !open_function(p, p->token.slice, &index)) {
        const bool named = p->token.kind == TOKEN_NAME;
        free(result);
        return named ? false : gmptx_parse_error(p, "a function's name expected");
    }
    ptx_function *f = &p->module->function[index];
    if (f->has_body) {
        free(result);
        return gmptx_parse_error(p, "%.*s is defined twice", SLICE(f->name));
    }
    drop_heads(f);
    f->result = result;
    f->result_count = results;
    f->is_entry = is_entry;
    gmptx_advance(p);
    if (at_punct(p, '(') && !parse_param_list(p, &f->param, &f->param_count))
        return false;
    if (!parse_tuning(p, f))
        return false;
    if (at_punct(p, ';')) {
        gmptx_advance(p);
        return true;
    }
    f->has_body = true;
    return gmptx_expect(p, '{') && gmptx_parse_body(p, f);
}

static bool parse_module_directive(ptx_parser *p, bool *is_extern)
{
    static const struct {
        const char *name;
        ptx_space space;
    } spaces[] = {{"global", PTX_SPACE_GLOBAL},
                  {"const", PTX_SPACE_CONST},
                  {"shared", PTX_SPACE_SHARED},
                  {"local", PTX_SPACE_LOCAL}};
    const bool external = *is_extern;
    *is_extern = false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (at_directive(p, spaces[i].name)) {
            gmptx_advance(p);
            return gmptx_parse_variables(p, spaces[i].space, external);
        }
    if (at_directive(p, "entry") || at_directive(p, "func"))
        return parse_function(p, at_directive(p, "entry"));
    if (at_directive(p, "extern") || at_directive(p, "visible") || at_directive(p, "weak") ||
        at_directive(p, "common")) {
        *is_extern = external || at_directive(p, "extern");
        gmptx_advance(p);
        return true;
    }
    if (at_directive(p, "loc"))
        return gmptx_parse_loc(p);
    if (at_directive(p, "file"))
        return parse_file(p);
    if (at_directive(p, "section"))
        return skip_section(p);
    if (at_directive(p, "pragma"))
        return gmptx_skip_until(p, ';');
    if (at_directive(p, "target"))
        return parse_target(p);
    if (at_directive(p, "version")) {
        gmptx_advance(p);
        gmptx_advance(p);
        return true;
    }
    if (at_directive(p, "address_size")) {
        uint64_t bits;
        gmptx_advance(p);
        if (!gmptx_expect_int(p, UINT32_MAX, &bits))
            return false;
        return bits == 64 || gmptx_fail(p->error, GMTRACE_UNSUPPORTED, p->token.line,
                                        "addresses of %u bits are not supported", (unsigned)bits);
    }
    return gmptx_fail(p->error, GMTRACE_UNSUPPORTED, p->token.line, "directive .%.*s is not known",
                      SLICE(p->token.slice));
}

bool gmptx_parse_module(gmptx_module *module, size_t length, gmtrace_error *error)
{
    ptx_parser p = {.module = module,
                    .lexer = {module->text, module->text + length, 1},
                    .error = error,
                    .file = PTX_UNKNOWN};
    bool good = true, is_extern = false;
    for (gmptx_advance(&p); good && p.token.kind != TOKEN_END;) {
        if (p.token.kind != TOKEN_DIRECTIVE)
            good =
                gmptx_parse_error(&p, "a directive expected before '%.*s'", SLICE(p.token.slice));
        else
            good = parse_module_directive(&p, &is_extern);
    }
    gmptx_names_free(&p.global);
    gmptx_names_free(&p.names);
    free(p.parent);
    free(p.pending);
    return good;
}
