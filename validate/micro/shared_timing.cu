/* SPDX-License-Identifier: MIT
 *
 * shared_timing.cu - how long requests to shared memory take, alone and many at a time. `warps`
 * warps of one CTA repeat one request, each from 4 KiB of its own on. `degree` is how many distinct
 * words of the busiest bank a phase of the request asks for (0: all lanes ask for one word); a
 * phase is all 32 lanes with up to 4 bytes, 16 with 8, 8 with 16, and one matrix of LDSM or STSM. With
 * `chain` 1 a request needs the address that the last one returned: loads of 4 bytes load it
 * (chase), for all others an integer addition lies between. Settles: latency of LDS, LDSM and ATOMS
 * by conflicts, clocks a wavefront when many wait (of STSM, too), what a shared atomic costs beside its
 * wavefronts. Leaves out: 64-bit and floating-point atomics (atomics_timing.cu), cp.async,
 * distributed memory. Output: CSV: op,sass,degree,chain,warps,requests,clocks - requests of one
 * warp; clocks of the slowest warp, the least of three runs. With --list: the kernels' numbers,
 * names, instructions and requests of a block, without a GPU.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TURNS  16
#define BLOCK  32
#define REGION 4096 /* bytes of shared memory a warp, and as many behind the last */

/* clang-format off */
/* I(name, instruction, bytes a lane, assembly): p the address, v[] the result, w 0. */
#define LIST(I)                                                                                    \
    I(chase, "LDS", 4, asm volatile("ld.volatile.shared.b32 %0,[%1];" : "=r"(v[0]) : "r"(p) : "memory"))    \
    I(lds_32, "LDS", 4, asm volatile("ld.volatile.shared.b32 %0,[%1];" : "=r"(v[0]) : "r"(p) : "memory"))   \
    I(lds_64, "LDS.64", 8, asm volatile("ld.volatile.shared.v2.b32 {%0,%1},[%2];" : "=r"(v[0]), "=r"(v[1])  \
                                        : "r"(p) : "memory"))                                      \
    I(lds_128, "LDS.128", 16, asm volatile("ld.volatile.shared.v4.b32 {%0,%1,%2,%3},[%4];" : "=r"(v[0]),    \
                                           "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(p) : "memory")) \
    I(ldsm_1, "LDSM.16.M88", 16, asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" \
                                              : "=r"(v[0]) : "r"(p) : "memory"))                   \
    I(ldsm_4, "LDSM.16.M88.4", 16, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" \
                                                : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])   \
                                                : "r"(p) : "memory"))                              \
    I(sts_32, "STS", 4, asm volatile("st.volatile.shared.b32 [%0],%1;" ::"r"(p), "r"(w) : "memory"))        \
    I(sts_64, "STS.64", 8, asm volatile("st.volatile.shared.v2.b32 [%0],{%1,%1};" ::"r"(p), "r"(w) : "memory")) \
    I(sts_128, "STS.128", 16, asm volatile("st.volatile.shared.v4.b32 [%0],{%1,%1,%1,%1};" ::"r"(p), "r"(w) \
                                           : "memory"))                                            \
    I(stsm_1, "STSM.16.M88", 16, asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0],{%1};" \
                                              ::"r"(p), "r"(w) : "memory"))                        \
    I(stsm_4, "STSM.16.M88.4", 16, asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%1,%1,%1};" \
                                                ::"r"(p), "r"(w) : "memory"))                      \
    I(atoms_add, "ATOMS.ADD", 4, asm volatile("atom.shared.add.u32 %0,[%1],%2;" : "=r"(v[0])       \
                                              : "r"(p), "r"(w) : "memory"))                        \
    I(red_add, "ATOMS.ADD", 4, asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(p), "r"(w) : "memory")) \
    I(atoms_cas, "ATOMS.CAS", 4, asm volatile("atom.shared.cas.b32 %0,[%1],%2,%2;" : "=r"(v[0])    \
                                              : "r"(p), "r"(w) : "memory"))                        \
    I(atoms_exch, "ATOMS.EXCH", 4, asm volatile("atom.shared.exch.b32 %0,[%1],%2;" : "=r"(v[0])    \
                                                : "r"(p), "r"(w) : "memory"))
/* clang-format on */

enum which {
#define I(name, ...) K_##name,
    LIST(I)
#undef I
};

#define MATRIX(which)                                                                              \
    ((which) == K_ldsm_1 || (which) == K_ldsm_4 || (which) == K_stsm_1 || (which) == K_stsm_4)

template <int WHICH, int CHAIN> __device__ static uint32_t turn(uint32_t &address, uint32_t w)
{
    uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < BLOCK; k++) {
        uint32_t v[4] = {0, 0, 0, 0}, p = address;
        if (MATRIX(WHICH) && !CHAIN)
            p += (uint32_t)k * 128; /* else the compiler loads once */
#define I(name, sass, width, ...)                                                                  \
    if constexpr (WHICH == K_##name) {                                                             \
        __VA_ARGS__;                                                                               \
    }
        LIST(I)
#undef I
        (void)w;
        if (CHAIN)
            address = WHICH == K_chase ? v[0] : p + v[0];
        else
            sum ^= v[0];
    }
    if (MATRIX(WHICH))
        __syncwarp();
    return sum;
}

template <int WHICH, int CHAIN>
__global__ void __launch_bounds__(1024) repeat(uint32_t width, uint32_t degree, uint32_t zero,
                                               unsigned long long *clocks, uint32_t *sink)
{
    extern __shared__ __align__(128) uint32_t memory[];
    __shared__ unsigned long long last;
    const uint32_t lane = threadIdx.x % 32, lanes = 128 / width, phase = lane / lanes,
                   at = lane % lanes;
    uint32_t offset = 0;
    if (degree > 0) {
        const uint32_t across = lanes / degree;
        offset = (phase * degree + at / across) * 128 + at % across * width;
    }
    offset += threadIdx.x / 32 * REGION;
    uint32_t p = (uint32_t)__cvta_generic_to_shared(memory) + offset, sum = 0;
    for (uint32_t i = threadIdx.x; i < (blockDim.x / 32 + 1) * REGION / 4; i += blockDim.x)
        memory[i] = 0;
    __syncthreads();
    if (WHICH == K_chase)
        memory[offset / 4] = p;
    if (threadIdx.x == 0)
        last = 0;
    __syncthreads();
    sum = turn<WHICH, CHAIN>(p, zero);
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < TURNS; t++)
        sum ^= turn<WHICH, CHAIN>(p, zero);
    asm volatile("" ::"r"(sum), "r"(p) : "memory");
    __threadfence_block();
    atomicMax(&last, (unsigned long long)(clock64() - begin));
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = last;
    if ((sum ^ p) == 0xffffffff)
        *sink = sum;
}

/* Pointers in global memory that point to themselves, or all lanes' to the first. */
__global__ void chase_l1(uint64_t *memory, uint32_t degree, unsigned long long *clocks)
{
    uint64_t *p = memory + (degree ? threadIdx.x : 0), at = (uint64_t)p;
    *p = at;
    __syncthreads();
    for (int pass = 0; pass < 2; pass++) {
        uint64_t begin = clock64();
#pragma unroll 1
        for (int t = 0; t < TURNS; t++)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                asm volatile("ld.global.b64 %0,[%0];" : "+l"(at)::"memory");
        asm volatile("" ::"l"(at) : "memory");
        if (threadIdx.x == (uint32_t)(at - (uint64_t)p))
            *clocks = clock64() - begin;
    }
}

static unsigned long long *clocks;
static uint32_t *sink;

static void run_l1(void)
{
    uint64_t *memory;
    MICRO_CUDA(cudaMalloc(&memory, 32 * sizeof *memory));
    for (unsigned degree = 0; degree < 2; degree++) {
        unsigned long long least = ~0ull, now;
        for (int again = 0; again < 3; again++) {
            chase_l1<<<1, 32>>>(memory, degree, clocks);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
            least = std::min(least, now);
        }
        printf("ldg_chase,LDG.E.64,%u,1,1,%d,%llu\n", degree, TURNS * BLOCK, least);
    }
    MICRO_CUDA(cudaFree(memory));
}

template <int WHICH, int CHAIN> static void run(const char *name, const char *sass, unsigned width)
{
    MICRO_CUDA(cudaFuncSetAttribute(repeat<WHICH, CHAIN>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 33 * REGION));
    for (unsigned degree = 0; degree <= 128 / width; degree = degree ? degree * 2 : 1)
        for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
            unsigned long long least = ~0ull, now;
            if (CHAIN && warps > 1)
                break;
            for (int again = 0; again < 3; again++) {
                repeat<WHICH, CHAIN>
                    <<<1, warps * 32, (warps + 1) * REGION>>>(width, degree, 0, clocks, sink);
                MICRO_CUDA(cudaGetLastError());
                MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
                least = std::min(least, now);
            }
            printf("%s,%s,%u,%d,%u,%d,%llu\n", name, sass, degree, CHAIN, warps, TURNS * BLOCK,
                   least);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--list")) {
#define I(name, sass, width, ...) printf("%d,%s,%s,%d\n", (int)K_##name, #name, sass, BLOCK);
        LIST(I)
#undef I
        return 0;
    }
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    puts("op,sass,degree,chain,warps,requests,clocks");
#define I(name, sass, width, ...)                                                                  \
    if (strncmp(#name, "sts", 3) && strncmp(#name, "red", 3))                                      \
        run<K_##name, 1>(#name, sass, width);                                                      \
    if (strcmp(#name, "chase"))                                                                    \
        run<K_##name, 0>(#name, sass, width);
    LIST(I)
#undef I
    run_l1();
    return 0;
}
