/* SPDX-License-Identifier: MIT
 *
 * cluster.cu - what CTAs of a cluster of `ctas` do with one another, each CTA having `warps` warps:
 *   barrier   barrier.cluster.arrive.release and .wait.acquire by all threads; relaxed: arrive.relaxed
 *   chase     the first CTA's first warp loads from the last CTA an address, and from there the next
 *   load      all warps of all CTAs load from their neighbour, 4 bytes a lane; load16 16 bytes
 *   store     the same, stores of 4 bytes; store16 16 bytes
 *   pingpong  the first warps of the first and the last CTA let each other go, by mbarriers
 * Settles: latency of a cluster's barrier by CTAs and warps; of a load from another CTA, and its
 * rate; of an arrival at another CTA's mbarrier. Leaves out: atomics there, multicast.
 * Output: CSV: unit,ctas,warps,turns,clocks - a turn is one barrier, or access, or both ways of a
 * pingpong; clocks of the slowest warp, the least of three runs. --one runs the rows of 32 and 96
 * turns, once each, for a capture.
 */
#include "validate/micro/mbarrier.h"
#include <cstdio>

enum unit { BARRIER, RELAXED, CHASE, LOAD, LOAD16, STORE, STORE16, PINGPONG, UNITS };
static const char *const unit_name[] = {"barrier", "relaxed", "chase",   "load",
                                        "load16",  "store",   "store16", "pingpong"};

template <int UNIT>
__global__ void __launch_bounds__(1024) repeat(int turns, uint32_t ctas,
                                               unsigned long long *clocks, uint32_t *sink)
{
    __shared__ __align__(16) uint32_t data[4096];
    __shared__ __align__(8) uint64_t barrier;
    const uint32_t rank = cluster_rank(), warp = threadIdx.x / 32, last = ctas - 1;
    const uint32_t next = peer_address(shared_address(data), rank == last ? 0 : rank + 1);
    const uint32_t chase = peer_address(shared_address(data), last) + threadIdx.x % 32 * 4;
    const uint32_t width = UNIT == LOAD16 || UNIT == STORE16 ? 16 : 4;
    const uint32_t there = next + threadIdx.x * width % (sizeof data);
    for (uint32_t i = threadIdx.x; i < 4096; i += blockDim.x)
        data[i] = UNIT == CHASE ? chase : 0;
    if (threadIdx.x == 0)
        barrier_init(shared_address(&barrier), 1);
    const uint32_t own = shared_address(&barrier), other = peer_address(own, rank ? 0 : last);
    cluster_sync();
    uint32_t at = chase, sum = 0;
    uint64_t begin = clock64();
    const bool part = UNIT == CHASE      ? rank == 0 && warp == 0
                      : UNIT == PINGPONG ? (rank == 0 || rank == last) && warp == 0
                                         : true;
    if (part) {
#pragma unroll 1
        for (int t = 0; t < turns; t++) {
            if (UNIT == BARRIER)
                cluster_sync();
            if (UNIT == RELAXED)
                asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire."
                             "aligned;" ::
                                 : "memory");
            if (UNIT == CHASE)
                asm volatile("ld.shared::cluster.u32 %0,[%0];" : "+r"(at)::"memory");
#pragma unroll
            for (int k = 0; k < 4; k++) {
                uint32_t v[4] = {0, 0, 0, 0};
                if (UNIT == LOAD)
                    asm volatile("ld.volatile.shared::cluster.u32 %0,[%1];"
                                 : "=r"(v[0])
                                 : "r"(there)
                                 : "memory");
                if (UNIT == LOAD16)
                    asm volatile("ld.volatile.shared::cluster.v4.u32 {%0,%1,%2,%3},[%4];"
                                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                                 : "r"(there)
                                 : "memory");
                if (UNIT == STORE)
                    asm volatile("st.volatile.shared::cluster.u32 [%0],%1;" ::"r"(there), "r"(sum)
                                 : "memory");
                if (UNIT == STORE16)
                    asm volatile("st.volatile.shared::cluster.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(there),
                                 "r"(sum)
                                 : "memory");
                sum ^= v[0] ^ v[3];
            }
            if (UNIT == PINGPONG) {
                const bool begins = rank == 0 && ctas > 1;
                if (!begins && ctas > 1)
                    barrier_wait(own, (uint32_t)t & 1);
                if (threadIdx.x == 0)
                    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%0];" ::"r"(
                                     other)
                                 : "memory");
                if (begins || ctas == 1)
                    barrier_wait(own, (uint32_t)t & 1);
                __syncwarp();
            }
        }
        asm volatile("" ::"r"(sum), "r"(at) : "memory");
        if (threadIdx.x % 32 == 0)
            atomicMax(clocks, (unsigned long long)(clock64() - begin));
    }
    if ((sum ^ at) == 0xffffffff)
        *sink = sum;
    cluster_sync();
}

static unsigned long long *clocks;

template <int UNIT> static void run(void)
{
    for (unsigned ctas : {1u, 2u, 4u, 8u})
        for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
            if ((UNIT == CHASE || UNIT == PINGPONG) && warps > 1)
                break;
            for (int turns : {32, 96, 512}) {
                if (once && (turns == 512 || warps > 8))
                    continue;
                cudaLaunchConfig_t config = {};
                cudaLaunchAttribute cluster = {};
                cluster.id = cudaLaunchAttributeClusterDimension;
                cluster.val.clusterDim.x = ctas;
                cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
                config.gridDim = ctas;
                config.blockDim = warps * 32;
                config.attrs = &cluster;
                config.numAttrs = 1;
                printf("%s,%u,%u,%d,%llu\n", unit_name[UNIT], ctas, warps, turns,
                       least_clocks(clocks, [&] {
                           MICRO_CUDA(cudaLaunchKernelEx(&config, repeat<UNIT>, turns,
                                                         (uint32_t)ctas, clocks,
                                                         (uint32_t *)(clocks + 1)));
                       }));
            }
        }
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    MICRO_CUDA(cudaMalloc(&clocks, 16));
    puts("unit,ctas,warps,turns,clocks");
    run<BARRIER>();
    run<RELAXED>();
    run<CHASE>();
    run<LOAD>();
    run<LOAD16>();
    run<STORE>();
    run<STORE16>();
    run<PINGPONG>();
    return 0;
}
