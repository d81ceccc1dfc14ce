/* SPDX-License-Identifier: MIT
 *
 * atomics_grid.cu - how fast atomics are by operation, width, lanes that meet, lines, warps and SMs.
 * Lane l of warp w of CTA c works on word
 *   lane / group * stride + w * warp + c * cta   (in units of the operation's width)
 * behind `place` (bytes). Settles what a pass through a sector takes of a slice: of all its words,
 * of some, of one, of several doubles, of compare-and-swap, and when sums of floats wait for one
 * another (pairs of half floats as single ones); that this is the same wherever the word lies (set
 * places). The values added differ by lane and addresses are not uniform to the compiler, which
 * would add up the lanes otherwise.
 * Output: CSV: set,op,group,stride,warp,cta,sms,warps,turns,place,mean,last - clocks of the mean SM,
 * of the last.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

enum op {
    RED_U32,
    ATOM_U32,
    MAX_U32,
    ATOM_MAX,
    EXCH,
    CAS,
    RED_U64,
    ATOM_U64,
    RED_F32,
    ATOM_F32,
    RED_F16X2,
    ATOM_F16X2,
    RED_BF16X2,
    ATOM_BF16X2,
    RED_F64,
    ATOM_F64,
    CAS64
};
static const char *const op_name[] = {
    "red.add.u32",   "atom.add.u32",   "red.max.u32",    "atom.max.u32",    "atom.exch.b32",
    "atom.cas.b32",  "red.add.u64",    "atom.add.u64",   "red.add.f32",     "atom.add.f32",
    "red.add.f16x2", "atom.add.f16x2", "red.add.bf16x2", "atom.add.bf16x2", "red.add.f64",
    "atom.add.f64",  "atom.cas.b64"};

struct plan {
    uint32_t group, stride, warp, cta, turns;
};

template <int OP> __device__ static uint32_t work(uint64_t p, uint32_t value)
{
    uint32_t r = 0;
    uint64_t l = 0;
    float f = 0;
    double d = 0;
#define DO(which, head, tail, ...)                                                                 \
    if (OP == which)                                                                               \
    asm volatile(head ".global." tail __VA_ARGS__)
    DO(RED_U32, "red", "add.u32 [%0],%1;", ::"l"(p), "r"(value) : "memory");
    DO(ATOM_U32, "atom", "add.u32 %0,[%1],%2;", : "=r"(r) : "l"(p), "r"(value) : "memory");
    DO(MAX_U32, "red", "max.u32 [%0],%1;", ::"l"(p), "r"(value) : "memory");
    DO(ATOM_MAX, "atom", "max.u32 %0,[%1],%2;", : "=r"(r) : "l"(p), "r"(value) : "memory");
    DO(EXCH, "atom", "exch.b32 %0,[%1],%2;", : "=r"(r) : "l"(p), "r"(value) : "memory");
    DO(CAS, "atom", "cas.b32 %0,[%1],%2,%2;", : "=r"(r) : "l"(p), "r"(value) : "memory");
    DO(RED_U64, "red", "add.u64 [%0],%1;", ::"l"(p), "l"((uint64_t)value) : "memory");
    DO(ATOM_U64, "atom", "add.u64 %0,[%1],%2;",
       : "=l"(l)
       : "l"(p), "l"((uint64_t)value)
       : "memory");
    DO(CAS64, "atom", "cas.b64 %0,[%1],%2,%2;",
       : "=l"(l)
       : "l"(p), "l"((uint64_t)value)
       : "memory");
    DO(RED_F32, "red", "add.f32 [%0],%1;", ::"l"(p), "f"((float)value) : "memory");
    DO(ATOM_F32, "atom", "add.f32 %0,[%1],%2;", : "=f"(f) : "l"(p), "f"((float)value) : "memory");
    DO(RED_F64, "red", "add.f64 [%0],%1;", ::"l"(p), "d"((double)value) : "memory");
    DO(ATOM_F64, "atom", "add.f64 %0,[%1],%2;", : "=d"(d) : "l"(p), "d"((double)value) : "memory");
    DO(RED_F16X2, "red", "add.noftz.f16x2 [%0],%1;", ::"l"(p), "r"(value) : "memory");
    DO(ATOM_F16X2, "atom", "add.noftz.f16x2 %0,[%1],%2;",
       : "=r"(r)
       : "l"(p), "r"(value)
       : "memory");
    DO(RED_BF16X2, "red", "add.noftz.bf16x2 [%0],%1;", ::"l"(p), "r"(value) : "memory");
    DO(ATOM_BF16X2, "atom", "add.noftz.bf16x2 %0,[%1],%2;",
       : "=r"(r)
       : "l"(p), "r"(value)
       : "memory");
#undef DO
    return r + (uint32_t)f + (uint32_t)d + (uint32_t)l;
}

template <int OP>
__global__ void __launch_bounds__(1024) repeat(plan p, char *base, unsigned *gate, unsigned all,
                                               unsigned long long *clocks, uint32_t *sink)
{
    __shared__ unsigned long long last;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t word = lane / p.group * p.stride + warp * p.warp + blockIdx.x * p.cta;
    uint64_t at =
        (uint64_t)base + word * (OP == RED_U64 || OP == ATOM_U64 || OP >= RED_F64 ? 8u : 4u);
    uint32_t sum = 0, value = threadIdx.x + 1;
    if (threadIdx.x == 0) {
        last = 0;
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < all)
            ;
    }
    __syncthreads();
    unsigned long long start = clock64();
#pragma unroll 4
    for (uint32_t t = 0; t < p.turns; t++)
        sum += work<OP>(at, value);
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
static unsigned long long *clocks, got[132];
static unsigned *gate, arrived;

template <int OP>
static void run(const char *set, plan p, unsigned sms, unsigned warps, size_t place)
{
    unsigned long long sum = 0, most = ~0ull;
    for (int again = 0; again < 2; again++) {
        repeat<OP><<<sms, warps * 32>>>(p, array + place, gate, arrived += sms, clocks, gate + 1);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(got, clocks, sms * sizeof *got, cudaMemcpyDeviceToHost));
        unsigned long long all = 0, last = 0;
        for (unsigned i = 0; i < sms; i++)
            all += got[i], last = got[i] > last ? got[i] : last;
        if (last < most)
            most = last, sum = all;
    }
    printf("%s,%s,%u,%u,%u,%u,%u,%u,%u,%zu,%llu,%llu\n", set, op_name[OP], p.group, p.stride,
           p.warp, p.cta, sms, warps, p.turns, place, sum / sms, most);
}

template <int OP> static void all(void)
{
    static const unsigned line[] = {0, 5, 777, 9001};
    for (unsigned i = 0; i < 16; i++)
        run<OP>("places", {32, 0, 0, 0, 4}, 132, 4,
                (size_t)(i / 4u * 10u) * (1u << 20) + line[i % 4u] * 128u);
    for (unsigned group : {1u, 2u, 4u, 8u, 32u})
        for (unsigned stride : {1u, 2u, 4u, 8u, 16u, 32u, 64u})
            for (unsigned apart = 0; apart < 3; apart++) /* words of all; of a warp; of a thread */
                for (unsigned sms : {1u, 132u})
                    for (unsigned warps : {1u, 32u}) {
                        if (group == 32 && stride > 1)
                            continue;
                        unsigned own = 32u / group * stride;
                        own = own < 32u ? 32u : own;
                        run<OP>("grid",
                                {group, stride, apart ? own : 0, apart == 2 ? own * 32u : 0,
                                 sms * warps > 1000 ? 4u : 16u},
                                sms, warps, 0);
                    }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&array, 128u << 20));
    MICRO_CUDA(cudaMemset(array, 0, 128u << 20));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof got));
    MICRO_CUDA(cudaMalloc(&gate, 8));
    MICRO_CUDA(cudaMemset(gate, 0, 8));
    puts("set,op,group,stride,warp,cta,sms,warps,turns,place,mean,last");
    all<RED_U32>(), all<ATOM_U32>(), all<MAX_U32>(), all<ATOM_MAX>(), all<EXCH>(), all<CAS>();
    all<RED_U64>(), all<ATOM_U64>(), all<RED_F32>(), all<ATOM_F32>(), all<RED_F64>(),
        all<ATOM_F64>(), all<CAS64>();
    all<RED_F16X2>(), all<ATOM_F16X2>(), all<RED_BF16X2>(), all<ATOM_BF16X2>();
    return 0;
}
