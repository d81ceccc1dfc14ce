/* SPDX-License-Identifier: MIT
 *
 * flush.h - empties L2 of what a microbenchmark is about to read.
 */
#ifndef GMSIM_MICRO_FLUSH_H
#define GMSIM_MICRO_FLUSH_H

#include <cstdint>

/* Fills L2 with lines that nobody asks for afterwards and that need not be written back. */
__global__ void flush(const uint4 *p, uint64_t count, uint32_t *sink)
{
    uint32_t sum = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x)
        sum |= p[i].x;
    if (sum == 0x12345)
        *sink = sum;
}

#endif
