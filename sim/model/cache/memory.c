/* SPDX-License-Identifier: MIT
 *
 * memory.c - a request's way through L1, LRC, L2 and DRAM, and the time it takes. Rules, as
 * measured on an H200 by micro/memory_timing.cu and micro/latency_spread.cu:
 *
 * - An SM sends one line of a load to L2 a clock. A store takes a clock a sector on the same way,
 *   and one more for each line of which some sector is not written whole.
 * - L2 has slices. Each takes requests (a line of a load, a sector of a store, as above, a sector
 *   from DRAM) and gives sectors at its own rate; lines are spread over them by a hash.
 * - A line comes from L2 after gpu.l2_latency, more or less by where SM and slice lie; later if the
 *   other side has it; from DRAM after gpu.dram_latency if its home is on the SM's side, else
 *   gpu.dram_far_latency. Banks of DRAM are refreshed in turn, and whoever comes then waits.
 * - DRAM serves so many bytes a clock, gpu.dram_granule at least; an access to a row that is not in
 * use costs more. The busier it is the longer an access waits for others in its bank.
 * - The first wavefront of a load that misses comes with its last line; others follow.
 * - A read that finds its line on the way from DRAM to L2 waits for it, brings nothing more, and
 *   counts as a miss; one that finds its sectors on the way to L1 waits and counts as a hit
 *   (micro/merge.cu).
 *
 * - A line that L1 is to keep needs a place there from the beginning: of a small L1 all may be
 *   taken.
 *
 * Left out: other limits to what an SM has under way (none was found up to 4,096 lines), the
 * slices' and channels' true hashes, the fabric between L2's sides.
 */
#include "sim/model/cache/memory.h"

#include "sim/model/hot.h"
#include "sim/model/count/lanes.h"

#include <string.h>

/* Work of slices is counted in parts of a clock. */
#define PARTS 16u
void gmsim_memory_begin(gmsim_memory *memory)
{
    uint32_t sms = memory->gpu->gpu_sm_count, gpcs = MAX(memory->gpu->launch_groups.count, 1u);
    memset(memory->port, 0, sms * sizeof *memory->port);
    memset(memory->pending, 0xff, (size_t)sms * GMSIM_PENDING * sizeof *memory->pending);
    memset(memory->lrc, 0, (size_t)gpcs * GMSIM_LRC_ENTRIES * sizeof *memory->lrc);
    memset(memory->fill, 0, GMSIM_FILLS * sizeof *memory->fill);
    memory->l1_lines = memory->l1_bytes / GMSIM_LINE_BYTES;
    if (memory->l1_lines > GMSIM_PLACES)
        memory->l1_lines = 0; /* more than an SM ever has under way */
    memset(memory->places, 0, sms * sizeof *memory->places);
    memset(memory->slice, 0, sizeof memory->slice);
    memset(memory->atomics, 0, sizeof memory->atomics);
    memset(memory->row, 0, sizeof memory->row);
    memory->dram = memory->filling = (gmsim_queue){0, 0};
    memory->step = memory->drained = memory->dram_read = memory->dram_written = 0;
    memory->dram_load = 0;
}

GMSIM_INLINE uint32_t hash32(uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static uint32_t shift_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* Clocks in parts that a slice needs for `bytes`, if all together serve `rate` bytes a clock. */
static uint32_t slice_parts(const gmsim_memory *memory, uint32_t bytes, uint32_t rate)
{
    return rate ? MAX((memory->slices * bytes * PARTS + rate / 2u) / rate, 1u) : 0;
}

/* SMs are numbered group by group, and groups lie on the sides of L2 by turns; where groups are
 * unknown, SMs do: as many on the one as on the other. */
void gmsim_memory_prepare(gmsim_memory *memory)
{
    const gmsim_gpu *gpu = memory->gpu;
    const gmsim_list *groups = &gpu->launch_groups;
    uint32_t sm = 0;
    memset(memory->group, 0, sizeof memory->group);
    for (uint32_t i = 0; i < groups->count; i++)
        for (uint32_t k = 0; k < groups->value[i] && sm < GMSIM_MAX_SMS; k++)
            memory->group[sm++] = (uint8_t)i;
    for (uint32_t i = 0; i < gpu->gpu_sm_count; i++)
        memory->side[i] = (uint8_t)((groups->count ? memory->group[i] : i) % GMSIM_L2_SIDES);
    memory->slices = CLAMP(gpu->l2_slices, 1u, GMSIM_SLICES);
    memory->groups = MAX(memory->slices / gpu->l2_group_slices, 1u);
    memory->clusters = MAX(memory->slices / gpu->l2_cluster_slices, 1u);
    memory->cluster_slices = memory->slices / memory->clusters;
    memory->sector_cost = slice_parts(memory, GMSIM_SECTOR_BYTES, gpu->l2_bytes_per_clock);
    memory->write_cost = slice_parts(memory, GMSIM_SECTOR_BYTES, gpu->l2_write_bytes_per_clock);
    memory->read_cost = slice_parts(memory, 1u, gpu->l2_reads_per_clock);
    memory->atomic_cost =
        slice_parts(memory, 1u, gpu->l2_atomics_per_clock) * memory->groups / memory->slices;
    memory->group_slices_shift = shift_of(gpu->l2_group_slices);
    memory->group_shift = shift_of(gpu->l2_group_lines);
    memory->cluster_shift = shift_of(gpu->l2_cluster_lines);
    memory->row_shift = shift_of(gpu->dram_row_lines);
    memory->open_shift = 32u - shift_of(gpu->dram_open_rows);
    memory->refresh_shift = shift_of(gpu->dram_refresh_lines);
    memory->granule_sectors = gpu->dram_granule / GMSIM_SECTOR_BYTES;
    memory->batch = gpu->l1_writes / GMSIM_BATCHES;
    memory->write_clocks = gpu->l2_latency * gpu->l2_write_percent / 100u;
    memory->lrc_clocks = gpu->l2_latency * gpu->lrc_way_percent / 100u;
    /* Nearer or farther than the mean, for each pair of GPC and group of slices. */
    for (uint32_t gpc = 0; gpc < GMSIM_LIST_MAX; gpc++)
        for (uint32_t group = 0; group < GMSIM_SLICES; group++)
            memory->away[gpc][group] =
                (int16_t)((int32_t)(hash32(((uint64_t)gpc << 16 | group) + 1u) %
                                    (2u * gpu->l2_spread + 1u)) -
                          (int32_t)gpu->l2_spread);
}

/* Neighbouring lines lie in the slices of one group, neighbouring groups of lines in the groups of
 * slices of one cluster; which cluster is a hash. */
GMSIM_INLINE uint32_t slice_of(const gmsim_memory *memory, uint64_t line)
{
    uint32_t hash = hash32((line ^ line >> 17) >> memory->cluster_shift);
    uint32_t first = (uint32_t)((uint64_t)hash * memory->clusters >> 32) * memory->cluster_slices;
    uint32_t block = (uint32_t)(line >> memory->group_shift);
    uint32_t group = (block + (hash & 0xfu)) << memory->group_slices_shift;
    uint32_t in_group = ((uint32_t)line + block) & (memory->gpu->l2_group_slices - 1u);
    return first + (group | in_group) % memory->cluster_slices;
}

/* Bytes' time of DRAM that the sectors take. */
GMSIM_INLINE uint64_t granules(const gmsim_memory *memory, uint64_t sectors)
{
    uint32_t least = memory->granule_sectors;
    return ((sectors + least - 1u) & ~(uint64_t)(least - 1u)) * GMSIM_SECTOR_BYTES;
}

/* Takes DRAM's time for what an access to L2 read and wrote; returns the clocks until its turn.
 * Lines that leave L2 are not the one that makes them leave, but neighbours here
 * were neighbours there. */
static uint64_t use_dram(gmsim_memory *memory, uint64_t line, uint64_t now, gmsim_l2_cost cost)
{
    const gmsim_gpu *gpu = memory->gpu;
    uint64_t read = granules(memory, cost.read), written = granules(memory, cost.written);
    if (!(read | written) || !gpu->dram_bytes_per_clock)
        return 0;
    written = written * gpu->dram_write_percent / 100u;
    uint64_t row = line >> memory->row_shift;
    uint64_t *open = &memory->row[(uint64_t)hash32(row) >> memory->open_shift];
    uint32_t other = *open == row + 1u ? 0 : gpu->dram_row_bytes;
    *open = row + 1u;
    if (read)
        read += other;
    if (written)
        written += other;
    memory->dram_read += read;
    memory->dram_written += written;
    return gmsim_queue_take(&memory->dram, memory->step, now, read + written,
                            gpu->dram_bytes_per_clock);
}

/* Clocks until the refresh of the line's bank is over. */
GMSIM_INLINE uint64_t refresh_wait(const gmsim_memory *memory, uint64_t line, uint64_t now)
{
    const gmsim_gpu *gpu = memory->gpu;
    uint32_t period = gpu->dram_refresh_period;
    if (!period)
        return 0;
    uint64_t phase = (now + hash32(line >> memory->refresh_shift)) % period;
    return phase < gpu->dram_refresh_clocks ? gpu->dram_refresh_clocks - phase : 0;
}

/* What an access waits for others in its bank, however much DRAM as a whole could do: differs from
 * access to access, and grows with the load. */
GMSIM_INLINE uint64_t bank_wait(const gmsim_memory *memory, uint64_t line)
{
    uint32_t load = MIN(memory->dram_load, 1024u);
    uint32_t most = 2u * memory->gpu->dram_bank_clocks * load / (1024u - load / 2u);
    return (uint64_t)hash32(line + memory->step) * most >> 32;
}

void gmsim_memory_step(gmsim_memory *memory, uint64_t step)
{
    const gmsim_gpu *gpu = memory->gpu;
    uint64_t clocks = step - MIN(step, memory->step);
    if (clocks && gpu->dram_bytes_per_clock) {
        uint64_t load = (memory->dram_read + gpu->dram_write_weight * memory->dram_written) *
                        1024u / (clocks * gpu->dram_bytes_per_clock);
        memory->dram_load =
            (uint32_t)((memory->dram_load * (gpu->dram_load_steps - 1u) + MIN(load, 2048u)) /
                       gpu->dram_load_steps);
        memory->dram_read = memory->dram_written = 0;
    }
    memory->step = step;
}

GMSIM_INLINE gmsim_pending *pending_at(const gmsim_memory *memory, uint32_t sm, uint64_t line)
{
    return &memory->pending[(size_t)sm * GMSIM_PENDING + hash32(line) % GMSIM_PENDING];
}

/* What SMs write and what comes from DRAM goes into L2 at one rate. */
GMSIM_INLINE uint64_t fill_l2(gmsim_memory *memory, uint64_t now, uint64_t bytes)
{
    uint32_t rate = memory->gpu->l2_write_bytes_per_clock;
    return rate ? gmsim_queue_take(&memory->filling, memory->step, now, bytes, rate) : 0;
}

typedef struct line_time {
    uint64_t clocks, queued;
    gmsim_reach reach;
} line_time;

/* A line's sectors from L2 or beyond, asked for at `now`. */
static line_time read_line(gmsim_memory *memory, const gmsim_l2_place *place, uint64_t line,
                           uint32_t sectors, uint32_t sm, uint64_t now)
{
    const gmsim_gpu *gpu = memory->gpu;
    uint32_t gpc = memory->group[sm], side = memory->side[sm];
    line_time time = {.reach = GMSIM_REACH_L2};
    gmsim_lrc_entry *entry = NULL;
    uint64_t before = memory->lrc_clocks, at = now + before;
    if (gpu->lrc_merge > 1u) {
        entry = gmsim_lrc_at(memory->lrc + (size_t)gpc * GMSIM_LRC_ENTRIES, line);
        if (gmsim_lrc_join(entry, line, sectors, at, gpu->lrc_merge)) {
            time.clocks = entry->done - at + 2u * before;
            return time;
        }
    }
    uint32_t number = slice_of(memory, line), count = gmsim_sector_count(sectors);
    gmsim_slice *slice = &memory->slice[number];
    uint64_t in = gmsim_queue_take(&slice->in, memory->step, now, memory->read_cost, PARTS);
    uint64_t out =
        gmsim_queue_take(&slice->out, memory->step, now, count * memory->sector_cost, PARTS);
    gmsim_fill *fill = &memory->fill[(line * UINT64_C(0x9e3779b97f4a7c15)) >> 50];
    uint64_t away = (uint64_t)memory->away[gpc][number >> memory->group_slices_shift];
    gmsim_l2_cost cost = gmsim_l2_read(&memory->l2, place, side, sectors);
    uint64_t latency = gpu->l2_latency + away;
    time.queued = MAX(in, out);
    if (cost.reach == GMSIM_L2_FAR)
        latency = MAX(latency, gpu->l2_far_latency + away);
    uint64_t turn = use_dram(memory, line, now, cost);
    if (cost.reach == GMSIM_L2_DRAM) {
        uint64_t wait = fill_l2(memory, now, cost.read * GMSIM_SECTOR_BYTES);
        turn = MAX(turn, wait);
        bool near = place->home == side || !gpu->dram_far_latency;
        time.queued += turn + bank_wait(memory, line);
        latency = (near ? gpu->dram_latency : gpu->dram_far_latency) + away +
                  refresh_wait(memory, line, now);
        time.reach = GMSIM_REACH_DRAM;
        *fill = (gmsim_fill){line, now, now + latency + time.queued};
    } else if (fill->line == line && now + latency < fill->done &&
               now + GMSIM_STEP >= fill->start) { /* still on its way */
        latency = fill->done - now;
        time.reach = GMSIM_REACH_DRAM;
    }
    time.clocks = latency + time.queued;
    if (entry)
        *entry = (gmsim_lrc_entry){
            .line = line,
            .start = at,
            .done = at + (time.clocks > 2u * before ? time.clocks - 2u * before : 0),
            .sectors = (uint8_t)sectors,
            .readers = 1u,
        };
    return time;
}

/* All lines of the footprint from L2. Fetches their sets into the host's cache first: the arrays
 * are larger than its first levels, and their accesses are independent. */
static void read_lines(gmsim_memory *memory, gmsim_request *request)
{
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_l2_place place[GMSIM_MAX_LINES];
    uint32_t sm = request->sm;
    uint64_t *port = &memory->port[request->sm].free, done = request->now;
    bool allocates = request->kind == GMSIM_REQUEST_LOAD && request->load == GMSIM_L1_ALLOCATE;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        place[i] = gmsim_l2_find(&memory->l2, footprint->line[i]);
        if (footprint->lines > 1u)
            gmsim_l2_prefetch(&memory->l2, &place[i], memory->side[sm]);
    }
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t leaves = MAX(*port, request->now);
        *port = leaves + 1u;
        uint64_t *place_free = NULL;
        if (allocates && memory->l1_lines) { /* a line waits for a place in L1 */
            gmsim_places *places = &memory->places[request->sm];
            place_free = &places->free[places->next];
            places->next = places->next + 1u < memory->l1_lines ? places->next + 1u : 0;
            leaves = MAX(leaves, *place_free);
            *port = MAX(*port, leaves);
        }
        line_time time =
            read_line(memory, &place[i], footprint->line[i], footprint->touched[i], sm, leaves);
        uint64_t line = footprint->line[i];
        *pending_at(memory, request->sm, line) =
            (gmsim_pending){line << 4 | footprint->touched[i], leaves + time.clocks};
        if (place_free)
            *place_free = leaves + time.clocks;
        if (leaves + time.clocks > done) {
            done = leaves + time.clocks;
            request->queued = time.queued;
            request->reach = (uint8_t)time.reach;
        }
    }
    request->held = *port;
    request->done = done;
}

/* Clocks the store takes on the way out of the SM. */
static uint32_t store_units(const gmsim_footprint *footprint, uint32_t line)
{
    return gmsim_sector_count(footprint->touched[line]) +
           (footprint->touched[line] != footprint->full[line]);
}

/* Writes leave at `leaves` and will be in L2 at `there`. The SM has so many under way at most. */
static void take_port(gmsim_port *port, uint32_t batch, uint64_t leaves, uint32_t units,
                      uint64_t there)
{
    port->free = leaves + units;
    port->units += units;
    port->there[port->batch] = MAX(port->there[port->batch], there);
    while (port->units >= batch) {
        port->units -= batch;
        port->batch = (port->batch + 1u) % GMSIM_BATCHES;
        port->free = MAX(port->free, port->there[port->batch]);
        port->there[port->batch] = there;
    }
}

static void write_lines(gmsim_memory *memory, gmsim_request *request)
{
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_l2_place place[GMSIM_MAX_LINES];
    uint32_t side = memory->side[request->sm];
    gmsim_port *port = &memory->port[request->sm];
    for (uint32_t i = 0; i < footprint->lines; i++) {
        place[i] = gmsim_l2_find(&memory->l2, footprint->line[i]);
        if (footprint->lines > 1u)
            gmsim_l2_prefetch(&memory->l2, &place[i], side);
    }
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t line = footprint->line[i], leaves = MAX(port->free, request->now), wait,
                 behind = 0;
        uint32_t units = store_units(footprint, i);
        gmsim_l2_cost cost =
            gmsim_l2_write(&memory->l2, &place[i], side, footprint->touched[i], footprint->full[i]);
        wait = gmsim_queue_take(&memory->slice[slice_of(memory, line)].in, memory->step, leaves,
                                units * memory->write_cost, PARTS);
        behind = use_dram(memory, line, leaves, cost);
        wait = MAX(wait, behind);
        behind = fill_l2(memory, leaves, (uint64_t)units * GMSIM_SECTOR_BYTES);
        wait = MAX(wait, behind);
        uint64_t there = leaves + units + wait + memory->write_clocks;
        take_port(port, memory->batch, leaves, units, there);
        memory->drained = MAX(memory->drained, there);
    }
    request->held = request->stored = port->free;
}

/* Clocks an atomic's line takes on the way out of the SM. Lanes that meet in an address pass one
 * after the other. A pass of one lane is a request by itself, and one more if something comes back;
 * a wider one has its sectors and their masks, twice that for compare-and-swap. */
static uint32_t atomic_units(const gmsim_request *request, uint32_t line, bool returns)
{
    uint32_t passes = request->line_passes[line], sectors = request->line_operations[line];
    if (request->line_lanes[line] <= passes)
        return passes * (1u + returns);
    return (sectors + passes * (1u + (returns && sectors < 3u * passes))) << request->is_swap;
}

typedef struct atomic_work {
    uint64_t slice, group; /* parts of a clock that the slice, that its group work on it */
} atomic_work;

/* By sectors, and longer where a lane is alone, or where the next addition of floats needs the last
 * one's sum. The group is through sooner than the slice, which does one thing after the other. */
static atomic_work work_of(const gmsim_memory *memory, const gmsim_request *request, uint32_t line,
                           bool returns)
{
    const gmsim_gpu *gpu = memory->gpu;
    uint64_t cost = memory->atomic_cost, passes = request->line_passes[line];
    atomic_work work;
    if (request->line_lanes[line] <= passes) {
        work.group = passes * cost * (passes > 1u ? gpu->atomic_meeting : gpu->atomic_alone) / 100u;
        work.slice = passes * cost * gpu->atomic_slice_alone / 100u;
    } else {
        work.group =
            (request->line_operations[line] * gpu->atomic_sector + passes * gpu->atomic_pass) *
                cost / 100u
            << request->is_swap;
        work.slice = (uint64_t)request->line_operations[line] * cost * gpu->atomic_slice / 100u
                     << request->is_swap;
    }
    if (request->is_float && (passes > 1u || request->line_lanes[line] == 1u))
        work.slice = MAX(work.slice, passes * cost * gpu->atomic_slice_float / 100u);
    if (returns)
        work.group = work.group * gpu->atomic_returning / 100u;
    return work;
}

/* Atomics and reductions are carried out in L2, sector by sector. */
static void do_atomics(gmsim_memory *memory, gmsim_request *request, bool returns)
{
    const gmsim_footprint *footprint = &request->footprint;
    const gmsim_gpu *gpu = memory->gpu;
    uint32_t gpc = memory->group[request->sm], side = memory->side[request->sm];
    gmsim_port *port = &memory->port[request->sm];
    uint64_t done = request->now;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t line = footprint->line[i], leaves = MAX(port->free, request->now);
        gmsim_l2_place place = gmsim_l2_find(&memory->l2, line);
        uint32_t number = slice_of(memory, line);
        uint32_t group = number >> memory->group_slices_shift;
        uint32_t units = atomic_units(request, i, returns);
        atomic_work work = work_of(memory, request, i, returns);
        gmsim_l1_drop(&memory->l1[request->sm], line);
        bool missed = gmsim_l2_atomic(&memory->l2, &place, side, footprint->touched[i]).reach ==
                      GMSIM_L2_DRAM;
        uint64_t wait =
            gmsim_queue_take(&memory->slice[number].in, memory->step, leaves, work.slice, PARTS);
        uint64_t wait_group =
            gmsim_queue_take(&memory->atomics[group], memory->step, leaves, work.group, PARTS);
        wait = MAX(wait, wait_group);
        uint64_t there = leaves + units + wait + (missed ? gpu->dram_latency : gpu->l2_latency) +
                         (uint64_t)memory->away[gpc][group];
        take_port(port, memory->batch, leaves, units, there);
        memory->drained = MAX(memory->drained, there);
        if (there > done) {
            done = there;
            request->queued = wait;
            request->reach = missed ? GMSIM_REACH_DRAM : GMSIM_REACH_L2;
        }
    }
    if (returns)
        memory->l2.counts.atomic_sectors += request->operations;
    else
        memory->l2.counts.reduction_sectors += request->operations;
    request->held = port->free;
    request->done = done;
    request->stored = returns ? done : port->free;
}

/* L1's part of a load: the footprint becomes what has to come from L2. Returns sectors that hit. */
GMSIM_CLONES static uint32_t look_up(gmsim_memory *memory, gmsim_request *request)
{
    gmsim_footprint *footprint = &request->footprint;
    gmsim_l1 *l1 = &memory->l1[request->sm];
    gmsim_l1_load how = (gmsim_l1_load)request->load;
    uint32_t lines = footprint->lines, left = 0, missed = 0;
    request->pending = 0;
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
        uint32_t touched = footprint->touched[i];
        uint32_t missing = gmsim_l1_read(l1, line, touched, how, &request->words);
        const gmsim_pending *pending = pending_at(memory, request->sm, line);
        if (pending->line >> 4 == line && (pending->line & touched & ~missing) &&
            pending->done > request->pending)
            request->pending = pending->done;
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
                           &request->words))
            hits += gmsim_sector_count(footprint->touched[i]);
    return hits;
}

void gmsim_memory_serve(gmsim_memory *memory, gmsim_request *request)
{
    gmsim_footprint *footprint = &request->footprint;
    gmsim_counts *counts = request->counts;
    uint32_t hits, sectors = footprint->sectors;
    request->reach = GMSIM_REACH_L1;
    request->queued = request->stored = 0;
    request->held = request->done = request->now;
    switch ((gmsim_request_kind)request->kind) {
    case GMSIM_REQUEST_LOAD:
        hits = look_up(memory, request);
        counts->l1_hit_sectors += hits;
        counts->l1_miss_sectors += sectors - hits;
        counts->xbar_read_sectors += sectors - hits;
        if (hits == sectors) {
            request->done = request->now + memory->gpu->l1_latency +
                            (request->wavefronts - 1u) * memory->gpu->l1_hit_wavefront / 16u;
            if (request->pending > request->done) {
                request->done = request->pending;
                request->reach = GMSIM_REACH_L2;
            }
            return;
        }
        read_lines(memory, request);
        request->done = MAX(request->done, request->pending);
        request->done += (request->wavefronts - 1u) * memory->gpu->l1_miss_wavefront / 16u;
        return;
    case GMSIM_REQUEST_STORE:
        hits = store(memory, request);
        counts->l1_hit_sectors += hits;
        counts->l1_miss_sectors += sectors - hits;
        counts->xbar_write_sectors += sectors;
        write_lines(memory, request);
        return;
    case GMSIM_REQUEST_ATOMIC:
        counts->xbar_read_sectors += sectors;
        counts->l1_miss_sectors += sectors;
        counts->xbar_write_sectors += sectors;
        do_atomics(memory, request, true);
        return;
    case GMSIM_REQUEST_REDUCTION:
        counts->l1_miss_sectors += sectors;
        counts->xbar_write_sectors += sectors;
        do_atomics(memory, request, false);
        request->done = request->now;
        return;
    case GMSIM_REQUEST_FETCH:
        if (counts)
            counts->xbar_read_sectors += sectors;
        read_lines(memory, request);
        return;
    case GMSIM_REQUEST_WRITE_OUT:
        counts->xbar_write_sectors += sectors;
        write_lines(memory, request);
        return;
    }
}
