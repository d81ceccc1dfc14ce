/* SPDX-License-Identifier: MIT
 *
 * store_behind.cu - what waits behind stores. Settles: whether shared accesses and loads pass
 * stores that wait for the way out of the SM, and how many may wait. Leaves out: several CTAs.
 *
 * Stores of a shape: 32 lines, a word of one sector of each (part32); 8 lines, a word of each of
 * four sectors (part8); four whole lines, 16 bytes a lane (wide); one whole line (line).
 *
 * - after: one warp; long after anything else `stores` stores, then one access; `clocks` from
 * before the first store until what was read is there, the least of eight turns.
 * - beside: the same, but the access is another warp's, on another sub-partition, which meets the
 *   first at a barrier and sets out 20 clocks later.
 * - rate: 16 warps repeat one store and `stores` accesses, on one SM or all; clocks a turn of all
 *   warps, the mean over SMs.
 *
 * Accesses: none; lds (shared memory); other (a load that hits L1, of lines nobody stores to); same
 * (a load that hits the line of the last store); word (of the very words); miss (a load from L2).
 *
 * Output: CSV: experiment,shape,access,stores,sms,clocks.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define TURNS      8
#define RATE_TURNS 64

enum shape { PART32, PART8, WIDE, LINE, SHAPES };
static const char *const shape_name[] = {"part32", "part8", "wide", "line"};
enum access { NONE, SHARED, OTHER, SAME, WORD, MISS, ACCESSES };
static const char *const access_name[] = {"none", "lds", "other", "same", "word", "miss"};

__device__ static uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

/* Bytes from one store's place to the next's. */
template <int SHAPE> __host__ __device__ constexpr uint32_t step()
{
    return SHAPE == PART32 ? 4096 : SHAPE == PART8 ? 1024 : SHAPE == WIDE ? 512 : 128;
}

/* Where a lane stores, in the place. */
template <int SHAPE> __device__ static uint32_t lane_offset()
{
    const uint32_t lane = threadIdx.x % 32;
    return lane * (SHAPE == PART32 ? 128 : SHAPE == PART8 ? 32 : SHAPE == WIDE ? 16 : 4);
}

template <int SHAPE> __device__ static void store(char *p, uint32_t v)
{
    if (SHAPE == WIDE)
        asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(v) : "memory");
    else
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

template <int ACCESS>
__device__ static uint32_t load(uint32_t shared, const char *other, const char *same,
                                const char *far)
{
    uint32_t v = 0;
    if (ACCESS == SHARED)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(shared) : "memory");
    if (ACCESS == OTHER)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(other) : "memory");
    if (ACCESS == SAME || ACCESS == WORD)
        asm volatile("ld.global.u32 %0, [%1];"
                     : "=r"(v)
                     : "l"(same + (ACCESS == SAME ? 4 : 0))
                     : "memory");
    if (ACCESS == MISS)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(far) : "memory");
    return v;
}

__device__ static float later(float x)
{
#pragma unroll
    for (int k = 0; k < 5; k++)
        asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x)::"memory");
    return x;
}

__device__ static float rest(float x) /* some 2,000 clocks */
{
#pragma unroll 1
    for (int i = 0; i < 50; i++)
#pragma unroll
        for (int k = 0; k < 10; k++)
            asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));
    return x;
}

template <int SHAPE, int ACCESS, int STORES, bool BESIDE>
__global__ void latency(char *memory, const char *other, const char *far, uint32_t *clocks,
                        uint32_t *sink)
{
    __shared__ uint32_t words[32];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    words[lane] = lane;
    const uint32_t shared = (uint32_t)__cvta_generic_to_shared(&words[lane]);
    char *at = memory + lane_offset<SHAPE>();
    const char *from = other + lane * 4;
    uint32_t sum = 0, least = ~0u;
    float x = (float)lane;
#pragma unroll 1
    for (int turn = 0; turn < TURNS; turn++) {
        char *last = at + (STORES ? STORES - 1 : 0) * step<SHAPE>();
        sum += load<OTHER>(shared, from, from, from);
        if (ACCESS == SAME || ACCESS == WORD)
            sum += load<ACCESS>(shared, from, last, from);
        x = rest(x + (float)(sum == 0x54321));
        __syncthreads();
        const uint32_t begin = now();
        if (!BESIDE || warp == 0)
#pragma unroll
            for (int k = 0; k < STORES; k++)
                store<SHAPE>(at + k * step<SHAPE>(), lane);
        if (!BESIDE || warp == 1) {
            if (BESIDE) /* some 20 clocks later */
                x = later(x);
            const uint32_t got = load<ACCESS>(shared, from, last, far + turn * 4096 + lane * 4);
            if (got == 0x12345) /* which has to wait for it */
                *sink = got;
            const uint32_t took = now() - begin;
            if (turn)
                least = min(least, took);
        }
    }
    if (lane == 0 && (!BESIDE || warp == 1))
        *clocks = least;
    if (sum == 0x12345 || x == 1.5f)
        *sink = sum;
}

template <int SHAPE, int ACCESS, int LOADS>
__global__ void __launch_bounds__(512)
    rate(char *memory, const char *others, const char *far, uint32_t *clocks, uint32_t *sink)
{
    __shared__ uint32_t words[512];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    words[threadIdx.x] = lane;
    const uint32_t shared = (uint32_t)__cvta_generic_to_shared(&words[threadIdx.x]);
    char *at = memory + (blockIdx.x * 16u + warp) * 2u * step<SHAPE>() + lane_offset<SHAPE>();
    const char *from = others + warp * 128 + lane * 4;
    uint32_t sum = load<OTHER>(shared, from, from, from);
    if (ACCESS == SAME || ACCESS == WORD)
        sum += load<ACCESS>(shared, from, at, from) +
               load<ACCESS>(shared, from, at + step<SHAPE>(), from);
    __syncthreads();
    const uint32_t begin = now();
#pragma unroll 1
    for (uint32_t turn = 0; turn < RATE_TURNS; turn++) {
        char *to = at + (turn & 1) * step<SHAPE>();
        store<SHAPE>(to, turn);
        uint32_t v[LOADS ? LOADS : 1] = {0};
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = load<ACCESS>(shared, from, to,
                                far + ((turn * 16 + warp) * LOADS + k) % 256 * 128 + lane * 4);
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += v[k];
    }
    __syncthreads();
    const uint32_t took = now() - begin;
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = took;
    if (sum == 0x12345)
        *sink = sum;
}

static char *memory, *other, *far_away;
static uint32_t *clocks, *sink;

template <int SHAPE, int ACCESS, int STORES> static void run_latency(void)
{
    uint32_t got;
    latency<SHAPE, ACCESS, STORES, false><<<1, 32>>>(memory, other, far_away, clocks, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(&got, clocks, sizeof got, cudaMemcpyDeviceToHost));
    printf("after,%s,%s,%d,1,%u\n", shape_name[SHAPE], access_name[ACCESS], STORES, got);
    if (ACCESS == NONE)
        return;
    latency<SHAPE, ACCESS, STORES, true><<<1, 64>>>(memory, other, far_away, clocks, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(&got, clocks, sizeof got, cudaMemcpyDeviceToHost));
    printf("beside,%s,%s,%d,1,%u\n", shape_name[SHAPE], access_name[ACCESS], STORES, got);
}

template <int SHAPE, int ACCESS, int LOADS> static void run_rate(void)
{
    for (uint32_t sms : {1u, 132u}) {
        std::vector<uint32_t> got(sms);
        rate<SHAPE, ACCESS, LOADS><<<sms, 512>>>(memory, other, far_away, clocks, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(got.data(), clocks, sms * sizeof(uint32_t), cudaMemcpyDeviceToHost));
        double sum = 0;
        for (uint32_t c : got)
            sum += c;
        printf("rate,%s,%s,%d,%u,%.1f\n", shape_name[SHAPE], access_name[ACCESS], LOADS, sms,
               sum / sms / RATE_TURNS);
    }
}

template <int SHAPE, int ACCESS> static void run(void)
{
    run_latency<SHAPE, ACCESS, 0>(), run_latency<SHAPE, ACCESS, 1>(),
        run_latency<SHAPE, ACCESS, 2>();
    run_latency<SHAPE, ACCESS, 3>(), run_latency<SHAPE, ACCESS, 4>(),
        run_latency<SHAPE, ACCESS, 6>();
    run_latency<SHAPE, ACCESS, 8>(), run_latency<SHAPE, ACCESS, 16>();
    if (ACCESS == NONE) {
        run_rate<SHAPE, NONE, 0>();
        return;
    }
    run_rate<SHAPE, ACCESS, 1>(), run_rate<SHAPE, ACCESS, 2>(), run_rate<SHAPE, ACCESS, 4>(),
        run_rate<SHAPE, ACCESS, 8>();
}

template <int SHAPE> static void run_shape(void)
{
    run<SHAPE, NONE>(), run<SHAPE, SHARED>(), run<SHAPE, OTHER>(), run<SHAPE, SAME>(),
        run<SHAPE, WORD>(), run<SHAPE, MISS>();
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&memory, 64u << 20));
    MICRO_CUDA(cudaMalloc(&other, 1u << 20));
    MICRO_CUDA(cudaMalloc(&far_away, 1u << 20));
    MICRO_CUDA(cudaMalloc(&clocks, 4096));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMemset(memory, 0, 64u << 20));
    MICRO_CUDA(cudaMemset(other, 0, 1u << 20));
    MICRO_CUDA(cudaMemset(far_away, 0, 1u << 20));
    puts("experiment,shape,access,stores,sms,clocks");
    run_shape<PART32>(), run_shape<PART8>(), run_shape<WIDE>(), run_shape<LINE>();
    return 0;
}
