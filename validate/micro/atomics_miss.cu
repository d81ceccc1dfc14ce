/* SPDX-License-Identifier: MIT
 *
 * atomics_miss.cu - how long atomics take whose line L2 does not have. By name:
 *  - chain: a lane has `turns` atoms, each begun when the one before is back, on lines anywhere in
 *    512 MiB (`miss`), or on 16 by turns (`hit`)
 *  - waves: each warp has one of a whole line, a word a lane, and ends; as many CTAs of 1,024 threads
 *    as SMs take at once, `turns` times over; lines of the warp's own (`miss`), or 4,096 by turns (`hit`)
 *  - lines: the same of a word in each of 32 lines
 * `op` is one of load (past L1), atom (with a result), red and store.
 * One launch a row, to be run under ncu (metrics/atomics_miss.txt).
 *
 * Output: CSV rows  name,op,where,turns
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstring>

enum op { LOAD, ATOM, RED, STORE };
static const char *const op_name[] = {"load", "atom", "red", "store"};

template <int OP> __device__ static uint32_t one(uint32_t *at)
{
    uint32_t result = 0;
    if (OP == LOAD)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(result) : "l"(at));
    else if (OP == ATOM)
        asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(result) : "l"(at));
    else if (OP == RED)
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at));
    else
        asm volatile("st.global.u32 [%0], 1;" ::"l"(at));
    return result;
}

__global__ void chain(uint32_t *array, uint32_t lines, uint32_t turns)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < turns; i++)
        line = (one<ATOM>(array + (size_t)(line & (lines - 1)) * 32) >> 31) + i * 2654435761u / 64;
}

template <int OP> __global__ void waves(uint32_t *array, uint32_t lines, uint32_t apart)
{
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t line = apart ? thread : thread / 32;
    if (one<OP>(array + (size_t)(line & (lines - 1)) * 32 + (apart ? 0 : thread % 32)) == UINT32_MAX)
        array[0] = 0;
}

template <int OP> static void launch(const char *name, const char *where, uint32_t turns,
                                     uint32_t *array)
{
    const bool hit = !strcmp(where, "hit"), in_chain = !strcmp(name, "chain");
    const uint32_t lines = !hit ? (512u << 20) / 128 : in_chain ? 16 : 4096;
    if (in_chain)
        chain<<<1, 1>>>(array, lines, turns);
    else
        waves<OP><<<264 * turns, 1024>>>(array, lines, !strcmp(name, "lines"));
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%s,%s,%u\n", name, op_name[OP], where, turns);
}

template <int OP> static void all(uint32_t *array)
{
    for (const char *where : {"miss", "hit"}) {
        if (OP == ATOM)
            for (uint32_t turns : {64u, 1024u})
                launch<OP>("chain", where, turns, array);
        for (uint32_t turns : {1u, 2u, 4u, 8u})
            launch<OP>("waves", where, turns, array);
        for (uint32_t turns : {1u, 2u})
            launch<OP>("lines", where, turns, array);
    }
}

int main(void)
{
    uint32_t *array;
    MICRO_CUDA(cudaMalloc(&array, 512u << 20));
    MICRO_CUDA(cudaMemset(array, 0, 512u << 20));
    puts("name,op,where,turns");
    all<LOAD>(array);
    all<ATOM>(array);
    all<RED>(array);
    all<STORE>(array);
    return 0;
}
