/* SPDX-License-Identifier: MIT
 *
 * pipe_rates.cu - how fast a sub-partition goes where several of its pipes are full, over many
 * CTAs, one after the other, so that the last warp's way alone does not count (it does in
 * math_rates.cu, which has one CTA). A CTA has a warp on each sub-partition; so many are on an SM
 * at once.
 * - mix rows: a loop of independent instructions in turn, so many of each kind: IMAD, LOP3, FFMA,
 *   DFMA, HFMA2, MUFU, each kind on four registers in turn (as name: i1l2f0d0h0m0);
 * - chain rows: a loop of dependent steps as compilers write it, so many before the branch (as
 * name: fp64.4). Settles: which pipes hold up one another, and by how much, in
 * sim/model/time/pace.c. Leaves out: operands from constant memory, memory instructions, warps of
 * unequal ways. Output: CSV: name,warps,units,ctas,clocks - warps on a sub-partition; units of one
 * warp (a unit: one turn of a mix, one step of a chain); CTAs that an SM had; clocks it took for
 * them, the mean over SMs.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>

#define TURNS 6    /* of CTAs on an SM */
#define WORK  8192 /* units of a warp, about */

struct times {
    unsigned long long first[256], last[256];
    unsigned ctas[256];
};

__device__ static unsigned sm_number()
{
    unsigned sm;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
    return sm;
}

__device__ static void begins(times *t)
{
    if (threadIdx.x == 0)
        atomicMin(&t->first[sm_number()], (unsigned long long)clock64());
    __syncthreads();
}

__device__ static void ends(times *t)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMax(&t->last[sm_number()], (unsigned long long)clock64());
        atomicAdd(&t->ctas[sm_number()], 1u);
    }
}

/* clang-format off */
/* name, of each kind in a turn: IMAD, LOP3, FFMA, DFMA, HFMA2, MUFU */
#define MIXES(X) \
    X(1,0,0,0,0,0) X(0,1,0,0,0,0) X(0,0,1,0,0,0) X(0,0,0,1,0,0) X(0,0,0,0,1,0) X(0,0,0,0,0,1)           \
    X(1,1,0,0,0,0) X(2,1,0,0,0,0) X(1,2,0,0,0,0)                                                         \
    X(1,0,1,0,0,0) X(1,0,2,0,0,0) X(1,0,4,0,0,0) X(2,0,1,0,0,0) X(0,1,1,0,0,0) X(0,1,2,0,0,0) X(0,1,4,0,0,0) X(0,2,1,0,0,0) \
    X(1,0,0,1,0,0) X(1,0,0,2,0,0) X(2,0,0,1,0,0) X(0,1,0,1,0,0) X(0,1,0,2,0,0) X(0,1,0,4,0,0) X(0,2,0,1,0,0) \
    X(0,0,1,1,0,0) X(0,0,2,1,0,0) X(0,0,1,2,0,0) X(0,0,1,0,1,0) X(1,0,0,0,1,0) X(0,1,0,0,1,0) X(0,0,0,1,1,0) \
    X(1,1,1,0,0,0) X(1,1,2,0,0,0) X(2,2,1,0,0,0) X(1,1,4,0,0,0) X(1,1,0,1,0,0) X(1,1,0,2,0,0) X(1,1,0,4,0,0) X(2,2,0,1,0,0) \
    X(1,1,0,0,1,0) X(1,1,1,1,0,0) X(0,1,1,1,0,0) X(1,0,1,1,0,0)                                          \
    X(4,0,0,0,0,1) X(0,4,0,0,0,1) X(0,0,8,0,0,1) X(2,2,0,0,0,1) X(2,2,2,0,0,1) X(0,0,0,4,0,1)            \
    X(1,2,3,0,0,0) X(3,1,1,0,0,0) X(1,3,1,0,0,0)
#define STEPS(X) \
    X(fma, float, fmaf(v, 1.0001f, 0.5f))                       \
    X(fp64, double, fma(v, 1.0001, 0.5))                        \
    X(exp, float, __expf(v * -0.5f))                            \
    X(rsqrt, float, rsqrtf(v + 1.5f))                           \
    X(sin, float, __sinf(v))                                    \
    X(imad, unsigned, (v ^ 0x5bd1e995u) * 1664525u + 1013904223u) \
    X(shift, unsigned, (v << 3 | v >> 29) ^ (v + 77u))          \
    X(popc, unsigned, __popc(v) + v * 3u)                       \
    X(divide, float, 3.0f / (v + 1.25f))                        \
    X(half, __half2, __hfma2(v, v, v))
/* clang-format on */

/* Which kind comes at a place of a turn: that which is most behind. */
template <int I, int L, int F, int D, int H, int M> __device__ constexpr int kind_at(int place)
{
    const int want[6] = {I, L, F, D, H, M}, all = I + L + F + D + H + M;
    int had[6] = {0, 0, 0, 0, 0, 0}, next = 0;
    for (int p = 0; p <= place % all; p++) {
        next = 0;
        for (int k = 1; k < 6; k++)
            if (want[k] * (p + 1) - had[k] * all > want[next] * (p + 1) - had[next] * all)
                next = k;
        had[next]++;
    }
    return next;
}

struct regs {
    uint32_t i[4], l[4], h[4];
    float f[4], m[4];
    double d[4];
};

template <int KIND>
__device__ static void one(regs &r, int k, uint32_t c, uint32_t e, float x, double z)
{
    if (KIND == 0)
        asm volatile("mad.lo.s32 %0,%0,%1,%2;" : "+r"(r.i[k]) : "r"(c), "r"(e));
    if (KIND == 1)
        asm volatile("lop3.b32 %0,%0,%1,%2,0x6a;" : "+r"(r.l[k]) : "r"(c), "r"(e));
    if (KIND == 2)
        asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(r.f[k]) : "f"(x));
    if (KIND == 3)
        asm volatile("fma.rn.f64 %0,%0,%1,%1;" : "+d"(r.d[k]) : "d"(z));
    if (KIND == 4)
        asm volatile("fma.rn.f16x2 %0,%0,%1,%1;" : "+r"(r.h[k]) : "r"(c));
    if (KIND == 5)
        asm volatile("rsqrt.approx.ftz.f32 %0,%0;" : "+f"(r.m[k]));
}

template <int I, int L, int F, int D, int H, int M, int PLACE, int END>
__device__ static void places(regs &r, uint32_t c, uint32_t e, float x, double z)
{
    if constexpr (PLACE < END) {
        one<kind_at<I, L, F, D, H, M>(PLACE)>(r, PLACE / (I + L + F + D + H + M) % 4, c, e, x, z);
        places<I, L, F, D, H, M, PLACE + 1, END>(r, c, e, x, z);
    }
}

template <int I, int L, int F, int D, int H, int M>
__global__ void __launch_bounds__(128) mix(times *t, const uint32_t *seed, uint32_t *sink)
{
    constexpr int ALL = I + L + F + D + H + M, EACH = (64 + ALL - 1) / ALL;
    const uint32_t *s = seed + threadIdx.x % 32 * 32;
    regs r;
    for (int k = 0; k < 4; k++) {
        r.i[k] = s[k];
        r.l[k] = s[k + 4];
        r.h[k] = s[k + 8];
        r.f[k] = (float)s[k + 12];
        r.m[k] = (float)s[k + 16];
        r.d[k] = (double)s[k + 20];
    }
    const uint32_t c = s[26], e = s[27];
    const float x = (float)s[28];
    const double z = (double)s[29];
    begins(t);
#pragma unroll 1
    for (int n = 0; n < WORK / ALL / EACH; n++)
        places<I, L, F, D, H, M, 0, EACH * ALL>(r, c, e, x, z);
    uint32_t sum = 0;
    for (int k = 0; k < 4; k++)
        sum ^= r.i[k] ^ r.l[k] ^ r.h[k] ^ __float_as_uint(r.f[k]) ^ __float_as_uint(r.m[k]) ^
               (uint32_t)__double_as_longlong(r.d[k]);
    ends(t);
    if (sum == 0x12345)
        *sink = sum;
}

template <typename T> __device__ static T made(const T *, float x)
{
    return (T)x;
}
__device__ static __half2 made(const __half2 *, float x)
{
    return __float2half2_rn(x);
}
template <typename T> __device__ static float seen(T x)
{
    return (float)x;
}
__device__ static float seen(__half2 x)
{
    return __low2float(x);
}

#define STEP(name, type, step)                                                                     \
    template <int STRAIGHT>                                                                        \
    __global__ void __launch_bounds__(128)                                                         \
        chain_##name(times *t, const uint32_t *seed, uint32_t *sink)                               \
    {                                                                                              \
        type v = made((type *)0, (float)seed[threadIdx.x]);                                        \
        begins(t);                                                                                 \
        _Pragma("unroll STRAIGHT") for (int n = 0; n < WORK / 4; n++) v = step;                    \
        ends(t);                                                                                   \
        if (seen(v) == 12345.0f)                                                                   \
            *sink = 1;                                                                             \
    }
STEPS(STEP)

typedef void (*kernel)(times *, const uint32_t *, uint32_t *);

static uint32_t *seed, *sink;
static times *device;

static void run(const char *name, kernel function, unsigned units)
{
    static times host;
    int sms;
    MICRO_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    MICRO_CUDA(cudaFuncSetAttribute((const void *)function,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    MICRO_CUDA(cudaFuncSetAttribute((const void *)function,
                                    cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    for (unsigned warps : {1u, 2u, 4u, 8u, 12u}) {
        const unsigned shared = (228u / warps - 1u) * 1024u,
                       mine = getenv("PIPE_WARPS") ? atoi(getenv("PIPE_WARPS")) : warps;
        if (mine != warps)
            continue;
        memset(&host, 0, sizeof host);
        memset(host.first, 0xff, sizeof host.first);
        MICRO_CUDA(cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice));
        function<<<(unsigned)sms * warps * TURNS, 128, shared>>>(device, seed, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
        unsigned long long clocks = 0, ctas = 0, used = 0;
        for (int sm = 0; sm < 256; sm++)
            if (host.ctas[sm]) {
                clocks += host.last[sm] - host.first[sm];
                ctas += host.ctas[sm];
                used++;
            }
        printf("%s,%u,%u,%.2f,%llu\n", name, warps, units, (double)ctas / (double)used,
               clocks / used);
    }
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL; /* a name: that row alone */
    uint32_t numbers[1024];
    for (uint32_t i = 0; i < 1024; i++)
        numbers[i] = (i * 2654435761u >> 8) | 1;
    MICRO_CUDA(cudaMalloc(&seed, sizeof numbers));
    MICRO_CUDA(cudaMalloc(&device, sizeof *device));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMemcpy(seed, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    puts("name,warps,units,ctas,clocks");
#define MIX(i, l, f, d, h, m)                                                                      \
    if (!only || !strcmp(only, "i" #i "l" #l "f" #f "d" #d "h" #h "m" #m)) {                       \
        constexpr unsigned all = i + l + f + d + h + m, each = (64 + all - 1) / all;               \
        run("i" #i "l" #l "f" #f "d" #d "h" #h "m" #m, mix<i, l, f, d, h, m>,                      \
            WORK / all / each * each);                                                             \
    }
    MIXES(MIX)
#define CHAINS(name, type, step)                                                                   \
    if (!only || !strcmp(only, #name ".4"))                                                        \
        run(#name ".4", chain_##name<4>, WORK / 4);                                                \
    if (!only || !strcmp(only, #name ".16"))                                                       \
        run(#name ".16", chain_##name<16>, WORK / 4);                                              \
    if (!only || !strcmp(only, #name ".64"))                                                       \
        run(#name ".64", chain_##name<64>, WORK / 4);
    STEPS(CHAINS)
    return 0;
}
