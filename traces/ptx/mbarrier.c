/* SPDX-License-Identifier: MIT
 *
 * mbarrier.c - barriers that are objects in shared memory: init, inval, arrive, arrive_drop, waits,
 * the bytes that a phase expects, and arrivals for asynchronous copies, which are done at once
 * here. What the 64 bits of one mean is no part of PTX; here, from the lowest: 20 of arrivals that
 * are missing, 20 of those of each phase, 23 of bytes that are missing, and the phase.
 *
 * A warp whose wait fails leaves its turn to others. In a trace these are executed instructions
 * without an address. Left out: addresses of other CTAs, generic addresses, layouts, time limits.
 */
#include "traces/ptx/access.h"
#include "traces/ptx/check/races.h"
#include "traces/ptx/decode.h"

enum { KIND_INIT, KIND_INVALIDATE, KIND_ARRIVE, KIND_DROP, KIND_EXPECT, KIND_COMPLETE, KIND_WAIT };
enum { COUNT_BITS = 20, COUNT_MAX = (1 << COUNT_BITS) - 1 };
#define BYTES_BITS 23
#define PHASE      (UINT64_C(1) << 63)

typedef struct mbarrier {
    int64_t missing, each, bytes;
    uint64_t phase;
} mbarrier;

static mbarrier unpack(uint64_t bits)
{
    return (mbarrier){.missing = (int64_t)(bits & COUNT_MAX),
                      .each = (int64_t)(bits >> COUNT_BITS & COUNT_MAX),
                      .bytes = (int64_t)(bits << 1) >> (64 - BYTES_BITS),
                      .phase = bits & PHASE};
}

static uint64_t pack(const mbarrier *b)
{
    return ((uint64_t)b->missing & COUNT_MAX) | ((uint64_t)b->each & COUNT_MAX) << COUNT_BITS |
           ((uint64_t)b->bytes & ((1u << BYTES_BITS) - 1)) << (2 * COUNT_BITS) | b->phase;
}

/* The next phase where nothing is missing of this. */
static void settle_phase(ptx_warp *w, mbarrier *b)
{
    if (b->missing != 0 || b->bytes != 0)
        return;
    b->phase ^= PHASE;
    b->missing = b->each;
    if (w->cta->races)
        gmptx_watch_phase(w->cta);
}

/* False where more come than it waits for. */
static bool change(ptx_warp *w, const ptx_op *op, mbarrier *b, int64_t n)
{
    switch (op->mode) {
    case KIND_INIT:
        *b = (mbarrier){.missing = n, .each = n};
        return n > 0 && n <= COUNT_MAX;
    case KIND_INVALIDATE:
        *b = (mbarrier){0};
        return true;
    case KIND_EXPECT:
        b->bytes += n;
        return true;
    case KIND_COMPLETE:
        b->bytes -= n;
        break;
    case KIND_DROP:
        b->each -= n;
        b->missing -= n;
        break;
    default:
        b->bytes += op->imm ? n : 0; /* arrive.expect_tx counts bytes, and one arrival */
        b->missing -= op->imm ? 1 : n;
    }
    if (b->missing < 0 || b->each < 0)
        return false;
    settle_phase(w, b);
    return true;
}

/* The object of a lane; NULL, and the launch fails, where there is none. */
static uint8_t *object(ptx_warp *w, const ptx_op *op, unsigned lane)
{
    const uint64_t address = w->address[lane];
    gmptx_fault *f = &w->cta->fault;
    const bool outside = address > w->cta->shared_bytes || w->cta->shared_bytes - address < 8;
    if (!outside && address % 8 == 0)
        return w->cta->shared + address;
    if (f->kind == GMPTX_FAULT_NONE) {
        f->address = address;
        f->bytes = 8;
        f->is_write = op->mode != KIND_WAIT;
        f->space = GMTRACE_SPACE_SHARED;
    }
    gmptx_fault_at(w, op, lane, outside ? GMPTX_FAULT_ACCESS : GMPTX_FAULT_MISALIGNED);
    return NULL;
}

static void run_mbarrier(ptx_warp *w, const ptx_op *op)
{
    uint64_t *state = op->writes ? lanes_of(w, op->r[0]) : NULL;
    const uint32_t *count = op->refs > op->writes ? lanes_of(w, op->r[op->writes]) : NULL;
    gmptx_compute_addresses(w, op, op->address, op->offset, op->narrow);
    EACH_ACTIVE(w)
    {
        uint8_t *at = object(w, op, i);
        uint64_t bits;
        if (!at)
            return;
        memcpy(&bits, at, sizeof bits);
        mbarrier b = unpack(bits);
        if (!change(w, op, &b, count ? count[i] : 1)) {
            gmptx_fault_at(w, op, i, GMPTX_FAULT_BARRIER);
            return;
        }
        if (state)
            state[i] = bits;
        bits = pack(&b);
        memcpy(at, &bits, sizeof bits);
    }
}

/* test_wait and try_wait: of the state that an arrival gave, or (mode2) of a phase's parity. */
static void run_wait(ptx_warp *w, const ptx_op *op)
{
    const uint8_t *from = lanes_of(w, op->r[1]);
    uint32_t *p = mask_of(w, op->r[0]), complete = 0;
    gmptx_compute_addresses(w, op, op->address, op->offset, op->narrow);
    EACH_ACTIVE(w)
    {
        const uint8_t *at = object(w, op, i);
        uint64_t now, then = 0;
        if (!at)
            return;
        memcpy(&now, at, sizeof now);
        memcpy(&then, from + i * (op->mode2 ? 4 : 8), op->mode2 ? 4 : 8);
        const uint64_t phase = op->mode2 ? then << 63 : then & PHASE;
        complete |= (uint32_t)((now & PHASE) != phase) << i;
    }
    *p = (*p & ~w->active) | complete;
    if (complete != w->active && w->state == WARP_RUNS)
        w->state = WARP_PAUSES;
}

static void run_pending(ptx_warp *w, const ptx_op *op)
{
    uint32_t *d = lanes_of(w, op->r[0]);
    const uint64_t *state = lanes_of(w, op->r[1]);
    EACH_ACTIVE(w) d[i] = (uint32_t)unpack(state[i]).missing;
}

static bool place(ptx_decoder *d, ptx_op *op, unsigned number, unsigned bytes, bool result)
{
    ptx_ref ref;
    const ptx_operand *o = gmptx_operand(d, number);
    const bool good = result ? gmptx_place_result(d, o, bytes, &ref)
                             : gmptx_place(d, o, bytes, bytes == 8 ? PTX_B64 : PTX_U32, &ref);
    return (good && gmptx_add_ref(op, ref)) ||
           (d->error->status == GMTRACE_OK && gmptx_bad_operand(d, number));
}

/* mbarrier.arrive{.noComplete | .expect_tx}{.release}{.cta}.shared{::cta}.b64 {state|_,} [a]{, n}
 * and its fellows */
bool gmptx_decode_mbarrier(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } kinds[] = {{"init", KIND_INIT},          {"inval", KIND_INVALIDATE},
                 {"arrive", KIND_ARRIVE},      {"arrive_drop", KIND_DROP},
                 {"expect_tx", KIND_EXPECT},   {"complete_tx", KIND_COMPLETE},
                 {"test_wait", KIND_WAIT},     {"try_wait", KIND_WAIT},
                 {"pending_count", KIND_INIT}, {NULL, 0}};
    static const char *const words[] = {"release", "relaxed", "acquire",    "cta",
                                        "cluster", "shared",  "shared::cta"};
    unsigned k = 0, number = 0;
    while (kinds[k].name && !slice_is(parts->part[1], kinds[k].name))
        k++;
    parts->used |= 2;
    bool shared = false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        shared |= gmptx_take(parts, words[i]) && i >= 5;
    const bool pending = kinds[k].name && strcmp(kinds[k].name, "pending_count") == 0;
    const bool arrives = kinds[k].kind == KIND_ARRIVE || kinds[k].kind == KIND_DROP;
    const bool no_complete = arrives && gmptx_take(parts, "noComplete");
    const bool expects = kinds[k].kind == KIND_ARRIVE && gmptx_take(parts, "expect_tx");
    const bool parity = kinds[k].kind == KIND_WAIT && gmptx_take(parts, "parity");
    if (parts->count < 3 || !kinds[k].name || !gmptx_take(parts, "b64") || shared == pending ||
        (no_complete && expects))
        return gmptx_unsupported(d);
    op->run = kinds[k].kind == KIND_WAIT ? run_wait : pending ? run_pending : run_mbarrier;
    if (pending) {
        op->writes = 1;
        return place(d, op, 0, 4, true) && place(d, op, 1, 8, false);
    }
    if (arrives || kinds[k].kind == KIND_WAIT) {
        op->writes = 1;
        if (!place(d, op, number++, arrives ? 8 : 0, true))
            return false;
    }
    if (!gmptx_decode_address(d, op, gmptx_operand(d, number++), PTX_SPACE_SHARED))
        return d->error->status == GMTRACE_OK && gmptx_bad_operand(d, number - 1);
    op->mode = kinds[k].kind;
    op->mode2 = parity;
    op->imm = expects;
    if (number < gmptx_operand_count(d) &&
        !place(d, op, number++, kinds[k].kind == KIND_WAIT && !parity ? 8 : 4, false))
        return false;
    const bool limited = kinds[k].kind == KIND_WAIT && number + 1 == gmptx_operand_count(d);
    return number + limited == gmptx_operand_count(d) || gmptx_bad_operand(d, number);
}

/* cp.async.mbarrier.arrive{.noinc}.shared.b64 [a]: the copies are done. Without noinc it counts one
 * more that it waits for, and takes that away again. */
bool gmptx_decode_copy_arrival(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    const bool shared = gmptx_take(parts, "shared") || gmptx_take(parts, "shared::cta");
    const bool arrives = gmptx_take(parts, "noinc");
    if (!gmptx_take(parts, "arrive") || !gmptx_take(parts, "b64") || !shared)
        return gmptx_unsupported(d);
    if (!gmptx_decode_address(d, op, gmptx_operand(d, 0), PTX_SPACE_SHARED))
        return d->error->status == GMTRACE_OK && gmptx_bad_operand(d, 0);
    op->mode = KIND_ARRIVE;
    op->mode2 = 0;
    op->imm = 0;
    op->run = arrives ? run_mbarrier : gmptx_run_nothing;
    return gmptx_operand_count(d) == 1 || gmptx_bad_operand(d, 1);
}
