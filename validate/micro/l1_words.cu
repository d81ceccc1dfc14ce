/* SPDX-License-Identifier: MIT
 *
 * l1_words.cu - what L1 takes for a request whose lanes are in many lines that it holds. Each of 32
 * warps of one CTA asks for the same words again and again, pattern after pattern: `lines` lines
 * out of 2^`bits`, 32 / lines lanes of each side by side, and words of them by `words`: own (word l
 * for lane l: no two in a bank), any, same (word 0); lines in the order drawn, or `rising`. The
 * draw is a linear congruential generator's, so that the table need not hold addresses: x = x *
 * 1664525 + 1013904223, from pattern * 2654435761 + 1 on; a line is the upper bits of x, drawn
 * again where it is taken; words are x >> 27. Lines are counted from an address that is a multiple
 * of 2^bits lines. Settles: by which rule requests of many lines take tags and banks. Output: CSV:
 * lines,bits,words,order,pattern,clocks - of a request, from the clocks of all.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

enum { NEAR = 9, FAR = 21, TURNS = 32, EACH = 8 }; /* bits of a line's number */

__global__ void ask(const char *data, const unsigned *offset, unsigned nothing,
                    unsigned long long *clocks)
{
    const char *at[EACH]; /* all the same, which the compiler does not know */
#pragma unroll
    for (int i = 0; i < EACH; i++)
        at[i] = data + offset[threadIdx.x % 32] + nothing * i;
    unsigned sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < TURNS + 2; turn++) {
        if (turn == 2) { /* the first bring the lines */
            __syncthreads();
            if (threadIdx.x == 0)
                clocks[0] = clock64();
            __syncthreads();
        }
        unsigned v[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[i]) : "l"(at[i]) : "memory");
#pragma unroll
        for (int i = 0; i < EACH; i++)
            sum += v[i];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        clocks[1] = clock64();
    if (sum == 12345)
        clocks[2] = sum;
}

static const char *data;
static unsigned *offset;
static unsigned long long *clocks;

enum words { OWN, ANY, SAME };
static const char *const words_name[] = {"own", "any", "same"};

static void run(unsigned lines, unsigned bits, enum words words, bool rising, unsigned pattern)
{
    uint32_t x = pattern * 2654435761u + 1u;
    auto draw = [&x] { return x = x * 1664525u + 1013904223u; };
    std::vector<unsigned> line;
    while (line.size() < lines) {
        unsigned l = draw() >> (32 - bits);
        if (std::find(line.begin(), line.end(), l) == line.end())
            line.push_back(l);
    }
    if (rising)
        std::sort(line.begin(), line.end());
    unsigned at[32];
    for (unsigned l = 0; l < 32; l++) {
        const unsigned word = words == OWN ? l : words == ANY ? draw() >> 27 : 0;
        at[l] = line[l / (32 / lines)] * 128 + word * 4;
    }
    MICRO_CUDA(cudaMemcpy(offset, at, sizeof at, cudaMemcpyHostToDevice));
    unsigned long long c[2];
    ask<<<1, 1024>>>(data, offset, 0, clocks);
    MICRO_CUDA(cudaMemcpy(c, clocks, sizeof c, cudaMemcpyDeviceToHost));
    printf("%u,%u,%s,%s,%u,%.2f\n", lines, bits, words_name[words], rising ? "rising" : "drawn",
           pattern, (double)(c[1] - c[0]) / (32.0 * EACH * TURNS));
}

int main(void)
{
    char *memory;
    const size_t size = (size_t)128 << FAR;
    MICRO_CUDA(cudaMalloc(&memory, 2 * size));
    memory += size - (size_t)memory % size;
    data = memory;
    MICRO_CUDA(cudaMalloc(&offset, 128));
    MICRO_CUDA(cudaMalloc(&clocks, 32));
    puts("lines,bits,words,order,pattern,clocks");
    for (unsigned lines : {2u, 4u, 8u, 16u, 32u})
        for (enum words words : {OWN, ANY, SAME})
            for (unsigned pattern = 0; pattern < 32; pattern++)
                for (bool rising : {false, true})
                    run(lines, NEAR, words, rising, pattern);
    for (unsigned pattern = 0; pattern < 512; pattern++)
        run(2, FAR, OWN, false, pattern);
    for (unsigned lines : {8u, 32u})
        for (unsigned pattern = 0; pattern < 64; pattern++)
            run(lines, FAR, OWN, false, pattern);
    return 0;
}
