/* SPDX-License-Identifier: MIT
 *
 * store_ctas.cu - as store_many.cu, of several CTAs an SM: which warp's store comes next where
 * warps of more than one CTA wait, and what joins then. To be run under ncu
 * (metrics/store_ctas.txt), one launch a row, on all SMs; shared memory lets just `ctas` CTAs of
 * `warps` warps be on an SM, and there are `waves` times as many.
 *
 * - many: nothing between stores. rmw: each word is loaded before, and waited for. work: `words`
 *   stores, then 64 dependent multiplications. load: 16 bytes a lane of a line that nobody read
 *   before, then the stores.
 * - With an argument, not under ncu: when each warp of one SM, the only one that works, issued each
 *   of its last stores; of all sub-partitions or one; with `gap` dependent multiplications behind
 *   four stores.
 *
 * Output: CSV rows experiment,lines,sectors,words,ctas,warps,waves; with an argument
 * experiment,lines,parts,gap,ctas,warps,cta,warp,warpid, and the clock before each store, and after
 * the last.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

#define REPEATS  24
#define STAMPS   32
#define MAX_WARP (132u * 64u)

static uint32_t *array, *from, *stamps;

enum mode { MANY, RMW, WORK, LOAD };

__device__ __forceinline__ static void put(uint32_t *at, int word, uint32_t value)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at + word), "r"(value) : "memory");
}

__device__ __forceinline__ static uint32_t get(const uint32_t *at, int word)
{
    uint32_t value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at + word) : "memory");
    return value;
}

/* The same of words one after another, by one address and offsets. */
template <int WORD, int WORDS, int MODE>
__device__ __forceinline__ static void words(uint32_t *at, uint32_t value)
{
    if (MODE == RMW) {
        asm volatile("ld.global.u32 %0, [%1+%2];"
                     : "=r"(value)
                     : "l"(at), "n"(WORD * 4)
                     : "memory");
        value++;
    }
    asm volatile("st.global.u32 [%0+%2], %1;" ::"l"(at), "r"(value), "n"(WORD * 4) : "memory");
    if constexpr (WORD + 1 < WORDS)
        words<WORD + 1, WORDS, MODE>(at, value);
}

template <int WORDS, int MODE>
__global__ void __launch_bounds__(1024)
    work(uint32_t *p, uint32_t lines, uint32_t sectors, uint32_t zero, const uint4 *q)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, all = blockDim.x / 32;
    const uint32_t step = lines * 32u * all; /* words from one repeat's places to the next's */
    uint32_t *at = p + ((size_t)blockIdx.x * REPEATS * all + warp) * lines * 32u +
                   lane / sectors * 32u + lane % sectors * 8u;
    const uint4 *src = q + ((size_t)blockIdx.x * REPEATS * all + warp) * 32u + lane;
    __syncthreads();
    if (lane >= lines * sectors)
        return;
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++, at += step, src += 32u * all) {
        uint32_t add = 1u;
        asm volatile("" : "+l"(at)); /* one address, and words as offsets */
        if (MODE == LOAD) {
            uint4 got;
            asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(got.x), "=r"(got.y), "=r"(got.z), "=r"(got.w)
                         : "l"(src)
                         : "memory");
            add += got.x + got.y + got.z + got.w;
        }
        words<0, WORDS, MODE>(at, add);
        if (MODE == WORK) {
            uint32_t x = zero;
#pragma unroll
            for (int k = 0; k < 64; k++)
                asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(zero));
            at += x;
        }
    }
}

__device__ __forceinline__ static uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

/* The same, straight on, twice; the second time counts. */
template <int LINES, int SECTORS, int MODE>
__global__ void __launch_bounds__(1024)
    order(uint32_t *p, uint32_t parts, uint32_t zero, uint32_t only, uint32_t *out)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, all = blockDim.x / 32;
    uint32_t *at = p + ((size_t)blockIdx.x * all + warp) * LINES * 32u * STAMPS / 4u +
                   lane / SECTORS * 32u + lane % SECTORS * 8u;
    uint32_t t[STAMPS + 1], sm, id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(id));
    __syncthreads();
    if (sm != only || id % 4u >= parts)
        return;
#pragma unroll 1
    for (int round = 0; round < 2; round++, at += zero)
        if (lane < LINES * SECTORS) {
#pragma unroll
            for (int k = 0; k < STAMPS; k++) {
                uint32_t *to = at + k / 4 * LINES * 32;
                const uint32_t value = MODE == RMW ? get(to, k % 4) : sm;
                t[k] = now();
                put(to, k % 4, value);
                if (MODE == WORK && k % 4 == 3) {
                    uint32_t x = zero;
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(zero));
                    at += x;
                }
            }
            t[STAMPS] = now();
        }
    __syncwarp();
    uint32_t *mine = out + (size_t)(blockIdx.x * all + warp) * (STAMPS + 3u);
    const uint32_t end = now(); /* others go on: this one's results wait for a while */
    while (now() - end < 20000u)
        ;
    if (lane == 0) {
#pragma unroll
        for (int k = 0; k <= STAMPS; k++)
            mine[k] = t[k];
        mine[STAMPS + 1] = 1u;
        mine[STAMPS + 2] = id;
    }
}

/* Shared memory of a CTA of which `ctas` fit an SM, and no more. */
static size_t shared_for(unsigned ctas)
{
    return std::min<size_t>(227 * 1024, (228 * 1024 / ctas - 1024) / 128 * 128);
}

template <int WORDS, int MODE>
static void run(const char *name, uint32_t lines, uint32_t sectors, unsigned ctas, unsigned warps,
                unsigned waves = 1)
{
    printf("%s,%u,%u,%d,%u,%u,%u\n", name, lines, sectors, WORDS, ctas, warps, waves);
    MICRO_CUDA(cudaFuncSetAttribute(work<WORDS, MODE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    227 * 1024));
    MICRO_CUDA(cudaFuncSetAttribute(work<WORDS, MODE>,
                                    cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    work<WORDS, MODE><<<132 * ctas * waves, warps * 32, shared_for(ctas)>>>(array, lines, sectors,
                                                                            0, (const uint4 *)from);
    MICRO_CUDA(cudaDeviceSynchronize());
}

template <int LINES, int SECTORS, int MODE>
static void stamped(unsigned ctas, unsigned warps, unsigned parts = 4)
{
    static uint32_t host[MAX_WARP * (STAMPS + 3)];
    const unsigned all = 132 * ctas * warps;
    /* L1 is to hold what is loaded again. */
    MICRO_CUDA(cudaFuncSetAttribute(order<LINES, SECTORS, MODE>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    MICRO_CUDA(cudaMemset(stamps, 0, all * (STAMPS + 3) * 4u));
    for (int turn = 0; turn < 2; turn++) { /* the first loads the code */
        order<LINES, SECTORS, MODE><<<132 * ctas, warps * 32, MODE == RMW ? 0 : shared_for(ctas)>>>(
            array, parts, 0, 5, stamps);
        MICRO_CUDA(cudaDeviceSynchronize());
    }
    MICRO_CUDA(cudaMemcpy(host, stamps, all * (STAMPS + 3) * 4u, cudaMemcpyDeviceToHost));
    uint32_t first = 0;
    bool any = false;
    for (unsigned n = 0; n < all; n++) {
        const uint32_t *of = host + n * (STAMPS + 3);
        if (of[STAMPS + 1] && (!any || (int32_t)(of[0] - first) < 0))
            first = of[0], any = true;
    }
    for (unsigned n = 0; n < all; n++) {
        const uint32_t *of = host + n * (STAMPS + 3);
        if (!of[STAMPS + 1])
            continue;
        printf("%s,%d,%u,%d,%u,%u,%u,%u,%u", MODE == RMW ? "rmw" : "many", LINES, parts,
               MODE == WORK ? 4 : 0, ctas, warps, n / warps, n % warps, of[STAMPS + 2]);
        for (unsigned i = 0; i <= STAMPS; i++)
            printf(",%u", of[i] - first);
        printf("\n");
    }
}

int main(int argc, char **)
{
    const size_t bytes = 132ull * REPEATS * 64u * 8u * 128u;
    MICRO_CUDA(cudaMalloc(&array, bytes));
    MICRO_CUDA(cudaMalloc(&from, 132ull * REPEATS * 64u * 512u));
    MICRO_CUDA(cudaMalloc(&stamps, MAX_WARP * (STAMPS + 3) * 4u));
    MICRO_CUDA(cudaMemset(array, 0, bytes));
    MICRO_CUDA(cudaMemset(from, 0, 132ull * REPEATS * 64u * 512u));
    if (argc > 1) {
        static const unsigned place[][2] = {{1, 4}, {1, 8},  {1, 12}, {1, 16}, {1, 24}, {1, 32},
                                            {2, 8}, {2, 16}, {4, 4},  {4, 8},  {8, 4}};
        printf("experiment,lines,parts,gap,ctas,warps,cta,warp,warpid,clocks\n");
        for (const unsigned(&c)[2] : place) {
            stamped<4, 4, MANY>(c[0], c[1]);
            stamped<4, 4, WORK>(c[0], c[1]);
            stamped<2, 4, MANY>(c[0], c[1]);
            stamped<4, 4, MANY>(c[0], c[1], 1);
            stamped<6, 4, MANY>(c[0], c[1], 1);
            stamped<4, 4, RMW>(c[0], c[1]);
        }
        return 0;
    }
    static const unsigned place[][2] = {{1, 4},  {1, 8},  {1, 16}, {1, 32}, {2, 2}, {2, 4},
                                        {2, 8},  {2, 16}, {2, 32}, {4, 1},  {4, 2}, {4, 4},
                                        {4, 8},  {4, 16}, {8, 1},  {8, 2},  {8, 4}, {8, 8},
                                        {16, 1}, {16, 2}, {16, 4}, {32, 1}};
    static const uint32_t shape[][2] = {{1, 1}, {2, 4}, {3, 4}, {4, 1}, {4, 4}, {6, 4}};
    static const unsigned some[][2] = {{1, 8}, {1, 16}, {1, 32}, {2, 4},  {2, 8}, {2, 16},
                                       {4, 4}, {4, 8},  {8, 4},  {2, 32}, {8, 8}, {16, 1}};
    printf("experiment,lines,sectors,words,ctas,warps,waves\n");
    for (const uint32_t(&s)[2] : shape)
        for (const unsigned(&c)[2] : place)
            run<4, MANY>("many", s[0], s[1], c[0], c[1]);
    for (const unsigned(&c)[2] : some) {
        run<8, RMW>("rmw", 4, 4, c[0], c[1]);
        run<8, RMW>("rmw", 8, 4, c[0], c[1]);
        run<4, WORK>("work", 4, 4, c[0], c[1]);
        run<4, LOAD>("load", 4, 4, c[0], c[1]);
        run<8, MANY>("many", 2, 4, c[0], c[1]);
        run<2, MANY>("many", 4, 4, c[0], c[1]);
    }
    static const unsigned again[][2] = {{1, 16}, {2, 8}, {2, 16}, {4, 4}, {4, 8}};
    for (const unsigned(&c)[2] : again) {
        run<4, MANY>("many", 2, 4, c[0], c[1], 3);
        run<4, MANY>("many", 4, 4, c[0], c[1], 3);
    }
    return 0;
}
