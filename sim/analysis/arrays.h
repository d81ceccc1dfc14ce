/* SPDX-License-Identifier: MIT
 *
 * arrays.h - a launch's traffic by allocation: what its lanes asked of each array, what moved for
 * it on every level, and how often it was used again. An onlooker of the replay
 * (sim/model/watch.h).
 *
 * Numbers add up to the launch's, exactly: bytes and sectors to its rows of global and
 * local memory and of bulk copies, what L2 and DRAM did to gmsim_l2_counts. Requests do so but for
 * those whose lanes reach into several arrays: they count for each. An allocation is called what
 * the program calls it where the trace tells; else by its number, its place in the order of
 * addresses, which is mostly that of the calls of cudaMalloc.
 */
#ifndef GMSIM_ARRAYS_H
#define GMSIM_ARRAYS_H

#include "sim/model/model.h"

G_BEGIN_DECLS

typedef enum gmsim_array_kind {
    GMSIM_ARRAY_ALLOCATION,
    GMSIM_ARRAY_ELSEWHERE, /* global memory in no allocation that the trace has seen */
    GMSIM_ARRAY_LOCAL,     /* local memory: spills, arrays of a thread */
    GMSIM_ARRAY_EARLIER,   /* what ncu left in L2 when it flushed it (l2.flush_dirty) */
    GMSIM_ARRAY_KINDS
} gmsim_array_kind;

typedef struct gmsim_array {
    gmsim_array_kind kind;
    unsigned number;              /* of an allocation, from 1 */
    uint64_t base, size;          /* of an allocation */
    const gmtrace_origin *origin; /* of an allocation, the trace's; NULL where it tells nothing */
    bool shares_name;             /* with another allocation of the launch */
    /* Asked for by the lanes: "useful". Atomics and reductions are `updated`. */
    uint64_t requests, bytes_read, bytes_written, bytes_updated;
    uint64_t sectors;                                      /* of 32 bytes, through L1 or past it */
    uint64_t l1_load_sectors;                              /* of them, of loads, ... */
    uint64_t l1_missed;                                    /* ... and not found in L1 */
    uint64_t l2_read, l2_read_hit, l2_written, l2_atomics; /* sectors; l2_atomics: operations */
    uint64_t dram_read, dram_written;                      /* sectors */
    uint64_t touched; /* distinct sectors: what all levels would move if nothing moved twice */
} gmsim_array;

typedef struct gmsim_arrays gmsim_arrays;

/* NULL where there is no memory. Free with gmsim_arrays_free(). */
gmsim_arrays *gmsim_arrays_new(void);
void gmsim_arrays_free(gmsim_arrays *arrays);

/* For gmsim_options; it must live as long as the model. */
gmsim_watch *gmsim_arrays_watch(gmsim_arrays *arrays);

/* The launch that is replayed next; its allocations are borrowed until it has been read. */
void gmsim_arrays_begin(gmsim_arrays *arrays, const gmtrace_launch *launch);

/* Those that the launch touched, the one for which most bytes move (gmsim_array_moved()) first;
 * their sum in *all. Valid until the next launch begins. */
const gmsim_array *gmsim_arrays_read(gmsim_arrays *arrays, unsigned *count, gmsim_array *all);

/* Bytes that the lanes asked for; that moved through L1 or past it, between L1 and L2, between L2
 * and DRAM. */
uint64_t gmsim_array_useful(const gmsim_array *array);
uint64_t gmsim_array_moved(const gmsim_array *array);
uint64_t gmsim_array_l2(const gmsim_array *array);
uint64_t gmsim_array_dram(const gmsim_array *array);

/* "d_x", "allocation 3", "local memory", ...: for people. As the trace has it, so not fit for a
 * terminal. Free with g_free(). */
char *gmsim_array_name(const gmsim_array *array);
/* "d_x", "d_x #3" where another one shares the name, "cudaMalloc #3"; NULL where the trace tells no
 * name. Free with g_free(). */
char *gmsim_origin_name(const gmtrace_origin *origin, bool shares_name);
/* "app.cu:31", or "main()" of a program without lines; NULL where it is not known. Free with g_free(). */
char *gmsim_origin_place(const gmtrace_origin *origin);
/* "allocation", "elsewhere", "local", "earlier": for programs. */
const char *gmsim_array_key(gmsim_array_kind kind);

G_END_DECLS

#endif
