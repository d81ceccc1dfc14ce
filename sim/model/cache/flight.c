/* SPDX-License-Identifier: MIT
 *
 * flight.c - which lines of a store are on their way out already. flight.h has the rules.
 */
#include "sim/model/cache/flight.h"

#include "sim/model/cache/message.h"
#include "sim/model/count/lanes.h"

/* Tags that a store's lines are looked up with in a clock. */
#define TAGS 4u

/* Those that stay leave, up to the one of number `end`. */
static void leave(gmsim_flights *flights, uint32_t end, uint64_t now)
{
    for (; flights->staying != end; flights->staying++) {
        const uint32_t at = flights->staying % GMSIM_FLIGHTS;
        flights->free = MAX(flights->free, now) + flights->units[at];
        flights->leaves[at] = flights->free;
    }
}

void gmsim_flights_store(gmsim_flights *flights, gmsim_l1 *l1, const gmsim_footprint *footprint,
                         uint64_t now, const gmsim_gpu *gpu)
{
    const uint64_t begin = now;
    const uint32_t most = gpu->l1_packets, idle = gpu->l1_packet_idle;
    if (!most)
        return;
    if (begin >= flights->last + idle)
        leave(flights, flights->next, flights->last + idle);
    for (uint32_t i = 0; i < footprint->lines; i++) {
        const uint64_t line = footprint->line[i], seen = begin + i / TAGS;
        const uint8_t touched = footprint->touched[i];
        gmsim_flight *flight = &flights->flight[gmsim_hash32(line) % GMSIM_FLIGHT_SETS];
        now = MAX(now, begin + i);
        if (flight->line == line + 1u && flights->next - flight->number <= GMSIM_FLIGHTS) {
            if ((int32_t)(flight->number - flights->staying) >= 0) {
                flight->sectors |= touched;
                continue;
            }
            const uint64_t leaves = flights->leaves[flight->number % GMSIM_FLIGHTS];
            if (seen < leaves + GMSIM_FLIGHT_AFTER && seen + GMSIM_FLIGHT_BEFORE >= leaves) {
                if (flight->sectors & touched)
                    gmsim_l1_drop(l1, line);
                else
                    gmsim_l1_lose(l1, line);
            }
        }
        if (flights->next - flights->staying >= most) {
            leave(flights, flights->staying + 1u, now);
            now = MAX(now, flights->free);
        }
        *flight = (gmsim_flight){line + 1u, flights->next, touched};
        flights->units[flights->next % GMSIM_FLIGHTS] = (uint8_t)(1u + gmsim_sector_count(touched));
        flights->next++;
    }
    flights->last = now;
}
