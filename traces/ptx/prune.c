/* SPDX-License-Identifier: MIT
 *
 * prune.c - PTX without functions and variables that no kernel needs. clang leaves host code's in,
 * which call what is not there; the interpreter never looks at them, but ptxas refuses the module.
 * One is needed where its name stands in a kernel, or in another one that is needed.
 */
#include "traces/ptx/ptx.h"

#include "traces/format/grow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What stands at the top level, up to its semicolon or closing brace. */
typedef struct item {
    const char *start, *end;
    const char *name; /* of a function or variable, NULL otherwise */
    size_t length;
    bool needed;
} item;

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Behind a comment or a text that begins here; `at` where none does. */
static const char *skip_quoted(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"')
        return at;
    for (at++; *at && *at != '"'; at++)
        at += at[0] == '\\' && at[1];
    return at + (*at != 0);
}

/* Lines that end without a semicolon. */
static bool is_line(const char *at)
{
    static const char *const words[] = {".version", ".target", ".address_size", ".file", ".loc"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0 && !is_name(at[strlen(words[i])]))
            return true;
    return false;
}

static const char *end_of(const char *at)
{
    unsigned depth = 0;
    if (is_line(at))
        return at + strcspn(at, "\n");
    while (*at) {
        const char *behind = skip_quoted(at);
        if (behind != at) {
            at = behind;
            continue;
        }
        const char c = *at++;
        depth += c == '{' || c == '(' || c == '[';
        depth -= depth && (c == '}' || c == ')' || c == ']');
        if (!depth && (c == ';' || c == '}'))
            return at + (c == '}' && *at == ';');
    }
    return at;
}

static bool is_word(const char *at, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && !is_name(at[length]);
}

/* .func (results) NAME ( ... and .global .align 4 .b8 NAME[40] ...; kernels have none. */
static void find_name(item *i)
{
    bool named = false;
    for (const char *at = i->start; at < i->end;) {
        if (is_word(at, ".entry"))
            return;
        named |= is_word(at, ".func") || is_word(at, ".global") || is_word(at, ".const") ||
                 is_word(at, ".shared");
        if (*at == '(') {
            const char *close = strchr(at, ')');
            at = close ? close + 1 : i->end;
        } else if (*at == '.' || isdigit((unsigned char)*at)) {
            at++;
            while (is_name(*at))
                at++;
        } else if (is_name(*at)) {
            i->name = named ? at : NULL;
            while (named && is_name(at[i->length]))
                i->length++;
            return;
        } else if (isspace((unsigned char)*at)) {
            at++;
        } else {
            return;
        }
    }
}

static int by_name(const void *a, const void *b)
{
    const item *x = *(const item *const *)a, *y = *(const item *const *)b;
    const int order = memcmp(x->name, y->name, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* Marks what an item names; each newly marked one is added to `open`. */
static size_t mark(const item *i, item **function, size_t functions, item **open, size_t count)
{
    for (const char *at = i->start; at < i->end;) {
        const char *behind = skip_quoted(at);
        if (behind != at || !is_name(*at)) {
            at = behind != at ? behind : at + 1;
            continue;
        }
        item word = {.name = at};
        while (at < i->end && is_name(*at))
            at++;
        word.length = (size_t)(at - word.name);
        const item *key = &word;
        item **found = bsearch(&key, function, functions, sizeof(item *), by_name);
        while (found && found > function && by_name(&key, found - 1) == 0)
            found--;
        for (; found && found < function + functions && by_name(&key, found) == 0; found++)
            if (!(*found)->needed) {
                (*found)->needed = true;
                open[count++] = *found;
            }
    }
    return count;
}

char *gmptx_prune(const char *text)
{
    item *list = NULL;
    uint32_t count = 0;
    size_t functions = 0, left = 0;
    for (const char *at = text; *at;) {
        const char *behind = skip_quoted(at);
        if (behind != at || isspace((unsigned char)*at)) {
            at = behind != at ? behind : at + 1;
            continue;
        }
        if (!GMT_GROW(list, count)) {
            free(list);
            return NULL;
        }
        list[count] = (item){.start = at, .end = end_of(at)};
        find_name(&list[count]);
        list[count].needed = list[count].name == NULL;
        at = list[count++].end;
    }
    item **function = malloc((count + 1) * sizeof *function),
         **open = malloc((count + 1) * sizeof *open);
    char *out = strdup(text);
    if (function && open && out) {
        for (uint32_t i = 0; i < count; i++)
            if (list[i].name)
                function[functions++] = &list[i];
        qsort(function, functions, sizeof *function, by_name);
        for (uint32_t i = 0; i < count; i++)
            if (!list[i].name)
                left = mark(&list[i], function, functions, open, left);
        while (left) {
            const item *next = open[--left];
            left = mark(next, function, functions, open, left);
        }
        for (uint32_t i = 0; i < count; i++) /* lines stay where they are, for messages */
            for (const char *at = list[i].start; !list[i].needed && at < list[i].end; at++)
                if (*at != '\n')
                    out[at - text] = ' ';
    } else {
        free(out);
        out = NULL;
    }
    free(function);
    free(open);
    free(list);
    return out;
}
