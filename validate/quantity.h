/* SPDX-License-Identifier: MIT
 *
 * quantity.h - what is compared: every metric that gmsim predicts, then ratios that ncu has no
 * single counter for and that both sides form from several. Indices are those of gmsim_metrics.
 *
 *   gmsim__l1_global_load_hit_rate.pct
 *       l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit /
 *       l1tex__t_sectors_pipe_lsu_mem_global_op_ld
 *   gmsim__l2_logical_read_hit_rate.pct
 *       share of the sectors read by SMs (lts__t_sectors_srcunit_tex_op_read) that either partition
 *       of L2 had: found on the reader's side (..._op_read_lookup_hit), or missed there and found
 *       on the other (lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit).
 *
 * Where the last counter was not measured, what the other side had is estimated: it is what the
 * lookups on the reader's side brought (lts__t_sectors_srcunit_tex_lookup_miss, which counts every
 * sector of a 64-byte fill) and DRAM did not deliver (dram__sectors_read), as a share of the missed
 * reads. DRAM reads that complete partial writes make this estimate too low.
 */
#ifndef GMSIM_VALIDATE_QUANTITY_H
#define GMSIM_VALIDATE_QUANTITY_H

#include "sim/analysis/metrics.h"
#include "sim/measured/measured.h"

unsigned gmsim_quantity_count(void);
/* Index by name, or -1. */
int gmsim_quantity_find(const char *name);
/* What was measured, or what follows from that. */
gmsim_cell gmsim_quantity_measured(const gmsim_measured *measured, const gmsim_measured_row *row,
                                   unsigned index);

#endif
