/* SPDX-License-Identifier: MIT
 *
 * kernel_name.c - takes demangled kernel names apart, as kernel_name.h says. No demangler: a
 * mangled name is all base.
 */
#include "sim/measured/kernel_name.h"

#include <glib.h>
#include <string.h>

/* Where the parameter list begins: the first '(' outside of template arguments that does not open
 * "(anonymous namespace)". The length where there is none. */
static size_t find_parameters(const char *text)
{
    static const char unnamed[] = "(anonymous namespace)";
    size_t i = 0;
    unsigned depth = 0;

    while (text[i] != '\0') {
        if (strncmp(text + i, unnamed, sizeof unnamed - 1) == 0) {
            i += sizeof unnamed - 1;
            continue;
        }
        if (strncmp(text + i, "operator()", 10) == 0) {
            i += 10;
            continue;
        }
        if (text[i] == '(' && depth == 0)
            return i;
        if (text[i] == '<')
            depth++;
        else if (text[i] == '>' && depth > 0 && (i == 0 || text[i - 1] != '-'))
            depth--;
        i++;
    }
    return i;
}

/* The '<' that opens the template arguments ending at text[length - 1] == '>'. */
static size_t find_arguments(const char *text, size_t length)
{
    unsigned depth = 0;

    for (size_t i = length; i-- > 0;) {
        if (text[i] == '>' && (i == 0 || text[i - 1] != '-'))
            depth++;
        else if (text[i] == '<' && --depth == 0)
            return i;
    }
    return length;
}

/* Where the unqualified name that ends at `length` begins. */
static size_t find_base(const char *text, size_t length)
{
    size_t i = length;

    while (i > 0 && (g_ascii_isalnum(text[i - 1]) || text[i - 1] == '_' || text[i - 1] == '$' ||
                     (unsigned char)text[i - 1] >= 0x80))
        i--;
    return i;
}

/* Length of a cast such as "(int)" or "(unsigned int)" that begins at text; 0 where none does. */
static size_t cast_length(const char *text, size_t rest)
{
    size_t i = 1;

    if (rest == 0 || text[0] != '(')
        return 0;
    while (i < rest && (g_ascii_isalnum(text[i]) || strchr("_ :", text[i]) != NULL))
        i++;
    return i > 1 && i + 1 < rest && text[i] == ')' ? i + 1 : 0;
}

/* Takes the qualifier before a "::" back: a name, or the name of no name space. */
static void drop_qualifier(GString *plain)
{
    static const char *const unnamed[] = {"<unnamed>", "(anonymousnamespace)"};
    size_t length = plain->len;

    for (unsigned i = 0; i < G_N_ELEMENTS(unnamed); i++)
        if (g_str_has_suffix(plain->str, unnamed[i])) {
            g_string_truncate(plain, length - strlen(unnamed[i]));
            return;
        }
    while (length > 0 && (g_ascii_isalnum(plain->str[length - 1]) || plain->str[length - 1] == '_'))
        length--;
    g_string_truncate(plain, length);
}

/* One spelling: no blanks, no casts before constants, booleans as 0 and 1, no u and l behind
 * numbers, no name spaces (Nsight Compute leaves out those it takes for known). */
static char *normalise_arguments(const char *text, size_t length)
{
    GString *plain = g_string_new(NULL);
    size_t i = 0;
    bool fresh = true; /* an argument begins here */

    while (i < length) {
        size_t cast = fresh ? cast_length(text + i, length - i) : 0;
        size_t word = 0;

        if (text[i] == ' ') {
            i++;
            continue;
        }
        if (cast > 0) {
            i += cast;
            continue;
        }
        if (text[i] == ':' && i + 1 < length && text[i + 1] == ':') {
            drop_qualifier(plain);
            i += 2;
            continue;
        }
        while (i + word < length && (g_ascii_isalnum(text[i + word]) || text[i + word] == '_'))
            word++;
        if (word == 4 && strncmp(text + i, "true", 4) == 0) {
            g_string_append_c(plain, '1');
        } else if (word == 5 && strncmp(text + i, "false", 5) == 0) {
            g_string_append_c(plain, '0');
        } else if (word > 0) {
            size_t keep = word;

            while (g_ascii_isdigit(text[i]) && keep > 1 && strchr("uUlL", text[i + keep - 1]))
                keep--;
            g_string_append_len(plain, text + i, (gssize)keep);
        } else {
            g_string_append_c(plain, text[i]);
            word = 1;
        }
        fresh = word == 1 && (text[i] == ',' || text[i] == '<');
        i += word;
    }
    return g_string_free(plain, FALSE);
}

void gmsim_kernel_name_parse(gmsim_kernel_name *name, const char *text)
{
    size_t end = find_parameters(text);
    size_t begin;

    name->arguments = NULL;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    if (end > 0 && text[end - 1] == '>') {
        size_t open = find_arguments(text, end);

        if (open < end) {
            name->arguments = normalise_arguments(text + open + 1, end - open - 2);
            end = open;
        }
    }
    begin = find_base(text, end);
    if (begin == end) { /* an operator, a lambda: the whole of it is the name */
        begin = 0;
        end = strlen(text);
    }
    name->base = g_strndup(text + begin, end - begin);
}

void gmsim_kernel_name_clear(gmsim_kernel_name *name)
{
    g_free(name->base);
    g_free(name->arguments);
    name->base = NULL;
    name->arguments = NULL;
}
