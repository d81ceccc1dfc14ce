/* SPDX-License-Identifier: MIT
 *
 * names.c - the texts of names.h: each name as short as it must be by itself, then those that have
 * become the same are cut where they differ, and what is the same even so gets a number.
 */
#include "sim/report/names.h"

#include <string.h>

#include "sim/report/format.h"

#define MOST_ALIKE 64u /* names of one text that are compared with one another */

static unsigned length_of(const char *text)
{
    return (unsigned)g_utf8_strlen(text, -1);
}

/* "void f<int>(float *)" -> "f<int>", "f(int) #2" -> "f #2" */
static char *without_parameters(const char *name)
{
    const char *begin = g_str_has_prefix(name, "void ") ? name + strlen("void ") : name;
    const char *number = strrchr(begin, '#'), *end = begin + strlen(begin);
    int depth = 0;

    if (number != NULL && number > begin + 1 && number[-1] == ' ' &&
        strspn(number + 1, "0123456789") == strlen(number + 1))
        end = --number;
    else
        number = end;
    for (const char *p = end; p > begin && end[-1] == ')';) {
        p--;
        depth += (*p == ')') - (*p == '(');
        if (depth == 0 && p > begin) {
            end = p;
            break;
        }
        if (depth == 0)
            break;
    }
    return g_strdup_printf("%.*s%s", (int)(end - begin), begin, number);
}

static gboolean in_identifier(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$';
}

/* "at::native::f<at::Half>" -> "f<Half>" */
static char *without_namespaces(const char *name)
{
    static const char *const nameless[] = {"(anonymous namespace)::", "<unnamed>::"};
    GString *out = g_string_new(NULL);
    gsize word = 0; /* where the last identifier begins */

    for (const char *p = name; *p != 0; p++) {
        for (unsigned i = 0; i < G_N_ELEMENTS(nameless); i++)
            p += g_str_has_prefix(p, nameless[i]) ? strlen(nameless[i]) : 0;
        if (*p == 0)
            break;
        if (p[0] == ':' && p[1] == ':') {
            g_string_truncate(out, word);
            p++;
            continue;
        }
        if (in_identifier(*p) && (out->len == 0 || !in_identifier(out->str[out->len - 1])))
            word = out->len;
        g_string_append_c(out, *p);
        if (!in_identifier(*p))
            word = out->len;
    }
    return g_string_free(out, FALSE);
}

/* Characters `from` to `to`. */
static char *part(const char *text, unsigned from, unsigned to)
{
    return g_utf8_substring(text, (glong)from, (glong)to);
}

static char *as_short_as_needed(const char *clean, unsigned width)
{
    char *bare, *plain, *text;

    if (length_of(clean) <= width)
        return g_strdup(clean);
    bare = without_parameters(clean);
    if (length_of(bare) <= width)
        return bare;
    plain = without_namespaces(bare);
    text = gmsim_clean(plain, width);
    g_free(bare);
    g_free(plain);
    return text;
}

/* Where two texts part, in characters. */
static unsigned common(const char *a, const char *b)
{
    unsigned at = 0;

    while (*a != 0 && g_utf8_get_char(a) == g_utf8_get_char(b)) {
        a = g_utf8_next_char(a);
        b = g_utf8_next_char(b);
        at++;
    }
    return at;
}

/* Its beginning, and what follows place `at`. */
static char *cut_at(const char *text, unsigned at, unsigned width)
{
    const unsigned length = length_of(text), head = (width - 3) / 2, tail = width - 3 - head;
    unsigned from = MIN(at > 2 ? at - 2 : 0, length > tail ? length - tail : 0);
    char *begin, *end, *both;

    if (length <= width)
        return g_strdup(text);
    if (from < head + 3) { /* they part early: the beginning tells */
        begin = part(text, 0, width - 3);
        both = g_strconcat(begin, "...", NULL);
        g_free(begin);
        return both;
    }
    begin = part(text, 0, head);
    end = part(text, from, MIN(length, from + tail));
    both = g_strconcat(begin, "...", end, NULL);
    g_free(begin);
    g_free(end);
    return both;
}

/* Characters that all texts end in. */
static unsigned common_end(char *const *text, unsigned count)
{
    unsigned least = G_MAXUINT;

    for (unsigned i = 1; i < count; i++) {
        const char *a = text[0] + strlen(text[0]), *b = text[i] + strlen(text[i]);
        unsigned same = 0;

        while (a > text[0] && b > text[i]) {
            a = g_utf8_prev_char(a);
            b = g_utf8_prev_char(b);
            if (g_utf8_get_char(a) != g_utf8_get_char(b))
                break;
            same++;
        }
        least = MIN(least, same);
    }
    /* The word that what differs ends in belongs to it. */
    while (least > 0 &&
           in_identifier(*g_utf8_offset_to_pointer(text[0], (glong)(length_of(text[0]) - least))))
        least--;
    return least;
}

/* Where in all texts what differs begins: the first difference, or the word that it is in. */
static unsigned common_begin(char *const *text, unsigned count)
{
    unsigned at = G_MAXUINT;
    const char *p;

    for (unsigned i = 1; i < count; i++)
        at = MIN(at, common(text[0], text[i]));
    p = g_utf8_offset_to_pointer(text[0], (glong)at);
    while (p > text[0] && in_identifier(p[-1])) {
        p--;
        at--;
    }
    return at;
}

/* Names of one text: each shows what differs in all of them, or where that is too long the place
 * where it parts from the one most like it. */
static void part_alike(char *const *alike, char **text, const unsigned *index, unsigned count,
                       unsigned width)
{
    const unsigned begin = common_begin(alike, count), end = common_end(alike, count);

    for (unsigned i = 0; i < count; i++) {
        const unsigned length = length_of(alike[i]);
        const unsigned last = MAX(begin, length - MIN(end, length)), inner = last - begin;

        g_free(text[index[i]]);
        if (begin > 3 && inner + 3 <= width) {
            char *head = part(alike[i], 0, MIN(begin, width - 3 - inner));
            char *middle = part(alike[i], begin, last);

            text[index[i]] = g_strconcat(head, "...", middle, NULL);
            g_free(head);
            g_free(middle);
        } else {
            unsigned at = 0;

            for (unsigned k = 0; k < count; k++)
                at = MAX(at, k != i ? common(alike[i], alike[k]) : 0);
            text[index[i]] = cut_at(alike[i], at, width);
        }
    }
}

/* By what is left without parameters and namespaces, where that tells them apart. */
static void part_group(const GArray *group, char *const *clean, char **text, unsigned width)
{
    const unsigned *index = &g_array_index(group, unsigned, 0);
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    char **bare = g_new0(char *, group->len + 1), **whole = g_new0(char *, group->len + 1);

    for (unsigned i = 0; i < group->len; i++) {
        char *plain = without_parameters(clean[index[i]]);

        whole[i] = g_strdup(clean[index[i]]);
        bare[i] = without_namespaces(plain);
        g_hash_table_add(seen, bare[i]);
        g_free(plain);
    }
    part_alike(g_hash_table_size(seen) == group->len ? bare : whole, text, index, group->len,
               width);
    g_hash_table_unref(seen);
    g_strfreev(bare);
    g_strfreev(whole);
}

static char *numbered(const char *text, unsigned number, unsigned width)
{
    char *suffix = g_strdup_printf("#%u", number);
    const unsigned room = width - (unsigned)strlen(suffix);
    char *begin = part(text, 0, MIN(room, length_of(text)));
    char *both = g_strconcat(begin, suffix, NULL);

    g_free(suffix);
    g_free(begin);
    return both;
}

/* Indices of `which` by text, in their order. */
static GHashTable *by_text(char *const *text, const GArray *which, GPtrArray *groups)
{
    GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);

    for (unsigned i = 0; i < which->len; i++) {
        const unsigned index = g_array_index(which, unsigned, i);
        GArray *group = g_hash_table_lookup(table, text[index]);

        if (group == NULL) {
            group = g_array_new(FALSE, FALSE, sizeof(unsigned));
            g_ptr_array_add(groups, group);
            g_hash_table_insert(table, text[index], group);
        }
        g_array_append_val(group, index);
    }
    return table;
}

static void part_groups(char *const *clean, char **text, const GArray *which, unsigned width)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

    g_hash_table_unref(by_text(text, which, groups));
    for (unsigned i = 0; i < groups->len; i++) {
        const GArray *group = groups->pdata[i];

        if (group->len > 1 && group->len <= MOST_ALIKE)
            part_group(group, clean, text, width);
    }
    g_ptr_array_unref(groups);
}

/* What is still the same gets a number that no other has; the first keeps its text. */
static void number_groups(char **text, const GArray *which, unsigned width)
{
    GHashTable *taken = g_hash_table_new(g_str_hash, g_str_equal);
    GHashTable *last = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (unsigned i = 0; i < which->len; i++) {
        char **one = &text[g_array_index(which, unsigned, i)];
        unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(last, *one));
        char *tried = g_strdup(*one);

        while (g_hash_table_contains(taken, tried)) {
            g_free(tried);
            number = MAX(number, 1) + 1;
            tried = numbered(*one, number, width);
        }
        g_hash_table_replace(last, g_strdup(*one), GUINT_TO_POINTER(number));
        g_free(*one);
        *one = tried;
        g_hash_table_add(taken, tried);
    }
    g_hash_table_unref(taken);
    g_hash_table_unref(last);
}

char **gmsim_short_names(const char *const *name, unsigned count, unsigned width)
{
    char **clean = g_new0(char *, count + 1), **text = g_new0(char *, count + 1);
    GHashTable *first = g_hash_table_new(g_str_hash, g_str_equal);
    GArray *which = g_array_new(FALSE, FALSE, sizeof(unsigned)); /* the first of each name */

    for (unsigned i = 0; i < count; i++) {
        clean[i] = gmsim_clean(name[i], 0);
        text[i] = as_short_as_needed(clean[i], width);
        if (!g_hash_table_contains(first, name[i])) {
            g_hash_table_insert(first, (gpointer)name[i], GUINT_TO_POINTER(i));
            g_array_append_val(which, i);
        }
    }
    part_groups(clean, text, which, width);
    number_groups(text, which, width);
    for (unsigned i = 0; i < count; i++) {
        const unsigned like = GPOINTER_TO_UINT(g_hash_table_lookup(first, name[i]));

        if (like != i) {
            g_free(text[i]);
            text[i] = g_strdup(text[like]);
        }
    }
    g_array_unref(which);
    g_hash_table_unref(first);
    g_strfreev(clean);
    return text;
}
