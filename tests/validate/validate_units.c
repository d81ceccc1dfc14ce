/* SPDX-License-Identifier: MIT
 *
 * test-validate.c - what gmvalidate reads and how it pairs: Nsight Compute's tables (whole, odd and
 * hostile ones of tests/ncu/), kernel names of two demanglers, launches without partner.
 */
#include "sim/device/gpu.h"
#include "validate/compare.h"
#include "sim/measured/kernel_name.h"
#include "validate/limits.h"
#include "sim/measured/match.h"
#include "sim/measured/number.h"

#include <glib/gstdio.h>
#include <string.h>

static char *corpus(const char *name)
{
    const char *top = g_getenv("GMSIM_SRCDIR");

    return g_build_filename(top != NULL ? top : ".", "tests", "ncu", name, NULL);
}

static gmsim_measured *read_good(const char *name)
{
    gmsim_measured *measured = gmsim_measured_new();
    GError *error = NULL;
    char *path = corpus(name);

    gmsim_measured_read(measured, path, &error);
    g_assert_no_error(error);
    g_free(path);
    return measured;
}

static gmsim_cell cell_of(const gmsim_measured *measured, unsigned row, const char *metric)
{
    return gmsim_measured_cell(measured->rows->pdata[row], gmsim_measured_column(measured, metric));
}

/* -------------------------------------------------------------------------------------- numbers */

static void test_numbers(void)
{
    static const struct {
        const char *text, *unit;
        gmsim_cell_state state;
        double value;
    } cases[] = {
        {"0", "", GMSIM_CELL_NUMBER, 0},
        {"1,048,576", "sector", GMSIM_CELL_NUMBER, 1048576},
        {" 93.75 ", "%", GMSIM_CELL_NUMBER, 93.75},
        {"1,234.5", "", GMSIM_CELL_NUMBER, 1234.5},
        {"12 (3; 4; 5)", "inst", GMSIM_CELL_NUMBER, 12},
        {"1e3", "", GMSIM_CELL_NUMBER, 1000},
        {"-1", "", GMSIM_CELL_NUMBER, -1},
        {"32.77", "Kbyte", GMSIM_CELL_NUMBER, 32770},
        {"32.77", "Kbyte/block", GMSIM_CELL_NUMBER, 32770},
        {"9.2", "us", GMSIM_CELL_NUMBER, 9200},
        {"1.98", "Ghz", GMSIM_CELL_NUMBER, 1.98e9},
        {"", "", GMSIM_CELL_ABSENT, 0},
        {"  ", "", GMSIM_CELL_ABSENT, 0},
        {"n/a", "", GMSIM_CELL_NOT_AVAILABLE, 0},
        {"nan", "%", GMSIM_CELL_NOT_AVAILABLE, 0},
        {"PreferNone", "", GMSIM_CELL_TEXT, 0},
        {"0x10", "", GMSIM_CELL_TEXT, 0},
        {"1,04,8576", "", GMSIM_CELL_TEXT, 0},
        {"93,75", "%", GMSIM_CELL_TEXT, 0},
        {",123", "", GMSIM_CELL_TEXT, 0},
        {"1,,234", "", GMSIM_CELL_TEXT, 0},
        {"1.048.576", "", GMSIM_CELL_TEXT, 0},
        {"1,234,", "", GMSIM_CELL_TEXT, 0},
        {"1e999", "", GMSIM_CELL_TEXT, 0},
        {"--1", "", GMSIM_CELL_TEXT, 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmsim_cell cell = gmsim_number_read(cases[i].text, cases[i].unit);

        g_test_message("'%s' '%s'", cases[i].text, cases[i].unit);
        g_assert_cmpuint(cell.state, ==, cases[i].state);
        if (cell.state == GMSIM_CELL_NUMBER)
            g_assert_cmpfloat_with_epsilon(cell.value, cases[i].value, 1e-6);
    }
    g_assert_cmpfloat(gmsim_number_read("93.75", "%").half_unit, ==, 0.005);
    g_assert_cmpfloat(gmsim_number_read("93", "%").half_unit, ==, 0);
    g_assert_true(gmsim_number_read("9.2", "us").rescaled);
    g_assert_false(gmsim_number_read("9200", "ns").rescaled);
}

static void test_shapes(void)
{
    uint32_t shape[3];

    g_assert_true(gmsim_shape_read("(196, 2, 3)", shape));
    g_assert_cmpuint(shape[0] * 100 + shape[1] * 10 + shape[2], ==, 19623);
    g_assert_true(gmsim_shape_read("4x5x6", shape));
    g_assert_cmpuint(shape[0] * 100 + shape[1] * 10 + shape[2], ==, 456);
    g_assert_false(gmsim_shape_read("", shape));
    g_assert_false(gmsim_shape_read("(1, 2)", shape));
    g_assert_false(gmsim_shape_read("(1, 2, 3, 4)", shape));
    g_assert_false(gmsim_shape_read("(1, -2, 3)", shape));
    g_assert_false(gmsim_shape_read("(4294967296, 1, 1)", shape));
    g_assert_false(gmsim_shape_read("((1, 2, 3)x", shape));
}

/* --------------------------------------------------------------------------------------- tables */

static void check_wide(const char *name)
{
    gmsim_measured *measured = read_good(name);
    const gmsim_measured_row *last;

    g_assert_cmpuint(measured->rows->len, ==, 3);
    g_assert_cmpuint(measured->columns->len, ==, 3);
    g_assert_cmpfloat(cell_of(measured, 0, "smsp__sass_sectors_mem_global.sum").value, ==, 1048576);
    g_assert_cmpfloat(cell_of(measured, 1, "smsp__sass_sectors_mem_global.sum").value, ==, 1048577);
    g_assert_cmpfloat(cell_of(measured, 2, "smsp__sass_sectors_mem_global.sum").value, ==, 12);
    g_assert_cmpfloat(cell_of(measured, 0, "l1tex__t_sector_hit_rate.pct").value, ==, 93.75);
    g_assert_cmpuint(cell_of(measured, 1, "l1tex__t_sector_hit_rate.pct").state, ==,
                     GMSIM_CELL_NOT_AVAILABLE);
    g_assert_cmpuint(cell_of(measured, 2, "gpu__time_duration.sum").state, ==, GMSIM_CELL_ABSENT);
    g_assert_cmpuint(cell_of(measured, 0, "no__such.sum").state, ==, GMSIM_CELL_ABSENT);
    last = measured->rows->pdata[2];
    g_assert_cmpstr(last->kernel, ==, "reduce(\"odd, name\")");
    g_assert_cmpuint(last->block[0] * 100 + last->block[1] * 10 + last->block[2], ==, 3242);
    g_assert_cmpuint(last->grid[0] * 100 + last->grid[1] * 10 + last->grid[2], ==, 713);
    g_assert_null(last->label);
    gmsim_measured_free(measured);
}

static void test_wide(void)
{
    check_wide("good-wide.csv");
    check_wide("good-crlf.csv");
}

static void test_long(void)
{
    gmsim_measured *measured = read_good("good-long.csv");

    g_assert_cmpuint(measured->rows->len, ==, 2);
    g_assert_cmpfloat(cell_of(measured, 0, "smsp__sass_sectors_mem_global.sum").value, ==, 1048576);
    g_assert_cmpfloat_with_epsilon(cell_of(measured, 0, "gpu__time_duration.sum").value, 2020,
                                   1e-9);
    g_assert_cmpfloat(cell_of(measured, 1, "smsp__sass_sectors_mem_global.sum").value, ==, 7);
    g_assert_cmpuint(cell_of(measured, 1, "gpu__time_duration.sum").state, ==, GMSIM_CELL_ABSENT);
    gmsim_measured_free(measured);
}

static void test_joined(void)
{
    gmsim_measured *measured = read_good("good-joined.csv");
    const gmsim_measured_row *last;

    g_assert_cmpuint(measured->rows->len, ==, 3);
    last = measured->rows->pdata[2];
    g_assert_cmpstr(last->label, ==, "other");
    g_assert_cmpuint(last->grid[0], ==, 7);
    g_assert_cmpfloat(cell_of(measured, 2, "l1tex__t_sector_hit_rate.pct").value, ==, 50);
    gmsim_measured_free(measured);
}

/* A second file about the same launches adds its columns to their rows. */
static void test_merge(void)
{
    gmsim_measured *measured = read_good("good-wide.csv");
    GError *error = NULL;
    char *path = corpus("good-crlf.csv");

    g_assert_true(gmsim_measured_read(measured, path, &error));
    g_assert_cmpuint(measured->rows->len, ==, 3);
    g_assert_cmpuint(measured->conflicts, ==, 0);
    g_free(path);
    path = corpus("good-units.csv"); /* a kernel printed without arguments is another row */
    g_assert_true(gmsim_measured_read(measured, path, &error));
    g_assert_cmpuint(measured->rows->len, ==, 4);
    g_assert_true(cell_of(measured, 3, "smsp__sass_sectors_mem_global.sum").rescaled);
    g_free(path);
    gmsim_measured_free(measured);
}

static void test_conflict(void)
{
    static const char table[] = "Kernel Name,Grid Size,Block Size,a__b.sum\n"
                                "k,\"(1, 1, 1)\",\"(1, 1, 1)\",%s\n";
    gmsim_measured *measured = gmsim_measured_new();
    GError *error = NULL;
    char *folder = g_dir_make_tmp("gmsim-XXXXXX", &error);
    char *path = g_build_filename(folder, "m.csv", NULL);
    char *text[3];

    text[0] = g_strdup_printf(table, "5");
    text[1] = g_strdup_printf(table, "6");
    text[2] = g_strdup_printf(table, "5");
    for (unsigned i = 0; i < 3; i++) {
        g_assert_true(g_file_set_contents(path, text[i], -1, &error));
        g_assert_true(gmsim_measured_read(measured, path, &error));
        g_free(text[i]);
    }
    g_assert_cmpuint(measured->rows->len, ==, 1);
    g_assert_cmpuint(measured->conflicts, ==, 1);
    g_assert_nonnull(measured->conflict);
    g_assert_cmpfloat(cell_of(measured, 0, "a__b.sum").value, ==, 5);
    g_remove(path);
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
    gmsim_measured_free(measured);
}

/* Every bad file: refused, in one line that names it. */
static void test_hostile(void)
{
    char *folder = corpus("");
    GError *error = NULL;
    GDir *dir = g_dir_open(folder, 0, &error);
    const char *name;
    unsigned seen = 0;

    g_assert_no_error(error);
    while ((name = g_dir_read_name(dir)) != NULL) {
        gmsim_measured *measured;
        char *path;

        if (!g_str_has_prefix(name, "bad-"))
            continue;
        measured = gmsim_measured_new();
        path = corpus(name);
        g_test_message("%s", name);
        g_assert_false(gmsim_measured_read(measured, path, &error));
        g_assert_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT);
        g_assert_nonnull(strstr(error->message, name));
        g_assert_null(strchr(error->message, '\n'));
        g_clear_error(&error);
        g_free(path);
        gmsim_measured_free(measured);
        seen++;
    }
    g_assert_cmpuint(seen, >=, 14);
    g_dir_close(dir);
    g_free(folder);
}

/* A table cut at every byte: read up to there or refused, never a crash. */
static void test_cut(void)
{
    GError *error = NULL;
    char *whole = corpus("good-wide.csv");
    char *folder = g_dir_make_tmp("gmsim-XXXXXX", &error);
    char *path = g_build_filename(folder, "cut.csv", NULL);
    char *text;
    size_t size;
    unsigned refused = 0;

    g_assert_true(g_file_get_contents(whole, &text, &size, &error));
    for (size_t cut = 0; cut < size; cut++) {
        gmsim_measured *measured = gmsim_measured_new();

        g_assert_true(g_file_set_contents(path, text, (gssize)cut, &error));
        if (!gmsim_measured_read(measured, path, &error)) {
            g_assert_nonnull(error);
            refused++;
        }
        g_clear_error(&error);
        gmsim_measured_free(measured);
    }
    g_assert_cmpuint(refused, >, 400);
    g_remove(path);
    g_rmdir(folder);
    g_free(text);
    g_free(path);
    g_free(folder);
    g_free(whole);
}

static void test_missing(void)
{
    gmsim_measured *measured = gmsim_measured_new();
    GError *error = NULL;

    g_assert_false(gmsim_measured_read(measured, "no-such-folder/x.csv", &error));
    g_assert_error(error, GMSIM_ERROR, GMSIM_ERROR_IO);
    g_clear_error(&error);
    gmsim_measured_free(measured);
}

/* ---------------------------------------------------------------------------------------- names */

static void test_names(void)
{
    static const struct {
        const char *text, *base, *arguments;
    } cases[] = {
        {"scale", "scale", NULL},
        {"scale(float *, int)", "scale", NULL},
        {"void scale<(int)2, (bool)1>(float *, int)", "scale", "2,1"},
        {"void scale<2, true>(float*, int)", "scale", "2,1"},
        {"void a::b::scale<(unsigned int)32, float>(float *)", "scale", "32,float"},
        {"void a::b::scale<32u, float>(float*)", "scale", "32,float"},
        {"void scale<32ul>(float*)", "scale", "32"},
        {"(anonymous namespace)::scale(int)", "scale", NULL},
        {"<unnamed>::scale(int)", "scale", NULL},
        {"void (anonymous namespace)::scale<(int)4>(int)", "scale", "4"},
        {"void map<at::add<float>, std::array<char *, (unsigned long)3>>(int, T1)", "map",
         "add<float>,array<char*,3>"},
        {"void map<at::add<float>, std::array<char*, 3ul> >(int, T1)", "map",
         "add<float>,array<char*,3>"},
        {"_Z9transposePfPKfi", "_Z9transposePfPKfi", NULL},
        {"", "", NULL},
        {"<<<(", "<<<(", NULL},
        {">>>", ">>>", NULL},
        {"k<", "k<", NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmsim_kernel_name name;

        gmsim_kernel_name_parse(&name, cases[i].text);
        g_test_message("%s", cases[i].text);
        g_assert_cmpstr(name.base, ==, cases[i].base);
        g_assert_cmpstr(name.arguments, ==, cases[i].arguments);
        gmsim_kernel_name_clear(&name);
    }
}

/* --------------------------------------------------------------------------------------- match */

static gmsim_match launch(const char *label, const char *name, uint32_t grid)
{
    gmsim_match match = {
        .label = label, .name = name, .mangled = "", .grid = {grid, 1, 1}, .block = {32, 1, 1}};

    return match;
}

static void add_row(gmsim_measured *measured, const char *label, const char *kernel, uint32_t grid)
{
    gmsim_measured_row *row = g_new0(gmsim_measured_row, 1);

    row->label = g_strdup(label);
    row->kernel = g_strdup(kernel);
    row->path = g_strdup("m.csv");
    row->grid[0] = grid;
    row->block[0] = 32;
    row->grid[1] = row->grid[2] = row->block[1] = row->block[2] = 1;
    row->cells = g_array_new(FALSE, TRUE, sizeof(gmsim_cell));
    g_ptr_array_add(measured->rows, row);
}

static void test_match_order(void)
{
    gmsim_measured *measured = gmsim_measured_new();
    gmsim_match launches[] = {launch("t", "void k<2>(int)", 8), launch("t", "void k<4>(int)", 8),
                              launch("t", "void k<2>(int)", 8), launch("t", "void k<2>(int)", 9),
                              launch("t", "void k<2>(int)", 8)};
    uint8_t used[4];

    add_row(measured, NULL, "void k<(int)4>(int)", 8);
    add_row(measured, NULL, "void k<(int)2>(int)", 8);
    add_row(measured, NULL, "void k<(int)2>(int)", 8);
    add_row(measured, NULL, "void other<(int)2>(int)", 9);
    gmsim_match_launches(measured, launches, 5, used);
    g_assert_cmpint(launches[0].row, ==, 1);
    g_assert_cmpint(launches[1].row, ==, 0);
    g_assert_cmpint(launches[2].row, ==, 2);
    g_assert_cmpint(launches[3].row, ==, -1);
    g_assert_cmpint(launches[4].row, ==, -1);
    g_assert_true(used[0] && used[1] && used[2]);
    g_assert_false(used[3]);
    gmsim_measured_free(measured);
}

/* Template arguments that differ pair only where nothing else could be meant. */
static void test_match_base(void)
{
    gmsim_measured *measured = gmsim_measured_new();
    gmsim_match launches[] = {launch("t", "void g<A, 1>(int)", 8), launch("t", "void k<2>(int)", 8),
                              launch("t", "void k<3>(int)", 8), launch("t", "h(int)", 8)};
    uint8_t used[4];

    add_row(measured, NULL, "void g<B, 1>(int)", 8);
    add_row(measured, NULL, "void k<(int)4>(int)", 8);
    add_row(measured, NULL, "void k<(int)5>(int)", 8);
    add_row(measured, NULL, "h", 8);
    gmsim_match_launches(measured, launches, 4, used);
    g_assert_cmpint(launches[0].row, ==, 0);
    g_assert_cmpint(launches[1].row, ==, -1);
    g_assert_cmpint(launches[2].row, ==, -1);
    g_assert_cmpint(launches[3].row, ==, 3);
    gmsim_measured_free(measured);
}

static void test_match_label(void)
{
    gmsim_measured *measured = gmsim_measured_new();
    gmsim_match launches[] = {launch("b", "k(int)", 8), launch("a", "k(int)", 8),
                              launch("a", "k(int)", 8), launch("unknown", "k(int)", 8)};
    uint8_t used[3];

    add_row(measured, "a", "k(int)", 8);
    add_row(measured, "b", "k(int)", 8);
    add_row(measured, "c", "k(int)", 8);
    gmsim_match_launches(measured, launches, 4, used);
    g_assert_cmpint(launches[0].row, ==, 1);
    g_assert_cmpint(launches[1].row, ==, 0);
    g_assert_cmpint(launches[2].row, ==, -1); /* never another case's row */
    g_assert_cmpint(launches[3].row, ==, 2);
    gmsim_measured_free(measured);
}

static void test_match_nothing(void)
{
    gmsim_measured *measured = gmsim_measured_new();
    gmsim_match one[] = {launch("a", "k(int)", 8)};

    gmsim_match_launches(measured, one, 1, NULL);
    g_assert_cmpint(one[0].row, ==, -1);
    gmsim_match_launches(measured, NULL, 0, NULL);
    gmsim_measured_free(measured);
}

/* -------------------------------------------------------------------------------------- compare */

static gmsim_comparison compare(const char *metric, bool has, double predicted,
                                const char *measured, const char *unit)
{
    return gmsim_compare(&gmsim_metrics[gmsim_metric_find(metric)], has, predicted,
                         gmsim_number_read(measured, unit));
}

static void test_compare(void)
{
    static const char count[] = "smsp__sass_sectors_mem_global.sum";
    static const char percent[] = "l1tex__t_sector_hit_rate.pct";
    static const char occupancy[] = "sm__maximum_warps_per_active_cycle_pct";
    gmsim_comparison c;

    g_assert_cmpint(compare(count, true, 1024, "1,024", "").outcome, ==, GMSIM_OUTCOME_EQUAL);
    c = compare(count, true, 1025, "1,000", "");
    g_assert_cmpint(c.outcome, ==, GMSIM_OUTCOME_DIFFERENT);
    g_assert_cmpfloat_with_epsilon(c.error, 2.5, 1e-12);
    g_assert_true(gmsim_comparison_breaks_exact(&c));
    c = compare(count, true, 1, "0", "");
    g_assert_cmpint(c.outcome, ==, GMSIM_OUTCOME_FROM_ZERO);
    g_assert_true(gmsim_comparison_breaks_exact(&c));
    c = compare(count, true, 1050, "1.05", "Ksector");
    g_assert_cmpint(c.outcome, ==, GMSIM_OUTCOME_RESCALED);
    g_assert_true(gmsim_comparison_breaks_exact(&c));
    c = compare(count, false, 0, "7", "");
    g_assert_cmpint(c.outcome, ==, GMSIM_OUTCOME_UNPREDICTED);
    g_assert_true(gmsim_comparison_breaks_exact(&c));
    c = compare(count, false, 0, "0", "");
    g_assert_false(gmsim_comparison_breaks_exact(&c));
    c = compare(count, true, 7, "n/a", "");
    g_assert_cmpint(c.outcome, ==, GMSIM_OUTCOME_UNMEASURED);
    g_assert_cmpint(compare(count, false, 0, "", "").outcome, ==, GMSIM_OUTCOME_NONE);
    g_assert_cmpint(compare(occupancy, true, 100.0 / 3, "33.33", "%").outcome, ==,
                    GMSIM_OUTCOME_EQUAL);
    g_assert_cmpint(compare(occupancy, true, 33.3, "33.33", "%").outcome, ==,
                    GMSIM_OUTCOME_DIFFERENT);
    c = compare(percent, true, 51, "50", "%");
    g_assert_cmpfloat_with_epsilon(c.error, 1, 1e-12); /* points, not percent of 50 */
}

static void test_statistics(void)
{
    static const char name[] = "dram__sectors_read.sum";
    unsigned metric = (unsigned)gmsim_metric_find(name);
    static const struct {
        double predicted;
        const char *measured;
    } points[] = {{100, "100"}, {110, "100"}, {190, "200"}, {5, "0"}, {7, "n/a"}};
    gmsim_comparisons all;
    gmsim_statistics s;

    gmsim_comparisons_init(&all);
    g_array_set_size(all.cells, (unsigned)G_N_ELEMENTS(points) * gmsim_quantity_count());
    all.launches = (unsigned)G_N_ELEMENTS(points);
    for (unsigned i = 0; i < all.launches; i++)
        g_array_index(all.cells, gmsim_comparison, i * gmsim_quantity_count() + metric) =
            compare(name, true, points[i].predicted, points[i].measured, "sector");
    s = gmsim_statistics_of(&all, metric);
    g_assert_cmpuint(s.compared, ==, 4);
    g_assert_cmpuint(s.equal, ==, 1);
    g_assert_cmpuint(s.from_zero, ==, 1);
    g_assert_cmpuint(s.unmeasured, ==, 1);
    g_assert_cmpfloat_with_epsilon(s.mean_error, 5, 1e-12);
    g_assert_cmpfloat_with_epsilon(s.max_error, 10, 1e-12);
    g_assert_cmpint(s.worst, ==, 3); /* something where nothing was is the worst */
    g_assert_true(s.has_correlation);
    g_assert_cmpfloat(s.correlation, >, 0.98);
    g_assert_cmpfloat(s.correlation, <=, 1);
    gmsim_comparisons_clear(&all);
}

static void test_limits(void)
{
    static const char *const wrong[] = {"x",
                                        "no__such=1",
                                        "dram__sectors_read.sum=",
                                        "dram__sectors_read.sum=x",
                                        "dram__sectors_read.sum=-1",
                                        "dram__sectors_read.sum=nan",
                                        "=1"};
    GArray *limits = g_array_new(FALSE, FALSE, sizeof(gmsim_limit));
    gmsim_statistics s = {.compared = 3, .mean_error = 4, .max_error = 9};
    GError *error = NULL;
    const gmsim_limit *limit;
    char *text;

    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_assert_false(gmsim_limit_parse(limits, wrong[i], &error));
        g_assert_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE);
        g_clear_error(&error);
    }
    g_assert_cmpuint(limits->len, ==, 0);
    g_assert_true(gmsim_limit_parse(limits, "dram__sectors_read.sum=1", &error));
    g_assert_true(gmsim_limit_parse(limits, "dram__sectors_read.sum=4", &error));
    g_assert_true(gmsim_limit_parse(limits, "dram__sectors_read.sum:max=8", &error));
    g_assert_cmpuint(limits->len, ==, 2);
    limit = &g_array_index(limits, gmsim_limit, 0);
    g_assert_null(gmsim_limit_broken(limit, &s));
    text = gmsim_limit_broken(limit + 1, &s);
    g_assert_nonnull(text);
    g_free(text);
    s.from_zero = 1;
    text = gmsim_limit_broken(limit, &s);
    g_assert_nonnull(text);
    g_free(text);
    s.compared = 0;
    text = gmsim_limit_broken(limit, &s);
    g_assert_nonnull(text);
    g_free(text);
    g_array_free(limits, TRUE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/validate/numbers", test_numbers);
    g_test_add_func("/validate/shapes", test_shapes);
    g_test_add_func("/validate/wide", test_wide);
    g_test_add_func("/validate/long", test_long);
    g_test_add_func("/validate/joined", test_joined);
    g_test_add_func("/validate/merge", test_merge);
    g_test_add_func("/validate/conflict", test_conflict);
    g_test_add_func("/validate/hostile", test_hostile);
    g_test_add_func("/validate/cut", test_cut);
    g_test_add_func("/validate/missing", test_missing);
    g_test_add_func("/validate/names", test_names);
    g_test_add_func("/validate/match/order", test_match_order);
    g_test_add_func("/validate/match/base", test_match_base);
    g_test_add_func("/validate/match/label", test_match_label);
    g_test_add_func("/validate/match/nothing", test_match_nothing);
    g_test_add_func("/validate/compare", test_compare);
    g_test_add_func("/validate/statistics", test_statistics);
    g_test_add_func("/validate/limits", test_limits);
    return g_test_run();
}
