/* SPDX-License-Identifier: MIT
 *
 * ports.cu - how SMs share the ways to L2. One CTA of 16 warps an SM repeats one access for a fixed
 * time; what counts is how often each SM did in the last two thirds of it. Settles:
 *   group  which SMs are of one GPC: CTAs of clusters of up to eight lie in one
 *   all    every SM its own 64 KiB, which L2 holds
 *   gpc    the SMs of one GPC alone, some of them or all
 *   each   as many SMs of each GPC
 *   pair   two SMs of one TPC
 *   line   every SM the same line, one of some that lie on either side of L2
 *   near, far  the same, but only the SMs that got more, or less, of it
 *   window  the SMs of both sides, or of one, go through the same `line` lines, each from a place of
 *           its own: whole lines (st), a sector of each (st_byte), four lines at once (st_wide)
 * Output: CSV rows  experiment,op,line,active,sm,group,side,count  for each SM: accesses of a warp in
 * the time, by fours: too rough for atomics on one line; of `group` the SM's GPC, numbered by its
 * first SM.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define WARPS   16u
#define REGION  (64u << 10) /* of an SM, bytes */
#define CLOCKS  60000u      /* in which accesses count, after half as many */
#define SMS_MAX 256

enum op { ST, ST_SECTORS, ST_WIDE, RED, RED_SECTORS, ATOM, LD, LD_WIDE, LD_SECTORS, DRAM, DRAM_ST, ST_BYTE, OPS };
static const char *const names[] = {"st", "st_sectors", "st_wide", "red", "red_sectors", "atom",
                                    "ld", "ld_wide",    "ld_sectors", "dram", "dram_st", "st_byte"};

__device__ static uint64_t globaltimer()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ static uint32_t smid()
{
    uint32_t s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}

/* Turn i of a warp: the place in a region of `bytes` that the lane takes. */
template <int OP> __device__ static uint32_t access(char *at, uint32_t i, uint32_t warp, uint32_t bytes)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t width = OP == ST_WIDE || OP == LD_WIDE || OP == DRAM || OP == DRAM_ST ? 16
                           : OP == ST_SECTORS || OP == RED_SECTORS || OP == LD_SECTORS   ? 32
                                                                                       : 4;
    char *p = at + ((i * WARPS + warp) * 32 * width) % bytes + lane * width % bytes;
    uint32_t x = 0;
    if (OP == ST_BYTE)
        *(volatile unsigned char *)(at + ((i * WARPS + warp) * 128 + lane) % bytes) = (unsigned char)i;
    else if (OP == ST || OP == ST_SECTORS)
        *(volatile uint32_t *)p = i;
    else if (OP == ST_WIDE || OP == DRAM_ST)
        __stcg((uint4 *)p, make_uint4(i, i, i, i));
    else if (OP == RED || OP == RED_SECTORS)
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    else if (OP == ATOM)
        x = atomicAdd((uint32_t *)p, 1u);
    else if (OP == LD || OP == LD_SECTORS)
        x = __ldcg((uint32_t *)p);
    else {
        uint4 v = __ldcg((uint4 *)p);
        x = v.x ^ v.y ^ v.z ^ v.w;
    }
    return x;
}

template <int OP>
__global__ void __launch_bounds__(WARPS * 32)
    repeat(char *memory, const uint8_t *active, uint32_t stride, uint32_t bytes, uint32_t apart, uint32_t *counts,
           uint32_t *sink)
{
    const uint32_t sm = smid(), warp = threadIdx.x / 32;
    if (!active[sm])
        return;
    char *at = memory + (size_t)stride * sm;
    uint32_t i = sm * apart, from = 0, sum = 0;
    uint64_t first = globaltimer(), begin = (first / 32768 + 2) * 32768;
    while (globaltimer() < begin)
        ;
    const uint32_t start = (uint32_t)clock();
    for (uint32_t now = 0; now < CLOCKS * 3 / 2; now = (uint32_t)clock() - start) {
        if (now < CLOCKS / 2)
            from = i;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            sum += access<OP>(at, i++, warp, bytes);
        if (OP == ATOM || (OP >= LD && OP <= DRAM))
            if (sum == 0x12345678)
                *sink = sum;
    }
    if (threadIdx.x % 32 == 0)
        atomicAdd(&counts[sm], i - from);
}

__global__ void who(uint32_t *sms)
{
    if (threadIdx.x == 0)
        sms[blockIdx.x] = smid();
    uint32_t start = (uint32_t)clock();
    while ((uint32_t)clock() - start < 3000u)
        ;
}

static int sms;
static int group_of[SMS_MAX], side_of[SMS_MAX];
static char *memory;
static uint8_t *active;
static uint32_t *counts, *sink;

static int root(int *of, int a)
{
    while (of[a] != a)
        a = of[a];
    return a;
}

static void find_groups(void)
{
    uint32_t *there;
    std::vector<uint32_t> here(4096);
    MICRO_CUDA(cudaMalloc(&there, 4096 * 4));
    MICRO_CUDA(cudaFuncSetAttribute(who, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int i = 0; i < sms; i++)
        group_of[i] = i;
    for (unsigned size : {2u, 4u, 8u})
        for (int turn = 0; turn < 20; turn++) {
            cudaLaunchConfig_t config = {};
            cudaLaunchAttribute cluster;
            cluster.id = cudaLaunchAttributeClusterDimension;
            cluster.val.clusterDim = {size, 1, 1};
            config.gridDim = dim3(size * 60), config.blockDim = dim3(64), config.dynamicSmemBytes = 200 << 10;
            config.attrs = &cluster, config.numAttrs = 1;
            MICRO_CUDA(cudaLaunchKernelEx(&config, who, there));
            MICRO_CUDA(cudaMemcpy(here.data(), there, size * 60 * 4, cudaMemcpyDeviceToHost));
            for (unsigned i = 0; i < size * 60; i++) {
                int a = root(group_of, (int)here[i / size * size]), b = root(group_of, (int)here[i]);
                group_of[std::max(a, b)] = std::min(a, b);
            }
        }
    for (int i = 0; i < sms; i++)
        group_of[i] = root(group_of, i);
    MICRO_CUDA(cudaFree(there));
}

typedef void (*kernel)(char *, const uint8_t *, uint32_t, uint32_t, uint32_t, uint32_t *, uint32_t *);
static const kernel kernels[] = {repeat<ST>,      repeat<ST_SECTORS>, repeat<ST_WIDE>,    repeat<RED>,
                                 repeat<RED_SECTORS>, repeat<ATOM>,   repeat<LD>,         repeat<LD_WIDE>,
                                 repeat<LD_SECTORS>,  repeat<DRAM>,   repeat<DRAM_ST>,     repeat<ST_BYTE>};

/* The SMs of the mask repeat the access; returns the counts. */
static std::vector<uint32_t> run(const char *experiment, int op, int line, const std::vector<uint8_t> &mask,
                                 bool window = false)
{
    const uint32_t own = op == DRAM || op == DRAM_ST ? 16u << 20 : REGION;
    std::vector<uint32_t> count(SMS_MAX);
    int on = 0;
    MICRO_CUDA(cudaMemcpy(active, mask.data(), SMS_MAX, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMemset(counts, 0, SMS_MAX * 4));
    MICRO_CUDA(cudaFuncSetAttribute(kernels[op], cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    char *at = memory + (line < 0 || window ? 0 : (size_t)line * 4096);
    const uint32_t stride = line < 0 ? own : 0, bytes = line < 0 ? own : window ? (uint32_t)line * 128u : 128u;
    kernels[op]<<<(unsigned)sms, WARPS * 32, 200 << 10>>>(at, active, stride, bytes, window ? 7 : 0, counts, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaMemcpy(count.data(), counts, SMS_MAX * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < sms; i++)
        on += mask[(size_t)i];
    for (int i = 0; i < sms; i++)
        if (mask[(size_t)i])
            printf("%s,%s,%d,%d,%d,%d,%d,%u\n", experiment, names[op], line, on, i, group_of[i], side_of[i],
                   count[(size_t)i]);
    return count;
}

/* `of_each` SMs of each group that is asked for, those of one TPC last. */
static std::vector<uint8_t> some(int group, int of_each)
{
    std::vector<uint8_t> mask(SMS_MAX);
    for (int g = 0; g < sms; g++) {
        int left = group < 0 || group == g ? of_each : 0;
        for (int second = 0; second < 2; second++)
            for (int i = second; i < sms; i += 2)
                if (group_of[i] == g && left > 0 && !mask[(size_t)i])
                    mask[(size_t)i] = 1, left--;
    }
    return mask;
}

int main(void)
{
    MICRO_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    if (sms > SMS_MAX)
        return 1;
    MICRO_CUDA(cudaMalloc(&memory, (size_t)sms * (16u << 20)));
    MICRO_CUDA(cudaMemset(memory, 0, (size_t)sms * (16u << 20)));
    MICRO_CUDA(cudaMalloc(&active, SMS_MAX));
    MICRO_CUDA(cudaMalloc(&counts, SMS_MAX * 4));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    find_groups();
    printf("experiment,op,line,active,sm,group,side,count\n");
    for (int i = 0; i < sms; i++)
        printf("group,,-1,0,%d,%d,0,0\n", i, group_of[i]);
    for (int op = 0; op < OPS; op++) {
        run("all", op, -1, some(-1, sms));
        for (int k : {1, 2, 4, 8, 12})
            run("each", op, -1, some(-1, k));
        int largest = 0;
        for (int g = 0; g < sms; g++)
            if (std::count(group_of, group_of + sms, g) > std::count(group_of, group_of + sms, largest))
                largest = g;
        for (int k : {1, 2, 4, 6, 8, 12, 16, 18})
            run("gpc", op, -1, some(largest, k));
        std::vector<uint8_t> pair(SMS_MAX);
        pair[(size_t)largest] = pair[(size_t)largest + 1] = 1;
        run("pair", op, -1, pair);
        if (op == DRAM || op == DRAM_ST || op == ST_WIDE || op == LD_WIDE)
            continue;
        for (int line = 0; line < 6; line++) {
            std::vector<uint32_t> got = run("line", op, line, some(-1, sms));
            uint64_t sum = 0;
            std::vector<uint8_t> near(SMS_MAX), far(SMS_MAX);
            for (uint32_t c : got)
                sum += c;
            for (int i = 0; i < sms; i++) {
                side_of[i] = (uint64_t)got[(size_t)i] * (uint64_t)sms > sum;
                (side_of[i] ? near : far)[(size_t)i] = 1;
            }
            run("near", op, line, near);
            run("far", op, line, far);
            std::fill(side_of, side_of + sms, 0);
        }
    }
    /* Sides: those of the first line whose atomics tell two halves apart. */
    std::vector<uint8_t> all = some(-1, sms), half[2] = {std::vector<uint8_t>(SMS_MAX), std::vector<uint8_t>(SMS_MAX)};
    for (int line = 0; line < 40; line++) {
        std::vector<uint32_t> got = run("sides", ATOM, line, all), sorted(got.begin(), got.begin() + sms);
        std::sort(sorted.begin(), sorted.end());
        const uint32_t low = sorted[(size_t)sms / 2 - 1], high = sorted[(size_t)sms / 2];
        if (high * 5 < low * 6)
            continue;
        for (int i = 0; i < sms; i++) {
            side_of[i] = got[(size_t)i] >= high;
            half[side_of[i]][(size_t)i] = 1;
        }
        break;
    }
    for (int op : {(int)ST, (int)ST_BYTE, (int)ST_WIDE, (int)RED})
        for (int lines : {8, 32, 64, 128, 256, 512, 1024, 4096}) {
            run("window", op, lines, all, true);
            run("window", op, lines, half[0], true);
            run("window", op, lines, half[1], true);
        }
    return 0;
}
