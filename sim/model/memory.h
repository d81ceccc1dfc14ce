/* SPDX-License-Identifier: MIT
 *
 * memory.h - the memory hierarchy as one warp request meets it: L1, the merging before L2, L2,
 * DRAM. It counts what happens and says when the data are there.
 */
#ifndef GMSIM_MEMORY_H
#define GMSIM_MEMORY_H

#include "sim/model/l1.h"
#include "sim/model/l2.h"
#include "sim/model/lrc.h"

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
    uint8_t kind;       /* gmsim_request_kind */
    uint8_t load;       /* gmsim_l1_load */
    uint8_t operations; /* of an atomic or reduction: those that L2 carries out one by one */
} gmsim_request;

#define GMSIM_MAX_SMS 1024u

/* A line on its way from DRAM to L2. */
typedef struct gmsim_fill {
    uint64_t line, done;
} gmsim_fill;

#define GMSIM_FILLS 16384u /* a power of two */

typedef struct gmsim_memory {
    const gmsim_gpu *gpu;
    gmsim_l1 *l1;         /* one an SM */
    gmsim_lrc_entry *lrc; /* GMSIM_LRC_ENTRIES a GPC */
    gmsim_l2 l2;
    gmsim_fill *fill;             /* GMSIM_FILLS, by a hash of the line */
    uint8_t group[GMSIM_MAX_SMS]; /* the group (GPC) of each SM */
    uint64_t *port_free;          /* when an SM's port to L2 is free, in sectors of time (below) */
    uint64_t l2_free, dram_free;
    bool store_allocate;
} gmsim_memory;

/* Bandwidth is kept as bytes since the launch began: a resource is free at bytes / rate clocks. */

/* Fills group[] from the GPU. */
void gmsim_memory_group(gmsim_memory *memory);

/* Forgets the times of an earlier launch. */
void gmsim_memory_begin(gmsim_memory *memory);

/* Serves the request; returns the clock at which a warp that waits for it can go on. */
uint64_t gmsim_memory_serve(gmsim_memory *memory, gmsim_request *request);

#pragma GCC visibility pop

#endif
