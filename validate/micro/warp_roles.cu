/* SPDX-License-Identifier: MIT
 *
 * warp_roles.cu - a producer and its consumers. One thread copies `bytes` bytes from L2 into the next
 * of `stages` places (cp.async.bulk, completing on that place's mbarrier), once all consumers have
 * left it; each of `groups` warpgroups waits for a place, multiplies with `batch` wgmma m64n128k16
 * out of it, waits for them, and leaves. The producer's waits for the first `stages` places pass,
 * as they ask for the phase before the first. Settles: what the pieces of mbarrier.cu, bulk_copy.cu
 * and wgmma.cu make together. Output: CSV: groups,stages,bytes,batch,sms,turns,clocks - a turn is a
 * place filled and used; clocks of the slowest warp, the least of three runs. --one runs the rows
 * of 32 and 96 turns, once each, for a capture.
 */
#include "validate/micro/mbarrier.h"
#include <cstdio>

#define STAGES 4
#define MOST   (196u << 10)

__device__ static uint64_t descriptor(uint32_t address)
{
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)1 << 16 | (uint64_t)64 << 32 |
           (uint64_t)1 << 62;
}

/* clang-format off */
#define T10(t) "%" t "0,%" t "1,%" t "2,%" t "3,%" t "4,%" t "5,%" t "6,%" t "7,%" t "8,%" t "9,"
#define O4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define O16(i) O4(i), O4(i + 4), O4(i + 8), O4(i + 12)
__device__ __forceinline__ void multiply(float *d, uint64_t da, uint64_t db)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" T10("") T10("1") T10("2") T10("3")
                 T10("4") T10("5") "%60,%61,%62,%63},%64,%65,1,1,1,0,0;"
                 : O16(0), O16(16), O16(32), O16(48) : "l"(da), "l"(db));
}
/* clang-format on */

template <int BATCH>
__global__ void __launch_bounds__(384)
    repeat(const char *memory, uint32_t stages, uint32_t bytes, int turns,
           unsigned long long *clocks, float *sink)
{
    extern __shared__ __align__(1024) char data[];
    __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
    const uint32_t base = (shared_address(data) + 1023u) & ~1023u, group = threadIdx.x / 128,
                   groups = blockDim.x / 128 - 1;
    if (threadIdx.x == 0)
        for (uint32_t i = 0; i < stages; i++) {
            barrier_init(shared_address(&full[i]), 1);
            barrier_init(shared_address(&empty[i]), groups);
        }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint64_t begin = clock64();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            const char *from = memory + (blockIdx.x << 18);
            uint32_t place = 0, parity = 1, at = 0;
#pragma unroll 1
            for (int t = 0; t < turns; t++) {
                barrier_wait(shared_address(&empty[place]), parity);
                barrier_expect(shared_address(&full[place]), bytes);
                bulk_load(base + place * bytes, from + at, bytes, shared_address(&full[place]));
                at = (at + bytes) & ((1u << 18) - 1);
                if (++place == stages) {
                    place = 0;
                    parity ^= 1;
                }
            }
        }
        return;
    }
    float d[64];
#pragma unroll
    for (int i = 0; i < 64; i++)
        d[i] = 0;
    uint32_t place = 0, parity = 0;
    int t = turns;
#pragma unroll 1
    do {
        barrier_wait(shared_address(&full[place]), parity);
        const uint64_t db = descriptor(base + place * bytes), da = descriptor(base + place * bytes);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            multiply(d, da + 2 * (k % 4), db + 2 * (k % 4));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0)
            barrier_arrive(shared_address(&empty[place]));
        if (++place == stages) {
            place = 0;
            parity ^= 1;
        }
    } while (--t > 0);
#pragma unroll
    for (int i = 0; i < 64; i++)
        asm volatile("" : "+f"(d[i])::"memory");
    if (threadIdx.x % 32 == 0)
        atomicMax(clocks, (unsigned long long)(clock64() - begin));
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 64; i++)
        sum += d[i];
    if (sum == 12345.5f)
        *sink = sum;
}

static char *memory;
static unsigned long long *clocks;

template <int BATCH> static void run(unsigned all)
{
    MICRO_CUDA(cudaFuncSetAttribute(repeat<BATCH>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)MOST + 1024));
    for (unsigned sms : {1u, all})
        for (unsigned groups : {1u, 2u})
            for (unsigned stages : {1u, 2u, 4u})
                for (unsigned bytes : {16384u, 32768u, 49152u})
                    for (int turns : {32, 96, 512}) {
                        if (once && (turns == 512 || sms > 1 || bytes == 49152))
                            continue;
                        printf("%u,%u,%u,%d,%u,%d,%llu\n", groups, stages, bytes, BATCH, sms, turns,
                               least_clocks(clocks, [&] {
                                   repeat<BATCH><<<sms, 128 + groups * 128, MOST + 1024>>>(
                                       memory, stages, bytes, turns, clocks, (float *)(clocks + 1));
                               }));
                    }
}

int main(int argc, char **argv)
{
    int sms = 0;
    read_options(argc, argv);
    MICRO_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    MICRO_CUDA(cudaMalloc(&memory, ((size_t)sms + 1) << 18));
    MICRO_CUDA(cudaMemset(memory, 0, ((size_t)sms + 1) << 18));
    MICRO_CUDA(cudaMalloc(&clocks, 16));
    puts("groups,stages,bytes,batch,sms,turns,clocks");
    run<2>((unsigned)sms);
    run<8>((unsigned)sms);
    return 0;
}
