/* SPDX-License-Identifier: MIT
 *
 * access.h - an access of a warp to memory: what its operations share.
 */
#ifndef GMPTX_ACCESS_H
#define GMPTX_ACCESS_H

#include "traces/ptx/exec.h"

/* How lanes lie, where all take part in an access of global memory: what most of them do is worth a
 * way of its own. */
typedef enum ptx_lie { LIE_ANYHOW = 0, LIE_IN_A_ROW, LIE_AT_ONE_PLACE } ptx_lie;

typedef struct ptx_access {
    ptx_space space;
    uint32_t mask;
    uint32_t bytes; /* a lane */
    bool write;
    ptx_lie lie;
    uint8_t *host[LANES];
} ptx_access;

/* All but where the lanes find their memory: of the warps' accesses most are too short to clear
 * what is filled in anyway. */
static inline void gmptx_begin_access(ptx_access *a, unsigned bytes, bool write)
{
    a->space = PTX_SPACE_NONE;
    a->mask = 0;
    a->bytes = bytes;
    a->write = write;
    a->lie = LIE_ANYHOW;
}

#define LANES_IN(mask)                                                                             \
    for (uint32_t rest_ = (mask), i = 0; rest_ && (i = (uint32_t)__builtin_ctz(rest_), true);      \
         rest_ &= rest_ - 1)

/* [ref + offset] of all lanes, into w->address. */
static inline void gmptx_compute_addresses(ptx_warp *w, const ptx_op *op, ptx_ref ref,
                                           int64_t offset, bool narrow)
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

/* What an operation does where memory was found. */
typedef void (*ptx_action)(ptx_warp *w, const ptx_op *op, const ptx_access *a);

/* What an atomic operation of op->mode and op->type leaves in memory. */
uint64_t gmptx_combine(const ptx_op *op, uint64_t old, uint64_t b, uint64_t c);

/* An asynchronous copy of op->vector bytes a lane to w->address of shared memory: of lanes in
 * `reads` from there, size[lane] bytes, and zeros. */
void gmptx_copy_async(ptx_warp *w, const ptx_op *op, const uint64_t *from, uint32_t reads,
                      const uint32_t *size);

/* Divides the lanes of w->address by space where addresses are generic; finds and checks memory,
 * acts, and records. The caller sets bytes and write. */
void gmptx_run_spaces(ptx_warp *w, const ptx_op *op, ptx_access *a, ptx_action act,
                      gmtrace_op what);

#endif
