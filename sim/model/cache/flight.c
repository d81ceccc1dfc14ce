/* SPDX-License-Identifier: MIT
 *
 * flight.c - which lines of a store are on their way out already. flight.h has the rules.
 */
#include "sim/model/cache/flight.h"

#include "sim/model/cache/message.h"
#include "sim/model/cache/tags.h"
#include "sim/model/count/lanes.h"
#include "sim/model/watch.h"

/* Quarters of a clock until a store's next line is in the queue; clocks that each line which the
 * queue has no room for adds; lines that L1 looks up in a clock: micro/store_again.cu. */
#define LINE_QUARTERS 9u
#define LINE_WAITS    4u
#define LINES_SEEN    2u

/* When so many lines of a store at `now` have come. */
static uint64_t line_comes(uint64_t now, uint32_t lines)
{
    return now + LINE_QUARTERS * lines / 4u;
}

/* Those that stay leave, up to the one of number `end`; pushed: others want their places. */
static void leave(gmsim_flights *flights, uint32_t end, uint64_t now, bool pushed)
{
    for (; flights->staying != end; flights->staying++) {
        const uint32_t at = flights->staying % GMSIM_FLIGHTS;
        flights->pushed[at] = pushed;
        flights->free = MAX(flights->free, now) + flights->units[at];
        flights->leaves[at] = flights->free;
    }
}

/* When the line of that number has left, for whose place another waits. */
static uint64_t make_room(gmsim_flights *flights, uint32_t number, uint64_t now)
{
    if ((int32_t)(number - flights->staying) >= 0)
        leave(flights, number + 1u, now, true);
    return flights->leaves[number % GMSIM_FLIGHTS];
}

/* A line's set of tags. Lines of local memory lie anywhere. */
static uint32_t tag_set(uint64_t line)
{
    if (line >= GMSIM_LOCAL_WINDOWS / GMSIM_LINE_BYTES) {
        uint64_t mixed = (line ^ line >> 7) * UINT64_C(0x9e3779b97f4a7c15);
        mixed = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        return (uint32_t)(mixed >> 40) % GMSIM_TAG_SETS;
    }
    return gmsim_tag_set(line);
}

/* Each set is looked up once a clock: the first lines of all sets come before the second. */
static void order_lines(const gmsim_footprint *footprint, uint8_t order[GMSIM_MAX_LINES])
{
    uint8_t depth[GMSIM_TAG_SETS] = {0}, of[GMSIM_TAG_SETS][GMSIM_MAX_LINES];
    uint32_t found = 0;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        const uint32_t set = tag_set(footprint->line[i]);
        of[set][depth[set]++] = (uint8_t)i;
    }
    for (uint32_t turn = 0; found < footprint->lines; turn++)
        for (uint32_t set = 0; set < GMSIM_TAG_SETS; set++)
            if (turn < depth[set])
                order[found++] = of[set][turn];
}

/* A store comes at `now`: those that stay have left, where none came for long. */
static void begin(gmsim_flights *flights, uint64_t now)
{
    if (now >= flights->last + GMSIM_FLIGHT_IDLE)
        leave(flights, flights->next, flights->last + GMSIM_FLIGHT_IDLE, false);
}

/* L1 loses the line to another store of these sectors. */
static void lose(const gmsim_flights *flights, const gmsim_flight *flight, gmsim_l1 *l1,
                 uint32_t sectors)
{
    const bool pushed = !flight->bytes_leave && flights->pushed[flight->number % GMSIM_FLIGHTS];
    if (pushed || (flight->sectors & sectors))
        gmsim_l1_drop(l1, flight->line - 1u);
    else
        gmsim_l1_lose(l1, flight->line - 1u);
}

/* Does a store that L1 sees then meet the line as it leaves? */
static bool meets(const gmsim_flights *flights, const gmsim_flight *flight, uint64_t seen)
{
    if (flight->bytes_leave)
        return seen >= flight->bytes_leave &&
               seen <= flight->bytes_leave + GMSIM_FLIGHT_BYTES_AFTER;
    const uint64_t leaves = flights->leaves[flight->number % GMSIM_FLIGHTS];
    return seen <= leaves + GMSIM_FLIGHT_AFTER && seen + GMSIM_FLIGHT_BEFORE >= leaves;
}

static bool stays(const gmsim_flights *flights, const gmsim_flight *flight)
{
    return !flight->bytes_leave && (int32_t)(flight->number - flights->staying) >= 0;
}

static gmsim_flight *place_of(gmsim_flights *flights, uint64_t line)
{
    return &flights->flight[gmsim_hash32(line) % GMSIM_FLIGHT_SETS];
}

/* The line's place; *known: it is the line that has it, and it is known when that leaves. */
static gmsim_flight *find(gmsim_flights *flights, uint64_t line, bool *known)
{
    gmsim_flight *flight = place_of(flights, line);
    *known = flight->line == line + 1u &&
             (flight->bytes_leave || flights->next - flight->number <= GMSIM_FLIGHTS);
    return flight;
}

void gmsim_flights_bytes(gmsim_flights *flights, gmsim_l1 *l1, const gmsim_footprint *footprint,
                         uint64_t now, const gmsim_gpu *gpu)
{
    if (!gpu->l1_packets)
        return;
    begin(flights, now);
    flights->last = line_comes(now, footprint->lines);
    for (uint32_t i = 0; i < footprint->lines; i++) {
        bool known;
        gmsim_flight *flight = find(flights, footprint->line[i], &known);
        const uint8_t sectors = footprint->touched[i];
        if (known && !stays(flights, flight) && meets(flights, flight, now))
            lose(flights, flight, l1, sectors);
        *flight = (gmsim_flight){.line = footprint->line[i] + 1u,
                                 .bytes_leave = now + GMSIM_FLIGHT_BYTES,
                                 .sectors = sectors};
    }
}

void gmsim_flights_store(gmsim_flights *flights, gmsim_l1 *l1, const gmsim_footprint *footprint,
                         uint64_t now, const gmsim_gpu *gpu)
{
    const uint32_t most = gpu->l1_packets;
    uint8_t order[GMSIM_MAX_LINES];
    uint64_t seen = now;
    if (!most)
        return;
    for (uint32_t i = 0; i < footprint->lines; i++)
        __builtin_prefetch(place_of(flights, footprint->line[i]), 1);
    begin(flights, now);
    order_lines(footprint, order);
    for (uint32_t i = 0; i < footprint->lines; i++) {
        const uint64_t line = footprint->line[order[i]];
        uint8_t sectors = footprint->touched[order[i]];
        bool known;
        gmsim_flight *flight = find(flights, line, &known);
        seen = MAX(seen, now + i / LINES_SEEN);
        if (known && stays(flights, flight))
            sectors |= flight->sectors; /* joins, and has a place of its own all the same */
        else if (known && meets(flights, flight, seen))
            lose(flights, flight, l1, sectors);
        seen = MAX(seen, make_room(flights, flights->next - most, line_comes(now, i)));
        *flight = (gmsim_flight){.line = line + 1u, .number = flights->next, .sectors = sectors};
        flights->units[flights->next % GMSIM_FLIGHTS] = (uint8_t)(1u + gmsim_sector_count(sectors));
        flights->next++;
    }
    const uint32_t beyond = footprint->lines > most ? footprint->lines - most : 0;
    flights->last = line_comes(now, footprint->lines) + LINE_WAITS * beyond;
}
