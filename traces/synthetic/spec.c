/* SPDX-License-Identifier: MIT
 *
 * spec.c - "PATTERN:key=value,key=value": the table of patterns, the reading of a line, the help.
 */
#include "traces/synthetic/pattern.h"
#include "traces/synthetic/synthetic.h"

#include <stdio.h>

static const gmt_pattern *const patterns[] = {
    &gmt_pattern_stride,    &gmt_pattern_random, &gmt_pattern_chase,   &gmt_pattern_banks,
    &gmt_pattern_transpose, &gmt_pattern_matmul, &gmt_pattern_stencil, NULL};

#define bad(error, ...) gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, __VA_ARGS__)

/* ------------------------------------------------------------------------------ names of things */

/* A piece of the user's text, not ended by 0. */
typedef struct word {
    const char *text;
    size_t length;
} word;

static bool is(word a, const char *b)
{
    return strlen(b) == a.length && memcmp(a.text, b, a.length) == 0;
}

/* For messages: no more of it than a line takes, and nothing that a terminal would act on. */
static const char *shown(word w, char into[40])
{
    size_t n = w.length < 36 ? w.length : 36;
    for (size_t i = 0; i < n; i++)
        into[i] = (unsigned char)w.text[i] < 0x20 || w.text[i] == 0x7f ? '?' : w.text[i];
    strcpy(into + n, n < w.length ? "..." : "");
    return into;
}

static void add(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

static bool unknown_pattern(word name, gmtrace_error *error)
{
    char list[160] = "", text[40];
    for (unsigned i = 0; patterns[i]; i++)
        add(list, sizeof list, patterns[i]->name);
    if (!name.length)
        return bad(error, "no pattern is named; there are %s", list);
    return bad(error, "'%s' is no pattern; there are %s", shown(name, text), list);
}

static bool unknown_key(const gmt_pattern *pattern, word name, gmtrace_error *error)
{
    char list[160] = "", text[40];
    for (const gmt_key *key = pattern->keys; key->name; key++)
        add(list, sizeof list, key->name);
    return bad(error, "%s has no key '%s'; it has %s", pattern->name, shown(name, text), list);
}

/* --------------------------------------------------------------------------------------- values */

static bool read_number(word text, uint64_t *number)
{
    *number = 0;
    size_t i = 0;
    for (; i < text.length && text.text[i] >= '0' && text.text[i] <= '9'; i++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(text.text[i] - '0'), number))
            return false;
    if (i == 0 || i + 1 < text.length)
        return false;
    if (i == text.length)
        return true;
    static const char suffix[] = "kKmMgG";
    const char *power = memchr(suffix, text.text[i], sizeof suffix - 1);
    if (!power)
        return false;
    const unsigned shift = 10 * (unsigned)((power - suffix) / 2 + 1);
    if (*number > UINT64_MAX >> shift)
        return false;
    *number <<= shift;
    return true;
}

static bool read_choice(const char *choices, word text, gmt_value *value)
{
    for (unsigned i = 0;; i++) {
        const word choice = {choices, strcspn(choices, "|")};
        if (choice.length == text.length && memcmp(choice.text, text.text, text.length) == 0) {
            *value = (gmt_value){.choice = i};
            (void)read_number(text, &value->number);
            return true;
        }
        if (!choices[choice.length])
            return false;
        choices += choice.length + 1;
    }
}

static bool read_value(const gmt_pattern *pattern, const gmt_key *key, word text, gmt_value *value,
                       gmtrace_error *error)
{
    char given[40];
    *value = (gmt_value){0};
    if (key->choices)
        return read_choice(key->choices, text, value) ||
               bad(error, "%s: %s=%s is not one of %s", pattern->name, key->name,
                   shown(text, given), key->choices);
    if (!read_number(text, &value->number))
        return bad(error, "%s: %s=%s is no number; numbers are whole, as 4096, 4K, 1M or 2G",
                   pattern->name, key->name, shown(text, given));
    if (value->number < key->least || value->number > key->most)
        return bad(error, "%s: %s=%s is out of range, which is %llu to %llu", pattern->name,
                   key->name, shown(text, given), (unsigned long long)key->least,
                   (unsigned long long)key->most);
    return true;
}

/* ----------------------------------------------------------------------------------------- line */

static const gmt_pattern *find_pattern(word name)
{
    for (unsigned i = 0; patterns[i]; i++)
        if (is(name, patterns[i]->name))
            return patterns[i];
    return NULL;
}

static bool parse_pair(gmt_synthetic *s, word pair, uint32_t *seen, gmtrace_error *error)
{
    const char *equals = memchr(pair.text, '=', pair.length);
    char text[40];
    const word name = {pair.text, equals ? (size_t)(equals - pair.text) : pair.length};
    unsigned i = 0;
    while (s->pattern->keys[i].name && !is(name, s->pattern->keys[i].name))
        i++;
    const gmt_key *key = &s->pattern->keys[i];
    if (!key->name)
        return unknown_key(s->pattern, name, error);
    if (!equals)
        return bad(error, "%s: '%s' lacks a value; write %s=%s", s->pattern->name,
                   shown(pair, text), key->name, key->initial);
    if (*seen >> i & 1)
        return bad(error, "%s: %s is given twice", s->pattern->name, key->name);
    *seen |= 1u << i;
    const word value = {equals + 1, pair.length - name.length - 1};
    return read_value(s->pattern, key, value, &s->value[i], error);
}

bool gmt_spec_parse(const char *spec, gmt_synthetic *s, gmtrace_error *error)
{
    const word name = {spec, strcspn(spec, ":")};
    s->pattern = find_pattern(name);
    if (!s->pattern)
        return unknown_pattern(name, error);
    for (unsigned i = 0; s->pattern->keys[i].name; i++) {
        const gmt_key *key = &s->pattern->keys[i];
        const word initial = {key->initial, strlen(key->initial)};
        if (!read_value(s->pattern, key, initial, &s->value[i], error))
            return false;
    }
    uint32_t seen = 0;
    const char *at = spec + name.length;
    if (!at[0] || !at[1])
        return true;
    do {
        const word pair = {at + 1, strcspn(at + 1, ",")};
        if (!parse_pair(s, pair, &seen, error))
            return false;
        at += 1 + pair.length;
    } while (*at);
    return true;
}

/* ----------------------------------------------------------------------------------------- help */

static void put_pattern(FILE *out, const gmt_pattern *pattern)
{
    fprintf(out, "%s: %s\n", pattern->name, pattern->meaning);
    for (const gmt_key *key = pattern->keys; key->name; key++) {
        char text[64];
        snprintf(text, sizeof text, "%s=%s", key->name, key->initial);
        fprintf(out, "  %-15s %s", text, key->meaning);
        if (key->choices)
            fprintf(out, " (%s)", key->choices);
        fputc('\n', out);
    }
}

char *gmtrace_synthetic_help(const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const gmt_pattern *only = name ? find_pattern((word){name, strlen(name)}) : NULL;
    if (only) {
        put_pattern(out, only);
    } else {
        fputs("A synthetic trace is PATTERN or PATTERN:KEY=VALUE,KEY=VALUE...\n"
              "The values below are the defaults; K, M and G are powers of 1024.\n",
              out);
        for (unsigned i = 0; patterns[i]; i++) {
            fputc('\n', out);
            put_pattern(out, patterns[i]);
        }
    }
    if (fclose(out) != 0 || (name && !only)) {
        free(text);
        return NULL;
    }
    return text;
}
