/* SPDX-License-Identifier: MIT
 *
 * merge_shape.cu - which requests join before L2: by the sectors and words of a line, the lines of a
 * request, the lanes, the operator of the load. One launch a row, from flushed caches, to be run under
 * ncu (metrics/merge_shape.txt). `readers` ask for the same sectors at TIMES places, reader i `delay` * i
 * clocks after the first:
 *   gpc      SMs of one GPC, which clusters tell, TPC by TPC
 *   apart    of other TPCs of it
 *   warps    warps of one SM
 *   single   SMs of TPCs that clusters show to be in no GPC, one of each
 *   withG_S  an SM of GPC G and one of single TPC S;  pairS_T  of single TPCs S and T
 *   burst4, burst16, burst32  as gpc, so many warps of each, each of which has places of its own
 *   others4, others16, others32  as these, but only the first two readers ask for the same, the others for
 *            what nobody else does
 *   chase, chase2  as gpc and apart, but each reader goes on to the next place when it has what it asked for
 *   sweep, sweep2  as gpc and apart, delays from 0 to `delay` by turns
 * A place is `lines` lines; of each are words of sectors `mask` asked for, as many as lanes are left.
 * `form` says what readers of odd number do otherwise:
 *   same     nothing
 *   word0_1, word0_2, word0_4  a word a sector: the first, or the second, third, fifth
 *   all_0    those of even number all words, those of odd number the first
 *   halves   those of even number words 0 to 3, of odd number 4 to 7
 *   lanes    the last lane has what the first has, and so on
 *   ABAB...  readers ask for sectors `mask`, where there is an A, or others, where there is a B, by turns
 *   turned   lane i has what lane i + 5 has
 *   wide     one lane 16 bytes, where others have four lanes of 4
 *   byte     a byte of the word, the second
 *   target   of cp.async: 16 bytes further in shared memory
 *   row      of cp.async: 512 bytes further
 * `op`: cg, ca, volatile, lu, noalloc, cs; async_cg, async_ca: cp.async of 16 and 4 bytes.
 * Output: CSV rows  pick,form,op,readers,delay,lines,mask,times,sectors: that a reader asks
 * for each time (an A, where there are others); a row of no readers shows what is read besides.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define TIMES  64u
#define PERIOD 4096u
#define SMS    132u
#define REGION 4096u /* bytes from one place to the next */
#define SIZE   (18u * 16u * 32u * REGION)
#define NONE   UINT32_MAX

enum { CG, CA, VOLATILE, LU, NOALLOC, CS, ASYNC_CG, ASYNC_CA, OPS };

__device__ static uint64_t globaltimer()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

#define LOAD(SUFFIX)                                                                               \
    if (size == 16)                                                                                \
        asm volatile("ld" SUFFIX ".v4.u32 {%0, %1, %2, %3}, [%4];"                                 \
                     : "=r"(v), "=r"(w[0]), "=r"(w[1]), "=r"(w[2])                                 \
                     : "l"(p));                                                                    \
    else if (size == 4)                                                                            \
        asm volatile("ld" SUFFIX ".u32 %0, [%1];" : "=r"(v) : "l"(p));                             \
    else                                                                                           \
        asm volatile("ld" SUFFIX ".u8 %0, [%1];" : "=r"(v) : "l"(p))

template <int OP> __device__ static uint32_t load(const char *p, uint32_t size, uint32_t to)
{
    uint32_t v = 0, w[3] = {};
    if (OP == CG) {
        LOAD(".global.cg");
    } else if (OP == CA) {
        LOAD(".global.ca");
    } else if (OP == VOLATILE) {
        LOAD(".volatile.global");
    } else if (OP == LU) {
        LOAD(".global.lu");
    } else if (OP == NOALLOC) {
        LOAD(".global.L1::no_allocate");
    } else if (OP == CS) {
        LOAD(".global.cs");
    } else if (OP == ASYNC_CG) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(p) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(p) : "memory");
    }
    return v + w[0] + w[1] + w[2];
}

struct ask {
    uint32_t place[32], size,
        offset; /* bytes from the region's start, NONE: inactive; of shared memory */
};

/* rank[SM]: which reader it is, NONE none. */
template <int OP>
__global__ void __launch_bounds__(1024)
    reads(const char *data, const ask *asks, const uint32_t *rank, uint32_t readers, uint32_t delay,
          bool warps, uint32_t burst, bool alone, uint32_t how, uint32_t second, uint32_t *sink)
{
    __shared__ __align__(1024) char room[2048];
    uint32_t here, sum = 0, lane = threadIdx.x % 32;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    uint32_t mine = rank[here];
    if (threadIdx.x >= 32 * burst)
        return;
    const char *from =
        data + (alone && mine != NONE && mine > 1 ? mine * 16u * REGION * burst : 0u);
    if (warps)
        mine += mine == NONE ? 0 : threadIdx.x / 32;
    else
        from += threadIdx.x / 32 * REGION;
    const uint32_t step = warps ? REGION : burst * REGION,
                   times = burst > 1 && !warps ? 16u : TIMES;
    const ask &one = asks[second >> mine % 32 & 1];
    const uint32_t at = one.place[lane], size = one.size;
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(room) + (OP == ASYNC_CG ? 16 : 4) * lane;
    uint64_t first = globaltimer(), begin = (first / 65536 + 2) * 65536;
    if (mine >= readers)
        return;
    while (globaltimer() < begin)
        ;
    uint32_t start = (uint32_t)clock() + 1000 + (how == 2 ? 0 : mine * delay);
    for (uint32_t i = 0; i < times; i++) {
        uint32_t shift = how == 2 ? mine * (i * 37u % delay) : 0;
        while (!(how == 1 && i) && (int32_t)((uint32_t)clock() - (start + shift + i * PERIOD)) < 0)
            ;
        if (at != NONE)
            sum += load<OP>(from + i * step + at + (how == 1 && sum == 0x12345), size,
                            to + one.offset);
        if (how == 1)
            __syncwarp();
    }
    if (OP >= ASYNC_CG)
        asm volatile("cp.async.wait_all;" ::: "memory");
    if (sum == 0x12345)
        *sink = sum + room[lane];
}

__global__ void place_of(uint32_t *out)
{
    if (threadIdx.x == 0)
        asm volatile("mov.u32 %0, %%smid;" : "=r"(out[blockIdx.x]));
}

static uint32_t parent[SMS];

static uint32_t root(uint32_t sm)
{
    while (parent[sm] != sm)
        sm = parent[sm];
    return sm;
}

static std::vector<std::vector<uint32_t>> groups(void)
{
    uint32_t *out, host[SMS];
    MICRO_CUDA(cudaMalloc((void **)&out, sizeof host));
    MICRO_CUDA(cudaFuncSetAttribute(place_of, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    MICRO_CUDA(
        cudaFuncSetAttribute(place_of, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (uint32_t i = 0; i < SMS; i++)
        parent[i] = i;
    for (uint32_t cluster : {2u, 4u, 8u, 14u, 16u})
        for (uint32_t clusters : {SMS / cluster, SMS / 2 / cluster}) {
            cudaLaunchAttribute size;
            size.id = cudaLaunchAttributeClusterDimension;
            size.val.clusterDim = {cluster, 1, 1};
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3(clusters * cluster);
            config.blockDim = dim3(32);
            config.dynamicSmemBytes = 200 * 1024;
            config.attrs = &size;
            config.numAttrs = 1;
            if (cudaLaunchKernelEx(&config, place_of, out) != cudaSuccess) {
                (void)cudaGetLastError();
                break;
            }
            MICRO_CUDA(
                cudaMemcpy(host, out, clusters * cluster * sizeof *host, cudaMemcpyDeviceToHost));

            for (uint32_t i = 0; i < clusters * cluster; i++)
                parent[root(host[i])] = root(host[i - i % cluster]);
        }
    std::vector<std::vector<uint32_t>> found;
    for (uint32_t i = 0; i < SMS; i++) {
        auto at = std::find_if(found.begin(), found.end(),
                               [&](auto &g) { return root(g[0]) == root(i); });
        if (at == found.end())
            found.push_back({i});
        else
            at->push_back(i);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](auto &a, auto &b) { return a.size() > b.size(); });
    return found;
}

static char *data;
static uint32_t *rank, *sink;
static ask *asks;
static std::vector<uint32_t> gpc, single;
static std::vector<std::vector<uint32_t>> gpcs;

/* Words of the sectors `mask` of each of `lines` lines, as many as there are lanes for; returns
 * sectors. */
static uint32_t places(ask *to, uint32_t lines, uint32_t mask)
{
    uint32_t each = 32 / lines, count = 0, sector[4], sectors = 0;
    for (uint32_t s = 0; s < 4; s++)
        if (mask >> s & 1)
            sector[count++] = s;
    *to = {{}, 4, 0};
    for (uint32_t i = 0; i < 32; i++)
        to->place[i] = NONE;
    for (uint32_t l = 0; l < lines; l++)
        for (uint32_t i = 0; i < each; i++) {
            uint32_t word = i / count;
            if (word < 8)
                to->place[l * each + i] = l * 128 + sector[i % count] * 32 + word * 4,
                                     sectors += word == 0;
        }
    return sectors;
}

static void launch(const char *pick, const char *form, int op, uint32_t readers, uint32_t delay,
                   uint32_t lines, uint32_t mask)
{
    static const char *const ops[] = {"cg",      "ca", "volatile", "lu",
                                      "noalloc", "cs", "async_cg", "async_ca"};
    static void (*const kernels[])(const char *, const ask *, const uint32_t *, uint32_t, uint32_t,
                                   bool, uint32_t, bool, uint32_t, uint32_t, uint32_t *) = {
        reads<CG>,      reads<CA>, reads<VOLATILE>, reads<LU>,
        reads<NOALLOC>, reads<CS>, reads<ASYNC_CG>, reads<ASYNC_CA>};
    ask a[2];
    uint32_t who[SMS], sectors = places(&a[0], lines, mask);
    const bool warps = !strcmp(pick, "warps");
    uint32_t second = 0xaaaaaaaau;
    const bool turns = form[0] >= 'A' && form[0] <= 'B';
    if (turns) {
        second = 0;
        for (uint32_t i = 0; i < 32; i++)
            second |= (uint32_t)(form[i % strlen(form)] == 'B') << i;
    }
    places(&a[1], lines, !turns ? mask : mask == 15 ? 1 : mask == 1 ? 2 : 15 - mask);
    const bool alone = !strncmp(pick, "others", 6);
    uint32_t burst = warps                        ? 32
                     : alone                      ? (uint32_t)atoi(pick + 6)
                     : !strncmp(pick, "burst", 5) ? (uint32_t)atoi(pick + 5)
                                                  : 1;
    uint32_t shift = !strcmp(form, "word0_1")   ? 4
                     : !strcmp(form, "word0_2") ? 8
                     : !strcmp(form, "word0_4") ? 16
                                                : 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t &p = a[0].place[i], &q = a[1].place[i];
        if (p == NONE)
            continue;
        if (shift)
            p = p / 32 * 32, q = q / 32 * 32 + shift;
        if (!strcmp(form, "all_0"))
            q = q / 32 * 32;
        if (!strcmp(form, "halves"))
            p = p / 32 * 32 + p % 16, q = q / 32 * 32 + 16 + q % 16;
        if (!strcmp(form, "byte"))
            q += 1;
        if (!strcmp(form, "wide"))
            q = q / 16 * 16;
        if (op == ASYNC_CG)
            p = p / 16 * 16, q = q / 16 * 16;
    }
    if (!strcmp(form, "lanes"))
        std::reverse(a[1].place, a[1].place + 32);
    if (!strcmp(form, "turned"))
        std::rotate(a[1].place, a[1].place + 5, a[1].place + 32);
    if (!strcmp(form, "byte"))
        a[0].size = a[1].size = 1;
    if (!strcmp(form, "wide"))
        a[1].size = 16;
    a[1].offset = !strcmp(form, "target") ? 16 : !strcmp(form, "row") ? 512 : 0;
    for (uint32_t &r : who)
        r = NONE;
    for (uint32_t i = 0; i < (warps ? 1 : readers); i++)
        who[!strcmp(pick, "single") ? single[i]
            : !strncmp(pick, "with", 4)
                ? (i ? single[(uint32_t)atoi(pick + 6)] : gpcs[(uint32_t)atoi(pick + 4)][0])
            : !strncmp(pick, "pair", 4)
                ? single[(uint32_t)atoi(pick + (i ? 6 : 4))]
                : gpc[!strcmp(pick, "apart") || !strcmp(pick, "chase2") || !strcmp(pick, "sweep2")
                          ? 2 * i
                          : i]] = i;
    MICRO_CUDA(cudaMemcpy(asks, a, sizeof a, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMemcpy(rank, who, sizeof who, cudaMemcpyHostToDevice));
    kernels[op]<<<SMS, 1024, 96 * 1024>>>(data, asks, rank, readers, delay, warps, burst, alone,
                                          !strncmp(pick, "chase", 5)   ? 1
                                          : !strncmp(pick, "sweep", 5) ? 2
                                                                       : 0,
                                          second, sink);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%s,%s,%u,%u,%u,%u,%u,%u\n", pick, form, ops[op], readers, delay, lines, mask,
           burst > 1 && !warps ? 16u * burst : TIMES, sectors);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc((void **)&data, SIZE));
    MICRO_CUDA(cudaMemset(data, 0, SIZE));
    MICRO_CUDA(cudaMalloc((void **)&asks, 2 * sizeof(ask)));
    MICRO_CUDA(cudaMalloc((void **)&rank, SMS * sizeof *rank));
    MICRO_CUDA(cudaMalloc((void **)&sink, 4));
    for (auto k : {reads<CG>, reads<CA>, reads<VOLATILE>, reads<LU>, reads<NOALLOC>, reads<CS>,
                   reads<ASYNC_CG>, reads<ASYNC_CA>})
        MICRO_CUDA(
            cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    printf("pick,form,op,readers,delay,lines,mask,times,sectors\n");
    gpcs = groups();
    gpc = gpcs[0];
    for (const auto &g : gpcs) {
        fprintf(stderr, "GPC:");
        for (uint32_t sm : g)
            fprintf(stderr, " %u", sm);
        fputc('\n', stderr);
        if (g.size() <= 2)
            single.push_back(g[0]);
    }
    static const uint32_t shape[][2] = {{1, 1}, {1, 3}, {1, 15}, {8, 1}, {32, 1}, {4, 15}};
    launch("gpc", "same", CG, 0, 0, 1, 1);
    launch("gpc", "same", CG, 1, 0, 1, 1);
    for (const char *form : {"same", "word0_1", "word0_2", "word0_4", "all_0", "halves", "lanes",
                             "turned", "wide", "byte"})
        for (const auto &s : shape) {
            launch("gpc", form, CG, 2, 0, s[0], s[1]);
            if (s[0] == 1 && s[1] != 3)
                launch("gpc", form, CG, 2, 100, s[0], s[1]),
                    launch("apart", form, CG, 4, 20, s[0], s[1]);
        }
    for (const char *form : {"same", "word0_4", "lanes"})
        for (int op : {CA, VOLATILE})
            for (uint32_t mask : {1u, 15u})
                launch("gpc", form, op, 2, 20, 1, mask);
    for (const char *form : {"same", "word0_4"})
        for (uint32_t mask : {1u, 15u})
            for (uint32_t readers : {2u, 6u}) {
                launch("warps", form, CG, readers, 100, 1, mask),
                    launch("warps", form, VOLATILE, readers, 100, 1, mask);
                launch("warps", form, LU, readers, 100, 1, mask);
            }
    for (int op : {ASYNC_CG, ASYNC_CA})
        for (const char *form : {"same", "target", "row", "word0_4", "lanes"})
            for (const auto &s : shape)
                if (s[0] == 1)
                    launch("gpc", form, op, 2, 20, s[0], s[1]);
    for (const char *pick : {"burst4", "burst16", "burst32"}) /* many at once */
        for (const char *form : {"same", "turned"})
            for (const auto &f : shape)
                if (f[1] != 3)
                    launch(pick, form, CG, 2, 20, f[0], f[1]),
                        launch(pick, form, CG, 16, 0, f[0], f[1]);
    for (const char *pick : {"others4", "others16", "others32"})
        for (const auto &f : shape)
            if (f[1] != 3)
                launch(pick, "same", CG, 2, 20, f[0], f[1]),
                    launch(pick, "same", CG, 16, 0, f[0], f[1]);
    for (uint32_t n = 2; n <= single.size(); n++)
        launch("single", "same", CG, n, 0, 1, 15);
    for (uint32_t i = 0; i < single.size(); i++) {
        char name[16];
        for (uint32_t g = 0; g < gpcs.size(); g++)
            if (gpcs[g].size() > 2)
                snprintf(name, sizeof name, "with%u_%u", g, i),
                    launch(name, "same", CG, 2, 0, 1, 15);
        for (uint32_t g = i + 1; g < single.size(); g++)
            snprintf(name, sizeof name, "pair%u_%u", i, g), launch(name, "same", CG, 2, 0, 1, 15);
    }
    for (uint32_t mask : {1u, 15u}) /* how long */
        for (uint32_t delay : {200u, 300u, 400u, 450u, 500u, 550u, 600u, 700u})
            launch("gpc", "same", CG, 2, delay, 1, mask);
    launch("gpc", "same", CG, 0, 0, 1, 1);
    for (const char *form :
         {"AABAA", "AABBAA", "ABAAAA", "ABBBAA", "ABA", "AAAB", "ABABAB", "AAAAAABA"})
        for (uint32_t mask : {1u, 3u, 15u})
            for (uint32_t delay : {16u, 40u}) {
                launch("warps", form, CG, (uint32_t)strlen(form), delay, 1, mask);
                if (mask != 3)
                    launch("gpc", form, CG, (uint32_t)strlen(form), delay, 1, mask);
            }
    for (const char *form : {"AB", "AABB", "AAAABBBB"})
        for (uint32_t n : {4u, 8u, 16u})
            for (uint32_t mask : {1u, 15u}) {
                launch("gpc", form, CG, n, 0, 1, mask), launch("sweep", form, CG, n, 64, 1, mask);
                launch("chase", form, CG, n, 0, 1, mask), launch("gpc", form, CG, n, 0, 8, 1);
            }
    for (const char *pick : {"sweep", "sweep2"})
        for (uint32_t delay : {16u, 64u, 128u})
            for (uint32_t mask : {1u, 15u})
                launch(pick, "same", CG, 2, delay, 1, mask);
    for (uint32_t n : {4u, 8u})
        launch("sweep", "same", CG, n, 64, 1, 15), launch("sweep", "same", CG, n, 64, 8, 1);
    for (uint32_t delay : {0u, 1u, 2u, 4u, 8u, 16u, 32u, 64u, 200u})
        for (uint32_t mask : {1u, 15u})
            launch("warps", "same", CG, 2, delay, 1, mask);
    for (const char *pick : {"chase", "chase2"})
        for (uint32_t n : {1u, 2u, 4u, 8u})
            for (uint32_t delay : {0u, 300u})
                for (uint32_t mask : {1u, 15u})
                    launch(pick, "same", CG, n, delay, 1, mask);
    for (int op : {CG, CA})
        for (const char *form : {"same", "word0_4", "turned"})
            for (uint32_t lines : {8u, 32u})
                launch("chase", form, op, 2, 0, lines, 1);
    return 0;
}
