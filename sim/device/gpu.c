/* SPDX-License-Identifier: MIT
 *
 * gpu.c - reads a GPU's .ini file. The file is read line by line here and not
 * with GKeyFile, which merges duplicate keys silently, knows no line numbers and drops comments:
 * the comment above a key is its source and is shown to the user.
 */
#include "sim/device/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/device/find.h"
#include "sim/device/keys.h"

#define MAX_FILE (1u << 20)

/* clang-format would put blanks into the quark's name. */
/* clang-format off */
G_DEFINE_QUARK(gmsim-error-quark, gmsim_error)
/* clang-format on */

/* ------------------------------------------------------------------------------- reading */

static bool fail(GError **error, const char *path, unsigned line, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static bool fail(GError **error, const char *path, unsigned line, const char *format, ...)
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

/* The file's text, or NULL. Reads a little more than is allowed and no further: the path may name
 * a device that never ends. */
static char *read_text(const char *path, GError **error)
{
    FILE *file = fopen(path, "rb");
    g_autofree char *text = g_malloc(MAX_FILE + 2);
    size_t length = file ? fread(text, 1, MAX_FILE + 1, file) : 0;
    bool failed = !file || ferror(file);
    int reason = errno;
    const char *end;
    if (file)
        fclose(file);
    if (failed) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO, "%s: cannot be read: %s", path,
                    g_strerror(reason));
        return NULL;
    }
    if (length > MAX_FILE) {
        fail(error, path, 0, "longer than %u bytes; a GPU's description is a short text", MAX_FILE);
        return NULL;
    }
    text[length] = '\0';
    if (!g_utf8_validate(text, (gssize)length, &end)) {
        unsigned line = 1;
        for (const char *s = text; s < end; s++)
            line += *s == '\n';
        fail(error, path, line, "not text; a GPU is described by lines 'key = value'");
        return NULL;
    }
    return g_steal_pointer(&text);
}

/* Called for each "[group]" line, with key NULL, and each "key = value" line with the comment that
 * stands above it. Returns false to stop, having set error. */
typedef bool (*visit_line)(unsigned line, const char *group, const char *key, const char *value,
                           const char *comment, gpointer data, GError **error);

static bool read_lines(const char *path, visit_line visit, gpointer data, GError **error)
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
                return fail(error, path, i + 1, "'%s' does not end with ]", s);
            g_free(group);
            group = g_strndup(s + 1, n - 2);
            if (!visit(i + 1, group, NULL, NULL, comment->str, data, error))
                return false;
        } else if (*s) {
            char *equals = strchr(s, '=');
            if (!equals)
                return fail(error, path, i + 1, "'%s' is neither [group] nor key = value", s);
            *equals = '\0';
            g_strchomp(s);
            if (!group)
                return fail(error, path, i + 1, "%s stands before the first [group]", s);
            if (!visit(i + 1, group, s, g_strchug(equals + 1), comment->str, data, error))
                return false;
        }
        g_string_truncate(comment, 0);
    }
    return true;
}

typedef struct loading {
    gmsim_gpu *gpu;
    const char *path;
    unsigned *seen_at;  /* line of each key, 0: not yet */
    unsigned *group_at; /* line of the group of each key */
} loading;

static bool load_group(unsigned line, const char *group, const loading *l, GError **error)
{
    bool known = false;
    for (unsigned i = 0; i < gmsim_key_count; i++)
        if (!strcmp(gmsim_keys[i].group, group)) {
            if (l->group_at[i])
                return fail(error, l->path, line, "[%s]: begun before, in line %u", group,
                            l->group_at[i]);
            l->group_at[i] = line;
            known = true;
        }
    return known || fail(error, l->path, line, "[%s]: unknown group", group);
}

static bool load_line(unsigned line, const char *group, const char *name, const char *value,
                      const char *comment, gpointer data, GError **error)
{
    const loading *l = data;
    (void)comment;
    if (!name)
        return load_group(line, group, l, error);
    const gmsim_key *key = gmsim_key_find(group, name);
    if (!key) {
        g_autofree char *full = g_strdup_printf("%s.%s", group, name);
        const gmsim_key *nearest = gmsim_key_suggest(full);
        return nearest ? fail(error, l->path, line, "[%s] %s: unknown key; did you mean [%s] %s?",
                              group, name, nearest->group, nearest->key)
                       : fail(error, l->path, line, "[%s] %s: unknown key", group, name);
    }
    unsigned *at = &l->seen_at[key - gmsim_keys];
    if (*at)
        return fail(error, l->path, line, "[%s] %s: given before, in line %u", group, name, *at);
    *at = line;
    g_autofree char *wrong = gmsim_key_parse(key, value, l->gpu);
    if (wrong)
        return fail(error, l->path, line, "[%s] %s: %s", group, name, wrong);
    return true;
}

static bool load_missing(const loading *l, GError **error)
{
    for (unsigned i = 0; i < gmsim_key_count; i++)
        if (!l->seen_at[i])
            return fail(error, l->path, l->group_at[i], "[%s] %s is missing: %s",
                        gmsim_keys[i].group, gmsim_keys[i].key, gmsim_keys[i].meaning);
    return true;
}

bool gmsim_gpu_load(gmsim_gpu *gpu, const char *what, GError **error)
{
    g_autofree char *path = gmsim_device_find(what, error);
    if (!path)
        return false;
    g_autofree unsigned *seen_at = g_new0(unsigned, gmsim_key_count);
    g_autofree unsigned *group_at = g_new0(unsigned, gmsim_key_count);
    const loading l = {gpu, path, seen_at, group_at};
    memset(gpu, 0, sizeof *gpu);
    if (g_strlcpy(gpu->path, path, sizeof gpu->path) >= sizeof gpu->path)
        return fail(error, path, 0, "the path is too long");
    g_autofree char *base = g_path_get_basename(path);
    if (g_str_has_suffix(base, ".ini"))
        base[strlen(base) - 4] = '\0';
    g_strlcpy(gpu->name, base, sizeof gpu->name);
    if (!read_lines(path, load_line, (gpointer)&l, error) || !load_missing(&l, error))
        return false;
    g_autoptr(GError) problem = NULL;
    if (!gmsim_gpu_check(gpu, &problem))
        return fail(error, path, 0, "%s", problem->message);
    return true;
}

/* ------------------------------------------------------------------------------- setting */

static bool set_one(gmsim_gpu *gpu, const char *assignment, GError **error)
{
    const char *equals = strchr(assignment, '=');
    g_autofree char *name =
        equals ? g_strstrip(g_strndup(assignment, (gsize)(equals - assignment))) : NULL;
    char *dot = name ? strchr(name, '.') : NULL;
    if (!name || !*name) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "--set %s: write group.key=value, for example l2.size=30M", assignment);
        return false;
    }
    if (dot)
        *dot = '\0';
    const gmsim_key *key = dot ? gmsim_key_find(name, dot + 1) : NULL;
    if (dot)
        *dot = '.';
    if (!key) {
        const gmsim_key *nearest = gmsim_key_suggest(name);
        if (nearest)
            g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                        "--set %s: unknown key; did you mean %s.%s?", name, nearest->group,
                        nearest->key);
        else
            g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                        "--set %s: unknown key; `gmsim gpus %s` lists them", name, gpu->name);
        return false;
    }
    g_autofree char *value = g_strstrip(g_strdup(equals + 1));
    g_autofree char *wrong = gmsim_key_parse(key, value, gpu);
    if (wrong)
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "--set %s: %s", name, wrong);
    return !wrong;
}

bool gmsim_gpu_set_all(gmsim_gpu *gpu, char *const *assignments, GError **error)
{
    gmsim_gpu changed = *gpu;
    g_autoptr(GError) problem = NULL;
    for (char *const *a = assignments; a && *a; a++)
        if (!set_one(&changed, *a, error))
            return false;
    if (!gmsim_gpu_check(&changed, &problem)) {
        g_autofree char *all = g_strjoinv(" --set ", (char **)assignments);
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "--set %s: %s", all, problem->message);
        return false;
    }
    *gpu = changed;
    return true;
}

bool gmsim_gpu_set(gmsim_gpu *gpu, const char *assignment, GError **error)
{
    char *const one[] = {(char *)assignment, NULL};
    return gmsim_gpu_set_all(gpu, one, error);
}

/* ------------------------------------------------------------------------------- showing */

typedef struct showing {
    const gmsim_gpu *gpu;
    gmsim_gpu_visit visit;
    gpointer data;
} showing;

static bool show_line(unsigned line, const char *group, const char *name, const char *value,
                      const char *comment, gpointer data, GError **error)
{
    showing *s = data;
    const gmsim_key *key = name ? gmsim_key_find(group, name) : NULL;
    (void)line, (void)value, (void)error;
    if (key) {
        g_autofree char *full = g_strdup_printf("%s.%s", group, name);
        g_autofree char *text = gmsim_key_format(key, s->gpu);
        s->visit(full, text, key->meaning, comment, s->data);
    }
    return true;
}

void gmsim_gpu_foreach(const gmsim_gpu *gpu, gmsim_gpu_visit visit, gpointer data)
{
    showing s = {gpu, visit, data};
    read_lines(gpu->path, show_line, &s, NULL);
}
