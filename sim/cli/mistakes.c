/* SPDX-License-Identifier: MIT
 *
 * mistakes.c - `gmsim --run PROGRAM --check`: runs a program built with gmcc so that it looks for
 * mistakes, and reports them. The program leaves a list (traces/gmcc/runtime/check.c).
 */
#include "sim/cli/mistakes.h"

#include <signal.h>
#include <string.h>

#include "sim/report/mistakes.h"

static const char *const checks[] = {"all",      "memory", "races", "unwritten",
                                     "barriers", "leaks",  NULL};

bool cli_check_words(const char *list)
{
    char **word = g_strsplit(list, ",", -1);
    bool good = true;

    for (unsigned i = 0; good && word[i] != NULL; i++)
        good = cli_one_of("check", word[i], checks);
    g_strfreev(word);
    return good;
}

/* Of the host's code. */
static void take_line(GKeyFile *file, const char *group, const char *key, gmsim_host_place *place)
{
    char name[16];

    g_snprintf(name, sizeof name, "%s_file", key);
    place->file = g_key_file_get_string(file, group, name, NULL);
    g_snprintf(name, sizeof name, "%s_line", key);
    place->line = (uint32_t)g_key_file_get_uint64(file, group, name, NULL);
}

static void take_three(GKeyFile *file, const char *group, const char *key, uint32_t to[3])
{
    gsize length = 0;
    int *v = g_key_file_get_integer_list(file, group, key, &length, NULL);

    for (unsigned i = 0; v != NULL && i < 3 && i < length; i++)
        to[i] = (uint32_t)v[i];
    g_free(v);
}

static void take_side(GKeyFile *file, const char *group, unsigned i, gmsim_mistake *m)
{
    char key[16];
    gmsim_mistake_side *s = &m->side[i];

    g_snprintf(key, sizeof key, "role%u", i);
    s->role = g_key_file_get_string(file, group, key, NULL);
    if (s->role == NULL)
        return;
    m->sides = i + 1;
    g_snprintf(key, sizeof key, "file%u", i);
    s->file = g_key_file_get_string(file, group, key, NULL);
    g_snprintf(key, sizeof key, "line%u", i);
    s->line = (uint32_t)g_key_file_get_uint64(file, group, key, NULL);
    g_snprintf(key, sizeof key, "ptx_line%u", i);
    s->ptx_line = (uint32_t)g_key_file_get_uint64(file, group, key, NULL);
    g_snprintf(key, sizeof key, "block%u", i);
    take_three(file, group, key, s->block);
    g_snprintf(key, sizeof key, "thread%u", i);
    take_three(file, group, key, s->thread);
}

static char *text_or_empty(GKeyFile *file, const char *group, const char *key)
{
    char *text = g_key_file_get_string(file, group, key, NULL);

    return text != NULL ? text : g_strdup("");
}

/* The same line of the host's, reached through several calls, is one place. */
static bool is_same(const gmsim_mistake *a, const gmsim_mistake *b)
{
    return a->sides == 0 && b->sides == 0 && a->call.file != NULL && b->call.file != NULL &&
           a->call.line == b->call.line && strcmp(a->call.file, b->call.file) == 0 &&
           strcmp(a->title, b->title) == 0;
}

static bool load(const char *path, gmsim_mistakes *all)
{
    GKeyFile *file = g_key_file_new();
    char **group = NULL;
    bool good = g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL);

    all->mistake = g_ptr_array_new();
    all->left_out = g_key_file_get_uint64(file, "check", "left_out", NULL);
    all->races_incomplete = g_key_file_get_boolean(file, "check", "races_incomplete", NULL);
    group = g_key_file_get_groups(file, NULL);
    for (unsigned i = 0; good && group[i] != NULL; i++) {
        gmsim_mistake *m, *same = NULL;

        if (!g_str_has_prefix(group[i], "mistake "))
            continue;
        m = g_new0(gmsim_mistake, 1);
        m->what = text_or_empty(file, group[i], "what");
        m->title = text_or_empty(file, group[i], "title");
        m->detail = g_key_file_get_string(file, group[i], "detail", NULL);
        m->kernel = g_key_file_get_string(file, group[i], "kernel", NULL);
        m->count = g_key_file_get_uint64(file, group[i], "count", NULL);
        take_side(file, group[i], 0, m);
        take_side(file, group[i], 1, m);
        take_line(file, group[i], "call", &m->call);
        take_line(file, group[i], "origin", &m->origin);
        for (unsigned k = 0; same == NULL && k < all->mistake->len; k++) {
            if (is_same(g_ptr_array_index(all->mistake, k), m))
                same = g_ptr_array_index(all->mistake, k);
        }
        if (same != NULL)
            same->count += m->count;
        g_ptr_array_add(all->mistake, m);
        if (same != NULL) {
            gmsim_mistakes one = {.mistake = g_ptr_array_new()};

            g_ptr_array_remove_index(all->mistake, all->mistake->len - 1);
            g_ptr_array_add(one.mistake, m);
            gmsim_mistakes_clear(&one);
        }
    }
    g_strfreev(group);
    g_key_file_free(file);
    return good;
}

static int report(const cli_mistakes_job *job, const gmsim_mistakes *all)
{
    const gmsim_format *format = cli_format(job->format, job->output);
    cli_output output = {0};

    if (strcmp(format->name, "text") != 0 && strcmp(format->name, "json") != 0) {
        cli_say_lacks(format, "checks");
        return CLI_USAGE;
    }
    if (!cli_output_open(&output, job->output))
        return CLI_FAILED;
    if (strcmp(format->name, "json") == 0)
        gmsim_mistakes_json(output.file, all, job->program);
    else
        gmsim_mistakes_text(output.file, all, job->program, job->source);
    return cli_output_close(&output, true) ? CLI_DONE : CLI_FAILED;
}

int cli_mistakes(const cli_mistakes_job *job)
{
    /* In a folder of its own, that a signal takes along. */
    char *path = cli_program_trace();
    gmsim_mistakes all = {0};
    int code = CLI_FAILED, status = -1, ended = 0;

    if (path == NULL)
        return CLI_FAILED;
    if (cli_program_check(job->program, job->arguments, path, job->checks, &status, &ended)) {
        all.status = status;
        if (load(path, &all))
            code = report(job, &all);
        else
            cli_say("%s: left no list of mistakes; is it built with gmcc?", job->program);
        if (code == CLI_DONE && all.mistake->len > 0)
            code = CLI_LIMIT;
        else if (code == CLI_DONE && status != 0)
            code = CLI_FAILED;
        gmsim_mistakes_clear(&all);
    }
    cli_program_forget(path);
    g_free(path);
    if (ended != 0) {
        signal(ended, SIG_DFL);
        raise(ended);
    }
    return code;
}
