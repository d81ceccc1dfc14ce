/* SPDX-License-Identifier: MIT
 *
 * registers.h - kernels that differ in the registers a thread takes, 10 to 255, and in static
 * shared memory. A kernel keeps so many values alive that the compiler uses all it may; the count
 * it really uses is asked of the runtime, not assumed.
 */
#ifndef MICRO_REGISTERS_H
#define MICRO_REGISTERS_H

#include <cuda_runtime.h>

/* Keeps VALUES values alive through a loop whose length the compiler cannot know. n = 0 in every
 * launch: nothing is read or written. */
template <int VALUES> __device__ void hold(unsigned *data, unsigned n)
{
    if (n == 0)
        return;
    unsigned v[VALUES];
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        v[k] = data[k * 1024 + threadIdx.x];
#pragma unroll 1
    for (unsigned r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < VALUES; k++)
            v[k] = (v[k] ^ r) * 2654435761u + v[(k + 1) % VALUES];
    }
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        data[k * 1024 + threadIdx.x] = v[k];
}

/* At most REGISTERS registers (24 is the least that can be asked for; fewer follow from fewer
 * values) and, where STATIC is not 0, that much static shared memory. */
template <int REGISTERS, int STATIC, int VALUES = REGISTERS - 10>
__global__ void __maxnreg__(REGISTERS) occupy(unsigned *data, unsigned n)
{
    if (STATIC > 0) {
        __shared__ unsigned char pool[STATIC > 0 ? STATIC : 1];
        if (n > 1)
            pool[threadIdx.x % (STATIC > 0 ? STATIC : 1)] = (unsigned char)n;
    }
    hold<VALUES>(data, n);
}

typedef void register_kernel(unsigned *, unsigned);

#endif
