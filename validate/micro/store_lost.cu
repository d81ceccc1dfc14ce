/* SPDX-License-Identifier: MIT
 *
 * store_lost.cu - which lines L1 loses of those that two stores of a warp have in common, one
 * shortly after the other. Of 96 lines, all whole in L1, lane n writes a word of line `from` + n by
 * the first store, of the n-th line from `from` + `shift` on by the second, and so on; then each
 * line is read in turn, a word of it that no store wrote: it takes long where L1 has lost the line.
 * 32 times. a, b     so many lanes store, first and then words    how many words further in the
 * line the second store writes than the first order    up, down: lanes of the second store in this
 * order over the lines; mixed: of both without order stores   how many stores, each `shift` lines
 * further between  what is between: clocks at least; load: a load of one of the lines, and its use
 * Output: CSV  a,b,shift,words,order,stores,between,lost - for each line how often.
 */
#include "validate/micro/check.h"
#include "validate/micro/words.h"

#include <cstdint>
#include <cstring>

#define LINES 96
#define TURNS 32

__device__ static void pause(uint32_t clocks)
{
    uint32_t begin = (uint32_t)clock();
    while ((uint32_t)clock() - begin < clocks)
        ;
}

struct plan {
    int lanes[2], shift, words, order, between;
};

/* BETWEEN: 0: nothing, 1: clocks, 2: a load */
template <int STORES, int BETWEEN> __global__ void play(uint32_t *data, plan it, uint32_t *lost)
{
    const int lane = (int)threadIdx.x;
    uint32_t *at[STORES];
    bool does[STORES];
    for (int s = 0; s < STORES; s++) {
        int n = lane, lanes = it.lanes[s ? 1 : 0];
        if (it.order == 1 && s)
            n = lanes - 1 - lane;
        if (it.order == 2)
            n = lane * 11 % 32;
        const int line = s * it.shift + n, word = (line + 32 + s * it.words) & 31;
        does[s] = lane < lanes;
        at[s] = data + (does[s] ? line * 32 + word : 0);
    }
    uint32_t sum = 0;
    __shared__ uint32_t count[LINES];
    for (int line = lane; line < LINES; line += 32)
        count[line] = 0;
    __syncwarp();
#pragma unroll 1
    for (int turn = 0; turn < TURNS; turn++) {
#pragma unroll 1
        for (int line = 0; line < LINES; line++)
            sum += load(data + line * 32 + lane);
        if (sum == 0x12345)
            return;
        pause(3000);
#pragma unroll
        for (int s = 0; s < STORES; s++) {
            if (does[s])
                store(at[s], sum);
            if (BETWEEN == 1)
                pause((uint32_t)it.between);
            if (BETWEEN == 2)
                sum += load(data + 90 * 32 + lane + (sum == 0x12345));
        }
        pause(3000);
#pragma unroll 1
        for (int line = 0; line < LINES; line++) {
            const uint32_t begin = (uint32_t)clock();
            const uint32_t v = load(data + line * 32 + ((line + 16) & 31));
            if (v == 0xdeadbeef)
                __trap();
            asm volatile("" ::"r"(v) : "memory");
            if ((uint32_t)clock() - begin > 120u && lane == 0)
                count[line]++;
        }
    }
    __syncwarp();
    for (int line = lane; line < LINES; line += 32)
        lost[line] = count[line];
}

static uint32_t *data, *lost;

static void run(int a, int b, int shift, int words, int order, int stores, int between)
{
    const plan it = {{a, b}, shift, words, order, between};
    MICRO_CUDA(cudaMemset(lost, 0, LINES * sizeof *lost));
    MICRO_CUDA(cudaMemset(data, 0, LINES * 128));
    if (between < 0)
        (stores == 2   ? play<2, 2>
         : stores == 3 ? play<3, 2>
                       : play<4, 2>)<<<1, 32>>>(data, it, lost);
    else if (between)
        (stores == 2   ? play<2, 1>
         : stores == 3 ? play<3, 1>
                       : play<4, 1>)<<<1, 32>>>(data, it, lost);
    else
        (stores == 2   ? play<2, 0>
         : stores == 3 ? play<3, 0>
                       : play<4, 0>)<<<1, 32>>>(data, it, lost);
    MICRO_CUDA(cudaGetLastError());
    uint32_t count[LINES];
    MICRO_CUDA(cudaMemcpy(count, lost, sizeof count, cudaMemcpyDeviceToHost));
    static const char *const name[] = {"up", "down", "mixed"};
    printf("%d,%d,%d,%d,%s,%d,", a, b, shift, words, name[order], stores);
    if (between < 0)
        printf("load,");
    else
        printf("%d,", between);
    for (int line = 0; line < stores * shift + 34 && line < LINES; line++)
        printf("%s%u", line ? ":" : "", count[line]);
    puts("");
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&data, LINES * 128));
    MICRO_CUDA(cudaMalloc(&lost, LINES * sizeof *lost));
    puts("a,b,shift,words,order,stores,between,lost");
    for (int shift : {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28})
        for (int words : {0, 1, 8})
            run(32, 32, shift, words, 0, 2, 0);
    for (int n : {1, 2, 4, 8, 12, 16, 20, 24, 26, 28, 30})
        for (int shift : {0, 1, 3})
            for (int words : {0, 1, 8}) {
                run(n, n, shift, words, 0, 2, 0);
                if (words == 1)
                    run(32, n, shift, words, 0, 2, 0), run(n, 32, shift, words, 0, 2, 0);
            }
    for (int order = 0; order < 3; order++)
        for (int shift : {0, 1, 3, 8, 16})
            for (int between : {0, -1, 1, 40, 80})
                run(32, 32, shift, 1, order, 2, between), run(16, 16, shift, 1, order, 2, between);
    for (int between = 4; between <= 160; between += between < 40 ? 4 : 8)
        for (int shift : {0, 3})
            for (int n : {8, 16, 24, 32})
                for (int words : {1, 8})
                    run(n, n, shift, words, 0, 2, between);
    for (int stores : {3, 4})
        for (int shift : {1, 3, 8})
            for (int n : {8, 16, 32})
                for (int between : {0, -1})
                    run(n, n, shift, 1, 0, stores, between);
    return 0;
}
