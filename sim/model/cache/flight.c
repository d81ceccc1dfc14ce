/* SPDX-License-Identifier: MIT
 *
 * flight.c - which lines of a store are on their way out already. flight.h has the rules.
 */
#include "sim/model/cache/flight.h"

#include "sim/model/cache/message.h"
#include "sim/model/count/lanes.h"
#include "sim/model/watch.h"

/* Tags that a store's lines are looked up with in a clock. */
#define TAGS 4u
/* Clocks that a store takes for a line before another comes. */
#define LINE_CLOCKS 2u

/* Those that stay leave, up to the one of number `end`. */
static void leave(gmsim_flights *flights, uint32_t end, uint64_t now)
{
    for (; flights->staying != end; flights->staying++) {
        const uint32_t at = flights->staying % GMSIM_FLIGHTS;
        flights->free = MAX(flights->free, now) + flights->units[at];
        flights->leaves[at] = flights->free;
    }
}

/* A line's set of tags: the XOR of its number's pairs of bits, the fifth bit in both of them. Lines
 * of local memory lie anywhere. */
static uint32_t tag_set(uint64_t line)
{
    if (line >= GMSIM_LOCAL_WINDOWS / GMSIM_LINE_BYTES) {
        uint64_t mixed = (line ^ line >> 7) * UINT64_C(0x9e3779b97f4a7c15);
        mixed = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        return (uint32_t)(mixed >> 40) % TAGS;
    }
    uint64_t bits = line ^ line >> 32;
    bits ^= bits >> 16;
    bits ^= bits >> 8;
    bits ^= bits >> 4;
    return (uint32_t)(bits ^ bits >> 2 ^ (line >> 3 & 2u)) % TAGS;
}

/* Each set is looked up once a clock: the first lines of all sets come before the second. */
static void order_lines(const gmsim_footprint *footprint, uint8_t order[GMSIM_MAX_LINES])
{
    uint8_t depth[TAGS] = {0}, of[TAGS][GMSIM_MAX_LINES];
    uint32_t found = 0;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        const uint32_t set = tag_set(footprint->line[i]);
        of[set][depth[set]++] = (uint8_t)i;
    }
    for (uint32_t turn = 0; found < footprint->lines; turn++)
        for (uint32_t set = 0; set < TAGS; set++)
            if (turn < depth[set])
                order[found++] = of[set][turn];
}

void gmsim_flights_store(gmsim_flights *flights, gmsim_l1 *l1, const gmsim_footprint *footprint,
                         uint64_t now, const gmsim_gpu *gpu)
{
    const uint32_t most = gpu->l1_packets, idle = gpu->l1_packet_idle;
    uint8_t order[GMSIM_MAX_LINES];
    uint64_t seen = now;
    if (!most)
        return;
    if (now >= flights->last + idle)
        leave(flights, flights->next, flights->last + idle);
    flights->last = now + (uint64_t)LINE_CLOCKS * footprint->lines;
    order_lines(footprint, order);
    for (uint32_t i = 0; i < footprint->lines; i++) {
        const uint64_t line = footprint->line[order[i]];
        uint8_t sectors = footprint->touched[order[i]];
        gmsim_flight *flight = &flights->flight[gmsim_hash32(line) % GMSIM_FLIGHT_SETS];
        seen = MAX(seen, now + i / TAGS);
        if (flight->line == line + 1u && flights->next - flight->number <= GMSIM_FLIGHTS) {
            const uint64_t leaves = flights->leaves[flight->number % GMSIM_FLIGHTS];
            if ((int32_t)(flight->number - flights->staying) >= 0) {
                sectors |= flight->sectors; /* joins, and has a place of its own all the same */
            } else if (seen <= leaves + GMSIM_FLIGHT_AFTER &&
                       seen + GMSIM_FLIGHT_BEFORE >= leaves) {
                if (flight->sectors & sectors)
                    gmsim_l1_drop(l1, line);
                else
                    gmsim_l1_lose(l1, line);
            }
        }
        if (flights->next - flights->staying >= most) {
            leave(flights, flights->staying + 1u, now + (uint64_t)LINE_CLOCKS * i);
            seen = MAX(seen, flights->free);
        }
        *flight = (gmsim_flight){line + 1u, flights->next, sectors};
        flights->units[flights->next % GMSIM_FLIGHTS] = (uint8_t)(1u + gmsim_sector_count(sectors));
        flights->next++;
    }
}
