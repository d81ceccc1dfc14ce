/* SPDX-License-Identifier: MIT
 *
 * call_text.c - names out of source text, see call_text.h. A name is a variable with its members
 * and indices, as it stands there without blanks.
 */
#include "traces/code/call_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Behind the bracket that closes the one at `at`; NULL where none does. */
static const char *behind(const char *at)
{
    unsigned depth = 0;
    for (; *at != 0; at++) {
        if (strchr("([{<", *at) != NULL)
            depth++;
        else if (strchr(")]}>", *at) != NULL && --depth == 0)
            return at + 1;
    }
    return NULL;
}

static bool put(char *name, size_t *length, size_t room, const char *from, const char *end)
{
    for (; from < end; from++) {
        if (isspace((unsigned char)*from))
            continue;
        if (*length + 1 >= room)
            return false;
        name[(*length)++] = *from;
    }
    name[*length] = 0;
    return true;
}

/* "a", "this->a[i + 1]", "s.p->q", "A::b"; returns what follows, NULL where there is none. */
static const char *take_variable(const char *at, char *name, size_t room)
{
    size_t length = 0;
    if (strncmp(at, "this->", 6) == 0)
        at += 6;
    if (!isalpha((unsigned char)*at) && *at != '_')
        return NULL;
    for (;;) {
        const char *end = at;
        while (is_word(*end))
            end++;
        if (end == at || !put(name, &length, room, at, end))
            return NULL;
        at = blanks(end);
        while (*at == '[') {
            end = behind(at);
            if (end == NULL || !put(name, &length, room, at, end))
                return NULL;
            at = blanks(end);
        }
        const size_t link = *at == '.'                                               ? 1
                            : strncmp(at, "->", 2) == 0 || strncmp(at, "::", 2) == 0 ? 2
                                                                                     : 0;
        if (link == 0)
            return at;
        if (!put(name, &length, room, at, at + link))
            return NULL;
        at = blanks(at + link);
    }
}

/* Past "(void **)", "(" and "reinterpret_cast<void **>(". */
static const char *skip_casts(const char *at)
{
    for (;;) {
        at = blanks(at);
        const char *end = at;
        while (is_word(*end))
            end++;
        if (end - at > 5 && strncmp(end - 5, "_cast", 5) == 0 && *blanks(end) == '<') {
            end = behind(blanks(end));
            if (end == NULL || *blanks(end) != '(')
                return at;
            at = blanks(end) + 1;
        } else if (*at == '(') {
            end = behind(at);
            const char *star = memchr(at, '*', end != NULL ? (size_t)(end - at) : 0);
            const char next = end != NULL ? *blanks(end) : 0;
            at = star != NULL && (is_word(next) || next == '&' || next == '(') ? end : at + 1;
        } else {
            return at;
        }
    }
}

/* Behind the opening bracket of a call of the function; NULL: there is none before `end`. */
static const char *find_call(const char *text, const char *end, const char *function)
{
    const size_t length = strlen(function);
    for (const char *at = text; (at = strstr(at, function)) != NULL && at < end; at += length) {
        const char *next = blanks(at + length);
        if ((at > text && is_word(at[-1])) || is_word(at[length]))
            continue;
        if (*next == '<')
            next = behind(next);
        if (next != NULL && *blanks(next) == '(')
            return blanks(next) + 1;
    }
    return NULL;
}

unsigned gmt_calls_in(const char *text, const char *function, bool *in_order)
{
    static const char *const choices[] = {"if", "else", "case", "for", "while", "return"};
    const char *end = text + strcspn(text, "\n"), *at = text;
    unsigned count = 0;
    while ((at = find_call(at, end, function)) != NULL)
        count++;
    *in_order = memchr(text, '?', (size_t)(end - text)) == NULL &&
                memchr(text, '}', (size_t)(end - text)) == NULL;
    for (unsigned i = 0; i < sizeof choices / sizeof *choices; i++) {
        const size_t length = strlen(choices[i]);
        for (at = text; (at = strstr(at, choices[i])) != NULL && at < end; at += length)
            if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
                *in_order = false;
    }
    return count;
}

bool gmt_argument_of(const char *text, const char *function, unsigned which, char *name,
                     size_t room, bool *passed_on)
{
    const char *end = text + strcspn(text, "\n"), *at = find_call(text, end, function);
    for (; at != NULL && which > 0; which--)
        at = find_call(at, end, function);
    if (at == NULL)
        return false;
    at = skip_casts(at);
    *passed_on = *at != '&';
    return take_variable(*passed_on ? at : skip_casts(at + 1), name, room) != NULL;
}

/* Behind "std::vector<...>" and the like. */
static const char *skip_template(const char *at)
{
    at = blanks(at);
    return *at == '<' ? behind(at) : NULL;
}

/* The one variable whose address is taken as an argument; false where it is not one. */
static bool only_address(const char *text, const char *end, char *name, size_t room)
{
    unsigned found = 0;
    char before = 0;
    for (const char *at = text; at < end; at++) {
        if (*at == '&' && at[1] != '&' && strchr("(,)", before) != NULL && before != 0 &&
            take_variable(skip_casts(at + 1), name, room) != NULL)
            found++;
        if (!isspace((unsigned char)*at))
            before = *at;
    }
    return found == 1;
}

/* "MALLOC(d_x, n)": the function's name says that it allocates, and it gets more than a size. */
static bool allocated(const char *text, const char *end, char *name, size_t room)
{
    for (const char *at = text; at < end; at++) {
        const char *last = at;
        while (is_word(*last))
            last++;
        bool allocates = false;
        for (const char *p = at; p + 5 <= last; p++)
            allocates = allocates || strncasecmp(p, "alloc", 5) == 0;
        if (!allocates) {
            at = last > at ? last - 1 : at;
            continue;
        }
        if (*blanks(last) != '(')
            return false;
        const char *rest = take_variable(skip_casts(blanks(last) + 1), name, room);
        return rest != NULL && *blanks(rest) == ',';
    }
    return false;
}

/* "float *d_x = ", "s.d_x = ", "auto d_x{": the last variable before the sign. */
static bool assigned(const char *text, const char *end, char *name, size_t room)
{
    const char *sign = text;
    do {
        sign = memchr(sign, '=', (size_t)(end - sign));
        if (sign == NULL || sign == text)
            return false;
        if (sign[1] != '=' && strchr("=!<>", sign[-1]) == NULL)
            break;
        sign += sign[1] == '=' ? 2 : 1;
    } while (sign < end);
    if (sign >= end)
        return false;
    const char *first = sign;
    while (first > text && isspace((unsigned char)first[-1]))
        first--;
    const char *const last = first;
    for (unsigned depth = 0; first > text; first--) {
        const char c = first[-1];
        if (c == ']')
            depth++;
        else if (c == '[' && depth > 0)
            depth--;
        else if (depth == 0 && !is_word(c) && c != '.' && c != ':' &&
                 !(c == '>' && first - 1 > text && first[-2] == '-') &&
                 !(c == '-' && *first == '>'))
            break;
    }
    const char *rest = take_variable(first, name, room);
    return rest != NULL && rest >= last;
}

bool gmt_variable_of(const char *text, char *name, size_t room)
{
    const char *end = text + strcspn(text, "\n");
    const char *vector = strstr(text, "device_vector");
    if (vector != NULL && vector < end) {
        const char *at = skip_template(vector + strlen("device_vector"));
        const char *rest = at != NULL ? take_variable(blanks(at), name, room) : NULL;
        if (rest != NULL && strchr("({;,=", *rest) != NULL && *rest != 0)
            return true;
    }
    return only_address(text, end, name, room) || allocated(text, end, name, room) ||
           assigned(text, end, name, room);
}
