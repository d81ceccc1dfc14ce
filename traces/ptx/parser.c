/* SPDX-License-Identifier: MIT
 *
 * parser.c - what all levels of the parser share: the token looked at, what must follow, messages.
 */
#include "traces/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>

static bool fail_at(gmtrace_error *error, gmtrace_status status, uint32_t line, const char *format,
                    va_list list)
{
    *error = (gmtrace_error){.status = status, .offset = UINT64_MAX};
    const int used = line ? snprintf(error->text, sizeof error->text, "line %u: ", line) : 0;
    vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, list);
    return false;
}

bool gmptx_fail(gmtrace_error *error, gmtrace_status status, uint32_t line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_at(error, status, line, format, list);
    va_end(list);
    return false;
}

bool gmptx_parse_error(ptx_parser *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_at(p->error, GMTRACE_CORRUPT, p->token.line, format, list);
    va_end(list);
    return false;
}

bool gmptx_no_memory(ptx_parser *p)
{
    return gmptx_fail(p->error, GMTRACE_MEMORY, p->token.line, "out of memory");
}

void gmptx_advance(ptx_parser *p)
{
    gmptx_next_token(&p->lexer, &p->token);
}

bool gmptx_expect(ptx_parser *p, char punct)
{
    if (!at_punct(p, punct))
        return gmptx_parse_error(p, "'%c' expected before '%.*s'", punct, SLICE(p->token.slice));
    gmptx_advance(p);
    return true;
}

bool gmptx_expect_int(ptx_parser *p, uint64_t limit, uint64_t *value)
{
    if (p->token.kind != TOKEN_INT)
        return gmptx_parse_error(p, "a number expected before '%.*s'", SLICE(p->token.slice));
    if (p->token.bits > limit)
        return gmptx_parse_error(p, "%.*s is too large here", SLICE(p->token.slice));
    *value = p->token.bits;
    gmptx_advance(p);
    return true;
}

bool gmptx_skip_until(ptx_parser *p, char punct)
{
    while (!at_punct(p, punct)) {
        if (p->token.kind == TOKEN_END || p->token.kind == TOKEN_BAD)
            return gmptx_parse_error(p, "'%c' expected before '%.*s'", punct,
                                     SLICE(p->token.slice));
        gmptx_advance(p);
    }
    gmptx_advance(p);
    return true;
}

bool gmptx_find_symbol(const ptx_parser *p, ptx_slice name, uint32_t *symbol)
{
    const ptx_name *entry = gmptx_names_find(&p->global, 0, name, false);
    if (entry)
        *symbol = entry->index;
    return entry != NULL;
}

/* .loc file line column [, function_name label [+ n], inlined_at file line column]
 * The line is that of the innermost function, as in nvdisasm's listing. */
bool gmptx_parse_loc(ptx_parser *p)
{
    uint64_t file, line, rest;
    gmptx_advance(p);
    if (!gmptx_expect_int(p, UINT32_MAX - 1, &file) ||
        !gmptx_expect_int(p, UINT32_MAX - 1, &line) || !gmptx_expect_int(p, UINT32_MAX, &rest))
        return false;
    if (line) { /* line 0: the compiler does not know; the last one goes on */
        p->file = (uint32_t)file;
        p->line = (uint32_t)line;
    }
    while (at_punct(p, ',')) {
        gmptx_advance(p);
        if (p->token.kind != TOKEN_NAME)
            return gmptx_parse_error(p, "function_name or inlined_at expected");
        const bool inlined = slice_is(p->token.slice, "inlined_at");
        gmptx_advance(p);
        if (inlined) {
            for (int i = 0; i < 3; i++)
                if (!gmptx_expect_int(p, UINT32_MAX, &rest))
                    return false;
        } else {
            gmptx_advance(p); /* the label */
            if (at_punct(p, '+')) {
                gmptx_advance(p);
                gmptx_advance(p);
            }
        }
    }
    return true;
}
