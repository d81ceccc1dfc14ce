/* SPDX-License-Identifier: MIT
 *
 * exec_memory.c - loads, stores, asynchronous copies. A generic access becomes one record
 * for each space its lanes fall into. Parameters, of kernels and of calls, live in constant memory
 * and registers on hardware; reading them is no access, but an executed instruction.
 *
 * cp.async copies at once; a program that forgets to wait for it is not found out here.
 */
#include "traces/ptx/access.h"
#include "traces/ptx/check/check.h"
#include "traces/ptx/check/races.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { PARAM_KERNEL = 0, PARAM_STACK = 1 }; /* ptx_op.mode2 of an access to .param */

static bool bad_access(ptx_warp *w, const ptx_op *op, const ptx_access *a, unsigned lane,
                       gmptx_fault_kind kind)
{
    static const gmtrace_space names[] = {[PTX_SPACE_GLOBAL] = GMTRACE_SPACE_GLOBAL,
                                          [PTX_SPACE_CONST] = GMTRACE_SPACE_CONSTANT,
                                          [PTX_SPACE_SHARED] = GMTRACE_SPACE_SHARED,
                                          [PTX_SPACE_LOCAL] = GMTRACE_SPACE_LOCAL,
                                          [PTX_SPACE_PARAM] = GMTRACE_SPACE_CONSTANT};
    gmptx_fault *f = &w->cta->fault;
    if (f->kind == GMPTX_FAULT_NONE) {
        f->address = w->address[lane];
        f->bytes = a->bytes;
        f->is_write = a->write;
        f->space = names[a->space];
    }
    gmptx_fault_at(w, op, lane, kind);
    return false;
}

static bool in_block(const ptx_warp *w, int block, uint64_t low, uint64_t bytes)
{
    const gmptx_module *m = w->kernel->module;
    const uint64_t start = (uint64_t)(uintptr_t)m->memory[block];
    return low - start < m->memory_bytes[block] &&
           bytes <= m->memory_bytes[block] - (low - start) &&
           (!w->cta->check || gmptx_in_variable(m, low, bytes));
}

static bool may_access(const ptx_warp *w, uint64_t low, uint64_t bytes, bool write, uint64_t *shift)
{
    const gmptx_launch *launch = w->cta->launch;
    *shift = 0;
    return in_block(w, 0, low, bytes) || (!write && in_block(w, 1, low, bytes)) || !launch->check ||
           launch->check(launch->check_user, low, bytes, write, shift);
}

/* The least and the greatest address of the lanes. */
static inline void extent(const uint64_t *address, uint32_t mask, uint64_t *low, uint64_t *high)
{
    uint64_t least = UINT64_MAX, most = 0;
    if (mask == UINT32_MAX)
        for (unsigned i = 0; i < LANES; i++) {
            least = address[i] < least ? address[i] : least;
            most = address[i] > most ? address[i] : most;
        }
    else
        for (unsigned i = 0; i < LANES; i++) {
            const uint64_t off = (mask >> i & 1) - UINT64_C(1); /* all ones: takes no part */
            least = (address[i] | off) < least ? address[i] | off : least;
            most = (address[i] & ~off) > most ? address[i] & ~off : most;
        }
    *low = least;
    *high = most;
}

static ptx_lie lie_of(const uint64_t *address, const ptx_access *a)
{
    const uint64_t first = address[0], span = address[LANES - 1] - first;
    if (a->mask != ALL_LANES || (span != 0 && span != (LANES - 1) * a->bytes) ||
        first > UINT64_MAX - span)
        return LIE_ANYHOW;
    const uint64_t step = span / (LANES - 1);
    uint64_t off = 0;
    for (unsigned i = 0; i < LANES; i++)
        off |= address[i] ^ (first + i * step);
    return off ? LIE_ANYHOW : span ? LIE_IN_A_ROW : LIE_AT_ONE_PLACE;
}

/* False where there is no room to tell of it. */
static bool note_stray(ptx_warp *w, const ptx_op *op, unsigned lane, uint32_t bytes)
{
    ptx_cta *cta = w->cta;
    const uint32_t number = (uint32_t)(op - w->kernel->op);
    uint32_t n = 0;
    while (n < cta->strays && cta->stray[n].op != number)
        n++;
    if (n == STRAYS)
        return false;
    if (n == cta->strays)
        cta->stray[cta->strays++] =
            (ptx_stray){number, w->number, lane, bytes, w->address[lane], 0};
    cta->stray[n].count++;
    return true;
}

/* A read outside of memory that a GPU would answer, and that is told of. */
static __attribute__((noinline)) bool stray(ptx_warp *w, const ptx_op *op, ptx_access *a,
                                            unsigned lane, uint64_t *shift)
{
    const gmptx_launch *launch = w->cta->launch;
    const void *there = a->write || !launch->answer
                            ? NULL
                            : launch->answer(launch->check_user, w->address[lane], a->bytes, shift);
    if (!there || !note_stray(w, op, lane, a->bytes))
        return false;
    a->lie = LIE_ANYHOW;
    a->host[lane] = (uint8_t *)(uintptr_t)there; /* which nobody writes */
    return true;
}

/* Addresses become those of the trace. */
WIDE static bool find_global(ptx_warp *w, const ptx_op *op, ptx_access *a)
{
    uint64_t low, high, shift;
    uint64_t *address = w->address;
    a->lie = lie_of(address, a);
    low = address[0];
    high = address[LANES - 1];
    if (a->lie == LIE_ANYHOW)
        extent(address, a->mask, &low, &high);
    for (unsigned i = 0; i < LANES; i++)
        a->host[i] = (uint8_t *)(uintptr_t)address[i];
    if (high <= UINT64_MAX - a->bytes &&
        may_access(w, low, high - low + a->bytes, a->write, &shift)) {
        for (unsigned i = 0; shift != 0 && w->cta->sink && i < LANES; i++)
            address[i] += shift;
        return true;
    }
    for (unsigned i = 0; i < LANES; i++)
        if (a->mask >> i & 1) {
            if (address[i] > UINT64_MAX - a->bytes ||
                (!may_access(w, address[i], a->bytes, a->write, &shift) &&
                 !stray(w, op, a, i, &shift)))
                return bad_access(w, op, a, i, GMPTX_FAULT_ACCESS);
            address[i] += shift;
        }
    return true;
}

/* Spaces that are arrays of ours: `step` bytes further for each lane. */
static bool find_window(ptx_warp *w, const ptx_op *op, ptx_access *a, uint8_t *start,
                        uint64_t bytes, uint64_t step)
{
    const uint64_t *address = w->address;
    uint64_t signs = 0;
    const uint64_t last = bytes - a->bytes; /* of a lane that fits */
    for (unsigned i = 0; i < LANES; i++)
        signs |= address[i] | (last - address[i]);
    if (a->bytes > bytes)
        return bad_access(w, op, a, (unsigned)__builtin_ctz(a->mask), GMPTX_FAULT_ACCESS);
    if (signs >> 63) /* perhaps in a lane that takes no part */
        LANES_IN(a->mask)
        {
            if (address[i] > last)
                return bad_access(w, op, a, i, GMPTX_FAULT_ACCESS);
        }
    for (unsigned i = 0; i < LANES; i++) /* of lanes that take no part, never used */
        a->host[i] = (uint8_t *)((uintptr_t)start + i * step + address[i]);
    return true;
}

static bool find_shared(ptx_warp *w, const ptx_op *op, ptx_access *a)
{
    a->lie = lie_of(w->address, a);
    if (!find_window(w, op, a, w->cta->shared, w->cta->shared_bytes, 0))
        return false;
    if (w->cta->check)
        LANES_IN(a->mask)
        {
            if (!gmptx_check_shared(w->cta->check, w->address[i], a->bytes))
                return bad_access(w, op, a, i, GMPTX_FAULT_ACCESS);
        }
    return true;
}

/* Host addresses of the lanes, checked. */
WIDE static bool find_memory(ptx_warp *w, const ptx_op *op, ptx_access *a)
{
    const ptx_kernel *k = w->kernel;
    uint64_t bits = 0;
    const uint32_t align = a->bytes & (0 - a->bytes);
    for (unsigned i = 0; i < LANES; i++)
        bits |= w->address[i];
    if (bits & (align - 1)) /* perhaps in a lane that takes no part */
        for (unsigned i = 0; i < LANES; i++)
            if (a->mask >> i & 1 && w->address[i] & (align - 1))
                return bad_access(w, op, a, i, GMPTX_FAULT_MISALIGNED);
    switch (a->space) {
    case PTX_SPACE_SHARED:
        return find_shared(w, op, a);
    case PTX_SPACE_LOCAL:
        return find_window(w, op, a, w->local, k->local_bytes, k->local_bytes);
    case PTX_SPACE_PARAM:
        if (op->space == PTX_SPACE_PARAM && op->mode2 == PARAM_STACK)
            return find_window(w, op, a, w->stack, k->stack_bytes, k->stack_bytes);
        if (a->write)
            return bad_access(w, op, a, (unsigned)__builtin_ctz(a->mask), GMPTX_FAULT_ACCESS);
        return find_window(w, op, a, (uint8_t *)(uintptr_t)w->cta->params, k->info.param_bytes, 0);
    case PTX_SPACE_CONST:
        for (unsigned i = 0; i < LANES; i++) {
            if (a->mask >> i & 1 && !in_block(w, 1, w->address[i], a->bytes))
                return bad_access(w, op, a, i, GMPTX_FAULT_ACCESS);
            a->host[i] = (uint8_t *)(uintptr_t)w->address[i];
        }
        return true;
    default:
        return find_global(w, op, a);
    }
}

/* Lanes whose access is wrong take no part, and are told of. False where none is left. */
static bool drop_wrong(ptx_warp *w, const ptx_op *op, ptx_access *a, const uint64_t *address)
{
    uint32_t good = a->mask;
    LANES_IN(good)
    {
        a->mask = 1u << i;
        memcpy(w->address, address, LANES * sizeof *address);
        if (!find_memory(w, op, a)) {
            gmptx_check_fault(w->cta);
            good &= ~a->mask;
        }
    }
    memcpy(w->address, address, LANES * sizeof *address);
    a->mask = good;
    return good != 0;
}

static void record_access(ptx_warp *w, const ptx_op *op, const ptx_access *a, gmtrace_op what)
{
    if (!w->cta->sink)
        return;
    if (a->space == PTX_SPACE_PARAM) {
        record_exec(w, op, a->mask);
        return;
    }
    const gmtrace_record record = {.instr = (uint32_t)(op - w->kernel->op),
                                   .mask = a->mask,
                                   .kind = GMTRACE_ACCESS,
                                   .op = (uint8_t)what,
                                   .space = a->space == PTX_SPACE_SHARED  ? GMTRACE_SPACE_SHARED
                                            : a->space == PTX_SPACE_LOCAL ? GMTRACE_SPACE_LOCAL
                                            : a->space == PTX_SPACE_CONST ? GMTRACE_SPACE_CONSTANT
                                                                          : GMTRACE_SPACE_GLOBAL,
                                   .size = (uint8_t)a->bytes};
    if (a->space == PTX_SPACE_CONST) {
        const uint64_t start = (uint64_t)(uintptr_t)w->kernel->module->memory[1];
        for (unsigned i = 0; i < LANES; i++)
            w->address[i] -= start;
    }
    gmptx_record(w, op, &record, w->address);
}

/* For the checks. The search for races is told what a store is about to write, lane by lane. */
static void watch(ptx_warp *w, const ptx_op *op, const ptx_access *a, gmtrace_op what)
{
    uint8_t value[LANES * 16];
    const unsigned bytes = gmptx_type_bytes((ptx_type)op->type);
    const bool copy = what == GMTRACE_OP_COPY_READ || what == GMTRACE_OP_COPY_WRITE;
    const ptx_touch touch = what == GMTRACE_OP_LOAD || what == GMTRACE_OP_COPY_READ ? TOUCH_LOAD
                            : what == GMTRACE_OP_ATOMIC                             ? TOUCH_ATOMIC
                            : what == GMTRACE_OP_REDUCTION ? TOUCH_REDUCTION
                                                           : TOUCH_STORE;
    if (what == GMTRACE_OP_PREFETCH)
        return;
    if (w->cta->check)
        gmptx_check_touch(w, op, a, copy ? 4 : bytes,
                          !a->write || (touch >= TOUCH_REDUCTION && op->mode != ATOMIC_EXCH),
                          a->write);
    if (!w->cta->races || (a->space != PTX_SPACE_SHARED && a->space != PTX_SPACE_GLOBAL))
        return;
    const bool known = what == GMTRACE_OP_STORE && !op->wide;
    if (known)
        for (unsigned i = 0; i < LANES; i++)
            for (unsigned v = 0; v < op->vector; v++)
                memcpy(value + i * a->bytes + v * bytes,
                       (const uint8_t *)lanes_of(w, op->r[v]) + i * op->width[0], bytes);
    gmptx_watch_access(w, op, touch, a->space == PTX_SPACE_SHARED, a->mask, a->bytes, a->host,
                       known ? value : NULL);
}

/* As find_memory(); where mistakes do not end the launch, of the lanes that make none. */
static __attribute__((noinline)) bool find_watched(ptx_warp *w, const ptx_op *op, ptx_access *a,
                                                   gmtrace_op what)
{
    uint64_t address[LANES];
    memcpy(address, w->address, sizeof address);
    if (!find_memory(w, op, a)) {
        if (!w->cta->check)
            return false;
        w->cta->fault = (gmptx_fault){0};
        if (!drop_wrong(w, op, a, address) || !find_memory(w, op, a))
            return false;
    }
    watch(w, op, a, what);
    return true;
}

static bool find(ptx_warp *w, const ptx_op *op, ptx_access *a, gmtrace_op what)
{
    return w->cta->watched ? find_watched(w, op, a, what) : find_memory(w, op, a);
}

/* False where the launch has failed. */
static bool run_group(ptx_warp *w, const ptx_op *op, ptx_access *a, ptx_action act, gmtrace_op what)
{
    if (!find(w, op, a, what))
        return w->cta->check != NULL;
    act(w, op, a);
    record_access(w, op, a, what);
    return true;
}

static ptx_space space_of(uint64_t address)
{
    switch (address >> 56) {
    case GMPTX_SHARED_WINDOW >> 56:
        return PTX_SPACE_SHARED;
    case GMPTX_LOCAL_WINDOW >> 56:
        return PTX_SPACE_LOCAL;
    case GMPTX_PARAM_WINDOW >> 56:
        return PTX_SPACE_PARAM;
    default:
        return PTX_SPACE_GLOBAL;
    }
}

/* Divides generic addresses by space; w->address holds them. */
static inline void run_spaces(ptx_warp *w, const ptx_op *op, ptx_access *a, ptx_action act,
                              gmtrace_op what)
{
    if (op->space != PTX_SPACE_NONE) {
        a->space = (ptx_space)op->space;
        a->mask = w->active;
        run_group(w, op, a, act, what);
        return;
    }
    uint64_t top = 0;
    for (unsigned i = 0; i < LANES; i++)
        top |= w->active >> i & 1 ? w->address[i] >> 56 : 0;
    if (!top) {
        a->space = PTX_SPACE_GLOBAL;
        a->mask = w->active;
        run_group(w, op, a, act, what);
        return;
    }
    uint64_t generic[LANES];
    memcpy(generic, w->address, sizeof generic);
    for (uint32_t left = w->active; left;) {
        a->space = space_of(generic[__builtin_ctz(left)]);
        a->mask = 0;
        for (unsigned i = 0; i < LANES; i++)
            if (left >> i & 1 && space_of(generic[i]) == a->space) {
                a->mask |= 1u << i;
                w->address[i] = a->space == PTX_SPACE_GLOBAL ? generic[i] : generic[i] << 8 >> 8;
            }
        left &= ~a->mask;
        if (!run_group(w, op, a, act, what))
            return;
    }
}

void gmptx_run_spaces(ptx_warp *w, const ptx_op *op, ptx_access *a, ptx_action act, gmtrace_op what)
{
    run_spaces(w, op, a, act, what);
}

/* ----------------------------------------------------------------------------- loads and stores */

#define LOAD(T)                                                                                    \
    {                                                                                              \
        T *d = to;                                                                                 \
        T same;                                                                                    \
        if (a->lie == LIE_IN_A_ROW && a->bytes == sizeof(T)) {                                     \
            memcpy(d, a->host[0], LANES * sizeof(T));                                              \
        } else if (a->lie == LIE_AT_ONE_PLACE) {                                                   \
            memcpy(&same, a->host[0] + at, sizeof(T));                                             \
            for (unsigned i = 0; i < LANES; i++)                                                   \
                d[i] = same;                                                                       \
        } else if (a->mask == ALL_LANES)                                                           \
            for (unsigned i = 0; i < LANES; i++)                                                   \
                memcpy(&d[i], a->host[i] + at, sizeof(T));                                         \
        else                                                                                       \
            LANES_IN(a->mask) memcpy(&d[i], a->host[i] + at, sizeof(T));                           \
        break;                                                                                     \
    }

/* Elements of `T` into registers of `U`: the case of their bytes, and of whether they are signed.
 */
#define EXTEND(T, U)                                                                               \
    case sizeof(U) * 100 + sizeof(T) * 10 + ((T)-1 < 1): {                                         \
        U *d = to;                                                                                 \
        LANES_IN(a->mask)                                                                          \
        {                                                                                          \
            T small;                                                                               \
            memcpy(&small, a->host[i] + at, sizeof small);                                         \
            d[i] = (U)small;                                                                       \
        }                                                                                          \
        break;                                                                                     \
    }

/* A small element into a larger register. */
static void load_extended(const ptx_op *op, const ptx_access *a, void *to, unsigned at,
                          unsigned bytes)
{
    switch (op->width[0] * 100 + bytes * 10 + type_is_signed((ptx_type)op->type)) {
        EXTEND(uint8_t, uint16_t)
        EXTEND(int8_t, uint16_t)
        EXTEND(uint8_t, uint32_t)
        EXTEND(int8_t, uint32_t)
        EXTEND(uint8_t, uint64_t)
        EXTEND(int8_t, uint64_t)
        EXTEND(uint16_t, uint32_t)
        EXTEND(int16_t, uint32_t)
        EXTEND(uint16_t, uint64_t)
        EXTEND(int16_t, uint64_t)
        EXTEND(uint32_t, uint64_t)
        EXTEND(int32_t, uint64_t)
    }
}

WIDE static void load(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    const unsigned bytes = gmptx_type_bytes((ptx_type)op->type);
    for (unsigned v = 0; v < op->vector; v++) {
        void *to = lanes_of(w, op->r[v]);
        const unsigned at = v * bytes;
        if (bytes != op->width[0]) {
            load_extended(op, a, to, at, bytes);
            continue;
        }
        switch (bytes) {
        case 2:
            LOAD(uint16_t)
        case 4:
            LOAD(uint32_t)
        default:
            LOAD(uint64_t)
        }
    }
}

#define STORE(T)                                                                                   \
    if (a->mask == ALL_LANES)                                                                      \
        for (unsigned i = 0; i < LANES; i++)                                                       \
            memcpy(a->host[i] + at, from + i * width, sizeof(T));                                  \
    else                                                                                           \
        LANES_IN(a->mask) memcpy(a->host[i] + at, from + i * width, sizeof(T));                    \
    break;

/* Of lanes that meet at an address the last one's stays. The low bytes of a register come first. */
WIDE static void store(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    const unsigned bytes = gmptx_type_bytes((ptx_type)op->type), width = op->width[0];
    for (unsigned v = 0; v < op->vector; v++) {
        const uint8_t *from = lanes_of(w, op->r[v]);
        const unsigned at = v * bytes;
        if (a->lie == LIE_IN_A_ROW && a->bytes == width && bytes == width) {
            memcpy(a->host[0], from, LANES * width);
            continue;
        }
        switch (bytes) {
        case 1:
            STORE(uint8_t)
        case 2:
            STORE(uint16_t)
        case 4:
            STORE(uint32_t)
        default:
            STORE(uint64_t)
        }
    }
}

WIDE void gmptx_run_load(ptx_warp *w, const ptx_op *op)
{
    ptx_access a;
    gmptx_begin_access(&a, gmptx_type_bytes((ptx_type)op->type) * op->vector, false);
    gmptx_compute_addresses(w, op, op->address, op->offset, op->narrow);
    run_spaces(w, op, &a, load, GMTRACE_OP_LOAD);
}

WIDE void gmptx_run_store(ptx_warp *w, const ptx_op *op)
{
    ptx_access a;
    gmptx_begin_access(&a, gmptx_type_bytes((ptx_type)op->type) * op->vector, true);
    gmptx_compute_addresses(w, op, op->address, op->offset, op->narrow);
    run_spaces(w, op, &a, store, GMTRACE_OP_STORE);
}

static void touch(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    (void)w;
    (void)op;
    (void)a;
}

/* Hardware drops a prefetch of an address that does not exist; here it is an error like a load's,
 * because a program that means well does not do it. */
void gmptx_run_prefetch(ptx_warp *w, const ptx_op *op)
{
    ptx_access a;
    gmptx_begin_access(&a, 1, false);
    gmptx_compute_addresses(w, op, op->address, op->offset, op->narrow);
    run_spaces(w, op, &a, touch, GMTRACE_OP_PREFETCH);
}

/* -------------------------------------------------------------------------- asynchronous copies */

void gmptx_copy_async(ptx_warp *w, const ptx_op *op, const uint64_t *at, uint32_t reads,
                      const uint32_t *size)
{
    ptx_access from = {.bytes = op->vector, .space = PTX_SPACE_GLOBAL, .mask = reads};
    ptx_access to = {
        .bytes = op->vector, .space = PTX_SPACE_SHARED, .mask = w->active, .write = true};
    uint64_t shared[LANES];
    memcpy(shared, w->address, sizeof shared);
    memcpy(w->address, at, sizeof shared);
    if (from.mask) {
        if (!find(w, op, &from, GMTRACE_OP_COPY_READ))
            return;
        record_access(w, op, &from, GMTRACE_OP_COPY_READ);
    }
    memcpy(w->address, shared, sizeof shared);
    if (!find(w, op, &to, GMTRACE_OP_COPY_WRITE))
        return;
    LANES_IN(to.mask)
    {
        memset(to.host[i], 0, op->vector);
        if (size[i] && from.mask >> i & 1)
            memcpy(to.host[i], from.host[i], size[i]);
    }
    record_access(w, op, &to, GMTRACE_OP_COPY_WRITE);
}

/* cp.async [r0 + imm], [address + offset], vector, r1: the last, where it is there, says how many
 * bytes are read; the rest are zeros. */
void gmptx_run_copy_async(ptx_warp *w, const ptx_op *op)
{
    uint32_t size[LANES], reads = w->active;
    uint64_t from[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        size[i] = op->vector;
        if (op->refs > 1) {
            const uint32_t wanted = ((const uint32_t *)lanes_of(w, op->r[1]))[i];
            size[i] = wanted < op->vector ? wanted : op->vector;
            reads &= wanted ? UINT32_MAX : ~(1u << i);
        }
    }
    gmptx_compute_addresses(w, op, op->address, op->offset, false);
    memcpy(from, w->address, sizeof from);
    gmptx_compute_addresses(w, op, op->r[0], (int32_t)op->imm, op->narrow);
    if (!op->narrow)
        EACH_LANE w->address[i] &= (uint64_t)GMPTX_WINDOW_BYTES - 1;
    gmptx_copy_async(w, op, from, reads, size);
}

/* imm: groups that may stay pending, UINT32_MAX for a commit. */
void gmptx_run_copy_commit(ptx_warp *w, const ptx_op *op)
{
    if (!w->cta->sink)
        return;
    const bool commit = op->imm == UINT32_MAX;
    const gmtrace_record record = {.instr = (uint32_t)(op - w->kernel->op),
                                   .mask = w->active,
                                   .aux = commit ? 0 : op->imm,
                                   .kind = commit ? GMTRACE_COPY_COMMIT : GMTRACE_COPY_WAIT};
    gmptx_record(w, op, &record, NULL);
}
