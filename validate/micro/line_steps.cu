/* SPDX-License-Identifier: MIT
 *
 * line_steps.cu - what requests of many lines take of L2, by who else uses the lines. `share` warps
 * have 32 lines of their own; or (`order` pool) each request goes to any of as many lines as all
 * have then. The lines are read, and 24,000 clocks later each warp goes through a word of each of
 * its 32 `times` times, another word each time, `op`: st, red, ld (ld.cg, four under way, each of
 * another sector than the three before). Lines are `pitch` lines apart (0: dense, in any order).
 * - order: cta: warps that share lines, or whose lines lie side by side, are of one CTA; far: of
 *   CTAs far from each other.
 * - form: word: lane l in line l, in sectors by turns; own: each warp in a sector of its own, as far
 *   as there are; turned: lane l in line l + 2w; quad: as word, 16 bytes.
 * One launch a row, to be run under ncu (metrics/line_steps.txt).
 *
 * Output: CSV rows  op,form,pitch,share,order,times,sms
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define WARPS 4096u
#define LINES (WARPS * 32u) /* a power of two */
#define AREA  (256ull << 20)

enum op { ST, RED, LD };
enum form { WORD, OWN, TURNED, QUAD };
enum order { CTA, FAR, POOL };
static const char *const op_name[] = {"st", "red", "ld"};
static const char *const form_name[] = {"word", "own", "turned", "quad"};
static const char *const order_name[] = {"cta", "far", "pool"};

struct plan {
    uint32_t pitch, share, order, times;
};

/* One of LINES, another for each number. */
__device__ static uint32_t anywhere(uint32_t number)
{
    for (int i = 0; i < 3; i++) {
        number = number * 0x9e3779b1u % LINES;
        number ^= number >> 9;
    }
    return number;
}

template <op OP, form FORM> __global__ void go(char *array, plan p, uint32_t *sink)
{
    const uint32_t lane = threadIdx.x % 32, own = threadIdx.x / 32;
    const uint32_t warp = p.order == CTA ? blockIdx.x * 32 + own : own * gridDim.x + blockIdx.x;
    uint32_t sum = 0;
    const auto place = [&](uint32_t n) {
        const uint32_t number = p.order == POOL ? n % (LINES / p.share) : warp / p.share * 32 + n;
        return array + (uint64_t)(p.pitch ? number * p.pitch : anywhere(number)) * 128;
    };
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t v;
        asm volatile("ld.global.cg.u32 %0,[%1];"
                     : "=r"(v)
                     : "l"(place(p.order == POOL ? warp / p.share * 32 + lane : lane) + i * 32)
                     : "memory");
        sum += v;
    }
    float f = (float)sum; /* until all have read */
#pragma unroll 16
    for (uint32_t i = 0; i < 6000; i++)
        f = f * 1.0001f + 0.5f;
    if (f == 1.0f)
        *sink = sum;
#pragma unroll 4
    for (uint32_t i = 0; i < p.times; i++) {
        uint32_t n = FORM == TURNED ? (lane + 2 * own) % 32 : lane;
        if (p.order == POOL)
            n = ((i * WARPS + warp) * 0x85ebca77u >> 13) + n * 997u;
        const uint32_t sector = FORM == OWN ? warp % p.share % 4 : i % 4;
        const uint32_t in = FORM == QUAD ? warp % 2 * 16 : (i / 4 + warp % p.share) % 8 * 4;
        char *const at = place(n) + sector * 32 + in;
        uint32_t v;
        if (OP == ST && FORM == QUAD)
            asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(at), "r"(i) : "memory");
        else if (OP == ST)
            asm volatile("st.global.u32 [%0],%1;" ::"l"(at), "r"(i) : "memory");
        if (OP == RED)
            asm volatile("red.global.add.u32 [%0],%1;" ::"l"(at), "r"(i) : "memory");
        if (OP == LD) {
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(at) : "memory");
            sum += v;
        }
    }
    if (sum == 1)
        *sink = sum;
}

static char *array;
static uint32_t *sink;

template <op OP, form FORM>
static void launch(uint32_t pitch, uint32_t share, uint32_t order, uint32_t sms = 128)
{
    if ((uint64_t)LINES / share * pitch * 128 > AREA)
        return;
    for (uint32_t times : {4u, 12u}) {
        go<OP, FORM><<<sms, 1024>>>(array, plan{pitch, share, order, times}, sink);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaDeviceSynchronize());
        printf("%s,%s,%u,%u,%s,%u,%u\n", op_name[OP], form_name[FORM], pitch, share,
               order_name[order], times, sms);
    }
}

int main(void)
{
    MICRO_CUDA(cudaMalloc(&array, AREA));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    MICRO_CUDA(cudaMemset(array, 0, AREA));
    puts("op,form,pitch,share,order,times,sms");
    for (uint32_t order : {CTA, FAR})
        for (uint32_t share : {1u, 4u, 16u})
            for (uint32_t pitch : {0u, 1u, 4u, 32u, 64u})
                launch<ST, WORD>(pitch, share, order);
    for (uint32_t share : {2u, 8u, 32u})
        launch<ST, WORD>(0, share, CTA);
    for (uint32_t share : {1u, 4u, 16u, 64u})
        launch<ST, WORD>(1, share, POOL);
    launch<ST, OWN>(0, 4, CTA), launch<ST, OWN>(0, 16, CTA), launch<ST, OWN>(0, 16, FAR);
    launch<ST, TURNED>(0, 4, CTA), launch<ST, TURNED>(0, 16, CTA), launch<ST, TURNED>(0, 16, FAR);
    launch<ST, QUAD>(0, 1, CTA), launch<ST, QUAD>(0, 16, CTA);
    for (uint32_t share : {1u, 4u, 16u})
        for (uint32_t order : {CTA, POOL})
            launch<RED, WORD>(1, share, order), launch<LD, WORD>(1, share, order);
    for (uint32_t sms : {1u, 16u, 64u})
        for (uint32_t pitch : {0u, 1u, 64u})
            launch<ST, WORD>(pitch, 16, CTA, sms);
    return 0;
}
