/* SPDX-License-Identifier: MIT
 *
 * fence.h - fences by number: membar.cta, .gl, .sys and fence.acq_rel.gpu; any other is none.
 */
#ifndef GMSIM_MICRO_FENCE_H
#define GMSIM_MICRO_FENCE_H

template <int SCOPE> __device__ __forceinline__ void fence()
{
    if (SCOPE == 0)
        asm volatile("membar.cta;" ::: "memory");
    if (SCOPE == 1)
        asm volatile("membar.gl;" ::: "memory");
    if (SCOPE == 2)
        asm volatile("membar.sys;" ::: "memory");
    if (SCOPE == 3)
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

#endif
