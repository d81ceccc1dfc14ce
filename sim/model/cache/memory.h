/* SPDX-License-Identifier: MIT
 *
 * memory.h - the memory hierarchy as one warp request meets it: L1, the merging before L2, L2,
 * DRAM. It counts what happens and says when the data are there.
 */
#ifndef GMSIM_MEMORY_H
#define GMSIM_MEMORY_H

#include "sim/model/cache/l1.h"
#include "sim/model/cache/l2.h"
#include "sim/model/cache/lrc.h"
#include "sim/model/time/queue.h"

#pragma GCC visibility push(hidden)

typedef enum gmsim_request_kind {
    GMSIM_REQUEST_LOAD,
    GMSIM_REQUEST_STORE,
    GMSIM_REQUEST_ATOMIC,
    GMSIM_REQUEST_REDUCTION,
    GMSIM_REQUEST_FETCH,     /* reads L2 past L1 without being a load: bulk copies, prefetches */
    GMSIM_REQUEST_WRITE_OUT, /* writes L2 past L1: bulk copies */
} gmsim_request_kind;

typedef struct gmsim_request {
    gmsim_footprint footprint;
    gmsim_counts *counts; /* whose cache counters it adds to; NULL: nobody's */
    gmsim_l1_words words; /* whose bytes it asks for or writes */
    uint64_t now;         /* SM clock at which it reaches L1 */
    uint32_t sm;
    uint8_t kind; /* gmsim_request_kind */
    uint8_t load; /* gmsim_l1_load */
    /* Of an atomic or reduction: what L2 carries out one after the other. */
    uint32_t operations;                      /* most lanes in one address, by sector, added up */
    uint8_t line_operations[GMSIM_MAX_LINES]; /* the same, for each line of the footprint */
    uint8_t line_passes[GMSIM_MAX_LINES];     /* most lanes in one address of the line */
    uint8_t line_lanes[GMSIM_MAX_LINES];      /* active lanes */
    bool is_float, is_swap;                   /* the operation adds floats; is compare-and-swap */
    uint8_t wavefronts;                       /* of a load: passes through L1's data stage */
    /* Set by gmsim_memory_serve(). */
    uint64_t pending; /* clock at which the last of the sectors that hit is there */
    uint64_t done;    /* clock at which a warp that waits for it can go on */
    uint64_t queued;  /* clocks of that spent in queues beyond L2 */
    uint64_t stored;  /* clock at which what it writes is in L2 */
    uint64_t held;    /* clock until which the way out of the SM takes no other request */
    uint8_t reach;    /* gmsim_reach */
} gmsim_request;

/* How far a request had to go. */
typedef enum gmsim_reach { GMSIM_REACH_L1, GMSIM_REACH_L2, GMSIM_REACH_DRAM } gmsim_reach;

#define GMSIM_MAX_SMS 1024u

/* A line on its way from DRAM to L2. */
typedef struct gmsim_fill {
    uint64_t line, start, done;
} gmsim_fill;

#define GMSIM_FILLS  16384u /* a power of two */
#define GMSIM_SLICES 512u   /* most there can be */
/* Writes and reductions that an SM has under way are counted in batches. */
#define GMSIM_BATCHES 32u

/* A slice of L2: requests and data come in, data go out. */
typedef struct gmsim_slice {
    gmsim_queue in, out;
} gmsim_slice;

/* Sectors of a line on their way to L1. */
typedef struct gmsim_pending {
    uint64_t line; /* shifted left by 4, and the sectors */
    uint64_t done;
} gmsim_pending;

#define GMSIM_PENDING 512u /* an SM; a power of two */

#define GMSIM_PLACES 512u /* lines of an L1 so small that it can be full of lines on their way */

typedef struct gmsim_places {
    uint64_t free[GMSIM_PLACES]; /* when the line that took the place is there */
    uint32_t next;
} gmsim_places;

/* An SM's way out to L2. */
typedef struct gmsim_port {
    uint64_t free;                 /* when it is */
    uint64_t there[GMSIM_BATCHES]; /* when the writes of a batch were or will be in L2 */
    uint32_t batch, units;         /* the batch that is being filled; clocks in it */
} gmsim_port;

typedef struct gmsim_memory {
    const gmsim_gpu *gpu;
    gmsim_l1 *l1;           /* one an SM */
    gmsim_pending *pending; /* GMSIM_PENDING an SM, by a hash of the line */
    gmsim_lrc_entry *lrc;   /* GMSIM_LRC_ENTRIES a GPC */
    gmsim_l2 l2;
    gmsim_fill *fill;             /* GMSIM_FILLS, by a hash of the line */
    uint8_t group[GMSIM_MAX_SMS]; /* the group (GPC) of each SM */
    uint8_t side[GMSIM_MAX_SMS];  /* the side of L2 that it asks */
    gmsim_port *port;             /* one an SM */
    gmsim_places *places;         /* one an SM */
    uint32_t l1_bytes, l1_lines;  /* of this launch; lines: 0 if there are more than GMSIM_PLACES */
    gmsim_slice slice[GMSIM_SLICES];
    gmsim_queue atomics[GMSIM_SLICES];          /* by group of slices */
    int16_t away[GMSIM_LIST_MAX][GMSIM_SLICES]; /* clocks that a group of slices is farther from a
                                                   GPC than the mean */
    gmsim_queue dram, filling;
    uint64_t row[GMSIM_OPEN_ROWS]; /* DRAM rows in use, by a hash */
    uint32_t slices, groups, clusters, cluster_slices;
    /* Of the GPU's numbers, as the base-two logarithm: */
    uint32_t group_slices_shift, group_shift, cluster_shift, row_shift, open_shift, refresh_shift;
    uint32_t granule_sectors, batch;   /* of a DRAM access; clocks of a port's batch of writes */
    uint32_t write_clocks, lrc_clocks; /* from an SM to L2; to where reads merge */
    uint32_t read_cost, sector_cost, write_cost, atomic_cost; /* in 1/16 clocks of a slice */
    uint64_t dram_read, dram_written; /* bytes' worth of DRAM's time asked for in this step */
    uint32_t dram_load;               /* how busy DRAM has been lately: 1024 is all the time */
    uint64_t step;                    /* clock at which this step of the schedule began */
    uint64_t drained;                 /* clock at which the last store so far is there */
} gmsim_memory;

/* Fills in what follows from the GPU. */
void gmsim_memory_prepare(gmsim_memory *memory);

/* Forgets the times of an earlier launch. */
void gmsim_memory_begin(gmsim_memory *memory);

/* A step of the schedule begins at that clock. */
void gmsim_memory_step(gmsim_memory *memory, uint64_t step);

/* Serves the request: counts it, and sets when it is done. */
void gmsim_memory_serve(gmsim_memory *memory, gmsim_request *request);

#pragma GCC visibility pop

#endif
