/* SPDX-License-Identifier: MIT
 *
 * cuda_pipeline_primitives.h - asynchronous copies from global to shared memory: cp.async, its
 * groups, and waiting for them.
 */
#ifndef GMCUDA_CUDA_PIPELINE_PRIMITIVES_H
#define GMCUDA_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

/* Copies `bytes` (4, 8 or 16, known when compiling) and writes zeros over the last `zeros` of them.
 * Sixteen bytes pass L1 by (cp.async.cg), fewer go through it, as CUDA's own primitive does. */
GMCUDA_DEVICE void __pipeline_memcpy_async(void *__restrict__ shared,
                                           const void *__restrict__ global, size_t bytes,
                                           size_t zeros = 0)
{
    unsigned int to = (unsigned int)__cvta_generic_to_shared(shared);
    unsigned long long from = __cvta_generic_to_global(global);
    unsigned int kept = (unsigned int)(bytes - zeros);
    switch (bytes) {
    case 4:
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(kept)
                     : "memory");
        break;
    case 8:
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(kept)
                     : "memory");
        break;
    case 16:
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(kept)
                     : "memory");
        break;
    default:
        __trap();
    }
}
GMCUDA_DEVICE void __pipeline_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/* The number is an immediate of the instruction, hence a branch that folds away. */
GMCUDA_DEVICE void __pipeline_wait_prior(size_t groups)
{
    switch (groups) {
#define GMCUDA_WAIT(n)                                                                             \
    case n:                                                                                        \
        asm volatile("cp.async.wait_group " #n ";" ::: "memory");                                  \
        break;
        GMCUDA_WAIT(1)
        GMCUDA_WAIT(2)
        GMCUDA_WAIT(3)
        GMCUDA_WAIT(4)
        GMCUDA_WAIT(5)
        GMCUDA_WAIT(6)
        GMCUDA_WAIT(7)
        GMCUDA_WAIT(8)
#undef GMCUDA_WAIT
    default:
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
}

#endif
