/* SPDX-License-Identifier: MIT
 *
 * flight.h - stores of an SM that are on their way out when another comes to their line. Rules, as
 * measured on an H200 by micro/store_again.cu, store_drop.cu and store_lost.cu:
 *
 * - A line written in part stands in a queue of gpu.l1_packets, and what is stored to it there
 *   joins (packets.h), but takes another place all the same. It leaves, in order, a clock a sector
 *   and one more, when a further one has no room, or GMSIM_FLIGHT_IDLE clocks after the last line
 *   of the last store came.
 * - About when it leaves, GMSIM_FLIGHT_BEFORE clocks before to GMSIM_FLIGHT_AFTER after, another
 *   store to the line makes L1 lose it: what L1 has of it afterwards is what that store wrote. It
 *   counts as a miss where it writes a sector that is under way, or the line left for want of room
 *   (store_hit.cu, `warps`; store_drop.cu, local, 1,-1,4,7). So a store of 4, 8, 16 or 32 lines
 *   loses some to another 20 to 32, 26 to 44, 44 to 76 or up to 140 clocks later, and none to one
 *   that comes sooner or later (micro/store_again.cu).
 * - Bytes that are not whole words do not wait: all lines of a store leave soon, and another store
 *   loses what it meets GMSIM_FLIGHT_BYTES clocks after the first to GMSIM_FLIGHT_BYTES_AFTER later
 *   (micro/store_bytes.cu, on an H100).
 *
 * Local memory and global are alike in this, one warp and several.
 *
 * Left out: sectors written whole, which neither wait here nor lose anything; that loads let what
 * waits leave sooner.
 */
#ifndef GMSIM_FLIGHT_H
#define GMSIM_FLIGHT_H

#include "sim/model/cache/l1.h"
#include "sim/model/count/coalesce.h"

#pragma GCC visibility push(hidden)

#define GMSIM_FLIGHT_IDLE        6u
#define GMSIM_FLIGHT_BEFORE      3u
#define GMSIM_FLIGHT_AFTER       7u
#define GMSIM_FLIGHT_BYTES       12u
#define GMSIM_FLIGHT_BYTES_AFTER 8u

#define GMSIM_FLIGHTS     64u  /* lines of which it is known when they leave; a power of two */
#define GMSIM_FLIGHT_SETS 512u /* likewise; fewer, and lines of one store take each other's */

typedef struct gmsim_flight {
    uint64_t line;        /* and one more; 0: none */
    uint64_t bytes_leave; /* when they do that are no whole words; 0: it has such */
    uint32_t number;      /* of those that are whole words */
    uint8_t sectors;      /* under way */
} gmsim_flight;

/* All zero before a launch. */
typedef struct gmsim_flights {
    gmsim_flight flight[GMSIM_FLIGHT_SETS]; /* by a hash of the line */
    uint64_t leaves[GMSIM_FLIGHTS];         /* by number, of those that no longer stay: when */
    uint8_t units[GMSIM_FLIGHTS];           /* clocks that each takes */
    bool pushed[GMSIM_FLIGHTS];             /* of those that no longer stay: others had no room */
    uint32_t next, staying;                 /* numbers: of the next; of the first that stays */
    uint64_t free;                          /* the last that leaves has left */
    uint64_t last;                          /* when the last came */
} gmsim_flights;

/* A store that has a sector in part, and its words whole, comes to L1 at SM clock `now`, before L1
 * knows of it. What it meets on the way out L1 loses; nothing, where gpu.l1_packets is 0. */
void gmsim_flights_store(gmsim_flights *flights, gmsim_l1 *l1, const gmsim_footprint *footprint,
                         uint64_t now, const gmsim_gpu *gpu);

/* The same of a store that has bytes, not whole words. */
void gmsim_flights_bytes(gmsim_flights *flights, gmsim_l1 *l1, const gmsim_footprint *footprint,
                         uint64_t now, const gmsim_gpu *gpu);

#pragma GCC visibility pop

#endif
