/* SPDX-License-Identifier: MIT
 *
 * flush.h - empties L2 of what a microbenchmark is about to read, or sees to it that L2 has it.
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

/* Reads all of it, twice, by SMs of both sides of L2 in the end. */
__global__ void touch(const uint4 *p, uint64_t count, uint32_t *sink)
{
    uint32_t sum = 0;
    for (uint32_t turn = 0; turn < 2u; turn++)
        for (uint64_t i = (turn * 99u + blockIdx.x) % gridDim.x * (uint64_t)blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x)
            sum += __ldcg(p + i).x;
    if (sum == 0x12345)
        *sink = sum;
}

#endif
