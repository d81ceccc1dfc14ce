/* SPDX-License-Identifier: MIT
 *
 * packets.h - stores of an SM that become one on their way to L2. Rules, as measured on an H200 by
 * micro/store_merge.cu (experiments in brackets):
 *
 * - What is stored to a line leaves as a packet. While the packet is open, further stores to the
 *   line join it, whatever their warp, width and bytes: a sector leaves once, and is written whole
 *   if they wrote all of it (gap, sequence, form).
 * - The last gpu.l1_packets packets may be open, a quarter of them in each set of tags (tags.h);
 *   the oldest of the set gives way (gap, 24 to 32 lines; sequence, 01230123; micro/store_sets.cu).
 *   One of a store of less than four bytes a lane counts twice (micro/store_pitch.cu, `wide`).
 * - As many wait for the way out of the SM, and are open while they do (stream). Stores that find
 *   room there do not hold up loads that hit (micro/store_behind.cu, `after` and `beside`, part8).
 * - Those that have left are closed once the load-store unit has had no store for
 *   gpu.l1_packet_idle clocks (micro/store_groups.cu, 0g0). Loads keep none open, nor do accesses
 * to shared memory (gap, lds and ldg).
 * - Stores that open further packets close those that have left, too, the sooner the fewer lines a
 *   packet's own store has: after a store of one line the first of them does, of two or three lines
 *   the second, of more the third (sequence, singles). Reductions and atomics count as such stores,
 *   and close the packet of their own line (between).
 * - Only stores of the same sub-partition do: the load-store unit takes runs of one sub-partition's
 *   instructions (form).
 *
 * A store's message leaves at once here (message.h). Those that join it change it while it is in
 * the outbox; later they send what it lacks, and nothing where it lacks nothing.
 *
 * Left out: that packets close one after another, so that some of a late store's lines still join;
 * fences; that local memory's stores, too, are joined while they wait (form, local_bytes).
 */
#ifndef GMSIM_PACKETS_H
#define GMSIM_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/model/cache/message.h"
#include "sim/model/cache/tags.h"
#include "sim/model/hot.h"

#define GMSIM_PACKETS      32u  /* most that are open */
#define GMSIM_QUEUED       64u  /* of which it is known when they leave; a power of two */
#define GMSIM_PACKET_SETS  128u /* a power of two */
#define GMSIM_PACKET_WAYS  2u
#define GMSIM_PACKET_PARTS 8u /* sub-partitions, at most */

typedef struct gmsim_packet {
    uint64_t line;     /* and one more; 0: none */
    uint64_t bytes[2]; /* written so far: a bit each, 64 of the line's a word */
    uint64_t served;   /* outboxes of the SM that had been served when its message was sent */
    uint64_t leaves;   /* when it has left the SM: until then it is open */
    uint32_t number;   /* of all packets of the SM, */
    uint32_t place;    /* and of those in its set of tags, as they count */
    uint32_t after, outlives; /* stores up to its own; and after that, until it is closed */
    uint16_t message;         /* its number in the outbox */
    uint8_t touched;          /* sectors of which bytes are written */
    uint8_t part;             /* sub-partition of its store */
} gmsim_packet;

/* All zero before a launch. */
typedef struct gmsim_packets {
    gmsim_packet packet[GMSIM_PACKET_SETS][GMSIM_PACKET_WAYS]; /* by a hash of the line */
    uint64_t left[GMSIM_QUEUED];     /* when the last packets have left the SM, by their numbers */
    uint32_t next;                   /* number of the packet that is opened next, */
    uint32_t places[GMSIM_TAG_SETS]; /* and of each set's */
    uint32_t closed;                 /* those before that number that have left are closed */
    uint32_t stores[GMSIM_PACKET_PARTS]; /* of each sub-partition, that have opened packets */
} gmsim_packets;

static inline void gmsim_packets_close_all(gmsim_packets *packets)
{
    packets->closed = packets->next;
}

/* A store to the line comes: fetches where its packet would be into the host's cache. */
GMSIM_INLINE void gmsim_packets_expect(const gmsim_packets *packets, uint64_t line)
{
    const gmsim_packet *packet = packets->packet[gmsim_hash32(line) % GMSIM_PACKET_SETS];
    __builtin_prefetch(packet, 1);
    __builtin_prefetch(packet + 1, 1);
}

/* As how many of its set a packet counts that the store opens; NULL: one to local memory. */
GMSIM_INLINE uint32_t gmsim_packet_counts(const gmtrace_record *store)
{
    return store && store->size < 4u ? 2u : 1u;
}

/* The line's packet, if it is open. */
GMSIM_INLINE gmsim_packet *gmsim_packets_find(gmsim_packets *packets, uint64_t line, uint32_t most,
                                              uint64_t now)
{
    gmsim_packet *packet = packets->packet[gmsim_hash32(line) % GMSIM_PACKET_SETS];
    if (packet->line != line + 1u && (++packet)->line != line + 1u)
        return NULL;
    bool open = packets->places[gmsim_tag_set(line)] - packet->place <= most / GMSIM_TAG_SETS &&
                (now < packet->leaves ||
                 ((int32_t)(packet->number - packets->closed) >= 0 &&
                  packets->stores[packet->part] - packet->after <= packet->outlives));
    return open ? packet : NULL;
}

/* Where the line's next packet goes: another of the line, or else the older one, gives way. It
 * counts as so many of its set. */
GMSIM_INLINE gmsim_packet *gmsim_packets_open(gmsim_packets *packets, uint64_t line, uint32_t part,
                                              uint32_t counts)
{
    gmsim_packet *packet = packets->packet[gmsim_hash32(line) % GMSIM_PACKET_SETS];
    if (packet[0].line != line + 1u &&
        (packet[1].line == line + 1u || (int32_t)(packet[1].number - packet[0].number) < 0))
        packet++;
    packet->line = line + 1u;
    packet->number = packets->next++;
    packet->place = packets->places[gmsim_tag_set(line)];
    packets->places[gmsim_tag_set(line)] += counts;
    packet->part = (uint8_t)part;
    return packet;
}

/* The packet stands in the queue until `leaves`. */
GMSIM_INLINE void gmsim_packets_leave(gmsim_packets *packets, gmsim_packet *packet, uint64_t leaves)
{
    packet->leaves = packets->left[packet->number % GMSIM_QUEUED] = leaves;
}

/* When the queue had room for its last. */
GMSIM_INLINE uint64_t gmsim_packets_room(const gmsim_packets *packets, uint32_t most)
{
    return packets->left[(packets->next - 1u - most) % GMSIM_QUEUED];
}

/* Clocks the store takes on the way out of the SM. */
GMSIM_INLINE uint32_t gmsim_store_units(uint32_t touched, uint32_t full)
{
    return gmsim_sector_count(touched) + (touched != full);
}

/* When the load-store unit goes on behind a store of more lines than the queue has places, whose
 * last line has left at `gone`: it takes four clocks for three lines, and the last of them may wait
 * in the queue, two clocks each (micro/rows_by_lane.cu). */
static inline uint64_t gmsim_packets_wide(uint32_t most, uint64_t now, uint32_t lines,
                                          uint64_t gone)
{
    const uint64_t waits = (uint64_t)most * gmsim_store_units(0x1, 0);
    return MAX(now + (4u * lines + 2u) / 3u, gone - MIN(gone, waits));
}

/* An atomic or reduction to the line. */
static inline void gmsim_packets_drop(gmsim_packets *packets, uint64_t line)
{
    gmsim_packet *packet = packets->packet[gmsim_hash32(line) % GMSIM_PACKET_SETS];
    for (uint32_t i = 0; i < GMSIM_PACKET_WAYS; i++)
        if (packet[i].line == line + 1u)
            packet[i].line = 0;
}

#endif
