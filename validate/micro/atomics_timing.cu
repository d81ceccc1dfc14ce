/* SPDX-License-Identifier: MIT
 *
 * atomics_timing.cu - how fast atomics on global and shared memory are by how many lanes, warps and
 * SMs meet in an address. Every warp repeats one operation; lane l of warp w of CTA c works on word
 *   lane / group * stride + w * warp + c * cta   (in units of 4 bytes, 8 for 64-bit types)
 * Settles: operations a clock of a slice of L2 on one address, on one sector, on one line, on
 * everything; their latency; the same for the SM's shared memory (space shared: cta is 0).
 * Output: CSV: space,op,group,stride,warp,cta,sms,warps,turns,clocks - the mean over SMs.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum op { RED_U32, ATOM_U32, RED_F32, ATOM_F32, RED_U64, CAS_U32, EXCH_U32, MAX_U32, RED_F64, ATOM_F64, OPS };
static const char *const op_name[] = {"red.add.u32", "atom.add.u32", "red.add.f32",  "atom.add.f32",
                                      "red.add.u64", "atom.cas.u32", "atom.exch.u32", "red.max.u32",
                                      "red.add.f64", "atom.add.f64"};

struct plan {
    uint32_t group, stride, warp, cta, turns;
};

template <int OP, bool SHARED> __device__ static uint32_t work(uint64_t p, uint32_t value)
{
    uint32_t r = 0;
    float f = 0;
    double d = 0;
#define DO(which, head, tail, ...)                                                                 \
    if (OP == which && SHARED)                                                                     \
        asm volatile(head ".shared." tail __VA_ARGS__);                                            \
    if (OP == which && !SHARED)                                                                    \
    asm volatile(head ".global." tail __VA_ARGS__)
    DO(RED_U32, "red", "add.u32 [%0],%1;", ::"l"(p), "r"(value) : "memory");
    DO(ATOM_U32, "atom", "add.u32 %0,[%1],%2;", : "=r"(r) : "l"(p), "r"(value) : "memory");
    DO(RED_F32, "red", "add.f32 [%0],%1;", ::"l"(p), "f"((float)value) : "memory");
    DO(ATOM_F32, "atom", "add.f32 %0,[%1],%2;", : "=f"(f) : "l"(p), "f"((float)value) : "memory");
    DO(RED_U64, "red", "add.u64 [%0],%1;", ::"l"(p), "l"((uint64_t)value) : "memory");
    DO(CAS_U32, "atom", "cas.b32 %0,[%1],%2,%2;", : "=r"(r) : "l"(p), "r"(value) : "memory");
    DO(EXCH_U32, "atom", "exch.b32 %0,[%1],%2;", : "=r"(r) : "l"(p), "r"(value) : "memory");
    DO(MAX_U32, "red", "max.u32 [%0],%1;", ::"l"(p), "r"(value) : "memory");
    DO(RED_F64, "red", "add.f64 [%0],%1;", ::"l"(p), "d"((double)value) : "memory");
    DO(ATOM_F64, "atom", "add.f64 %0,[%1],%2;", : "=d"(d) : "l"(p), "d"((double)value) : "memory");
#undef DO
    return r + (uint32_t)f + (uint32_t)d;
}

template <int OP, bool SHARED>
__global__ void __launch_bounds__(1024) repeat(plan p, char *base, uint32_t *gate, uint64_t *clocks, uint32_t *sink)
{
    __shared__ unsigned long long last;
    extern __shared__ char memory[];
    const uint32_t unit = OP == RED_U64 || OP == RED_F64 || OP == ATOM_F64 ? 8 : 4, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t at = (SHARED ? (uint64_t)__cvta_generic_to_shared(memory) : (uint64_t)base) +
                  (uint64_t)unit * (lane / p.group * p.stride + warp * p.warp + (SHARED ? 0 : blockIdx.x * p.cta));
    uint32_t sum = 0, value = threadIdx.x + 1;
    if (threadIdx.x == 0)
        last = 0;
    if (SHARED)
        for (uint32_t i = threadIdx.x; i < 32768 / 4; i += blockDim.x)
            ((uint32_t *)memory)[i] = 0;
    sum = work<OP, SHARED>(at, value);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(gate, 1);
        while (*(volatile uint32_t *)gate < gridDim.x)
            ;
    }
    __syncthreads();
    uint64_t start = clock64();
#pragma unroll 4
    for (uint32_t t = 0; t < p.turns; t++)
        sum += work<OP, SHARED>(at, value);
    asm volatile("" ::"r"(sum) : "memory");
    __threadfence();
    atomicMax(&last, (unsigned long long)clock64());
    __syncthreads();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = last - start;
    if (sum == 0x12345)
        *sink = sum;
}

static char *array;
static uint64_t *clocks;
static uint32_t *gate;

template <int OP, bool SHARED> static void run(plan p, unsigned sms, unsigned warps)
{
    uint64_t least = ~0ull;
    for (int again = 0; again < 2; again++) {
        MICRO_CUDA(cudaMemset(gate, 0, 4));
        repeat<OP, SHARED><<<sms, warps * 32, SHARED ? 40000 : 0>>>(p, array, gate, clocks, gate + 1);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaDeviceSynchronize());
        uint64_t sum = 0;
        for (unsigned i = 0; i < sms; i++)
            sum += clocks[i];
        least = sum / sms < least ? sum / sms : least;
    }
    printf("%s,%s,%u,%u,%u,%u,%u,%u,%u,%llu\n", SHARED ? "shared" : "global", op_name[OP], p.group, p.stride, p.warp,
           p.cta, sms, warps, p.turns, (unsigned long long)least);
}

template <int OP, bool SHARED> static void all(void)
{
    static const plan patterns[] = {
        {32, 0, 0, 0, 0},     /* one word */
        {32, 0, 32, 0, 0},    /* a word a warp, the same in all CTAs */
        {32, 0, 0, 32, 0},    /* a word a CTA */
        {32, 0, 32, 4096, 0}, /* a word a warp */
        {1, 1, 0, 0, 0},      /* one line, a word a lane */
        {1, 1, 32, 0, 0},     /* a line a warp, the same in all CTAs */
        {1, 1, 32, 4096, 0},  /* everybody's own line */
        {1, 8, 256, 8192, 0}, /* everybody's own sector */
        {1, 32, 0, 0, 0},     /* 32 lines, the same for all */
        {1, 32, 1024, 32768, 0},
        {2, 1, 32, 4096, 0},  {4, 1, 32, 4096, 0},  {8, 1, 32, 4096, 0},  {16, 1, 32, 4096, 0},
        {4, 8, 64, 4096, 0},  {1, 2, 64, 4096, 0},  {1, 4, 128, 4096, 0},
    };
    for (plan p : patterns)
        for (unsigned sms : {1u, 8u, 132u}) {
            if (SHARED && (sms != 1 || p.cta))
                continue;
            for (unsigned warps : {1u, 4u, 16u, 32u}) {
                if (sms == 8 && warps != 16)
                    continue;
                if (SHARED && p.warp * warps * 4u + 32u * p.stride * 4u > 32768u)
                    continue;
                p.turns = warps <= 4 && sms == 1 ? 256 : 64;
                run<OP, SHARED>(p, sms, warps);
            }
        }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&array, 64 << 20));
    MICRO_CUDA(cudaMemset(array, 0, 64 << 20));
    MICRO_CUDA(cudaMallocManaged(&clocks, 132 * sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&gate, 8));
    puts("space,op,group,stride,warp,cta,sms,warps,turns,clocks");
    all<RED_U32, false>();
    all<ATOM_U32, false>();
    all<RED_F32, false>();
    all<ATOM_F32, false>();
    all<RED_U64, false>();
    all<CAS_U32, false>();
    all<EXCH_U32, false>();
    all<MAX_U32, false>();
    all<RED_F64, false>();
    all<ATOM_F64, false>();
    all<RED_U32, true>();
    all<ATOM_U32, true>();
    all<ATOM_F32, true>();
    all<CAS_U32, true>();
    all<EXCH_U32, true>();
    return 0;
}
