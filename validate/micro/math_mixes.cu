/* SPDX-License-Identifier: MIT
 *
 * math_mixes.cu - arithmetic as compilers write it, all warps at it: loops of hashes, random
 * numbers, 64-bit integers, polynomials, complex numbers, outer products, comparisons and
 * selections, elementary functions, each `turns` times over, no memory; and loops of two halves,
 * `n` IMAD, then `n` LOP3 (phases_n). math_rates.cu and pipe_rates.cu have instructions alone and
 * in pairs; here are the mixes that real code has, with their operands where a compiler put them.
 * Settles: what instructions of many kinds cost one another - pipes, ports of the register file, the
 * scheduler. Leaves out: memory, branches that part lanes. Output: CSV: name,warps,turns,clocks -
 * warps on a sub-partition; clocks of an SM, the mean over SMs.
 */
#include "validate/micro/check.h"
#include "validate/micro/sm_times.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct state {
    uint32_t a, b, c, d;
    uint64_t p, q, s;
    float x, y, z, w;
    double g, h;
};

#define FA(x, y, z) asm volatile("fma.rn.f32 %0,%1,%2,%0;" : "+f"(x) : "f"(y), "f"(z))
#define IM(x, y, z) asm volatile("mad.lo.s32 %0,%1,%2,%0;" : "+r"(x) : "r"(y), "r"(z))
#define LO(x, y, z) asm volatile("lop3.b32 %0,%1,%2,%0,0x6a;" : "+r"(x) : "r"(y), "r"(z))

#define WI(p) asm volatile("{.reg .u32 t,u; mov.b64 {t,u},%0; mul.wide.u32 %0,t,u;}" : "+l"(p))
#define WK(p, k) asm volatile("{.reg .u32 t,u; mov.b64 {t,u},%0; mul.wide.u32 %0,u,%1;}" : "+l"(p) : "r"(k))
#define WS(p, s) asm volatile("{.reg .u32 t,u; mov.b64 {t,u},%0; mad.wide.u32 %0,t,u,%1;}" : "+l"(p) : "l"(s))

template <int N> __device__ __forceinline__ void phases(state &s)
{
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        asm volatile("mad.lo.s32 %0,%0,%2,%2; mad.lo.s32 %1,%1,%2,%2;" : "+r"(s.a), "+r"(s.b) : "r"(s.d));
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        asm volatile("lop3.b32 %0,%0,%2,%2,0x6a; lop3.b32 %1,%1,%2,%2,0x6a;" : "+r"(s.a), "+r"(s.b) : "r"(s.d));
}

template <int ROWS, int COLUMNS> __device__ __forceinline__ void outer(float (&t)[64], float (&u)[16])
{
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            t[i * COLUMNS + j] = fmaf(u[i], u[8 + j], t[i * COLUMNS + j]);
#pragma unroll
    for (int i = 0; i < 16; i++)
        asm volatile("" : "+f"(u[i]));
}

/* clang-format off */
#define MIXES(X)                                                                                                   \
    X(hash64, s.p = (s.p ^ s.p >> 33) * 0xedb7f1acc90a7677ull)                                                     \
    X(xorshift64, s.p ^= s.p << 13; s.p ^= s.p >> 7; s.p ^= s.p << 17)                                             \
    X(kiss64, s.s = 314527869u * s.s + 1234567u; s.q ^= s.q << 13; s.q ^= s.q >> 17; s.q ^= s.q << 43;            \
      const uint64_t t = (s.p << 58) + (uint64_t)s.a; s.a = (uint32_t)(s.p >> 6); s.p += t; s.a += s.p < t;        \
      s.b ^= (uint32_t)(s.p + s.q + s.s))                                                                          \
    X(kiss32, s.a = 314527869u * s.a + 1234567u; s.b ^= s.b << 5; s.b ^= s.b >> 7; s.b ^= s.b << 22;               \
      const uint64_t t = 4294584393ull * s.c + s.d; s.d = (uint32_t)(t >> 32); s.c = (uint32_t)t)                  \
    X(xorwow, uint32_t t = s.a ^ s.a >> 2; s.a = s.b; s.b = s.c; s.c = s.d; s.d = s.d ^ s.d << 4 ^ t ^ t << 1)     \
    X(murmur32, s.a ^= s.a >> 16; s.a *= 0x85ebca6bu; s.a ^= s.a >> 13; s.a *= 0xc2b2ae35u; s.a ^= s.a >> 16)      \
    X(jenkins, s.a -= s.c; s.a ^= __funnelshift_l(s.c, s.c, 4); s.c += s.b; s.b -= s.a;                            \
      s.b ^= __funnelshift_l(s.a, s.a, 6); s.a += s.c; s.c -= s.b; s.c ^= __funnelshift_l(s.b, s.b, 8); s.b += s.a)\
    X(add64, s.p += s.q; s.q += s.s; s.s += s.p)                                                                   \
    X(mul64, s.p *= s.q; s.q *= s.s | 1u)                                                                          \
    X(mulhi, s.a = __umulhi(s.a, s.b) + s.c; s.b = __umulhi(s.b, s.c) + s.d; s.c += s.a; s.d ^= s.b)               \
    X(min64, s.p = s.p + 77u < s.q ? s.p + 91u : s.q; s.q = s.q + s.s > s.p ? s.q - 3u : s.s)                      \
    X(select, s.a = s.b > s.c ? s.a + s.d : s.b ^ s.a; s.b = s.a < s.d ? s.c - s.b : s.b + s.d;                    \
      s.c = s.a == s.b ? s.c : s.c + s.a)                                                                          \
    X(lea, s.a = (s.b << 3) + s.a; s.b = (s.c << 5) + s.b; s.c = (s.a << 2) + s.c + 17; s.d = s.d * 8 + s.c)       \
    X(bytes, s.a = __byte_perm(s.a, s.b, 0x2143); s.b = (s.b & 0xff00ff) + (s.a >> 8 & 0xff00ff);                  \
      s.c = __byte_perm(s.c, s.a, 0x5214) ^ s.b)                                                                   \
    X(bits, s.a += __popc(s.b); s.b = __brev(s.b) ^ s.a; s.c += __clz(s.a | 1))                                    \
    X(horner, float t = s.x; t = fmaf(t, s.x, 0.25f); t = fmaf(t, s.x, 0.125f); t = fmaf(t, s.x, -0.5f);           \
      t = fmaf(t, s.x, 0.75f); t = fmaf(t, s.x, 0.3f); s.x = fmaf(t, s.x, 0.1f))                                   \
    X(horner_r, float t = s.x; t = fmaf(t, s.x, s.y); t = fmaf(t, s.x, s.z); t = fmaf(t, s.x, s.w);                \
      t = fmaf(t, s.x, s.y); t = fmaf(t, s.x, s.z); s.x = fmaf(t, s.x, s.w))                                       \
    X(complex, const float t = s.x * s.z - s.y * s.w; s.y = s.x * s.w + s.y * s.z; s.x = t)                        \
    X(mandel, const float t = s.x * s.x - s.y * s.y + s.z; s.y = 2 * s.x * s.y + s.w; s.x = t;                     \
      s.a += t * t + s.y * s.y < 4.0f)                                                                             \
    X(addmul, s.x = s.x * s.y; s.y = s.y + s.z; s.z = s.z * s.w; s.w = s.w + s.x)                                  \
    X(minmax, s.x = fminf(s.x + s.z, s.y); s.y = fmaxf(s.y - s.w, s.x); s.z = fminf(s.z, s.w + s.x))               \
    X(lerp, s.x = s.x + s.w * (s.y - s.x); s.y = s.y + s.w * (s.z - s.y); s.z = s.z + s.w * (s.x - s.z))           \
    X(dot3, const float t = s.x * s.x + s.y * s.y + s.z * s.z; const float u = rsqrtf(t);                          \
      s.x = s.x * u + s.w; s.y = s.y * u - s.w; s.z = s.z * u)                                                     \
    X(perlin, const uint32_t t = (s.a * 1619u ^ s.b * 31337u) * 0x9e3779b1u >> 27;                                 \
      s.x += (t & 1 ? s.y : -s.y) + (t & 2 ? s.z : -s.z); s.a += t; s.b ^= s.a << 3)                               \
    X(convert, s.a = (uint32_t)(int)(s.x * 3.5f); s.x = (float)(int)(s.a & 1023u) + s.y)                           \
    X(mixed, s.x = fmaf(s.x, s.y, s.z); s.a = (s.a ^ s.b) + s.c; s.y = fmaf(s.y, s.z, s.w); s.b = s.b * s.c + s.d; \
      s.z = s.z * s.w; s.c = s.c >> 3 ^ s.a; s.w = s.w + s.x; s.d += s.b)                                          \
    X(exp, s.x = __expf(s.x) - s.y; s.y = __expf(s.y) - s.z)                                                       \
    X(expf, s.x = expf(s.x) - s.y)                                                                                 \
    X(logf, s.x = logf(s.x + 2.0f) + s.y)                                                                          \
    X(sinf, s.x = __sinf(s.x) * s.y; s.z += __cosf(s.x))                                                           \
    X(tanhf, s.x = tanhf(s.x) + s.y)                                                                               \
    X(erff, s.x = erff(s.x) * s.y)                                                                                 \
    X(div, s.x = __fdividef(s.y, s.x + 3.0f) + s.z)                                                                \
    X(dhorner, double t = s.g; t = fma(t, s.g, s.h); t = fma(t, s.g, 0.25); t = fma(t, s.g, s.h); s.g = fma(t, s.g, 0.5)) \
    X(dexp, s.g = exp(s.g) - s.h)                                                                                  \
    X(dmix, s.g = fma(s.g, s.h, 0.5); s.a = (s.a ^ s.b) + s.c; s.b = s.b * s.c + s.d; s.h = s.h * s.g; s.c = s.c >> 3 ^ s.a) \
    X(half2, asm volatile("fma.rn.f16x2 %0,%0,%1,%2; fma.rn.f16x2 %1,%1,%3,%0; fma.rn.f16x2 %2,%2,%0,%3;" : "+r"(s.a), "+r"(s.b), "+r"(s.c) : "r"(s.d))) \
    X(three_ffma, FA(s.x, s.y, s.z); FA(s.y, s.z, s.w); FA(s.z, s.w, s.x); FA(s.w, s.x, s.y))                      \
    X(three_imad, IM(s.a, s.b, s.c); IM(s.b, s.c, s.d); IM(s.c, s.d, s.a); IM(s.d, s.a, s.b))                      \
    X(three_lop3, LO(s.a, s.b, s.c); LO(s.b, s.c, s.d); LO(s.c, s.d, s.a); LO(s.d, s.a, s.b))                      \
    X(three_both, FA(s.x, s.y, s.z); LO(s.a, s.b, s.c); FA(s.y, s.z, s.w); LO(s.b, s.c, s.d);                      \
      FA(s.z, s.w, s.x); LO(s.c, s.d, s.a); FA(s.w, s.x, s.y); LO(s.d, s.a, s.b))                                  \
    X(three_all, FA(s.x, s.y, s.z); LO(s.a, s.b, s.c); IM(s.b, s.c, s.d); FA(s.y, s.z, s.w); LO(s.c, s.d, s.a);    \
      IM(s.d, s.a, s.b))                                                                                           \
    X(wide, WI(s.p); WI(s.q); WI(s.s))                                                                             \
    X(wide_of, WK(s.p, s.a); WK(s.q, s.a); WK(s.s, s.a))                                                           \
    X(wide_sum, WS(s.p, s.s); WS(s.q, s.s))                                                                        \
    X(wide_lop3, WI(s.p); LO(s.a, s.c, s.d); WI(s.q); LO(s.b, s.c, s.d))                                           \
    X(wide_sum_lop3, WS(s.p, s.s); LO(s.a, s.c, s.d); WS(s.q, s.s); LO(s.b, s.c, s.d))                             \
    X(wide_2lop3, WI(s.p); LO(s.a, s.c, s.d); LO(s.b, s.c, s.d); WI(s.q); LO(s.a, s.c, s.d); LO(s.b, s.c, s.d))    \
    X(wide_sum_2lop3, WS(s.p, s.s); LO(s.a, s.c, s.d); LO(s.b, s.c, s.d); WS(s.q, s.s); LO(s.a, s.c, s.d); LO(s.b, s.c, s.d))\
    X(wide_imad, WI(s.p); IM(s.a, s.c, s.d); WI(s.q); IM(s.b, s.c, s.d))                                           \
    X(wide_ffma, WI(s.p); FA(s.x, s.z, s.w); WI(s.q); FA(s.y, s.z, s.w))                                           \
    X(wide_sum_ffma, WS(s.p, s.s); FA(s.x, s.z, s.w); WS(s.q, s.s); FA(s.y, s.z, s.w))                             \
    X(hi, s.a = __umulhi(s.a, 0xfff7b7u); s.b = __umulhi(s.b, 0xfff7b7u))                                          \
    X(hi_of_two, s.a = __umulhi(s.a, s.c); s.b = __umulhi(s.b, s.d))                                               \
    X(hi_sum, s.a = __umulhi(s.a, s.c) + s.d; s.b = __umulhi(s.b, s.c) + s.d)                                      \
    X(hi_lop3, s.a = __umulhi(s.a, 0xfff7b7u); LO(s.c, s.d, s.d); s.b = __umulhi(s.b, 0xfff7b7u); LO(s.d, s.c, s.c)) \
    X(phases_16, phases<16>(s)) X(phases_64, phases<64>(s)) X(phases_256, phases<256>(s))                          \
    X(phases_1024, phases<1024>(s))
#define OUTERS(X) X(outer_8x8, 8, 8) X(outer_4x8, 4, 8) X(outer_4x4, 4, 4) X(outer_8x4, 8, 4)
/* clang-format on */

#define MIX_BEGIN                                                                                  \
    if (threadIdx.x == 0)                                                                          \
        atomicMin(&t->first[sm_number()], (unsigned long long)clock64());                          \
    __syncthreads();                                                                               \
    const uint32_t seed = *from + threadIdx.x;                                                     \
    state s = {seed, seed * 7u, seed * 13u, seed * 29u, seed * 77ull, seed * 99ull, seed * 1234567ull, \
               (float)seed, seed * .5f, seed * .25f, seed * .125f, seed * .3, seed * .7};

#define MIX_END                                                                                    \
    if ((s.a ^ s.b ^ s.c ^ s.d ^ (uint32_t)(s.p ^ s.q ^ s.s) ^ (uint32_t)((s.p ^ s.q ^ s.s) >> 32)) == 12345u && \
        s.x + s.y + s.z + s.w == 3.25f && s.g + s.h == 7.5)                                        \
        t->first[0] = 0;                                                                           \
    __syncthreads();                                                                               \
    if (threadIdx.x == 0)                                                                          \
        atomicMax(&t->last[sm_number()], (unsigned long long)clock64());

#define X(name, ...)                                                                               \
    __global__ void __launch_bounds__(512) name(uint32_t turns, const volatile uint32_t *from, times *t) \
    {                                                                                              \
        MIX_BEGIN                                                                                  \
        _Pragma("unroll 4") for (uint32_t i = 0; i < turns; i++)                                   \
        {                                                                                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        MIX_END                                                                                    \
    }
MIXES(X)
#undef X
#define X(name, rows, columns)                                                                     \
    __global__ void __launch_bounds__(512) name(uint32_t turns, const volatile uint32_t *from, times *t) \
    {                                                                                              \
        MIX_BEGIN                                                                                  \
        float sum[64], u[16];                                                                      \
        for (int i = 0; i < 64; i++)                                                               \
            sum[i] = s.x + i;                                                                      \
        for (int i = 0; i < 16; i++)                                                               \
            u[i] = s.y + i;                                                                        \
        _Pragma("unroll 4") for (uint32_t i = 0; i < turns; i++) outer<rows, columns>(sum, u);  \
        for (int i = 0; i < rows * columns; i++)                                                   \
            s.x += sum[i];                                                                         \
        MIX_END                                                                                    \
    }
OUTERS(X)
#undef X

typedef void kernel(uint32_t, const volatile uint32_t *, times *);
static const struct {
    const char *name;
    kernel *go;
} mix[] = {
#define X(name, ...) {#name, name},
    MIXES(X) OUTERS(X)
#undef X
};

int main(int argc, char **)
{
    times *t, host;
    uint32_t *from;
    cudaDeviceProp gpu;
    MICRO_CUDA(cudaGetDeviceProperties(&gpu, 0));
    MICRO_CUDA(cudaMalloc(&t, sizeof *t));
    MICRO_CUDA(cudaMalloc(&from, sizeof *from));
    MICRO_CUDA(cudaMemset(from, 1, sizeof *from));
    const bool quick = argc > 1; /* 8 warps alone, for other tools to look at */
    if (!quick)
        puts("name,warps,turns,clocks");
    for (unsigned warps = quick ? 8 : 1; warps <= 8; warps *= 2)
        for (size_t m = 0; m < sizeof mix / sizeof *mix; m++) {
            const char *digits = strpbrk(mix[m].name, "123456789");
            const unsigned turns = strncmp(mix[m].name, "phases_", 7) == 0  ? 8192u / (unsigned)atoi(digits)
                                   : strncmp(mix[m].name, "outer_", 6) == 0 ? 128u
                                                                            : 1024u;
            const unsigned threads = warps < 4 ? 128 * warps : 512, ctas = warps == 8 ? 2 : 1;
            MICRO_CUDA(times_clear(t));
            mix[m].go<<<(unsigned)gpu.multiProcessorCount * ctas, threads>>>(turns, from, t);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(&host, t, sizeof host, cudaMemcpyDeviceToHost));
            if (!quick)
                printf("%s,%u,%u,%.0f\n", mix[m].name, warps, turns, times_mean(&host));
        }
    return 0;
}
