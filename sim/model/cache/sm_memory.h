/* SPDX-License-Identifier: MIT
 *
 * sm_memory.h - the half of the memory hierarchy that an SM owns: L1, what is on its way there, the
 * way out to L2, and the outbox (message.h). SMs may be run in any order within a step, or by
 * several threads: nothing here touches what they share before the outbox is served.
 */
#ifndef GMSIM_SM_MEMORY_H
#define GMSIM_SM_MEMORY_H

#include "sim/model/cache/flight.h"
#include "sim/model/cache/l1.h"
#include "sim/model/cache/message.h"
#include "sim/model/cache/packets.h"
#include "sim/model/cache/pending.h"
#include "sim/model/cache/shared.h"

#pragma GCC visibility push(hidden)

typedef enum gmsim_request_kind {
    GMSIM_REQUEST_LOAD,
    GMSIM_REQUEST_STORE,
    GMSIM_REQUEST_ATOMIC,
    GMSIM_REQUEST_REDUCTION,
    GMSIM_REQUEST_FETCH,     /* reads L2 past L1 without being a load: copies */
    GMSIM_REQUEST_PREFETCH,  /* the same; nobody waits for it, and it does not count */
    GMSIM_REQUEST_AHEAD,     /* reads into L1; nobody waits for it: a prefetcher's */
    GMSIM_REQUEST_WRITE_OUT, /* writes L2 past L1: bulk copies */
} gmsim_request_kind;

/* What is asked. */
typedef struct gmsim_request {
    gmsim_footprint footprint;
    gmsim_counts *counts;              /* whose cache counters it adds to */
    gmsim_l1_words words;              /* whose bytes it asks for or writes */
    uint64_t now;                      /* SM clock at which it reaches L1 */
    uint8_t kind;                      /* gmsim_request_kind */
    uint8_t load;                      /* gmsim_l1_load */
    uint8_t wavefronts;                /* of a load: passes through L1's data stage */
    uint8_t part;                      /* sub-partition that it comes from */
    bool whole_lines;                  /* what L2 lacks of a line it shall bring whole */
    bool is_float, is_double, is_swap; /* the atomic adds floats, of 8 bytes; is compare-and-swap */
    /* Of an atomic or reduction, for each line of the footprint: what L2 carries out one after the
     * other (most lanes in one address, by sector, added up), of that what lanes do alone in half
     * of the line and what is on both halves of a sector, most lanes in one address, lanes. */
    uint8_t line_operations[GMSIM_MAX_LINES];
    uint8_t line_lone[GMSIM_MAX_LINES];
    uint8_t line_wide[GMSIM_MAX_LINES];
    uint8_t line_passes[GMSIM_MAX_LINES];
    uint8_t line_lanes[GMSIM_MAX_LINES];
} gmsim_request;

/* A bulk reduction of so many sectors of the i-th line: each once, as if by a whole warp. */
static inline void gmsim_request_reduces(gmsim_request *request, uint32_t i, uint32_t sectors)
{
    request->line_operations[i] = (uint8_t)sectors;
    request->line_lone[i] = 0;
    request->line_wide[i] = (uint8_t)sectors;
    request->line_passes[i] = 1;
    request->line_lanes[i] = GMTRACE_WARP_LANES;
}

/* What the SM knows at once of a record's requests. */
typedef struct gmsim_answer {
    uint64_t done;   /* clock at which a warp that waits for them can go on, but for asks */
    uint64_t queued; /* clocks of that spent in queues beyond L2 */
    uint64_t stored; /* clock at which what they write has left the SM, or has come back */
    uint64_t held;   /* clock until which the way out of the SM takes no other request */
    uint8_t reach;   /* gmsim_reach */
    bool awaited;    /* all that a load asks for was in L1 or on its way, some of it on its way */
    uint8_t asks;    /* of these of the outbox, somebody waits for: done, queued and reach, and
                      * stored if something returns, may come with them */
} gmsim_answer;

#define GMSIM_PLACES 512u /* lines of an L1 so small that it can be full of lines on their way */

typedef struct gmsim_places {
    uint64_t free[GMSIM_PLACES]; /* when the line that took the place is there */
    uint32_t lines;              /* 0: more than GMSIM_PLACES, which are never all taken */
    uint32_t next, answered;     /* to be taken; the oldest whose line's answer is not here */
} gmsim_places;

/* The way out to L2. Writes and reductions under way are counted in batches. */
#define GMSIM_BATCHES 32u

typedef struct gmsim_port {
    uint64_t free;                   /* when it is */
    uint32_t clocks;                 /* of the way out that a batch takes */
    uint64_t there[GMSIM_BATCHES];   /* when the writes of a batch were or will be in L2 */
    uint32_t batch, units;           /* the batch that is being filled; clocks in it */
    uint32_t answered, answer_units; /* the same of writes whose answers are here */
} gmsim_port;

typedef struct gmsim_outbox {
    uint32_t messages, asks;
    uint32_t units, places; /* clocks of writes, places in L1 that they take */
    uint64_t served;        /* so often it has been emptied */
    gmsim_message *message; /* GMSIM_OUTBOX of each, whoever has the SM owns them */
    uint64_t (*bytes)[2];   /* that the message of a store writes, a bit each */
    gmsim_ask *ask;
} gmsim_outbox;

/* A plug-in's prefetcher. */
typedef struct gmsim_prefetcher {
    const gmsim_plugin_prefetcher *plugged; /* NULL: none */
    void *state;
    bool wrong; /* it gave too many lines, or one with a number too great */
    gmsim_plugin_ahead first;
    uint32_t answer; /* the first such answer */
} gmsim_prefetcher;

typedef struct gmsim_sm_memory {
    const gmsim_gpu *gpu;
    /* Set: it is this SM's turn at what all share; what it asks is answered at once, and nothing
     * stays in the outbox. */
    gmsim_shared *direct;
    gmsim_l1 l1;
    gmsim_sender place;
    gmsim_port port;
    uint64_t shut;        /* until when what it sends waits behind a store (contest.h) */
    uint64_t remote_free; /* when the way to other SMs of the cluster is */
    gmsim_places places;
    gmsim_pending pending[GMSIM_PENDING]; /* by a hash of the line */
    gmsim_packets packets;
    gmsim_flights flights;
    gmsim_prefetcher prefetcher;
    gmsim_outbox out;
    int32_t record_units, record_places; /* a record has room where no more are taken in `out` */
} gmsim_sm_memory;

/* Forgets an earlier launch; L1, of `bytes`, is empty. SMs are numbered GPC
 * by GPC, and GPCs lie on the sides of L2 by turns, two and two; where GPCs are unknown, SMs do,
 * one and one. */
void gmsim_sm_memory_begin(gmsim_sm_memory *memory, const gmsim_gpu *gpu, uint32_t number,
                           gmsim_l1_set *set, uint32_t bytes);
/* Then, where l1.prefetch is a plug-in's: `state` has state_bytes. */
void gmsim_sm_memory_plug(gmsim_sm_memory *memory, const gmsim_plugin_prefetcher *plugged,
                          void *state);

/* Most that a record which is no bulk copy has of them. */
#define GMSIM_RECORD_LINES (4u * GMSIM_MAX_LINES)
#define GMSIM_RECORD_UNITS 256u

/* Whether a record can be executed without knowing an answer that is still under way: it has so
 * many lines at most, or none if 0, and takes the way out for so many clocks. */
static inline bool gmsim_sm_memory_room(const gmsim_sm_memory *memory, uint32_t lines,
                                        uint32_t units)
{
    const gmsim_outbox *out = &memory->out;
    return out->messages + lines <= GMSIM_OUTBOX &&
           out->units + units <= (GMSIM_BATCHES - 1u) * memory->port.clocks &&
           (!memory->places.lines || out->places + lines <= memory->places.lines);
}

/* The same of a record that is no bulk copy. */
static inline bool gmsim_sm_memory_record_room(const gmsim_sm_memory *memory)
{
    const gmsim_outbox *out = &memory->out;
    return out->messages <= GMSIM_OUTBOX - GMSIM_RECORD_LINES &&
           (int32_t)out->units <= memory->record_units &&
           (int32_t)out->places <= memory->record_places;
}

/* A request for the line comes soon: what it looks at first is to be in the host's cache then. */
GMSIM_INLINE void gmsim_sm_memory_expect(gmsim_sm_memory *memory, uint64_t line)
{
    if (G_LIKELY(memory->l1.usual))
        gmsim_l1_find(&memory->l1, line);
    __builtin_prefetch(gmsim_pending_at(memory->pending, line), 1);
}

/* Takes the request: counts it, puts what L1 does not have into the outbox, and adds what is known
 * to the answer, which is all 0 but for `done` before a record's first request. */
void gmsim_sm_memory_take(gmsim_sm_memory *memory, gmsim_request *request, gmsim_answer *answer);

/* Has the outbox served. Its asks are answered; the caller reads them, then empties it. */
void gmsim_sm_memory_serve(gmsim_sm_memory *memory, gmsim_shared *shared);
static inline void gmsim_outbox_clear(gmsim_outbox *out)
{
    out->messages = out->asks = out->units = out->places = 0;
    out->served++;
}

#pragma GCC visibility pop

#endif
