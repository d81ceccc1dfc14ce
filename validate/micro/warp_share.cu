/* SPDX-License-Identifier: MIT
 *
 * warp_share.cu - how warps of several CTAs share the pipes of a sub-partition. So many CTAs of one
 * warp a sub-partition (or two) stand on each SM and repeat one chain of dependent instructions;
 * the clocks at which each ends, by the order in which they began. Settles: whose turn it is when a
 * pipe is wanted by several, and what is lost when the last are left alone; what warps lose that
 * meet at the scheduler though no pipe is full. Output: CSV: name,block,ctas,rank,units,begin,end -
 * clocks after the SM's first CTA began, of the SM that takes longest.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define TURNS 128
#define BLOCK 4

/* clang-format off */
#define LIST(I)                                                                                    \
    I(fma, asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v) : "f"(x)))                             \
    I(mufu, asm volatile("rsqrt.approx.ftz.f32 %0,%0; add.rn.f32 %0,%0,%1;" : "+f"(v) : "f"(x)))   \
    I(div, v = 3.0f / (v + x))                                                                     \
    I(expf_, v = expf(-v))                                                                         \
    I(popc, u = __popc(u) + u * 3u)                                                                \
    I(shift, u = (u << 3 | u >> 29) ^ (u + 77u))                                                   \
    I(imad, u = (u ^ 0x5bd1e995u) * 1664525u + 1013904223u)                                        \
    I(dfma, asm volatile("fma.rn.f64 %0,%0,%1,%1;" : "+d"(d) : "d"(e)))                            \
    I(mixed, v = fmaf(v, x, 1.0f); u = u * 5u + (unsigned)v; v = rsqrtf(v + (float)(u & 7u)))
/* clang-format on */

enum which {
#define I(name, ...) K_##name,
    LIST(I)
#undef I
};

struct row {
    unsigned sm;
    long long begin, end;
};

template <int WHICH> __global__ void repeat(const volatile float *in, row *rows, float *sink)
{
    extern __shared__ char room[];
    float v = in[threadIdx.x % 32], x = in[32];
    unsigned u = (unsigned)in[34] + threadIdx.x;
    double d = (double)in[34], e = (double)in[33];
    (void)d, (void)e, (void)u, (void)x;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int t = 0; t < TURNS; t++) {
#pragma unroll
        for (int k = 0; k < BLOCK; k++) {
#define I(name, ...)                                                                               \
    if constexpr (WHICH == K_##name) {                                                             \
        __VA_ARGS__;                                                                               \
    }
            LIST(I)
#undef I
        }
    }
    float sum = v + (float)u + (float)d;
    asm volatile("" ::"f"(sum) : "memory");
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        rows[blockIdx.x] = {sm, begin, end};
    }
    if (sum == 12345.5f)
        sink[threadIdx.x] = sum + room[0];
}

static float *in, *sink;
static row *rows;

template <int WHICH> static void run(const char *name)
{
    for (int block : {128, 256})
        for (int ctas : {1, 2, 3, 4, 5, 6, 7, 8}) {
            if (block * ctas > 2048)
                continue;
            std::vector<row> got(132 * ctas);
            for (int again = 0; again < 2; again++) {
                repeat<WHICH><<<132 * ctas, block>>>(in, rows, sink);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(
                    cudaMemcpy(got.data(), rows, got.size() * sizeof(row), cudaMemcpyDeviceToHost));
            }
            long long longest = -1;
            std::vector<row> best;
            for (unsigned sm = 0; sm < 132; sm++) {
                std::vector<row> here;
                for (auto &r : got)
                    if (r.sm == sm)
                        here.push_back(r);
                std::sort(here.begin(), here.end(),
                          [](const row &a, const row &b) { return a.begin < b.begin; });
                if ((int)here.size() != ctas)
                    continue;
                long long last = 0;
                for (auto &r : here)
                    last = std::max(last, r.end - here[0].begin);
                if (last > longest) {
                    longest = last;
                    best = here;
                }
            }
            for (size_t i = 0; i < best.size(); i++)
                printf("%s,%d,%d,%zu,%d,%lld,%lld\n", name, block, ctas, i, TURNS * BLOCK,
                       best[i].begin - best[0].begin, best[i].end - best[0].begin);
        }
}

int main(void)
{
    float numbers[64];
    for (int i = 0; i < 64; i++)
        numbers[i] = 1.25f + (float)i / 64;
    numbers[34] = 3;
    MICRO_CUDA(cudaMalloc(&in, sizeof numbers));
    MICRO_CUDA(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMalloc(&rows, 132 * 16 * sizeof(row)));
    MICRO_CUDA(cudaMalloc(&sink, 4096));
    puts("name,block,ctas,rank,units,begin,end");
#define I(name, ...) run<K_##name>(#name);
    LIST(I)
#undef I
    return 0;
}
