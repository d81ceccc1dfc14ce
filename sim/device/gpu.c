/* SPDX-License-Identifier: MIT
 *
 * gpu.c - finds, reads and checks a GPU's .ini file. The file is read line by line here and not
 * with GKeyFile, which merges duplicate keys silently, knows no line numbers and drops comments:
 * the comment above a key is its source and is shown to the user.
 */
#include "sim/device/gpu.h"

#include <string.h>

#include "sim/device/keys.h"

#define MAX_FILE (1u << 20)

G_DEFINE_QUARK(gmsim - error - quark, gmsim_error)

/* ------------------------------------------------------------------------------- finding */

/* Folders that hold .ini files, best first: $GMSIM_DEVICE_PATH (colon-separated), then where the
 * running program stands in a source tree (DIR/program, DIR/build/program, DIR/build/.libs/program)
 * or in a moved installation (PREFIX/bin/program), then where `make install` put them. */
static char **folders(void)
{
    static const char *const beside[] = {"sim/device", "../sim/device", "../../sim/device",
                                         "../share/gmsim/device"};
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *here = program ? g_path_get_dirname(program) : NULL;
    const char *path = g_getenv("GMSIM_DEVICE_PATH");
    GPtrArray *list = g_ptr_array_new();
    g_auto(GStrv) given = g_strsplit(path ? path : "", ":", -1);
    for (char **p = given; *p; p++)
        if (**p)
            g_ptr_array_add(list, g_strdup(*p));
    for (unsigned i = 0; here && i < G_N_ELEMENTS(beside); i++)
        g_ptr_array_add(list, g_build_filename(here, beside[i], NULL));
    g_ptr_array_add(list, g_strdup(GMSIM_DEVICE_DIR));
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **gmsim_gpu_list(void)
{
    g_auto(GStrv) folder = folders();
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *names = g_ptr_array_new();
    for (char **f = folder; *f; f++) {
        GDir *dir = g_dir_open(*f, 0, NULL);
        const char *entry;
        while (dir && (entry = g_dir_read_name(dir))) {
            if (!g_str_has_suffix(entry, ".ini"))
                continue;
            char *name = g_strndup(entry, strlen(entry) - 4);
            if (g_hash_table_add(seen, name))
                g_ptr_array_add(names, name);
            else
                g_free(name);
        }
        if (dir)
            g_dir_close(dir);
    }
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static char *find(const char *what, GError **error)
{
    if (strchr(what, '/') || g_str_has_suffix(what, ".ini"))
        return g_strdup(what);
    g_auto(GStrv) folder = folders();
    for (char **f = folder; *f; f++) {
        g_autofree char *file = g_strconcat(what, ".ini", NULL);
        char *path = g_build_filename(*f, file, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS))
            return path;
        g_free(path);
    }
    g_auto(GStrv) known = gmsim_gpu_list();
    g_autofree char *names = g_strjoinv(", ", known);
    if (*names)
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "unknown GPU '%s'; known: %s, or give the path of an .ini file", what, names);
    else
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO,
                    "no GPU descriptions in %s; set GMSIM_DEVICE_PATH to the folder that has them",
                    GMSIM_DEVICE_DIR);
    return NULL;
}

/* ------------------------------------------------------------------------------- reading */

/* Called for each "key = value" line. Returns false to stop, having set error. */
typedef bool (*visit_line)(unsigned line, const char *group, const char *key, const char *value,
                           const char *comment, gpointer data, GError **error);

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

static bool read_lines(const char *path, visit_line visit, gpointer data, GError **error)
{
    g_autofree char *text = NULL;
    g_autofree char *group = g_strdup("");
    g_autoptr(GString) comment = g_string_new(NULL);
    g_autoptr(GError) problem = NULL;
    gsize length;
    if (!g_file_get_contents(path, &text, &length, &problem)) {
        g_set_error_literal(error, GMSIM_ERROR, GMSIM_ERROR_IO, problem->message);
        return false;
    }
    if (length > MAX_FILE || memchr(text, 0, length) ||
        !g_utf8_validate(text, (gssize)length, NULL))
        return fail(error, path, 0, "not a text file; a GPU is described by lines 'key = value'");
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; line[i]; i++) {
        char *s = g_strstrip(line[i]);
        if (!*s) {
            g_string_truncate(comment, 0);
        } else if (*s == '#') {
            g_string_append_printf(comment, "%s%s", comment->len ? " " : "", g_strchug(s + 1));
        } else if (*s == '[') {
            size_t n = strlen(s);
            if (s[n - 1] != ']')
                return fail(error, path, i + 1, "'%s' lacks its closing ]", s);
            g_free(group);
            group = g_strndup(s + 1, n - 2);
            g_string_truncate(comment, 0);
        } else {
            char *equals = strchr(s, '=');
            if (!equals)
                return fail(error, path, i + 1, "'%s' is neither [group] nor key = value", s);
            *equals = '\0';
            if (!visit(i + 1, group, g_strchomp(s), g_strchug(equals + 1), comment->str, data,
                       error))
                return false;
            g_string_truncate(comment, 0);
        }
    }
    return true;
}

typedef struct loading {
    gmsim_gpu *gpu;
    const char *path;
    unsigned seen_at[128]; /* line of each key, 0: not yet */
} loading;

static bool load_line(unsigned line, const char *group, const char *name, const char *value,
                      const char *comment, gpointer data, GError **error)
{
    loading *l = data;
    const gmsim_key *key = gmsim_key_find(group, name);
    (void)comment;
    if (!key) {
        g_autofree char *full = g_strdup_printf("%s.%s", group, name);
        const char *near = gmsim_key_suggest(full);
        return fail(error, l->path, line, "[%s] %s: unknown key%s%s%s", group, name,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
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

bool gmsim_gpu_load(gmsim_gpu *gpu, const char *what, GError **error)
{
    g_autofree char *path = find(what, error);
    if (!path)
        return false;
    g_assert(gmsim_key_count <= 128);
    loading l = {.gpu = gpu, .path = path};
    memset(gpu, 0, sizeof *gpu);
    if (g_strlcpy(gpu->path, path, sizeof gpu->path) >= sizeof gpu->path)
        return fail(error, path, 0, "the path is too long");
    g_autofree char *base = g_path_get_basename(path);
    if (g_str_has_suffix(base, ".ini"))
        base[strlen(base) - 4] = '\0';
    g_strlcpy(gpu->name, base, sizeof gpu->name);
    if (!read_lines(path, load_line, &l, error))
        return false;
    for (unsigned i = 0; i < gmsim_key_count; i++)
        if (!l.seen_at[i])
            return fail(error, path, 0, "[%s] %s is missing: %s", gmsim_keys[i].group,
                        gmsim_keys[i].key, gmsim_keys[i].meaning);
    g_autoptr(GError) problem = NULL;
    if (!gmsim_gpu_check(gpu, &problem))
        return fail(error, path, 0, "%s", problem->message);
    return true;
}

bool gmsim_gpu_set(gmsim_gpu *gpu, const char *assignment, GError **error)
{
    const char *equals = strchr(assignment, '=');
    g_autofree char *name =
        equals ? g_strstrip(g_strndup(assignment, (gsize)(equals - assignment))) : NULL;
    char *dot = name ? strchr(name, '.') : NULL;
    if (!dot) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "--set %s: write group.key=value, for example l1.max_cache=128K", assignment);
        return false;
    }
    *dot = '\0';
    const gmsim_key *key = gmsim_key_find(name, dot + 1);
    *dot = '.';
    if (!key) {
        const char *near = gmsim_key_suggest(name);
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "--set %s: unknown key; %s%s%s", name,
                    near ? "did you mean " : "`gmsim gpus ", near ? near : gpu->name,
                    near ? "?" : "` lists them");
        return false;
    }
    g_autofree char *value = g_strstrip(g_strdup(equals + 1));
    g_autofree char *wrong = gmsim_key_parse(key, value, gpu);
    if (wrong) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "--set %s: %s", name, wrong);
        return false;
    }
    g_autoptr(GError) problem = NULL;
    if (!gmsim_gpu_check(gpu, &problem)) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "--set %s: %s", assignment,
                    problem->message);
        return false;
    }
    return true;
}

/* A sentence about the first contradiction, or NULL. */
static const char *contradiction(const gmsim_gpu *gpu)
{
    if (gpu->occupancy_warps_per_sm * 32u != gpu->occupancy_threads_per_sm)
        return "occupancy.threads_per_sm must be 32 times occupancy.warps_per_sm";
    if (gpu->occupancy_threads_per_block > gpu->occupancy_threads_per_sm)
        return "occupancy.threads_per_block exceeds occupancy.threads_per_sm";
    if (gpu->occupancy_registers_per_block > gpu->occupancy_registers_per_sm)
        return "occupancy.registers_per_block exceeds occupancy.registers_per_sm";
    if (gpu->occupancy_registers_per_sm % gpu->occupancy_sub_partitions)
        return "occupancy.registers_per_sm must divide among occupancy.sub_partitions";
    if (gpu->shared_carveout[gpu->shared_carveout_count - 1] != gpu->shared_per_sm)
        return "the largest of shared.carveouts must be shared.per_sm";
    if (gpu->shared_per_sm > gpu->l1_size)
        return "shared.per_sm exceeds l1.size";
    if (gpu->l1_max_cache > gpu->l1_size)
        return "l1.max_cache exceeds l1.size";
    if (gpu->shared_per_block > gpu->shared_per_block_optin)
        return "shared.per_block exceeds shared.per_block_optin";
    if (gpu->shared_per_block_optin + gpu->shared_reserved > gpu->shared_per_sm)
        return "shared.per_block_optin and shared.reserved together exceed shared.per_sm";
    if (gpu->l1_max_cache % (GMSIM_LINE_BYTES * gpu->l1_sets))
        return "l1.max_cache must be a whole number of lines in each of l1.sets";
    if (gpu->l2_size % ((uint64_t)GMSIM_LINE_BYTES * gpu->l2_ways))
        return "l2.size must be a whole number of sets of l2.ways lines";
    if (gpu->l2_fill_sectors == 3)
        return "l2.fill_sectors must be 1, 2 or 4";
    return NULL;
}

bool gmsim_gpu_check(const gmsim_gpu *gpu, GError **error)
{
    const char *wrong = contradiction(gpu);
    if (wrong)
        g_set_error_literal(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, wrong);
    return !wrong;
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
    const gmsim_key *key = gmsim_key_find(group, name);
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
