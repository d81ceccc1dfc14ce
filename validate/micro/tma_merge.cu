/* SPDX-License-Identifier: MIT
 *
 * tma_merge.cu - which reads of copies through tensor maps join before L2. One launch a row, to be run
 * under ncu (metrics/tma_merge.txt). SMs of a list read the same boxes of 64 lines, SM i `delay` * i
 * clocks after the first, `boxes` in a row with up to `depth` under way, so that many lines wait at once
 * where reads of several SMs meet. Lists:
 *   gpc      SMs of one GPC, TPC by TPC (clusters show which SMs are of one GPC)
 *   others   the first two of these, while `readers` - 2 more read boxes of their own
 *   gpcs     one SM of each GPC
 *   all      all SMs
 * `cold` 1: from DRAM; 0: an SM of each GPC has read all lines before, and that is counted, too, as 4
 * sectors a line each (column warmers).
 *   clusters no reads: `boxes` clusters of `readers` CTAs
 * Output: CSV rows  experiment,readers,delay,boxes,depth,cold,repeats,warmers,lines,clocks: lines that a
 * reader reads in all, and clocks that a row of boxes takes the first.
 */
#include "validate/micro/mbarrier.h"
#include "validate/micro/tensor.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#define REPEATS 4u
#define BYTES   8192u
#define MOST    32u /* boxes in a row */
#define PERIOD  16384u
#define SMS     132u
#define STREAMS 20u
#define SHARED  (196u << 10)
#define IDLE    UINT32_MAX

extern __shared__ __align__(1024) unsigned char memory[];

struct role {
    uint32_t delay, stream, warms; /* stream: whose boxes; IDLE: none */
};

__device__ static uint64_t globaltimer()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__global__ void __launch_bounds__(1024)
    boxes(const __grid_constant__ CUtensorMap map, const uint4 *data, const role *roles, uint32_t streams,
          uint32_t count, uint32_t depth, unsigned *arrived, uint64_t *begin, uint64_t *clocks)
{
    uint32_t here;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    const role mine = roles[here];
    uint32_t sum = 0;
    if (mine.warms)
        for (size_t i = threadIdx.x; i < (size_t)streams * REPEATS * count * BYTES / sizeof *data; i += blockDim.x)
            sum += __ldcg(&data[i]).x;
    if (sum == 0x12345)
        *clocks = sum;
    __syncthreads();
    if (threadIdx.x)
        return;
    if (atomicAdd(arrived, 1u) == gridDim.x - 1u)
        *(volatile uint64_t *)begin = globaltimer() + 16384u;
    if (mine.stream == IDLE)
        return;
    const uint32_t base = shared_address(memory), barriers = base + (SHARED - 256u);
    for (uint32_t i = 0; i < depth; i++)
        barrier_init(barriers + 8 * i, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    while (globaltimer() < *(volatile uint64_t *)begin || !*(volatile uint64_t *)begin)
        ;
    uint32_t start = (uint32_t)clock() + 1000 + mine.delay;
    uint64_t took = 0;
    for (uint32_t r = 0; r < REPEATS; r++) {
        while ((int32_t)((uint32_t)clock() - (start + r * PERIOD)) < 0)
            ;
        uint32_t from = (uint32_t)clock();
        for (uint32_t b = 0; b < count + depth; b++) {
            uint32_t k = r * count + b, barrier = barriers + 8 * (k % depth);
            if (b >= depth)
                barrier_wait(barrier, (k / depth - 1) & 1);
            if (b >= count)
                continue;
            barrier_expect(barrier, BYTES);
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3}], [%4];" ::"r"(base + (k % depth) * BYTES),
                         "l"(&map), "r"(0), "r"((int)(64u * (mine.stream * REPEATS * count + k))), "r"(barrier)
                         : "memory");
        }
        took += (uint32_t)clock() - from;
    }
    if (mine.stream == 0 && mine.delay == 0)
        *clocks = took / REPEATS;
}

__global__ void place(uint32_t *out)
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

/* GPCs: SMs that have been in one cluster, in order of their number. */
static std::vector<std::vector<uint32_t>> groups(void)
{
    uint32_t *out, host[SMS];
    MICRO_CUDA(cudaMalloc((void **)&out, sizeof host));
    MICRO_CUDA(cudaFuncSetAttribute(place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    MICRO_CUDA(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (uint32_t i = 0; i < SMS; i++)
        parent[i] = i;
    for (uint32_t cluster = 2; cluster <= 16; cluster++)
        for (uint32_t clusters : {SMS / cluster, SMS / 2 / cluster, SMS / 3 / cluster}) {
            cudaLaunchAttribute size;
            size.id = cudaLaunchAttributeClusterDimension;
            size.val.clusterDim = {cluster, 1, 1};
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3(clusters * cluster);
            config.blockDim = dim3(32);
            config.dynamicSmemBytes = 200 * 1024;
            config.attrs = &size;
            config.numAttrs = 1;
            if (cudaLaunchKernelEx(&config, place, out) != cudaSuccess) {
                (void)cudaGetLastError();
                break;
            }
            MICRO_CUDA(cudaMemcpy(host, out, clusters * cluster * sizeof *host, cudaMemcpyDeviceToHost));
            printf("clusters,%u,0,%u,0,0,0,0,0,0\n", cluster, clusters);
            for (uint32_t i = 0; i < clusters * cluster; i++)
                parent[root(host[i])] = root(host[i - i % cluster]);
        }
    std::vector<std::vector<uint32_t>> found;
    for (uint32_t i = 0; i < SMS; i++) {
        auto at = std::find_if(found.begin(), found.end(), [&](auto &g) { return root(g[0]) == root(i); });
        if (at == found.end())
            found.push_back({i});
        else
            at->push_back(i);
    }
    for (auto &g : found) {
        fprintf(stderr, "GPC:");
        for (uint32_t sm : g)
            fprintf(stderr, " %u", sm);
        fputc('\n', stderr);
    }
    std::stable_sort(found.begin(), found.end(), [](auto &a, auto &b) { return a.size() > b.size(); });
    return found;
}

static CUtensorMap map;
static uint4 *data;
static role *roles;
static unsigned *arrived;
static uint64_t *clocks, *begin;
static std::vector<std::vector<uint32_t>> gpc;

static void launch(const char *name, uint32_t readers, uint32_t delay, uint32_t count, uint32_t depth, uint32_t cold)
{
    role host[SMS];
    uint32_t streams = 1, warmers = 0;
    for (role &r : host)
        r = {0, IDLE, 0};
    for (uint32_t i = 0; i < readers; i++) {
        uint32_t sm = !strcmp(name, "all") ? i : !strcmp(name, "gpcs") ? gpc[i][0] : gpc[0][i];
        host[sm] = {delay * i, 0, 0};
        if (!strcmp(name, "others") && i >= 2)
            host[sm] = {0, streams++, 0};
    }
    for (auto &g : gpc)
        if (!cold && g.size() > 1 && ++warmers)
            host[g.back()].warms = 1;
    MICRO_CUDA(cudaMemcpy(roles, host, sizeof host, cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMemset(arrived, 0, sizeof *arrived));
    MICRO_CUDA(cudaMemset(begin, 0, sizeof *begin));
    boxes<<<SMS, 1024, SHARED>>>(map, data, roles, streams, count, depth, arrived, begin, clocks);
    MICRO_CUDA(cudaDeviceSynchronize());
    uint64_t took;
    MICRO_CUDA(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
    printf("%s,%u,%u,%u,%u,%u,%u,%u,%u,%llu\n", name, readers, delay, count, depth, cold, REPEATS, warmers * streams,
           REPEATS * count * 64, (unsigned long long)took);
}

int main(void)
{
    const size_t size = (size_t)STREAMS * REPEATS * MOST * BYTES;
    MICRO_CUDA(cudaMalloc((void **)&data, size));
    MICRO_CUDA(cudaMemset(data, 0, size));
    MICRO_CUDA(cudaMalloc((void **)&roles, SMS * sizeof *roles));
    MICRO_CUDA(cudaMalloc((void **)&arrived, sizeof *arrived));
    MICRO_CUDA(cudaMalloc((void **)&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc((void **)&begin, sizeof *begin));
    MICRO_CUDA(cudaFuncSetAttribute(boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    const cuuint64_t dims[2] = {64, size / 128}, stride[1] = {128};
    const cuuint32_t box[2] = {64, 64}, every[2] = {1, 1};
    if (micro_tensor_encoder()(
                      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, dims, stride, box, every,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        fprintf(stderr, "tma_merge: no tensor map\n");
        return 1;
    }
    printf("experiment,readers,delay,boxes,depth,cold,repeats,warmers,lines,clocks\n");
    gpc = groups();
    for (uint32_t cold = 0; cold < 2; cold++) {
        launch("gpc", 0, 0, 1, 1, cold);
        launch("gpc", 1, 0, 1, 1, cold);
        launch("gpc", 1, 0, 32, 8, cold);
    }
    for (uint32_t delay : {0u, 10u, 20u, 30u, 40u, 50u, 60u, 80u, 100u, 120u, 140u, 160u, 200u, 300u, 400u}) {
        launch("gpc", 2, delay, 1, 1, 0);
        launch("gpc", 2, delay, 32, 16, 0);
        if (delay % 40 == 0)
            launch("gpc", 2, delay, 32, 4, 0), launch("gpc", 2, delay, 8, 8, 0);
    }
    for (uint32_t readers : {3u, 4u, 5u, 8u, 16u})
        for (uint32_t delay : {0u, 10u, 20u, 40u, 80u}) {
            launch("gpc", readers, delay, 1, 1, 0);
            launch("gpc", readers, delay, 32, 16, 0);
        }
    for (uint32_t delay : {0u, 20u, 40u, 80u, 160u, 320u})
        for (uint32_t readers : {4u, 8u, 16u})
            launch("others", readers, delay, 32, 16, 0);
    for (uint32_t delay : {0u, 200u, 400u, 600u, 800u, 1000u}) {
        launch("gpc", 2, delay, 1, 1, 1);
        launch("gpc", 2, delay, 32, 16, 1);
    }
    launch("gpcs", 6, 0, 1, 1, 0);
    for (uint32_t cold = 0; cold < 2; cold++)
        for (uint32_t depth : {1u, 8u, 16u})
            for (uint32_t delay : {0u, 5u})
                launch("all", SMS, delay, depth == 1 ? 1 : 32, depth, cold);
    return 0;
}
