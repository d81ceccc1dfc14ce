/* SPDX-License-Identifier: MIT
 *
 * quantity.c - the ratios of quantity.h from columns; their definitions are gmsim's own.
 */
#include "validate/quantity.h"

#include <string.h>

#define L2_READS    "lts__t_sectors_srcunit_tex_op_read.sum"
#define L2_HITS     "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"
#define L2_MISSES   "lts__t_sectors_srcunit_tex_lookup_miss.sum"
#define FABRIC_HITS "lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum"
#define DRAM_READS  "dram__sectors_read.sum"

unsigned gmsim_quantity_count(void)
{
    return gmsim_metric_measurable;
}

int gmsim_quantity_find(const char *name)
{
    int index = gmsim_metric_find(name);

    /* Other names of a metric may be words of a table. */
    return index >= 0 && index < (int)gmsim_metric_measurable &&
                   strcmp(gmsim_metrics[index].name, name) == 0
               ? index
               : -1;
}

static bool value_of(const gmsim_measured *measured, const gmsim_measured_row *row,
                     const char *name, double *value)
{
    gmsim_cell cell = gmsim_measured_cell(row, gmsim_measured_column(measured, name));

    *value = cell.value;
    return cell.state == GMSIM_CELL_NUMBER;
}

static bool far_hits_estimated(const gmsim_measured *measured, const gmsim_measured_row *row,
                               double *value)
{
    double reads, near, missed, dram;

    if (!value_of(measured, row, L2_READS, &reads) || !value_of(measured, row, L2_HITS, &near) ||
        !value_of(measured, row, L2_MISSES, &missed) || !value_of(measured, row, DRAM_READS, &dram))
        return false;
    *value = missed > dram ? (reads - near) * (1 - dram / missed) : 0;
    return true;
}

gmsim_cell gmsim_quantity_measured(const gmsim_measured *measured, const gmsim_measured_row *row,
                                   unsigned index)
{
    const gmsim_metric *metric = &gmsim_metrics[index];
    gmsim_cell cell = {.state = GMSIM_CELL_ABSENT};
    double sum = 0, part, whole;

    if (metric->whole == NULL)
        return gmsim_measured_cell(row, gmsim_measured_column(measured, metric->name));
    if (!value_of(measured, row, metric->whole, &whole) || whole <= 0)
        return cell;
    for (unsigned i = 0; i < G_N_ELEMENTS(metric->part) && metric->part[i] != NULL; i++) {
        if (!value_of(measured, row, metric->part[i], &part) &&
            (strcmp(metric->part[i], FABRIC_HITS) != 0 ||
             !far_hits_estimated(measured, row, &part)))
            return cell;
        sum += MAX(part, 0);
    }
    /* Counters of different passes: a hit more than there were reads is noise. */
    cell.value = 100 * MIN(sum, whole) / whole;
    cell.state = GMSIM_CELL_NUMBER;
    return cell;
}
