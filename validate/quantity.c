/* SPDX-License-Identifier: MIT
 *
 * quantity.c - the metrics of gmsim and the ratios of quantity.h. A prediction is formed from
 * predicted metrics by the same names as the measured one from columns.
 */
#include "validate/quantity.h"

#include <string.h>

#define L1_SECTORS  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define L1_HITS     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
#define L2_READS    "lts__t_sectors_srcunit_tex_op_read.sum"
#define L2_HITS     "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"
#define L2_MISSES   "lts__t_sectors_srcunit_tex_lookup_miss.sum"
#define FABRIC_HITS "lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum"
#define DRAM_READS  "dram__sectors_read.sum"

/* One side's values, whichever it is. */
typedef struct side {
    const gmsim_result *result; /* NULL for a measured row */
    const gmsim_measured *measured;
    const gmsim_measured_row *row;
} side;

typedef bool (*ratio_function)(const side *from, double *value);

static bool value_of(const side *from, const char *name, double *value)
{
    gmsim_cell cell;

    if (from->result != NULL) {
        int index = gmsim_metric_find(name);
        return index >= 0 && gmsim_metric_value(from->result, (unsigned)index, value);
    }
    cell = gmsim_measured_cell(from->row, gmsim_measured_column(from->measured, name));
    *value = cell.value;
    return cell.state == GMSIM_CELL_NUMBER;
}

static bool l1_global_load_hit_rate(const side *from, double *value)
{
    double hits, sectors;

    if (!value_of(from, L1_HITS, &hits) || !value_of(from, L1_SECTORS, &sectors) || sectors <= 0)
        return false;
    *value = 100 * hits / sectors;
    return true;
}

static bool l2_logical_read_hit_rate(const side *from, double *value)
{
    double reads, near, far = 0, missed, dram;

    if (!value_of(from, L2_READS, &reads) || !value_of(from, L2_HITS, &near) || reads <= 0)
        return false;
    if (!value_of(from, FABRIC_HITS, &far)) {
        /* A model without partitions has no far hits; a measurement without them must estimate. */
        if (from->result == NULL) {
            if (!value_of(from, L2_MISSES, &missed) || !value_of(from, DRAM_READS, &dram))
                return false;
            far = missed > dram ? (reads - near) * (1 - dram / missed) : 0;
        }
    }
    /* Counters of different passes: a hit more than there were reads is noise. */
    *value = 100 * CLAMP(near + MAX(far, 0), 0, reads) / reads;
    return true;
}

static const struct {
    gmsim_metric metric;
    ratio_function call;
    gmsim_ratio_parts parts;
} ratios[] = {
    {{"gmsim__l1_global_load_hit_rate.pct", GMSIM_FAMILY_MODELLED, true,
      "sectors of global loads found in L1, of all (not a metric of ncu)"},
     l1_global_load_hit_rate,
     {{L1_HITS, NULL}, L1_SECTORS}},
    {{"gmsim__l2_logical_read_hit_rate.pct", GMSIM_FAMILY_MODELLED, true,
      "sectors read by the SMs and found in either partition of L2 (not a metric of ncu)"},
     l2_logical_read_hit_rate,
     {{L2_HITS, FABRIC_HITS}, L2_READS}},
};

unsigned gmsim_quantity_count(void)
{
    return gmsim_metric_count + (unsigned)G_N_ELEMENTS(ratios);
}

const gmsim_metric *gmsim_quantity(unsigned index)
{
    return index < gmsim_metric_count ? &gmsim_metrics[index]
                                      : &ratios[index - gmsim_metric_count].metric;
}

int gmsim_quantity_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(ratios); i++) {
        if (strcmp(ratios[i].metric.name, name) == 0)
            return (int)(gmsim_metric_count + i);
    }
    return gmsim_metric_find(name);
}

bool gmsim_quantity_predicted(const gmsim_result *result, unsigned index, double *value)
{
    const side from = {.result = result};

    if (index < gmsim_metric_count)
        return gmsim_metric_value(result, index, value);
    return ratios[index - gmsim_metric_count].call(&from, value);
}

gmsim_cell gmsim_quantity_measured(const gmsim_measured *measured, const gmsim_measured_row *row,
                                   unsigned index)
{
    const side from = {.measured = measured, .row = row};
    gmsim_cell cell = {.state = GMSIM_CELL_ABSENT};

    if (index < gmsim_metric_count)
        return gmsim_measured_cell(row, gmsim_measured_column(measured, gmsim_metrics[index].name));
    if (ratios[index - gmsim_metric_count].call(&from, &cell.value))
        cell.state = GMSIM_CELL_NUMBER;
    return cell;
}

const gmsim_ratio_parts *gmsim_quantity_parts(unsigned index)
{
    return index < gmsim_metric_count ? NULL : &ratios[index - gmsim_metric_count].parts;
}
