/* SPDX-License-Identifier: MIT
 *
 * report_unit.c - metrics, JSON writer, patterns, verdicts and reports, on results filled by hand.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/report/format.h"
#include "sim/report/report.h"
#include "sim/report/text.h"
#include "sim/report/words.h"
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
        (gmsim_counts){.instructions = 12, .copies_bypass = 4, .wavefronts = 30};
    g_assert_cmpfloat(metric(&f, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), ==, 140);
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

/* --------------------------------------------------------------------------------------- tables */

/* The same columns and rows as text of known and of found widths, as CSV and as JSON. */
static void test_table(void)
{
    const gmsim_column columns[] = {
        {.key = "who", .title = "who", .width = 5, .left = true, .outer = true},
        {.key = "size", .title = "size", .width = 10},
        {.title = "only text", .gap = 1, .left = true},
        {.key = "change", .delta = true},
    };
    gmsim_column found[G_N_ELEMENTS(columns)];
    const gmsim_field rows[2][4] = {{gmsim_words("a"), gmsim_number_of(GMSIM_UNIT_BYTES, 4096),
                                     gmsim_words(""), gmsim_number_of(GMSIM_UNIT_PERCENT, -1.5)},
                                    {gmsim_words("say \"b\""),
                                     gmsim_quotient(GMSIM_UNIT_RATIO, 1, 0), gmsim_words("x"),
                                     gmsim_words(NULL)}};
    static const char *const wanted[] = {
        "who        size only text\na       4.0 KiB\nsay \"b\"         - x\n",
        "who         size only text\na        4.0 KiB\nsay \"b\"        - x\n",
        "\"who\",\"size\",\"change\"\r\n\"a\",4096,-1.500000\r\n\"say \"\"b\"\"\",,\r\n"};

    memcpy(found, columns, sizeof found);
    found[0].width = found[1].width = 0;
    found[1].gap = 2;
    for (unsigned form = 0; form < 3; form++) {
        GString *out = g_string_new(NULL);
        gmsim_table table;

        gmsim_table_begin(&table, form == 2 ? GMSIM_TABLE_CSV : GMSIM_TABLE_TEXT,
                          form == 1 ? found : columns, 4, out, false);
        for (unsigned i = 0; i < 2; i++)
            gmsim_table_row(&table, rows[i]);
        gmsim_table_end(&table);
        g_assert_cmpstr(out->str, ==, wanted[form]);
        g_string_free(out, TRUE);
    }
}

/* ---------------------------------------------------------------------------------------- JSON */

static char *json_of(void (*write)(gmsim_json *json))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    gmsim_json json;

    g_assert_nonnull(out);
    gmsim_json_init(&json, out);
    write(&json);
    gmsim_json_finish(&json);
    fclose(out);
    return text;
}

static void write_scalars(gmsim_json *json)
{
    gmsim_json_array(json, NULL, true);
    gmsim_json_uint(json, NULL, UINT64_MAX);
    gmsim_json_int(json, NULL, INT64_MIN);
    gmsim_json_real(json, NULL, 0.1);
    gmsim_json_real(json, NULL, 1.0 / 3.0);
    gmsim_json_real(json, NULL, NAN);
    gmsim_json_real(json, NULL, HUGE_VAL);
    gmsim_json_string(json, NULL, NULL);
    gmsim_json_string(json, NULL, "a\"b\\c\n\t\001\177");
    gmsim_json_string(json, NULL, "\xc3\xa9 \xff");
    gmsim_json_bool(json, NULL, true);
    gmsim_json_close(json);
}

static void test_json_scalars(void)
{
    char *text = json_of(write_scalars);

    g_assert_cmpstr(text, ==,
                    "[18446744073709551615, -9223372036854775808, 0.1, 0.3333333333333333, null, "
                    "null, null, \"a\\\"b\\\\c\\n\\t\\u0001\\u007f\", \"\xc3\xa9 \xef\xbf\xbd\", "
                    "true]\n");
    free(text);
}

static void write_nested(gmsim_json *json)
{
    gmsim_json_object(json, NULL, false);
    gmsim_json_array(json, "empty", false);
    gmsim_json_close(json);
    gmsim_json_object(json, "line", true);
    gmsim_json_array(json, "inner", false);
    gmsim_json_uint(json, NULL, 1);
    gmsim_json_uint(json, NULL, 2);
    gmsim_json_close(json);
    gmsim_json_close(json);
    gmsim_json_close(json);
}

static void test_json_nested(void)
{
    char *text = json_of(write_nested);

    g_assert_cmpstr(text, ==, "{\n  \"empty\": [],\n  \"line\": {\"inner\": [1, 2]}\n}\n");
    free(text);
}

/* ------------------------------------------------------------------------------------ patterns */

static gmsim_pattern pattern_of(uint64_t base, int64_t stride, uint32_t size, uint32_t mask)
{
    gmsim_worst worst = {.mask = mask, .size = size, .work = 1};
    gmsim_pattern pattern;

    for (unsigned i = 0; i < 32; i++)
        worst.address[i] = base + (uint64_t)(stride * (int64_t)i);
    gmsim_pattern_of(&worst, &pattern);
    return pattern;
}

static void test_patterns(void)
{
    gmsim_pattern column = pattern_of(0, 128, 4, UINT32_MAX);
    gmsim_pattern broadcast = pattern_of(64, 0, 4, UINT32_MAX);
    gmsim_pattern shifted = pattern_of(0x1004, 4, 4, UINT32_MAX);
    gmsim_pattern wide = pattern_of(0, 16, 16, UINT32_MAX);
    gmsim_pattern sparse = pattern_of(0, 8, 4, 0x80000401);
    gmsim_pattern back = pattern_of(4096, -4, 4, UINT32_MAX);
    char *words;

    g_assert_true(column.strided);
    g_assert_cmpint(column.stride, ==, 128);
    g_assert_cmpuint(column.banks, ==, 1);
    g_assert_cmpuint(column.words[0], ==, 32);
    g_assert_cmpuint(broadcast.addresses, ==, 1);
    g_assert_cmpuint(broadcast.words[16], ==, 1);
    g_assert_cmpuint(broadcast.worst_bank, ==, 16);
    g_assert_cmpuint(shifted.sectors, ==, 5);
    g_assert_cmpuint(shifted.lines, ==, 2);
    g_assert_cmpuint(shifted.misaligned, ==, 4);
    g_assert_cmpuint(wide.sectors, ==, 16);
    g_assert_cmpuint(wide.words[31], ==, 4);
    g_assert_cmpuint(sparse.lanes, ==, 3);
    g_assert_true(sparse.strided);
    g_assert_cmpint(sparse.stride, ==, 8);
    g_assert_cmpuint(sparse.lane_bank[1], ==, 0xff);
    g_assert_cmpuint(sparse.lane_bank[10], ==, 20);
    g_assert_true(back.strided);
    g_assert_cmpint(back.stride, ==, -4);
    words = gmsim_pattern_words(&column, true);
    g_assert_cmpstr(words, ==, "1 bank, 128 B apart");
    g_free(words);
    words = gmsim_pattern_words(&sparse, false);
    g_assert_cmpstr(words, ==, "3 lanes, 8 B apart");
    g_free(words);
}

/* ------------------------------------------------------------------------------------ verdicts */

static gmsim_finding verdict_of(const fixture *f)
{
    gmsim_verdict verdict;

    gmsim_verdict_make(&f->gpu, &f->result, &verdict);
    g_assert_cmpuint(verdict.count, >, 0);
    return verdict.finding[0];
}

static bool has_finding(const fixture *f, gmsim_finding_kind kind)
{
    gmsim_verdict verdict;

    gmsim_verdict_make(&f->gpu, &f->result, &verdict);
    for (unsigned i = 0; i < verdict.count; i++) {
        if (verdict.finding[i].kind == kind)
            return true;
    }
    return false;
}

static void test_verdict_conflicts(void)
{
    gmsim_finding finding;
    fixture f;
    char *fix;

    fixture_transpose(&f, false);
    finding = verdict_of(&f);
    g_assert_cmpint(finding.kind, ==, GMSIM_FINDING_CONFLICTS);
    g_assert_cmpuint(finding.now, ==, 10813);
    g_assert_cmpuint(finding.then, ==, 2048);
    g_assert_true(finding.worst == &f.counts[2]);
    fix = gmsim_finding_fix(&f.gpu, &f.result, &finding);
    g_assert_nonnull(strstr(fix, "pad each row"));
    g_assert_nonnull(strstr(fix, "example.cu:8"));
    g_free(fix);
    fixture_transpose(&f, true);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_false(has_finding(&f, GMSIM_FINDING_CONFLICTS));
}

/* All lanes on one word is a broadcast: one wavefront, whatever course notes say. */
static void test_verdict_broadcast(void)
{
    fixture f;
    char *what;
    gmsim_finding finding;

    fixture_init(&f);
    fixture_add(&f, "LDS", GMSIM_SHARED_LOAD, 5, 1000000, 0, 0, 1, 1);
    fixture_finish(&f);
    finding = verdict_of(&f);
    g_assert_cmpint(finding.kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_cmpint(finding.then_bound, ==, GMSIM_RESOURCE_SHARED);
    g_assert_false(has_finding(&f, GMSIM_FINDING_CONFLICTS));
    what = gmsim_finding_what(&f.gpu, &f.result, &finding);
    g_assert_nonnull(strstr(what, "Nothing to fix"));
    g_free(what);
}

/* A conflict that hides behind DRAM is mentioned, not made the verdict. */
static void test_verdict_hidden_conflict(void)
{
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 1000000, 4, 0, 4, 4);
    fixture_add(&f, "LDS", GMSIM_SHARED_LOAD, 5, 100000, 8, 0, 2, 1);
    fixture_finish(&f);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_true(has_finding(&f, GMSIM_FINDING_CONFLICTS));
}

static void test_verdict_uncoalesced(void)
{
    gmsim_finding finding;
    fixture f;
    char *text;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(&f, "STG.E", GMSIM_GLOBAL_STORE, 5, 32768, 4096, 0, 32, 4);
    fixture_finish(&f);
    finding = verdict_of(&f);
    g_assert_cmpint(finding.kind, ==, GMSIM_FINDING_UNCOALESCED);
    g_assert_cmpint(finding.row, ==, GMSIM_GLOBAL_STORE);
    g_assert_cmpuint(finding.then, <, finding.now);
    text = gmsim_finding_what(&f.gpu, &f.result, &finding);
    g_assert_nonnull(strstr(text, "Uncoalesced global stores"));
    g_free(text);
    text = gmsim_finding_fix(&f.gpu, &f.result, &finding);
    g_assert_nonnull(strstr(text, "4096 B apart"));
    g_free(text);
}

/* Where L1 serves the excess, coalescing does not lower the bound of L2 or DRAM. */
static void test_verdict_absorbed(void)
{
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 327680, 16, 0, 16, 4);
    fixture_finish(&f);
    f.result.row[GMSIM_GLOBAL_LOAD].xbar_read_sectors /= 4;
    f.result.l2.read_sectors /= 4;
    f.result.l2.dram_read_sectors /= 4;
    f.result.min_cycles[GMSIM_RESOURCE_L2] /= 4;
    f.result.min_cycles[GMSIM_RESOURCE_DRAM] /= 4;
    f.result.min_cycles[GMSIM_RESOURCE_L1] /= 4;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_true(has_finding(&f, GMSIM_FINDING_UNCOALESCED));
}

static void test_verdict_atomics(void)
{
    gmsim_finding finding;
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(&f, "RED.E.ADD.F32", GMSIM_GLOBAL_REDUCTION, 5, 32768, 0, 0, 1, 1);
    f.result.l2.dirty_sectors = 1;
    fixture_finish(&f);
    finding = verdict_of(&f);
    g_assert_cmpint(finding.kind, ==, GMSIM_FINDING_ATOMICS);
    g_assert_cmpuint(finding.now, ==, 32768);
    g_assert_true(finding.worst == &f.counts[1]);
    /* One a CTA is what a good reduction leaves. */
    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(&f, "RED.E.ADD.F32", GMSIM_GLOBAL_REDUCTION, 5, 1024, 0, 0, 1, 1);
    f.result.l2.dirty_sectors = 1;
    fixture_finish(&f);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
}

static void test_verdict_local(void)
{
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(&f, "LDL", GMSIM_LOCAL_LOAD, 5, 65536, 0, 0, 4, 4);
    fixture_add(&f, "STL", GMSIM_LOCAL_STORE, 5, 65536, 0, 0, 4, 4);
    fixture_finish(&f);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_LOCAL);
}

static void test_verdict_shape(void)
{
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_finish(&f);
    f.launch.grid[0] = 16;
    f.launch.grid[1] = 1;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_SMALL_GRID);
    /* Enough for one block an SM, of the two each could hold, but a quarter of the warps. */
    f.launch.grid[0] = 100;
    f.result.occupancy.theoretical_pct = 50;
    f.result.waves = 0.5;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_SMALL_GRID);
    f.launch.grid[0] = 1600;
    f.result.waves = 8;
    f.result.occupancy.theoretical_pct = 12.5;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_OCCUPANCY);
    f.result.bound = GMSIM_RESOURCE_SHARED;
    f.result.min_cycles[GMSIM_RESOURCE_SHARED] = 1000000;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_true(has_finding(&f, GMSIM_FINDING_OCCUPANCY));
    fixture_init(&f);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NO_MEMORY);
}

/* ----------------------------------------------------------------------------- verdicts by time */

/* A launch of `cycles` whose warps' clocks go where `percent` says; what is left is issue. */
static void fixture_time(fixture *f, uint64_t cycles, const unsigned percent[GMSIM_STALLS])
{
    gmsim_timing *timing = &f->result.timing;
    unsigned left = 100;

    f->result.timed = true;
    timing->cycles = cycles;
    timing->launch_cycles = 3000;
    timing->warp_active = 100000;
    for (unsigned i = 0; i < GMSIM_STALLS; i++) {
        timing->stall[i] = percent[i] * 1000u;
        left -= percent[i];
    }
    timing->stall[GMSIM_STALL_ISSUE] += left * 1000u;
}

static void fill_transpose(fixture *f)
{
    fixture_transpose(f, false);
}

static void fill_stream(fixture *f)
{
    fixture_init(f);
    fixture_add(f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(f, "STG.E", GMSIM_GLOBAL_STORE, 5, 32768, 4, 0x400000, 4, 4);
    f->code[2].op_class = GMTRACE_CLASS_BARRIER;
    f->code[2].file = 0;
    f->code[2].line = 7;
    fixture_finish(f);
}

static void fill_few_warps(fixture *f)
{
    fill_stream(f);
    f->result.occupancy.theoretical_pct = 12.5;
}

static void fill_few_blocks(fixture *f)
{
    fill_stream(f);
    f->launch.grid[0] = 16;
    f->launch.grid[1] = 1;
}

static void fill_strided(fixture *f)
{
    fixture_init(f);
    fixture_add(f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(f, "STG.E", GMSIM_GLOBAL_STORE, 5, 32768, 4096, 0, 32, 4);
    fixture_finish(f);
}

/* What the warps wait for decides, whatever the counts alone would say. */
static void test_verdict_time(void)
{
    static const struct {
        void (*fill)(fixture *f);
        uint64_t cycles;
        unsigned percent[GMSIM_STALLS];
        gmsim_finding_kind kind;
        const char *what, *fix;
    } cases[] = {
        {fill_transpose,
         19308,
         {[GMSIM_STALL_SHARED] = 40, [GMSIM_STALL_DRAM_LATENCY] = 30},
         GMSIM_FINDING_CONFLICTS,
         "wait 40.0% of their clocks for shared memory",
         "example.cu:8"},
        {fill_transpose,
         40000,
         {[GMSIM_STALL_SHARED] = 8, [GMSIM_STALL_DRAM_LATENCY] = 80},
         GMSIM_FINDING_LATENCY,
         "DRAM latency",
         "example.cu:6"},
        {fill_strided,
         40000,
         {[GMSIM_STALL_L1] = 40, [GMSIM_STALL_DRAM_LATENCY] = 40},
         GMSIM_FINDING_UNCOALESCED,
         "for L1",
         "4096 B apart"},
        {fill_stream,
         9000,
         {[GMSIM_STALL_DRAM_BANDWIDTH] = 60},
         GMSIM_FINDING_BANDWIDTH,
         "DRAM bandwidth limits",
         "move less"},
        {fill_stream,
         20000,
         {[GMSIM_STALL_DRAM_LATENCY] = 75},
         GMSIM_FINDING_LATENCY,
         "no resource is busy",
         "example.cu:4"},
        {fill_few_warps,
         20000,
         {[GMSIM_STALL_DRAM_LATENCY] = 75},
         GMSIM_FINDING_OCCUPANCY,
         "wait 75.0%",
         NULL},
        {fill_few_blocks,
         20000,
         {[GMSIM_STALL_DRAM_LATENCY] = 75},
         GMSIM_FINDING_SMALL_GRID,
         "stay idle",
         "more blocks"},
        {fill_stream,
         20000,
         {[GMSIM_STALL_BARRIER] = 60},
         GMSIM_FINDING_BARRIERS,
         "60.0% of their clocks waiting for the other warps",
         "example.cu:7"},
        {fill_stream, 20000, {[GMSIM_STALL_MATH] = 90}, GMSIM_FINDING_MATH, "math pipe", "cheaper"},
        {fill_stream, 20000, {[GMSIM_STALL_MATH] = 5}, GMSIM_FINDING_ISSUE, "issuing", "fewer"},
        {fill_stream,
         5000,
         {[GMSIM_STALL_DRAM_LATENCY] = 75},
         GMSIM_FINDING_LAUNCH,
         "60.0% of its 5,000 cycles",
         "merge kernels"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmsim_finding finding;
        char *what, *fix, *bound, *stays;
        fixture f;

        cases[i].fill(&f);
        fixture_time(&f, cases[i].cycles, cases[i].percent);
        finding = verdict_of(&f);
        g_assert_cmpint(finding.kind, ==, cases[i].kind);
        g_assert_cmpuint(finding.cost, >, 0);
        g_assert_cmpuint(finding.cost, <, cases[i].cycles);
        what = gmsim_finding_what(&f.gpu, &f.result, &finding);
        fix = gmsim_finding_fix(&f.gpu, &f.result, &finding);
        bound = gmsim_finding_bound(&f.result, &finding);
        g_assert_nonnull(strstr(what, cases[i].what));
        g_assert_true(cases[i].fix == NULL || strstr(fix, cases[i].fix) != NULL);
        g_assert_true((bound == NULL) == (finding.kind == GMSIM_FINDING_LAUNCH));
        if (finding.kind == GMSIM_FINDING_CONFLICTS) {
            /* The launch, and what the counts need once nothing conflicts. */
            stays = g_strdup_printf("%s stay at least", gmsim_count(3000 + finding.then).text);
            g_assert_nonnull(strstr(bound, stays));
            g_free(stays);
        }
        g_free(what);
        g_free(fix);
        g_free(bound);
    }
}

/* Conflicts that nobody waits for are an aside, and waits that the verdict explains are none. */
static void test_verdict_time_asides(void)
{
    static const unsigned latency[GMSIM_STALLS] = {
        [GMSIM_STALL_SHARED] = 8, [GMSIM_STALL_DRAM_LATENCY] = 80};
    static const unsigned shared[GMSIM_STALLS] = {[GMSIM_STALL_SHARED] = 70, [GMSIM_STALL_L1] = 20};
    fixture f;

    fixture_transpose(&f, false);
    fixture_time(&f, 40000, latency);
    g_assert_true(has_finding(&f, GMSIM_FINDING_CONFLICTS));
    fixture_transpose(&f, false);
    fixture_time(&f, 19308, shared);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_CONFLICTS);
    g_assert_false(has_finding(&f, GMSIM_FINDING_BANDWIDTH));
    g_assert_false(has_finding(&f, GMSIM_FINDING_LATENCY));
}

/* ---------------------------------------------------------------------------------- applications
 */

/* Two launches of one kernel, and one of another whose traffic was not seen. */
static void test_application(void)
{
    static const unsigned waits[GMSIM_STALLS] = {[GMSIM_STALL_DRAM_LATENCY] = 80};
    const gmsim_kernel_total *total;
    gmsim_application *application;
    gmtrace_kernel hidden;
    unsigned *order;
    fixture f, other;

    fixture_transpose(&f, false);
    fixture_time(&f, 40000, waits);
    f.result.start = GMSIM_START_WARM;
    application = gmsim_application_new(&f.gpu);
    g_assert_cmpuint(gmsim_application_add(application, 3, &f.result)->number, ==, 0);
    f.result.timing.cycles = 50000;
    total = gmsim_application_add(application, 4, &f.result);
    g_assert_cmpuint(total->launches, ==, 2);
    g_assert_cmpuint(total->longest, ==, 4);
    g_assert_cmpuint(total->clocks, ==, 90000);
    g_assert_cmpuint(total->starts[GMSIM_START_WARM], ==, 2);
    g_assert_cmpuint(total->sum.timing.cycles, ==, 90000);
    g_assert_cmpuint(total->sum.l2.dram_read_sectors, ==, 2 * f.result.l2.dram_read_sectors);
    g_assert_cmpuint(total->sum.row[GMSIM_SHARED_LOAD].wavefronts, ==,
                     2 * f.result.row[GMSIM_SHARED_LOAD].wavefronts);
    g_assert_cmpuint(total->finding[gmsim_kernel_finding(total)].clocks, ==, 90000);

    fixture_transpose(&other, false);
    hidden = other.kernel; /* the same name, other code */
    hidden.registers++;
    other.result.kernel = &hidden;
    other.result.unseen = GMTRACE_UNSEEN_TENSOR_COPY;
    total = gmsim_application_add(application, 5, &other.result);
    g_assert_cmpuint(total->number, ==, 1);
    g_assert_cmpuint(total->unknown, ==, 1);
    g_assert_cmpuint(total->clocks, ==, 0);
    g_assert_cmpuint(gmsim_application_kernels(application), ==, 2);

    total = gmsim_application_total(application);
    g_assert_cmpuint(total->launches, ==, 3);
    g_assert_cmpuint(total->unknown, ==, 1);
    g_assert_true(total->sum.timed);
    g_assert_cmpuint(total->sum.timing.cycles, ==, 90000);
    g_assert_cmpuint(total->sum.l2.dram_read_sectors, ==, 2 * f.result.l2.dram_read_sectors);
    order = gmsim_application_order(application, GMSIM_BY_CLOCKS);
    g_assert_cmpuint(order[0], ==, 0);
    g_assert_cmpuint(order[1], ==, 1);
    g_free(order);
    gmsim_application_free(application);
}

/* ------------------------------------------------------------------------------------- reports */

static char *report_of(const fixture *f, const char *format, bool summary)
{
    const gmsim_format *table = gmsim_format_find(format);
    gmsim_report report = {.version = "test",
                           .trace = "t.trc",
                           .gpu = &f->gpu,
                           .capture = &f->capture,
                           .launch_count = 1,
                           .selected = 1,
                           .summary = summary};
    char *text = NULL;
    size_t size = 0;

    g_assert_nonnull(table);
    report.out = open_memstream(&text, &size);
    g_assert_nonnull(report.out);
    table->begin(&report);
    table->launch(&report, 0, &f->result);
    table->end(&report, true);
    fclose(report.out);
    return text;
}

/* One screen: about 40 lines of at most 100 columns, no trailing blanks, nothing but ASCII. */
static void check_screen(const char *text)
{
    char **lines = g_strsplit(text, "\n", -1);

    g_assert_cmpuint(g_strv_length(lines), <=, 46);
    for (char **line = lines; *line != NULL; line++) {
        size_t length = strlen(*line);

        if (length > GMSIM_REPORT_WIDTH)
            g_error("too wide: %s", *line);
        if (length > 0 && (*line)[length - 1] == ' ')
            g_error("trailing blank: '%s'", *line);
        for (const char *c = *line; *c != 0; c++)
            g_assert_true(*c >= ' ' && *c <= '~');
    }
    g_strfreev(lines);
}

static void test_text_screen(void)
{
    fixture f;
    char *text;

    fixture_transpose(&f, false);
    text = report_of(&f, "text", false);
    check_screen(text);
    g_assert_nonnull(strstr(text, "32.00  1.00"));
    g_assert_nonnull(strstr(text, "words  w...............................  bank 0: 32"));
    free(text);
    fixture_transpose(&f, true);
    text = report_of(&f, "text", false);
    check_screen(text);
    g_assert_nonnull(strstr(text, "Bank conflicts  none"));
    free(text);
    fixture_init(&f);
    text = report_of(&f, "text", false);
    check_screen(text);
    g_assert_nonnull(strstr(text, "No memory work"));
    free(text);
    text = report_of(&f, "text", true);
    check_screen(text);
    free(text);
}

/* Names come from a file: no escape sequence may reach the terminal. */
static void test_text_hostile_names(void)
{
    fixture f;
    char *text;

    fixture_transpose(&f, false);
    f.kernel.name = "evil\033[2Jname\nVERDICT  fine \xff\xfe";
    f.code[2].opcode = "L\033DS";
    text = report_of(&f, "text", false);
    g_assert_null(strchr(text, '\033'));
    g_assert_null(strstr(text, "\nVERDICT  fine"));
    g_assert_true(g_utf8_validate(text, -1, NULL));
    free(text);
    text = report_of(&f, "json", false);
    g_assert_null(strchr(text, '\033'));
    g_assert_true(g_utf8_validate(text, -1, NULL));
    free(text);
}

static void test_csv(void)
{
    fixture f;
    char *text, **lines;
    unsigned fields = 0;

    fixture_transpose(&f, false);
    f.kernel.name = "say(\"hi\", int)";
    text = report_of(&f, "csv", false);
    lines = g_strsplit(text, "\r\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 3);
    g_assert_true(g_str_has_prefix(lines[0], "\"ID\",\"Kernel Name\",\"Block Size\""));
    g_assert_true(g_str_has_prefix(
        lines[1], "0,\"say(\"\"hi\"\", int)\",\"(32, 32, 1)\",\"(32, 32, 1)\",\"Round GPU\",9.0,"));
    for (const char *c = strstr(lines[1], "9.0,"); *c != 0; c++)
        fields += *c == ',';
    g_assert_cmpuint(fields, ==, gmsim_metric_all + 3); /* "Complete", "L2 At Start" */
    g_strfreev(lines);
    free(text);
}

static void test_format(void)
{
    GString *out = g_string_new(NULL);
    char *clean;

    g_assert_cmpstr(gmsim_count(0).text, ==, "0");
    g_assert_cmpstr(gmsim_count(999).text, ==, "999");
    g_assert_cmpstr(gmsim_count(1048576).text, ==, "1,048,576");
    g_assert_cmpstr(gmsim_count(UINT64_MAX).text, ==, "18,446,744,073,709,551,615");
    g_assert_cmpstr(gmsim_bytes(1023).text, ==, "1023 B");
    g_assert_cmpstr(gmsim_bytes(4u << 20).text, ==, "4.0 MiB");
    g_assert_cmpstr(gmsim_bytes((1u << 20) - 1).text, ==, "1.0 MiB");
    g_assert_cmpstr(gmsim_ratio(1, 0).text, ==, "-");
    g_assert_cmpstr(gmsim_percentage(939, 1000).text, ==, "93.9%");
    clean = gmsim_clean("abcdefghijklmnop", 12);
    g_assert_cmpstr(clean, ==, "abcdef...nop");
    g_free(clean);
    gmsim_wrap(out, "aa bb cc dd", 0, 2, 5);
    g_assert_cmpstr(out->str, ==, "aa bb\n  cc\n  dd");
    g_string_free(out, TRUE);
}

static char *write_line(const char *folder, const char *name, const char *text)
{
    char *path = g_build_filename(folder, name, NULL), *parent = g_path_get_dirname(path);

    g_assert_cmpint(g_mkdir_with_parents(parent, 0777), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_free(parent);
    return path;
}

static void shows(const char *folder, const char *file, uint32_t line, const char *text)
{
    char *shown = gmsim_source_line(folder, file, line);

    g_assert_cmpstr(shown, ==, text);
    g_free(shown);
}

/* top/inside is the current folder, top/other one that is named, top/secret neither. */
static void test_source_line(void)
{
    char *top = g_dir_make_tmp("gmsim-XXXXXX", NULL);
    char *inside = write_line(top, "inside/example.cu", "one\n\t\ttwo\033;\nthree");
    char *other = write_line(top, "other/kernels/far.cu", "far");
    char *secret = write_line(top, "secret", "password");
    char *hidden = write_line(top, "inside/.ssh/key", "password");
    char *here = g_path_get_dirname(inside), *there = g_build_filename(top, "other", NULL);
    const char *argv[] = {"rm", "-rf", top, NULL};
    char *link = g_build_filename(here, "link.cu", NULL);
    char *large = g_build_filename(here, "large.cu", NULL);
    char *pipe = g_build_filename(here, "pipe.cu", NULL);
    FILE *file;

    g_assert_cmpint(g_chdir(here), ==, 0);
    shows(NULL, inside, 2, "two?;");
    shows(NULL, inside, 3, "three");
    shows(NULL, inside, 4, NULL);
    shows(NULL, inside, 0, NULL);
    shows(NULL, here, 1, NULL);
    shows(NULL, "", 1, NULL);
    shows(NULL, "/build/of/somebody/else/example.cu", 1, "one");
    /* Nothing outside, by whatever way. */
    shows(NULL, secret, 1, NULL);
    shows(NULL, "../secret", 1, NULL);
    shows(NULL, "x/../../secret", 1, NULL);
    shows(NULL, hidden, 1, NULL);
    shows(NULL, ".ssh/key", 1, NULL);
    g_assert_cmpint(symlink(secret, link), ==, 0);
    shows(NULL, link, 1, NULL);
    shows(NULL, "link.cu", 1, NULL);
    g_assert_cmpint(unlink(link), ==, 0);
    g_assert_cmpint(symlink("example.cu", link), ==, 0);
    shows(NULL, "link.cu", 1, "one");
    /* Below the folder that is named. */
    shows(NULL, other, 1, NULL);
    shows(there, other, 1, "far");
    shows(there, "/elsewhere/kernels/far.cu", 1, "far");
    shows(there, secret, 1, NULL);
    shows(there, "example.cu", 1, "one");
    /* No pipe that nobody writes, nothing large. */
    g_assert_cmpint(mkfifo(pipe, 0666), ==, 0);
    shows(NULL, "pipe.cu", 1, NULL);
    file = fopen(large, "w");
    g_assert_nonnull(file);
    g_assert_cmpint(ftruncate(fileno(file), 1 << 30), ==, 0);
    fclose(file);
    shows(NULL, "large.cu", 1, NULL);
    /* The root folder holds everything and is nobody's project. */
    g_assert_cmpint(g_chdir("/"), ==, 0);
    shows(NULL, secret, 1, NULL);
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
    g_free(pipe);
    g_free(large);
    g_free(link);
    g_free(there);
    g_free(here);
    g_free(hidden);
    g_free(secret);
    g_free(other);
    g_free(inside);
    g_free(top);
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
    g_test_add_func("/application", test_application);
    g_test_add_func("/report/table", test_table);
    g_test_add_func("/json/scalars", test_json_scalars);
    g_test_add_func("/json/nested", test_json_nested);
    g_test_add_func("/report/patterns", test_patterns);
    g_test_add_func("/report/format", test_format);
    g_test_add_func("/report/source", test_source_line);
    g_test_add_func("/verdict/conflicts", test_verdict_conflicts);
    g_test_add_func("/verdict/broadcast", test_verdict_broadcast);
    g_test_add_func("/verdict/hidden-conflict", test_verdict_hidden_conflict);
    g_test_add_func("/verdict/uncoalesced", test_verdict_uncoalesced);
    g_test_add_func("/verdict/absorbed", test_verdict_absorbed);
    g_test_add_func("/verdict/atomics", test_verdict_atomics);
    g_test_add_func("/verdict/local", test_verdict_local);
    g_test_add_func("/verdict/shape", test_verdict_shape);
    g_test_add_func("/verdict/time", test_verdict_time);
    g_test_add_func("/verdict/time-asides", test_verdict_time_asides);
    g_test_add_func("/report/text", test_text_screen);
    g_test_add_func("/report/hostile-names", test_text_hostile_names);
    g_test_add_func("/report/csv", test_csv);
    return g_test_run();
}
