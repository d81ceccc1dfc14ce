/* SPDX-License-Identifier: MIT
 *
 * memory_timing.cu - how long loads and stores take, alone and under load. A kernel repeats one
 * warp request: `width` bytes a lane, lanes `stride` bytes apart (rows of `row` lanes `pitch` bytes
 * apart where row is not 32; `random` 1: every lane in a line of its own anywhere). Each of `warps`
 * warps of one CTA an SM has `unroll` requests under way and then waits for all of them.
 *   l1      ld.ca that hit: every warp reads the same addresses again and again
 *   l2      ld.cg or st that L2 holds: 128 KiB an SM, read before
 *   near    the same on one SM, whose 1 MiB L2 holds
 *   dram    a walk through `footprint` bytes in the order of a grid-stride loop
 *   copy    dram: a load and a store of what was loaded, elsewhere
 * Settles: the tag and data stages of L1, the latency and rate of each level by access pattern, how
 * many requests an SM has under way at most, and the queues between.
 * Output: CSV, one row a launch: clocks is the mean over SMs from their common start to their last
 * warp's end, last the largest; requests are those of one warp.
 */
#include "validate/micro/check.h"
#include "validate/micro/flush.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define OTHER (160ull << 20) /* bytes read to flush L2 */

enum op { LD_SAME, LD_CA, LD_CG, ST, COPY }; /* LD_SAME: ld.ca at addresses that stay */
static const char *const op_name[] = {"ld.ca", "ld.ca", "ld.cg", "st", "ld.cg+st"};

struct shape {
    uint32_t stride, row, pitch, random;
};

struct plan {
    char *base, *to;
    uint64_t region, mask;  /* bytes between CTAs' regions; footprint of the walk less one */
    uint32_t step;          /* bytes from one request of the walk to the next */
    uint32_t turns;         /* batches of `unroll` requests */
    uint32_t walk;          /* 1: all CTAs walk together, 2: the same without flush, 0: each in its region */
    uint32_t warm;          /* batches run before the clock is read */
    uint32_t nothing;       /* 0, which the compiler does not know */
    struct shape shape;
};

template <int WIDTH> struct word;
template <> struct word<4> {
    uint32_t v[1];
};
template <> struct word<8> {
    uint32_t v[2];
};
template <> struct word<16> {
    uint32_t v[4];
};

template <int OP, int WIDTH> __device__ static void load(word<WIDTH> *w, const char *p)
{
    if (OP == LD_CA || OP == LD_SAME) {
        if constexpr (WIDTH == 4)
            asm volatile("ld.global.b32 %0,[%1];" : "=r"(w->v[0]) : "l"(p) : "memory");
        else if constexpr (WIDTH == 8)
            asm volatile("ld.global.v2.b32 {%0,%1},[%2];" : "=r"(w->v[0]), "=r"(w->v[1]) : "l"(p) : "memory");
        else
            asm volatile("ld.global.v4.b32 {%0,%1,%2,%3},[%4];"
                         : "=r"(w->v[0]), "=r"(w->v[1]), "=r"(w->v[2]), "=r"(w->v[3])
                         : "l"(p) : "memory");
    } else {
        if constexpr (WIDTH == 4)
            asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(w->v[0]) : "l"(p) : "memory");
        else if constexpr (WIDTH == 8)
            asm volatile("ld.global.cg.v2.b32 {%0,%1},[%2];" : "=r"(w->v[0]), "=r"(w->v[1]) : "l"(p) : "memory");
        else
            asm volatile("ld.global.cg.v4.b32 {%0,%1,%2,%3},[%4];"
                         : "=r"(w->v[0]), "=r"(w->v[1]), "=r"(w->v[2]), "=r"(w->v[3])
                         : "l"(p) : "memory");
    }
}

template <int WIDTH> __device__ static void store(char *p, const word<WIDTH> *w)
{
    if constexpr (WIDTH == 4)
        asm volatile("st.global.b32 [%0],%1;" ::"l"(p), "r"(w->v[0]) : "memory");
    else if constexpr (WIDTH == 8)
        asm volatile("st.global.v2.b32 [%0],{%1,%2};" ::"l"(p), "r"(w->v[0]), "r"(w->v[1]) : "memory");
    else
        asm volatile("st.global.v4.b32 [%0],{%1,%2,%3,%4};" ::"l"(p), "r"(w->v[0]), "r"(w->v[1]), "r"(w->v[2]),
                     "r"(w->v[3]) : "memory");
}

template <int OP, int WIDTH, int UNROLL>
__device__ static uint32_t batches(const plan &p, uint64_t at, uint64_t step, uint32_t turns, uint32_t off)
{
    uint32_t sum = 0;
    word<WIDTH> w[UNROLL];
    char *base = p.walk ? p.base : p.base + blockIdx.x * p.region;
    const char *same = base + off;
#pragma unroll 1
    for (uint32_t t = 0; t < turns; t++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (OP == ST)
                store<WIDTH>(base + ((at + off) & p.mask), &w[u]);
            else if (OP == LD_SAME)
                load<OP, WIDTH>(&w[u], same + u * 4096);
            else
                load<OP, WIDTH>(&w[u], base + ((at + off) & p.mask));
            at += step;
        }
        if (OP == LD_SAME)
            same += p.nothing;
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (OP == COPY)
                store<WIDTH>((p.walk ? p.to : p.to + blockIdx.x * p.region) + ((at + off - (UNROLL - u) * step) & p.mask), &w[u]);
            else if (OP != ST)
#pragma unroll
                for (int k = 0; k < WIDTH / 4; k++)
                    sum |= w[u].v[k];
        }
        if (OP != COPY && OP != ST)
            asm volatile("" : "+r"(sum));
    }
    return sum;
}

template <int OP, int WIDTH, int UNROLL>
__global__ void __launch_bounds__(1024) repeat(const plan p, uint32_t *gate, uint64_t *clocks, uint32_t *sink)
{
    __shared__ unsigned long long last;
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    uint32_t off = lane % p.shape.row * p.shape.stride + lane / p.shape.row * p.shape.pitch;
    if (p.shape.random)
        off = ((lane / p.shape.row + 1) * 0x9e3779b9u & ~(p.shape.random - 1u) & (OP == LD_SAME ? 0xffffu : ~0u)) +
              lane % p.shape.row * p.shape.stride;
    uint64_t step = (uint64_t)p.step * warps * (p.walk ? gridDim.x : 1);
    uint64_t at = (uint64_t)p.step * (p.walk ? blockIdx.x * warps + warp : warp);
    if (p.step == 0)
        at = 0;
    if (p.walk && p.shape.random && p.shape.row == 32) /* whole requests anywhere */
        off += (blockIdx.x * warps + warp) * 0x9e3779b9u & ~(p.shape.random - 1u);
    uint32_t sum = 0;
    if (p.warm)
        sum = batches<OP == ST ? LD_CG : OP, WIDTH, UNROLL>(p, at, step, p.warm, off);
    if (threadIdx.x == 0)
        last = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(gate, 1);
        while (*(volatile uint32_t *)gate < gridDim.x)
            ;
    }
    __syncthreads();
    uint64_t start = clock64();
    sum |= batches<OP, WIDTH, UNROLL>(p, at, step, p.turns, off);
    asm volatile("" ::"r"(sum) : "memory");
    atomicMax(&last, (unsigned long long)clock64());
    __syncthreads();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = last - start;
    if (sum == 0x12345)
        *sink = sum;
}

static char *array, *other;
static uint64_t *clocks, array_bytes = 2ull << 30;
static uint32_t *gate;
static bool few;

template <int OP, int WIDTH, int UNROLL>
static void run(const char *level, plan p, unsigned sms, unsigned warps)
{
    uint64_t least_mean = ~0ull, least_last = ~0ull;
    for (int again = few; again < 2; again++) {
        MICRO_CUDA(cudaMemset(gate, 0, 4));
        if (p.walk == 1)
            flush<<<264, 1024>>>((const uint4 *)other, OTHER / 16, gate + 1);
        repeat<OP, WIDTH, UNROLL><<<sms, warps * 32>>>(p, gate, clocks, gate + 1);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaDeviceSynchronize());
        uint64_t sum = 0, last = 0;
        for (unsigned i = 0; i < sms; i++) {
            sum += clocks[i];
            last = clocks[i] > last ? clocks[i] : last;
        }
        if (sum / sms < least_mean)
            least_mean = sum / sms;
        if (last < least_last)
            least_last = last;
    }
    printf("%s,%s,%d,%u,%u,%u,%u,%u,%u,%d,%llu,%u,%llu,%llu\n", level, op_name[OP], WIDTH, p.shape.stride,
           p.shape.row, p.shape.pitch, p.shape.random, sms, warps, UNROLL, (unsigned long long)(p.mask + 1),
           p.turns * UNROLL, (unsigned long long)least_mean, (unsigned long long)least_last);
}

template <int OP, int WIDTH> static void by_unroll(const char *level, plan p, unsigned sms, unsigned warps, int unroll)
{
    p.turns = (p.turns + unroll - 1) / unroll;
    p.warm = (p.warm + unroll - 1) / unroll;
    if (unroll == 1)
        run<OP, WIDTH, 1>(level, p, sms, warps);
    else if (unroll == 2)
        run<OP, WIDTH, 2>(level, p, sms, warps);
    else if (unroll == 4)
        run<OP, WIDTH, 4>(level, p, sms, warps);
    else
        run<OP, WIDTH, 8>(level, p, sms, warps);
}

template <int OP> static void by_width(const char *level, const plan &p, unsigned sms, unsigned warps, int unroll,
                                       int width)
{
    if (width == 4)
        by_unroll<OP, 4>(level, p, sms, warps, unroll);
    else if (width == 8)
        by_unroll<OP, 8>(level, p, sms, warps, unroll);
    else
        by_unroll<OP, 16>(level, p, sms, warps, unroll);
}

static uint32_t span_of(const shape &s, int width)
{
    uint32_t rows = 32 / s.row, span = (s.row - 1) * s.stride + (rows - 1) * s.pitch + width;
    return s.random ? (s.random < 128 ? 128 : s.random) : (span + 127) / 128 * 128;
}

static void l1(void)
{
    static const shape shapes[] = {
        {0, 32, 0, 0},    {4, 32, 0, 0},    {8, 32, 0, 0},     {12, 32, 0, 0},    {16, 32, 0, 0},   {20, 32, 0, 0},
        {24, 32, 0, 0},   {32, 32, 0, 0},   {36, 32, 0, 0},    {40, 32, 0, 0},    {48, 32, 0, 0},   {64, 32, 0, 0},
        {68, 32, 0, 0},   {96, 32, 0, 0},   {124, 32, 0, 0},   {128, 32, 0, 0},   {132, 32, 0, 0},  {160, 32, 0, 0},
        {192, 32, 0, 0},  {256, 32, 0, 0},  {260, 32, 0, 0},   {384, 32, 0, 0},   {512, 32, 0, 0},  {516, 32, 0, 0},
        {640, 32, 0, 0},  {1024, 32, 0, 0}, {1152, 32, 0, 0},  {2048, 32, 0, 0},  {2176, 32, 0, 0}, {4096, 32, 0, 0},
        {4224, 32, 0, 0}, {8192, 32, 0, 0}, {16, 16, 128, 0},  {4, 16, 128, 0},   {4, 16, 256, 0},  {4, 16, 512, 0},
        {4, 16, 2048, 0}, {4, 16, 4096, 0}, {4, 8, 128, 0},    {4, 8, 256, 0},    {4, 8, 512, 0},   {4, 8, 1024, 0},
        {4, 8, 4096, 0},  {4, 8, 4128, 0},  {4, 4, 128, 0},    {4, 4, 256, 0},    {4, 4, 512, 0},   {4, 4, 4096, 0},
        {4, 2, 128, 0},   {4, 2, 512, 0},   {4, 2, 4096, 0},   {128, 4, 1024, 0}, {128, 8, 4096, 0}, {0, 1, 0, 128},
    };
    for (int width = 4; width <= 16; width *= 2)
        for (const shape &s : shapes) {
            if (s.stride % width || s.pitch % width)
                continue;
            plan p = {array, nullptr, 0, (1ull << 19) - 1, 0, 1024, 0, 64, 0, s};
            by_width<LD_SAME>("l1", p, 1, 1, 1, width);
            p.turns = 512;
            for (unsigned warps : {1u, 2u, 4u, 8u, 32u})
                by_width<LD_SAME>("l1", p, 1, warps, 8, width);
        }
}

static const struct {
    int width;
    shape s;
} patterns[] = {{4, {4, 32, 0, 0}},  {8, {8, 32, 0, 0}},    {16, {16, 32, 0, 0}}, {4, {8, 32, 0, 0}},
                {4, {16, 32, 0, 0}}, {4, {32, 32, 0, 0}},   {4, {64, 32, 0, 0}},  {4, {128, 32, 0, 0}},
                {4, {0, 1, 0, 128}}, {4, {4, 8, 4096, 0}}, {4, {0, 32, 0, 0}},   {4, {4, 8, 0, 32}},
                {4, {4, 16, 0, 64}}, {4, {4, 32, 0, 128}},  {8, {8, 32, 0, 256}}, {16, {16, 32, 0, 512}}};

static void l2(void)
{
    for (auto &k : patterns)
        for (unsigned sms : {1u, 2u, 16u, 132u})
            for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u})
                for (int unroll : {1, 4, 8}) {
                    if (sms != 1 && sms != 132 && (unroll != 4 || warps < 8))
                        continue;
                    bool wide = k.s.stride >= 32 || k.s.random || k.s.row != 32;
                    uint32_t turns = warps >= 8 ? (wide ? 128 : 256) : 256;
                    plan p = {array, nullptr, 1ull << 17, (1ull << 17) - 1, span_of(k.s, k.width), turns, 0, 0, 0, k.s};
                    if (k.s.stride >= 64 || k.s.random == 128) /* every sector of its lines in turn */
                        p.step += 32;
                    p.warm = (uint32_t)((p.mask + 1) / (p.step * warps)) + 8;
                    by_width<LD_CG>("l2", p, sms, warps, unroll, k.width);
                    if (unroll == 4) {
                        p.to = array + (1ull << 25);
                        by_width<COPY>("l2", p, sms, warps, unroll, k.width);
                    }
                    if (unroll != 1)
                        by_width<ST>("l2", p, sms, warps, unroll, k.width);
                    if (sms == 1 && unroll == 4) {
                        p.mask = (1ull << 20) - 1;
                        p.warm = (uint32_t)((p.mask + 1) / (p.step * warps)) + 8;
                        by_width<LD_CA>("near", p, sms, warps, unroll, k.width);
                    }
                }
}

/* All SMs read the same footprint, which L2 holds. */
static void shared(void)
{
    for (uint64_t bytes = 4096; bytes <= 16u << 20; bytes *= 2)
        for (auto &k : patterns) {
            uint64_t span = k.s.random ? 4096 : span_of(k.s, k.width);
            if (span > bytes || (k.s.random && k.s.random != 32 && k.s.random != 128))
                continue;
            for (unsigned sms : {1u, 16u, 132u})
                for (unsigned warps : {8u, 32u}) {
                    if (sms == 16 && warps == 8)
                        continue;
                    /* SMs begin at different places. */
                    plan p = {array, nullptr, 0, bytes - 1, span_of(k.s, k.width) + (k.s.random ? 4096u + 128u : 0), 128, 2,
                              0, 0, k.s};
                    p.warm = 16;
                    by_width<LD_CG>("shared", p, sms, warps, 4, k.width);
                }
        }
}

static void dram(void)
{
    for (auto &k : patterns) {
        if (k.s.stride == 0 && !k.s.random)
            continue;
        for (unsigned sms : {1u, 33u, 66u, 132u})
            for (unsigned warps : {1u, 4u, 8u, 16u, 32u})
                for (int unroll : {1, 4, 8}) {
                    bool wide = k.s.stride >= 32 || k.s.random || k.s.row != 32;
                    if (sms != 132 && (unroll == 8 || warps == 16))
                        continue;
                    if (few && (sms == 33 || sms == 66 || unroll == 8 || warps > 8 || (wide && warps > 4)))
                        continue;
                    plan p = {array, array + array_bytes / 2, 0, array_bytes / 2 - 1, span_of(k.s, k.width),
                              wide ? 64u : 256u, 1, 0, 0, k.s};
                    by_width<LD_CG>("dram", p, sms, warps, unroll, k.width);
                    if (sms == 132 || sms == 33) {
                        if (unroll == 4)
                            by_width<ST>("dram", p, sms, warps, unroll, k.width);
                        if (unroll != 8)
                            by_width<COPY>("copy", p, sms, warps, unroll, k.width);
                    }
                }
    }
    if (few)
        return;
    /* the same reads by the size of what is walked through: address translation */
    for (uint64_t bytes = 16ull << 20; bytes <= array_bytes; bytes *= 2)
        for (int random = 0; random < 2; random++)
            for (unsigned sms : {1u, 132u}) {
                plan p = {array, nullptr, 0, bytes - 1, random ? 8192u * 9u : 128u, 64, 1, 0, 0,
                          {random ? 0u : 4u, random ? 1u : 32u, 0, random ? 128u : 0u}};
                by_width<LD_CG>("walk", p, sms, 8, 4, 4);
                by_width<LD_CG>("walk", p, sms, 1, 1, 4);
            }
}

int main(int argc, char **argv)
{
    MICRO_CUDA(cudaMalloc(&array, array_bytes));
    MICRO_CUDA(cudaMemset(array, 0, array_bytes));
    MICRO_CUDA(cudaMalloc(&other, OTHER));
    MICRO_CUDA(cudaMemset(other, 0, OTHER));
    MICRO_CUDA(cudaMallocManaged(&clocks, 132 * sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&gate, 8));
    /* few: a sample of level dram that is small enough to be captured */
    few = argc > 1 && strcmp(argv[1], "few") == 0;
    puts("level,op,width,stride,row,pitch,random,sms,warps,unroll,footprint,requests,clocks,last");
    if (!few) {
        l1();
        l2();
        shared();
    }
    dram();
    return 0;
}
