/* SPDX-License-Identifier: MIT
 *
 * sm.h - what an SM owns while a launch runs: its warps and CTAs, when its units are free, its half
 * of the memory hierarchy, and its counters.
 */
#ifndef GMSIM_SM_H
#define GMSIM_SM_H

#include "sim/model/replay.h"
#include "sim/model/time/pace.h"
#include "sim/model/time/recorder.h"
#include "sim/model/time/turns.h"
#include "traces/code/path.h"

#pragma GCC visibility push(hidden)

#define GMSIM_MAX_CTA_WARPS      32u
#define GMSIM_MAX_SM_CTAS        32u
#define GMSIM_NAMED_BARRIERS     16u
#define GMSIM_MAX_SUB_PARTITIONS 8u

/* Groups of asynchronous copies whose end is remembered. */
#define GMSIM_COPY_GROUPS 8u
/* The same of warpgroup MMA, of which WARPGROUP.DEPBAR can leave seven under way. */
#define GMSIM_PRODUCT_GROUPS 8u

/* What may be under way for a warp: what sets each scoreboard; copies; what it stores; for
 * products it may wait, which is known, behind something that is not. */
#define GMSIM_UNDER_WAY_COPIES   GMSIM_SCOREBOARDS
#define GMSIM_UNDER_WAY_STORED   (GMSIM_SCOREBOARDS + 1u)
#define GMSIM_UNDER_WAY_PRODUCTS (GMSIM_SCOREBOARDS + 2u)
#define GMSIM_WAITS              (GMSIM_SCOREBOARDS + 3u)

/* The way to the next record, or to the end, of a warp that waits for an answer under way: it goes
 * on at `clock`, or later for each wait in turn, and takes so many `slots`. */
typedef struct gmsim_way {
    uint8_t waits, wait[GMSIM_WAITS];
    bool ends;
    uint32_t group;    /* of copies, for which it waits */
    uint32_t products; /* groups of warpgroup MMA that it need not wait for */
    uint64_t clock, slots;
    uint64_t at[GMSIM_WAITS]; /* `slots` before the wait */
} gmsim_way;

/* An access that stands in its sub-partition's queue. */
typedef struct gmsim_standing {
    uint64_t issue;
    gmtrace_record record;                /* without a chunk: */
    uint64_t address[GMTRACE_WARP_LANES]; /* its only one, if its shape needs it */
} gmsim_standing;

/* Whose it is: apart from the rest, as the host is asked for that of all that stand there. */
typedef struct gmsim_stander {
    uint64_t handed; /* when its sub-partition hands it to the load-store unit, if asked for it */
    uint8_t slot, board, read_board; /* of the warp; scoreboards it sets free, as gmsim_access */
} gmsim_stander;

/* A warp on a long way. */
typedef struct gmsim_load {
    uint64_t cta;
    uint32_t slot;
    uint32_t clocks;            /* that are left of the way, */
    uint32_t piece;             /* those of its present piece, */
    uint32_t stretched;         /* and by which that is longer, for others */
    uint16_t pipe[GMSIM_PIPES]; /* what it takes of the pipes, in 256ths of what they can do */
} gmsim_load;

/* What the warps of a sub-partition share. */
typedef struct gmsim_sub_partition {
    uint64_t pipe_free[GMSIM_PIPES];
    uint64_t taken[GMSIM_PIPES];      /* clocks that each has been taken for, so far */
    const struct gmsim_warp *held_by; /* the warp that the scheduler is with, */
    uint64_t held_until;              /* until then (runs.c) */
    uint64_t asked_at;                /* when the last warp set out on a short way */
    uint32_t asked[GMSIM_PIPES]; /* of late on such: clocks, 1/256 less with each that passes */
    uint64_t loads;              /* warps on long ways, as a mask, */
    uint32_t loaded;             /* and how many */
    /* Of its last memory instructions: how long they waited for pipes or constants, and when that
     * was over; when they left its queue. */
    uint64_t late[GMSIM_QUEUE], paced[GMSIM_QUEUE], began[GMSIM_QUEUE];
    uint32_t next;                       /* the oldest of them */
    gmsim_stander stander[GMSIM_QUEUE];  /* by place */
    uint8_t order[GMSIM_QUEUE];          /* places of those that stand there, the oldest first */
    uint32_t standing;                   /* how many */
    uint32_t shared_order;               /* which of `order` are to shared memory, as a mask */
    uint64_t shared_free;                /* when the load-store unit takes its next shared access */
    uint64_t hands_at;                   /* when it can hand that another access */
    uint32_t waiting;                    /* warps that wait for a place in it (places.h) */
    gmsim_load load[GMSIM_MAX_SM_WARPS]; /* of `loaded` warps, in no order */
    /* Those that wait, in the order in which they come, the head last: that alone stands in
     * gmsim_sm.ready. */
    uint64_t line[GMSIM_MAX_SM_WARPS];
} gmsim_sub_partition;

/* What a warp's next turn is. */
typedef enum gmsim_turn {
    GMSIM_TURN_PLAN,   /* to find its way: it has just begun, or was at a barrier */
    GMSIM_TURN_RUN,    /* a run on its way (runs.c) */
    GMSIM_TURN_POLL,   /* what its last record, which polls, has found */
    GMSIM_TURN_RECORD, /* its next record, which is there */
    GMSIM_TURN_PIECE,  /* a piece of a long way */
    GMSIM_TURN_END,
    GMSIM_TURN_SETS_OUT, /* on a long way, with what it has waited for */
} gmsim_turn;

/* What each of a warp's turns needs stands first, in as few of the host's lines as may be: up to
 * `path`, and `way`. */
typedef struct gmsim_warp {
    _Alignas(64) gmtrace_cursor cursor;
    gmsim_sub_partition *part; /* of the SM: it is one of those who share it */
    uint32_t cta;              /* place of its CTA on the SM */
    uint32_t last;             /* instruction of its last record */
    uint32_t clocks;           /* from there to the next one, were it alone */
    uint8_t turn;              /* gmsim_turn */
    bool ends;                 /* its way leads to its end */
    bool issued;               /* its way is over, it waits for its record's clock */
    bool quiet;                /* it has accessed no memory but shared since its last fence */

    uint32_t pipe[GMSIM_PIPES], unit, constant; /* what it asks of the pipes on the way */
    uint32_t uses, sets; /* masks of those pipes, and of the scoreboards that the way sets */
    uint32_t under_way;  /* GMSIM_UNDER_WAY_*, as a mask */
    uint32_t unserved;   /* the same of what its accesses that stand in the queue will tell */
    uint32_t pieces;     /* in which it goes the way */
    uint32_t behind;     /* it is at a barrier once so many that stand there have been taken */

    uint32_t due[GMSIM_SCOREBOARDS];  /* clocks until what the way sets is there; 0: nothing */
    uint8_t cause[GMSIM_SCOREBOARDS]; /* gmsim_stall of a wait for it */
    uint8_t next_scoreboard;          /* used where there are no control bits */
    uint64_t gaps;                    /* as gmsim_pace, of the whole way */
    uint32_t head, run, run_at;       /* the same; `head` is 0 if it lets the first clock pass */
    uint64_t idle[GMSIM_PIPES];       /* clocks of those that nobody had taken when it set out, */
    uint64_t constant_idle;           /* and of the constant cache */
    uint64_t late, paced;             /* as above, of its next record */

    uint64_t free[GMSIM_SCOREBOARDS]; /* when what sets the scoreboard is there */
    uint64_t unit_free;               /* when the load-store unit takes its next access */
    uint64_t stored;   /* when its last store so far is there: it is not gone before */
    uint64_t answered; /* when what L2 answered last so far is there */
    uint64_t queued[GMSIM_SCOREBOARDS]; /* clocks of `free` spent in queues beyond L2 */

    gmsim_executor who;
    gmtrace_path_warp path;
    gmsim_way way;
    uint64_t start, arrived; /* on the SM; at the barrier where it waits */
    uint64_t polled;         /* when it last read a word that it polls, */
    uint64_t poll_address;   /* of its first lane, */
    uint32_t in_vain;        /* and how often it has done so */
    uint32_t slept;          /* clocks between ticks of the last NANOSLEEP on its way */
    uint32_t poll_rows;      /* of words before those of the record, to which it has gone back */
    bool poll_over;          /* that loop is over */
    uint32_t products;       /* groups of warpgroup MMA so far, */
    uint64_t product[GMSIM_PRODUCT_GROUPS];
    uint64_t multiplied; /* when its last so far is there */
    uint64_t copied;     /* when the copies not committed yet are there */
    uint64_t group[GMSIM_COPY_GROUPS];
    uint32_t groups, groups_known; /* committed so far; of which all copies are answered */
} gmsim_warp;

/* Masks are over the warps of the CTA. */
typedef struct gmsim_cta {
    uint64_t number;
    uint32_t live; /* warps that have not ended; 0: the place is free */
    uint32_t waiting;
    uint32_t arrived_at[GMSIM_NAMED_BARRIERS];
    uint32_t waiting_at[GMSIM_NAMED_BARRIERS];
    uint32_t expected[GMSIM_NAMED_BARRIERS];   /* warps; 0: all that live */
    uint64_t arrival;                          /* of the last warp at a barrier */
    uint32_t cluster_arrived, cluster_waiting; /* at the cluster's barrier */
    uint64_t cluster_arrival, cluster_go;      /* the last there; since when it was let go */
    uint64_t begin, end;                       /* of its warps; of the last to end so far */
    uint8_t slot[GMSIM_MAX_CTA_WARPS];         /* of each warp */
    uint32_t barrier_word, barrier_writes;     /* of the barrier that it polls (polls.c) */
} gmsim_cta;

/* The record, which warps are asked for when it is no longer in the host's cache: takes a place in
 * the queue; is an access; is to shared memory. */
#define GMSIM_COMES_QUEUES 1u
#define GMSIM_COMES_ACCESS 2u
#define GMSIM_COMES_SHARED 4u

/* A lane writes a word that others poll, or asks for its turn at one (polls.c). */
#define GMSIM_SIGNALS 512u

typedef struct gmsim_signal {
    uint64_t clock; /* it is there */
    uint32_t word;
    uint8_t slot;
    bool asks;
} gmsim_signal;

#define GMSIM_NEVER UINT32_MAX

/* A record of which something is under way, or of which an earlier one with the same scoreboard
 * has: they are taken up in order. */
typedef struct gmsim_access {
    uint64_t issue, read;      /* when it issued; when its operands had been read */
    uint64_t done, queued;     /* as gmsim_executor */
    uint8_t slot, asks, reach; /* of the warp; answers it waits for */
    uint8_t board, read_board; /* scoreboards it sets free; GMSIM_SCOREBOARDS and more: none */
    uint8_t mbarrier;          /* that a copy completes, plus one; 0: none */
    uint16_t ctas;             /* of the cluster, that get it; 0: its own alone */
    bool shared, load, copy, returns, commits; /* space; kind; the end of a group of copies */
} gmsim_access;

#define GMSIM_ACCESSES 1024u

/* What an SM has for an mbarrier of another CTA of a cluster: more than it can say in a step. */
#define GMSIM_TOLD 1024u

typedef struct gmsim_told {
    uint64_t cta, clock;
    uint8_t number, lanes; /* of the mbarrier; that arrive, 0: a copy is there */
} gmsim_told;

typedef struct gmsim_sm {
    uint32_t
        ready[GMSIM_MAX_SM_WARPS]; /* clocks after the epoch; GMSIM_NEVER: does not wait to go */
    uint32_t next;                 /* least of them; below the step's end: it waits for an answer */
    uint32_t left;                 /* places whose CTA has ended in this step, as a mask */
    uint32_t waiting;              /* places that wait for SMs' turns (deal.c), as a mask */
    uint32_t resident;
    uint32_t turn;     /* the sub-partition of the next CTA's first warp */
    bool room;         /* warps have ended before their CTAs: there may be room for one more; */
    bool open;         /* so at the end of the last step */
    uint32_t promised; /* places that are about to take a CTA, as a mask */
    uint64_t taken;    /* slots that a warp is in, as a mask */
    uint32_t slots;    /* of `warp`, that a CTA has been in so far */
    uint32_t accesses;
    struct gmsim_code *code;  /* that it has (fetch.h); NULL: all that it needs */
    uint64_t unplanned;       /* warps whose way waits for an answer, as a mask */
    uint64_t deferred;        /* warps that are on their way to a barrier so, as a mask */
    bool runs;                /* a warp has met a run on its way (runs.c) */
    uint32_t standing;        /* accesses that stand in queues */
    uint32_t standing_shared; /* of those, to shared memory */
    uint32_t served;          /* the sub-partition whose turn was the last, */
    uint64_t served_at;       /* and when */
    uint64_t mbarrier_free;   /* when the SM takes another mbarrier instruction */
    uint64_t constant_free;   /* when the constant cache is, */
    uint64_t constant_taken;  /* and clocks that it has been taken for, so far */
    uint64_t copy_free;       /* when the copies past L1 that it has taken are through */
    uint64_t unit_free;       /* when the load-store unit takes the next request */
    uint64_t unit_work;       /* and when it would, had it worked without a pause */
    uint64_t held;            /* and the next that is not to shared memory */
    uint64_t stored;          /* of the last store */
    uint64_t active, active_since, active_until; /* clocks with a CTA; since when it has one; the
                                                  * end of the last to end so far */
    uint64_t gone[GMSIM_MAX_SM_WARPS];           /* when the last warp in the slot ended */
    uint64_t since[GMSIM_MAX_SM_WARPS]; /* a warp waits for a place in its sub-partition's queue */
    gmsim_sub_partition part[GMSIM_MAX_SUB_PARTITIONS];
    gmsim_standing (*stands)[GMSIM_QUEUE]; /* of each sub-partition, by place */
    /* Of each warp: GMSIM_COMES_* of its next record; for the host's cache, where that is, and the
     * line of memory that it begins with. */
    uint8_t comes[GMSIM_MAX_SM_WARPS];
    const void *coming[GMSIM_MAX_SM_WARPS];
    uint64_t comes_to[GMSIM_MAX_SM_WARPS];
    gmsim_warp warp[GMSIM_MAX_SM_WARPS];
    gmsim_cta cta[GMSIM_MAX_SM_CTAS];
    gmtrace_paths *paths;       /* find the ways of its warps */
    gmsim_timing timing;        /* stall, warp_active, loads, load_cycles */
    gmsim_course *course;       /* where it is recorded over time; NULL: nowhere */
    uint64_t records, barriers; /* so far */
    uint64_t product_bytes; /* in shared memory of warpgroup MMA, told by each of its four warps */
    uint64_t end;           /* clock at which the last warp so far ended */
    gmsim_access *access;
    gmsim_copy_source *copy; /* gmsim_executor.copy, of each warp */
    uint32_t cluster_ready;  /* places whose CTA has arrived at its cluster's barrier, as a mask */
    uint32_t told;
    gmsim_told *tell;
    uint64_t polling;                     /* warps that wait for the answer to a poll, as a mask */
    uint64_t turn_at[GMSIM_MAX_SM_WARPS]; /* since when it is the warp's turn at a word; 0: it has
                                           * not asked for it, UINT64_MAX: it is not yet */
    uint32_t signals;                     /* in this step */
    gmsim_signal *signal;
    gmsim_sm_memory memory;
} gmsim_sm;

/* Lists of an SM that are seldom long. They lie apart, in a host's pages of the usual size, so that
 * only what is used of them is asked for. */
typedef struct gmsim_sm_lists {
    gmsim_message message[GMSIM_OUTBOX]; /* these are empty at the end of an SM's step, */
    uint64_t bytes[GMSIM_OUTBOX][2];
    gmsim_ask ask[GMSIM_OUTBOX];
    gmsim_access access[GMSIM_ACCESSES];
    gmsim_standing stands[GMSIM_MAX_SUB_PARTITIONS][GMSIM_QUEUE]; /* and these need not be */
    gmsim_copy_source copy[GMSIM_MAX_SM_WARPS];
    gmsim_told tell[GMSIM_TOLD];
    gmsim_signal signal[GMSIM_SIGNALS];
} gmsim_sm_lists;

/* `step`: whose first four it has; those of SMs whose steps are done one after the other are one
 * SM's, which the host's cache holds. */
static inline void gmsim_sm_has(gmsim_sm *sm, gmsim_sm_lists *own, gmsim_sm_lists *step)
{
    gmsim_outbox *out = &sm->memory.out;
    out->message = step->message;
    out->bytes = step->bytes;
    out->ask = step->ask;
    sm->access = step->access;
    sm->stands = own->stands;
    sm->copy = own->copy;
    sm->tell = own->tell;
    sm->signal = own->signal;
}

static inline bool gmsim_sm_recorded(const gmsim_sm *sm)
{
    return __builtin_expect(sm->course != NULL, 0);
}

#pragma GCC visibility pop

#endif
