/* SPDX-License-Identifier: MIT
 *
 * mistakes.c - the report of `gmsim --run --check`, for people and as JSON.
 */
#include "config.h"

#include <string.h>

#include "sim/report/format.h"
#include "sim/report/json.h"
#include "sim/report/mistakes.h"
#include "sim/report/text.h"

static void clear_mistake(gpointer data)
{
    gmsim_mistake *m = data;

    g_free(m->what);
    g_free(m->title);
    g_free(m->detail);
    g_free(m->kernel);
    for (unsigned i = 0; i < 2; i++) {
        g_free(m->side[i].file);
        g_free(m->side[i].role);
    }
    g_free(m->call.file);
    g_free(m->origin.file);
    g_free(m);
}

void gmsim_mistakes_clear(gmsim_mistakes *mistakes)
{
    if (mistakes->mistake != NULL) {
        g_ptr_array_foreach(mistakes->mistake, (GFunc)(void (*)(void))clear_mistake, NULL);
        g_ptr_array_free(mistakes->mistake, TRUE);
    }
    mistakes->mistake = NULL;
}

static const gmsim_mistake *at(const gmsim_mistakes *mistakes, unsigned i)
{
    return g_ptr_array_index(mistakes->mistake, i);
}

static const struct {
    const char *what, *one, *many;
} kinds[] = {
    {"memory", "memory error", "memory errors"},
    {"races", "race", "races"},
    {"unwritten", "read of what nobody wrote", "reads of what nobody wrote"},
    {"barriers", "synchronisation error", "synchronisation errors"},
    {"leaks", "leak", "leaks"},
};

/* "2 memory errors, 1 race" */
static char *sum_up(const gmsim_mistakes *mistakes)
{
    GString *text = g_string_new(NULL);

    for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++) {
        unsigned count = 0;

        for (unsigned i = 0; i < mistakes->mistake->len; i++)
            count += strcmp(at(mistakes, i)->what, kinds[k].what) == 0;
        if (count > 0)
            g_string_append_printf(text, "%s%u %s", text->len > 0 ? ", " : "", count,
                                   count == 1 ? kinds[k].one : kinds[k].many);
    }
    return g_string_free(text, FALSE);
}

/* "app.cu:12" */
static char *place(const char *file, uint32_t line, uint32_t ptx_line)
{
    char *base, *clean, *text;

    if (file == NULL)
        return ptx_line != 0 ? g_strdup_printf("line %u of the PTX", ptx_line) : NULL;
    base = g_path_get_basename(file);
    clean = gmsim_clean(base, GMSIM_REPORT_WIDTH / 2);
    text = line > 0 ? g_strdup_printf("%s:%u", clean, line) : g_strdup(clean);
    g_free(base);
    g_free(clean);
    return text;
}

static void put_source(FILE *out, const char *folder, const char *file, uint32_t line)
{
    char *text = gmsim_source_line(folder, file, line);

    if (text != NULL)
        fprintf(out, "  %6u | %s\n", line, text);
    g_free(text);
}

static void put_thread(FILE *out, const gmsim_mistake_side *s)
{
    fprintf(out, "block (%u,%u,%u) thread (%u,%u,%u)", s->block[0], s->block[1], s->block[2],
            s->thread[0], s->thread[1], s->thread[2]);
}

/* "call.cu:30, in a launch" and what was there. */
static void put_host(FILE *out, const char *folder, const char *word, const gmsim_host_place *h)
{
    char *where = place(h->file, h->line, 0);

    if (where != NULL) {
        fprintf(out, "         %s %s\n", word, where);
        put_source(out, folder, h->file, h->line);
    }
    g_free(where);
}

static void put_mistake(FILE *out, const gmsim_mistake *m, const char *folder)
{
    char *title = gmsim_clean(m->title, GMSIM_REPORT_WIDTH);
    char *where = m->sides > 0 ? place(m->side[0].file, m->side[0].line, m->side[0].ptx_line)
                               : place(m->call.file, m->call.line, 0);

    fprintf(out, "\n%s: %s", where != NULL ? where : "?", title);
    if (m->count > 1)
        fprintf(out, ", %" G_GUINT64_FORMAT " times", m->count);
    fputc('\n', out);
    if (m->kernel != NULL) {
        char *kernel = gmsim_clean(m->kernel, GMSIM_REPORT_WIDTH - 12);

        fprintf(out, "         in %s\n", kernel);
        g_free(kernel);
    }
    for (unsigned i = 0; i < m->sides; i++) {
        const gmsim_mistake_side *s = &m->side[i];
        char *second = place(s->file, s->line, s->ptx_line);

        put_source(out, folder, s->file, s->line);
        fputs("         ", out);
        if (m->sides > 1)
            fprintf(out, "%s at %s by ", s->role, second != NULL ? second : "?");
        put_thread(out, s);
        fputc('\n', out);
        g_free(second);
    }
    if (m->sides == 0)
        put_source(out, folder, m->call.file, m->call.line);
    if (m->detail != NULL) {
        char *detail = gmsim_clean(m->detail, 2 * GMSIM_REPORT_WIDTH);

        fprintf(out, "         %s\n", detail);
        g_free(detail);
    }
    put_host(out, folder, "allocated at", &m->origin);
    if (m->sides > 0)
        put_host(out, folder, "launched at", &m->call);
    g_free(title);
    g_free(where);
}

void gmsim_mistakes_text(FILE *out, const gmsim_mistakes *mistakes, const char *program,
                         const char *source)
{
    char *name = gmsim_clean(program, GMSIM_REPORT_WIDTH / 2), *sum = sum_up(mistakes);

    fprintf(out, "gmsim " PACKAGE_VERSION "   check of %s\n", name);
    for (unsigned i = 0; i < mistakes->mistake->len; i++)
        put_mistake(out, at(mistakes, i), source);
    if (mistakes->left_out > 0)
        fprintf(out, "\nThere is no room for %" G_GUINT64_FORMAT " more places.\n",
                mistakes->left_out);
    if (mistakes->races_incomplete)
        fputs("\nA launch touched more memory than is watched for races; it was watched in part.\n",
              out);
    fprintf(out, "\n%s\n", mistakes->mistake->len > 0 ? sum : "Nothing found.");
    g_free(name);
    g_free(sum);
}

static void json_place(gmsim_json *json, const char *key, const gmsim_host_place *h)
{
    if (h->file == NULL)
        return;
    gmsim_json_object(json, key, true);
    gmsim_json_string(json, "file", h->file);
    gmsim_json_uint(json, "line", h->line);
    gmsim_json_close(json);
}

void gmsim_mistakes_json(FILE *out, const gmsim_mistakes *mistakes, const char *program)
{
    gmsim_json json;

    gmsim_json_init(&json, out);
    gmsim_json_object(&json, NULL, false);
    gmsim_json_string(&json, "schema", "gmsim-check/1");
    gmsim_json_string(&json, "gmsim", PACKAGE_VERSION);
    gmsim_json_string(&json, "program", program);
    gmsim_json_int(&json, "status", mistakes->status);
    gmsim_json_uint(&json, "left_out", mistakes->left_out);
    gmsim_json_bool(&json, "races_incomplete", mistakes->races_incomplete);
    gmsim_json_array(&json, "mistakes", false);
    for (unsigned i = 0; i < mistakes->mistake->len; i++) {
        const gmsim_mistake *m = at(mistakes, i);

        gmsim_json_object(&json, NULL, false);
        gmsim_json_string(&json, "what", m->what);
        gmsim_json_string(&json, "title", m->title);
        gmsim_json_string(&json, "kernel", m->kernel);
        gmsim_json_string(&json, "detail", m->detail);
        gmsim_json_uint(&json, "count", m->count);
        gmsim_json_array(&json, "threads", false);
        for (unsigned s = 0; s < m->sides; s++) {
            gmsim_json_object(&json, NULL, true);
            gmsim_json_string(&json, "file", m->side[s].file);
            gmsim_json_uint(&json, "line", m->side[s].line);
            gmsim_json_uint(&json, "ptx_line", m->side[s].ptx_line);
            gmsim_json_string(&json, "role", m->side[s].role);
            gmsim_json_uint3(&json, "block", m->side[s].block);
            gmsim_json_uint3(&json, "thread", m->side[s].thread);
            gmsim_json_close(&json);
        }
        gmsim_json_close(&json);
        json_place(&json, "call", &m->call);
        json_place(&json, "allocated", &m->origin);
        gmsim_json_close(&json);
    }
    gmsim_json_close(&json);
    gmsim_json_close(&json);
    gmsim_json_finish(&json);
}
