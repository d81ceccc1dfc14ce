/* SPDX-License-Identifier: MIT
 *
 * link.c - links PTX as text: one header, every statement of every module, numbers of source files
 * made different, and names that a module keeps to itself (those that are not .visible, .weak or
 * .extern) made its own. Of .weak functions and variables the first stays, and what declares a
 * defined one again goes. Debugging sections are left out; undefined names are the interpreter's to
 * complain of.
 */
#include "traces/gmcc/runtime/link.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct word {
    const char *text;
    size_t length;
} word;

typedef struct names {
    word *word;
    size_t count, room;
} names;

typedef struct linker {
    FILE *out;
    names defined; /* that all know */
    names local;   /* of the text at hand */
    size_t number;
    unsigned long files, most; /* numbers that others took, that this one has */
    bool failed;
} linker;

/* A directive keeps its dot. */
static bool starts_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* The next word or single character from `at` on; length 0 at the end. */
static word next(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*')
            at = strstr(at, "*/") ? strstr(at, "*/") + 2 : at + strlen(at);
        else
            break;
    }
    size_t length = *at != 0;
    if (*at == '"') {
        while (at[length] != 0 && at[length] != '"')
            length += at[length] == '\\' && at[length + 1] != 0 ? 2 : 1;
        length += at[length] == '"';
    } else if (starts_word(*at)) {
        while (starts_word(at[length]) && at[length] != '.')
            length++;
    }
    return (word){at, length};
}

static bool is(word w, const char *text)
{
    return w.length == strlen(text) && memcmp(w.text, text, w.length) == 0;
}

static bool knows(const names *n, word w)
{
    for (size_t i = 0; i < n->count; i++)
        if (n->word[i].length == w.length && memcmp(n->word[i].text, w.text, w.length) == 0)
            return true;
    return false;
}

static void add(linker *l, names *n, word w)
{
    if (n->count == n->room) {
        const size_t room = n->room ? 2 * n->room : 64;
        word *grown = realloc(n->word, room * sizeof *grown);
        l->failed |= grown == NULL;
        if (grown == NULL)
            return;
        n->word = grown;
        n->room = room;
    }
    n->word[n->count++] = w;
}

/* A name without clang's mark, and a hash behind it, of what one file keeps to itself although the
 * host must find it. */
static word plain(word w)
{
    static const char *const marks[] = {"__intern__", "__static__"};
    for (size_t i = 0; i < 2; i++) {
        const char *mark = memmem(w.text, w.length, marks[i], strlen(marks[i]));
        w.length = mark != NULL ? (size_t)(mark - w.text) : w.length;
    }
    return w;
}

char *gmcuda_linked_name(const char *name, size_t length, size_t number)
{
    const word w = plain((word){name, length});
    char *out = NULL;
    return asprintf(&out, "%.*s$linked%zu", (int)w.length, w.text, number) < 0 ? NULL : out;
}

/* ----------------------------------------------------------------------------------- statements */

typedef struct statement {
    const char *start, *end;
    word name;
    bool local, weak, body, header, file, section;
} statement;

static bool read_line(statement *s, word first)
{
    static const char *const headers[] = {".version", ".target", ".address_size"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        s->header |= is(first, headers[i]);
    s->file = is(first, ".file");
    if (s->header || s->file)
        s->end = first.text + strcspn(first.text, "\n");
    return s->header || s->file;
}

/* One at the top of a module, from `at` on; false at its end. */
static bool read(const char *at, statement *s)
{
    word w = next(at);
    bool code = false, linked = false, external = false;
    int depth = 0;
    *s = (statement){.start = w.text};
    if (w.length == 0)
        return false;
    if (read_line(s, w))
        return true;
    s->section = is(w, ".section");
    for (; w.length != 0; w = next(w.text + w.length)) {
        const char c = w.text[0];
        s->end = w.text + w.length;
        depth += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
        s->body |= c == '{' || c == '=';
        if ((c == ';' && depth == 0) || (c == '}' && depth == 0 && (code || s->section)))
            break;
        if (c == '.') {
            code |= is(w, ".func") || is(w, ".entry");
            s->weak |= is(w, ".weak");
            external |= is(w, ".extern");
            linked |= is(w, ".weak") || is(w, ".visible") || is(w, ".extern") || is(w, ".common");
        } else if (depth == 0 && s->name.length == 0 && starts_word(c) &&
                   !isdigit((unsigned char)c)) {
            s->name = w;
        }
    }
    s->body |= !code && !s->section && !external; /* a variable needs no value to be defined */
    s->local = !linked || plain(s->name).length != s->name.length;
    return true;
}

/* --------------------------------------------------------------------------------------- output */

static void put(linker *l, const char *from, const char *to)
{
    fwrite(from, 1, (size_t)(to - from), l->out);
}

/* .loc FILE ..., inlined_at FILE ... */
static void write_statement(linker *l, const statement *s)
{
    const char *written = s->start;
    bool file = s->file;
    for (word w = next(s->start); w.length != 0 && w.text < s->end; w = next(w.text + w.length)) {
        char *name = NULL;
        if (file && isdigit((unsigned char)w.text[0])) {
            const unsigned long n = strtoul(w.text, NULL, 10);
            put(l, written, w.text);
            fprintf(l->out, "%lu", n + l->files);
            written = w.text + w.length;
            l->most = n > l->most ? n : l->most;
            file = false;
        } else if (knows(&l->local, w)) {
            put(l, written, w.text);
            name = gmcuda_linked_name(w.text, w.length, l->number);
            l->failed |= name == NULL;
            fputs(name != NULL ? name : "", l->out);
            written = w.text + w.length;
            free(name);
        }
        file |= is(w, ".loc") || is(w, "inlined_at") || is(w, ".file");
    }
    put(l, written, s->end);
    fputc('\n', l->out);
}

static void add_module(linker *l, const char *text)
{
    statement s;
    l->local.count = 0;
    l->most = 0;
    for (const char *at = text; read(at, &s); at = s.end)
        if (s.local && s.name.length != 0 && !knows(&l->local, s.name)) {
            add(l, &l->local, s.name);
            if (plain(s.name).length != s.name.length) /* clang 14 uses it without the mark */
                add(l, &l->local, plain(s.name));
        }
    for (const char *at = text; read(at, &s); at = s.end) {
        if (s.section || (s.header && l->number > 0))
            continue;
        if (!s.local && knows(&l->local, s.name))
            continue;
        const bool known = s.name.length != 0 && !s.local;
        if (known && (s.weak || !s.body) && knows(&l->defined, s.name))
            continue;
        if (known && s.body)
            add(l, &l->defined, s.name);
        write_statement(l, &s);
    }
    l->files += l->most;
    l->number++;
}

char *gmcuda_link(const char *const *text, size_t count)
{
    char *all = NULL;
    size_t bytes = 0;
    linker l = {.out = open_memstream(&all, &bytes)};
    if (l.out == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        add_module(&l, text[i]);
    l.failed |= fclose(l.out) != 0;
    free(l.defined.word);
    free(l.local.word);
    if (l.failed) {
        free(all);
        return NULL;
    }
    return all;
}
