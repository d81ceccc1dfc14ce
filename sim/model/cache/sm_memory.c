/* SPDX-License-Identifier: MIT
 *
 * sm_memory.c - a request's way through L1 and out of the SM. Rules, as measured on an H200 by
 * micro/memory_timing.cu:
 *
 * - An SM sends one line of a load to L2 a clock. A store takes a clock a sector on the same way,
 *   and one more for each line of which some sector is not written whole.
 * - The first wavefront of a load that misses comes with its last line; others follow.
 * - A read that finds its sectors on the way to L1 waits for them and counts as a hit
 *   (micro/merge.cu).
 * - A store to a part of what is on its way to L1 makes L1 lose the line (pending.h).
 * - A line that L1 is to keep needs a place from the beginning: of a small L1 all may be taken.
 * - An SM has so many writes under way at most.
 * - Stores to one line, one shortly after another, leave as one; as many lines as may be open wait
 *   for the way out without holding up who comes behind, but for loads that miss (packets.h). What
 *   comes to a line just when it leaves makes L1 lose it (flight.h).
 *
 * Left out: other limits to what an SM has under way (none was found up to 4,096 lines).
 */
#include "sim/model/cache/sm_memory.h"

#include "sim/model/cache/atomics.h"
#include "sim/model/count/lanes.h"
#include "sim/model/hot.h"

#include <string.h>

void gmsim_sm_memory_begin(gmsim_sm_memory *memory, const gmsim_gpu *gpu, uint32_t number,
                           gmsim_l1_set *set, uint32_t bytes)
{
    memory->gpu = gpu;
    memory->direct = NULL;
    uint32_t group = 0;
    for (uint32_t i = 0, first = 0; i < gpu->launch_groups.count; i++) {
        if (number >= first && number - first < gpu->launch_groups.value[i])
            group = i;
        first += gpu->launch_groups.value[i];
    }
    const uint32_t gpc = gmsim_gpc_of(gpu, group), turn = gpc >> 1;
    memory->place =
        (gmsim_sender){group, (gpu->launch_groups.count ? turn : number) % GMSIM_L2_SIDES, number};
    gmsim_l1_init(&memory->l1, set, gpu, bytes);
    memset(&memory->port, 0, sizeof memory->port);
    memory->remote_free = memory->shut = 0;
    memory->port.clocks = gpu->l1_writes / GMSIM_BATCHES;
    memset(&memory->places, 0, sizeof memory->places);
    if (bytes / GMSIM_LINE_BYTES <= GMSIM_PLACES)
        memory->places.lines = bytes / GMSIM_LINE_BYTES;
    memory->record_units =
        (int32_t)((GMSIM_BATCHES - 1u) * memory->port.clocks) - (int32_t)GMSIM_RECORD_UNITS;
    memory->record_places = memory->places.lines
                                ? (int32_t)memory->places.lines - (int32_t)GMSIM_RECORD_LINES
                                : INT32_MAX;
    memset(memory->pending, 0xff, sizeof memory->pending);
    memset(&memory->packets, 0, sizeof memory->packets);
    memset(&memory->flights, 0, sizeof memory->flights);
    memset(&memory->prefetcher, 0, sizeof memory->prefetcher);
    memory->out.served = 0;
    gmsim_outbox_clear(&memory->out);
}

void gmsim_sm_memory_plug(gmsim_sm_memory *memory, const gmsim_plugin_prefetcher *plugged,
                          void *state)
{
    memset(state, 0, plugged->state_bytes);
    memory->prefetcher = (gmsim_prefetcher){.plugged = plugged, .state = state};
}

/* Writes leave. The oldest of those under way must be there. */
GMSIM_INLINE void leave(gmsim_port *port, uint64_t clock, uint32_t units)
{
    port->free = clock + units;
    port->units += units;
    while (port->units >= port->clocks) {
        port->units -= port->clocks;
        port->batch = (port->batch + 1u) % GMSIM_BATCHES;
        port->free = MAX(port->free, port->there[port->batch]);
    }
}

/* An ask without messages yet. */
GMSIM_INLINE gmsim_ask *begin_ask(gmsim_outbox *out, gmsim_ask_kind kind, uint64_t done)
{
    gmsim_ask *ask = &out->ask[out->asks++];
    *ask = (gmsim_ask){.kind = (uint8_t)kind, .done = done};
    return ask;
}

/* A message of nothing yet. */
GMSIM_INLINE gmsim_message *begin_message(gmsim_outbox *out, uint32_t number, uint64_t line,
                                          uint64_t clock)
{
    gmsim_message *message = &out->message[number];
    *message = (gmsim_message){.line = line, .clock = clock};
    return message;
}

/* What L1 does not have of a load. */
typedef struct left_over {
    uint64_t pending; /* when the last of the sectors that hit is there */
    uint32_t lines, sectors, joins;
    uint8_t line[GMSIM_MAX_LINES], missing[GMSIM_MAX_LINES]; /* of the footprint; its sectors */
    uint16_t join[GMSIM_MAX_LINES];                          /* messages that bring what hits */
} left_over;

/* L1's part of a load. */
GMSIM_CLONES static void look_up(gmsim_sm_memory *memory, gmsim_request *request, left_over *left)
{
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_l1 *l1 = &memory->l1;
    gmsim_l1_load how = (gmsim_l1_load)request->load;
    uint32_t lines = footprint->lines;
    left->pending = left->lines = left->sectors = left->joins = 0;
    gmsim_l1_set *set[GMSIM_MAX_LINES];
    for (uint32_t i = 0; i < lines; i++) {
        set[i] = gmsim_l1_find(l1, footprint->line[i]);
        __builtin_prefetch(gmsim_pending_at(memory->pending, footprint->line[i]), 1);
    }
    for (uint32_t i = 0; i < lines; i++) {
        uint64_t line = footprint->line[i];
        uint32_t touched = footprint->touched[i];
        uint32_t missing = gmsim_l1_read(l1, set[i], line, touched, how, &request->words);
        const gmsim_pending *pending = gmsim_pending_at(memory->pending, line);
        if (pending->line >> 4 == line && (pending->line & touched & ~missing) &&
            pending->done > left->pending) {
            if (pending->done & GMSIM_UNDER_WAY)
                left->join[left->joins++] = (uint16_t)pending->done;
            else
                left->pending = pending->done;
        }
        if (missing) {
            left->line[left->lines] = (uint8_t)i;
            left->missing[left->lines++] = (uint8_t)missing;
            left->sectors += gmsim_sector_count(missing);
        }
    }
}

static void miss_all(const gmsim_footprint *footprint, left_over *left)
{
    left->pending = left->joins = 0;
    left->lines = footprint->lines;
    left->sectors = footprint->sectors;
    for (uint32_t i = 0; i < left->lines; i++)
        left->line[i] = (uint8_t)i;
    memcpy(left->missing, footprint->touched, left->lines);
}

/* Waits for messages that are under way already. */
static void join(gmsim_outbox *out, gmsim_ask *ask, const left_over *left)
{
    for (uint32_t i = 0; i < left->joins; i++)
        out->message[out->messages++].line = left->join[i];
    ask->joins = (uint8_t)left->joins;
}

static void answer_now(gmsim_sm_memory *memory, gmsim_answer *answer);

/* The ask is complete: its messages are those up to `messages`. */
GMSIM_INLINE void end_read(gmsim_outbox *out, gmsim_ask *ask, uint32_t messages,
                           const gmsim_sm_memory *memory, const gmsim_request *request)
{
    ask->messages = (uint8_t)(messages - out->messages);
    ask->later = (uint16_t)((request->wavefronts - 1u) * memory->gpu->l1_miss_wavefront / 16u);
    ask->brings = request->kind == GMSIM_REQUEST_PREFETCH;
    ask->waits = !ask->brings && request->kind != GMSIM_REQUEST_AHEAD;
    ask->is_load = request->kind == GMSIM_REQUEST_LOAD;
    ask->whole_lines = request->whole_lines;
    ask->first = request->load == GMSIM_L1_FIRST || request->load == GMSIM_L1_PASS;
    out->messages = messages;
}

/* Asks L2 for what is left of the load. */
GMSIM_INLINE void ask_read(gmsim_sm_memory *memory, const gmsim_request *request,
                           const left_over *left, gmsim_answer *answer)
{
    gmsim_outbox *out = &memory->out;
    gmsim_places *places = &memory->places;
    const bool kept =
        (request->kind == GMSIM_REQUEST_LOAD || request->kind == GMSIM_REQUEST_AHEAD) &&
        request->load <= GMSIM_L1_FIRST;
    const bool keeps = kept && places->lines;
    uint64_t known = MAX(request->now, left->pending), port = memory->port.free;
    gmsim_ask *ask = begin_ask(out, GMSIM_ASK_READ, known);
    uint32_t number = out->messages;
    for (uint32_t i = 0; i < left->lines; i++) {
        uint64_t line = request->footprint.line[left->line[i]], leaves = MAX(port, request->now);
        port = leaves + 1u;
        if (keeps) {                            /* a line waits for a place in L1 */
            if (out->places == places->lines) { /* of which this request has had them all */
                end_read(out, ask, number, memory, request);
                answer_now(memory, answer);
                ask = begin_ask(out, GMSIM_ASK_READ, known);
                number = 0;
            }
            leaves = MAX(leaves, places->free[places->next]);
            places->next = places->next + 1u < places->lines ? places->next + 1u : 0;
            out->places++;
            port = MAX(port, leaves);
        }
        gmsim_pending *pending = gmsim_pending_at(memory->pending, line);
        const bool anew = gmsim_pending_lost(pending, line, request->now);
        if (kept)
            *pending = (gmsim_pending){line << 4 | left->missing[i], GMSIM_UNDER_WAY | number};
        gmsim_message *message = begin_message(out, number++, line, leaves);
        message->touched = left->missing[i];
        message->anew = anew;
        message->places = keeps;
    }
    end_read(out, ask, number, memory, request);
    answer->asks = (uint8_t)(answer->asks + ask->waits);
    answer->held = memory->port.free = port;
    join(out, ask, left);
}

/* Clocks of the load-store unit for a line that opens a packet (micro/store_behind.cu, `after` and
 * `other` of eight lines), and for three that join one (micro/store_sets.cu, `turns`). */
#define STORE_CLOCKS 2u

GMSIM_INLINE gmsim_ask *begin_write(gmsim_sm_memory *memory, const gmsim_request *request,
                                    gmsim_ask_kind kind)
{
    gmsim_ask *ask = begin_ask(&memory->out, kind, request->now);
    if (kind != GMSIM_ASK_WRITE) {
        ask->is_float = request->is_float;
        ask->is_double = request->is_double;
        ask->is_swap = request->is_swap;
        ask->waits = kind == GMSIM_ASK_ATOMIC;
    }
    return ask;
}

/* A bit for each byte of two sectors. */
GMSIM_INLINE uint64_t bytes_of(uint32_t sectors)
{
    static const uint64_t of[4] = {0, UINT32_MAX, (uint64_t)UINT32_MAX << 32, UINT64_MAX};
    return of[sectors];
}

/* Which of two sectors some of the bytes are of. */
GMSIM_INLINE uint32_t sectors_of(uint64_t bytes)
{
    return (uint32_t)((uint32_t)bytes != 0) | (uint32_t)(bytes >> 32 != 0) << 1;
}

/* The sectors of a line all of whose bytes are there. */
GMSIM_INLINE uint32_t whole_sectors(const uint64_t bytes[2])
{
    uint64_t low = bytes[0], high = bytes[1];
    return (uint32_t)((uint32_t)low == UINT32_MAX) | (uint32_t)(low >> 32 == UINT32_MAX) << 1 |
           (uint32_t)((uint32_t)high == UINT32_MAX) << 2 |
           (uint32_t)(high >> 32 == UINT32_MAX) << 3;
}

/* Which bytes of each line a store writes; of what is no record, whole sectors alone. */
GMSIM_INLINE void know_bytes(gmsim_l1_words *words, const gmsim_footprint *footprint)
{
    if (gmsim_has_part(footprint) && (words->record || words->known)) {
        gmsim_l1_words_know(words);
        return;
    }
    for (uint32_t i = 0; i < footprint->lines; i++) {
        words->bytes[i][0] = bytes_of(footprint->full[i] & 3u);
        words->bytes[i][1] = bytes_of(footprint->full[i] >> 2);
    }
}

/* Atomics, reductions and what bulk copies write leave. */
static void ask_write(gmsim_sm_memory *memory, gmsim_request *request, gmsim_ask_kind kind,
                      gmsim_answer *answer)
{
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_outbox *out = &memory->out;
    gmsim_port *port = &memory->port;
    gmsim_ask *ask = begin_write(memory, request, kind);
    if (kind == GMSIM_ASK_WRITE) {
        know_bytes(&request->words, footprint);
        memcpy(out->bytes[out->messages], request->words.bytes,
               footprint->lines * sizeof *request->words.bytes);
    }
    for (uint32_t i = 0; i < footprint->lines; i++) {
        gmsim_message *message = &out->message[out->messages];
        *message = (gmsim_message){.line = footprint->line[i],
                                   .touched = footprint->touched[i],
                                   .full = footprint->full[i]};
        if (kind == GMSIM_ASK_WRITE) {
            message->units = (uint8_t)gmsim_store_units(message->touched, message->full);
        } else {
            message->operations = request->line_operations[i];
            message->lone = request->line_lone[i];
            message->wide = request->line_wide[i];
            message->passes = request->line_passes[i];
            message->lanes = request->line_lanes[i];
            message->units = (uint8_t)gmsim_atomic_units(ask, message);
            gmsim_l1_drop(&memory->l1, message->line);
            gmsim_packets_drop(&memory->packets, message->line);
        }
        message->clock = MAX(port->free, request->now);
        leave(port, message->clock, message->units);
        out->units += message->units;
        out->messages++;
        ask->messages++;
    }
    answer->held = answer->stored = port->free;
    if (request->kind == GMSIM_REQUEST_STORE)
        answer->held = gmsim_packets_wide(memory->gpu->l1_packets, request->now,
                                          request->footprint.lines, port->free);
    answer->asks = (uint8_t)(answer->asks + ask->waits);
}

/* What a store writes of a line, or is left of that to be sent. */
typedef struct written {
    uint32_t touched, full;
    uint32_t again; /* sectors that have been sent before, with fewer bytes */
} written;

/* A store joins the line's packet, and changes its message if that is still in the outbox: then
 * nothing is left. */
GMSIM_INLINE written join_packet(gmsim_sm_memory *memory, gmsim_packet *packet, uint32_t touched,
                                 const uint64_t bytes[2])
{
    gmsim_outbox *out = &memory->out;
    uint32_t new = touched & ~packet->touched;
    uint64_t low = bytes[0] & ~packet->bytes[0], high = bytes[1] & ~packet->bytes[1];
    packet->bytes[0] |= low;
    packet->bytes[1] |= high;
    packet->touched |= (uint8_t) new;
    uint32_t change = new | sectors_of(low) | sectors_of(high) << 2;
    uint32_t full = whole_sectors(packet->bytes);
    if (packet->served != out->served)
        return (written){.touched = change, .full = full & change, .again = change & ~new};
    gmsim_message *message = &out->message[packet->message];
    uint32_t units = gmsim_sector_count(new);
    memcpy(out->bytes[packet->message], packet->bytes, sizeof packet->bytes);
    message->touched |= (uint8_t) new;
    message->full = (uint8_t)(full & message->touched);
    message->units = (uint8_t)(message->units + units);
    out->units += units;
    leave(&memory->port, memory->port.free, units);
    return (written){0, 0, 0};
}

/* The message of a packet, or of what it lacked. */
GMSIM_INLINE void send_packet(gmsim_sm_memory *memory, const gmsim_request *request,
                              gmsim_packet *packet, uint64_t number, written line)
{
    gmsim_outbox *out = &memory->out;
    uint64_t leaves = MAX(memory->port.free, request->now);
    gmsim_message *message = begin_message(out, out->messages, number, leaves);
    uint32_t units = line.again ? gmsim_sector_count(line.touched & ~line.again)
                                : gmsim_store_units(line.touched, line.full);
    message->touched = (uint8_t)line.touched;
    message->full = (uint8_t)line.full;
    message->again = (uint8_t)line.again;
    message->units = (uint8_t)units;
    memcpy(out->bytes[out->messages], packet->bytes, sizeof packet->bytes);
    packet->served = out->served;
    packet->message = (uint16_t)out->messages++;
    out->units += units;
    leave(&memory->port, leaves, units);
}

/* Stores leave: their lines open packets, or join those that are open. */
static void ask_store(gmsim_sm_memory *memory, gmsim_request *request, gmsim_answer *answer)
{
    const gmsim_footprint *footprint = &request->footprint;
    const gmsim_gpu *gpu = memory->gpu;
    gmsim_packets *packets = &memory->packets;
    gmsim_outbox *out = &memory->out;
    uint64_t(*bytes)[2] = request->words.bytes;
    uint32_t first = packets->next, lines = footprint->lines, messages = out->messages, sent = 0;
    /* Of local memory what waits for the way out is joined less (form, local_bytes): here not. */
    const uint64_t now = request->words.record ? request->now : UINT64_MAX;
    const uint32_t counts = gmsim_packet_counts(request->words.record);
    know_bytes(&request->words, footprint);
    gmsim_ask *ask =
        begin_ask(out, request->load == GMSIM_L1_FIRST ? GMSIM_ASK_WRITE_FIRST : GMSIM_ASK_WRITE,
                  request->now);
    for (uint32_t i = 0; i < lines; i++) {
        written line = {footprint->touched[i], footprint->full[i], 0};
        gmsim_packet *packet =
            gmsim_packets_find(packets, footprint->line[i], gpu->l1_packets, now);
        if (G_LIKELY(!packet)) {
            packet = gmsim_packets_open(packets, footprint->line[i], request->part, counts);
            packet->after = packets->stores[request->part] + 1u;
            packet->outlives = MIN(lines / 2u, gpu->l1_packet_stores);
            memcpy(packet->bytes, bytes[i], sizeof packet->bytes);
            packet->touched = (uint8_t)line.touched;
            sent += gmsim_sector_count(line.touched);
            send_packet(memory, request, packet, footprint->line[i], line);
            gmsim_packets_leave(packets, packet, memory->port.free);
            continue;
        }
        sent += gmsim_sector_count(line.touched & ~packet->touched);
        line = join_packet(memory, packet, line.touched, bytes[i]);
        if (line.touched)
            send_packet(memory, request, packet, footprint->line[i], line);
    }
    packets->stores[request->part] += packets->next != first;
    request->counts->xbar_write_sectors += sent;
    ask->messages = (uint8_t)(out->messages - messages);
    out->asks -= !ask->messages;
    answer->stored = memory->port.free;
    const uint32_t opened = packets->next - first;
    answer->held =
        MAX(gmsim_packets_room(packets, gpu->l1_packets),
            request->now + STORE_CLOCKS * opened + (STORE_CLOCKS * (lines - opened) + 2u) / 3u);
}

static uint32_t store(gmsim_sm_memory *memory, gmsim_request *request)
{
    const gmsim_footprint *footprint = &request->footprint;
    uint32_t hits = 0;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        gmsim_l1_find(&memory->l1, footprint->line[i]); /* it will be written */
        if (gmsim_pending_meets(memory->pending, footprint->line[i], request->now))
            gmsim_l1_drop(&memory->l1, footprint->line[i]);
    }
    if (G_UNLIKELY(gmsim_has_part(footprint)))
        (gmsim_l1_words_split(&request->words) ? gmsim_flights_bytes : gmsim_flights_store)(
            &memory->flights, &memory->l1, footprint, request->now, memory->gpu);
    for (uint32_t i = 0; i < footprint->lines; i++)
        if (gmsim_l1_write(&memory->l1, footprint->line[i], footprint->touched[i],
                           footprint->full[i], (gmsim_l1_load)request->load, &request->words))
            hits += gmsim_sector_count(footprint->touched[i]);
    return hits;
}

/* What the load leaves for L2 to bring. */
static void count_load(gmsim_sm_memory *memory, gmsim_request *request, left_over *left)
{
    const gmsim_footprint *footprint = &request->footprint;
    gmsim_counts *counts = request->counts;
    if (request->load <= GMSIM_L1_PASS) {
        look_up(memory, request, left);
    } else {
        if (request->load == GMSIM_L1_DROP)
            for (uint32_t i = 0; i < footprint->lines; i++)
                gmsim_l1_drop(&memory->l1, footprint->line[i]);
        miss_all(footprint, left);
        if (request->load == GMSIM_L1_PRESENT)
            left->lines = left->sectors = 0;
    }
    counts->l1_hit_sectors += footprint->sectors - left->sectors;
    counts->l1_miss_sectors += left->sectors;
    counts->xbar_read_sectors += left->sectors;
}

/* All that a load asks for is in L1, or on its way there. */
static void hit(gmsim_sm_memory *memory, const gmsim_request *request, const left_over *left,
                gmsim_answer *answer)
{
    const gmsim_gpu *gpu = memory->gpu;
    uint64_t done =
        request->now + gpu->l1_latency + (request->wavefronts - 1u) * gpu->l1_hit_wavefront / 16u;
    gmsim_reach reach = left->pending > done ? GMSIM_REACH_L2 : GMSIM_REACH_L1;
    done = MAX(done, left->pending);
    answer->awaited = left->joins || reach == GMSIM_REACH_L2;
    if (left->joins) {
        gmsim_ask *ask = begin_ask(&memory->out, GMSIM_ASK_READ, done);
        join(&memory->out, ask, left);
        ask->reach = (uint8_t)reach;
        ask->waits = true;
        answer->asks++;
    } else if (done >= answer->done) {
        answer->done = done;
        answer->queued = 0;
        answer->reach = (uint8_t)reach;
    }
}

/* Whether there is room for lines ahead, and for all that a record asks for after them. */
static bool room_ahead(const gmsim_sm_memory *memory)
{
    const gmsim_outbox *out = &memory->out;
    return out->messages + GMSIM_PLUGIN_AHEAD <= GMSIM_OUTBOX / 2u &&
           (!memory->places.lines ||
            out->places + GMSIM_PLUGIN_AHEAD + GMSIM_RECORD_LINES <= memory->places.lines);
}

/* Lines that a plug-in asks for, as one request behind the load. */
static void bring_ahead(gmsim_sm_memory *memory, const gmsim_request *load,
                        const gmsim_plugin_ahead *ahead, uint32_t lines, gmsim_answer *answer)
{
    gmsim_request request = {.counts = load->counts,
                             .now = load->now,
                             .kind = GMSIM_REQUEST_AHEAD,
                             .load = GMSIM_L1_ALLOCATE,
                             .wavefronts = 1u,
                             .part = load->part};
    left_over left = {.lines = 0};
    for (uint32_t i = 0; i < lines; i++) {
        const uint64_t line = ahead[i].line;
        uint32_t missing =
            gmsim_l1_read(&memory->l1, gmsim_l1_find(&memory->l1, line), line,
                          ahead[i].sectors & 0xfu, GMSIM_L1_ALLOCATE, &request.words);
        if (!missing)
            continue;
        request.footprint.line[left.lines] = line;
        left.line[left.lines] = (uint8_t)left.lines;
        left.missing[left.lines++] = (uint8_t)missing;
        left.sectors += gmsim_sector_count(missing);
    }
    request.counts->xbar_read_sectors += left.sectors;
    if (left.lines)
        ask_read(memory, &request, &left, answer);
}

/* The plug-in's prefetcher sees each line of a load that looked L1 up. */
static __attribute__((noinline)) void fetch_ahead(gmsim_sm_memory *memory,
                                                  const gmsim_request *request,
                                                  const left_over *left, gmsim_answer *answer)
{
    const gmsim_footprint *footprint = &request->footprint;
    const gmtrace_record *record = request->words.record;
    gmsim_prefetcher *prefetcher = &memory->prefetcher;
    for (uint32_t i = 0, next = 0; i < footprint->lines; i++) {
        gmsim_plugin_ahead ahead[GMSIM_PLUGIN_AHEAD] = {{0, 0}};
        gmsim_plugin_access access = {.line = footprint->line[i],
                                      .sectors = footprint->touched[i],
                                      .instr = record ? record->instr : UINT32_MAX,
                                      .first = i == 0};
        if (next < left->lines && left->line[next] == i)
            access.missing = left->missing[next++];
        uint32_t lines = prefetcher->plugged->access(prefetcher->state, &access, ahead);
        bool wrong = lines > GMSIM_PLUGIN_AHEAD;
        for (uint32_t k = 0; !wrong && k < lines; k++)
            if (ahead[k].line >> GMSIM_LINE_BITS) {
                ahead[0] = ahead[k];
                wrong = true;
            }
        if (wrong && !prefetcher->wrong) {
            prefetcher->wrong = true;
            prefetcher->answer = lines;
            prefetcher->first = ahead[0];
        }
        if (lines && !wrong && room_ahead(memory))
            bring_ahead(memory, request, ahead, lines, answer);
    }
}

GMSIM_INLINE void take_read(gmsim_sm_memory *memory, gmsim_request *request, gmsim_answer *answer)
{
    left_over left;
    if (request->kind == GMSIM_REQUEST_LOAD) {
        count_load(memory, request, &left);
    } else {
        miss_all(&request->footprint, &left);
        if (request->kind == GMSIM_REQUEST_FETCH)
            request->counts->xbar_read_sectors += left.sectors;
    }
    if (left.sectors)
        ask_read(memory, request, &left, answer);
    else
        hit(memory, request, &left, answer);
    if (memory->prefetcher.plugged && request->kind == GMSIM_REQUEST_LOAD &&
        request->load <= GMSIM_L1_PASS)
        fetch_ahead(memory, request, &left, answer);
}

static void take_write(gmsim_sm_memory *memory, gmsim_request *request, gmsim_answer *answer)
{
    gmsim_counts *counts = request->counts;
    uint32_t hits = 0, sectors = request->footprint.sectors;
    gmsim_ask_kind kind = GMSIM_ASK_WRITE;
    if (request->kind == GMSIM_REQUEST_STORE) {
        gmsim_packets_expect(&memory->packets, request->footprint.line[0]);
        hits = store(memory, request);
        counts->l1_hit_sectors += hits;
        counts->l1_miss_sectors += sectors - hits;
        if (memory->gpu->l1_packets && request->footprint.lines <= memory->gpu->l1_packets) {
            ask_store(memory, request, answer);
            return;
        }
        memory->packets.next += request->footprint.lines;
    }
    memory->packets.stores[request->part]++;
    counts->xbar_write_sectors += sectors;
    if (request->kind == GMSIM_REQUEST_ATOMIC) {
        counts->xbar_read_sectors += sectors;
        kind = GMSIM_ASK_ATOMIC;
    } else if (request->kind == GMSIM_REQUEST_REDUCTION) {
        kind = GMSIM_ASK_REDUCTION;
    }
    if (request->kind == GMSIM_REQUEST_ATOMIC || request->kind == GMSIM_REQUEST_REDUCTION)
        counts->l1_miss_sectors += sectors;
    ask_write(memory, request, kind, answer);
}

void gmsim_sm_memory_take(gmsim_sm_memory *memory, gmsim_request *request, gmsim_answer *answer)
{
    switch ((gmsim_request_kind)request->kind) {
    case GMSIM_REQUEST_LOAD:
    case GMSIM_REQUEST_FETCH:
    case GMSIM_REQUEST_PREFETCH:
    case GMSIM_REQUEST_AHEAD:
        take_read(memory, request, answer);
        break;
    case GMSIM_REQUEST_STORE:
    case GMSIM_REQUEST_ATOMIC:
    case GMSIM_REQUEST_REDUCTION:
    case GMSIM_REQUEST_WRITE_OUT:
        take_write(memory, request, answer);
        break;
    }
    if (memory->direct)
        answer_now(memory, answer);
}

/* It is this SM's turn: what it has just asked for is answered at once. */
static void answer_now(gmsim_sm_memory *memory, gmsim_answer *answer)
{
    gmsim_outbox *out = &memory->out;
    gmsim_sm_memory_serve(memory, memory->direct);
    for (uint32_t n = 0; n < out->asks; n++) {
        const gmsim_ask *ask = &out->ask[n];
        if (ask->waits && ask->done >= answer->done) {
            answer->done = ask->done;
            answer->queued = ask->queued;
            answer->reach = ask->reach;
        }
        if (ask->kind == GMSIM_ASK_ATOMIC)
            answer->stored = ask->done;
    }
    answer->asks = 0;
    gmsim_outbox_clear(out);
}
