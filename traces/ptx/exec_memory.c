/* SPDX-License-Identifier: MIT
 *
 * exec_memory.c - loads, stores, atomics, asynchronous copies. A generic access becomes one record
 * for each space its lanes fall into. Parameters, of kernels and of calls, live in constant memory
 * and registers on hardware; reading them is no access, but an executed instruction.
 *
 * cp.async copies at once; a program that forgets to wait for it is not found out here.
 */
#include "traces/ptx/exec.h"
#include "traces/ptx/races.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { PARAM_KERNEL = 0, PARAM_STACK = 1 }; /* ptx_op.mode2 of an access to .param */

typedef struct access {
    ptx_space space;
    uint32_t mask;
    uint32_t bytes; /* a lane */
    bool write;
    uint8_t *host[LANES];
} access;

static void compute_addresses(ptx_warp *w, const ptx_op *op, ptx_ref ref, int64_t offset,
                              bool narrow)
{
    uint64_t *to = w->address, add = (uint64_t)offset;
    if (op->in_frame)
        add += op->space == PTX_SPACE_LOCAL ? w->frame_local : w->frame_stack;
    if (narrow) {
        const uint32_t *from = lanes_of(w, ref);
        EACH_LANE to[i] = (uint32_t)(from[i] + (uint32_t)add);
    } else {
        const uint64_t *from = lanes_of(w, ref);
        EACH_LANE to[i] = from[i] + add;
    }
}

static bool bad_access(ptx_warp *w, const ptx_op *op, const access *a, unsigned lane,
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

static bool in_block(const gmptx_module *m, int block, uint64_t low, uint64_t bytes)
{
    const uint64_t start = (uint64_t)(uintptr_t)m->memory[block];
    return low - start < m->memory_bytes[block] && bytes <= m->memory_bytes[block] - (low - start);
}

static bool may_access(const ptx_warp *w, uint64_t low, uint64_t bytes, bool write, uint64_t *shift)
{
    const gmptx_module *m = w->kernel->module;
    const gmptx_launch *launch = w->cta->launch;
    *shift = 0;
    return in_block(m, 0, low, bytes) || (!write && in_block(m, 1, low, bytes)) || !launch->check ||
           launch->check(launch->check_user, low, bytes, write, shift);
}

/* Addresses become those of the trace. */
static bool find_global(ptx_warp *w, const ptx_op *op, access *a)
{
    uint64_t low = UINT64_MAX, high = 0, shift;
    uint64_t *address = w->address;
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t off = (a->mask >> i & 1) - UINT64_C(1); /* all ones: takes no part */
        low = (address[i] | off) < low ? address[i] | off : low;
        high = (address[i] & ~off) > high ? address[i] & ~off : high;
    }
    for (unsigned i = 0; i < LANES; i++)
        a->host[i] = (uint8_t *)(uintptr_t)address[i];
    if (high <= UINT64_MAX - a->bytes &&
        may_access(w, low, high - low + a->bytes, a->write, &shift)) {
        for (unsigned i = 0; i < LANES; i++)
            address[i] += shift;
        return true;
    }
    for (unsigned i = 0; i < LANES; i++)
        if (a->mask >> i & 1) {
            if (address[i] > UINT64_MAX - a->bytes ||
                !may_access(w, address[i], a->bytes, a->write, &shift))
                return bad_access(w, op, a, i, GMPTX_FAULT_ACCESS);
            address[i] += shift;
        }
    return true;
}

/* Spaces that are arrays of ours: `step` bytes further for each lane. */
static bool find_window(ptx_warp *w, const ptx_op *op, access *a, uint8_t *start, uint64_t bytes,
                        uint64_t step)
{
    const uint64_t *address = w->address;
    uint64_t outside = 0;
    const uint64_t last = bytes - a->bytes; /* of a lane that fits */
    for (unsigned i = 0; i < LANES; i++)
        outside |= (uint64_t)(address[i] > last) << i;
    outside = a->bytes > bytes ? a->mask : outside & a->mask;
    if (outside)
        return bad_access(w, op, a, (unsigned)__builtin_ctzll(outside), GMPTX_FAULT_ACCESS);
    for (unsigned i = 0; i < LANES; i++) /* of lanes that take no part, never used */
        a->host[i] = (uint8_t *)((uintptr_t)start + i * step + address[i]);
    return true;
}

/* Host addresses of the lanes, checked. */
static bool find_memory(ptx_warp *w, const ptx_op *op, access *a)
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
        return find_window(w, op, a, w->cta->shared, w->cta->shared_bytes, 0);
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
            if (a->mask >> i & 1 && !in_block(k->module, 1, w->address[i], a->bytes))
                return bad_access(w, op, a, i, GMPTX_FAULT_ACCESS);
            a->host[i] = (uint8_t *)(uintptr_t)w->address[i];
        }
        return true;
    default:
        return find_global(w, op, a);
    }
}

static void record_access(ptx_warp *w, const ptx_op *op, const access *a, gmtrace_op what)
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

/* For the search for races: what a store is about to write, lane by lane. */
static void watch(ptx_warp *w, const ptx_op *op, const access *a, gmtrace_op what)
{
    uint8_t value[LANES * 16];
    const unsigned bytes = gmptx_type_bytes((ptx_type)op->type);
    const ptx_touch touch = what == GMTRACE_OP_LOAD || what == GMTRACE_OP_COPY_READ ? TOUCH_LOAD
                            : what == GMTRACE_OP_ATOMIC                             ? TOUCH_ATOMIC
                            : what == GMTRACE_OP_REDUCTION ? TOUCH_REDUCTION
                                                           : TOUCH_STORE;
    if ((a->space != PTX_SPACE_SHARED && a->space != PTX_SPACE_GLOBAL) ||
        what == GMTRACE_OP_PREFETCH)
        return;
    if (what == GMTRACE_OP_STORE)
        for (unsigned i = 0; i < LANES; i++)
            for (unsigned v = 0; v < op->vector; v++)
                memcpy(value + i * a->bytes + v * bytes,
                       (const uint8_t *)lanes_of(w, op->r[v]) + i * op->width[0], bytes);
    gmptx_watch_access(w, op, touch, a->space == PTX_SPACE_SHARED, a->mask, a->bytes, a->host,
                       what == GMTRACE_OP_STORE ? value : NULL);
}

typedef void (*action)(ptx_warp *w, const ptx_op *op, const access *a);

static bool run_group(ptx_warp *w, const ptx_op *op, access *a, action act, gmtrace_op what)
{
    if (!find_memory(w, op, a))
        return false;
    if (w->cta->races)
        watch(w, op, a, what);
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
static void run_spaces(ptx_warp *w, const ptx_op *op, access *a, action act, gmtrace_op what)
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
    for (uint32_t left = w->active; left; left &= ~a->mask) {
        a->space = space_of(generic[__builtin_ctz(left)]);
        a->mask = 0;
        for (unsigned i = 0; i < LANES; i++)
            if (left >> i & 1 && space_of(generic[i]) == a->space) {
                a->mask |= 1u << i;
                w->address[i] = a->space == PTX_SPACE_GLOBAL ? generic[i] : generic[i] << 8 >> 8;
            }
        if (!run_group(w, op, a, act, what))
            return;
    }
}

/* ----------------------------------------------------------------------------- loads and stores */

#define LANES_IN(mask)                                                                             \
    for (uint32_t rest_ = (mask), i = 0; rest_ && (i = (uint32_t)__builtin_ctz(rest_), true);      \
         rest_ &= rest_ - 1)

#define LOAD(T)                                                                                    \
    {                                                                                              \
        T *d = to;                                                                                 \
        if (a->mask == ALL_LANES)                                                                  \
            for (unsigned i = 0; i < LANES; i++)                                                   \
                memcpy(&d[i], a->host[i] + at, sizeof(T));                                         \
        else                                                                                       \
            LANES_IN(a->mask) memcpy(&d[i], a->host[i] + at, sizeof(T));                           \
        break;                                                                                     \
    }

/* A small element into a larger register. */
static void load_extended(const ptx_op *op, const access *a, void *to, unsigned at, unsigned bytes)
{
    LANES_IN(a->mask)
    {
        uint64_t v = 0;
        memcpy(&v, a->host[i] + at, bytes);
        if (type_is_signed((ptx_type)op->type))
            v = (uint64_t)((int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes));
        memcpy((uint8_t *)to + i * op->width[0], &v, op->width[0]);
    }
}

static void load(ptx_warp *w, const ptx_op *op, const access *a)
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

static void store(ptx_warp *w, const ptx_op *op, const access *a)
{
    const unsigned bytes = gmptx_type_bytes((ptx_type)op->type), width = op->width[0];
    for (unsigned v = 0; v < op->vector; v++) {
        const uint8_t *from = lanes_of(w, op->r[v]);
        LANES_IN(a->mask)
        {
            uint64_t value;
            switch (bytes) {
            case 4:
                memcpy(a->host[i] + v * 4, from + i * width, 4);
                break;
            case 8:
                memcpy(a->host[i] + v * 8, from + i * width, 8);
                break;
            default:
                memcpy(&value, from + i * width, width < 8 ? width : 8);
                memcpy(a->host[i] + v * bytes, &value, bytes);
            }
        }
    }
}

void gmptx_run_load(ptx_warp *w, const ptx_op *op)
{
    access a = {.bytes = gmptx_type_bytes((ptx_type)op->type) * op->vector};
    compute_addresses(w, op, op->address, op->offset, op->narrow);
    run_spaces(w, op, &a, load, GMTRACE_OP_LOAD);
}

void gmptx_run_store(ptx_warp *w, const ptx_op *op)
{
    access a = {.bytes = gmptx_type_bytes((ptx_type)op->type) * op->vector, .write = true};
    compute_addresses(w, op, op->address, op->offset, op->narrow);
    run_spaces(w, op, &a, store, GMTRACE_OP_STORE);
}

static void touch(ptx_warp *w, const ptx_op *op, const access *a)
{
    (void)w;
    (void)op;
    (void)a;
}

/* Hardware drops a prefetch of an address that does not exist; here it is an error like a load's,
 * because a program that means well does not do it. */
void gmptx_run_prefetch(ptx_warp *w, const ptx_op *op)
{
    access a = {.bytes = 1};
    compute_addresses(w, op, op->address, op->offset, op->narrow);
    run_spaces(w, op, &a, touch, GMTRACE_OP_PREFETCH);
}

/* -------------------------------------------------------------------------------------- atomics */

static uint64_t combine_ints(const ptx_op *op, uint64_t old, uint64_t b, uint64_t c)
{
    const unsigned bits = 8 * gmptx_type_bytes((ptx_type)op->type);
    const int64_t so = (int64_t)(old << (64 - bits)), sb = (int64_t)(b << (64 - bits));
    const bool below = type_is_signed((ptx_type)op->type) ? so < sb : old < b;
    switch ((ptx_atomic)op->mode) {
    case ATOMIC_ADD:
        return old + b;
    case ATOMIC_AND:
        return old & b;
    case ATOMIC_OR:
        return old | b;
    case ATOMIC_XOR:
        return old ^ b;
    case ATOMIC_MIN:
        return below ? old : b;
    case ATOMIC_MAX:
        return below ? b : old;
    case ATOMIC_INC:
        return old >= b ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > b ? b : old - 1;
    case ATOMIC_EXCH:
        return b;
    case ATOMIC_CAS:
        return old == b ? c : old;
    }
    return old;
}

static uint16_t add_halves(uint16_t a, uint16_t b, bool brain)
{
    return brain ? gmptx_double_to_bf16((double)bf16_to_float(a) + (double)bf16_to_float(b))
                 : gmptx_double_to_half((double)gmptx_half_to_float(a) +
                                        (double)gmptx_half_to_float(b));
}

static uint64_t combine_floats(ptx_type type, uint64_t old, uint64_t b)
{
    if (type == PTX_F32) {
        float x, y;
        memcpy(&x, &old, sizeof x);
        memcpy(&y, &b, sizeof y);
        x += y;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    if (type == PTX_F64) {
        double x, y;
        memcpy(&x, &old, sizeof x);
        memcpy(&y, &b, sizeof y);
        x += y;
        memcpy(&old, &x, sizeof old);
        return old;
    }
    const bool brain = type == PTX_BF16 || type == PTX_BF16X2;
    uint64_t out = add_halves((uint16_t)old, (uint16_t)b, brain);
    if (type == PTX_F16X2 || type == PTX_BF16X2)
        out |= (uint64_t)add_halves((uint16_t)(old >> 16), (uint16_t)(b >> 16), brain) << 16;
    return out;
}

static void atomic(ptx_warp *w, const ptx_op *op, const access *a)
{
    const bool returns = op->flags & PTX_FLAG_RETURNS;
    const unsigned bytes = a->bytes;
    uint8_t *d = returns ? lanes_of(w, op->r[0]) : NULL;
    const uint8_t *b = lanes_of(w, op->r[op->writes]);
    const uint8_t *c = op->refs > op->writes + 1 ? lanes_of(w, op->r[op->writes + 1]) : NULL;
    LANES_IN(a->mask)
    {
        uint64_t old = 0, vb = 0, vc = 0;
        memcpy(&old, a->host[i], bytes);
        memcpy(&vb, b + i * bytes, bytes);
        if (c)
            memcpy(&vc, c + i * bytes, bytes);
        const uint64_t value = type_is_float((ptx_type)op->type) && op->mode == ATOMIC_ADD
                                   ? combine_floats((ptx_type)op->type, old, vb)
                                   : combine_ints(op, old, vb, vc);
        memcpy(a->host[i], &value, bytes);
        if (d)
            memcpy(d + i * bytes, &old, bytes);
    }
}

void gmptx_run_atomic(ptx_warp *w, const ptx_op *op)
{
    access a = {.bytes = gmptx_type_bytes((ptx_type)op->type), .write = true};
    compute_addresses(w, op, op->address, op->offset, op->narrow);
    run_spaces(w, op, &a, atomic,
               op->flags & PTX_FLAG_RETURNS ? GMTRACE_OP_ATOMIC : GMTRACE_OP_REDUCTION);
}

/* -------------------------------------------------------------------------- asynchronous copies */

/* cp.async [r0 + imm], [address + offset], vector, r1: the last, where it is there, says how many
 * bytes are read; the rest are zeros. */
void gmptx_run_copy_async(ptx_warp *w, const ptx_op *op)
{
    access from = {.bytes = op->vector, .space = PTX_SPACE_GLOBAL, .mask = w->active};
    access to = {.bytes = op->vector, .space = PTX_SPACE_SHARED, .mask = w->active, .write = true};
    uint32_t size[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        size[i] = op->vector;
        if (op->refs > 1) {
            const uint32_t wanted = ((const uint32_t *)lanes_of(w, op->r[1]))[i];
            size[i] = wanted < op->vector ? wanted : op->vector;
            from.mask &= wanted ? UINT32_MAX : ~(1u << i);
        }
    }
    compute_addresses(w, op, op->address, op->offset, false);
    if (from.mask) {
        if (!find_memory(w, op, &from))
            return;
        if (w->cta->races)
            watch(w, op, &from, GMTRACE_OP_COPY_READ);
        record_access(w, op, &from, GMTRACE_OP_COPY_READ);
    }
    compute_addresses(w, op, op->r[0], (int32_t)op->imm, op->narrow);
    if (!op->narrow)
        EACH_LANE w->address[i] &= (uint64_t)GMPTX_WINDOW_BYTES - 1;
    if (!find_memory(w, op, &to))
        return;
    if (w->cta->races)
        watch(w, op, &to, GMTRACE_OP_COPY_WRITE);
    LANES_IN(to.mask)
    {
        memset(to.host[i], 0, op->vector);
        if (size[i])
            memcpy(to.host[i], from.host[i], size[i]);
    }
    record_access(w, op, &to, GMTRACE_OP_COPY_WRITE);
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
