/* SPDX-License-Identifier: MIT
 *
 * access.h - a warp's accesses to memory: access.c tells what is modelled. What every access goes
 * through is inlined.
 */
#ifndef GMSIM_ACCESS_H
#define GMSIM_ACCESS_H

#include "sim/model/hot.h"
#include "sim/model/time/launch.h"
#include "sim/model/time/places.h"

#pragma GCC visibility push(hidden)

static inline uint8_t gmsim_slot_of(const gmsim_sm *sm, const gmsim_warp *warp)
{
    return (uint8_t)(warp - sm->warp);
}

/* A scoreboard, if it is one, will be free at that clock. */
static inline void gmsim_set_free(gmsim_warp *warp, uint32_t board, uint64_t done, uint64_t queued,
                                  gmsim_stall cause)
{
    if (board >= GMSIM_SCOREBOARDS || done <= warp->free[board])
        return;
    warp->free[board] = done;
    warp->queued[board] = queued;
    warp->cause[board] = (uint8_t)cause;
}

/* What a copy brought is there, for the mbarriers that count it. */
void gmsim_access_land(gmsim_scheduler *s, gmsim_sm *sm, const gmsim_warp *warp, uint32_t number,
                       uint32_t ctas, uint64_t done);

/* The mbarrier that the record, a copy, completes, plus one. */
uint32_t gmsim_access_completes(const gmsim_scheduler *s, const gmtrace_record *record);

/* The access, which issued at `issue` and sets these scoreboards free, comes to the end of its
 * queue. What it will tell is not known until it is taken. */
void gmsim_access_stand(const gmsim_gpu *gpu, gmsim_sm *sm, gmsim_warp *warp,
                        const gmtrace_record *record, uint64_t issue, uint32_t board,
                        uint32_t read_board);

/* When the sub-partition can hand the load-store unit the access, which issued at `issue`. */
static inline uint64_t gmsim_access_hand(const gmsim_gpu *gpu, gmsim_sub_partition *part,
                                         const gmtrace_record *record, uint64_t issue)
{
    const uint64_t at = MAX(issue, part->hands_at);
    const bool store = record->op == GMTRACE_OP_STORE;
    part->hands_at = at + (store ? gpu->sm_store_issue : gpu->shared_issue);
    return at;
}

/* So many clocks before the unit takes it an access that stands in its queue sets about reading its
 * registers (micro/store_many.cu: 18 to 22 alike). */
#define GMSIM_READS_BEFORE 20u

/* So many clocks before the way out is open an access may leave its queue. With more, some leave
 * before others come whose turn it is (micro/store_pitch.cu, `tile`). */
#define GMSIM_AHEAD 4u

/* Clocks that a copy past L1 takes besides those of its write (micro/copy_rows.cu, no loads). */
#define GMSIM_COPY_BESIDES 3u

static inline gmsim_stall gmsim_access_cause(uint32_t reach, bool shared)
{
    if (shared)
        return GMSIM_STALL_SHARED;
    switch ((gmsim_reach)reach) {
    case GMSIM_REACH_L1:
        return GMSIM_STALL_L1;
    case GMSIM_REACH_DRAM:
        return GMSIM_STALL_DRAM_LATENCY;
    default:
        return GMSIM_STALL_L2;
    }
}

static inline void gmsim_access_count_load(gmsim_sm *sm, uint64_t clocks)
{
    sm->timing.loads++;
    sm->timing.load_cycles += clocks;
}

/* When a warp has what L2 answers it by `done`: in the order in which it asked, while what hits in
 * L1 overtakes (micro/hit_behind.cu, own). */
static inline uint64_t gmsim_access_in_order(gmsim_warp *warp, uint64_t done)
{
    return warp->answered = MAX(warp->answered, done);
}

/* All answers to the access are there: scoreboards, copies and counters learn of it. */
static inline void gmsim_access_take_up(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                                        gmsim_access *access)
{
    if ((access->load || access->returns) && access->reach != GMSIM_REACH_L1)
        access->done = gmsim_access_in_order(warp, access->done);
    if (access->copy && access->mbarrier)
        gmsim_access_land(s, sm, warp, access->mbarrier - 1u, access->ctas, access->done);
    else if (access->copy)
        warp->copied = MAX(warp->copied, access->done);
    else
        gmsim_set_free(warp, access->board, access->done, access->queued,
                       gmsim_access_cause(access->reach, access->shared));
    if (access->returns)
        warp->stored = MAX(warp->stored, access->done);
    if (access->load)
        gmsim_access_count_load(sm, access->done - access->issue);
}

/* Something is under way for the warp: takes up what is known of the access, which stands behind
 * the SM's others, and puts off what is not, or comes after something that is not. */
GMSIM_INLINE void gmsim_access_take_or_put_off(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                                               gmsim_access *access)
{
    uint32_t waiting = (access->board < GMSIM_SCOREBOARDS ? 1u << access->board : 0) |
                       (uint32_t)access->copy << GMSIM_UNDER_WAY_COPIES |
                       (uint32_t)access->returns << GMSIM_UNDER_WAY_STORED;
    bool unknown = access->asks || (warp->under_way & waiting);
    if (unknown) {
        warp->under_way |= waiting;
    } else {
        gmsim_access_take_up(s, sm, warp, access);
        access->board = GMSIM_SCOREBOARDS;
        access->load = access->copy = false;
    }
    if (access->read_board < GMSIM_SCOREBOARDS && (warp->under_way >> access->read_board & 1u)) {
        unknown = true;
    } else {
        gmsim_set_free(warp, access->read_board, access->read, 0, GMSIM_STALL_L1);
        access->read_board = GMSIM_SCOREBOARDS;
    }
    sm->accesses += unknown;
}

/* The load-store unit takes the access, which issued at `at`; who.now becomes when. Its registers
 * are read from so many clocks `early` on. */
GMSIM_INLINE const char *gmsim_access_serve(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                                            const gmtrace_chunk *chunk,
                                            const gmtrace_record *record, uint64_t at,
                                            uint32_t board, uint32_t read_board, uint32_t early)
{
    gmsim_executor *who = &warp->who;
    const gmsim_answer *answer = &who->answer;
    const gmsim_gpu *gpu = s->plan.gpu;
    gmsim_sub_partition *part = warp->part;
    const bool shared = record->space == GMTRACE_SPACE_SHARED;
    /* Behind stores that wait for the way out, accesses to shared memory pass. */
    const uint64_t taken = MAX(sm->unit_free, at), free = shared ? taken : MAX(taken, sm->held);
    uint64_t now = free;
    if (shared) {
        now = MAX(now, part->shared_free);
        part->shared_free = now + gpu->shared_issue;
    }
    /* Where its own warp's last access keeps one waiting, others pass (micro/lsu_share.cu). */
    now = MAX(now, warp->unit_free);
    who->now = now;
    if (free >= sm->stored + gpu->l1_packet_idle)
        gmsim_packets_close_all(&sm->memory.packets);
    const char *wrong = gmsim_replay_record(s->replay, &sm->memory, who, chunk, record);
    const bool past = record->op == GMTRACE_OP_COPY_WRITE &&
                      gmsim_tally_site(&s->replay->tally, record->instr)->copy_bypass;
    if (past) { /* half of it is not the unit's */
        sm->copy_free = MAX(sm->copy_free, taken) + who->clocks + GMSIM_COPY_BESIDES;
        warp->copied = MAX(warp->copied, sm->copy_free + gpu->l1_latency);
        who->clocks = (who->clocks + 1u) / 2u;
    }
    const uint32_t clocks = who->clocks;
    sm->unit_free = taken + clocks;
    if (!shared)
        sm->held = MAX(free + clocks, answer->held);
    if (!shared) /* held up, the unit is not idle */
        sm->stored =
            record->op == GMTRACE_OP_STORE ? sm->held : sm->stored + (sm->held - (free + clocks));
    if (shared || answer->awaited || (!answer->asks && answer->reach == GMSIM_REACH_L1))
        warp->unit_free = now + (uint64_t)who->wavefronts * gpu->sm_wavefront;
    sm->unit_work += clocks;
    warp->stored = MAX(warp->stored, answer->stored);
    const uint64_t read = MAX(at, now - MIN(now, early)) + gpu->sm_operands;
    const bool load = record->op == GMTRACE_OP_LOAD && !shared;
    const bool again = record->op == GMTRACE_OP_COPY_WRITE && answer->held; /* it asked, too */
    const bool copy = record->op == GMTRACE_OP_COPY_READ || again;
    const uint32_t mbarrier =
        record->kind != GMTRACE_ACCESS && s->mbarriers ? gmsim_access_completes(s, record) : 0;
    if (answer->asks || warp->under_way || mbarrier) {
        gmsim_access *access = &sm->access[sm->accesses];
        *access = (gmsim_access){.issue = at,
                                 .read = read,
                                 .done = answer->done,
                                 .queued = answer->queued,
                                 .slot = gmsim_slot_of(sm, warp),
                                 .asks = answer->asks,
                                 .reach = answer->reach,
                                 .board = (uint8_t)(mbarrier ? GMSIM_SCOREBOARDS : board),
                                 .mbarrier = (uint8_t)mbarrier,
                                 .ctas = (uint16_t)(mbarrier ? gmsim_phase_ctas(record) : 0),
                                 .read_board = (uint8_t)read_board,
                                 .shared = shared,
                                 .load = load,
                                 .copy = copy || mbarrier,
                                 .returns = record->op == GMTRACE_OP_ATOMIC && !shared};
        gmsim_access_take_or_put_off(s, sm, warp, access);
        return wrong;
    }
    const bool returns = load || (record->op == GMTRACE_OP_ATOMIC && !shared);
    const uint64_t done = returns && answer->reach != GMSIM_REACH_L1
                              ? gmsim_access_in_order(warp, answer->done)
                              : answer->done;
    if (copy)
        warp->copied = MAX(warp->copied, done);
    else
        gmsim_set_free(warp, board, done, answer->queued,
                       gmsim_access_cause(answer->reach, shared));
    gmsim_set_free(warp, read_board, read, 0, GMSIM_STALL_L1);
    if (load)
        gmsim_access_count_load(sm, done - at);
    return wrong;
}

/* A store that leaves bytes of its lines to others. */
static inline bool gmsim_access_is_part(const gmtrace_record *record)
{
    return record->op == GMTRACE_OP_STORE && record->space == GMTRACE_SPACE_GLOBAL &&
           record->kind == GMTRACE_ACCESS &&
           !(record->shape == GMTRACE_AFFINE && record->stride == record->size &&
             record->mask == GMSIM_ALL_LANES);
}

/* When the load-store unit takes the next of the accesses that stand in queues, or would. */
static inline uint64_t gmsim_unit_takes_at(const gmsim_sm *sm)
{
    const uint64_t way = sm->held - MIN(sm->held, GMSIM_AHEAD);
    return MAX(sm->unit_free, sm->standing_shared ? 0 : way);
}

/* Whether the access has to stand in its queue: what could join others behind it is taken in turn
 * (store_ctas.cu), and what comes while something stands waits, too. */
GMSIM_INLINE bool gmsim_access_must_stand(const gmsim_sm *sm, const gmtrace_record *record,
                                          uint64_t at)
{
    if (G_LIKELY(!sm->standing))
        return gmsim_access_is_part(record) && gmsim_unit_takes_at(sm) > at;
    return record->kind == GMTRACE_ACCESS &&
           (record->op == GMTRACE_OP_LOAD || record->op == GMTRACE_OP_STORE ||
            record->op == GMTRACE_OP_ATOMIC || record->op == GMTRACE_OP_REDUCTION) &&
           (record->space == GMTRACE_SPACE_GLOBAL || record->space == GMTRACE_SPACE_LOCAL ||
            record->space == GMTRACE_SPACE_SHARED);
}

/* The record, which takes a place in the queue, issues at `*issue`; that moves on while its
 * sub-partition's queue is full. Returns NULL, or what is wrong with the record. */
GMSIM_INLINE const char *gmsim_access_issue(gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp,
                                            const gmtrace_record *record, uint64_t *issue)
{
    const gmsim_gpu *gpu = s->plan.gpu;
    gmsim_sub_partition *part = warp->part;
    const gmsim_site *site = gmsim_tally_site(&s->replay->tally, record->instr);
    uint64_t at = *issue, room = gmsim_place_at(part);
    if (room > at) {
        gmsim_place_count(sm, part, at, record->space == GMTRACE_SPACE_SHARED);
        *issue = at = room;
    }
    uint32_t board = site->scoreboard, read_board = site->read_scoreboard;
    if (!s->plan.control_bits) {
        board = warp->next_scoreboard;
        read_board = GMSIM_SCOREBOARDS;
        warp->next_scoreboard = (uint8_t)((board + 1u) % gpu->sm_under_way);
    }
    if (gmsim_access_must_stand(sm, record, at)) {
        gmsim_access_stand(gpu, sm, warp, record, at, board, read_board);
        return NULL;
    }
    (void)gmsim_access_hand(gpu, part, record, at);
    const char *wrong =
        gmsim_access_serve(s, sm, warp, warp->cursor.chunk, record, at, board, read_board, 0);
    gmsim_place_take(part, warp, warp->who.now, gpu->sm_queue);
    return wrong;
}

/* The copies of the warp since the last time are a group, whose end issues at `now`. */
void gmsim_access_commit(const gmsim_scheduler *s, gmsim_sm *sm, gmsim_warp *warp, uint64_t now);

/* Takes up the answers to all that the SM has asked; its outbox is empty then. */
void gmsim_access_take_answers(gmsim_scheduler *s, gmsim_sm *sm);

/* Whether what stands in a queue can be taken while answers are under way. */
static inline bool gmsim_unit_has_room(const gmsim_sm *sm)
{
    return sm->accesses < GMSIM_ACCESSES && gmsim_sm_memory_record_room(&sm->memory);
}

/* The load-store unit takes the next of the accesses that stand in queues: sm->standing is not 0.
 * `*slot` is the warp whose it was. Returns NULL, or what is wrong with the record. */
const char *gmsim_unit_take(gmsim_scheduler *s, gmsim_sm *sm, uint32_t *slot);

#pragma GCC visibility pop

#endif
