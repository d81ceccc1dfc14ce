/* SPDX-License-Identifier: MIT
 *
 * sweep_words.c - a sweep as people read it: its points' names, what of it is shown, the best and
 * the worst.
 */
#include <math.h>

#include "sim/report/format.h"
#include "sim/report/formats.h"

char *gmsim_sweep_describe(const gmsim_sweep *sweep, uint64_t point)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < sweep->columns->len; i++) {
        const gmsim_sweep_column *column = &g_array_index(sweep->columns, gmsim_sweep_column, i);

        if (column->varies)
            g_string_append_printf(text, "%s%s=%s", text->len > 0 ? " " : "", column->name,
                                   sweep->value(sweep->plan, point, column));
    }
    return g_string_free(text, FALSE);
}

bool gmsim_sweep_fixes(const gmsim_sweep *sweep, unsigned at)
{
    const gmsim_sweep_column *columns = (const gmsim_sweep_column *)(void *)sweep->columns->data;
    bool braces = false;

    for (unsigned i = 0; i < sweep->columns->len; i++)
        braces = braces || columns[i].kind == GMSIM_SWEEP_BRACES;
    return !columns[at].varies && columns[at].kind != GMSIM_SWEEP_BRACES &&
           !(columns[at].kind == GMSIM_SWEEP_TRACE && braces);
}

bool gmsim_sweep_shows(const gmsim_sweep *sweep, unsigned metric)
{
    if (sweep->chosen)
        return true;
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        const gmsim_sweep_point *point = &sweep->point[i];

        for (unsigned k = 0; point->failure == NULL && k < point->rows->len; k++) {
            double value = ((const gmsim_sweep_row *)point->rows->pdata[k])->value[metric];

            if (isfinite(value) && value != 0)
                return true;
        }
    }
    return false;
}

bool gmsim_sweep_has_launches(const gmsim_sweep *sweep)
{
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        if (sweep->point[i].failure == NULL && sweep->point[i].rows->len > 1)
            return true;
    }
    return false;
}

char *gmsim_sweep_best(const gmsim_sweep *sweep)
{
    unsigned cycles = (unsigned)gmsim_metric_find("cycles"), at = 0;
    uint64_t least = 0, most = 0;
    double low = HUGE_VAL, high = 0;
    char *text = NULL;

    while (at < sweep->metrics->len && g_array_index(sweep->metrics, unsigned, at) != cycles)
        at++;
    if (at == sweep->metrics->len || gmsim_sweep_has_launches(sweep))
        return NULL;
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        double value;

        if (sweep->point[i].failure != NULL)
            continue;
        value = ((const gmsim_sweep_row *)sweep->point[i].rows->pdata[0])->value[at];
        if (value < low) {
            low = value;
            least = i;
        }
        if (value > high) {
            high = value;
            most = i;
        }
    }
    if (low > 0 && low < high) {
        char *first = gmsim_sweep_describe(sweep, least);
        char *last = gmsim_sweep_describe(sweep, most);

        text = g_strdup_printf("Fewest cycles at %s: %s. Most at %s: %.2f times as many.", first,
                               gmsim_count((uint64_t)low).text, last, high / low);
        g_free(first);
        g_free(last);
    }
    return text;
}
