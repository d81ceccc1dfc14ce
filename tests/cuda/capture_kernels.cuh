/* SPDX-License-Identifier: MIT
 *
 * capture_kernels.cuh - the kernels of capture_cases.cu, one for each thing gmcapture must see.
 */
#include <cassert>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

__global__ void copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

/* Both sides of a branch touch memory, loops run a different number of times in each lane, and
 * after each the warp is whole again. */
__global__ void divergent(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (threadIdx.x & 1)
        sum = in[i];
    else
        sum = in[i + 1] * 3;
    for (int k = 0; k < threadIdx.x % 5; k++)
        sum += in[i + 7 * k];
    out[i] = sum;
    if (sum & 4) {
        out[i + 1] = in[sum & 1023];
        if (sum & 8)
            out[i + 2] = in[sum & 511];
    }
    out[i + 3] = sum;
}

/* The compiler cannot bring the warp together again between two turns of this loop. */
__global__ void ragged(int *out, const int *in)
{
    int i = threadIdx.x, at = i & 3;
    for (int turn = 0; turn < 8; turn++) {
        at = in[(at + i) & 1023] & 1023;
        if (at & 1)
            continue;
        if (in[at] & 2)
            goto leave;
        out[at] = turn;
    }
leave:
    out[i] = at;
}

__global__ void early_exit(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 7 == 3)
        return;
    int value = in[i];
    if (i >= n)
        return;
    out[i] = value;
}

__device__ __noinline__ int gather(const int *in, int i) { return in[i * 3 & 4095]; }

__global__ void callee(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = gather(in, i);
    if (i & 1)
        value += gather(in, i + 5);
    out[i] = value;
}

/* A private array with an index the compiler does not know. */
__global__ void local(int *out, const int *in)
{
    int mine[64], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 64; k++)
        mine[k] = i * k;
    out[i] = mine[in[i] & 63] + mine[in[i + 1] & 63];
}

__global__ void atomics(int *counters, int *out)
{
    __shared__ int bins[32];
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 7], (int)threadIdx.x);
    int before = atomicAdd(&counters[threadIdx.x % 3 + 8], 1);
    atomicMax(&counters[threadIdx.x], before);
    out[threadIdx.x] = atomicCAS(&bins[threadIdx.x % 5], 3, before);
    atomicExch((unsigned long long *)counters + 64 + threadIdx.x, 5ull);
}

__global__ void widths(double *d, float4 *f, unsigned char *b, short *s)
{
    __shared__ double sd[128];
    __shared__ float4 sf[128];
    __shared__ unsigned char sb[128];
    int i = threadIdx.x;
    sd[i] = d[i];
    sf[i] = f[i];
    sb[i] = b[i];
    __syncthreads();
    d[i] = sd[i ^ 1];
    f[i] = sf[i ^ 1];
    b[i] = sb[i ^ 1];
    s[i] = s[i + 1];
}

__global__ void async_copy(float *out, const float *in)
{
    __shared__ alignas(16) float tile[2][512];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][i * 4], &in[i * 4], 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[1][i], &in[i + 512], 4);
    __pipeline_memcpy_async(&tile[1][128 + i * 2], &in[i * 2 + 640], 8);
    /* The last bytes of the copy are zeros; every fourth lane copies nothing. */
    __pipeline_memcpy_async(&tile[1][384 + i], &in[i + 1024], 4, i % 4 == 0 ? 4 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[i] = tile[0][i ^ 5];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i + 128] = tile[1][i ^ 9];
}

__global__ void matrices(unsigned *out)
{
    __shared__ alignas(16) unsigned tile[1024];
    int i = threadIdx.x;
    for (int k = 0; k < 1024; k += 32)
        tile[k + i] = k + i;
    __syncwarp();
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[i * 8]), a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(row));
    out[i] = a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "r"(row));
    out[i] += a + b;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(row));
    out[i] += a + b + c + d;
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(row), "r"(a),
                 "r"(b)
                 : "memory");
#endif
    out[i + 32] = tile[i];
}

/* Lanes of one instruction read one of three spaces each: bit 0 of `spaces` allows shared memory,
 * bit 1 local memory, besides global memory. */
__global__ void generic(int *out, const int *in, int spaces)
{
    __shared__ int tile[64];
    int mine[8];
    tile[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 8; k++)
        mine[k] = in[k + threadIdx.x];
    __syncthreads();
    const int *from = in + threadIdx.x;
    if (threadIdx.x % 3 == 1 && (spaces & 1))
        from = &tile[threadIdx.x];
    else if (threadIdx.x % 3 == 2 && (spaces & 2))
        from = &mine[in[threadIdx.x] & 7];
    out[threadIdx.x] = *(volatile const int *)from;
}

__global__ void scattered(const int **where, int *out)
{
    int i = threadIdx.x;
    out[i * 37 % 1024] = *where[i];
}

__global__ void prefetches(const float *in, float *out)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + threadIdx.x * 64));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(in + threadIdx.x * 32));
    out[threadIdx.x] = __ldcg(in + threadIdx.x) + __ldcs(in + threadIdx.x + 32);
    __stcs(out + 64 + threadIdx.x, 1.0f);
}

/* All CTAs wait for one another: they must all be resident, patched or not. */
__global__ void cooperative(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    cg::this_grid().sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] +=
        out[(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x];
}

__global__ void dynamic_shared(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void repeated(volatile float *data, int turns, unsigned scatter)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mask = (1u << 24) - 1;
    for (int turn = 0; turn < turns; turn++) {
        unsigned at = scatter ? i * i * scatter + turn : i;
        data[at & mask] = data[at & mask] + 1;
    }
}

__global__ void blocks_of_two_dimensions(float *out, const float *in, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * pitch + x] = in[x * pitch + y];
}

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) cluster(int *out)
{
    __shared__ int mine[128];
    cg::cluster_group group = cg::this_cluster();
    mine[threadIdx.x] = threadIdx.x + 1000 * blockIdx.x;
    group.sync();
    int *other = group.map_shared_rank(mine, group.block_rank() ^ 1);
    int value = other[threadIdx.x ^ 3];
    group.sync();
    other[threadIdx.x] = value;
    atomicAdd(&other[threadIdx.x / 2], 1);
    group.sync();
    out[blockIdx.x * 128 + threadIdx.x] = mine[threadIdx.x];
}

/* Generic accesses in a cluster: lanes read their own shared memory, the other CTA's, or global. */
__global__ void __cluster_dims__(2, 1, 1) cluster_generic(int *out, const int *in)
{
    __shared__ int mine[128];
    int local[4];
    cg::cluster_group group = cg::this_cluster();
    mine[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 4; k++)
        local[k] = in[k + threadIdx.x];
    group.sync();
    const int *from = in + threadIdx.x;
    if (threadIdx.x % 4 == 1)
        from = &mine[threadIdx.x];
    else if (threadIdx.x % 4 == 2)
        from = group.map_shared_rank(mine, group.block_rank() ^ 1) + threadIdx.x;
    else if (threadIdx.x % 8 == 3)
        from = &local[in[threadIdx.x] & 3];
    out[threadIdx.x] = *(volatile const int *)from;
    group.sync();
}

/* The bulk copy engine without tensor maps, there and back. */
__global__ void bulk(int *out, const int *in)
{
    __shared__ alignas(128) int tile[256];
    __shared__ alignas(8) uint64_t arrived;
    uint32_t barrier = (uint32_t)__cvta_generic_to_shared(&arrived);
    uint32_t target = (uint32_t)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(barrier));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1], 1024, [%2];" ::"r"(target),
                     "l"(in), "r"(barrier)
                     : "memory");
    }
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nagain:\n"
                 "mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(barrier)
                 : "memory");
    tile[threadIdx.x] += 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(out),
                     "r"(target)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], "
                     "1024;" ::"l"(out + 256),
                     "r"(target)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;");
    }
}
#endif

/* Functions that the driver links in: how many registers a thread gets is theirs to say. */
__global__ void asserts(int *out, const int *in)
{
    assert(in[threadIdx.x] >= 0);
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void prints(int *out, const int *in)
{
    if (in[threadIdx.x] < 0)
        printf("%d\n", in[threadIdx.x]);
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void allocates(int *out, const int *in)
{
    int *mine = (int *)malloc(16);
    mine[1] = in[threadIdx.x];
    out[threadIdx.x] = mine[1];
    free(mine);
}

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
/* Begins before the launch before it has ended, and waits for it where it needs its result. */
__global__ void dependent(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float before = in[i & 63];
    cudaGridDependencySynchronize();
    if (i < n)
        out[i] = in[i] + before;
    cudaTriggerProgrammaticLaunchCompletion();
}
#endif
