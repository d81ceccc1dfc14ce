/* SPDX-License-Identifier: MIT
 *
 * issue_slots.cu - what an instruction takes of its scheduler. A loop of 64 FADD and LOP3 or SHF
 * (`integers` of them), each with one register to read, keeps the scheduler busy and no pipe; `count`
 * instructions of one kind are spread among them. A turn takes `count` clocks more where each takes
 * one issue slot, twice as many where it takes two.
 * Settles: issue slots by kind, where neither its pipe nor register banks hold an instruction up
 * (MUFU, POPC and conversions, more than four a turn, are held up by theirs). Leaves out: memory
 * beyond L1, branches. Compilers put two moves in a loop of IMAD.WIDE, one in that of `ldg`.
 * With an argument: few turns and no accesses, for other tools to look at. Output: CSV:
 * name,count,integers,warps,turns,clocks - warps on a sub-partition; clocks of an SM, the mean over
 * SMs, after the starting values were there.
 */
#include "validate/micro/check.h"
#include "validate/micro/sm_times.h"
#include <cstdint>
#include <cstdio>
#include <cstring>

struct state {
    float x[8];
    uint32_t a[8];
    uint32_t i, j, k, o;
    uint64_t p, q, data;
    double g, h;
    float f;
    uint32_t shared;
};

__constant__ uint32_t constants[64];

/* clang-format off */
/* Each works on what the one before it left, so that none can be left out; no code merges two. */
#define LOW "{.reg .u32 t,u; mov.b64 {t,u},%0; "
#define KINDS(X)                                                                                         \
    X(none, )                                                                                            \
    X(fadd_1, asm volatile("add.f32 %0,%0,0f3F000000;" : "+f"(s.f)))                                     \
    X(ffma_2, asm volatile("fma.rn.f32 %0,%0,%1,0f3F000000;" : "+f"(s.f) : "f"(s.x[0])))                 \
    X(ffma_twice, asm volatile("fma.rn.f32 %0,%0,0f3F000000,%0;" : "+f"(s.f)))                           \
    X(ffma_3, asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(s.f) : "f"(s.x[0]), "f"(s.x[1])))            \
    X(lop3_twice, asm volatile("lop3.b32 %0,%0,0x12345,%0,0x6a;" : "+r"(s.k)))                           \
    X(lop3_3, asm volatile("lop3.b32 %0,%0,%1,%2,0x96;" : "+r"(s.k) : "r"(s.a[0]), "r"(s.a[1])))         \
    X(imad, asm volatile("mad.lo.s32 %0,%0,%1,%2;" : "+r"(s.k) : "r"(s.i), "r"(s.j)))                    \
    X(imad_twice, asm volatile("mad.lo.s32 %0,%0,77,%0;" : "+r"(s.k)))                                   \
    X(wide, asm volatile(LOW "mul.wide.u32 %0,t,u;}" : "+l"(s.p)))                                       \
    X(wide_signed, asm volatile(LOW "mul.wide.s32 %0,t,u;}" : "+l"(s.p)))                                \
    X(wide_sum, asm volatile(LOW "mul.wide.u32 %0,t,u; mad.wide.u32 %0,%1,77,%0;}" : "+l"(s.p) : "r"(s.i))) \
    X(hi, asm volatile("mul.hi.u32 %0,%0,%1;" : "+r"(s.k) : "r"(s.i)))                                   \
    X(hi_1, asm volatile("mul.hi.u32 %0,%0,0xfff7b7;" : "+r"(s.k)))                                      \
    X(shift64, asm volatile("shf.r.clamp.b32 %0,%0,%1,%2;" : "+r"(s.k) : "r"(s.i), "r"(s.a[0])))         \
    X(fadd_twice, asm volatile("add.f32 %0,%0,%0;" : "+f"(s.f)))                                         \
    X(minmax, asm volatile("min.f32 %0,%0,%1;" : "+f"(s.f) : "f"(s.x[0])))                               \
    X(mufu, asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(s.f)))                                       \
    X(popc, asm volatile("popc.b32 %0,%0;" : "+r"(s.k)))                                                 \
    X(f2i, asm volatile("{.reg .f32 t; mov.b32 t,%0; cvt.rzi.s32.f32 %0,t;}" : "+r"(s.k)))               \
    X(i2f, asm volatile("{.reg .f32 t; cvt.rn.f32.s32 t,%0; mov.b32 %0,t;}" : "+r"(s.k)))                \
    X(f2f64, asm volatile("{.reg .f32 t,u; mov.b64 {t,u},%0; cvt.f64.f32 %0,u;}" : "+d"(s.g)))           \
    X(f64_2f, asm volatile("{.reg .f32 t,u,v; mov.b64 {t,u},%0; cvt.rn.f32.f64 v,%0; mov.b64 %0,{v,u};}" \
                           : "+d"(s.g)))                                                                 \
    X(dadd, asm volatile("add.f64 %0,%0,%1;" : "+d"(s.g) : "d"(s.h)))                                    \
    X(dfma, asm volatile("fma.rn.f64 %0,%0,%1,%1;" : "+d"(s.g) : "d"(s.h)))                              \
    X(dmul_1, asm volatile("mul.f64 %0,%0,0d3FE0000000000000;" : "+d"(s.g)))                             \
    X(half2, asm volatile("fma.rn.f16x2 %0,%0,%0,%0;" : "+r"(s.k)))                                      \
    X(select, asm volatile("{.reg .pred p; setp.lt.u32 p,%0,%1; selp.b32 %0,%0,%2,p;}"                   \
                           : "+r"(s.k) : "r"(s.i), "r"(s.j)))                                            \
    X(shfl, asm volatile("shfl.sync.idx.b32 %0,%0,%1,31,-1;" : "+r"(s.k) : "r"(s.i)))
#define ACCESSES(X)                                                                                      \
    X(ldc, s.o = *(volatile const uint32_t *)((const char *)constants + s.o))                            \
    X(ldg, asm volatile(LOW "ld.global.b32 t,[%0]; mov.b64 %0,{t,u};}" : "+l"(s.data)))                  \
    X(ldg_8, asm volatile("ld.global.b64 %0,[%0];" : "+l"(s.data)))                                      \
    X(lds, asm volatile("ld.shared.b32 %0,[%0];" : "+r"(s.shared)))                                      \
    X(sts, asm volatile("st.volatile.shared.f32 [%0+2048],%1;" : : "r"(s.shared), "f"(s.x[0])))
/* clang-format on */

#define X(name, ...)                                                                               \
    struct name##_kind {                                                                           \
        static __device__ __forceinline__ void go(state &s) { __VA_ARGS__; }                       \
    };
KINDS(X) ACCESSES(X)
#undef X

/* Words of `from` are ones; behind them each eight bytes hold where they are. */
template <class kind, int count, int integers>
__global__ void __launch_bounds__(512) loop(uint32_t turns, const volatile uint32_t *from, times *t)
{
    __shared__ uint32_t memory[1024];
    const uint32_t here = (uint32_t)__cvta_generic_to_shared(memory + threadIdx.x);
    memory[threadIdx.x] = here;
    state s;
    const uint32_t lane = threadIdx.x % 32u;
    for (int i = 0; i < 8; i++) {
        s.x[i] = (float)(from[i] + threadIdx.x);
        s.a[i] = from[8 + i] * threadIdx.x;
    }
    s.i = from[16] + lane, s.j = from[17] + lane, s.k = from[18] + lane, s.o = from[lane] - 1u;
    s.p = from[20] + ((uint64_t)s.k << 32), s.q = from[21] + ((uint64_t)s.i << 32);
    s.g = from[23] + lane, s.h = from[24], s.f = from[25] + lane;
    s.data = (uint64_t)(const void *)(from + 64) + 8u * lane;
    s.shared = here;
    __syncthreads();
    unsigned long long began = clock64(); /* behind the loads: what they loaded is used first */
    uint32_t need = __float_as_uint(s.f) ^ (uint32_t)s.data;
    asm volatile("" : "+r"(need), "+l"(began));
    __syncthreads();
#pragma unroll 1
    for (uint32_t n = 0; n < turns; n++) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (4 * i + k + 1 & (integers == 16 || i % 2 ? 3 : 1))
                    asm volatile("add.f32 %0,%0,0f3F000000;" : "+f"(s.x[(3 * i + k) % 8]));
                else if (i / 4 % 2)
                    asm volatile("shr.u32 %0,%0,1;" : "+r"(s.a[(2 * i + k / 2) % 8]));
                else
                    asm volatile("xor.b32 %0,%0,0x12345;" : "+r"(s.a[(2 * i + k / 2) % 8]));
            for (int k = 0; k < (count + 15) / 16; k++)
                if (i * count % 16 < count)
                    kind::go(s);
        }
    }
    uint32_t sum = s.k ^ s.o ^ s.shared ^ (uint32_t)(s.p ^ s.p >> 32 ^ s.data);
    float f = s.f + (float)s.g;
    for (int i = 0; i < 8; i++)
        sum ^= s.a[i], f += s.x[i];
    if (sum == 12345u && f == 3.25f)
        t->first[0] = need;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMin(&t->first[sm_number()], began);
        atomicMax(&t->last[sm_number()], (unsigned long long)clock64());
    }
}

typedef void kernel(uint32_t, const volatile uint32_t *, times *);
static const struct {
    const char *name;
    unsigned count, integers;
    kernel *go;
} loops[] = {
#define ROWS(name, integers)                                                                        \
    {#name, 2, integers, loop<name##_kind, 2, integers>},                                          \
        {#name, 4, integers, loop<name##_kind, 4, integers>},                                      \
        {#name, 8, integers, loop<name##_kind, 8, integers>},                                      \
        {#name, 16, integers, loop<name##_kind, 16, integers>},                                    \
        {#name, 32, integers, loop<name##_kind, 32, integers>},
#define X(name, ...) ROWS(name, 16) ROWS(name, 24)
    KINDS(X) ACCESSES(X)
#undef X
};
#define ONE(name, ...) +1
static const size_t arithmetic = 10 * (0 KINDS(ONE)); /* loops */

int main(int argc, char **)
{
    times *t, host;
    uint32_t *from;
    cudaDeviceProp gpu;
    MICRO_CUDA(cudaGetDeviceProperties(&gpu, 0));
    MICRO_CUDA(cudaMalloc(&t, sizeof *t));
    MICRO_CUDA(cudaMalloc(&from, 1024));
    uint32_t words[256];
    for (unsigned i = 0; i < 64; i++)
        words[i] = 1;
    for (unsigned i = 64; i < 128; i += 2) {
        const uint64_t place = (uint64_t)(uintptr_t)(from + i);
        memcpy(words + i, &place, sizeof place);
    }
    MICRO_CUDA(cudaMemcpy(from, words, sizeof words, cudaMemcpyHostToDevice));
    puts("name,count,integers,warps,turns,clocks");
    const bool brief = argc > 1; /* no accesses, few turns, for other tools to look at */
    const unsigned turns = brief ? 64 : 1024;
    for (unsigned warps = 4; warps <= (brief ? 4u : 16u); warps *= 2)
        for (size_t m = 0; m < (brief ? arithmetic : sizeof loops / sizeof *loops); m++) {
            const unsigned ctas = warps / 4u;
            for (int again = 0; again < (brief ? 1 : 2); again++) { /* code and constants are there */
                MICRO_CUDA(times_clear(t));
                loops[m].go<<<(unsigned)gpu.multiProcessorCount * ctas, 512>>>(turns, from, t);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(&host, t, sizeof host, cudaMemcpyDeviceToHost));
            }
            printf("%s,%u,%u,%u,%u,%.0f\n", loops[m].name, loops[m].count, loops[m].integers, warps,
                   turns, times_mean(&host));
        }
    return 0;
}
