/* SPDX-License-Identifier: MIT
 *
 * sweep_plot.c - a sweep as curves, drawn by gnuplot: a panel a metric, along its axis the values
 * of what varies fastest, a curve for each combination of the rest and each launch. DIR gets
 * sweep.gp, the script with its numbers, and what that draws, sweep.svg and sweep.png.
 *
 * Left out: axes to scale. Values stand side by side as they were given, numbers and names alike.
 */
#include "sim/cli/plot.h"
#include "sim/cli/sweep.h"

#include <math.h>
#include <string.h>

#define MOST_CURVES 24u /* that can still be told apart */

typedef struct curves {
    const gmsim_sweep *sweep;
    const gmsim_sweep_column *axis;
    GPtrArray *value; /* char *, along the axis */
    GPtrArray *name;  /* char *, of the curves */
    GPtrArray *curve; /* const gmsim_sweep_row ** of each, one a value along the axis */
} curves;

static unsigned find_or_add(GPtrArray *texts, const char *text)
{
    for (unsigned i = 0; i < texts->len; i++)
        if (strcmp(texts->pdata[i], text) == 0)
            return i;
    g_ptr_array_add(texts, g_strdup(text));
    return texts->len - 1u;
}

/* "gpu=a100 launch 3": what tells a row from others at its place along the axis. */
static char *name_of(const curves *c, uint64_t point, const gmsim_sweep_row *row, bool launches)
{
    GString *name = g_string_new(NULL);

    for (unsigned i = 0; i < c->sweep->columns->len; i++) {
        const gmsim_sweep_column *column = &g_array_index(c->sweep->columns, gmsim_sweep_column, i);

        if (column->varies && column != c->axis)
            g_string_append_printf(name, "%s=%s ", column->name,
                                   c->sweep->value(c->sweep->plan, point, column));
    }
    if (launches)
        g_string_append_printf(name, "launch %u %s", row->launch, row->kernel);
    return g_strchomp(g_string_free(name, FALSE));
}

static void collect(curves *c)
{
    const gmsim_sweep *sweep = c->sweep;
    bool launches = false;

    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        launches = launches || (sweep->point[i].failure == NULL && sweep->point[i].rows->len > 1);
        (void)find_or_add(c->value, sweep->value(sweep->plan, i, c->axis));
    }
    for (uint64_t i = sweep->first; i < sweep->count; i += sweep->step) {
        const gmsim_sweep_point *point = &sweep->point[i];
        unsigned at = find_or_add(c->value, sweep->value(sweep->plan, i, c->axis));

        for (unsigned r = 0; point->failure == NULL && r < point->rows->len; r++) {
            char *name = name_of(c, i, point->rows->pdata[r], launches);
            unsigned curve = find_or_add(c->name, name);

            if (curve == c->curve->len)
                g_ptr_array_add(c->curve, g_new0(const gmsim_sweep_row *, c->value->len));
            ((const gmsim_sweep_row **)c->curve->pdata[curve])[at] = point->rows->pdata[r];
            g_free(name);
        }
    }
}

/* Metrics that are not chosen are left out where they are 0 everywhere, as in the table. */
static bool is_shown(const curves *c, unsigned metric)
{
    for (unsigned k = 0; k < c->curve->len; k++)
        for (unsigned i = 0; i < c->value->len; i++) {
            const gmsim_sweep_row *row = ((const gmsim_sweep_row **)c->curve->pdata[k])[i];

            if (row != NULL && isfinite(row->value[metric]) &&
                (c->sweep->chosen || row->value[metric] != 0))
                return true;
        }
    return false;
}

static void put_data(const curves *c, unsigned curve, GString *out)
{
    g_string_append_printf(out, "$curve%u << END\n", curve);
    for (unsigned i = 0; i < c->value->len; i++) {
        const gmsim_sweep_row *row = ((const gmsim_sweep_row **)c->curve->pdata[curve])[i];

        g_string_append_printf(out, "%u", i);
        for (unsigned m = 0; m < c->sweep->metrics->len; m++) {
            char text[G_ASCII_DTOSTR_BUF_SIZE] = "NaN";

            if (row != NULL && isfinite(row->value[m]))
                g_ascii_dtostr(text, sizeof text, row->value[m]);
            g_string_append_printf(out, " %s", text);
        }
        g_string_append_c(out, '\n');
    }
    g_string_append(out, "END\n");
}

static void put_panel(const curves *c, unsigned metric, GString *out)
{
    const gmsim_metric *m = &gmsim_metrics[g_array_index(c->sweep->metrics, unsigned, metric)];
    const unsigned count = MIN(c->curve->len, MOST_CURVES);

    g_string_append_printf(out, "  set title '%s' noenhanced\n  plot ",
                           m->word != NULL  ? m->word
                           : m->key != NULL ? m->key
                                            : m->name);
    for (unsigned k = 0; k < count; k++) {
        g_string_append_printf(out, "%s$curve%u using 1:%u with linespoints pt 7 ps 0.6 lw 1.5",
                               k > 0 ? ", " : "", k, metric + 2);
        if (count > 1) {
            g_string_append(out, " title ");
            cli_plot_quote(out, c->name->pdata[k]);
        } else {
            g_string_append(out, " notitle");
        }
    }
    g_string_append_c(out, '\n');
}

static char *make_script(const curves *c)
{
    GString *out =
        g_string_new("# Drawn by gmsim sweep --plot; run gnuplot on it in this folder.\n");
    unsigned panels = 0;

    for (unsigned k = 0; k < MIN(c->curve->len, MOST_CURVES); k++)
        put_data(c, k, out);
    for (unsigned m = 0; m < c->sweep->metrics->len; m++)
        panels += is_shown(c, m);
    if (c->curve->len > MOST_CURVES)
        g_string_append_printf(out, "# The first %u of %u curves.\n", MOST_CURVES, c->curve->len);
    g_string_append(out, "set border 3\nset xtics nomirror noenhanced\nset ytics nomirror\n"
                         "set grid ytics lc rgb '#dddddd'\nset yrange [0:*]\n"
                         "set xlabel ");
    cli_plot_quote(out, c->axis->name);
    g_string_append_printf(
        out, " noenhanced\nset key %s noenhanced\nset xrange [-0.3:%u.3]\nset xtics (",
        c->curve->len > 4 ? "outside right font ',9' samplen 1" : "bottom right",
        c->value->len - 1u);
    for (unsigned i = 0; i < c->value->len; i++) {
        g_string_append(out, i > 0 ? ", " : "");
        cli_plot_quote(out, c->value->pdata[i]);
        g_string_append_printf(out, " %u", i);
    }
    g_string_append_printf(out,
                           ")\nset linetype 1 lc rgb '#0072b2'\nset linetype 2 lc rgb '#d55e00'\n"
                           "set linetype 3 lc rgb '#009e73'\nset linetype 4 lc rgb '#cc79a7'\n"
                           "set linetype 5 lc rgb '#e69f00'\nset linetype 6 lc rgb '#56b4e9'\n"
                           "do for [kind in 'svg png'] {\n"
                           "  if (kind eq 'svg') { set terminal svg size 900,%u font 'sans,12' "
                           "background '#ffffff' }\n"
                           "  else { set terminal pngcairo size 1200,%u font 'sans,12' }\n"
                           "  set output 'sweep.'.kind\n"
                           "  set multiplot layout %u,%u\n",
                           280u * ((panels + 1u) / 2u), 380u * ((panels + 1u) / 2u),
                           (panels + 1u) / 2u, panels > 1 ? 2u : 1u);
    for (unsigned m = 0; m < c->sweep->metrics->len; m++)
        if (is_shown(c, m))
            put_panel(c, m, out);
    g_string_append(out, "  unset multiplot\n  unset output\n}\n");
    return g_string_free(out, FALSE);
}

/* What varies fastest; NULL where nothing does. */
static const gmsim_sweep_column *axis_of(const gmsim_sweep *sweep)
{
    for (unsigned i = sweep->columns->len; i-- > 0;)
        if (g_array_index(sweep->columns, gmsim_sweep_column, i).varies)
            return &g_array_index(sweep->columns, gmsim_sweep_column, i);
    return NULL;
}

bool sweep_plot_able(const gmsim_sweep *sweep)
{
    if (axis_of(sweep) != NULL)
        return true;
    cli_say("--plot: draws what varies, and nothing does; give --set, --gpu or braces values");
    return false;
}

bool sweep_plot(const gmsim_sweep *sweep, const char *folder)
{
    curves c = {.sweep = sweep,
                .axis = axis_of(sweep),
                .value = g_ptr_array_new_with_free_func(g_free),
                .name = g_ptr_array_new_with_free_func(g_free),
                .curve = g_ptr_array_new_with_free_func(g_free)};
    bool any = false, drawn = true;

    collect(&c);
    for (unsigned m = 0; m < sweep->metrics->len; m++)
        any = any || is_shown(&c, m);
    if (any) {
        char *script = make_script(&c);

        drawn = cli_plot_write(folder, "sweep", script);
        g_free(script);
    } else {
        cli_say("--plot: no metric has a value to draw");
    }
    g_ptr_array_unref(c.value);
    g_ptr_array_unref(c.name);
    g_ptr_array_unref(c.curve);
    return drawn;
}
