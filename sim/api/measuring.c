/* SPDX-License-Identifier: MIT
 *
 * measuring.c - measured values of launches, by metric. Leaves out ratios that ncu has no metric
 * for: gmvalidate forms those.
 */
#include "sim/api/measuring.h"

#include <math.h>
#include <string.h>

#include "sim/analysis/metrics.h"
#include "sim/measured/match.h"

struct gmsim_measuring {
    gmsim_measured *measured;
    gmsim_match *match; /* of each launch */
    double *value;      /* of each metric */
};

/* "transpose_pad" of traces/transpose_pad.trc: what a column "Case" names. */
static char *label_of(const char *trace)
{
    char *name = g_path_get_basename(trace);

    if (g_str_has_suffix(name, ".trc"))
        name[strlen(name) - strlen(".trc")] = 0;
    return name;
}

gmsim_measuring *gmsim_measuring_open(const char *path, const char *dashes, const char *trace,
                                      gmtrace_reader *reader, GError **error)
{
    gmsim_measuring *m = g_new0(gmsim_measuring, 1);
    const uint32_t launches = gmtrace_launch_count(reader);
    g_autofree char *label = label_of(trace);
    uint8_t *used;
    bool any = false;

    m->measured = gmsim_measured_new();
    m->match = g_new0(gmsim_match, launches);
    m->value = g_new(double, gmsim_metric_all);
    if (!gmsim_measured_read(m->measured, path, error)) {
        gmsim_measuring_free(m);
        return NULL;
    }
    for (uint32_t i = 0; i < launches; i++) {
        const gmtrace_launch *launch = gmtrace_get_launch(reader, i);
        const gmtrace_kernel *kernel = gmtrace_get_kernel(reader, launch->kernel);

        m->match[i] = (gmsim_match){
            .label = label, .name = kernel->name, .mangled = kernel->mangled, .row = -1};
        memcpy(m->match[i].grid, launch->grid, sizeof launch->grid);
        memcpy(m->match[i].block, launch->block, sizeof launch->block);
    }
    used = g_malloc0(m->measured->rows->len + 1);
    gmsim_match_launches(m->measured, m->match, launches, used);
    g_free(used);
    for (uint32_t i = 0; i < launches; i++) {
        m->match[i].label = NULL;
        any = any || m->match[i].row >= 0;
    }
    if (any)
        return m;
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                "%smeasured %s: has no launch of %s; kernel, grid and block must be the same",
                dashes, path, trace);
    gmsim_measuring_free(m);
    return NULL;
}

void gmsim_measuring_free(gmsim_measuring *m)
{
    if (m == NULL)
        return;
    gmsim_measured_free(m->measured);
    g_free(m->match);
    g_free(m->value);
    g_free(m);
}

const double *gmsim_measuring_of(gmsim_measuring *m, uint32_t launch)
{
    const int row = m->match[launch].row;

    if (row < 0)
        return NULL;
    for (unsigned i = 0; i < gmsim_metric_all; i++) {
        const int column = gmsim_measured_column(m->measured, gmsim_metrics[i].name);
        const gmsim_cell cell = gmsim_measured_cell(m->measured->rows->pdata[row], column);

        m->value[i] = cell.state == GMSIM_CELL_NUMBER ? cell.value : (double)NAN;
    }
    return m->value;
}
