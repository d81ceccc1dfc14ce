/* SPDX-License-Identifier: MIT
 *
 * exec_atomic.c - atom and red: lanes one after the other, the lowest first.
 */
#include "traces/ptx/access.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

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

uint64_t gmptx_combine(const ptx_op *op, uint64_t old, uint64_t b, uint64_t c)
{
    return type_is_float((ptx_type)op->type) && op->mode == ATOMIC_ADD
               ? combine_floats((ptx_type)op->type, old, b)
               : combine_ints(op, old, b, c);
}

static void atomic(ptx_warp *w, const ptx_op *op, const ptx_access *a)
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
        const uint64_t value = gmptx_combine(op, old, vb, vc);
        memcpy(a->host[i], &value, bytes);
        if (d)
            memcpy(d + i * bytes, &old, bytes);
    }
}

void gmptx_run_atomic(ptx_warp *w, const ptx_op *op)
{
    ptx_access a;
    gmptx_begin_access(&a, gmptx_type_bytes((ptx_type)op->type), true);
    gmptx_compute_addresses(w, op, op->address, op->offset, op->narrow);
    gmptx_run_spaces(w, op, &a, atomic,
                     op->flags & PTX_FLAG_RETURNS ? GMTRACE_OP_ATOMIC : GMTRACE_OP_REDUCTION);
}
