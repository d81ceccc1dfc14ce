/* SPDX-License-Identifier: MIT
 *
 * gpu.c - a GPU from its .ini file, from those it is based on, and from defaults. Files are read
 * from the GPU's own to the one at the bottom: the first that gives a key counts.
 */
#include "sim/device/gpu.h"

#include <string.h>

#include "sim/device/find.h"
#include "sim/device/ini.h"
#include "sim/device/keys.h"

#define MAX_FILES 16u /* one based on the other */

/* clang-format would put blanks into the quark's name. */
/* clang-format off */
G_DEFINE_QUARK(gmsim-error-quark, gmsim_error)
/* clang-format on */

/* ------------------------------------------------------------------------------- reading */

typedef struct loading {
    gmsim_gpu *gpu;
    const char *path;   /* of the file that is being read */
    unsigned *seen_at;  /* line of each key there, 0: not yet */
    unsigned *group_at; /* line of the group of each key there */
    char **source;      /* of each key; NULL: not given yet */
    unsigned *depth;    /* files read when it was given */
    char *base;         /* what this one is based on, or NULL */
    unsigned base_at;
    GPtrArray *chain; /* of paths, the GPU's own file first */
} loading;

static bool load_group(unsigned line, const char *group, const loading *l, GError **error)
{
    bool known = false;
    for (unsigned i = 0; i < gmsim_key_count; i++)
        if (!strcmp(gmsim_keys[i].group, group)) {
            if (l->group_at[i])
                return gmsim_ini_fail(error, l->path, line, "[%s]: begun before, in line %u", group,
                                      l->group_at[i]);
            l->group_at[i] = line;
            known = true;
        }
    return known || gmsim_ini_fail(error, l->path, line, "[%s]: unknown group", group);
}

static bool load_base(unsigned line, const char *value, loading *l, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (l->base)
        return gmsim_ini_fail(error, l->path, line, "[gpu] based-on: given before, in line %u",
                              l->base_at);
    l->base = gmsim_device_find(value, l->path, &problem);
    l->base_at = line;
    return l->base || gmsim_ini_fail(error, l->path, line, "[gpu] based-on: %s", problem->message);
}

static bool load_line(unsigned line, const char *group, const char *name, const char *value,
                      const char *comment, gpointer data, GError **error)
{
    loading *l = data;
    if (!name)
        return load_group(line, group, l, error);
    if (!strcmp(group, "gpu") && !strcmp(name, "based-on"))
        return load_base(line, value, l, error);
    const gmsim_key *key = gmsim_key_find(group, name);
    if (!key)
        key = gmsim_key_renamed(group, name, &value);
    if (!key) {
        g_autofree char *full = g_strdup_printf("%s.%s", group, name);
        const gmsim_key *nearest = gmsim_key_suggest(full);
        return nearest ? gmsim_ini_fail(error, l->path, line,
                                        "[%s] %s: unknown key; did you mean [%s] %s?", group, name,
                                        nearest->group, nearest->key)
                       : gmsim_ini_fail(error, l->path, line, "[%s] %s: unknown key", group, name);
    }
    size_t at = (size_t)(key - gmsim_keys);
    if (l->seen_at[at])
        return gmsim_ini_fail(error, l->path, line, "[%s] %s: given before, in line %u", group,
                              name, l->seen_at[at]);
    l->seen_at[at] = line;
    gmsim_gpu unused;
    bool given = l->source[at] != NULL;
    g_autofree char *wrong = gmsim_key_parse(key, value, given ? &unused : l->gpu);
    if (wrong)
        return gmsim_ini_fail(error, l->path, line, "[%s] %s: %s", group, name, wrong);
    if (given)
        return true;
    g_autofree char *file = g_path_get_basename(l->path);
    l->depth[at] = l->chain->len;
    l->source[at] = g_strdup(*comment ? comment : "no source given");
    if (l->path != l->chain->pdata[0]) {
        g_autofree char *text = l->source[at];
        l->source[at] = g_strdup_printf("%s (%s)", text, file);
    }
    return true;
}

/* The files from the first on. */
static bool load_files(loading *l, GError **error)
{
    for (;;) {
        l->path = l->chain->pdata[l->chain->len - 1u];
        memset(l->seen_at, 0, gmsim_key_count * sizeof *l->seen_at);
        memset(l->group_at, 0, gmsim_key_count * sizeof *l->group_at);
        l->base = NULL;
        bool done = gmsim_ini_read(l->path, load_line, l, error);
        char *base = l->base;
        if (!done || !base) {
            g_free(base);
            return done;
        }
        bool circle = g_ptr_array_find_with_equal_func(l->chain, base, g_str_equal, NULL);
        g_ptr_array_add(l->chain, base);
        if (circle)
            return gmsim_ini_fail(error, l->path, l->base_at,
                                  "[gpu] based-on: %s is based on itself", base);
        if (l->chain->len > MAX_FILES)
            return gmsim_ini_fail(error, l->path, l->base_at,
                                  "[gpu] based-on: more than %u files, one based on the other",
                                  MAX_FILES);
    }
}

/* A base's groups of SMs say nothing of a GPU that has another number of them. */
static void forget_groups(const loading *l)
{
    ptrdiff_t groups = gmsim_key_find("launch", "groups") - gmsim_keys;
    ptrdiff_t singles = gmsim_key_find("launch", "singles") - gmsim_keys;
    uint32_t sms = 0;
    for (uint32_t i = 0; i < l->gpu->launch_groups.count; i++)
        sms += l->gpu->launch_groups.value[i];
    if (l->depth[groups] > l->depth[gmsim_key_find("gpu", "sm_count") - gmsim_keys] &&
        sms != l->gpu->gpu_sm_count)
        g_clear_pointer(&l->source[groups], g_free);
    if (!l->source[groups] || l->depth[singles] > l->depth[groups]) /* of another's groups */
        g_clear_pointer(&l->source[singles], g_free);
}

static bool load_defaults(const loading *l, GError **error)
{
    for (unsigned i = 0; i < gmsim_key_count; i++) {
        const gmsim_key *key = &gmsim_keys[i];
        if (l->source[i])
            continue;
        if (!key->fallback)
            return gmsim_ini_fail(error, l->path, l->group_at[i], "[%s] %s is missing: %s",
                                  key->group, key->key, key->meaning);
        g_free(gmsim_key_parse(key, key->fallback, l->gpu));
        l->source[i] = g_strdup("assumed: gmsim's default");
    }
    return true;
}

/* Loads the file, and notes the source of every key; free those with the array, also on an error.
 */
static bool load(gmsim_gpu *gpu, const char *path, GPtrArray *sources, GError **error)
{
    g_autofree unsigned *seen_at = g_new0(unsigned, gmsim_key_count);
    g_autofree unsigned *group_at = g_new0(unsigned, gmsim_key_count);
    g_autofree unsigned *depth = g_new0(unsigned, gmsim_key_count);
    g_autoptr(GPtrArray) chain = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_set_size(sources, (int)gmsim_key_count);
    loading l = {.gpu = gpu,
                 .seen_at = seen_at,
                 .group_at = group_at,
                 .source = (char **)sources->pdata,
                 .depth = depth,
                 .chain = chain};
    memset(gpu, 0, sizeof *gpu);
    if (g_strlcpy(gpu->path, path, sizeof gpu->path) >= sizeof gpu->path)
        return gmsim_ini_fail(error, path, 0, "the path is too long");
    g_autofree char *base = g_path_get_basename(path);
    if (g_str_has_suffix(base, ".ini"))
        base[strlen(base) - 4] = '\0';
    g_strlcpy(gpu->name, base, sizeof gpu->name);
    g_ptr_array_add(chain, g_strdup(path));
    if (!load_files(&l, error))
        return false;
    forget_groups(&l);
    if (!load_defaults(&l, error))
        return false;
    g_autoptr(GError) problem = NULL;
    return gmsim_gpu_check(gpu, &problem) || gmsim_ini_fail(error, path, 0, "%s", problem->message);
}

bool gmsim_gpu_load(gmsim_gpu *gpu, const char *what, GError **error)
{
    g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *path = gmsim_device_find(what, NULL, error);
    return path && load(gpu, path, sources, error);
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
    g_autofree char *given = g_strstrip(g_strdup(equals + 1));
    const char *value = given;
    const gmsim_key *key = dot ? gmsim_key_find(name, dot + 1) : NULL;
    if (dot && !key)
        key = gmsim_key_renamed(name, dot + 1, &value);
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

void gmsim_gpu_foreach(const gmsim_gpu *gpu, gmsim_gpu_visit visit, gpointer data)
{
    gmsim_gpu file;
    g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
    bool loaded = load(&file, gpu->path, sources, NULL);
    for (unsigned i = 0; i < gmsim_key_count; i++) {
        const gmsim_key *key = &gmsim_keys[i];
        g_autofree char *name = g_strdup_printf("%s.%s", key->group, key->key);
        g_autofree char *value = gmsim_key_format(key, gpu);
        g_autofree char *there = gmsim_key_format(key, loaded ? &file : gpu);
        g_autofree char *changed = g_strdup_printf("set by the user; else %s", there);
        const char *source = loaded ? sources->pdata[i] : "";
        visit(name, value, key->meaning, strcmp(there, value) ? changed : source, data);
    }
}
