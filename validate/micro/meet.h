/* SPDX-License-Identifier: MIT
 *
 * meet.h - all CTAs of a launch wait for one another, once.
 */
#ifndef GMSIM_MICRO_MEET_H
#define GMSIM_MICRO_MEET_H

__device__ static unsigned arrived;

/* `all`: CTAs of this launch and of those before it that met. */
__device__ static void meet(unsigned all)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1u);
        while (*(volatile unsigned *)&arrived < all)
            ;
    }
    __syncthreads();
}

#endif
