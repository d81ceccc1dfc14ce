/* SPDX-License-Identifier: MIT
 *
 * hot_line.cu - reads and atomics of one line by many SMs at once. On each SM `swaps` warps do
 * compare-and-swap on word 0 of a line, one lane each and one after the other, `pause` clocks
 * between, and `reads` warps meanwhile read word `word` of it (or, set other, of the line that
 * follows), each read waited for; `how`: cg, past L1, or ca. Who: all do both; near or far: of all,
 * which swap, those near the line or far from it read; apart: half of each kind swap, half read;
 * one, two: of all, which read, so many swap. Compare-and-swaps fail, or (set exchange) are
 * exchanges.
 * Settles what a read of a line that is updated costs the updates, and the other way round.
 * Output: CSV: launch,set,how,who,swaps,reads,word,pause, and for near and far SMs: clocks of a swap
 * (with its pause), of a read. Metrics: validate/metrics/hot_line.txt.
 */
#include "validate/micro/check.h"
#include "validate/micro/near_far.h"
#include <cstdio>
#include <cstring>

#define TURNS 64u

struct report {
    unsigned sm, swap, read;
};

/* roles: by SM, 1 it swaps, 2 it reads. */
__global__ void hot(unsigned *line, const unsigned *from, const unsigned char *roles, int exchanges,
                    int cached, unsigned swaps, unsigned reads, unsigned pause, unsigned *gate,
                    unsigned all, report *out)
{
    __shared__ unsigned swap, read;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sm = my_sm();
    if (threadIdx.x == 0) {
        swap = read = 0;
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < all)
            ;
    }
    __syncthreads();
    const unsigned start = (unsigned)clock64();
    unsigned v = 1;
    if (lane == 0 && warp < swaps && (roles[sm] & 1)) {
        for (unsigned t = 0; t < TURNS; t++) {
            v = exchanges ? atomicExch(line, v + t) : atomicCAS(line, 0xf0000000u | (v & 1u), 5u);
            const unsigned since = (unsigned)clock64();
            while ((unsigned)clock64() - since < pause)
                ;
        }
        atomicMax(&swap, (unsigned)clock64() - start + (v == 0x12345678u));
    } else if (lane == 0 && warp >= swaps && warp < swaps + reads && (roles[sm] & 2)) {
        for (unsigned t = 0; t < TURNS; t++)
            if (cached)
                asm volatile("ld.global.ca.u32 %0,[%1];"
                             : "=r"(v)
                             : "l"(from + (v == 0x77777777u))
                             : "memory");
            else
                asm volatile("ld.global.cg.u32 %0,[%1];"
                             : "=r"(v)
                             : "l"(from + (v == 0x77777777u))
                             : "memory");
        atomicMax(&read, (unsigned)clock64() - start + (v == 0x12345678u));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = {sm, swap, read};
}

static unsigned *words, *gate, arrived, launches;
static report *out;
static unsigned char *roles;
static std::vector<unsigned> is_far;

/* Whether all SMs swap, or the first alone, or the first two. */
static bool swaps_on(const char *who, unsigned sm)
{
    return sm < (!strcmp(who, "one") ? 1u : !strcmp(who, "two") ? 2u : MICRO_SMS);
}

static void run(const char *set, const char *how, const char *who, unsigned swaps, unsigned reads,
                unsigned word, unsigned pause)
{
    std::vector<unsigned char> r(4096);
    unsigned odd[2] = {0, 0};
    for (unsigned k = 0; k < is_far.size(); k++) {
        const unsigned far = is_far[k];
        if (!strcmp(who, "apart"))
            r[k] = odd[far]++ & 1u ? 1 : 2;
        else if (!strcmp(who, "near") || !strcmp(who, "far"))
            r[k] = far == (who[0] == 'f') ? 3 : 1;
        else
            r[k] = swaps_on(who, k) ? 3 : 2;
    }
    MICRO_CUDA(cudaMemcpy(roles, r.data(), 4096, cudaMemcpyHostToDevice));
    hot<<<MICRO_SMS, (swaps + reads) * 32>>>(words, words + word + (strcmp(set, "other") ? 0 : 32u),
                                       roles, !strcmp(set, "exchange"), !strcmp(how, "ca"), swaps,
                                       reads, pause, gate, arrived += MICRO_SMS, out);
    MICRO_CUDA(cudaDeviceSynchronize());
    std::vector<report> got(MICRO_SMS);
    MICRO_CUDA(cudaMemcpy(got.data(), out, MICRO_SMS * sizeof(report), cudaMemcpyDeviceToHost));
    double sum[2][2] = {{0, 0}, {0, 0}};
    unsigned count[2][2] = {{0, 0}, {0, 0}};
    for (auto &x : got)
        for (int what = 0; what < 2; what++) {
            const unsigned clocks = what ? x.read : x.swap;
            sum[is_far[x.sm]][what] += clocks;
            count[is_far[x.sm]][what] += clocks != 0;
        }
    printf("%u,%s,%s,%s,%u,%u,%u,%u", launches++, set, how, who, swaps, reads, word, pause);
    for (int far = 0; far < 2; far++)
        for (int what = 0; what < 2; what++)
            printf(",%.0f", count[far][what] ? sum[far][what] / count[far][what] / TURNS : 0);
    puts("");
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&words, 1u << 20));
    MICRO_CUDA(cudaMalloc(&gate, 8));
    MICRO_CUDA(cudaMalloc(&out, 4096 * sizeof(report)));
    MICRO_CUDA(cudaMalloc(&roles, 4096));
    MICRO_CUDA(cudaMemset(words, 0, 1u << 20));
    MICRO_CUDA(cudaMemset(gate, 0, 8));
    is_far = far_sms(words);
    launches = MICRO_SMS;
    puts("launch,set,how,who,swaps,reads,word,pause,near_swap,near_read,far_swap,far_read");
    static const unsigned warps[][2] = {{1, 1}, {2, 2}, {4, 1}, {1, 4}, {2, 8}, {8, 2}, {4, 4}, {8, 8}, {1, 16}};
    for (const char *set : {"fail", "exchange", "other"}) {
        for (auto &n : warps)
            run(set, "cg", "all", n[0], n[1], 0, 0);
        for (unsigned n : {1u, 2u, 4u, 8u, 16u})
            run(set, "cg", "all", n, 0, 0, 0);
    }
    for (unsigned n : {1u, 4u, 16u})
        run("fail", "cg", "all", 0, n, 0, 0);
    for (const char *who : {"near", "far", "apart"})
        for (auto &n : warps)
            run("fail", "cg", who, n[0], n[1], 0, 0);
    for (auto &n : warps) {
        run("fail", "ca", "all", n[0], n[1], 0, 0);
        run("fail", "cg", "all", n[0], n[1], 31, 0);
    }
    for (const char *who : {"one", "two", "all"})
        for (unsigned pause : {0u, 300u, 1000u, 3000u, 10000u})
            for (unsigned reads : {1u, 4u, 16u})
                run("fail", "cg", who, 1, reads, 0, pause);
    return 0;
}
