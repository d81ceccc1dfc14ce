/* SPDX-License-Identifier: MIT
 *
 * ini.c - a GPU's .ini file line by line. Not GKeyFile's reader, which merges duplicate keys
 * silently, knows no line numbers and drops comments: the comment above a key is its source and is
 * shown to the user.
 */
#include "sim/device/ini.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_FILE (1u << 20)

bool gmsim_ini_fail(GError **error, const char *path, unsigned line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    g_autofree char *text = g_strdup_vprintf(format, list);
    va_end(list);
    if (line)
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "%s:%u: %s", path, line, text);
    else
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "%s: %s", path, text);
    return false;
}

/* Where the text stops being text: no UTF-8, or a control character that is neither tab nor line
 * end, which a message would carry to a terminal. */
static const char *text_end(const char *text, size_t length)
{
    const char *end;
    g_utf8_validate(text, (gssize)length, &end);
    for (const char *s = text; s < end; s++)
        if (g_ascii_iscntrl(*s) && *s != '\n' && *s != '\t' && !(*s == '\r' && s[1] == '\n'))
            return s;
    return end;
}

/* The file's text, or NULL. Reads a little more than is allowed and no further: the path may name
 * a device that never ends. */
static char *read_text(const char *path, GError **error)
{
    FILE *file = fopen(path, "rb");
    g_autofree char *text = g_malloc(MAX_FILE + 2);
    size_t length = file ? fread(text, 1, MAX_FILE + 1, file) : 0;
    bool failed = !file || ferror(file);
    int reason = errno;
    if (file)
        fclose(file);
    if (failed) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO, "%s: cannot be read: %s", path,
                    g_strerror(reason));
        return NULL;
    }
    if (length > MAX_FILE) {
        gmsim_ini_fail(error, path, 0, "longer than %u bytes; it must be a short text",
                       MAX_FILE);
        return NULL;
    }
    text[length] = '\0';
    const char *end = text_end(text, length);
    if (end < text + length) {
        unsigned line = 1;
        for (const char *s = text; s < end; s++)
            line += *s == '\n';
        gmsim_ini_fail(error, path, line, "not text; it must be lines 'key = value'");
        return NULL;
    }
    return g_steal_pointer(&text);
}

bool gmsim_ini_read(const char *path, gmsim_ini_visit visit, gpointer data, GError **error)
{
    g_autofree char *text = read_text(path, error);
    g_autofree char *group = NULL;
    g_autoptr(GString) comment = g_string_new(NULL);
    if (!text)
        return false;
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; line[i]; i++) {
        char *s = g_strstrip(line[i]);
        if (*s == '#') {
            g_string_append_printf(comment, "%s%s", comment->len ? " " : "", g_strchug(s + 1));
            continue;
        }
        if (*s == '[') {
            size_t n = strlen(s);
            if (s[n - 1] != ']')
                return gmsim_ini_fail(error, path, i + 1, "'%s' does not end with ]", s);
            g_free(group);
            group = g_strndup(s + 1, n - 2);
            if (!visit(i + 1, group, NULL, NULL, comment->str, data, error))
                return false;
        } else if (*s) {
            char *equals = strchr(s, '=');
            if (!equals)
                return gmsim_ini_fail(error, path, i + 1, "'%s' is neither [group] nor key = value",
                                      s);
            *equals = '\0';
            g_strchomp(s);
            if (!group)
                return gmsim_ini_fail(error, path, i + 1, "%s stands before the first [group]", s);
            if (!visit(i + 1, group, s, g_strchug(equals + 1), comment->str, data, error))
                return false;
        }
        g_string_truncate(comment, 0);
    }
    return true;
}
