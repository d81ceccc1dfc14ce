/* SPDX-License-Identifier: MIT
 *
 * fuzz_sweep.c - any bytes as the options of gmsim sweep, one a line: traces; after "%", patterns
 * with braces; after "@", GPUs; after "!" and "?", programs and their arguments; the rest are
 * settings with their lists and ranges. All points have a value in every column, or one line says
 * what is wrong. Sweeps of many points are refused (SWEEP_MOST_POINTS is small here), so that a run
 * is short.
 */
#include "sim/cli/sweep.h"
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <string.h>

static unsigned said;

/* What the command's message.c does, but that what it says is looked at. */
void cli_say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    g_autofree char *text = g_strdup_vprintf(format, list);
    va_end(list);
    NEED(*text);
    said++;
}

int cli_fail(const char *file, GError *error)
{
    cli_say("%s: %s", file ? file : "", error->message);
    g_error_free(error);
    return CLI_USAGE;
}

static void check(const sweep_plan *plan)
{
    GArray *columns = sweep_plan_columns(plan);
    NEED(plan->count > 0 && plan->count <= SWEEP_MOST_POINTS);
    for (uint64_t i = 0; i < plan->count; i += 1 + plan->count / 8) {
        gmsim_job job = {0};
        sweep_plan_job(plan, i, &job);
        /* A program has left no trace yet. */
        NEED(job.gpu && !!job.trace + !!job.synthetic == (sweep_plan_command(plan, i) < 0));
        g_free((gpointer)job.set);
        for (unsigned k = 0; k < columns->len; k++)
            NEED(sweep_plan_value(plan, i, &g_array_index(columns, gmsim_sweep_column, k)));
    }
    g_array_unref(columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    g_auto(GStrv) lines = g_strsplit(text, "\n", 32);
    char *option[6][33] = {{NULL}};
    unsigned count[6] = {0};
    sweep_plan plan;
    free(text);
    for (char **line = lines; *line; line++) {
        const char *mark = strchr("%@!?", **line); /* which finds the end of an empty line, too */
        const unsigned kind = **line && mark       ? 1 + (unsigned)(mark - "%@!?")
                              : strchr(*line, '=') ? 5
                                                   : 0;
        option[kind][count[kind]++] = *line + (kind > 0 && kind < 5);
    }
    said = 0;
    const sweep_texts texts = {option[0], option[1], option[3], option[4], option[2], option[5]};
    if (sweep_plan_make(&plan, &texts))
        check(&plan);
    else
        NEED(said == 1);
    sweep_plan_clear(&plan);
    return 0;
}
