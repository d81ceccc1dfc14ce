/* SPDX-License-Identifier: MIT
 *
 * l2_spread.cu - how evenly L2 spreads written lines over what bounds them. One launch a row, each
 * from flushed caches, to be run under ncu (metrics/l2_dirty.txt). Sizes in MiB of what is written.
 *   runs      `mega` of whole lines, `run` of them side by side at every `pitch` lines
 *   random    `mega` of whole lines, any of a span of `pitch` lines
 *   words     4 bytes of `run` sectors of each line of `mega`, every `pitch`th line
 *   any_words the same of any lines of a span of `pitch` lines
 *   local     arrays of `run` words in local memory, `mega` of them in all
 *   columns   16 bytes a lane, 32 rows apart by `pitch` lines, columns in turn by CTAs of one warp;
 *             `run` times; `mega` is the matrix
 *   sectors   the same, 32 bytes a lane
 * With an argument, fewer rows, and `passes_` before their names: for a list of metrics so long
 * that ncu takes several passes, and restores memory in between. Output: CSV rows
 * experiment,mega,run,pitch.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define CTAS    264u
#define THREADS 512u
#define MEGA    ((size_t)1 << 20)

static uint32_t *a;
static const char *prefix = "";

/* One to one on 0 ... mask. */
__device__ static size_t scatter(size_t i, size_t mask)
{
    i = (i * 0x9E3779B97F4A7C15ull) & mask;
    i ^= i >> 9;
    i = (i * 0xD6E8FEB86659FD93ull) & mask;
    return i ^ i >> 11;
}

__global__ void runs(uint4 *p, size_t lines, size_t run, size_t pitch)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < lines * 8u;
         i += (size_t)gridDim.x * blockDim.x)
        p[(i / 8u / run * pitch + i / 8u % run) * 8u + i % 8u] = make_uint4(1, 1, 1, 1);
}

__global__ void random_lines(uint4 *p, size_t lines, size_t span)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < lines * 8u;
         i += (size_t)gridDim.x * blockDim.x)
        p[scatter(i / 8u, span - 1u) * 8u + i % 8u] = make_uint4(1, 1, 1, 1);
}

__global__ void words(uint32_t *p, size_t lines, uint32_t sectors, size_t pitch, size_t span)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < lines * sectors;
         i += (size_t)gridDim.x * blockDim.x) {
        size_t line = span ? scatter(i / sectors, span - 1u) : i / sectors * pitch;
        p[line * 32u + i % sectors * 8u] = 1;
    }
}

template <int WORDS> __global__ void __launch_bounds__(1024) local(uint32_t *p, uint32_t add)
{
    uint32_t mine[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        mine[(i * 5u + add) % WORDS] = i + add;
    uint32_t sum = mine[(add + 1u) % WORDS];
    if (sum == 0x12345)
        *p = sum;
}

template <int QUADS>
__global__ void columns(uint4 *p, uint32_t rows, uint32_t quads, uint32_t turns)
{
    uint32_t groups = rows / 32u, first = blockIdx.x / groups * QUADS,
             step = gridDim.x / groups * QUADS;
    uint4 *row = p + (size_t)(blockIdx.x % groups * 32u + threadIdx.x) * quads;
    for (uint32_t i = 0; i < turns; i++)
        for (uint32_t k = 0; k < QUADS; k++)
            row[(first + i * step + k) % quads] = make_uint4(i, 1, 1, 1);
}

static void row(const char *experiment, size_t mega, size_t run, size_t pitch)
{
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s%s,%zu,%zu,%zu\n", prefix, experiment, mega, run, pitch);
}

int main(int argc, char **argv)
{
    const size_t lines = MEGA / 128u;
    bool few = argc > 1;
    if (few)
        prefix = "passes_";
    MICRO_CUDA(cudaMalloc(&a, few ? 512 * MEGA : 8192 * MEGA));
    uint4 *p = (uint4 *)a;
    printf("experiment,mega,run,pitch\n");
    static const size_t shape[][2] = {{1, 1},     {1, 2}, {1, 4},  {1, 8},    {1, 64},   {1, 256},
                                      {2, 4},     {4, 8}, {8, 16}, {64, 128}, {64, 256}, {77, 256},
                                      {256, 512}, {3, 4}, {5, 8},  {1, 3},    {1, 5}};
    for (auto &s : shape)
        for (size_t m : {8, 12, 16, 20, 24, 28})
            if (!few || s[1] == 1)
                runs<<<CTAS, THREADS>>>(p, m * lines, s[0], s[1]), row("runs", m, s[0], s[1]);
    for (size_t span : {1u << 20, 1u << 22, 1u << 25})
        for (size_t m : {8, 12, 16, 20, 24, 28})
            if (!few || span == 1u << 20)
                random_lines<<<CTAS, THREADS>>>(p, m * lines, span), row("random", m, 1, span);
    for (size_t m : {1, 2, 3, 4, 5, 6, 8, 10, 16, 32})
        for (uint32_t sectors : {1u, 4u}) {
            for (size_t span : {1u << 20, 1u << 25})
                if (!few || span == 1u << 20)
                    words<<<CTAS, THREADS>>>(a, m * lines, sectors, 0, span),
                        row("any_words", m, sectors, span);
            if (!few)
                for (size_t pitch : {1u, 2u, 8u, 64u})
                    words<<<CTAS, THREADS>>>(a, m * lines, sectors, pitch, 0),
                        row("words", m, sectors, pitch);
        }
    local<16><<<264, 1024>>>(a, 0), row("local", 16, 16, 1);
    local<24><<<264, 1024>>>(a, 0), row("local", 24, 24, 1);
    local<16><<<132, 1024>>>(a, 0), row("local", 8, 16, 1);
    local<32><<<132, 1024>>>(a, 0), row("local", 16, 32, 1);
    local<64><<<66, 1024>>>(a, 0), row("local", 16, 64, 1);
    for (uint32_t rows : {256u, 512u, 1024u})
        for (uint32_t turns : {1u, 4u, 32u}) {
            columns<1><<<rows / 32u * 480u, 32>>>(p, rows, 512, turns),
                row("columns", rows * 8192u / MEGA, turns, 64);
            columns<2><<<rows / 32u * 240u, 32>>>(p, rows, 512, turns),
                row("sectors", rows * 8192u / MEGA, turns, 64);
        }
    return 0;
}
