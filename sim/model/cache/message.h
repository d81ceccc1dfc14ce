/* SPDX-License-Identifier: MIT
 *
 * message.h - where the two halves of the model meet. What an SM asks of L2 is a message for each
 * line, put into the SM's outbox with the clock at which it leaves. What all SMs share serves the
 * outboxes one after the other at the end of a step of the schedule (time/queue.h), and writes
 * into each message the clock at which what it asked for is there.
 */
#ifndef GMSIM_MESSAGE_H
#define GMSIM_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

/* How far a request had to go. */
typedef enum gmsim_reach { GMSIM_REACH_L1, GMSIM_REACH_L2, GMSIM_REACH_DRAM } gmsim_reach;

typedef enum gmsim_ask_kind {
    GMSIM_ASK_READ,
    GMSIM_ASK_WRITE,
    GMSIM_ASK_ATOMIC,      /* returns something */
    GMSIM_ASK_REDUCTION,   /* returns nothing */
    GMSIM_ASK_WRITE_FIRST, /* a store with evict_first */
} gmsim_ask_kind;

/* Sectors of one line. */
typedef struct gmsim_message {
    uint64_t line;
    uint64_t clock;        /* it leaves the SM; answered: what it asked for is there */
    uint8_t touched, full; /* sectors: with at least one byte asked for, with all */
    union {
        uint8_t again; /* of a store's `touched`: that L2 has counted already (packets.h) */
        uint8_t lone;  /* of an atomic's operations: by lanes alone in half of the line */
    };
    uint8_t units; /* clocks that it takes on the way out of the SM */
    bool places;   /* the line has taken a place in L1 */
    union {
        bool anew; /* a read behind a store to what is read for the SM already: never one with it */
        bool holds; /* answered: a store which held what the SM sent behind it (contest.h) */
    };
    /* Of an atomic: most lanes in one address, by sector, added up, and of the whole line; lanes.
     */
    uint8_t operations, passes, lanes;
    uint8_t wide; /* of its operations: on words of both 16 bytes of their sector */
} gmsim_message;

/* The messages of one request, which stand one after the other. */
typedef struct gmsim_ask {
    uint64_t done;   /* it is not done before; answered: when it is */
    uint64_t queued; /* answered: clocks of that spent in queues beyond L2 */
    uint16_t later;  /* clocks after the last message's answer */
    uint8_t kind;    /* gmsim_ask_kind */
    uint8_t messages;
    uint8_t joins; /* then so many that only wait for the earlier message whose number is `line` */
    uint8_t reach; /* answered: gmsim_reach */
    bool is_load;  /* a load, whose messages are what L1 lacked */
    bool waits;    /* somebody waits for the answer */
    bool whole_lines;                  /* of a read: as gmsim_request */
    bool first;                        /* of a read: what it brings leaves L2 before others */
    bool brings;                       /* a read of which nothing comes back: a prefetch */
    bool is_float, is_double, is_swap; /* the atomic adds floats, of 8 bytes; is compare-and-swap */
} gmsim_ask;

/* Where a line falls in a table. */
static inline uint32_t gmsim_hash32(uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* Which of `slots`, a power of two, that is. */
static inline uint32_t gmsim_hash_slot(uint64_t key, uint32_t slots)
{
    return gmsim_hash32(key) / (UINT32_MAX / slots + 1u);
}

/* gmsim_hash32() for what must not answer equal steps of the key by equal steps: hash32 does. */
static inline uint32_t gmsim_scatter32(uint64_t key)
{
    key = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return gmsim_hash32(key ^ key >> 32);
}

#endif
