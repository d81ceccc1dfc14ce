/* SPDX-License-Identifier: MIT
 *
 * metrics_unit.c - metrics by Nsight Compute's names and gmsim's own, of results filled by hand.
 */
#include "sim/analysis/metrics.h"
#include "tests/report/report_fixture.h"

static double metric(const fixture *f, const char *name)
{
    int index = gmsim_metric_find(name);
    double value = -1;

    g_assert_cmpint(index, >=, 0);
    return gmsim_metric_value(&f->result, (unsigned)index, &value) ? value : -1;
}

static void test_metrics_transpose(void)
{
    fixture f;

    fixture_transpose(&f, false);
    g_assert_cmpfloat(metric(&f, "smsp__sass_inst_executed_op_shared_ld.sum"), ==, 32768);
    g_assert_cmpfloat(metric(&f, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"), ==,
                      1081344);
    g_assert_cmpfloat(metric(&f, "smsp__sass_sectors_mem_global.sum"), ==, 262144);
    g_assert_cmpfloat(metric(&f, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), ==, 32768);
    g_assert_cmpfloat(metric(&f, "dram__sectors_read.sum"), ==, 131072);
    g_assert_cmpfloat(metric(&f, "l1tex__t_sector_hit_rate.pct"), ==, 0);
    g_assert_cmpfloat(metric(&f, "lts__t_sector_hit_rate.pct"), ==, 50);
    g_assert_cmpfloat(metric(&f, "launch__grid_size"), ==, 1024);
    g_assert_cmpfloat(metric(&f, "launch__occupancy_limit_warps"), ==, 2);
    g_assert_cmpfloat(metric(&f, "gmsim__shared_conflict_degree.max"), ==, 32);
}

/* What a launch does not have is absent, not 0. */
static void test_metrics_absent(void)
{
    fixture f;

    fixture_init(&f);
    g_assert_cmpfloat(metric(&f, "launch__occupancy_limit_shared_mem"), ==, -1);
    g_assert_cmpfloat(metric(&f, "l1tex__t_sector_hit_rate.pct"), ==, -1);
    g_assert_cmpfloat(metric(&f, "lts__t_sector_hit_rate.pct"), ==, -1);
    g_assert_cmpfloat(metric(&f, "smsp__sass_inst_executed_op_global_ld.sum"), ==, 0);
    f.result.unseen = GMTRACE_UNSEEN_WGMMA;
    g_assert_cmpfloat(metric(&f, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"), ==, 0);
    f.code[0].opcode = "HGMMA.64x64x16.F32";
    g_assert_cmpfloat(metric(&f, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"), ==, -1);
    g_assert_cmpint(gmsim_metric_find("smsp__no_such_metric.sum"), ==, -1);
    g_assert_false(gmsim_metric_value(&f.result, gmsim_metric_all, &(double){0}));
}

/* Hardware counts the global side of cp.async with the global loads, and L1-bypassing ones apart.
 * Copies that only write zeros have no global side. */
static void test_metrics_copy(void)
{
    fixture f;

    fixture_init(&f);
    f.result.row[GMSIM_GLOBAL_LOAD].sectors = 100;
    f.result.row[GMSIM_GLOBAL_COPY] =
        (gmsim_counts){.instructions = 10, .copies_bypass = 4, .requests = 10, .sectors = 40};
    f.result.row[GMSIM_SHARED_COPY] =
        (gmsim_counts){.instructions = 12, .copies_bypass = 4, .wavefronts = 30, .copies_moved = 5};
    g_assert_cmpfloat(metric(&f, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), ==, 140);
    g_assert_cmpfloat(metric(&f, "smsp__sass_sectors_mem_global.sum"), ==, 145);
    g_assert_cmpfloat(metric(&f, "smsp__sass_inst_executed_op_global_ld.sum"), ==, 0);
    g_assert_cmpfloat(metric(&f, "smsp__sass_inst_executed_op_ldgsts_cache_access.sum"), ==, 8);
    g_assert_cmpfloat(metric(&f, "smsp__sass_inst_executed_op_ldgsts.sum"), ==, 12);
    g_assert_cmpfloat(metric(&f, "smsp__sass_inst_executed_op_ldgsts_cache_bypass.sum"), ==, 4);
    g_assert_cmpfloat(metric(&f, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"), ==, 30);
}

/* Names differ; ncu's come first, then ratios of them, then the rest of gmsim's own. */
static void test_metrics_table(void)
{
    for (unsigned i = 0; i < gmsim_metric_all; i++) {
        const gmsim_metric *m = &gmsim_metrics[i];
        bool own = g_str_has_prefix(m->name, "gmsim__");

        g_assert_cmpint(gmsim_metric_find(m->name), ==, (int)i);
        g_assert_true(m->key == NULL || gmsim_metric_find(m->key) == (int)i);
        g_assert_true(m->word == NULL || gmsim_metric_find(m->word) == (int)i);
        g_assert_true((m->key == NULL) == (m->label == NULL));
        g_assert_cmpstr(m->meaning, !=, "");
        g_assert_cmpint(own, ==, i >= gmsim_metric_count);
        g_assert_cmpint(m->whole != NULL, ==,
                        i >= gmsim_metric_count && i < gmsim_metric_measurable);
        if (!g_str_has_prefix(m->name, "launch__") && !g_str_has_prefix(m->name, "sm__maximum"))
            g_assert_true(g_str_has_suffix(m->name, ".sum") || strstr(m->name, ".pct") ||
                          g_str_has_suffix(m->name, ".max") || strstr(m->name, ".avg") ||
                          g_str_has_suffix(m->name, ".ratio") ||
                          g_str_has_suffix(m->name, ".per_second"));
        g_assert_cmpint(m->unit == GMSIM_UNIT_PERCENT, ==,
                        strstr(m->name, ".pct") || g_str_has_suffix(m->name, "_pct"));
    }
}

/* gmsim's own follow from the same counters as ncu's. */
static void test_metrics_own(void)
{
    fixture f;

    fixture_transpose(&f, false);
    g_assert_cmpfloat(metric(&f, "shared.excess"), ==, 31 * 32768);
    g_assert_cmpfloat(metric(&f, "shared.per_request"), ==, 16.5);
    g_assert_cmpfloat(metric(&f, "global.per_request"), ==, 4);
    g_assert_cmpfloat(metric(&f, "dram.read"), ==, 131072 * 32);
    g_assert_cmpfloat(metric(&f, "instructions"), ==, 4 * 32768);
    g_assert_cmpfloat(metric(&f, "gmsim__l1_global_load_hit_rate.pct"), ==, 0);
    g_assert_cmpfloat(metric(&f, "load.latency"), ==, -1);
    g_assert_cmpfloat(metric(&f, "threads.active"), ==, 32);
    f.counts[0].counts.threads /= 2;
    f.result.row[f.counts[0].row].threads /= 2;
    g_assert_cmpfloat(metric(&f, "threads.active"), ==, 28);
    f.result.l2.read_hit_sectors = f.result.l2.fabric_read_hit_sectors = 32768;
    g_assert_cmpfloat(metric(&f, "gmsim__l2_logical_read_hit_rate.pct"), ==, 50);
}

/* Bytes over time: 32,768 requests of 128 bytes in 4,000 clocks at 2 GHz, at each level. */
static void test_metrics_rates(void)
{
    static const char *const level[] = {"shared", "l1", "l2", "dram"};
    const double bytes[] = {2 * 4194304.0, 2 * 4194304.0, 2 * 4194304.0, 4194304.0};
    fixture f;

    fixture_transpose(&f, false);
    g_assert_cmpfloat(metric(&f, "dram.rate"), ==, -1); /* no time */
    f.result.timed = true;
    f.result.timing.cycles = 4000;
    f.result.timing.clock_mhz = 2000;
    for (unsigned i = 0; i < G_N_ELEMENTS(level); i++) {
        g_autofree char *rate = g_strconcat(level[i], ".rate", NULL);
        g_autofree char *peak = g_strconcat(level[i], ".peak", NULL);

        g_assert_cmpfloat_with_epsilon(metric(&f, rate), bytes[i] / 2e-6, 1);
        g_assert_cmpfloat(metric(&f, peak), ==, -1); /* nobody knows what it could give */
        f.result.peak[i] = 4096;
        g_assert_cmpfloat_with_epsilon(metric(&f, peak), bytes[i] / (40.0 * 4096), 1e-9);
    }
    g_assert_cmpfloat_with_epsilon(metric(&f, "useful.rate"), 2 * 4194304 / 2e-6, 1);
    g_assert_cmpfloat_with_epsilon(metric(&f, "useful.peak"), 2 * 4194304 / (40.0 * 4096), 1e-9);
    f.result.unseen = GMTRACE_UNSEEN_TENSOR_COPY;
    g_assert_cmpfloat(metric(&f, "dram.rate"), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/metrics/transpose", test_metrics_transpose);
    g_test_add_func("/metrics/absent", test_metrics_absent);
    g_test_add_func("/metrics/copy", test_metrics_copy);
    g_test_add_func("/metrics/table", test_metrics_table);
    g_test_add_func("/metrics/own", test_metrics_own);
    g_test_add_func("/metrics/rates", test_metrics_rates);
    return g_test_run();
}
