/* SPDX-License-Identifier: MIT
 *
 * math_rates.cu - how often the warps of a sub-partition issue an instruction, and how long one
 * takes if the next needs its result. A kernel repeats blocks of one instruction: on `chains`
 * independent registers in turn, by `warps` warps of one CTA, a quarter of them on each
 * sub-partition. `mix` rows alternate two instructions, which tells whether they share a pipe.
 * Settles: the pipes, their rates and the latencies in pace.c.
 * Output: CSV: name,chains,warps,instructions,clocks - instructions of one warp; clocks are those
 * of the slowest warp.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define TURNS 64
#define BLOCK 32 /* instructions a turn */

struct regs {
    uint32_t u[4];
    float f[4];
    double d[4];
    uint64_t l[4];
};

/* I(name, assembly of one instruction on register i, with `c` another operand) */
#define LIST(I)                                                                                                        \
    I(ffma, asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(r.f[i]) : "f"(c.f[0])))                                      \
    I(fadd, asm volatile("add.rn.f32 %0,%0,%1;" : "+f"(r.f[i]) : "f"(c.f[0])))                                         \
    I(fmnmx, asm volatile("min.f32 %0,%0,%1;" : "+f"(r.f[i]) : "f"(c.f[0])))                                           \
    I(iadd, asm volatile("add.s32 %0,%0,%1;" : "+r"(r.u[i]) : "r"(c.u[0])))                                            \
    I(imad, asm volatile("mad.lo.s32 %0,%0,%1,%1;" : "+r"(r.u[i]) : "r"(c.u[0])))                                      \
    I(imad_wide, asm volatile("mad.wide.u32 %0,%1,%1,%0;" : "+l"(r.l[i]) : "r"(c.u[0])))                               \
    I(lop3, asm volatile("lop3.b32 %0,%0,%1,%2,0x96;" : "+r"(r.u[i]) : "r"(c.u[0]), "r"(c.u[1])))                      \
    I(shf, asm volatile("shf.l.wrap.b32 %0,%0,%1,%2;" : "+r"(r.u[i]) : "r"(c.u[0]), "r"(c.u[1])))                      \
    I(prmt, asm volatile("prmt.b32 %0,%0,%1,%2;" : "+r"(r.u[i]) : "r"(c.u[0]), "r"(c.u[1])))                           \
    I(imnmx, asm volatile("min.s32 %0,%0,%1;" : "+r"(r.u[i]) : "r"(c.u[0])))                                           \
    I(isetp_sel, asm volatile("{.reg .pred p; setp.lt.s32 p,%0,%1; selp.b32 %0,%1,%2,p;}"                              \
                              : "+r"(r.u[i]) : "r"(c.u[0]), "r"(c.u[1])))                                              \
    I(popc, asm volatile("popc.b32 %0,%0;" : "+r"(r.u[i])))                                                            \
    I(flo, asm volatile("bfind.u32 %0,%0;" : "+r"(r.u[i])))                                                            \
    I(brev, asm volatile("brev.b32 %0,%0;" : "+r"(r.u[i])))                                                            \
    I(rcp, asm volatile("rcp.approx.ftz.f32 %0,%0;" : "+f"(r.f[i])))                                                   \
    I(ex2, asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(r.f[i])))                                                   \
    I(i2f, asm volatile("cvt.rn.f32.s32 %0,%1;" : "=f"(r.f[i]) : "r"(__float_as_int(r.f[i]))))                         \
    I(f2i, asm volatile("cvt.rzi.s32.f32 %0,%1;" : "=r"(r.u[i]) : "f"(__int_as_float((int)r.u[i]))))                   \
    I(f2f16, asm volatile("{.reg .f16 h; cvt.rn.f16.f32 h,%0; cvt.f32.f16 %0,h;}" : "+f"(r.f[i])))                     \
    I(dfma, asm volatile("fma.rn.f64 %0,%0,%1,%1;" : "+d"(r.d[i]) : "d"(c.d[0])))                                      \
    I(dadd, asm volatile("add.rn.f64 %0,%0,%1;" : "+d"(r.d[i]) : "d"(c.d[0])))                                         \
    I(f2f64, asm volatile("{.reg .f32 x; cvt.rn.f32.f64 x,%0; cvt.f64.f32 %0,x;}" : "+d"(r.d[i])))                     \
    I(hfma2, asm volatile("fma.rn.f16x2 %0,%0,%1,%1;" : "+r"(r.u[i]) : "r"(c.u[0])))                                   \
    I(hadd2, asm volatile("add.rn.f16x2 %0,%0,%1;" : "+r"(r.u[i]) : "r"(c.u[0])))                                      \
    I(shfl, asm volatile("shfl.sync.bfly.b32 %0,%0,1,31,-1;" : "+r"(r.u[i])))                                          \
    I(vote, asm volatile("{.reg .pred p; setp.ne.s32 p,%0,%1; vote.sync.ballot.b32 %0,p,-1;}"                          \
                         : "+r"(r.u[i]) : "r"(c.u[0])))                                                                \
    I(match, asm volatile("match.any.sync.b32 %0,%0,-1;" : "+r"(r.u[i])))                                              \
    I(redux, asm volatile("redux.sync.add.s32 %0,%0,-1;" : "+r"(r.u[i])))                                              \
    I(s2r, asm volatile("{.reg .u32 t; mov.u32 t,%%laneid; add.u32 %0,%0,t;}" : "+r"(r.u[i])))                         \
    I(mufu_sin, asm volatile("sin.approx.ftz.f32 %0,%0;" : "+f"(r.f[i])))                                              \
    I(hmma, asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},"      \
                         "{%0,%1,%2,%3};"                                                                              \
                         : "+f"(h[i][0]), "+f"(h[i][1]), "+f"(h[i][2]), "+f"(h[i][3]) : "r"(c.u[0])))                  \
    I(syncwarp, asm volatile("bar.warp.sync -1;" ::: "memory"))                                                        \
    I(ffma_iadd, if (k & 1) asm volatile("add.s32 %0,%0,%1;" : "+r"(r.u[i]) : "r"(c.u[0]));                            \
      else asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(r.f[i]) : "f"(c.f[0])))                                       \
    I(ffma_imad, if (k & 1) asm volatile("mad.lo.s32 %0,%0,%1,%1;" : "+r"(r.u[i]) : "r"(c.u[0]));                      \
      else asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(r.f[i]) : "f"(c.f[0])))                                       \
    I(imad_lop3, if (k & 1) asm volatile("lop3.b32 %0,%0,%1,%1,0x96;" : "+r"(r.u[i]) : "r"(c.u[0]));                   \
      else asm volatile("mad.lo.s32 %0,%0,%1,%1;" : "+r"(r.u[i]) : "r"(c.u[0])))                                       \
    I(ffma_rcp, if (k & 1) asm volatile("rcp.approx.ftz.f32 %0,%0;" : "+f"(r.f[i]));                                   \
      else asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(r.f[i]) : "f"(c.f[0])))                                       \
    I(ffma_hfma2, if (k & 1) asm volatile("fma.rn.f16x2 %0,%0,%1,%1;" : "+r"(r.u[i]) : "r"(c.u[0]));                   \
      else asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(r.f[i]) : "f"(c.f[0])))

enum which {
#define I(name, ...) K_##name,
    LIST(I)
#undef I
};

template <int WHICH, int CHAINS> __device__ static void turn(regs &r, const regs &c, float (&h)[4][4])
{
#pragma unroll
    for (int k = 0; k < BLOCK; k++) {
        const int i = k % CHAINS;
        (void)i;
#define I(name, ...)                                                                                                   \
    if constexpr (WHICH == K_##name) {                                                                                 \
        __VA_ARGS__;                                                                                                   \
    }
        LIST(I)
#undef I
    }
}

template <int WHICH, int CHAINS>
__global__ void __launch_bounds__(1024) repeat(regs start, uint64_t *clocks, uint32_t *sink)
{
    __shared__ unsigned long long last;
    regs r = start;
    float h[4][4] = {};
    r.u[0] += threadIdx.x;
    if (threadIdx.x == 0)
        last = 0;
    turn<WHICH, CHAINS>(r, start, h);
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < TURNS; t++)
        turn<WHICH, CHAINS>(r, start, h);
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum ^= r.u[i] ^ __float_as_uint(r.f[i]) ^ (uint32_t)r.l[i] ^ (uint32_t)__double_as_longlong(r.d[i]) ^
               __float_as_uint(h[i][0]) ^ __float_as_uint(h[i][3]);
    asm volatile("" ::"r"(sum) : "memory");
    atomicMax(&last, (unsigned long long)(clock64() - begin));
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = last;
    if (sum == 0x12345)
        *sink = sum;
}

static uint64_t *clocks;

template <int WHICH, int CHAINS> static void run(const char *name)
{
    regs start = {{3, 5, 7, 9}, {1.5f, 2.5f, 3.5f, 4.5f}, {1.5, 2.5, 3.5, 4.5}, {3, 5, 7, 9}};
    for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
        if (CHAINS == 1 && warps > 1)
            break;
        for (int again = 0; again < 2; again++)
            repeat<WHICH, CHAINS><<<1, warps * 32>>>(start, clocks, (uint32_t *)(clocks + 1));
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaDeviceSynchronize());
        printf("%s,%d,%u,%d,%llu\n", name, CHAINS, warps, TURNS * BLOCK, (unsigned long long)*clocks);
    }
}

int main(void)
{
    MICRO_CUDA(cudaMallocManaged(&clocks, 16));
    puts("name,chains,warps,instructions,clocks");
#define I(name, ...)                                                                                                   \
    run<K_##name, 1>(#name);                                                                                           \
    run<K_##name, 4>(#name);
    LIST(I)
#undef I
    return 0;
}
