/* SPDX-License-Identifier: MIT
 *
 * l2_cross.cu - what crosses from one side of L2 to the other where its home has it already. One
 * launch a row, from flushed caches, to be run under ncu (metrics/l2_cross.txt). An area of `mega`
 * MiB is read, each line whole by one SM; all SMs wait for one another; then lines are read again
 * past L1 by SMs elsewhere:
 *   cross   the sectors of mask `sectors` of every line: where the first reader was at home and the
 *           second is not, the fabric carries these, or whole pairs
 *   copy    the first reader writes as much to another area, too; then `sectors` of every eight
 *           lines are read whole: lines both sides read need a way on either, and push out others
 * Output: CSV rows experiment,mega,sectors.
 */
#include "validate/micro/check.h"
#include "validate/micro/meet.h"
#include <cstdint>
#include <cstdio>

#define CTAS  132u
#define WARPS 32u
#define LINE  128u

__global__ void __launch_bounds__(1024)
    cross(const char *from, char *to, size_t lines, uint32_t sectors, int copy, uint32_t all,
          uint32_t *sink)
{
    const uint32_t lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * WARPS + warp; i < lines; i += CTAS * WARPS) {
        uint32_t got = __ldcg((const uint32_t *)(from + i * LINE) + lane);
        sum += got;
        if (copy)
            ((uint32_t *)(to + i * LINE))[lane] = got;
    }
    meet(all);
    // neighbours in the turn over CTAs, of other groups of SMs
    const uint32_t other = (blockIdx.x * 5u + 40u) % CTAS;
    for (size_t i = other * WARPS + warp; i < lines; i += CTAS * WARPS)
        if (copy ? i * 5u % 8u < sectors : sectors >> lane / 8u & 1u)
            sum += __ldcg((const uint32_t *)(from + i * LINE) + lane);
    if (sum == 0x12345)
        *sink = sum;
}

int main(void)
{
    const size_t most = 32u << 20;
    char *from, *to;
    uint32_t *sink, all = 0;
    MICRO_CUDA(cudaMalloc(&from, most));
    MICRO_CUDA(cudaMalloc(&to, most));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMemset(from, 0, most));
    MICRO_CUDA(cudaMemset(to, 0, most));
    puts("experiment,mega,sectors");
    static const uint32_t masks[] = {0, 1, 2, 3, 5, 9, 7, 15};
    static const uint32_t shares[] = {0, 1, 2, 3, 4, 8};
    for (uint32_t mask : masks) {
        printf("cross,8,%u\n", mask);
        cross<<<CTAS, 1024>>>(from, to, (8u << 20) / LINE, mask, 0, all += CTAS, sink);
        MICRO_CUDA(cudaDeviceSynchronize());
    }
    for (uint32_t mega : {8u, 12u, 16u, 20u})
        for (uint32_t share : shares) {
            printf("copy,%u,%u\n", mega, share);
            cross<<<CTAS, 1024>>>(from, to, ((size_t)mega << 20) / LINE, share, 1, all += CTAS,
                                  sink);
            MICRO_CUDA(cudaDeviceSynchronize());
        }
    return 0;
}
