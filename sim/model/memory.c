/* SPDX-License-Identifier: MIT
 *
 * memory.c - a request's way through L1, LRC, L2 and DRAM, by kind, and the time it takes: the
 * latencies of an idle machine (gpu.l1_latency, l2_latency, l2_far_latency, dram_latency) plus the
 * wait for the SM's port to L2, for L2 and for DRAM where these are busy. A read that finds its
 * line on the way from DRAM to L2 waits for it, brings nothing more, and counts as a miss.
 *
 * Left out: queues that run full and hold the SM back, the slices of L2 and the channels of DRAM
 * (one rate for all), the turn-around between reading and writing.
 */
#include "sim/model/memory.h"

#include "sim/model/hot.h"
#include "sim/model/lanes.h"

#include <string.h>

#define PORT_BYTES 64u /* an SM's port to L2, a clock */

void gmsim_memory_begin(gmsim_memory *memory)
{
    uint32_t sms = memory->gpu->gpu_sm_count, gpcs = MAX(memory->gpu->launch_groups.count, 1u);
    memset(memory->port_free, 0, sms * sizeof *memory->port_free);
    memset(memory->lrc, 0, (size_t)gpcs * GMSIM_LRC_ENTRIES * sizeof *memory->lrc);
    memset(memory->fill, 0, GMSIM_FILLS * sizeof *memory->fill);
    memory->l2_free = memory->dram_free = 0;
}

/* SMs are numbered group by group. */
void gmsim_memory_group(gmsim_memory *memory)
{
    const gmsim_list *groups = &memory->gpu->launch_groups;
    uint32_t sm = 0;
    memset(memory->group, 0, sizeof memory->group);
    for (uint32_t i = 0; i < groups->count; i++)
        for (uint32_t k = 0; k < groups->value[i] && sm < GMSIM_MAX_SMS; k++)
            memory->group[sm++] = (uint8_t)i;
}

/* Takes `bytes` of a resource of `rate` bytes a clock from clock `now` on; returns the clocks until
 * they are through. */
GMSIM_INLINE uint64_t take(uint64_t *free, uint64_t now, uint64_t bytes, uint32_t rate)
{
    uint64_t from = now * rate;
    *free = (*free > from ? *free : from) + bytes;
    uint64_t wait = *free - from;
    return wait <= rate ? 0 : wait < UINT32_MAX ? (uint32_t)wait / rate : wait / rate;
}

/* A line's sectors from L2 or beyond; returns the clocks until they are at the SM. */
static uint64_t read_line(gmsim_memory *memory, gmsim_request *request, const gmsim_l2_place *place,
                          uint64_t line, uint32_t sectors, uint32_t gpc)
{
    const gmsim_gpu *gpu = memory->gpu;
    uint32_t bytes = gmsim_sector_count(sectors) * GMSIM_SECTOR_BYTES;
    uint64_t port = take(&memory->port_free[request->sm], request->now, bytes, PORT_BYTES);
    gmsim_lrc_entry *entry = NULL;
    /* Half the way from SM to L2 and back is before the LRC. */
    uint64_t before = gpu->l2_latency / 2u - gpu->l2_latency / 10u, at = request->now + before;
    if (gpu->lrc_merge > 1u) {
        entry = gmsim_lrc_at(memory->lrc + (size_t)gpc * GMSIM_LRC_ENTRIES, line);
        if (gmsim_lrc_join(entry, line, sectors, at, gpu->lrc_merge))
            return entry->done - at + 2u * before + port;
    }
    uint32_t count = gmsim_sector_count(sectors);
    uint64_t wait = take(&memory->l2_free, request->now, count * GMSIM_SECTOR_BYTES,
                         gpu->l2_bytes_per_clock ? gpu->l2_bytes_per_clock : UINT32_MAX);
    uint64_t read = memory->l2.counts.dram_read_sectors, latency = gpu->l2_latency;
    gmsim_fill *fill = &memory->fill[(line * UINT64_C(0x9e3779b97f4a7c15)) >> 50];
    gmsim_l2_reach reach = gmsim_l2_read(&memory->l2, place, gpc % GMSIM_L2_SIDES, sectors);
    if (reach != GMSIM_L2_DRAM && fill->line == line && request->now < fill->done)
        latency = MAX(latency, fill->done - request->now); /* still on its way */
    switch (reach) {
    case GMSIM_L2_NEAR:
        break;
    case GMSIM_L2_FAR:
        latency = MAX(latency, gpu->l2_far_latency);
        break;
    case GMSIM_L2_DRAM:
        latency = gpu->dram_latency +
                  take(&memory->dram_free, request->now,
                       (memory->l2.counts.dram_read_sectors - read) * GMSIM_SECTOR_BYTES,
                       gpu->dram_bytes_per_clock ? gpu->dram_bytes_per_clock : UINT32_MAX);
        *fill = (gmsim_fill){line, request->now + latency};
        break;
    }
    latency += wait;
    if (entry)
        *entry = (gmsim_lrc_entry){
            .line = line,
            .done = at + (latency > 2u * before ? latency - 2u * before : 0),
            .sectors = (uint8_t)sectors,
            .readers = 1u,
        };
    return latency + port;
}

/* All lines of the footprint from L2. Fetches their sets into the host's cache first: the arrays
 * are larger than its first levels, and their accesses are independent. */
static uint64_t read_lines(gmsim_memory *memory, gmsim_request *request)
{
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_l2_place place[GMSIM_MAX_LINES];
    uint32_t gpc = memory->group[request->sm];
    uint64_t longest = 0;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        place[i] = gmsim_l2_find(&memory->l2, footprint->line[i]);
        if (footprint->lines > 1u)
            gmsim_l2_prefetch(&memory->l2, &place[i], gpc % GMSIM_L2_SIDES);
    }
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t clocks =
            read_line(memory, request, &place[i], footprint->line[i], footprint->touched[i], gpc);
        longest = MAX(longest, clocks);
    }
    return request->now + longest;
}

static void write_lines(gmsim_memory *memory, const gmsim_request *request)
{
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_l2_place place[GMSIM_MAX_LINES];
    uint32_t side = memory->group[request->sm] % GMSIM_L2_SIDES;
    uint64_t written = memory->l2.counts.dram_write_sectors;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        place[i] = gmsim_l2_find(&memory->l2, footprint->line[i]);
        if (footprint->lines > 1u)
            gmsim_l2_prefetch(&memory->l2, &place[i], side);
    }
    for (uint32_t i = 0; i < footprint->lines; i++)
        gmsim_l2_write(&memory->l2, &place[i], side, footprint->touched[i], footprint->full[i]);
    uint32_t bytes = footprint->sectors * GMSIM_SECTOR_BYTES;
    const gmsim_gpu *gpu = memory->gpu;
    take(&memory->port_free[request->sm], request->now, bytes, PORT_BYTES);
    if (gpu->l2_bytes_per_clock)
        take(&memory->l2_free, request->now, bytes, gpu->l2_bytes_per_clock);
    written = memory->l2.counts.dram_write_sectors - written;
    if (written && gpu->dram_bytes_per_clock)
        take(&memory->dram_free, request->now, written * GMSIM_SECTOR_BYTES,
             gpu->dram_bytes_per_clock);
}

static uint64_t do_atomics(gmsim_memory *memory, gmsim_request *request, bool reduction)
{
    const gmsim_footprint *footprint = &request->footprint;
    uint32_t side = memory->group[request->sm] % GMSIM_L2_SIDES;
    bool missed = false;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t line = footprint->line[i];
        gmsim_l2_place place = gmsim_l2_find(&memory->l2, line);
        gmsim_l1_drop(&memory->l1[request->sm], line);
        missed |= gmsim_l2_atomic(&memory->l2, &place, side, footprint->touched[i]);
    }
    if (reduction)
        memory->l2.counts.reduction_sectors += request->operations;
    else
        memory->l2.counts.atomic_sectors += request->operations;
    uint32_t latency = missed ? memory->gpu->dram_latency : memory->gpu->l2_latency;
    return request->now + latency +
           take(&memory->port_free[request->sm], request->now,
                footprint->sectors * GMSIM_SECTOR_BYTES, PORT_BYTES);
}

/* L1's part of a load: the footprint becomes what has to come from L2. Returns sectors that hit. */
GMSIM_CLONES static uint32_t look_up(gmsim_memory *memory, gmsim_request *request)
{
    gmsim_footprint *footprint = &request->footprint;
    gmsim_l1 *l1 = &memory->l1[request->sm];
    gmsim_l1_load how = (gmsim_l1_load)request->load;
    uint32_t lines = footprint->lines, left = 0, missed = 0;
    if (how == GMSIM_L1_BYPASS)
        return 0;
    if (how == GMSIM_L1_DROP) {
        for (uint32_t i = 0; i < lines; i++)
            gmsim_l1_drop(l1, footprint->line[i]);
        return 0;
    }
    if (lines > 1u)
        for (uint32_t i = 0; i < lines; i++)
            gmsim_l1_prefetch(l1, footprint->line[i]);
    for (uint32_t i = 0; i < lines; i++) {
        uint64_t line = footprint->line[i];
        uint32_t missing = gmsim_l1_read(l1, line, footprint->touched[i], how, &request->words);
        if (missing) {
            footprint->line[left] = line;
            footprint->touched[left++] = (uint8_t)missing;
            missed += gmsim_sector_count(missing);
        }
    }
    uint32_t hits = footprint->sectors - missed;
    footprint->lines = left;
    footprint->sectors = missed;
    return hits;
}

static uint32_t store(gmsim_memory *memory, const gmsim_request *request)
{
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_l1 *l1 = &memory->l1[request->sm];
    uint32_t hits = 0;
    for (uint32_t i = 0; i < footprint->lines; i++)
        if (gmsim_l1_write(l1, footprint->line[i], footprint->touched[i], footprint->full[i],
                           &request->words, memory->store_allocate))
            hits += gmsim_sector_count(footprint->touched[i]);
    return hits;
}

uint64_t gmsim_memory_serve(gmsim_memory *memory, gmsim_request *request)
{
    gmsim_footprint *footprint = &request->footprint;
    gmsim_counts *counts = request->counts;
    uint32_t hits, sectors = footprint->sectors;
    switch ((gmsim_request_kind)request->kind) {
    case GMSIM_REQUEST_LOAD:
        hits = look_up(memory, request);
        counts->l1_hit_sectors += hits;
        counts->l1_miss_sectors += sectors - hits;
        counts->xbar_read_sectors += sectors - hits;
        if (hits == sectors)
            return request->now + memory->gpu->l1_latency;
        return read_lines(memory, request);
    case GMSIM_REQUEST_STORE:
        hits = store(memory, request);
        counts->l1_hit_sectors += hits;
        counts->l1_miss_sectors += sectors - hits;
        counts->xbar_write_sectors += sectors;
        write_lines(memory, request);
        return request->now;
    case GMSIM_REQUEST_ATOMIC:
        counts->xbar_read_sectors += sectors;
        counts->l1_miss_sectors += sectors;
        counts->xbar_write_sectors += sectors;
        return do_atomics(memory, request, false);
    case GMSIM_REQUEST_REDUCTION:
        counts->l1_miss_sectors += sectors;
        counts->xbar_write_sectors += sectors;
        do_atomics(memory, request, true);
        return request->now;
    case GMSIM_REQUEST_FETCH:
        if (counts)
            counts->xbar_read_sectors += sectors;
        return read_lines(memory, request);
    case GMSIM_REQUEST_WRITE_OUT:
        counts->xbar_write_sectors += sectors;
        write_lines(memory, request);
        return request->now;
    }
    return request->now;
}
