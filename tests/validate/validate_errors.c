/* SPDX-License-Identifier: MIT
 *
 * The ratios gmvalidate forms, the spread of repeated runs, minimums, NRMSE, and which launches are
 * the worst.
 */
#include "validate/errors.h"
#include "validate/limits.h"
#include "sim/measured/number.h"

#include <glib/gstdio.h>
#include <string.h>

#define L1_SECTORS  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define L1_HITS     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
#define L2_READS    "lts__t_sectors_srcunit_tex_op_read.sum"
#define L2_HITS     "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"
#define L2_MISSES   "lts__t_sectors_srcunit_tex_lookup_miss.sum"
#define FABRIC_HITS "lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum"
#define DRAM_READS  "dram__sectors_read.sum"
#define L1_RATE     "gmsim__l1_global_load_hit_rate.pct"
#define L2_RATE     "gmsim__l2_logical_read_hit_rate.pct"

/* A file of this text in a new folder, to be removed with forget(). */
static char *file_of(const char *text)
{
    GError *error = NULL;
    char *folder = g_dir_make_tmp("gmsim-XXXXXX", &error);
    char *path = g_build_filename(folder, "file", NULL);

    g_assert_true(g_file_set_contents(path, text, -1, &error));
    g_free(folder);
    return path;
}

static void forget(char *path)
{
    char *folder = g_path_get_dirname(path);

    g_remove(path);
    g_rmdir(folder);
    g_free(folder);
    g_free(path);
}

/* One launch of case "t" with these columns and values. */
static gmsim_measured *measured_of(const char *columns, const char *values)
{
    gmsim_measured *measured = gmsim_measured_new();
    char *text = g_strdup_printf("Case,Kernel Name,Grid Size,Block Size,%s\n"
                                 "t,k,\"(1, 1, 1)\",\"(32, 1, 1)\",%s\n",
                                 columns, values);
    char *path = file_of(text);
    GError *error = NULL;

    g_assert_true(gmsim_measured_read(measured, path, &error));
    g_free(text);
    forget(path);
    return measured;
}

static void assert_rate(const char *columns, const char *values, const char *rate, double expected)
{
    gmsim_measured *measured = measured_of(columns, values);
    int quantity = gmsim_quantity_find(rate);
    gmsim_cell cell;

    g_assert_cmpint(quantity, >=, 0);
    cell = gmsim_quantity_measured(measured, measured->rows->pdata[0], (unsigned)quantity);
    if (expected < 0) {
        g_assert_cmpint(cell.state, ==, GMSIM_CELL_ABSENT);
    } else {
        g_assert_cmpint(cell.state, ==, GMSIM_CELL_NUMBER);
        g_assert_cmpfloat_with_epsilon(cell.value, expected, 1e-9);
    }
    gmsim_measured_free(measured);
}

static void test_rates(void)
{
    static const char direct[] = L2_READS "," L2_HITS "," FABRIC_HITS;
    static const char estimated[] = L2_READS "," L2_HITS "," L2_MISSES "," DRAM_READS;

    assert_rate(L1_SECTORS "," L1_HITS, "400,100", L1_RATE, 25);
    assert_rate(L1_SECTORS "," L1_HITS, "0,0", L1_RATE, -1);
    assert_rate(L1_SECTORS, "400", L1_RATE, -1);
    /* Found on either side. */
    assert_rate(direct, "1000,500,200", L2_RATE, 70);
    assert_rate(direct, "0,0,0", L2_RATE, -1);
    assert_rate(direct, "1000,950,120", L2_RATE, 100);
    assert_rate(direct, "1000,500,n/a", L2_RATE, -1);
    /* 500 misses brought 800 sectors, of which DRAM delivered 600: a quarter came from the other
     * side. DRAM delivers more than was asked for: nothing did. */
    assert_rate(estimated, "1000,500,800,600", L2_RATE, 62.5);
    assert_rate(estimated, "1000,500,800,900", L2_RATE, 50);
    assert_rate(estimated, "1000,1000,0,0", L2_RATE, 100);
    assert_rate(L2_READS "," L2_HITS, "1000,500", L2_RATE, -1);
}

static void test_quantities(void)
{
    g_assert_cmpuint(gmsim_quantity_count(), >, gmsim_metric_count);
    for (unsigned i = 0; i < gmsim_quantity_count(); i++) {
        const gmsim_metric *metric = &gmsim_metrics[i];

        g_assert_cmpint(gmsim_quantity_find(metric->name), ==, (int)i);
        g_assert_true((gmsim_metrics[i].whole != NULL) == (i >= gmsim_metric_count));
        g_assert_true(g_str_has_prefix(metric->name, "gmsim__") == (i >= gmsim_metric_count));
    }
    g_assert_cmpint(gmsim_quantity_find("gmsim__"), ==, -1);
}

/* ------------------------------------------------------------------------------------- spread */

#define HEAD "Case,Kernel Name,launch,metric,runs,min,median,max,spread_percent\n"

static bool spread(const gmsim_spreads *spreads, const gmsim_measured *measured, const char *name,
                   double *value)
{
    return gmsim_spread_of(spreads, measured, 0, (unsigned)gmsim_quantity_find(name), value);
}

static void test_spread(void)
{
    gmsim_measured *measured = measured_of(L1_SECTORS "," L1_HITS "," L2_READS, "400,100,200");
    gmsim_measured *other = measured_of(L1_SECTORS, "400");
    gmsim_spreads *spreads = gmsim_spreads_new();
    char *path = file_of(HEAD "t,k,0," L1_HITS ",5,98,100,102,4.000\n"
                              "t,k,0," DRAM_READS ",5,0,0,8,\n"
                              "t,k,0,l1tex__t_sector_hit_rate.pct,5,49.5,50,51,3.000\n"
                              "u,k,0," L1_SECTORS ",5,1,2,3,100\n");
    GError *error = NULL;
    double value;

    g_assert_true(gmsim_spreads_load(spreads, path, &error));
    g_assert_true(spread(spreads, measured, L1_HITS, &value));
    g_assert_cmpfloat_with_epsilon(value, 4, 1e-9); /* percent of the median */
    g_assert_true(spread(spreads, measured, L1_RATE, &value));
    g_assert_cmpfloat_with_epsilon(value, 1, 1e-9); /* points: 4 of 400 sectors */
    g_assert_true(spread(spreads, measured, "l1tex__t_sector_hit_rate.pct", &value));
    g_assert_cmpfloat_with_epsilon(value, 1.5, 1e-9); /* points */
    g_assert_true(spread(spreads, measured, L1_SECTORS, &value));
    g_assert_cmpfloat(value, ==, 0); /* listed launch, metric that did not vary */
    g_assert_false(spread(spreads, measured, DRAM_READS, &value)); /* no percent of 0 */
    g_assert_false(spread(spreads, measured, L2_RATE, &value));    /* a part was not measured */
    g_free(((gmsim_measured_row *)other->rows->pdata[0])->label);
    ((gmsim_measured_row *)other->rows->pdata[0])->label = g_strdup("v");
    g_assert_false(spread(spreads, other, L1_SECTORS, &value)); /* never repeated */
    gmsim_spreads_free(spreads);
    gmsim_measured_free(measured);
    gmsim_measured_free(other);
    forget(path);
}

static void test_bad_spread(void)
{
    static const char *const bad[] = {
        "",
        "Case,Kernel Name\n",
        HEAD "t,k,0,m,5,1,2\n",
        HEAD "t,k,0,m,5,3,2,1,0\n",
        HEAD "t,k,0,m,5,x,2,3,0\n",
        HEAD "t,k,0,m,5,1,inf,3,0\n",
        HEAD "t,\"k,0,m,5,1,2,3,0\n",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        gmsim_spreads *spreads = gmsim_spreads_new();
        char *path = file_of(bad[i]);
        GError *error = NULL;

        g_assert_false(gmsim_spreads_load(spreads, path, &error));
        g_assert_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT);
        g_clear_error(&error);
        gmsim_spreads_free(spreads);
        forget(path);
    }
}

/* ------------------------------------------------------------------------------------- reasons */

static void test_reasons(void)
{
    GArray *reasons = gmsim_reasons_new();
    char *path = file_of("# comment\n\n"
                         "shared_.*  lts__.*read.*   merged before L2\n"
                         ".*\tlts__.*\tanything else\n");
    GError *error = NULL;

    g_assert_true(gmsim_reasons_load(reasons, path, &error));
    g_assert_cmpstr(gmsim_reason_for(reasons, "shared_stride1", L2_READS), ==, "merged before L2");
    g_assert_cmpstr(gmsim_reason_for(reasons, "my_shared_x", L2_READS), ==, "anything else");
    g_assert_cmpstr(gmsim_reason_for(reasons, "shared_stride1", DRAM_READS), ==, "");
    g_array_free(reasons, TRUE);
    forget(path);
}

/* ---------------------------------------------------------------------------------- statistics */

static void test_statistics(void)
{
    static const struct {
        double predicted;
        const char *measured;
    } points[] = {{100, "100"}, {110, "100"}, {150, "200"}, {5, "0"}, {0, "0"}, {9, "10"}};
    unsigned metric = (unsigned)gmsim_quantity_find(DRAM_READS), worst[6];
    GArray *limits = g_array_new(FALSE, FALSE, sizeof(gmsim_limit));
    gmsim_comparisons all;
    gmsim_statistics s;

    gmsim_comparisons_init(&all);
    g_array_set_size(all.cells, (unsigned)G_N_ELEMENTS(points) * gmsim_quantity_count());
    all.launches = (unsigned)G_N_ELEMENTS(points);
    for (unsigned i = 0; i < all.launches; i++)
        g_array_index(all.cells, gmsim_comparison, i * gmsim_quantity_count() + metric) =
            gmsim_compare(&gmsim_metrics[metric], true, points[i].predicted,
                          gmsim_number_read(points[i].measured, "sector"));
    s = gmsim_statistics_of(&all, metric);
    g_assert_cmpuint(s.errors, ==, 4);                         /* not the two with measured 0 */
    g_assert_cmpfloat_with_epsilon(s.mean_error, 11.25, 1e-9); /* 0, 10, 25, 10 */
    g_assert_cmpfloat_with_epsilon(s.max_error, 25, 1e-9);
    g_assert_true(s.has_nrmse); /* root of (100 + 2500 + 25 + 1) / 6, over 410 / 6 */
    g_assert_cmpfloat_with_epsilon(s.nrmse, 20.920484 / 68.333333, 1e-6);
    g_assert_cmpuint(gmsim_worst_launches(&all, metric, worst, 6), ==, 4);
    g_assert_cmpuint(worst[0], ==, 3); /* something where nothing was */
    g_assert_cmpuint(worst[1], ==, 2);
    g_assert_cmpuint(worst[2], ==, 1); /* of two as bad the first */
    g_assert_cmpuint(worst[3], ==, 5);
    g_assert_cmpuint(gmsim_worst_launches(&all, metric, worst, 2), ==, 2);

    g_assert_true(gmsim_limit_parse(limits, DRAM_READS ":min=100", NULL));
    gmsim_limits_apply(limits, &all);
    s = gmsim_statistics_of(&all, metric);
    g_assert_cmpuint(s.compared, ==, 1); /* above, not at, the minimum */
    g_assert_cmpuint(s.small, ==, 5);
    g_assert_cmpuint(s.from_zero, ==, 0);
    g_assert_cmpfloat_with_epsilon(s.mean_error, 25, 1e-9);
    g_assert_cmpuint(gmsim_worst_launches(&all, metric, worst, 6), ==, 1);
    g_assert_null(gmsim_limit_broken(&g_array_index(limits, gmsim_limit, 0), &s));
    g_array_free(limits, TRUE);
    gmsim_comparisons_clear(&all);
}

static void test_limits_file(void)
{
    GArray *limits = g_array_new(FALSE, FALSE, sizeof(gmsim_limit));
    char *path = file_of("[mean]\n" L2_RATE " = 3\n[max]\n" L2_RATE " = 8\n"
                         "[minimum]\n" DRAM_READS " = 10000\n");
    char *bad = file_of("[worst]\n" L2_RATE " = 3\n");
    gmsim_statistics s = {.compared = 2, .mean_error = 2, .max_error = 9};
    const gmsim_limit *limit;
    GError *error = NULL;
    char *text;

    g_assert_true(gmsim_limits_load(limits, path, &error));
    g_assert_cmpuint(limits->len, ==, 3);
    limit = &g_array_index(limits, gmsim_limit, 0);
    g_assert_cmpint(limit[0].kind, ==, GMSIM_LIMIT_MEAN);
    g_assert_cmpint(limit[1].kind, ==, GMSIM_LIMIT_MAX);
    g_assert_cmpint(limit[2].kind, ==, GMSIM_LIMIT_MINIMUM);
    g_assert_null(gmsim_limit_broken(&limit[0], &s));
    text = gmsim_limit_broken(&limit[1], &s);
    g_assert_nonnull(strstr(text, "largest error 9 points, allowed 8"));
    g_free(text);
    g_assert_null(gmsim_limit_broken(&limit[2], &s));
    g_assert_false(gmsim_limits_load(limits, bad, &error));
    g_assert_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE);
    g_clear_error(&error);
    g_array_free(limits, TRUE);
    forget(path);
    forget(bad);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/validate/rates", test_rates);
    g_test_add_func("/validate/quantities", test_quantities);
    g_test_add_func("/validate/spread", test_spread);
    g_test_add_func("/validate/spread/bad", test_bad_spread);
    g_test_add_func("/validate/reasons", test_reasons);
    g_test_add_func("/validate/errors", test_statistics);
    g_test_add_func("/validate/limits/file", test_limits_file);
    return g_test_run();
}
