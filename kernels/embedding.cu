/* SPDX-License-Identifier: MIT
 *
 * embedding.cu - rows of a table are copied, or summed in bags of 16, as recommender and language
 * models do first. Which rows are wanted is skewed: a few are popular, and lie anywhere. One warp a
 * row: every lookup is coalesced, from 256 bytes to 1 KB wide, but lands anywhere in the table.
 */
#include "kernels/gmkernels.h"

#define WARP 32
#define BAG  16

__global__ void embedding_64(const float2 *table, const int *index, float2 *out, int lookups)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (i < lookups)
        out[i * WARP + lane] = table[index[i] * WARP + lane];
}

__global__ void embedding_256(const float4 *table, const int *index, float4 *out, int lookups)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (i >= lookups)
        return;
    for (int k = lane; k < 64; k += WARP)
        out[i * 64 + k] = table[index[i] * 64 + k];
}

__global__ void embedding_bag_128(const float4 *table, const int *index, float4 *out, int bags)
{
    int bag = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (bag >= bags)
        return;
    float4 sum = {0, 0, 0, 0};
    for (int k = 0; k < BAG; k++) {
        float4 row = table[index[bag * BAG + k] * WARP + lane];
        sum.x += row.x;
        sum.y += row.y;
        sum.z += row.z;
        sum.w += row.w;
    }
    out[bag * WARP + lane] = sum;
}

/* The cube of a uniform number: half of the lookups go to an eighth of the rows. */
static int popular(uint64_t lookup, int rows)
{
    uint64_t u = gmk_hash(1, lookup) >> 32;
    uint64_t rank = (((u * u) >> 32) * u >> 32) * (uint64_t)rows >> 32;
    return (int)(gmk_hash(2, rank) % (uint64_t)rows);
}

template <typename T>
static void look_up(gmk_run &run, void (*kernel)(const T *, const int *, T *, int), int width,
                    int rows, int bag)
{
    int outputs = run.size;
    gmk_array<float> table((size_t)rows * width), out((size_t)outputs * width);
    gmk_array<int> index((size_t)outputs * bag);
    table.fill(3, -1000, 1000);
    for (size_t i = 0; i < index.count; i++)
        index.host[i] = popular(i, rows);
    index.upload();
    out.upload();
    kernel<<<gmk_blocks(outputs * WARP, run.block), run.block>>>(
        (const T *)table.device, index.device, (T *)out.device, outputs);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (size_t i = 0; i < (size_t)outputs; i++)
        for (int k = 0; k < width; k++) {
            want[i * width + k] = 0;
            for (int b = 0; b < bag; b++)
                want[i * width + k] += table.host[(size_t)index.host[i * bag + b] * width + k];
        }
    gmk_compare(run, out, 0);
}

/* Tables of 25, 100 and 50 MB: half of L2, twice L2, and about as large. */
static const gmk_kernel table[] = {
    {"embedding_64", 1 << 17, 1 << 12, 1 << 24, 256, false, "lookups of 256 bytes each, skewed",
     [](gmk_run &run) { look_up(run, embedding_64, 64, 100000, 1); }},
    {"embedding_256", 1 << 16, 1 << 11, 1 << 22, 256, false, "lookups of 1 KB each, skewed",
     [](gmk_run &run) { look_up(run, embedding_256, 256, 100000, 1); }},
    {"embedding_bag_128", 1 << 14, 1 << 9, 1 << 22, 256, false,
     "sums of 16 skewed rows of 512 bytes",
     [](gmk_run &run) { look_up(run, embedding_bag_128, 128, 100000, BAG); }},
};
GMK_TOPIC(gmk_embedding, "rows of output");
