/* SPDX-License-Identifier: MIT
 *
 * replay.h - what one record does to the memory hierarchy.
 */
#ifndef GMSIM_REPLAY_H
#define GMSIM_REPLAY_H

#include "sim/model/count/banks.h"
#include "sim/model/cache/sm_memory.h"
#include "sim/model/count/tally.h"

#pragma GCC visibility push(hidden)

#define GMSIM_MOST_TAG_SETS 16u

typedef struct gmsim_replay {
    const gmsim_gpu *gpu;
    gmsim_tally tally;
    uint8_t tag_set[GMSIM_MOST_TAG_SETS]; /* by the line number's bits, folded to 4 */
    uint64_t turn;      /* of the SM that is run: the step's number << 16 | the SM's */
    uint64_t l1_clocks; /* least clocks of all L1 tag and data stages, added up */
    uint64_t degree[GMSIM_DEGREE_BINS];
    gmsim_watch *watch;                                 /* NULL: nobody looks on */
    gmsim_whatif *whatif;                               /* NULL: all is as it was */
    uint8_t local_load;                                 /* gmsim_l1_load of local memory */
    const uint64_t (*tensor_map)[GMTRACE_TENSOR_WORDS]; /* the launch's */
    uint32_t tensor_maps;
    gmsim_bank_memo banks;
} gmsim_replay;

/* Who executes a record. */
typedef struct gmsim_executor {
    uint64_t cta;
    uint32_t warp;
    uint32_t slot;       /* of all SMs' warps */
    uint8_t part;        /* sub-partition of the SM */
    uint64_t window;     /* address of the warp's local memory */
    uint64_t now;        /* SM clock at which the record reaches the load-store unit */
    uint32_t clocks;     /* set: how long it keeps the load-store unit busy */
    uint32_t wavefronts; /* set: of them, passes of data between there and its sub-partition */
    gmsim_answer answer; /* set */
    uint32_t copy_instr; /* of its last asynchronous copy that reads; GMTRACE_NO_INSTR: done with */
    uint32_t copy_sectors;
    gmsim_copy_source *copy; /* what that read */
} gmsim_executor;

/* Fills in what follows from the GPU, which must outlive it. */
void gmsim_replay_prepare(gmsim_replay *replay, const gmsim_gpu *gpu);

#define GMSIM_MOST_BULK_BYTES (1u << 20) /* shared memory holds less; far more is no copy */

/* Zeroes what it has counted. */
void gmsim_replay_reset(gmsim_replay *replay);
/* Adds what another has counted, whose tally shares this one's. */
void gmsim_replay_add(gmsim_replay *replay, const gmsim_replay *other);

/* Counts an ACCESS, BULK or TENSOR record of a warp on the SM that has `memory`. Returns NULL, or
 * what is wrong with the record. */
const char *gmsim_replay_record(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                                const gmtrace_chunk *chunk, const gmtrace_record *record);

/* Whether gmsim_sm_memory_room() has what the record may need. */
bool gmsim_replay_copy_room(const gmsim_replay *replay, const gmsim_sm_memory *memory,
                            const gmtrace_record *record);
/* The same of an access, where there is no room for whatever one may be. */
bool gmsim_replay_access_room(const gmsim_sm_memory *memory, const gmtrace_record *record);
/* Of any of the three; `access`: it is one, and is not looked at unless it has to be. */
static inline bool gmsim_replay_room(const gmsim_replay *replay, const gmsim_sm_memory *memory,
                                     const gmtrace_record *record, bool access)
{
    return access ? gmsim_sm_memory_record_room(memory) || gmsim_replay_access_room(memory, record)
                  : gmsim_replay_copy_room(replay, memory, record);
}

#pragma GCC visibility pop

#endif
