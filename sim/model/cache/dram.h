/* SPDX-License-Identifier: MIT
 *
 * dram.h - the time that DRAM takes; what is read and written there l2.c says.
 */
#ifndef GMSIM_DRAM_H
#define GMSIM_DRAM_H

#include "sim/model/cache/l2.h"
#include "sim/model/cache/message.h"
#include "sim/model/time/queue.h"

#pragma GCC visibility push(hidden)

typedef struct gmsim_dram {
    const gmsim_gpu *gpu;
    gmsim_queue queue;
    uint64_t row[GMSIM_OPEN_ROWS]; /* rows in use, by a hash */
    uint64_t last;                 /* bytes' worth of its time that the last access took */
    uint64_t read, written;        /* bytes' worth of its time asked for in this step */
    uint32_t load;                 /* how busy it has been lately: 1024 is all the time */
    uint32_t write_percent;        /* of a byte's time, what a written one takes now */
    uint32_t row_shift, open_shift, refresh_shift; /* lines of a row; see dram.c */
    uint32_t granule_sectors;                      /* of the least access */
} gmsim_dram;

/* A launch begins; so many clocks of the schedule's last step are over. */
void gmsim_dram_begin(gmsim_dram *dram, const gmsim_gpu *gpu);
void gmsim_dram_step(gmsim_dram *dram, uint64_t clocks);

/* Takes DRAM's time for what an access to L2 cost; returns the clocks until its turn. */
uint64_t gmsim_dram_take(gmsim_dram *dram, gmsim_l2_cost cost, uint64_t line, uint64_t step,
                         uint64_t now);

/* What an access waits for others in its bank, however much DRAM as a whole could do: differs from
 * access to access, and grows with the load. */
static inline uint64_t gmsim_dram_bank_wait(const gmsim_dram *dram, uint64_t line, uint64_t step)
{
    uint32_t load = MIN(dram->load, 1024u);
    uint32_t most = 2u * dram->gpu->dram_bank_clocks * load / (1024u - load / 2u);
    return (uint64_t)gmsim_hash32(line + step) * most >> 32;
}

/* Clocks until the refresh of the line's bank is over; whose turn is when does not go with the
 * address, or a walk by equal steps could meet a refresh at each. */
static inline uint64_t gmsim_dram_refresh_wait(const gmsim_dram *dram, uint64_t line, uint64_t now)
{
    uint32_t period = dram->gpu->dram_refresh_period, clocks = dram->gpu->dram_refresh_clocks;
    if (!period)
        return 0;
    uint64_t phase = (now + gmsim_scatter32(line >> dram->refresh_shift)) % period;
    return phase < clocks ? clocks - phase : 0;
}

#pragma GCC visibility pop

#endif
