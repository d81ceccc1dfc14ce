/* SPDX-License-Identifier: MIT
 *
 * tma.cu - what copies through tensor maps read and write: sectors at L1, in L2 and in DRAM. One launch
 * a row, each from flushed caches, to be run under ncu (metrics/tma.txt); captured, the same launches
 * hold the model to the table. Each CTA copies one box, at (from0 + step0 * x, from1 + step1 * y):
 *   load       to shared memory, of halves in rows of 2048 bytes, 1000 of them within the tensor
 *   promoted   the same, with L2 promotion (column `more`: 1 to 3 for 64, 128 and 256 bytes)
 *   strided    every `more`th row
 *   same       one box, by every CTA
 *   words      of 32-bit words
 *   cube       a box of three dimensions, the innermost of 32-bit words
 *   multicast  to both CTAs of a cluster, each asking for a box
 *   store, reduce (adding), prefetch
 *   stream     64 x 64 boxes of 64 x 64 halves, each once
 *   product    as a matrix product loads: CTA (x, y) loads box (k, x) of one matrix and box (k, y) of the
 *              other, 4 at a time, for `more` values of k
 *   clustered  the same in clusters of two along x, one multicasting what both need
 * Output: CSV rows  experiment,swizzle,box0,box1,from0,from1,step0,step1,columns,rows,more.
 */
#include "validate/micro/mbarrier.h"
#include "validate/micro/tensor.h"
#include <cstdint>
#include <cstring>

#define BARRIERS 98304u /* where mbarriers lie in shared memory */
#define SHARED   (BARRIERS + 128u)
#define STAGES   4u

extern __shared__ __align__(1024) unsigned char memory[];

struct place {
    int from0, from1, step0, step1;
};

__device__ static uint32_t at(uint32_t offset)
{
    return shared_address(memory) + offset;
}

__device__ static void load(uint32_t to, const CUtensorMap *map, int c0, int c1, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(c0), "r"(c1), "r"(barrier)
                 : "memory");
}

__device__ static void load_both(uint32_t to, const CUtensorMap *map, int c0, int c1, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(map), "r"(c0), "r"(c1),
                 "r"(barrier), "h"((uint16_t)3)
                 : "memory");
}

__device__ static void finish_stores(void)
{
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ static void fence(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ static void meet(void)
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void load_boxes(const __grid_constant__ CUtensorMap map, place p, uint32_t bytes)
{
    if (threadIdx.x == 0) {
        barrier_init(at(BARRIERS), 1);
        fence();
        barrier_expect(at(BARRIERS), bytes);
        load(at(0), &map, p.from0 + p.step0 * (int)blockIdx.x, p.from1 + p.step1 * (int)blockIdx.y, at(BARRIERS));
        barrier_wait(at(BARRIERS), 0);
    }
}

__global__ void load_cubes(const __grid_constant__ CUtensorMap map, place p, uint32_t bytes)
{
    if (threadIdx.x == 0) {
        barrier_init(at(BARRIERS), 1);
        fence();
        barrier_expect(at(BARRIERS), bytes);
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(at(0)),
                     "l"(&map), "r"(p.from0 + p.step0 * (int)blockIdx.x), "r"(p.from1 + p.step1 * (int)blockIdx.y),
                     "r"((int)blockIdx.x - 1), "r"(at(BARRIERS))
                     : "memory");
        barrier_wait(at(BARRIERS), 0);
    }
}

__global__ void __cluster_dims__(2, 1, 1)
    load_multicast(const __grid_constant__ CUtensorMap map, place p, uint32_t bytes)
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        barrier_init(at(BARRIERS), 1);
        asm volatile("fence.mbarrier_init.release.cluster;");
        barrier_expect(at(BARRIERS), 2 * bytes);
    }
    __syncwarp();
    meet();
    if (threadIdx.x == 0) {
        load_both(at(rank * bytes), &map, p.from0 + p.step0 * (int)blockIdx.x, p.from1 + p.step1 * (int)blockIdx.y,
                  at(BARRIERS));
        barrier_wait(at(BARRIERS), 0);
    }
    __syncwarp();
    meet();
}

__global__ void store_boxes(const __grid_constant__ CUtensorMap map, place p, uint32_t bytes)
{
    for (uint32_t i = threadIdx.x * 4; i < bytes; i += blockDim.x * 4)
        *(uint32_t *)(memory + i) = i;
    fence();
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
                     "r"(p.from0 + p.step0 * (int)blockIdx.x), "r"(p.from1 + p.step1 * (int)blockIdx.y), "r"(at(0))
                     : "memory");
        finish_stores();
    }
}

__global__ void reduce_boxes(const __grid_constant__ CUtensorMap map, place p, uint32_t bytes)
{
    for (uint32_t i = threadIdx.x * 4; i < bytes; i += blockDim.x * 4)
        *(uint32_t *)(memory + i) = 1;
    fence();
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::
                         "l"(&map),
                     "r"(p.from0 + p.step0 * (int)blockIdx.x), "r"(p.from1 + p.step1 * (int)blockIdx.y), "r"(at(0))
                     : "memory");
        finish_stores();
    }
}

__global__ void prefetch_boxes(const __grid_constant__ CUtensorMap map, place p, uint32_t)
{
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map),
                     "r"(p.from0 + p.step0 * (int)blockIdx.x), "r"(p.from1 + p.step1 * (int)blockIdx.y)
                     : "memory");
}

__global__ void product_loads(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                              uint32_t bytes, int count)
{
    if (threadIdx.x)
        return;
    for (uint32_t s = 0; s < STAGES; s++)
        barrier_init(at(BARRIERS + 8 * s), 1);
    fence();
    for (int k = 0; k < count + (int)STAGES; k++) {
        uint32_t stage = (uint32_t)k % STAGES, barrier = at(BARRIERS + 8 * stage);
        if (k >= (int)STAGES)
            barrier_wait(barrier, (uint32_t)(k / (int)STAGES - 1) & 1);
        if (k >= count)
            continue;
        barrier_expect(barrier, 2 * bytes);
        load(at(2 * stage * bytes), &a, 64 * k, 64 * (int)blockIdx.x, barrier);
        load(at((2 * stage + 1) * bytes), &b, 64 * k, 64 * (int)blockIdx.y, barrier);
    }
}

/* Both CTAs go on together, as one writes into the other's shared memory. */
__global__ void __cluster_dims__(2, 1, 1)
    product_clustered(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, uint32_t bytes,
                      int count)
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        for (uint32_t s = 0; s < STAGES; s++)
            barrier_init(at(BARRIERS + 8 * s), 1);
    asm volatile("fence.mbarrier_init.release.cluster;");
    for (int k = 0; k < count; k++) {
        uint32_t stage = (uint32_t)k % STAGES, barrier = at(BARRIERS + 8 * stage);
        if (stage == 0) {
            for (int old = k - (int)STAGES; threadIdx.x == 0 && old >= 0 && old < k; old++)
                barrier_wait(at(BARRIERS + 8 * ((uint32_t)old % STAGES)), (uint32_t)(old / (int)STAGES) & 1);
            for (uint32_t s = 0; threadIdx.x == 0 && s < STAGES && k + (int)s < count; s++)
                barrier_expect(at(BARRIERS + 8 * s), 2 * bytes);
            __syncwarp();
            meet();
        }
        if (threadIdx.x == 0) {
            load(at(2 * stage * bytes), &a, 64 * k, 64 * (int)blockIdx.x, barrier);
            if ((uint32_t)(k & 1) == rank)
                load_both(at((2 * stage + 1) * bytes), &b, 64 * k, 64 * (int)blockIdx.y, barrier);
        }
        __syncwarp();
    }
    for (int old = count - (int)STAGES; threadIdx.x == 0 && old < count; old++)
        barrier_wait(at(BARRIERS + 8 * ((uint32_t)old % STAGES)), (uint32_t)(old / (int)STAGES) & 1);
    __syncwarp();
    meet();
}

static unsigned char *data;
static decltype(&cuTensorMapEncodeTiled) encode;

static CUtensorMap map_of(CUtensorMapDataType type, uint32_t rank, size_t offset, const cuuint64_t *size,
                          const cuuint64_t *stride, const cuuint32_t *box, int swizzle, int promotion,
                          uint32_t every_row)
{
    const cuuint32_t every[3] = {1, every_row, 1};
    CUtensorMap map;
    CUresult result =
        encode(&map, type, rank, data + offset, size, stride, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
               (CUtensorMapSwizzle)swizzle, (CUtensorMapL2promotion)promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result) {
        fprintf(stderr, "tma: a tensor map is refused: %d\n", (int)result);
        exit(1);
    }
    return map;
}

typedef void kernel(const CUtensorMap, place, uint32_t);

struct row {
    const char *name;
    kernel *run;
    int swizzle;
    uint32_t box0, box1;
    place p;
    uint32_t columns, rows, more;
};

static void one(const row &r)
{
    const bool cube = strcmp(r.name, "cube") == 0;
    const bool words = cube || strcmp(r.name, "words") == 0 || strcmp(r.name, "reduce") == 0;
    const bool stream = strcmp(r.name, "stream") == 0;
    const uint32_t every = strcmp(r.name, "strided") == 0 ? r.more : 1;
    const int promotion = strcmp(r.name, "promoted") == 0 ? (int)r.more : 0;
    const cuuint64_t flat[3] = {stream ? 4096u : words ? 500u : 1000u, stream ? 4096u : 512u, 1},
                     flat_stride[2] = {stream ? 8192u : 2048u, 0}, deep[3] = {96, 64, 32},
                     deep_stride[2] = {512, 65536};
    const cuuint32_t box[3] = {r.box0, r.box1, cube ? 4u : 1u};
    const CUtensorMap map =
        map_of(words ? CU_TENSOR_MAP_DATA_TYPE_UINT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, cube ? 3 : 2, cube ? 16 : 0,
               cube ? deep : flat, cube ? deep_stride : flat_stride, box, r.swizzle, promotion, every);
    const uint32_t bytes = r.box0 * ((r.box1 + every - 1) / every) * box[2] * (words ? 4 : 2);
    MICRO_CUDA(cudaFuncSetAttribute((const void *)r.run, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    r.run<<<dim3(r.columns, r.rows), 32, SHARED>>>(map, r.p, bytes);
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,%d,%u,%u,%d,%d,%d,%d,%u,%u,%u\n", r.name, r.swizzle, r.box0, r.box1, r.p.from0, r.p.from1, r.p.step0,
           r.p.step1, r.columns, r.rows, r.more);
}

static void product(bool clustered, uint32_t columns, uint32_t rows, int count)
{
    const cuuint64_t wide[2] = {(cuuint64_t)count * 64, columns * 64}, high[2] = {(cuuint64_t)count * 64, rows * 64},
                     stride[1] = {(cuuint64_t)count * 128};
    const cuuint32_t box[2] = {64, 64};
    const CUtensorMap a = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 0, wide, stride, box, 3, 0, 1),
                      b = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (size_t)64 << 20, high, stride, box, 3, 0, 1);
    auto *run = clustered ? product_clustered : product_loads;
    MICRO_CUDA(cudaFuncSetAttribute((const void *)run, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    run<<<dim3(columns, rows), 32, SHARED>>>(a, b, 8192, count);
    MICRO_CUDA(cudaDeviceSynchronize());
    printf("%s,3,64,64,0,0,64,64,%u,%u,%d\n", clustered ? "clustered" : "product", columns, rows, count);
}

int main(void)
{
    static const row rows[] = {
        {"load", load_boxes, 3, 64, 64, {0, 0, 64, 64}, 4, 4, 0},
        {"load", load_boxes, 2, 32, 128, {0, 0, 32, 128}, 4, 4, 0},
        {"load", load_boxes, 1, 16, 64, {0, 0, 16, 64}, 4, 4, 0},
        {"load", load_boxes, 0, 256, 32, {0, 0, 256, 32}, 3, 4, 0},
        {"load", load_boxes, 0, 8, 64, {8, 0, 64, 64}, 4, 4, 0},
        {"load", load_boxes, 0, 64, 64, {24, 0, 64, 64}, 4, 4, 0},
        {"load", load_boxes, 2, 32, 64, {24, 0, 32, 64}, 4, 4, 0},
        {"load", load_boxes, 0, 256, 16, {8, 0, 256, 16}, 1, 1, 0},
        {"load", load_boxes, 3, 64, 64, {-16, -8, 960, 464}, 2, 2, 0},
        {"load", load_boxes, 3, 64, 64, {936, 0, 8, 64}, 4, 1, 0},
        {"load", load_boxes, 0, 64, 64, {-8, 456, 16, 64}, 2, 3, 0},
        {"load", load_boxes, 3, 64, 64, {1024, 0, 64, 64}, 1, 1, 0},
        {"promoted", load_boxes, 1, 16, 64, {0, 0, 128, 64}, 4, 4, 1},
        {"promoted", load_boxes, 1, 16, 64, {0, 0, 128, 64}, 4, 4, 2},
        {"promoted", load_boxes, 1, 16, 64, {0, 0, 128, 64}, 4, 4, 3},
        {"promoted", load_boxes, 2, 32, 64, {0, 0, 128, 64}, 4, 4, 3},
        {"promoted", load_boxes, 3, 64, 64, {0, 0, 64, 64}, 15, 8, 3},
        {"strided", load_boxes, 3, 64, 64, {0, 0, 64, 64}, 4, 4, 2},
        {"strided", load_boxes, 3, 64, 64, {0, 5, 64, 100}, 4, 5, 3},
        {"same", load_boxes, 3, 64, 64, {0, 0, 0, 0}, 4, 4, 0},
        {"same", load_boxes, 3, 64, 64, {0, 0, 0, 0}, 16, 16, 0},
        {"same", load_boxes, 0, 8, 8, {0, 0, 0, 0}, 16, 8, 0},
        {"words", load_boxes, 3, 32, 32, {0, 0, 32, 32}, 4, 4, 0},
        {"cube", load_cubes, 3, 32, 2, {4, 5, 0, 2}, 4, 2, 0},
        {"cube", load_cubes, 1, 8, 4, {92, 62, 0, 0}, 4, 1, 0},
        {"multicast", load_multicast, 3, 64, 64, {0, 0, 64, 64}, 8, 4, 0},
        {"multicast", load_multicast, 3, 64, 64, {-16, 456, 64, 64}, 2, 2, 0},
        {"store", store_boxes, 3, 64, 64, {0, 0, 64, 64}, 4, 4, 0},
        {"store", store_boxes, 0, 64, 64, {16, 0, 64, 64}, 4, 4, 0},
        {"store", store_boxes, 1, 16, 64, {8, 0, 64, 64}, 4, 4, 0},
        {"store", store_boxes, 3, 64, 64, {944, 456, 16, 64}, 2, 1, 0},
        {"store", store_boxes, 3, 64, 64, {0, 0, 64, 64}, 15, 8, 0},
        {"reduce", reduce_boxes, 0, 32, 16, {0, 0, 32, 16}, 4, 4, 0},
        {"reduce", reduce_boxes, 3, 32, 32, {0, 0, 0, 0}, 4, 4, 0},
        {"prefetch", prefetch_boxes, 3, 64, 64, {0, 0, 64, 64}, 4, 4, 0},
        {"stream", load_boxes, 3, 64, 64, {0, 0, 64, 64}, 64, 64, 0},
        {"stream", store_boxes, 3, 64, 64, {0, 0, 64, 64}, 64, 64, 0},
    };
    encode = micro_tensor_encoder();
    MICRO_CUDA(cudaMalloc((void **)&data, (size_t)192 << 20));
    MICRO_CUDA(cudaMemset(data, 0, (size_t)192 << 20));
    printf("experiment,swizzle,box0,box1,from0,from1,step0,step1,columns,rows,more\n");
    for (const row &r : rows)
        one(r);
    product(false, 8, 8, 16);
    product(false, 16, 16, 16);
    product(false, 12, 11, 32);
    product(false, 32, 32, 32);
    product(true, 16, 16, 16);
    product(true, 12, 11, 32);
    return 0;
}
