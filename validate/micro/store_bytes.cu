/* SPDX-License-Identifier: MIT
 *
 * store_bytes.cu - whether L1 loses a line that is stored to twice when what is stored are bytes,
 * and when the line itself, or others, are loaded in between. Each lane has an array of 96 bytes
 * in local memory, where four bytes of all lanes are a line, or laid out alike in global memory.
 * 32 times, a thousand clocks apart, a warp goes through `steps` from a place of its own and then
 * loads the line that it stored to; what L1 has lost of it counts as no hit there, or in the store.
 * To be run under ncu (metrics/store_bytes.txt).
 *
 * - by: same: all lanes go from the same place; split: half of the lanes a line further; lane: each
 *   lane has a line of its own.
 * - steps: S, L: store, load, so many lines from there (b: another byte of the line); the use of
 *   what was loaded stands behind it, N: a load whose use is the end. P: so many clocks at least.
 *   Of a load right behind a store of the same byte of local memory the compiler leaves the use
 *   alone: some 19 clocks between stores where all lanes go from the same place, 28 to 32 else.
 * - warps: of each of 132 CTAs.
 * - apart: clocks from before the first store to before the last, in the mean.
 *
 * Output: CSV rows space,by,steps,warps,apart.
 */
#include "validate/micro/check.h"

#include <cstdint>
#include <cstring>

#define TURNS 32u
#define CTAS  132u
#define LINES 24u

enum { LOCAL, GLOBAL };
enum { SAME, SPLIT, LANE };

/* Steps: what, and how far or how long. */
enum { STORE = 0, LOAD = 1000, NEXT = 2000, PAUSE = 3000, BYTE = 100 };
#define S(n)  (STORE + (n))
#define SB(n) (STORE + BYTE + (n))
#define L(n)  (LOAD + (n))
#define N(n)  (NEXT + (n))
#define P(n)  (PAUSE + (n))

__device__ static void pause(uint32_t clocks)
{
    uint32_t begin = (uint32_t)clock();
    while ((uint32_t)clock() - begin < clocks)
        ;
}

template <int SPACE> struct array {
    uint64_t base;
    __device__ uint64_t place(uint32_t line, uint32_t byte) const
    {
        line %= LINES;
        return SPACE == LOCAL ? base + line * 4u + byte : base + line * 128u + byte;
    }
    __device__ __forceinline__ void put(uint32_t line, uint32_t byte, uint32_t v) const
    {
        const uint64_t at = place(line, byte);
        if (SPACE == LOCAL)
            asm volatile("st.local.u8 [%0], %1;" ::"l"(at), "r"(v) : "memory");
        else
            asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(v) : "memory");
    }
    __device__ __forceinline__ uint32_t get(uint32_t line, uint32_t byte) const
    {
        const uint64_t at = place(line, byte);
        uint32_t v;
        if (SPACE == LOCAL)
            asm volatile("ld.local.u8 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
        else
            asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
        return v;
    }
};

struct run_state {
    uint32_t from, sum, later, first, last, stores;
};

template <int STEP, int SPACE>
__device__ __forceinline__ void step(const array<SPACE> &at, run_state &s)
{
    constexpr int KIND = STEP / 1000 * 1000, HOW = STEP % 1000 % BYTE;
    constexpr uint32_t OTHER = KIND != PAUSE && STEP % 1000 >= BYTE ? 1u : 0u;
    if (KIND == STORE) {
        s.last = (uint32_t)clock();
        if (!s.stores++)
            s.first = s.last;
        at.put(s.from + HOW, OTHER, s.sum);
    } else if (KIND == LOAD) {
        s.sum += at.get(s.from + HOW, OTHER);
        asm volatile("" : "+r"(s.sum)::"memory");
        if (s.sum == 0x1234567)
            __trap();
    } else if (KIND == NEXT) {
        s.later += at.get(s.from + HOW, OTHER);
    } else {
        pause(STEP % 1000);
    }
}

template <int SPACE, int BY, int... STEPS> __global__ void play(uint32_t *data, uint64_t *apart)
{
    const uint32_t lane = threadIdx.x % 32u;
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32u;
    uint32_t mine[SPACE == LOCAL ? LINES : 1];
    array<SPACE> at;
    if (SPACE == LOCAL)
        at.base = (uint64_t)__cvta_generic_to_local(mine);
    else
        at.base = (uint64_t)__cvta_generic_to_global(data + (size_t)warp * LINES * 32u + lane);
    run_state s = {};
    uint64_t sum = 0;
    for (uint32_t line = 0; line < LINES; line++)
        for (uint32_t byte = 0; byte < 4; byte++)
            at.put(line, byte, line * warp + byte);
    pause(4000u);
#pragma unroll 1
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        s.from = turn * 5u % LINES + (BY == SPLIT ? lane / 16u : BY == LANE ? lane % LINES : 0u);
        s.stores = 0;
        (step<STEPS>(at, s), ...);
        s.sum += s.later;
        sum += s.last - s.first;
        pause(1000u);
        s.sum += at.get(s.from, 2u);
        if (s.sum == 0x1234567)
            __trap();
        pause(200u);
    }
    if (threadIdx.x == 0)
        apart[blockIdx.x] = sum;
}

static uint32_t *data;
static uint64_t *apart;

template <int SPACE, int BY, int... STEPS> static void run(unsigned warps)
{
    static const char *const by[] = {"same", "split", "lane"};
    char steps[80] = "";
    for (int step : {STEPS...}) {
        const int what = step / 1000, how = step % 1000;
        const size_t at = strlen(steps);
        snprintf(steps + at, sizeof steps - at, "%s%c%d%s", at ? " " : "", "SLNP"[what],
                 what == 3 ? how : how % BYTE, what < 3 && how >= BYTE ? "b" : "");
    }
    play<SPACE, BY, STEPS...><<<CTAS, warps * 32>>>(data, apart);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    uint64_t took[CTAS];
    double sum = 0;
    MICRO_CUDA(cudaMemcpy(took, apart, sizeof took, cudaMemcpyDeviceToHost));
    for (uint64_t one : took)
        sum += (double)one;
    printf("%s,%s,%s,%u,%.1f\n", SPACE == LOCAL ? "local" : "global", by[BY], steps, warps,
           sum / CTAS / TURNS);
}

template <int SPACE, int BY> static void all_of()
{
    run<SPACE, BY, S(0)>(1);
    run<SPACE, BY, S(0), S(0)>(1);
    run<SPACE, BY, S(0), P(1), S(0)>(1);
    run<SPACE, BY, S(0), P(30), S(0)>(1);
    run<SPACE, BY, S(0), P(40), S(0)>(1);
    run<SPACE, BY, S(0), P(50), S(0)>(1);
    run<SPACE, BY, S(0), P(60), S(0)>(1);
    run<SPACE, BY, S(0), P(80), S(0)>(1);
    run<SPACE, BY, S(0), L(0), S(0)>(1);
    run<SPACE, BY, S(0), L(0), P(1), S(0)>(1);
    run<SPACE, BY, S(0), L(0), P(20), S(0)>(1);
    run<SPACE, BY, S(0), L(0), P(30), S(0)>(1);
    run<SPACE, BY, S(0), P(1), L(0), S(0)>(1);
    run<SPACE, BY, S(0), P(20), L(0), S(0)>(1);
    run<SPACE, BY, S(0), P(30), L(0), S(0)>(1);
    run<SPACE, BY, S(0), N(0), P(30), S(0)>(1);
    run<SPACE, BY, S(0), N(0), P(40), S(0)>(1);
    run<SPACE, BY, S(0), N(0), P(50), S(0)>(1);
    run<SPACE, BY, S(0), N(2), P(30), S(0)>(1);
    run<SPACE, BY, S(0), N(2), P(40), S(0)>(1);
    run<SPACE, BY, S(0), N(2), P(50), S(0)>(1);
    run<SPACE, BY, S(0), L(2), S(0)>(1);
    run<SPACE, BY, S(0), L(2), P(1), S(0)>(1);
    run<SPACE, BY, S(0), L(2), P(20), S(0)>(1);
    run<SPACE, BY, S(0), L(0), S(0), L(0), S(0), L(0), S(0)>(1);
    run<SPACE, BY, S(0), L(0), S(0), L(0), S(0), L(0), S(0)>(4);
    run<SPACE, BY, S(0), L(0), P(1), S(0), L(0), P(1), S(0), L(0), P(1), S(0)>(4);
    run<SPACE, BY, S(0), N(0), N(1), N(2), S(0), N(0), N(1), N(2), S(0)>(4);
    run<SPACE, BY, S(0), P(40), SB(0)>(1);
    run<SPACE, BY, S(0), P(50), SB(0)>(1);
    run<SPACE, BY, S(0), L(0), SB(0)>(1);
    run<SPACE, BY, S(0), L(0), P(20), SB(0)>(1);
}

int main()
{
    MICRO_CUDA(cudaMalloc(&data, 64u << 20));
    MICRO_CUDA(cudaMalloc(&apart, CTAS * sizeof *apart));
    MICRO_CUDA(cudaMemset(data, 0, 64u << 20));
    puts("space,by,steps,warps,apart");
    all_of<LOCAL, SAME>();
    all_of<LOCAL, SPLIT>();
    all_of<LOCAL, LANE>();
    all_of<GLOBAL, SAME>();
    return 0;
}
