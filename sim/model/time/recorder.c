/* SPDX-License-Identifier: MIT
 *
 * recorder.c - the arrays of recorder.h. Leaves out what single warps and instructions do.
 */
#include "sim/model/time/recorder.h"

#include "sim/model/time/queue.h"

#include <stdlib.h>
#include <string.h>

#define LAST_CLOCK (UINT64_C(1) << 60)

gmsim_recorder *gmsim_recorder_new(uint32_t sms)
{
    gmsim_recorder *recorder = malloc(sizeof *recorder + sms * sizeof *recorder->sm);
    if (recorder)
        recorder->sms = sms;
    return recorder;
}

static void begin(gmsim_course *course)
{
    memset(course, 0, sizeof *course);
    course->shift = (uint32_t)__builtin_ctz(GMSIM_STEP);
}

void gmsim_recorder_begin(gmsim_recorder *recorder)
{
    memset(&recorder->timeline, 0, sizeof recorder->timeline);
    recorder->timeline.sm_step = 1;
    recorder->l1_hit = recorder->l1_miss = 0;
    begin(&recorder->shared);
    for (uint32_t i = 0; i < recorder->sms; i++)
        begin(&recorder->sm[i]);
}

static void add_bin(gmsim_bin *sum, const gmsim_bin *part)
{
    for (uint32_t i = 0; i < GMSIM_STALLS; i++)
        sum->stall[i] += part->stall[i];
    for (uint32_t i = 0; i < GMSIM_FLOWS; i++)
        sum->flow[i] += part->flow[i];
}

/* Two neighbouring bins become one. */
static void fold(gmsim_course *course)
{
    for (uint32_t i = 0; i < GMSIM_TIMELINE_BINS / 2u; i++) {
        gmsim_bin two = course->bin[2u * i];
        add_bin(&two, &course->bin[2u * i + 1u]);
        course->bin[i] = two;
    }
    memset(&course->bin[GMSIM_TIMELINE_BINS / 2u], 0, sizeof course->bin / 2u);
    course->shift++;
}

/* The bin of a clock. */
static gmsim_bin *bin_at(gmsim_course *course, uint64_t clock)
{
    clock = MIN(clock, LAST_CLOCK);
    while (clock >> course->shift >= GMSIM_TIMELINE_BINS)
        fold(course);
    return &course->bin[clock >> course->shift];
}

static void add_clocks(gmsim_course *course, gmsim_stall cause, uint64_t from, uint64_t clocks)
{
    uint64_t to = from + clocks;
    if (!clocks || to > LAST_CLOCK)
        return;
    (void)bin_at(course, to - 1u);
    while (from < to) {
        uint64_t edge = MIN(((from >> course->shift) + 1u) << course->shift, to);
        course->bin[from >> course->shift].stall[cause] += edge - from;
        from = edge;
    }
}

void gmsim_course_resident(gmsim_course *course, uint64_t from, uint64_t clocks)
{
    add_clocks(course, GMSIM_STALL_ISSUE, from, clocks);
}

void gmsim_course_wait(gmsim_course *course, gmsim_stall cause, uint64_t from, uint64_t clocks)
{
    add_clocks(course, cause, from, clocks);
}

void gmsim_course_before(gmsim_course *course, const gmsim_timing *timing, uint64_t now)
{
    course->now = now;
    memcpy(course->sum, timing->stall, sizeof course->sum);
}

void gmsim_course_after(gmsim_course *course, const gmsim_timing *timing)
{
    uint64_t from = course->now;
    for (uint32_t i = GMSIM_STALL_ISSUE + 1u; i < GMSIM_STALL_BARRIER; i++) {
        uint64_t clocks = timing->stall[i] - course->sum[i];
        add_clocks(course, (gmsim_stall)i, from, clocks);
        from += clocks;
    }
}

void gmsim_course_flow(gmsim_course *course, gmsim_flow flow, uint64_t clock, uint64_t sectors)
{
    if (sectors)
        bin_at(course, clock)->flow[flow] += sectors;
}

void gmsim_course_l2(gmsim_course *course, const gmsim_l2_counts *before,
                     const gmsim_l2_counts *after, uint64_t clock)
{
    uint64_t *flow = bin_at(course, clock)->flow;
#define MORE(field) (after->field - before->field)
    flow[GMSIM_FLOW_L2_READ] += MORE(read_sectors);
    flow[GMSIM_FLOW_L2_HIT] += MORE(read_hit_sectors) + MORE(fabric_read_hit_sectors);
    flow[GMSIM_FLOW_L2_WRITTEN] += MORE(write_sectors);
    flow[GMSIM_FLOW_L2_UPDATED] += MORE(atomic_sectors) + MORE(reduction_sectors);
    flow[GMSIM_FLOW_DRAM_READ] += MORE(dram_read_sectors);
    flow[GMSIM_FLOW_DRAM_WRITTEN] += MORE(dram_write_sectors);
}

void gmsim_recorder_step(gmsim_recorder *recorder, const gmsim_tally *tally, uint64_t clock)
{
    uint64_t hit = 0, miss = 0;
    for (uint32_t i = 0; i < tally->entries; i++) {
        hit += tally->entry[i].counts.l1_hit_sectors;
        miss += tally->entry[i].counts.l1_miss_sectors;
    }
    gmsim_course_flow(&recorder->shared, GMSIM_FLOW_L1_HIT, clock, hit - recorder->l1_hit);
    gmsim_course_flow(&recorder->shared, GMSIM_FLOW_L1_MISS, clock, miss - recorder->l1_miss);
    recorder->l1_hit = hit;
    recorder->l1_miss = miss;
}

/* Leaves out every other SM of those that are there. */
static void thin_out(gmsim_timeline *timeline)
{
    uint32_t kept = 0;
    timeline->sm_step *= 2u;
    for (uint32_t i = 0; i < timeline->residents; i++)
        if (timeline->resident[i].sm % timeline->sm_step == 0)
            timeline->resident[kept++] = timeline->resident[i];
    timeline->residents = kept;
}

void gmsim_recorder_cta(gmsim_recorder *recorder, const gmsim_resident *resident)
{
    gmsim_timeline *timeline = &recorder->timeline;
    while (timeline->residents == GMSIM_TIMELINE_CTAS && timeline->sm_step < recorder->sms)
        thin_out(timeline);
    if (resident->sm % timeline->sm_step)
        return;
    if (timeline->residents == GMSIM_TIMELINE_CTAS)
        timeline->lost++;
    else
        timeline->resident[timeline->residents++] = *resident;
}

void gmsim_recorder_end(gmsim_recorder *recorder)
{
    gmsim_timeline *timeline = &recorder->timeline;
    gmsim_course *sum = &recorder->shared;
    for (uint32_t i = 0; i < recorder->sms; i++) {
        gmsim_course *sm = &recorder->sm[i];
        while (sm->shift < sum->shift)
            fold(sm);
        while (sum->shift < sm->shift)
            fold(sum);
        for (uint32_t b = 0; b < GMSIM_TIMELINE_BINS; b++)
            add_bin(&sum->bin[b], &sm->bin[b]);
    }
    timeline->bin_clocks = UINT64_C(1) << sum->shift;
    for (uint32_t b = 0; b < GMSIM_TIMELINE_BINS; b++) {
        gmsim_bin *bin = &sum->bin[b];
        uint64_t known = 0, any = 0;
        for (uint32_t i = GMSIM_STALL_ISSUE + 1u; i < GMSIM_STALLS; i++)
            known += bin->stall[i];
        bin->stall[GMSIM_STALL_ISSUE] -= MIN(known, bin->stall[GMSIM_STALL_ISSUE]);
        for (uint32_t i = 0; i < GMSIM_FLOWS; i++)
            any |= bin->flow[i];
        if (known || any || bin->stall[GMSIM_STALL_ISSUE])
            timeline->bins = b + 1u;
    }
    memcpy(timeline->bin, sum->bin, sizeof timeline->bin);
}
