/* SPDX-License-Identifier: MIT
 *
 * dram.c - DRAM's rate and what its accesses wait for. Rules, as measured on an H200 by
 * micro/memory_timing.cu (dram, copy) and micro/latency_spread.cu:
 *
 * - DRAM serves so many bytes a clock, gpu.dram_granule at least; an access to a row that is not in
 *   use takes as long as that is opened, whatever is moved, what is written longer than what is
 *   read; one to a row in use is moved in part while it is opened (micro/partial_rows.cu).
 * - The busier DRAM is the longer an access waits for others in its bank.
 * - What is written takes gpu.dram_write_percent of that where as much is read beside, or half as
 *   much, and the time of what is read where nothing is: the bus turns around (micro/dram_mix.cu).
 * - Banks are refreshed in turn, and whoever comes then waits.
 *
 * Left out: channels and their hash.
 */
#include "sim/model/cache/dram.h"

#include <string.h>

static uint32_t shift_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

void gmsim_dram_begin(gmsim_dram *dram, const gmsim_gpu *gpu)
{
    memset(dram, 0, sizeof *dram);
    dram->gpu = gpu;
    dram->write_percent = gpu->dram_write_percent;
    dram->row_shift = shift_of(gpu->dram_row_lines);
    dram->open_shift = 32u - shift_of(gpu->dram_open_rows);
    dram->refresh_shift = shift_of(gpu->dram_refresh_lines);
    dram->granule_sectors = gpu->dram_granule / GMSIM_SECTOR_BYTES;
}

void gmsim_dram_step(gmsim_dram *dram, uint64_t clocks)
{
    const gmsim_gpu *gpu = dram->gpu;
    if (!clocks || !gpu->dram_bytes_per_clock)
        return;
    uint64_t load = (dram->read + gpu->dram_write_weight * dram->written) * 1024u /
                    (clocks * gpu->dram_bytes_per_clock);
    dram->load = (uint32_t)((dram->load * (gpu->dram_load_steps - 1u) + MIN(load, 2048u)) /
                            gpu->dram_load_steps);
    if (dram->written) {
        const uint64_t turning = MIN(2u * dram->read, dram->written);
        dram->write_percent =
            100u + (uint32_t)((gpu->dram_write_percent - 100u) * turning / dram->written);
    }
    dram->read = dram->written = 0;
}

/* Bytes' time of DRAM that the sectors take. */
static uint64_t granules(const gmsim_dram *dram, uint64_t sectors)
{
    uint32_t least = dram->granule_sectors;
    return ((sectors + least - 1u) & ~(uint64_t)(least - 1u)) * GMSIM_SECTOR_BYTES;
}

/* Of what an access to a row costs besides where that is not in use, one to a row in use saves a
 * part (micro/partial_rows.cu, lines 128 bytes apart). */
#define IN_USE_PART 3u

/* Bytes' time that an access of one or two lines to a row not in use costs besides: less what is
 * moved beyond the least meanwhile, of what is read two thirds of it (micro/dram_rows.cu). */
static uint64_t opening(const gmsim_dram *dram, uint64_t bytes, uint32_t once, bool two, bool reads)
{
    const uint64_t most = (uint64_t)once << two, least = (uint64_t)dram->gpu->dram_granule << two;
    const uint64_t more = bytes > least ? bytes - least : 0, hidden = reads ? more * 2u / 3u : more;
    return bytes == 0 ? 0 : most > hidden ? most - hidden : 0;
}

/* Lines that leave L2 are not the one that makes them leave, but neighbours here were neighbours
 * there. */
uint64_t gmsim_dram_take(gmsim_dram *dram, gmsim_l2_cost cost, uint64_t line, uint64_t step,
                         uint64_t now)
{
    const gmsim_gpu *gpu = dram->gpu;
    uint64_t read =
        granules(dram, (uint64_t)cost.read - cost.also_read) + granules(dram, cost.also_read);
    uint64_t written = granules(dram, (uint64_t)cost.written - cost.also_written) +
                       granules(dram, cost.also_written);
    if (!gpu->dram_bytes_per_clock)
        return dram->last = 0;
    const uint64_t row = line >> dram->row_shift;
    uint64_t *open = &dram->row[(uint64_t)gmsim_hash32(row) >> dram->open_shift];
    const uint32_t once = gpu->dram_row_bytes, when_written = gpu->dram_row_write_bytes;
    const uint64_t opens = opening(dram, read, once, cost.also_read != 0, true);
    const uint64_t opens_written =
        opening(dram, written, when_written ? when_written : once, cost.also_written != 0, false);
    if (*open != row + 1u) {
        read += opens;
        written += opens_written;
    } else {
        read -= MIN(opens / IN_USE_PART, read / 2u);
        written -= MIN(opens_written / IN_USE_PART, written / 2u);
    }
    written = written * dram->write_percent / 100u;
    *open = row + 1u;
    dram->read += read;
    dram->written += written;
    dram->last = read + written;
    return gmsim_queue_take(&dram->queue, step, now, read + written, gpu->dram_bytes_per_clock);
}
