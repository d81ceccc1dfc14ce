/* SPDX-License-Identifier: MIT
 *
 * sm_answers.c - what an SM has sent is served, and answered. Rules, as measured on an H200:
 *
 * - What an SM sends stays in order. Where SMs of both sides of L2 store to a line again and again,
 *   as to a flag, a slice takes these stores one after the other (contest.h), and what an SM sends
 *   behind one waits until it is taken; the load-store unit goes on meanwhile
 *   (micro/flag_beside.cu: loads of eight lines with a store to one byte behind each take ten
 *   times as long as loads alone).
 *
 * Left out: that SMs wait in turn for such a slice; that other requests to it hold up what is
 * behind them, too (flag_beside.cu, one store to 16 loads of 32 lines: 27 % too fast).
 */
#include "sim/model/cache/sm_memory.h"

#include "sim/model/hot.h"

/* They will be there. */
GMSIM_INLINE void arrive(gmsim_port *port, uint32_t units, uint64_t there)
{
    port->there[port->answered] = MAX(port->there[port->answered], there);
    port->answer_units += units;
    while (port->answer_units >= port->clocks) {
        port->answer_units -= port->clocks;
        port->answered = (port->answered + 1u) % GMSIM_BATCHES;
        port->there[port->answered] = there;
    }
}

/* Takes up the answers to a request's messages, from number `first` on. */
GMSIM_INLINE void take_up(gmsim_sm_memory *memory, const gmsim_ask *ask, uint32_t first)
{
    gmsim_places *places = &memory->places;
    const gmsim_message *message = &memory->out.message[first];
    if (ask->kind != GMSIM_ASK_READ) {
        for (uint32_t i = 0; i < ask->messages; i++)
            arrive(&memory->port, message[i].units, message[i].clock);
        return;
    }
    for (uint32_t i = 0; i < ask->messages; i++) {
        gmsim_pending *pending = gmsim_pending_at(memory->pending, message[i].line);
        if (pending->done == (GMSIM_UNDER_WAY | (first + i)))
            pending->done = message[i].clock; /* nobody has taken its place since */
    }
    if (message->places)
        for (uint32_t i = 0; i < ask->messages; i++) {
            places->free[places->answered] = message[i].clock;
            places->answered = places->answered + 1u < places->lines ? places->answered + 1u : 0;
        }
}

/* The ask left at `left`: behind a store that holds the way out it goes on by a line a clock when
 * that has been taken, and its answers come so much later; or it is such a store. */
static __attribute__((noinline)) void stay_in_order(gmsim_sm_memory *memory, gmsim_shared *shared,
                                                    gmsim_ask *ask, gmsim_message *message,
                                                    uint64_t left)
{
    const uint64_t arrives = shared->write_clocks, delay = memory->shut - MIN(left, memory->shut);
    const bool stores = ask->kind == GMSIM_ASK_WRITE || ask->kind == GMSIM_ASK_WRITE_FIRST;
    for (uint32_t i = 0; i < ask->messages; i++) {
        memory->shut += delay ? (stores ? message[i].units : 1u) : 0;
        if (!stores) {
            message[i].clock += delay;
            continue;
        }
        if (message[i].holds)
            memory->shut = MAX(memory->shut, message[i].clock - arrives);
        message[i].clock = MAX(message[i].clock, memory->shut + arrives);
        shared->drained = MAX(shared->drained, message[i].clock);
    }
    ask->done += delay;
    shared->holds = false;
}

void gmsim_sm_memory_serve(gmsim_sm_memory *memory, gmsim_shared *shared)
{
    gmsim_outbox *out = &memory->out;
    gmsim_ask *ask = out->ask;
    const gmsim_ask *const end = out->ask + out->asks;
    if (out->messages)
        gmsim_shared_expect(shared, memory->place, out->message, out->messages);
    for (uint32_t first = 0; ask < end; ask++) {
        uint64_t known = ask->done, joined = 0;
        uint32_t lines = ask->messages;
        if (lines) {
            gmsim_message *message = &out->message[first];
            const uint64_t(*bytes)[2] = (const uint64_t(*)[2]) & out->bytes[first];
            const uint64_t left = message->clock;
            ask->done = 0;
            if (__builtin_expect(shared->course != NULL, 0))
                gmsim_shared_serve_recorded(shared, memory->place, ask, message, bytes,
                                            &shared->place[first]);
            else
                gmsim_shared_serve(shared, memory->place, ask, message, bytes,
                                   &shared->place[first]);
            if (G_UNLIKELY(shared->holds || left < memory->shut))
                stay_in_order(memory, shared, ask, message, left);
            take_up(memory, ask, first);
            first += lines;
        }
        for (uint32_t i = 0; i < ask->joins; i++, first++) {
            uint64_t there = out->message[out->message[first].line].clock;
            joined = MAX(joined, there);
        }
        if (lines) {
            ask->done = MAX(MAX(ask->done, known), joined) + ask->later;
        } else if (joined > known) {
            ask->done = joined;
            ask->reach = GMSIM_REACH_L2;
        }
    }
}
