/* SPDX-License-Identifier: MIT
 *
 * exec_warp.c - operations in which lanes see each other: shuffles, votes, matches, reductions.
 * All members named must be here: lanes that went another way would be waited for on hardware,
 * which a SIMT stack cannot do, so that is an error and not a guess.
 */
#include "traces/ptx/exec.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static bool members_here(ptx_warp *w, const ptx_op *op, ptx_ref ref)
{
    const uint32_t *mask = lanes_of(w, ref);
    uint32_t missing = 0;
    EACH_ACTIVE(w) missing |= mask[i] & w->live & ~w->active;
    if (w->cta->check) /* and lanes that do not name themselves: nobody waits for them */
        EACH_ACTIVE(w) missing |= ~mask[i] & 1u << i;
    if (missing)
        gmptx_fault_at(w, op, (unsigned)__builtin_ctz(missing), GMPTX_FAULT_INSTRUCTION);
    return !missing;
}

enum { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };

/* r = d, [p,] a, b, c, members */
static void shuffle(ptx_warp *w, const ptx_op *op, int mode)
{
    const unsigned n = op->writes;
    if (!members_here(w, op, op->r[n + 3]))
        return;
    const uint32_t *a = lanes_of(w, op->r[n]), *b = lanes_of(w, op->r[n + 1]),
                   *c = lanes_of(w, op->r[n + 2]);
    uint32_t *d = lanes_of(w, op->r[0]), value[LANES], valid = 0;
    EACH_ACTIVE(w)
    {
        const int lane = (int)i, by = (int)(b[i] & 31), clamp = (int)(c[i] & 31);
        const int segment = (int)(c[i] >> 8 & 31), low = lane & segment;
        const int high = low | (clamp & ~segment);
        int from = mode == SHUFFLE_UP          ? lane - by
                   : mode == SHUFFLE_DOWN      ? lane + by
                   : mode == SHUFFLE_BUTTERFLY ? lane ^ by
                                               : low | (by & ~segment);
        const bool good = mode == SHUFFLE_UP ? from >= high : from <= high;
        if (!good)
            from = lane;
        valid |= (uint32_t)good << i;
        value[i] = a[from];
    }
    EACH_ACTIVE(w) d[i] = value[i];
    if (n == 2) {
        uint32_t *p = mask_of(w, op->r[1]);
        *p = (*p & ~w->active) | valid;
    }
}
RUN_AS(shfl_up, shuffle, SHUFFLE_UP)
RUN_AS(shfl_down, shuffle, SHUFFLE_DOWN)
RUN_AS(shfl_bfly, shuffle, SHUFFLE_BUTTERFLY)
RUN_AS(shfl_idx, shuffle, SHUFFLE_INDEX)

/* The voters of lane i: the active ones among the members it names. */
enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };

static void vote(ptx_warp *w, const ptx_op *op, int mode)
{
    if (!members_here(w, op, op->r[2]))
        return;
    const uint32_t *members = lanes_of(w, op->r[2]);
    uint32_t p = *mask_of(w, op->r[1]), yes = 0;
    if (op->flags & PTX_FLAG_NEGATED)
        p = ~p;
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w)
    {
        const uint32_t all = members[i] & w->active, set = p & all;
        if (mode == VOTE_BALLOT)
            d[i] = set;
        const bool result = mode == VOTE_ALL   ? set == all
                            : mode == VOTE_ANY ? set != 0
                                               : set == all || set == 0;
        yes |= (uint32_t)result << i;
    }
    if (mode != VOTE_BALLOT)
        *d = (*d & ~w->active) | yes;
}
RUN_AS(vote_all, vote, VOTE_ALL)
RUN_AS(vote_any, vote, VOTE_ANY)
RUN_AS(vote_uni, vote, VOTE_UNI)
RUN_AS(vote_ballot, vote, VOTE_BALLOT)

static uint64_t value_at(const void *lanes, unsigned i, bool wide)
{
    return wide ? ((const uint64_t *)lanes)[i] : ((const uint32_t *)lanes)[i];
}

/* r = d, [p,] a, members */
static void match(ptx_warp *w, const ptx_op *op, bool all)
{
    const unsigned n = op->writes;
    if (!members_here(w, op, op->r[n + 1]))
        return;
    const bool wide = op->type == PTX_B64;
    const void *a = lanes_of(w, op->r[n]);
    const uint32_t *members = lanes_of(w, op->r[n + 1]);
    uint32_t result[LANES], valid = 0;
    EACH_ACTIVE(w)
    {
        uint32_t same = 0;
        const uint32_t here = members[i] & w->active;
        for (unsigned k = 0; k < LANES; k++)
            if (here >> k & 1 && value_at(a, k, wide) == value_at(a, i, wide))
                same |= 1u << k;
        const bool good = !all || same == here;
        valid |= (uint32_t)good << i;
        result[i] = good ? same : 0;
    }
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w) d[i] = result[i];
    if (n == 2) {
        uint32_t *p = mask_of(w, op->r[1]);
        *p = (*p & ~w->active) | valid;
    }
}
RUN_AS(match_any, match, false)
RUN_AS(match_all, match, true)

#define REDUX(NAME, T, START, EXPR)                                                                \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        if (!members_here(w, op, op->r[2]))                                                        \
            return;                                                                                \
        const T *a_ = lanes_of(w, op->r[1]);                                                       \
        const uint32_t *members = lanes_of(w, op->r[2]);                                           \
        T result[LANES];                                                                           \
        EACH_ACTIVE(w)                                                                             \
        {                                                                                          \
            T sum = START;                                                                         \
            for (unsigned k = 0; k < LANES; k++) {                                                 \
                const T a = a_[k];                                                                 \
                if ((members[i] & w->active) >> k & 1)                                             \
                    sum = (EXPR);                                                                  \
            }                                                                                      \
            result[i] = sum;                                                                       \
        }                                                                                          \
        T *d = lanes_of(w, op->r[0]);                                                              \
        EACH_ACTIVE(w) d[i] = result[i];                                                           \
    }
REDUX(redux_add, uint32_t, 0, sum + a)
REDUX(redux_and, uint32_t, UINT32_MAX, sum &a)
REDUX(redux_or, uint32_t, 0, sum | a)
REDUX(redux_xor, uint32_t, 0, sum ^ a)
REDUX(redux_min_u, uint32_t, UINT32_MAX, a < sum ? a : sum)
REDUX(redux_max_u, uint32_t, 0, a > sum ? a : sum)
REDUX(redux_min_s, int32_t, INT32_MAX, a < sum ? a : sum)
REDUX(redux_max_s, int32_t, INT32_MIN, a > sum ? a : sum)

static void activemask(ptx_warp *w, const ptx_op *op)
{
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w) d[i] = w->active;
}

/* elect.sync d|p, members: the lowest member is the leader */
static void elect(ptx_warp *w, const ptx_op *op)
{
    if (!members_here(w, op, op->r[2]))
        return;
    const uint32_t *members = lanes_of(w, op->r[2]);
    uint32_t *d = lanes_of(w, op->r[0]), *p = mask_of(w, op->r[1]), leaders = 0;
    EACH_ACTIVE(w)
    {
        const uint32_t leader = (uint32_t)__builtin_ctz(members[i] & w->active);
        d[i] = leader;
        leaders |= (uint32_t)(leader == i) << i;
    }
    *p = (*p & ~w->active) | leaders;
}

void gmptx_run_and_pause(ptx_warp *w, const ptx_op *op)
{
    op->inner(w, op);
    if (w->cta->together && w->state == WARP_RUNS)
        w->state = WARP_PAUSES;
}

void gmptx_run_sync_warp(ptx_warp *w, const ptx_op *op)
{
    if (!members_here(w, op, op->r[0]) || !w->cta->sink)
        return;
    const uint32_t *members = lanes_of(w, op->r[0]);
    const gmtrace_record record = {.instr = (uint32_t)(op - w->kernel->op),
                                   .mask = w->active,
                                   .aux = members[__builtin_ctz(w->active)],
                                   .kind = GMTRACE_SYNCWARP};
    gmptx_record(w, op, &record, NULL);
}

/* 'P' after the result: a second one, a predicate, that may be left out. */
const ptx_row gmptx_warp_rows[] = {
    {"shfl.sync.up", PTX_B32, "4P4444", shfl_up},
    {"shfl.sync.down", PTX_B32, "4P4444", shfl_down},
    {"shfl.sync.bfly", PTX_B32, "4P4444", shfl_bfly},
    {"shfl.sync.idx", PTX_B32, "4P4444", shfl_idx},
    {"vote.sync.all", PTX_PRED, "pp4", vote_all},
    {"vote.sync.any", PTX_PRED, "pp4", vote_any},
    {"vote.sync.uni", PTX_PRED, "pp4", vote_uni},
    {"vote.sync.ballot", PTX_B32, "4p4", vote_ballot},
    {"vote.ballot.sync", PTX_B32, "4p4", vote_ballot}, /* as CUB writes it, and ptxas takes it */
    {"match.any.sync", PTX_B32, "444", match_any},
    {"match.any.sync", PTX_B64, "484", match_any},
    {"match.all.sync", PTX_B32, "4P44", match_all},
    {"match.all.sync", PTX_B64, "4P84", match_all},
    {"redux.sync.add", PTX_U32, "444", redux_add},
    {"redux.sync.add", PTX_S32, "444", redux_add},
    {"redux.sync.and", PTX_B32, "444", redux_and},
    {"redux.sync.or", PTX_B32, "444", redux_or},
    {"redux.sync.xor", PTX_B32, "444", redux_xor},
    {"redux.sync.min", PTX_U32, "444", redux_min_u},
    {"redux.sync.max", PTX_U32, "444", redux_max_u},
    {"redux.sync.min", PTX_S32, "444", redux_min_s},
    {"redux.sync.max", PTX_S32, "444", redux_max_s},
    {"activemask", PTX_B32, "4", activemask},
    {"elect.sync", PTX_NONE, "4P4", elect},
    {NULL},
};
