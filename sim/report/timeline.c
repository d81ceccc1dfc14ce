/* SPDX-License-Identifier: MIT
 *
 * timeline.c - launches over time in Chrome's trace-event format, which Perfetto and about:tracing
 * open: launches one after the other, CTAs on their SMs, and counters: what warps wait for,
 * throughput of L1, L2 and DRAM, hit rates. Times are microseconds at the GPU's clock.
 *
 * Many launches share one file: each has fewer stretches of time and fewer SMs then. What a launch
 * costs before its first CTA and after its last stands before it, and what lies between launches on
 * a GPU nowhere.
 */
#include "sim/model/timeline.h"

#include <stdlib.h>

#include "sim/analysis/rows.h"
#include "sim/report/formats.h"

/* Of all launches together, and of one at least. */
#define ALL_BINS   16384u
#define LEAST_BINS 16u
#define ALL_CTAS   65536u
#define LEAST_CTAS 16u

/* Processes and threads of the format: the launches and counters are one, each SM one. */
#define PID_LAUNCHES 1u
#define PID_SM       2u
#define TID_FIRST    1u

struct gmsim_timeline_file {
    uint64_t clock;    /* at which the next launch begins */
    uint32_t untimed;  /* launches without times */
    uint64_t left_out; /* CTAs */
    uint8_t *named;    /* of each SM: places that have a name */
};

/* Whole nanoseconds, as readers round to them: what ends when the next begins does so there, too.
 */
static uint64_t ns_of(const gmsim_report *report, uint64_t clock)
{
    return clock * 1000u / MAX(report->gpu->gpu_clock_mhz, 1u);
}

/* From one clock to another. */
static void put_span(gmsim_report *report, uint64_t begin, uint64_t end)
{
    const uint64_t ns = ns_of(report, begin);

    gmsim_json_real(&report->json, "ts", (double)ns / 1e3);
    gmsim_json_real(&report->json, "dur", (double)(ns_of(report, end) - ns) / 1e3);
}

static void begin_event(gmsim_json *json, const char *name, const char *phase, uint32_t pid,
                        uint32_t tid)
{
    gmsim_json_object(json, NULL, true);
    gmsim_json_string(json, "name", name);
    gmsim_json_string(json, "ph", phase);
    gmsim_json_uint(json, "pid", pid);
    gmsim_json_uint(json, "tid", tid);
}

/* "process_name", "thread_name"; a process has its place by its number. */
static void put_meta(gmsim_json *json, const char *what, uint32_t pid, uint32_t tid,
                     const char *name)
{
    begin_event(json, what, "M", pid, tid);
    gmsim_json_object(json, "args", true);
    gmsim_json_string(json, "name", name);
    gmsim_json_close(json);
    gmsim_json_close(json);
    if (tid > 0)
        return;
    begin_event(json, "process_sort_index", "M", pid, tid);
    gmsim_json_object(json, "args", true);
    gmsim_json_uint(json, "sort_index", pid);
    gmsim_json_close(json);
    gmsim_json_close(json);
}

/* ------------------------------------------------------------------------------------- counters */

static void begin_counter(gmsim_report *report, const char *name, uint64_t clock)
{
    begin_event(&report->json, name, "C", PID_LAUNCHES, TID_FIRST);
    gmsim_json_real(&report->json, "ts", (double)ns_of(report, clock) / 1e3);
    gmsim_json_object(&report->json, "args", true);
}

static void end_counter(gmsim_report *report)
{
    gmsim_json_close(&report->json);
    gmsim_json_close(&report->json);
}

/* Sectors a bin as GB/s. */
static void put_rate(gmsim_report *report, const char *key, uint64_t sectors, uint64_t clocks)
{
    gmsim_json_number(&report->json, key,
                      (double)sectors * GMSIM_SECTOR_BYTES * report->gpu->gpu_clock_mhz / 1e3 /
                          (double)clocks);
}

/* Of nothing looked up there is no rate. */
static void put_hits(gmsim_report *report, const char *name, uint64_t clock, uint64_t hits,
                     uint64_t all)
{
    if (all == 0)
        return;
    begin_counter(report, name, clock);
    gmsim_json_number(&report->json, "hits", 100.0 * (double)hits / (double)all);
    end_counter(report);
}

static void put_bin(gmsim_report *report, const gmsim_bin *bin, uint64_t clock, uint64_t clocks)
{
    const uint64_t *flow = bin->flow;

    begin_counter(report, "warps", clock);
    for (unsigned i = 0; i < GMSIM_STALLS; i++)
        gmsim_json_number(&report->json, gmsim_stall_table[i].key,
                          (double)bin->stall[i] / (double)clocks);
    end_counter(report);
    begin_counter(report, "L1 GB/s", clock);
    put_rate(report, "hit", flow[GMSIM_FLOW_L1_HIT], clocks);
    put_rate(report, "missed", flow[GMSIM_FLOW_L1_MISS], clocks);
    end_counter(report);
    begin_counter(report, "L2 GB/s", clock);
    put_rate(report, "read", flow[GMSIM_FLOW_L2_READ], clocks);
    put_rate(report, "written", flow[GMSIM_FLOW_L2_WRITTEN], clocks);
    put_rate(report, "updated", flow[GMSIM_FLOW_L2_UPDATED], clocks);
    end_counter(report);
    begin_counter(report, "DRAM GB/s", clock);
    put_rate(report, "read", flow[GMSIM_FLOW_DRAM_READ], clocks);
    put_rate(report, "written", flow[GMSIM_FLOW_DRAM_WRITTEN], clocks);
    end_counter(report);
    put_hits(report, "L1 hit rate %", clock, flow[GMSIM_FLOW_L1_HIT],
             flow[GMSIM_FLOW_L1_HIT] + flow[GMSIM_FLOW_L1_MISS]);
    put_hits(report, "L2 hit rate %", clock, flow[GMSIM_FLOW_L2_HIT], flow[GMSIM_FLOW_L2_READ]);
}

/* All bins, or several as one where there are more than the launch's share. What arrives when the
 * launch is over stands at its end, and after that nothing is. */
static void put_bins(gmsim_report *report, const gmsim_timeline *timeline, uint64_t clock,
                     uint64_t end)
{
    static const gmsim_bin nothing;
    const uint32_t most = CLAMP(ALL_BINS / report->selected, LEAST_BINS, GMSIM_TIMELINE_BINS);
    const uint32_t together = (timeline->bins + most - 1u) / most;
    const uint64_t clocks = timeline->bin_clocks * together;

    for (uint32_t first = 0; first < timeline->bins; first += together, clock += clocks) {
        gmsim_bin sum = {{0}, {0}};

        for (uint32_t b = first; b < MIN(first + together, timeline->bins); b++) {
            for (unsigned i = 0; i < GMSIM_STALLS; i++)
                sum.stall[i] += timeline->bin[b].stall[i];
            for (unsigned i = 0; i < GMSIM_FLOWS; i++)
                sum.flow[i] += timeline->bin[b].flow[i];
        }
        put_bin(report, &sum, MIN(clock, end), clocks);
    }
    put_bin(report, &nothing, end, 1);
}

/* ----------------------------------------------------------------------------------------- CTAs */

static int by_begin(const void *left, const void *right)
{
    const gmsim_resident *a = left, *b = right;

    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->sm != b->sm ? (a->sm < b->sm ? -1 : 1) : (int)a->place - (int)b->place;
}

/* Names the SM, and the place on it, where they have none yet. */
static void name_place(gmsim_report *report, uint32_t sm, uint32_t place)
{
    uint8_t *named = &report->timeline->named[sm];
    char name[32];

    if (*named == 0) {
        g_snprintf(name, sizeof name, "SM %u", sm);
        put_meta(&report->json, "process_name", PID_SM + sm, 0, name);
    }
    for (; *named <= place; (*named)++) {
        g_snprintf(name, sizeof name, "CTA place %u", *named);
        put_meta(&report->json, "thread_name", PID_SM + sm, TID_FIRST + *named, name);
    }
}

static void put_resident(gmsim_report *report, const gmsim_resident *resident, uint64_t clock)
{
    gmsim_json *json = &report->json;
    char name[32];

    name_place(report, resident->sm, resident->place);
    g_snprintf(name, sizeof name, "CTA %" G_GUINT64_FORMAT, resident->cta);
    begin_event(json, name, "X", PID_SM + resident->sm, TID_FIRST + resident->place);
    put_span(report, clock + resident->begin, clock + resident->end);
    gmsim_json_close(json);
}

/* Those of every so-manieth SM, so that they are no more than the launch's share. */
static void put_residents(gmsim_report *report, const gmsim_result *result, uint64_t clock)
{
    const gmsim_timeline *timeline = result->timeline;
    const uint32_t most = CLAMP(ALL_CTAS / report->selected, LEAST_CTAS, GMSIM_TIMELINE_CTAS);
    gmsim_resident *sorted = g_new(gmsim_resident, timeline->residents + 1u);
    uint32_t count, step = timeline->sm_step;

    for (;; step *= 2u) {
        count = 0;
        for (uint32_t i = 0; i < timeline->residents; i++)
            if (timeline->resident[i].sm % step == 0)
                sorted[count++] = timeline->resident[i];
        if (count <= most || step >= result->timing.sms)
            break;
    }
    qsort(sorted, count, sizeof *sorted, by_begin);
    count = MIN(count, most);
    for (uint32_t i = 0; i < count; i++)
        put_resident(report, &sorted[i], clock);
    report->timeline->left_out += gmsim_ctas_of(result) - count;
    g_free(sorted);
}

/* ---------------------------------------------------------------------------------------- format
 */

static void put_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    const gmsim_timing *timing = &result->timing;
    gmsim_json *json = &report->json;

    begin_event(json, result->kernel->name, "X", PID_LAUNCHES, TID_FIRST);
    put_span(report, report->timeline->clock, report->timeline->clock + timing->cycles);
    gmsim_json_object(json, "args", true);
    gmsim_json_uint(json, "launch", index);
    gmsim_json_uint3(json, "grid", result->launch->grid);
    gmsim_json_uint3(json, "block", result->launch->block);
    gmsim_json_uint(json, "cycles", timing->cycles);
    gmsim_json_uint(json, "launch_cycles", timing->launch_cycles);
    gmsim_json_string(json, "l2_at_start", gmsim_start_table[result->start].key);
    gmsim_json_close(json);
    gmsim_json_close(json);
}

static void timeline_begin(gmsim_report *report)
{
    gmsim_json *json = &report->json;

    report->timeline = g_new0(struct gmsim_timeline_file, 1);
    report->timeline->named = g_new0(uint8_t, report->gpu->gpu_sm_count);
    gmsim_json_init(json, report->out);
    gmsim_json_object(json, NULL, false);
    gmsim_json_string(json, "displayTimeUnit", "ns");
    gmsim_json_array(json, "traceEvents", false);
    put_meta(json, "process_name", PID_LAUNCHES, 0, report->gpu->title);
    put_meta(json, "thread_name", PID_LAUNCHES, TID_FIRST, "launches");
}

static void timeline_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    struct gmsim_timeline_file *file = report->timeline;
    const uint64_t first = file->clock + result->timing.launch_cycles;

    report->written++;
    if (!result->timed || result->timeline == NULL) {
        file->untimed++;
        return;
    }
    put_launch(report, index, result);
    put_residents(report, result, first);
    file->clock += result->timing.cycles;
    put_bins(report, result->timeline, first, file->clock);
}

static void timeline_end(gmsim_report *report, bool complete)
{
    struct gmsim_timeline_file *file = report->timeline;
    gmsim_json *json = &report->json;

    gmsim_json_close(json);
    gmsim_json_object(json, "otherData", false);
    gmsim_json_string(json, "gmsim", report->version);
    gmsim_json_string(json, "trace", report->trace);
    gmsim_json_string(json, "gpu", report->gpu->name);
    gmsim_json_uint(json, "clock_mhz", report->gpu->gpu_clock_mhz);
    gmsim_json_uint(json, "launches", report->written);
    gmsim_json_uint(json, "launches_without_times", file->untimed);
    gmsim_json_uint(json, "ctas_left_out", file->left_out);
    gmsim_json_bool(json, "complete", complete);
    gmsim_json_close(json);
    gmsim_json_close(json);
    gmsim_json_finish(json);
    g_free(file->named);
    g_clear_pointer(&report->timeline, g_free);
}

const gmsim_format gmsim_format_timeline = {
    .name = "timeline",
    .meaning = "launches, CTAs on SMs and counters over time, for Perfetto",
    .over_time = true,
    .begin = timeline_begin,
    .launch = timeline_launch,
    .end = timeline_end};
