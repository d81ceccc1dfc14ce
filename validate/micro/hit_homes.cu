/* SPDX-License-Identifier: MIT
 *
 * hit_homes.cu - which hits in L2 wait for misses (hit_order.cu), and how long, of how many. A lane
 * of SM 0 loads a line that L2 has, 500 times, one load after the other; `sms` SMs of its side of
 * L2 load 32 lines at a time anywhere in 4 GiB meanwhile, by `warps` warps each. Whose home a line
 * is shows in what SM 0 takes to load it from DRAM.
 *
 * Settles: hits of copies of the other side's lines wait, others never; the more misses there are,
 * the more hits wait, and the shorter.
 * Leaves out: several hits at a time (hits_beside.cu).
 *
 * Output: CSV home,sms,warps,clocks - of a load, the mean over eight lines.
 */
#include "validate/micro/near_far.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define SMS    132u
#define HELD   1024u      /* lines */
#define BEYOND (1u << 25) /* lines */
#define FIRST  20u        /* loads that are not counted */
#define LOADS  500u
#define LINES  8u         /* of each home that are looked at */

struct Misses {
    uint32_t sm[5]; /* bit by bit, which SMs load from DRAM */
    uint32_t warps;
};

__device__ static uint32_t load(const char *lines, uint32_t number)
{
    uint32_t word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(lines + (size_t)number * 128u));
    return word; /* 0 */
}

/* Clocks of a load; the branch keeps the clock from being read before the word is there. */
__device__ static uint32_t timed(const char *lines, uint32_t number, volatile uint32_t *sink)
{
    const long long begin = clock64();
    if (load(lines, number) == 77u)
        *sink = number;
    return (uint32_t)(clock64() - begin);
}

__global__ void each(const char *held, uint32_t *clocks, volatile uint32_t *sink)
{
    if (my_sm() == 0)
        for (uint32_t i = 0; i < HELD; i++)
            clocks[i] = timed(held, i, sink);
}

__global__ void sweep(const char *lines, uint32_t count, volatile uint32_t *sink)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        if (load(lines, i) == 77u)
            *sink = i;
}

__global__ void behind(const char *held, const char *beyond, uint32_t line, Misses misses,
                       uint32_t seed, volatile uint32_t *stop, volatile uint32_t *sink,
                       uint32_t *clocks)
{
    const uint32_t sm = my_sm();
    if (sm == 0 && threadIdx.x == 0) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < FIRST + LOADS; i++) {
            const uint32_t took = timed(held, line, sink);
            sum += i < FIRST ? 0 : took;
        }
        *clocks = sum / LOADS;
        *stop = 1u;
    } else if (misses.sm[sm / 32u] >> sm % 32u & 1u && threadIdx.x < misses.warps * 32u) {
        uint32_t x = (seed * SMS + sm) * 2654435761u + threadIdx.x * 40503u;
        while (!*stop) {
            x = x * 1664525u + 1013904223u;
            if (load(beyond, (x ^ x >> 15) % BEYOND) == 77u)
                *sink = x;
            __syncwarp();
        }
    }
}

static char *held, *beyond;
static uint32_t *stop, *sink, *clocks, seed = 1;

static uint32_t hit(uint32_t line, const Misses &misses)
{
    uint32_t took;
    MICRO_CUDA(cudaMemset(stop, 0, sizeof *stop));
    sweep<<<32, 256>>>(held, HELD, sink);
    behind<<<SMS, 256>>>(held, beyond, line, misses, seed++, stop, sink, clocks);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
    return took;
}

/* The lines of this side's and of the other side's DRAM, as far from the middle as can be. */
static void find_homes(std::vector<uint32_t> home[2])
{
    std::vector<uint32_t> least(HELD, ~0u), took(HELD), sorted;
    for (int run = 0; run < 8; run++) {
        sweep<<<SMS, 512>>>(beyond, 1u << 21, sink);
        each<<<SMS, 32>>>(held, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(took.data(), clocks, HELD * 4u, cudaMemcpyDeviceToHost));
        for (uint32_t i = 0; i < HELD; i++)
            least[i] = std::min(least[i], took[i]);
    }
    sorted = least;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t j = 0; j < HELD; j++) {
        const uint32_t i = j * 389u % HELD; /* not neighbours */
        if (least[i] <= sorted[HELD / 4u] && home[0].size() < LINES)
            home[0].push_back(i);
        if (least[i] >= sorted[HELD * 3u / 4u] && home[1].size() < LINES)
            home[1].push_back(i);
    }
}

int main()
{
    MICRO_CUDA(cudaMalloc(&held, (size_t)HELD * 128u));
    MICRO_CUDA(cudaMemset(held, 0, (size_t)HELD * 128u));
    MICRO_CUDA(cudaMalloc(&beyond, (size_t)BEYOND * 128u));
    MICRO_CUDA(cudaMemset(beyond, 0, (size_t)BEYOND * 128u));
    MICRO_CUDA(cudaMalloc(&stop, sizeof *stop));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMalloc(&clocks, HELD * 4u));
    std::vector<uint32_t> home[2], same;
    find_homes(home);
    for (uint32_t sm = 1; sm < SMS; sm++) { /* those whose misses make hits wait */
        Misses one = {{0}, 8u};
        uint32_t beside = 0, alone = 0;
        alone = hit(home[1][0], one) + hit(home[1][1], one);
        one.sm[sm / 32u] = 1u << sm % 32u;
        beside = hit(home[1][0], one) + hit(home[1][1], one);
        if (beside > alone + 100u)
            same.push_back(sm);
    }
    printf("home,sms,warps,clocks\n");
    for (uint32_t other = 0; other < 2u; other++)
        for (uint32_t warps : {1u, 8u})
            for (uint32_t sms : {0u, 1u, 4u, 16u, 64u}) {
                Misses misses = {{0}, warps};
                uint32_t sum = 0;
                for (uint32_t i = 0; i < sms && i < same.size(); i++)
                    misses.sm[same[i] / 32u] |= 1u << same[i] % 32u;
                for (uint32_t line : home[other])
                    sum += hit(line, misses);
                printf("%s,%u,%u,%u\n", other ? "other" : "same", sms, warps, sum / LINES);
            }
    return 0;
}
