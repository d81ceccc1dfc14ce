/* SPDX-License-Identifier: MIT
 *
 * parser.h - what the files of the parser share. Private to traces/ptx/parse*.c and names.c.
 */
#ifndef GMPTX_PARSER_H
#define GMPTX_PARSER_H

#include "traces/ptx/module.h"

/* names.c: a hash table from (scope, name) to a number of some kind. */
typedef enum ptx_name_kind {
    NAME_NONE = 0,
    NAME_SYMBOL,    /* index: module symbol */
    NAME_REGISTERS, /* index: first register; count: how many; name<count> where is_range */
    NAME_LABEL,     /* index: statement */
    NAME_BRANCHES,  /* index: branch list */
    NAME_PROTOTYPE,
} ptx_name_kind;

typedef struct ptx_name {
    ptx_slice name;
    uint32_t scope;
    uint32_t index, count;
    uint8_t kind;
    bool is_range;
} ptx_name;

typedef struct ptx_names {
    ptx_name *entry;
    uint32_t count;
    uint32_t *slot; /* entry + 1, 0: free */
    uint32_t slots; /* power of two */
} ptx_names;

const ptx_name *gmptx_names_find(const ptx_names *names, uint32_t scope, ptx_slice name,
                                 bool is_range);
bool gmptx_names_add(ptx_names *names, const ptx_name *entry); /* false: no memory */
void gmptx_names_clear(ptx_names *names);
void gmptx_names_free(ptx_names *names);

/* A label named before it is seen. */
typedef struct ptx_pending {
    ptx_slice name;
    uint32_t scope, line;
    uint32_t operand; /* of the function, or target where is_target */
    bool is_target;
} ptx_pending;

typedef struct ptx_parser {
    gmptx_module *module;
    ptx_lexer lexer;
    ptx_token token; /* the one looked at */
    gmtrace_error *error;
    ptx_names global, names; /* of the module, of the function being parsed */
    ptx_function *function;
    uint32_t *parent; /* of each scope of the function; scope 0 is its outermost */
    uint32_t scope, scope_count, depth;
    ptx_pending *pending;
    uint32_t pending_count;
    uint32_t file, line; /* of the last .loc */
} ptx_parser;

void gmptx_advance(ptx_parser *p);
/* Reports at the token looked at; always false. */
bool gmptx_parse_error(ptx_parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool gmptx_no_memory(ptx_parser *p);
static inline bool at_punct(const ptx_parser *p, char c)
{
    return p->token.kind == TOKEN_PUNCT && p->token.punct == c;
}
static inline bool at_directive(const ptx_parser *p, const char *name)
{
    return p->token.kind == TOKEN_DIRECTIVE && slice_is(p->token.slice, name);
}
bool gmptx_expect(ptx_parser *p, char punct);
bool gmptx_expect_int(ptx_parser *p, uint64_t limit, uint64_t *value);
bool gmptx_skip_until(ptx_parser *p, char punct); /* and over it */
bool gmptx_parse_loc(ptx_parser *p);
/* `.global .align 4 .b8 x[4] = {...}, y;` from after the space on; adds symbols in the module or
 * names of the function. */
bool gmptx_parse_variables(ptx_parser *p, ptx_space space, bool is_extern);
/* One `.param` without the word; its variable's index. */
bool gmptx_parse_param(ptx_parser *p, uint32_t *variable);
bool gmptx_parse_body(ptx_parser *p, ptx_function *function); /* from after '{' */
bool gmptx_parse_initial(ptx_parser *p, uint32_t variable, ptx_type type);
bool gmptx_find_symbol(const ptx_parser *p, ptx_slice name, uint32_t *symbol);

#endif
