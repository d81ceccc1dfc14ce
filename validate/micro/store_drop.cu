/* SPDX-License-Identifier: MIT
 *
 * store_drop.cu - what L1 keeps of lines that are stored to twice in short order. One warp has read
 * 64 lines, so that L1 holds them whole; then, `turns` times and far apart, it stores a word a lane
 * to `lines` of them, 32 / lines lanes a line, does what `between` says, works on a chain of `chain`
 * additions of four clocks each, and stores to the lines again, `shift` lines further. A store that
 * finds its line gone counts no hit; what is gone is read again before the next turn. To be run
 * under ncu (metrics/store_drop.txt).
 *   spread   bytes from one lane's word to the next in its line: 4, or 32 where a sector is for each
 *   between  none; load: a load of all lanes from where they stored; other: a load of one line
 * Output: CSV rows  lines,spread,between,shift,chain,warps,turns.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define TURNS 32u
#define LINES 64u

enum { NONE, LOAD, OTHER };

__device__ __forceinline__ uint32_t load(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ __forceinline__ void store(uint32_t *p, uint32_t v)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__device__ static void pause(uint32_t clocks)
{
    uint32_t begin = (uint32_t)clock();
    while ((uint32_t)clock() - begin < clocks)
        ;
}

template <int BETWEEN, int CHAIN>
__global__ void twice(uint32_t *data, uint32_t lines, uint32_t spread, uint32_t shift, uint32_t *sink)
{
    const uint32_t lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, each = 32u / lines;
    uint32_t *mine = data + (size_t)warp * (LINES + 1u) * 32u;
    const uint32_t line = lane / each, word = lane % each * spread / 4u % 32u;
    float v = (float)lane;
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        uint32_t *first = mine + (turn + line) % LINES * 32u + word;
        uint32_t *second = mine + (turn + line + shift) % LINES * 32u + word;
#pragma unroll 1
        for (uint32_t i = 0; i <= LINES; i++)
            sum += load(mine + i * 32u + lane);
        pause(2000u + (sum == 0x12345u));
        store(first, turn);
        if (BETWEEN == LOAD)
            v += (float)(load(first) & 1u);
        if (BETWEEN == OTHER)
            v += (float)(load(mine + LINES * 32u + lane) & 1u);
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            v = fmaf(v, 1.0001f, 0.5f);
        store(second, __float_as_uint(v));
        pause(2000u);
    }
    if (sum == 0x12345u)
        *sink = sum;
}

static uint32_t *data, *sink;

template <int BETWEEN, int CHAIN>
static void run(uint32_t lines, uint32_t spread, uint32_t shift, uint32_t warps)
{
    static const char *const name[] = {"none", "load", "other"};
    printf("%u,%u,%s,%u,%d,%u,%u\n", lines, spread, name[BETWEEN], shift, CHAIN, warps, TURNS);
    twice<BETWEEN, CHAIN><<<1, warps * 32u>>>(data, lines, spread, shift, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

template <int CHAIN> static void all_of(void)
{
    for (uint32_t lines : {1u, 2u, 4u, 8u, 16u, 32u})
        for (uint32_t spread : {4u, 32u}) {
            if (spread == 32u && lines > 16u)
                continue;
            run<NONE, CHAIN>(lines, spread, 0, 1);
            run<LOAD, CHAIN>(lines, spread, 0, 1);
        }
    run<OTHER, CHAIN>(8, 32, 0, 1);
    run<OTHER, CHAIN>(32, 4, 0, 1);
    run<NONE, CHAIN>(32, 4, 3, 1);
    run<NONE, CHAIN>(32, 4, 16, 1);
    run<LOAD, CHAIN>(32, 4, 3, 1);
    run<LOAD, CHAIN>(8, 32, 0, 8);
    run<LOAD, CHAIN>(32, 4, 0, 8);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&data, 1u << 20));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    printf("lines,spread,between,shift,chain,warps,turns\n");
    all_of<0>();
    all_of<3>();
    all_of<6>();
    all_of<9>();
    all_of<12>();
    all_of<16>();
    all_of<20>();
    all_of<25>();
    all_of<30>();
    all_of<40>();
    all_of<60>();
    all_of<100>();
    return 0;
}
