/* SPDX-License-Identifier: MIT
 *
 * exit_drain.cu - how long a CTA whose warps store and exit keeps its place.
 *
 * One CTA an SM at a time, six one after the other. Each writes down when it began, waits until 6,000
 * clocks after that, and then its warps store `lines` times and exit.
 *
 * - kind: `none`; `store` words of a line, `sector` eight words, `byte`s of one; `red`: integer additions to 32
 *   words of a line, `float` likewise; `same`: to one word of all the SM's; `load`: a load that nobody waits for.
 * - warps of the CTA; lines of each, all different; sms: how many of the SMs do so (the others wait as long).
 *
 * Settles: whether a warp at EXIT waits for what it has stored to leave the SM, or for L2's answer.
 *
 * Output: CSV kind,warps,lines,sms,clocks,most - clocks from the end of the 6,000 to the next CTA's begin,
 * the mean of the SMs that stored, and the slowest; the mean of five. No row where none of them had six.
 */
#include "validate/micro/check.h"
#include "validate/micro/sm_times.h"
#include "validate/micro/words.h"

#include <cstdint>
#include <cstdio>

#define CTAS  6u
#define WAIT  6000u
#define SMS   132u
#define LINES 16u

enum kind { NONE, STORE, SECTOR, BYTE, RED, FLOAT, SAME, LOAD };
static const char *const kind_name[] = {"none", "store", "sector", "byte", "red", "float", "same", "load"};

struct begun {
    unsigned long long clock[256][CTAS];
    uint32_t count[256];
};

template <kind what>
__global__ void play(char *memory, uint32_t lines, uint32_t sms, begun *begun)
{
    const unsigned long long begin = clock64();
    const unsigned sm = sm_number(), lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    if (threadIdx.x == 0)
        begun->clock[sm][begun->count[sm]++ % CTAS] = begin;
    char *at = memory + ((size_t)(blockIdx.x * (blockDim.x / 32u) + warp) * LINES) * 128u + lane * 4u;
    while (clock64() - begin < WAIT)
        ;
    const uint32_t count = sm < sms ? lines : 0;
    for (uint32_t i = 0; i < count; i++, at += 128) {
        if (what == STORE || (what == SECTOR && lane < 8u))
            store(at, lane);
        if (what == BYTE && lane < 8u)
            asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(lane) : "memory");
        if (what == RED)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(lane) : "memory");
        if (what == FLOAT)
            asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
        if (what == SAME)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(memory + sm * 128u), "r"(lane) : "memory");
        if (what == LOAD)
            load(at);
    }
}

static char *memory;
static begun *times_of;
static bool once;

template <kind what>
static int row(uint32_t warps, uint32_t lines, uint32_t sms)
{
    static begun host;
    MICRO_CUDA(cudaFuncSetAttribute(play<what>, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 << 10));
    for (int run = 0; run < (once ? 1 : 2); run++) { /* the first one's code and lines are not there */
        MICRO_CUDA(cudaMemset(times_of, 0, sizeof *times_of));
        play<what><<<SMS * CTAS, warps * 32u, 160u << 10>>>(memory, lines, what == NONE ? 0 : sms, times_of);
        MICRO_CUDA(cudaGetLastError());
    }
    MICRO_CUDA(cudaMemcpy(&host, times_of, sizeof host, cudaMemcpyDeviceToHost));
    double sum = 0, most = 0;
    uint32_t count = 0;
    for (uint32_t sm = 0; sm < sms; sm++) {
        if (host.count[sm] != CTAS)
            continue;
        const double mean = (double)(host.clock[sm][CTAS - 1u] - host.clock[sm][0]) / (CTAS - 1u) - WAIT;
        sum += mean, count++;
        most = mean > most ? mean : most;
    }
    if (count)
        printf("%s,%u,%u,%u,%.0f,%.0f\n", kind_name[what], warps, lines, sms, sum / count, most);
    return 0;
}

template <kind what>
static int rows(void)
{
    for (uint32_t sms : {1u, SMS})
        for (uint32_t warps : {1u, 8u, 32u})
            for (uint32_t lines : {1u, 4u, 16u})
                if (row<what>(warps, lines, sms))
                    return 1;
    return 0;
}

int main(int argc, char **)
{
    once = argc > 1; /* for captures */
    const size_t size = (size_t)SMS * CTAS * 32u * LINES * 128u;
    MICRO_CUDA(cudaMalloc(&memory, size));
    MICRO_CUDA(cudaMalloc(&times_of, sizeof *times_of));
    MICRO_CUDA(cudaMemset(memory, 0, size));
    printf("kind,warps,lines,sms,clocks,most\n");
    return rows<NONE>() || rows<STORE>() || rows<SECTOR>() || rows<BYTE>() || rows<RED>() || rows<FLOAT>() ||
           rows<SAME>() || rows<LOAD>();
}
