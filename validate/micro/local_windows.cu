/* SPDX-License-Identifier: MIT
 *
 * local_windows.cu - where local memory lies in L1's sets. A line of a warp's local memory is
 * written, lines of global memory of all sets with a bit of their number set, or clear, are read
 * until nothing else of these sets is left, and a load tells whether the line is there yet: bit by
 * bit that says which set it is in. Settles: that windows of warp slots follow one another by so
 * many bytes (under ncu 2,128 a thread, where it has 1,024 at most; 1,600 without it), those of an
 * SM behind those of the SM before; and bits 11 and 14 to 20 of a line's number in L1's sets.
 * Those of 128 words by eight warps also write all lines, one warp after another, and read them in
 * the same order: which were not there.
 * To be run under ncu (metrics/local_windows.txt), as what it adds to local memory counts.
 *
 * Output: CSV: launch,words,warps,sm,slot,yes,no,lost - which launch of so many words; the sets, of
 * the first word of the warp on that slot, as bits of which lines with the bit set, or clear,
 * pushed it out, in hexadecimal (both or neither: not told); the lines that were lost, the first
 * the lowest bit, or nothing.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <vector>

#define SMS   132u
#define BITS  9u     /* of a set's number */
#define LINES 16384u /* of global memory, from a multiple of as many on */
#define READS 12u    /* of a set: three lines twice, then three others, so that any line leaves */
#define SLOW  130    /* clocks of a load from L2 at least */

/* The set of each bit of a line's number (sim/policy/hash/banked.h). */
static const uint32_t set_of_bit[14] = {0x001, 0x002, 0x087, 0x05f, 0x0b1, 0x032, 0x1cf,
                                        0x1e3, 0x0ba, 0x14d, 0x0ed, 0x173, 0x12b, 0x0dd};

struct row {
    uint32_t sm, slot, yes, no, lost[4];
};

__device__ static bool is_lost(const volatile uint32_t *word)
{
    uint32_t before, after;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(before)::"memory");
    if (*word == 0xdeadbeef)
        __trap();
    asm volatile("mov.u32 %0, %%clock;" : "=r"(after)::"memory");
    return after - before >= SLOW;
}

template <int WORDS>
__global__ void __launch_bounds__(1024)
    windows(const uint32_t *lines, const uint32_t *reads, bool fill, uint32_t add, row *out)
{
    __shared__ uint32_t lost[32][4];
    uint32_t mine[WORDS], sum = 0; /* in local memory, as indices are not known */
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    row found = {};
    asm("mov.u32 %0, %%smid;" : "=r"(found.sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(found.slot));
    if (lane < 4)
        lost[warp][lane] = 0;
    __syncthreads();
    for (uint32_t turn = 0; fill && turn < 2 * warps; turn++) {
        for (uint32_t i = 0; turn == warp && i < WORDS; i++)
            *(volatile uint32_t *)&mine[(i + add) % WORDS] = i + lane;
        for (uint32_t i = 0; turn == warps + warp && i < WORDS; i++)
            if (is_lost(&mine[(i + add) % WORDS]) && lane == 0)
                lost[warp][i / 32 % 4] |= 1u << i % 32;
        __syncthreads();
    }
    for (uint32_t turn = 0; turn < warps; turn++) {
        for (uint32_t bit = 0; turn == warp && bit < 2 * BITS; bit++) {
            *(volatile uint32_t *)&mine[add] = lane;
            __syncwarp();
            const uint32_t *list = reads + bit * READS * 256;
            for (uint32_t i = lane; i < READS * 256; i += 32)
                sum += lines[list[i]];
            if (sum == 0xdeadbeef)
                __trap();
            __syncwarp();
            (bit % 2 ? found.yes : found.no) |= (uint32_t)is_lost(&mine[add]) << bit / 2;
        }
        __syncthreads();
    }
    for (uint32_t i = 0; i < 4; i++)
        found.lost[i] = lost[warp][i];
    if (lane == 0)
        out[blockIdx.x * 32 + warp] = found;
}

template <int WORDS>
static void run(const uint32_t *lines, const uint32_t *reads, uint32_t warps, bool fill,
                uint32_t step, row *out)
{
    static uint32_t launch;
    MICRO_CUDA(
        cudaFuncSetAttribute(windows<WORDS>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    windows<WORDS><<<SMS, warps * 32>>>(lines, reads, fill, 0, out);
    MICRO_CUDA(cudaGetLastError());
    std::vector<row> rows(SMS * 32);
    MICRO_CUDA(cudaMemcpy(rows.data(), out, rows.size() * sizeof rows[0], cudaMemcpyDeviceToHost));
    for (uint32_t cta = 0; cta < SMS; cta++)
        for (uint32_t warp = 0; warp < warps; warp++) {
            const row &one = rows[cta * 32 + warp];
            if (one.sm % step)
                continue;
            printf("%u,%d,%u,%u,%u,%03x,%03x,", launch, WORDS, warps, one.sm, one.slot, one.yes,
                   one.no);
            if (fill)
                printf("%08x%08x%08x%08x", one.lost[3], one.lost[2], one.lost[1], one.lost[0]);
            printf("\n");
        }
    launch++;
}

int main()
{
    uint32_t *lines, *reads;
    row *out;
    std::vector<std::vector<uint32_t>> of(1u << BITS);
    std::vector<uint32_t> list;
    for (uint32_t line = 0; line < LINES; line++) {
        uint32_t set = 0;
        for (uint32_t bit = 0; bit < 14; bit++)
            set ^= line >> bit & 1 ? set_of_bit[bit] : 0;
        of[set].push_back(line * 32);
    }
    for (uint32_t bit = 0; bit < 2 * BITS; bit++)
        for (uint32_t n = 0; n < READS; n++)
            for (uint32_t set = 0; set < 1u << BITS; set++)
                if ((set >> bit / 2 & 1) == bit % 2)
                    list.push_back(of[set][n % 3 + n / 6 * 3]);
    MICRO_CUDA(cudaMalloc(&lines, 2 * LINES * 128));
    MICRO_CUDA(cudaMemset(lines, 0, 2 * LINES * 128));
    MICRO_CUDA(cudaMalloc(&reads, list.size() * sizeof list[0]));
    MICRO_CUDA(
        cudaMemcpy(reads, list.data(), list.size() * sizeof list[0], cudaMemcpyHostToDevice));
    MICRO_CUDA(cudaMalloc(&out, SMS * 32 * sizeof *out));
    printf("launch,words,warps,sm,slot,yes,no,lost\n");
    run<128>(lines, reads, 8, true, 1, out);
    run<128>(lines, reads, 8, true, 12, out);
    run<64>(lines, reads, 32, false, 12, out);
    run<256>(lines, reads, 32, false, 12, out);
    run<300>(lines, reads, 32, false, 12, out);
    run<512>(lines, reads, 32, false, 12, out);
    return 0;
}
