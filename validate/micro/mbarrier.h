/* SPDX-License-Identifier: MIT
 *
 * mbarrier.h - PTX of compute capability 9.0 that several microbenchmarks need: mbarriers, bulk
 * copies that complete on them, clusters; and how their kernels are timed.
 */
#ifndef GMSIM_MICRO_MBARRIER_H
#define GMSIM_MICRO_MBARRIER_H

#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstring>

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void barrier_init(uint32_t barrier, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _,[%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* Until the phase of that parity is over. */
__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
    asm volatile("{.reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done,[%0],%1;\n"
                 "@!done bra again;}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

__device__ __forceinline__ void bulk_load(uint32_t to, const void *from, uint32_t bytes,
                                          uint32_t barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::
            "r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
}

/* The address of another CTA of the cluster. */
__device__ __forceinline__ uint32_t peer_address(uint32_t address, uint32_t rank)
{
    uint32_t peer;
    asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(peer) : "r"(address), "r"(rank));
    return peer;
}

__device__ __forceinline__ uint32_t cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

static bool once; /* --one: the rows that are replayed, each launched once, with few turns */

static inline void read_options(int argc, char **argv)
{
    once = argc > 1 && !strcmp(argv[1], "--one");
}

/* The least clocks of three launches; `launch` zeroes nothing, the kernel takes a maximum. */
template <typename LAUNCH>
unsigned long long least_clocks(unsigned long long *clocks, LAUNCH launch)
{
    unsigned long long least = ~0ull, now;
    for (int again = 0; again < (once ? 1 : 3); again++) {
        MICRO_CUDA(cudaMemset(clocks, 0, sizeof *clocks));
        launch();
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
        least = std::min(least, now);
    }
    return least;
}

#endif
