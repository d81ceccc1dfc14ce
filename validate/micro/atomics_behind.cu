/* SPDX-License-Identifier: MIT
 *
 * atomics_behind.cu - what waits behind atomics on few words. CTAs flood one word, one line or four
 * sectors with atomics; one warp meanwhile loads, writes or updates line after line, one at a time
 * (set probe: of 512 lines, the flooded one first; `beside` warps that flood, or on an SM of its
 * own). Set work: every warp of a full card does `turns` times, by the bits of `what`: 1 a red.u32
 * of 32 lanes on one word, 16 the same of floats; 2 an atom of one lane; 4 red.f64, 64 red.u32 on
 * lines of its own; 8 a load, 32 a store of a line of its own; cold (beside): L2 is full of others.
 * Settles how much longer an atomic takes than a load, near and far; how long others wait.
 * Output: CSV: set,what,probe,beside,sms,warps,turns,place, and clocks: of the probe and the flood,
 * the least, the median, how many lines took three times that, their median; or of the last and the
 * mean SM.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

enum flood { NONE, RED_WORD, ATOM_WORD, FLOAT_WORD, RED_LINE, RED_SECTORS, FLOODS };
static const char *const flood_name[] = {"none",         "red.u32 word", "atom.u32 word",
                                         "red.f32 word", "red.u32 line", "red.u32 sectors"};
enum probe { LOAD, STORE, LONE, PROBES };
static const char *const probe_name[] = {"ld.cg", "st", "atom"};
#define LINES 512u

__device__ static void flood_once(int kind, uint32_t *word, uint32_t lane)
{
    if (kind == RED_WORD)
        asm volatile("red.global.add.u32 [%0],%1;" ::"l"(word), "r"(lane) : "memory");
    if (kind == ATOM_WORD)
        asm volatile("{\n.reg .u32 r;\natom.global.add.u32 r,[%0],%1;\n}" ::"l"(word), "r"(lane)
                     : "memory");
    if (kind == FLOAT_WORD)
        asm volatile("red.global.add.f32 [%0],%1;" ::"l"(word), "f"((float)lane) : "memory");
    if (kind == RED_LINE)
        asm volatile("red.global.add.u32 [%0],%1;" ::"l"(word + lane), "r"(lane) : "memory");
    if (kind == RED_SECTORS)
        asm volatile("red.global.add.u32 [%0],%1;" ::"l"(word + lane / 8 * 8), "r"(lane)
                     : "memory");
}

/* Warp 0 of CTA 0 probes, all others flood (not those of CTA 0, unless `beside`). */
__global__ void __launch_bounds__(1024)
    behind(int kind, int probe, uint32_t *word, uint32_t *lines, unsigned turns, int beside,
           unsigned zero, unsigned *gate, unsigned all, unsigned *took, unsigned long long *end)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (blockIdx.x == 0 && warp == 0)
        for (unsigned i = lane; i < LINES * 32u; i += 32u)
            if (probe == LOAD && __ldcg(lines + i) == 12345u)
                *end = 1;
    if (threadIdx.x == 0) {
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < all)
            ;
    }
    __syncthreads();
    const unsigned long long start = clock64();
    if (blockIdx.x == 0 && warp == 0) {
        while (clock64() < start + 4000)
            ;
        for (unsigned i = 0; i < LINES; i++) {
            uint32_t *at = lines + i * 32u + lane, r = 0;
            const unsigned before = (unsigned)clock64();
            if (probe == LOAD)
                asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(r) : "l"(at) : "memory");
            if (probe == STORE) {
                asm volatile("st.global.u32 [%0],%1;" ::"l"(at), "r"(i) : "memory");
                __threadfence();
            }
            if (probe == LONE && lane == 0)
                asm volatile("atom.global.add.u32 %0,[%1],%2;"
                             : "=r"(r)
                             : "l"(at), "r"(0)
                             : "memory");
            asm volatile(
                "{ .reg .pred p; setp.eq.u32 p,%0,12345; @p st.global.u32 [%1],%0; }" ::"r"(r),
                "l"(end)
                : "memory");
            const unsigned after = (unsigned)clock64();
            if (lane == 0)
                took[i] = after - before;
        }
        if (lane == 0)
            end[1] = clock64() - start;
    } else if (blockIdx.x || beside) {
        for (unsigned t = 0; t < turns; t++)
            flood_once(kind, word + lane * zero, lane);
        __threadfence();
        if (lane == 0)
            atomicMax(end + 2, clock64() - start);
    }
}

__global__ void __launch_bounds__(1024)
    work(unsigned what, char *m, char *own, unsigned turns, unsigned zero, unsigned *gate,
         unsigned all, unsigned long long *clocks, unsigned *sink)
{
    __shared__ unsigned long long last;
    const uint32_t lane = threadIdx.x % 32, w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32,
                   warps = gridDim.x * (blockDim.x / 32);
    uint32_t sum = 0;
    if (threadIdx.x == 0) {
        last = 0;
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < all)
            ;
    }
    __syncthreads();
    const unsigned long long start = clock64();
    for (unsigned t = 0; t < turns; t++) {
        if (what & 4)
            asm volatile("red.global.add.f64 [%0],%1;" ::"l"(m + 4096 + (size_t)w * 256 + lane * 8),
                         "d"(1.0)
                         : "memory");
        if (what & 64)
            asm volatile("red.global.add.u32 [%0],%1;" ::"l"(m + 4096 + (size_t)w * 128 + lane * 4),
                         "r"(1)
                         : "memory");
        if (what & 1)
            asm volatile("red.global.add.u32 [%0],%1;" ::"l"(m + lane * zero), "r"(lane)
                         : "memory");
        if (what & 16)
            asm volatile("red.global.add.f32 [%0],%1;" ::"l"(m + lane * zero), "f"(1.0f)
                         : "memory");
        if ((what & 2) && lane == 0) {
            uint32_t r;
            asm volatile("atom.global.add.u32 %0,[%1],%2;" : "=r"(r) : "l"(m), "r"(32) : "memory");
            sum += r;
        }
        if (what & 8) {
            uint32_t r;
            asm volatile("ld.global.cg.u32 %0,[%1];"
                         : "=r"(r)
                         : "l"(own + (size_t)(w + t * warps) * 128 + lane * 4)
                         : "memory");
            sum += r;
        }
        if (what & 32)
            asm volatile(
                "st.global.u32 [%0],%1;" ::"l"(own + (size_t)(w + t * warps) * 128 + lane * 4),
                "r"(t)
                : "memory");
        if (sum == 0x12345) /* waits */
            *sink = sum;
    }
    __threadfence();
    atomicMax(&last, (unsigned long long)clock64());
    __syncthreads();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = last - start;
}

__global__ void fill(uint4 *p, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = make_uint4(0, 0, 0, 0);
}

int main(void)
{
    char *m, *own, *other;
    unsigned *gate, *took, arrived = 0, lat[LINES];
    unsigned long long *clocks, got[132];
    MICRO_CUDA(cudaMalloc(&m, 64u << 20));
    MICRO_CUDA(cudaMalloc(&own, 256u << 20));
    MICRO_CUDA(cudaMalloc(&other, 256u << 20));
    MICRO_CUDA(cudaMalloc(&took, sizeof lat));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof got));
    MICRO_CUDA(cudaMalloc(&gate, 8));
    MICRO_CUDA(cudaMemset(m, 0, 64u << 20));
    MICRO_CUDA(cudaMemset(own, 0, 256u << 20));
    MICRO_CUDA(cudaMemset(gate, 0, 8));
    puts("set,what,probe,beside,sms,warps,turns,place,end,flood,least,median,late,late_median");
    for (int flood = 0; flood < FLOODS; flood++)
        for (int probe = 0; probe < PROBES; probe++)
            for (int beside = 0; beside < 2; beside++)
                for (unsigned sms : {2u, 9u, 132u})
                    for (unsigned warps : {8u})
                        for (size_t place : {(size_t)0, (size_t)(3u << 20) + 777u * 128u}) {
                            if (!flood && sms != 132)
                                continue;
                            const unsigned lanes = flood == RED_LINE ? 4 : 32,
                                           turns = 3000000u / (45u * (sms - 1u + (unsigned)beside) *
                                                               warps * lanes / 32u) +
                                                   4u;
                            for (int again = 0; again < 2; again++) {
                                MICRO_CUDA(cudaMemset(clocks, 0, sizeof got));
                                behind<<<sms, warps * 32>>>(flood, probe, (uint32_t *)(m + place),
                                                            (uint32_t *)(m + place), turns, beside,
                                                            0, gate, arrived += sms, took, clocks);
                                MICRO_CUDA(cudaDeviceSynchronize());
                            }
                            MICRO_CUDA(cudaMemcpy(lat, took, sizeof lat, cudaMemcpyDeviceToHost));
                            MICRO_CUDA(cudaMemcpy(got, clocks, 24, cudaMemcpyDeviceToHost));
                            std::sort(lat, lat + LINES);
                            const unsigned median = lat[LINES / 2];
                            const unsigned long late =
                                (unsigned long)(lat + LINES -
                                                std::upper_bound(lat, lat + LINES, 3 * median));
                            printf("probe,%s,%s,%d,%u,%u,%u,%zu,%llu,%llu,%u,%u,%lu,%u\n",
                                   flood_name[flood], probe_name[probe], beside, sms, warps, turns,
                                   place, got[1], got[2], lat[0], median, late,
                                   late ? lat[LINES - 1 - late / 2] : 0);
                        }
    for (unsigned what : {1u,  2u,  4u,  8u,  16u, 32u, 64u, 6u,  66u, 5u,  9u,  17u, 24u,
                          10u, 12u, 33u, 48u, 36u, 34u, 72u, 96u, 11u, 25u, 41u, 65u})
        for (unsigned warps : {1u, 4u, 16u, 32u})
            for (unsigned turns : {1u, 3u, 8u})
                for (int cold = 0; cold < 2; cold++) {
                    unsigned long long best = ~0ull, mean = 0;
                    for (int again = 0; again < 3; again++) {
                        if (cold)
                            fill<<<264, 1024>>>((uint4 *)other, (256u << 20) / 16);
                        work<<<132, warps * 32>>>(what, m, own, turns, 0, gate, arrived += 132,
                                                  clocks, gate + 1);
                        MICRO_CUDA(cudaDeviceSynchronize());
                        MICRO_CUDA(cudaMemcpy(got, clocks, sizeof got, cudaMemcpyDeviceToHost));
                        unsigned long long most = 0, sum = 0;
                        for (unsigned i = 0; i < 132; i++)
                            most = got[i] > most ? got[i] : most, sum += got[i];
                        if (again && most < best)
                            best = most, mean = sum / 132;
                    }
                    printf("work,%u,,%d,132,%u,%u,0,%llu,%llu,,,,\n", what, cold, warps, turns,
                           best, mean);
                }
    return 0;
}
