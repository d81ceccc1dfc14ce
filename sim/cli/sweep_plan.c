/* SPDX-License-Identifier: MIT
 *
 * sweep_plan.c - the points of a sweep: all combinations of traces, GPUs and settings. The trace
 * turns slowest, the last --set fastest. A point is a number; what it stands for is computed.
 */
#include "sim/cli/sweep.h"

#include <string.h>

#include "sim/api/plugin.h"

/* Whether a word can be told from the next one once all stand in a line. */
static bool is_word(const char *word)
{
    if (strchr(word, SWEEP_ARGUMENT_CHAR) == NULL)
        return true;
    cli_say("--run: a word of the command has the control character 0x1f in it; rename the file");
    return false;
}

/* A program with its arguments, all braces filled; shown as a line of words. */
static bool add_programs(sweep_plan *plan, const char *program, char **arguments, bool single)
{
    GString *pattern;
    unsigned first = plan->traces->len;
    bool good = is_word(program);

    for (char **a = arguments; good && a != NULL && *a != NULL; a++)
        good = is_word(*a);
    if (!good)
        return false;
    pattern = g_string_new(program);
    g_string_append(pattern, SWEEP_ARGUMENT);
    for (char **a = arguments; a != NULL && *a != NULL; a++)
        g_string_append_printf(pattern, "%s" SWEEP_ARGUMENT, *a);
    g_string_truncate(pattern, pattern->len - (arguments != NULL && *arguments != NULL));
    good = sweep_expand("run", pattern->str, plan->traces, single ? plan->braces : NULL,
                        single ? plan->names : NULL);
    for (unsigned i = first; good && i < plan->traces->len; i++) {
        char *text = plan->traces->pdata[i];
        char **words = g_strsplit(text, SWEEP_ARGUMENT, -1);

        if (arguments == NULL || *arguments == NULL)
            g_clear_pointer(&words[1], g_free); /* what stands behind the program alone */
        g_ptr_array_add(plan->commands, words);
        g_strchomp(g_strdelimit(text, SWEEP_ARGUMENT, ' '));
    }
    g_string_free(pattern, TRUE);
    return good;
}

static bool add_traces(sweep_plan *plan, const sweep_texts *texts)
{
    char **traces = texts->traces, **lines = texts->lines, **programs = texts->programs;
    unsigned patterns = (lines != NULL ? g_strv_length(lines) : 0) +
                        (programs != NULL ? g_strv_length(programs) : 0);
    bool single = traces == NULL && patterns == 1;

    for (; traces != NULL && *traces != NULL; traces++) {
        if (strcmp(*traces, "-") == 0) {
            cli_say("sweep reads its trace many times, so not from standard input; write it to a "
                    "file first");
            return false;
        }
        g_ptr_array_add(plan->traces, g_strdup(*traces));
    }
    plan->synthetic = plan->traces->len;
    for (; lines != NULL && *lines != NULL; lines++) {
        if (!sweep_expand("synthetic", *lines, plan->traces, single ? plan->braces : NULL,
                          single ? plan->names : NULL))
            return false;
    }
    plan->programs = plan->traces->len;
    for (; programs != NULL && *programs != NULL; programs++) {
        if (!add_programs(plan, *programs, texts->arguments, single))
            return false;
    }
    if (plan->traces->len == 0) {
        cli_say("sweep: no trace given; try 'gmsim sweep --trace FILE --set l1.size=256K,512K' or "
                "'gmsim sweep --help'");
        return false;
    }
    return true;
}

static bool add_gpus(sweep_plan *plan, char **gpus)
{
    for (; gpus != NULL && *gpus != NULL; gpus++) {
        char **names = g_strsplit(*gpus, ",", -1);

        for (char **name = names; *name != NULL; name++) {
            if (**name == 0) {
                cli_say("--gpu %s: names no GPU between two commas", *gpus);
                g_strfreev(names);
                return false;
            }
            g_ptr_array_add(plan->gpus, g_strdup(*name));
        }
        g_strfreev(names);
    }
    if (plan->gpus->len == 0)
        g_ptr_array_add(plan->gpus, g_strdup("h200"));
    return true;
}

/* "l1.size=256K,512K" is short for "l1.size={256K,512K}". */
static bool add_setting(sweep_plan *plan, const char *set)
{
    const char *equals = strchr(set, '=');
    GPtrArray *settings;
    char *key, *pattern;
    bool good;

    if (equals == NULL || equals == set || equals[1] == 0 ||
        strcspn(set, "{}") < (gsize)(equals - set)) {
        cli_say("--set %s: must be KEY=VALUE,VALUE... or KEY=FIRST..LAST*FACTOR", set);
        return false;
    }
    key = g_strndup(set, (gsize)(equals - set));
    for (unsigned i = 0; i < plan->keys->len; i++) {
        if (strcmp(plan->keys->pdata[i], key) == 0) {
            cli_say("--set %s is given twice; list its values after one --set", key);
            g_free(key);
            return false;
        }
    }
    settings = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(plan->keys, key);
    g_ptr_array_add(plan->settings, settings);
    pattern =
        strchr(equals, '{') != NULL ? g_strdup(set) : g_strdup_printf("%s={%s}", key, equals + 1);
    good = sweep_expand("set", pattern, settings, NULL, NULL);
    g_free(pattern);
    return good;
}

bool sweep_plan_check(const sweep_plan *plan, const char *const *plugin_files)
{
    uint64_t count = plan->count / plan->traces->len;

    for (uint64_t i = 0; i < count; i++) {
        gmsim_job job = {0};
        GError *error = NULL;
        gmsim_plugins *plugins = NULL;
        gmsim_gpu gpu;
        bool good;

        sweep_plan_job(plan, i, &job);
        good = gmsim_gpu_load(&gpu, job.gpu, &error) &&
               (plugins = gmsim_plugins_open(plugin_files, &gpu, &error)) != NULL &&
               gmsim_gpu_set_all(&gpu, (char *const *)job.set, &error);
        gmsim_plugins_close(plugins);
        g_free((gpointer)job.set);
        if (!good) {
            (void)cli_fail(NULL, error);
            return false;
        }
    }
    return true;
}

bool sweep_plan_make(sweep_plan *plan, const sweep_texts *texts)
{
    char **sets = texts->sets;

    memset(plan, 0, sizeof *plan);
    plan->traces = g_ptr_array_new_with_free_func(g_free);
    plan->braces = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    plan->names = g_ptr_array_new_with_free_func(g_free);
    plan->commands = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    plan->left = g_ptr_array_new_with_free_func(g_free);
    plan->gpus = g_ptr_array_new_with_free_func(g_free);
    plan->keys = g_ptr_array_new_with_free_func(g_free);
    plan->settings = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    if (!add_traces(plan, texts) || !add_gpus(plan, texts->gpus))
        return false;
    g_ptr_array_set_size(plan->left, (gint)plan->commands->len);
    for (; sets != NULL && *sets != NULL; sets++) {
        if (!add_setting(plan, *sets))
            return false;
    }
    plan->count = plan->traces->len;
    for (unsigned i = 0; i <= plan->settings->len && plan->count <= SWEEP_MOST_POINTS; i++) {
        const GPtrArray *list = i == 0 ? plan->gpus : plan->settings->pdata[i - 1];

        plan->count *= list->len;
    }
    if (plan->count > SWEEP_MOST_POINTS) {
        cli_say("sweep: more than %u points; give fewer values", SWEEP_MOST_POINTS);
        return false;
    }
    return true;
}

void sweep_plan_clear(sweep_plan *plan)
{
    GPtrArray *const all[] = {plan->traces, plan->braces, plan->names, plan->commands,
                              plan->left,   plan->gpus,   plan->keys,  plan->settings};

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
        if (all[i] != NULL)
            g_ptr_array_unref(all[i]);
    }
    memset(plan, 0, sizeof *plan);
}

/* ------------------------------------------------------------------------------------- points */

/* Which of each list's members the point has. */
static unsigned trace_of(const sweep_plan *plan, uint64_t point)
{
    return (unsigned)(point / (plan->count / plan->traces->len));
}

static unsigned gpu_of(const sweep_plan *plan, uint64_t point)
{
    uint64_t settings = plan->count / plan->traces->len / plan->gpus->len;

    return (unsigned)(point / settings % plan->gpus->len);
}

static const char *setting_of(const sweep_plan *plan, uint64_t point, unsigned key)
{
    for (unsigned i = plan->settings->len; i-- > 0;) {
        const GPtrArray *list = plan->settings->pdata[i];

        if (i == key)
            return list->pdata[point % list->len];
        point /= list->len;
    }
    return NULL;
}

int sweep_plan_command(const sweep_plan *plan, uint64_t point)
{
    return (int)trace_of(plan, point) - (int)plan->programs >= 0
               ? (int)(trace_of(plan, point) - plan->programs)
               : -1;
}

void sweep_plan_job(const sweep_plan *plan, uint64_t point, gmsim_job *job)
{
    unsigned trace = trace_of(plan, point);
    const char **set = g_new0(const char *, plan->keys->len + 1);

    for (unsigned i = 0; i < plan->keys->len; i++)
        set[i] = setting_of(plan, point, i);
    if (trace < plan->synthetic)
        job->trace = plan->traces->pdata[trace];
    else if (trace < plan->programs)
        job->synthetic = plan->traces->pdata[trace];
    else
        job->trace = plan->left->pdata[trace - plan->programs];
    job->gpu = plan->gpus->pdata[gpu_of(plan, point)];
    job->set = set;
}

static bool braces_vary(const sweep_plan *plan, unsigned index)
{
    for (unsigned i = 1; i < plan->braces->len; i++) {
        if (strcmp(((char **)plan->braces->pdata[i])[index],
                   ((char **)plan->braces->pdata[0])[index]) != 0)
            return true;
    }
    return false;
}

GArray *sweep_plan_columns(const sweep_plan *plan)
{
    GArray *columns = g_array_new(FALSE, FALSE, sizeof(gmsim_sweep_column));
    /* The braces say what varies in a line. */
    gmsim_sweep_column column = {.name = "trace",
                                 .kind = GMSIM_SWEEP_TRACE,
                                 .varies = plan->traces->len > 1 && plan->names->len == 0};

    g_array_append_val(columns, column);
    column =
        (gmsim_sweep_column){.name = "gpu", .kind = GMSIM_SWEEP_GPU, .varies = plan->gpus->len > 1};
    g_array_append_val(columns, column);
    for (unsigned i = 0; i < plan->names->len; i++) {
        column = (gmsim_sweep_column){.name = plan->names->pdata[i],
                                      .kind = GMSIM_SWEEP_BRACES,
                                      .index = i,
                                      .varies = braces_vary(plan, i)};
        g_array_append_val(columns, column);
    }
    for (unsigned i = 0; i < plan->keys->len; i++) {
        column = (gmsim_sweep_column){.name = plan->keys->pdata[i],
                                      .kind = GMSIM_SWEEP_KEY,
                                      .index = i,
                                      .varies = ((GPtrArray *)plan->settings->pdata[i])->len > 1};
        g_array_append_val(columns, column);
    }
    return columns;
}

const char *sweep_plan_value(const void *data, uint64_t point, const gmsim_sweep_column *column)
{
    const sweep_plan *plan = data;

    switch (column->kind) {
    case GMSIM_SWEEP_TRACE:
        return plan->traces->pdata[trace_of(plan, point)];
    case GMSIM_SWEEP_GPU:
        return plan->gpus->pdata[gpu_of(plan, point)];
    case GMSIM_SWEEP_BRACES:
        return ((char **)plan->braces->pdata[trace_of(plan, point)])[column->index];
    case GMSIM_SWEEP_KEY:
        break;
    }
    return strchr(setting_of(plan, point, column->index), '=') + 1;
}
