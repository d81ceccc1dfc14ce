/* SPDX-License-Identifier: MIT
 *
 * grid_order.cu - which SMs the CTAs of small grids and of clusters are given. Settles over how many
 * GPCs a grid of fewer CTAs than SMs is spread, and in which order clusters are dealt.
 * Output: CSV rows  grid,cluster,block,shared,cta,sm  (each launch begins on an idle GPU); all CTAs stay
 * until each has been given its SM, where all have a place at once.
 */
#include "validate/micro/check.h"
#include <cstdint>

#define MOST 4096u

__global__ void mark(uint32_t *out)
{
    if (threadIdx.x == 0) {
        uint32_t sm, start, now;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        out[blockIdx.x] = sm;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(start));
        do
            asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
        while (now - start < 20000);
    }
    __syncthreads();
}

static uint32_t *out, host[MOST];

static void launch(uint32_t grid, uint32_t cluster, uint32_t block, uint32_t shared)
{
    cudaLaunchAttribute size;
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    config.dynamicSmemBytes = shared;
    config.attrs = &size;
    config.numAttrs = cluster > 1;
    if (cluster > 1) {
        int most = 0;
        MICRO_CUDA(cudaOccupancyMaxActiveClusters(&most, mark, &config));
        fprintf(stderr, "%u of %u, %u bytes: %d at once\n", grid, cluster, shared, most);
        if (!most)
            return;
    }
    MICRO_CUDA(cudaLaunchKernelEx(&config, mark, out));
    MICRO_CUDA(cudaMemcpy(host, out, grid * sizeof *host, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < grid; i++)
        printf("%u,%u,%u,%u,%u,%u\n", grid, cluster, block, shared, i, host[i]);
}

int main(void)
{
    MICRO_CUDA(cudaMalloc((void **)&out, sizeof host));
    MICRO_CUDA(cudaFuncSetAttribute(mark, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    MICRO_CUDA(cudaFuncSetAttribute(mark, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    printf("grid,cluster,block,shared,cta,sm\n");
    static const uint32_t form[][2] = {{128, 0}, {32, 98432}, {384, 100 * 1024}, {384, 200 * 1024}};
    for (const auto &f : form)
        for (uint32_t grid : {1u, 2u, 3u, 4u, 6u, 7u, 8u, 9u, 10u, 12u, 14u, 16u, 18u, 20u, 24u, 28u, 32u, 40u, 48u,
                              56u, 64u, 80u, 96u, 100u, 112u, 120u, 128u, 130u, 132u, 144u, 200u, 256u, 264u, 300u})
            launch(grid, 1, f[0], f[1]);
    for (const auto &f : form)
        for (uint32_t cluster : {2u, 4u, 8u, 16u})
            for (uint32_t clusters : {1u, 2u, 3u, 4u, 6u, 7u, 8u, 9u, 12u, 16u, 24u, 32u, 48u, 64u, 66u, 100u, 128u})
                if (clusters * cluster <= 300)
                    launch(clusters * cluster, cluster, f[0], f[1]);
    for (uint32_t cluster = 3; cluster < 16; cluster++) /* who may be together */
        launch(cluster * (120 / cluster), cluster, 384, 200 * 1024);
    return 0;
}
