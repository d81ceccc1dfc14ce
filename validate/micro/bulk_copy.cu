/* SPDX-License-Identifier: MIT
 *
 * bulk_copy.cu - how long bulk copies take. One thread an SM keeps `deep` copies of `bytes` bytes on
 * their way to shared memory, each with an mbarrier of its own that it completes: it waits for the
 * oldest, then starts the next into its place. `l2` rows copy the same 256 KiB an SM again and
 * again, which L2 holds; `dram` rows go through memory that nobody has read. `store` rows write
 * from shared to global memory, and wait until all but deep - 1 of the copies have been written.
 * Settles: latency from the start of a copy to the wait's end, by bytes; clocks a copy and bytes a
 * clock, of one SM and of all. Leaves out: copies through tensor maps, multicast, reductions.
 * Output: CSV: kind,bytes,deep,sms,turns,clocks - a turn is one copy; clocks of the slowest SM, the
 * least of three runs. --one runs some rows of 32 and 96 turns, once each, for a capture.
 */
#include "validate/micro/mbarrier.h"
#include <cstdio>

#define DEEP   8
#define MOST   (192u << 10) /* bytes of shared memory for data */
#define REGION (256u << 10) /* bytes of memory an SM, of l2 rows */

enum kind { L2, DRAM, STORE, KINDS };
static const char *const kind_name[] = {"l2", "dram", "store"};

template <int KIND>
__global__ void repeat(char *memory, uint32_t bytes, uint32_t deep, int turns,
                       unsigned long long *clocks)
{
    extern __shared__ __align__(128) char data[];
    __shared__ __align__(8) uint64_t barrier[DEEP];
    if (threadIdx.x)
        return;
    const uint32_t full = shared_address(barrier), to = shared_address(data);
    const uint64_t span = KIND == L2 ? REGION : (uint64_t)turns * bytes;
    char *from = memory + blockIdx.x * span;
    for (uint32_t i = 0; i < deep; i++)
        barrier_init(full + 8 * i, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    uint64_t begin = clock64(), at = 0;
    uint32_t place = 0, parity = 0;
#pragma unroll 1
    for (int t = 0; t < turns + (KIND == STORE ? 0 : (int)deep); t++) {
        if (KIND == STORE) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;\n"
                         "cp.async.bulk.commit_group;" ::"l"(from + at),
                         "r"(to + place * bytes), "r"(bytes)
                         : "memory");
            if (deep == 1)
                asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
            else
                asm volatile("cp.async.bulk.wait_group 3;" ::: "memory");
        } else {
            if (t >= (int)deep)
                barrier_wait(full + 8 * place, parity);
            if (t < turns) {
                barrier_expect(full + 8 * place, bytes);
                bulk_load(to + place * bytes, from + at, bytes, full + 8 * place);
            }
        }
        at += bytes;
        if (KIND == L2 && at == REGION)
            at = 0;
        if (++place == deep) {
            place = 0;
            parity ^= t >= (int)deep;
        }
    }
    if (KIND == STORE)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    atomicMax(clocks, (unsigned long long)(clock64() - begin));
}

static char *memory;
static unsigned long long *clocks;
static size_t used;

template <int KIND> static void run(unsigned all)
{
    MICRO_CUDA(cudaFuncSetAttribute(repeat<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST));
    for (unsigned sms : {1u, all})
        for (unsigned bytes : {16u, 128u, 512u, 2048u, 8192u, 16384u, 32768u})
            for (unsigned deep : {1u, 4u, 8u})
                for (int turns : {32, 96, 512}) {
                    const bool chosen = turns < 512 && sms == 1 && deep != 8 && bytes >= 512;
                    const size_t span =
                        KIND == L2 ? (size_t)REGION * sms : (size_t)turns * bytes * sms;
                    if (bytes * deep > MOST || (once && !chosen) || (KIND == STORE && deep == 8) ||
                        (turns == 512 && bytes > 8192 && sms > 1 && KIND != L2))
                        continue;
                    unsigned long long least = least_clocks(clocks, [&] {
                        if (KIND == DRAM) /* what nobody has read for long */
                            used = used + span > ((size_t)4 << 30) ? 0 : used;
                        repeat<KIND><<<sms, 32, bytes * deep>>>(memory + (KIND == DRAM ? used : 0),
                                                                bytes, deep, turns, clocks);
                        used += KIND == DRAM ? span : 0;
                    });
                    printf("%s,%u,%u,%u,%d,%llu\n", kind_name[KIND], bytes, deep, sms, turns, least);
                }
}

int main(int argc, char **argv)
{
    int sms = 0;
    read_options(argc, argv);
    const size_t size = (size_t)(once ? 1 : 6) << 30;
    MICRO_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    MICRO_CUDA(cudaMalloc(&memory, size));
    MICRO_CUDA(cudaMemset(memory, 0, size));
    MICRO_CUDA(cudaMalloc(&clocks, 16));
    puts("kind,bytes,deep,sms,turns,clocks");
    run<L2>((unsigned)sms);
    run<DRAM>((unsigned)sms);
    run<STORE>((unsigned)sms);
    return 0;
}
