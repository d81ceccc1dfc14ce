/* SPDX-License-Identifier: MIT
 *
 * report_json.c - the machine-read report, schema "gmsim-report/1". Keys under "metrics" are Nsight
 * Compute's names and units; everything else is gmsim's own. A value that is not known is absent.
 * Keys keep their order and their meaning within a schema number; new ones may be added.
 */
#include <math.h>
#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/report/formats.h"
#include "sim/report/words.h"

static void put_known(gmsim_json *json, const char *key, uint32_t value)
{
    if (value != UINT32_MAX)
        gmsim_json_uint(json, key, value);
}

/* A GPU's parameters are text in the reader's table; whole numbers are written as numbers. */
static void put_parameter(const char *key, const char *value, const char *meaning,
                          const char *source, gpointer data)
{
    gmsim_json *json = (gmsim_json *)data;
    guint64 number;

    (void)meaning;
    (void)source;
    if (g_ascii_string_to_unsigned(value, 10, 0, G_MAXUINT64, &number, NULL))
        gmsim_json_uint(json, key, number);
    else
        gmsim_json_string(json, key, value);
}

void gmsim_json_gpu(gmsim_json *json, const gmsim_gpu *gpu)
{
    gmsim_json_object(json, "gpu", false);
    gmsim_json_string(json, "name", gpu->name);
    gmsim_json_object(json, "parameters", false);
    gmsim_gpu_foreach(gpu, put_parameter, json);
    gmsim_json_close(json);
    gmsim_json_close(json);
}

/* The keys of the bits that are set. */
static void put_bits(gmsim_json *json, const char *key, const gmsim_names *names, uint32_t bits)
{
    gmsim_json_array(json, key, true);
    for (unsigned bit = 0; names[bit].key != NULL; bit++) {
        if (bits >> bit & 1u)
            gmsim_json_string(json, NULL, names[bit].key);
    }
    gmsim_json_close(json);
}

static void put_capture(gmsim_json *json, const gmtrace_capture *capture)
{
    gmsim_json_object(json, "capture", true);
    gmsim_json_string(json, "source", capture->source);
    gmsim_json_string(json, "program", capture->program);
    gmsim_json_string(json, "gpu", capture->gpu);
    put_bits(json, "not_seen", gmsim_unseen_table, capture->unseen);
    gmsim_json_close(json);
}

void gmsim_json_head(gmsim_report *report, const char *schema)
{
    gmsim_json_init(&report->json, report->out);
    gmsim_json_object(&report->json, NULL, false);
    gmsim_json_string(&report->json, "schema", schema);
    gmsim_json_string(&report->json, "gmsim", report->version);
}

void gmsim_json_begin(gmsim_report *report)
{
    gmsim_json *json = &report->json;

    gmsim_json_head(report, "gmsim-report/1");
    gmsim_json_string(json, "trace", report->trace);
    if (report->capture != NULL)
        put_capture(json, report->capture);
    gmsim_json_gpu(json, report->gpu);
    gmsim_json_string(json, "caches", report->caches == GMSIM_CACHES_WARM ? "warm" : "cold");
    gmsim_json_bool(json, "flush", report->flush);
    report->application = gmsim_application_new(report->gpu);
    gmsim_json_array(json, "launches", false);
}

static void put_metric(gmsim_json *json, const gmsim_result *result, unsigned metric)
{
    double value;

    if (gmsim_metric_value(result, metric, &value))
        gmsim_json_number(json, gmsim_metrics[metric].name, value);
    else if (gmsim_metric_unseen(result, metric))
        gmsim_json_null(json, gmsim_metrics[metric].name);
}

static void put_metrics(gmsim_json *json, const gmsim_result *result, unsigned from, unsigned to)
{
    gmsim_json_object(json, "metrics", false);
    for (unsigned i = from; i < to; i++)
        put_metric(json, result, i);
    gmsim_json_close(json);
}

static void put_verdict(gmsim_json *json, const gmsim_gpu *gpu, const gmsim_result *result)
{
    gmsim_verdict verdict;

    gmsim_verdict_make(gpu, result, &verdict);
    gmsim_json_array(json, "findings", false);
    for (unsigned i = 0; i < verdict.count; i++) {
        const gmsim_finding *finding = &verdict.finding[i];
        char *what = i == 0 ? gmsim_finding_what(gpu, result, finding)
                            : gmsim_finding_aside(result, finding);
        char *fix = gmsim_finding_fix(gpu, result, finding);

        gmsim_json_object(json, NULL, false);
        gmsim_json_string(json, "finding", gmsim_finding_name(finding->kind));
        gmsim_json_string(json, "text", what);
        if (fix != NULL)
            gmsim_json_string(json, "fix", fix);
        if (!(result->unseen & GMSIM_UNSEEN_TRAFFIC)) {
            gmsim_json_uint(json, "min_cycles", finding->now);
            gmsim_json_uint(json, "min_cycles_fixed", finding->then);
        }
        if (finding->cost > 0)
            gmsim_json_uint(json, "cost_cycles", finding->cost);
        gmsim_json_close(json);
        g_free(what);
        g_free(fix);
    }
    gmsim_json_close(json);
}

/* Times are SM clocks; "warp_clocks" add up to the clocks warps were resident. */
static void put_timing(gmsim_json *json, const gmsim_timing *timing)
{
    gmsim_json_uint(json, "cycles", timing->cycles);
    gmsim_json_uint(json, "launch_cycles", timing->launch_cycles);
    gmsim_json_object(json, "warp_clocks", true);
    for (unsigned i = 0; i < GMSIM_STALLS; i++)
        gmsim_json_uint(json, gmsim_stall_table[i].key, timing->stall[i]);
    gmsim_json_uint(json, "all", timing->warp_active);
    gmsim_json_close(json);
    if (timing->loads > 0)
        gmsim_json_real(json, "load_latency", (double)timing->load_cycles / (double)timing->loads);
}

/* Where the code shows that counts differ from run to run of the hardware too. */
static void put_unsteady(gmsim_json *json, const gmsim_result *result)
{
    const gmsim_unsteady unsteady = gmsim_unsteady_find(result);

    gmsim_json_array(json, "unsteady", false);
    for (unsigned kind = 1; kind < GMSIM_UNSTEADY_KINDS; kind++) {
        if (!(unsteady.kinds >> kind & 1u))
            continue;
        char *place = gmsim_code_place(result, unsteady.instr[kind]);

        gmsim_json_object(json, NULL, true);
        gmsim_json_string(json, "why", gmsim_unsteady_table[kind].key);
        gmsim_json_string(json, "text", gmsim_unsteady_table[kind].name);
        gmsim_json_string(json, "place", place);
        gmsim_json_close(json);
        g_free(place);
    }
    gmsim_json_close(json);
}

static void put_bound(gmsim_json *json, const gmsim_gpu *gpu, const gmsim_result *result)
{
    const bool unseen = (result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;

    if (result->min_cycles[result->bound] > 0 && !unseen)
        gmsim_json_string(json, "bound", gmsim_resource_table[result->bound].key);
    gmsim_json_object(json, "min_cycles", true);
    for (unsigned i = 0; i < GMSIM_RESOURCES; i++) {
        bool unknown = (i == GMSIM_RESOURCE_L2 && gpu->l2_bytes_per_clock == 0) ||
                       (i == GMSIM_RESOURCE_DRAM && gpu->dram_bytes_per_clock == 0);

        if (unseen)
            gmsim_json_null(json, gmsim_resource_table[i].key);
        else if (!unknown)
            gmsim_json_uint(json, gmsim_resource_table[i].key, result->min_cycles[i]);
    }
    gmsim_json_close(json);
}

static void put_own(gmsim_json *json, const gmsim_gpu *gpu, const gmsim_result *result)
{
    unsigned last = 0;
    double degree;

    gmsim_json_object(json, "gmsim", false);
    put_metrics(json, result, gmsim_metric_count, gmsim_metric_all);
    if (gmsim_metric_named(result, "gmsim__shared_conflict_degree.max", &degree))
        gmsim_json_real(json, "shared_conflict_degree", degree);
    if (result->timed)
        put_timing(json, &result->timing);
    put_bound(json, gpu, result);
    for (unsigned i = 0; i < GMSIM_DEGREE_BINS; i++) {
        if (result->degree[i] > 0)
            last = i;
    }
    gmsim_json_array(json, "shared_requests_by_wavefronts", true);
    for (unsigned i = 0; last > 0 && i <= last; i++)
        gmsim_json_uint(json, NULL, result->degree[i]);
    gmsim_json_close(json);
    if (result->unseen & GMSIM_UNSEEN_TRAFFIC)
        gmsim_json_null(json, "l2_dirty_sectors");
    else
        gmsim_json_uint(json, "l2_dirty_sectors", result->l2.dirty_sectors);
    if (result->executed.instructions > 0) { /* why metrics are null: too many are doubtful */
        gmsim_json_object(json, "executed", true);
        gmsim_json_uint(json, "instructions", result->executed.instructions);
        gmsim_json_uint(json, "ways", result->executed.ways);
        gmsim_json_uint(json, "doubtful_ways", result->executed.doubtful);
        gmsim_json_uint(json, "loop_ways", result->executed.loops);
        gmsim_json_close(json);
    }
    gmsim_json_uint(json, "records", result->records);
    gmsim_json_uint(json, "barriers", result->barriers);
    gmsim_json_bool(json, "truncated", result->truncated);
    if (result->unseen & GMSIM_UNSEEN_TRAFFIC) /* why metrics are null */
        put_bits(json, "not_seen", gmsim_unseen_table, result->unseen);
    put_verdict(json, gpu, result);
    put_unsteady(json, result);
    gmsim_json_close(json);
}

static void put_occupancy(gmsim_json *json, const gmsim_gpu *gpu, const gmsim_result *result)
{
    const gmsim_occupancy *occupancy = &result->occupancy;

    gmsim_json_object(json, "occupancy", false);
    gmsim_json_uint(json, "theoretical_warps", occupancy->warps);
    gmsim_json_uint(json, "max_warps", gpu->occupancy_warps_per_sm);
    gmsim_json_real(json, "theoretical_pct", occupancy->theoretical_pct);
    gmsim_json_uint(json, "blocks_per_sm", occupancy->blocks);
    put_bits(json, "limiters", gmsim_limiter_table, occupancy->limiters);
    gmsim_json_object(json, "blocks_by_limit", true);
    put_known(json, "warps", occupancy->limit_warps);
    put_known(json, "blocks", occupancy->limit_blocks);
    put_known(json, "registers", occupancy->limit_registers);
    put_known(json, "shared_mem", occupancy->limit_shared);
    put_known(json, "barriers", occupancy->limit_barriers);
    gmsim_json_close(json);
    gmsim_json_uint(json, "shared_per_block_bytes", occupancy->shared_per_block);
    gmsim_json_uint(json, "registers_per_block", occupancy->registers_per_block);
    gmsim_json_uint(json, "shared_config_bytes", occupancy->shared_config);
    gmsim_json_uint(json, "l1_cache_bytes", occupancy->l1_bytes);
    gmsim_json_real(json, "waves", result->waves);
    gmsim_json_close(json);
}

/* unseen: other traffic of the launch went through the caches, so what they had is not known. */
static void put_counts(gmsim_json *json, gmsim_row row, const gmsim_counts *counts, bool unseen)
{
    gmsim_json_string(json, "access", gmsim_row_name(row));
    for (unsigned i = 0; i < gmsim_counter_count; i++) {
        const gmsim_counter *counter = &gmsim_counters[i];

        if (unseen && counter->cached && gmsim_row_in(row, counter->rows))
            gmsim_json_null(json, counter->key);
        else if (gmsim_row_in(row, counter->rows))
            gmsim_json_uint(json, counter->key, gmsim_counter_value(counts, counter->offset));
    }
}

static void put_worst(gmsim_json *json, gmsim_row row, const gmsim_worst *worst)
{
    gmsim_pattern pattern;

    if (worst->work == 0)
        return;
    gmsim_pattern_of(worst, &pattern);
    gmsim_json_object(json, "worst", true);
    gmsim_json_uint(json, "cta", worst->cta);
    gmsim_json_uint(json, "warp", worst->warp);
    gmsim_json_uint(json, gmsim_work_name(row), worst->work);
    gmsim_json_uint(json, "lanes", pattern.lanes);
    gmsim_json_uint(json, "lane_bytes", worst->size);
    if (pattern.strided && pattern.lanes > 1)
        gmsim_json_int(json, "stride_bytes", pattern.stride);
    gmsim_json_array(json, "addresses", true);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        if (worst->mask >> i & 1u)
            gmsim_json_uint(json, NULL, worst->address[i]);
        else
            gmsim_json_null(json, NULL);
    }
    gmsim_json_close(json);
    gmsim_json_close(json);
}

static void put_instruction(gmsim_json *json, const gmsim_result *result,
                            const gmsim_instr_counts *counts)
{
    const gmtrace_kernel *kernel = result->kernel;

    gmsim_json_object(json, NULL, true);
    if (counts->instr < kernel->instr_count) {
        const gmtrace_instr *code = &kernel->instr[counts->instr];
        char *pc = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", code->pc);

        gmsim_json_string(json, "pc", pc);
        gmsim_json_string(json, "opcode", code->opcode);
        if (code->file < kernel->file_count && code->line > 0) {
            gmsim_json_string(json, "file", kernel->file[code->file]);
            gmsim_json_uint(json, "line", code->line);
        }
        g_free(pc);
    }
    put_counts(json, counts->row, &counts->counts, (result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0);
    put_worst(json, counts->row, &counts->worst);
    gmsim_json_close(json);
}

void gmsim_json_result(gmsim_json *json, const char *key, const gmsim_gpu *gpu, uint32_t index,
                       const gmsim_result *result, const gmsim_report *arrays)
{
    const gmtrace_launch *launch = result->launch;

    gmsim_json_object(json, key, false);
    gmsim_json_uint(json, "launch", index);
    gmsim_json_string(json, "kernel", result->kernel->name);
    gmsim_json_string(json, "symbol", result->kernel->mangled);
    gmsim_json_uint3(json, "grid", launch->grid);
    gmsim_json_uint3(json, "block", launch->block);
    gmsim_json_uint3(json, "cluster", launch->cluster);
    gmsim_json_string(json, "l2_at_start", gmsim_start_table[result->start].key);
    put_metrics(json, result, 0, gmsim_metric_count);
    put_own(json, gpu, result);
    put_occupancy(json, gpu, result);
    gmsim_json_array(json, "instructions", false);
    for (uint32_t i = 0; i < result->instr_count; i++)
        put_instruction(json, result, &result->instr[i]);
    gmsim_json_close(json);
    if (arrays != NULL)
        gmsim_json_arrays(json, arrays, result);
    gmsim_json_close(json);
}

/* ------------------------------------------------------------------------------------- kernels */

static void put_kernel_metrics(gmsim_json *json, const gmsim_result *sum)
{
    gmsim_json_object(json, "metrics", false);
    for (unsigned i = 0; gmsim_kernel_metrics[i] != NULL; i++)
        put_metric(json, sum, (unsigned)gmsim_metric_find(gmsim_kernel_metrics[i]));
    gmsim_json_close(json);
}

static void put_kernel_findings(gmsim_json *json, const gmsim_kernel_total *kernel)
{
    gmsim_json_string(json, "finding", gmsim_finding_name(gmsim_kernel_finding(kernel)));
    gmsim_json_object(json, "findings", true);
    for (unsigned i = 0; i < GMSIM_FINDING_COUNT; i++) {
        if (kernel->finding[i].launches == 0)
            continue;
        gmsim_json_object(json, gmsim_finding_name((gmsim_finding_kind)i), true);
        gmsim_json_uint(json, "launches", kernel->finding[i].launches);
        gmsim_json_uint(json, "clocks", kernel->finding[i].clocks);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
}

/* "clocks" are cycles, or without timing the least that each launch needs. */
static void put_kernel(gmsim_json *json, const gmsim_report *report,
                       const gmsim_kernel_total *kernel, uint64_t clocks)
{
    const gmsim_sampled sampled = gmsim_application_sampled(report->application, kernel);

    gmsim_json_object(json, NULL, false);
    gmsim_json_string(json, "kernel", kernel->sum.kernel->name);
    gmsim_json_string(json, "symbol", kernel->sum.kernel->mangled);
    gmsim_json_uint(json, "launches", kernel->launches);
    if (sampled.launches > 0) {
        gmsim_json_uint(json, "captured", kernel->captured);
        gmsim_json_uint(json, "represented", sampled.launches);
        gmsim_json_uint(json, "of_kinds_captured_once", sampled.alone);
        gmsim_json_array(json, "clocks_range", true);
        gmsim_json_uint(json, NULL, kernel->clocks - sampled.clocks + sampled.least);
        gmsim_json_uint(json, NULL, kernel->clocks - sampled.clocks + sampled.most);
        gmsim_json_close(json);
    }
    if (kernel->unknown > 0)
        gmsim_json_uint(json, "not_seen_launches", kernel->unknown);
    gmsim_json_uint(json, "longest_launch", kernel->longest);
    gmsim_json_uint(json, "clocks", kernel->clocks);
    if (clocks > 0)
        gmsim_json_real(json, "share_pct", 100.0 * (double)kernel->clocks / (double)clocks);
    gmsim_json_object(json, "l2_at_start", true);
    for (unsigned i = 0; i < GMSIM_STARTS; i++) {
        if (kernel->starts[i] > 0)
            gmsim_json_uint(json, gmsim_start_table[i].key, kernel->starts[i]);
    }
    gmsim_json_close(json);
    put_kernel_metrics(json, &kernel->sum);
    put_bound(json, report->gpu, &kernel->sum);
    put_kernel_findings(json, kernel);
    gmsim_json_close(json);
}

static void put_kernels(gmsim_report *report)
{
    const uint64_t clocks = gmsim_application_total(report->application)->clocks;
    unsigned *order = gmsim_application_order(report->application, report->sort);

    gmsim_json_array(&report->json, "kernels", false);
    for (unsigned i = 0; i < gmsim_application_kernels(report->application); i++)
        put_kernel(&report->json, report, gmsim_application_kernel(report->application, order[i]),
                   clocks);
    gmsim_json_close(&report->json);
    g_free(order);
}

/* ------------------------------------------------------------------------------------- documents
 */

/* Launches that were not captured, up to the one with this number in the process: where they stand
 * in its order, and what they are like. */
static void put_repeats(gmsim_report *report, uint64_t ordinal)
{
    const uint64_t count = report->reader != NULL ? gmtrace_repeat_count(report->reader) : 0;
    const gmtrace_repeat *repeat = count > 0 ? gmtrace_get_repeats(report->reader) : NULL;
    gmsim_json *json = &report->json;

    for (; report->repeats_told < count && repeat[report->repeats_told].ordinal < ordinal;
         report->repeats_told++) {
        const uint32_t like = repeat[report->repeats_told].launch;
        const gmtrace_launch *launch = gmtrace_get_launch(report->reader, like);

        gmsim_json_object(json, NULL, true);
        gmsim_json_null(json, "launch");
        gmsim_json_bool(json, "captured", false);
        gmsim_json_uint(json, "like", like);
        gmsim_json_uint(json, "ordinal", repeat[report->repeats_told].ordinal);
        gmsim_json_string(json, "kernel", gmtrace_get_kernel(report->reader, launch->kernel)->name);
        gmsim_json_uint3(json, "grid", launch->grid);
        gmsim_json_uint3(json, "block", launch->block);
        gmsim_json_null(json, "metrics");
        gmsim_json_close(json);
    }
}

void gmsim_json_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    put_repeats(report, result->launch->ordinal);
    (void)gmsim_application_add(report->application, index, result);
    gmsim_json_result(&report->json, NULL, report->gpu, index, result,
                      report->arrays ? report : NULL);
}

void gmsim_json_end(gmsim_report *report, bool complete)
{
    gmsim_json *json = &report->json;

    if (complete)
        put_repeats(report, UINT64_MAX);
    gmsim_json_close(json);
    if (report->application != NULL)
        put_kernels(report);
    gmsim_application_free(report->application);
    report->application = NULL;
    gmsim_json_bool(json, "complete", complete);
    gmsim_json_close(json);
    gmsim_json_finish(json);
}
