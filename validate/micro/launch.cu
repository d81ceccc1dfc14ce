/* SPDX-License-Identifier: MIT
 *
 * launch.cu - what a launch costs beside the work of its warps. One launch a row, from flushed
 * caches, to be run under ncu (metrics/launch.txt). Settles:
 *   empty  CTAs that end at once: the fixed overhead, and how fast CTAs follow one another
 *   spin   CTAs that wait `clocks`: the clocks from a CTA's end to its successor's first
 *          instruction (gap), and from the first CTA's start on an SM to the last one's of those
 *          that fit together (fill)
 *   copy   one element a thread: how late the first load of a cold machine is
 *   code   straight code of `clocks` instructions, run twice by one warp an SM: first is cold
 *          (gap: clocks of the first run, fill: of the second)
 * Output: CSV rows  experiment,grid,block,shared,clocks,fill,gap.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct stamp {
    uint64_t start, end;
    uint32_t sm, pad;
};

__global__ void empty(void)
{
}

__global__ void spin(stamp *stamps, uint32_t clocks)
{
    uint64_t start = clock64();
    while (clock64() - start < clocks)
        ;
    if (threadIdx.x == 0) {
        uint32_t sm;
        asm("mov.u32 %0, %%smid;" : "=r"(sm));
        stamps[blockIdx.x] = {start, (uint64_t)clock64(), sm, 0};
    }
}

__global__ void copy(const float *from, float *to)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

template <int COUNT> __device__ static float chain(float x, float y)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
    return x;
}

template <int COUNT> __global__ void code(stamp *stamps, float y)
{
    float x = 1;
    uint64_t clocks[2];
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        uint64_t start = clock64();
        x = chain<COUNT>(x, y);
        asm volatile("" ::"f"(x) : "memory");
        clocks[i] = clock64() - start;
    }
    if (threadIdx.x == 0)
        stamps[blockIdx.x] = {clocks[0], clocks[1], x == 3 ? 1u : 0u, 0};
}

static stamp *stamps, *there; /* here; on the GPU */

static void show(const char *name, unsigned grid, unsigned block, unsigned shared, unsigned clocks, double fill,
                 double gap)
{
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%u,%u,%u,%u,%.1f,%.1f\n", name, grid, block, shared, clocks, fill, gap);
}

static void do_spin(unsigned grid, unsigned block, unsigned shared, unsigned clocks)
{
    int fit = 0;
    MICRO_CUDA(cudaFuncSetAttribute(spin, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    MICRO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, spin, (int)block, shared));
    spin<<<grid, block, shared>>>(there, clocks);
    MICRO_CUDA(cudaMemcpy(stamps, there, grid * sizeof *stamps, cudaMemcpyDeviceToHost));
    double fill = 0, gap = 0;
    uint64_t fills = 0, gaps = 0;
    for (uint32_t sm = 0; sm < 132; sm++) {
        std::vector<uint64_t> start, end;
        for (unsigned i = 0; i < grid; i++)
            if (stamps[i].sm == sm) {
                start.push_back(stamps[i].start);
                end.push_back(stamps[i].end);
            }
        std::sort(start.begin(), start.end());
        std::sort(end.begin(), end.end());
        if (start.empty())
            continue;
        size_t first = std::min(start.size(), (size_t)fit);
        fill += (double)(start[first - 1] - start[0]);
        fills++;
        for (size_t i = (size_t)fit; i < start.size(); i++, gaps++)
            gap += (double)(int64_t)(start[i] - end[i - (size_t)fit]);
    }
    show("spin", grid, block, shared, clocks, fill / (double)std::max<uint64_t>(fills, 1),
         gap / (double)std::max<uint64_t>(gaps, 1));
}

template <int COUNT> static void do_code(unsigned grid)
{
    code<COUNT><<<grid, 32>>>(there, 1.5f);
    MICRO_CUDA(cudaMemcpy(stamps, there, grid * sizeof *stamps, cudaMemcpyDeviceToHost));
    double cold = 0, warm = 0;
    for (unsigned i = 0; i < grid; i++) {
        cold += (double)stamps[i].start;
        warm += (double)stamps[i].end;
    }
    show("code", grid, 32, 0, COUNT, warm / grid, cold / grid);
}

int main(void)
{
    static const unsigned blocks[] = {32, 64, 128, 256, 512, 1024};
    float *from, *to;
    MICRO_CUDA(cudaMallocHost(&stamps, 70000 * sizeof *stamps));
    MICRO_CUDA(cudaMalloc(&there, 70000 * sizeof *there));
    MICRO_CUDA(cudaMalloc(&from, 64 << 20));
    MICRO_CUDA(cudaMalloc(&to, 64 << 20));
    MICRO_CUDA(cudaMemset(from, 0, 64 << 20));
    puts("experiment,grid,block,shared,clocks,fill,gap");
    empty<<<1, 32>>>();
    show("empty", 1, 32, 0, 0, 0, 0);
    for (unsigned block : blocks)
        for (unsigned waves : {1u, 4u, 16u, 64u, 256u}) {
            empty<<<132 * waves, block>>>();
            show("empty", 132 * waves, block, 0, 0, 0, 0);
        }
    for (unsigned block : blocks)
        for (unsigned waves : {1u, 4u, 64u, 128u})
            do_spin(132 * waves, block, 0, 2000);
    for (unsigned shared : {1024u, 16u << 10, 64u << 10, 100u << 10})
        do_spin(132 * 16, 256, shared, 2000);
    for (unsigned block : {32u, 128u, 256u, 1024u})
        for (unsigned threads = 1u << 15; threads <= 1u << 23; threads *= 4) {
            copy<<<threads / block, block>>>(from, to);
            show("copy", threads / block, block, 0, 0, 0, 0);
        }
    for (unsigned grid : {1u, 132u}) {
        do_code<32>(grid);
        do_code<128>(grid);
        do_code<512>(grid);
        do_code<2048>(grid);
        do_code<8192>(grid);
    }
    return 0;
}
