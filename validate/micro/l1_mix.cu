/* SPDX-License-Identifier: MIT
 *
 * l1_mix.cu - how fast an SM goes where some of its loads hit in L1 and others bring lines from L2.
 * 32 warps an SM have eight requests each under way, `hits` of which hit; then wait for them.
 * Shapes of a request, of what hits and of what misses: full (a line), unaligned (two lines, five
 * sectors), halves (two lines, two sectors each), quarters (four lines, a sector each), eighths
 * (eight lines). Lines that miss lie in L2. Sets:
 *   mix       as above; what misses is ld, which fills L1, or ld.cg
 *   stencil   eight requests around a line, a word further each: what the first bring others find
 *   together  mix without hits; all SMs go through the area from one place, and ask together
 * Arguments: turns, for a capture, of fewer rows; then anything, for stencil and together alone.
 * Output: CSV rows  set,op,sms,hit_shape,miss_shape,hits,clocks - clocks of an SM for the eight
 * requests of a warp.
 */
#include "validate/micro/check.h"
#include "validate/micro/flush.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define BATCH 8u
#define AREA  (132u * 131072u) /* bytes, which all SMs go through, each from a place of its own */

enum shape { FULL, UNALIGNED, HALVES, QUARTERS, EIGHTHS, SHAPES };
static const char *const shape_name[] = {"full", "unaligned", "halves", "quarters", "eighths"};

/* Where a lane reads, and bytes that the request goes on by. */
__device__ static uint32_t lane_at(uint32_t shape, uint32_t lane)
{
    switch (shape) {
    case UNALIGNED:
        return 16u + lane * 4u;
    case HALVES:
        return lane / 16u * 128u + lane % 16u * 4u;
    case QUARTERS:
        return lane / 8u * 128u + lane % 8u * 4u;
    case EIGHTHS:
        return lane / 4u * 128u + lane % 4u * 4u;
    default:
        return lane * 4u;
    }
}

__host__ __device__ static uint32_t bytes_of(uint32_t shape)
{
    const uint32_t lines[] = {1, 2, 2, 4, 8};
    return lines[shape] * 128u;
}

template <bool CG> __device__ static uint32_t load(const char *at)
{
    return CG ? __ldcg((const uint32_t *)at) : *(const uint32_t *)at;
}

__device__ static void begin(uint32_t *out, uint32_t sum)
{
    if (__syncthreads_or(sum == 0x12345))
        out[0] = sum;
}

__device__ static void end(uint32_t *out, uint32_t sum, uint32_t before)
{
    begin(out, sum);
    if (threadIdx.x == 0)
        out[16u + blockIdx.x] = (uint32_t)clock64() - before;
}

template <uint32_t HITS, bool CG>
__global__ void __launch_bounds__(1024) mix(const char *p, uint32_t hit_shape, uint32_t miss_shape,
                                            uint32_t turns, uint32_t apart, uint32_t *out)
{
    const uint32_t warp = threadIdx.x / 32u;
    const uint32_t lane = threadIdx.x % 32u, sm = blockIdx.x;
    const char *there = p + AREA + (sm % 8u) * 16384u + lane_at(hit_shape, lane);
    const uint32_t step = bytes_of(miss_shape);
    const char *missing = p + lane_at(miss_shape, lane);
    uint32_t at = sm * apart + warp * step * BATCH, sum = 0;
    for (uint32_t i = 0; i < 512u; i += 128u) /* each warp its part of what will hit */
        sum += load<false>(p + AREA + (sm % 8u) * 16384u + warp * 512u + i + lane * 4u);
    begin(out, sum);
    const uint32_t before = (uint32_t)clock64();
    for (uint32_t t = 0; t < turns; t++) {
        uint32_t value[BATCH];
#pragma unroll
        for (uint32_t i = 0; i < BATCH; i++)
            if ((i * HITS) / BATCH != ((i + 1u) * HITS) / BATCH)
                value[i] = load<false>(there + ((t * BATCH + i) * 128u) % 8192u);
            else
                value[i] = load<CG>(missing + at + i * step);
#pragma unroll
        for (uint32_t i = 0; i < BATCH; i++)
            sum += value[i];
        at += 32u * BATCH * step;
        if (at >= AREA - BATCH * 1024u)
            at -= AREA - BATCH * 1024u;
        if (sum == 0x12345)
            out[0] = sum;
    }
    end(out, sum, before);
}

template <bool CG>
__global__ void __launch_bounds__(1024) stencil(const char *p, uint32_t turns, uint32_t *out)
{
    const uint32_t warp = threadIdx.x / 32u;
    const uint32_t lane = threadIdx.x % 32u, sm = blockIdx.x;
    uint32_t at = sm * 131072u + warp * 128u, sum = 0;
    begin(out, sum);
    const uint32_t before = (uint32_t)clock64();
    for (uint32_t t = 0; t < turns; t++) {
        uint32_t value[BATCH];
#pragma unroll
        for (uint32_t i = 0; i < BATCH; i++)
            value[i] = load<CG>(p + at + i * 4u + lane * 4u);
#pragma unroll
        for (uint32_t i = 0; i < BATCH; i++)
            sum += value[i];
        at += 32u * 128u;
        if (at >= AREA - 256u)
            at -= AREA - 256u;
        if (sum == 0x12345)
            out[0] = sum;
    }
    end(out, sum, before);
}

static char *p;
static uint32_t *out;

static void show(const char *set, const char *op, uint32_t sms, const char *hit, const char *miss,
                 uint32_t hits, uint32_t turns)
{
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    uint32_t took[132], n = sms;
    double sum = 0;
    MICRO_CUDA(cudaMemcpy(took, out + 16, n * 4u, cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < n; i++)
        sum += took[i];
    printf("%s,%s,%u,%s,%s,%u,%.2f\n", set, op, sms, hit, miss, hits, sum / n / turns / 32.0);
    fflush(stdout);
}

template <uint32_t HITS, bool CG>
static void run(uint32_t sms, uint32_t hit, uint32_t miss, uint32_t turns)
{
    mix<HITS, CG><<<sms, 1024>>>(p, hit, miss, turns, 131072u, out);
    show("mix", CG ? "cg" : "ca", sms, shape_name[hit], shape_name[miss], HITS, turns);
}

template <bool CG> static void together(uint32_t sms, uint32_t shape, uint32_t turns)
{
    mix<0, CG><<<sms, 1024>>>(p, shape, shape, turns, 0, out);
    show("together", CG ? "cg" : "ca", sms, "", shape_name[shape], 0, turns);
}

int main(int argc, char **argv)
{
    const bool cross = argc > 2; /* those alone of which L2's counters tell more */
    const bool brief = argc > 1; /* to be captured */
    const uint32_t turns = brief ? (uint32_t)atoi(argv[1]) : 64;
    MICRO_CUDA(cudaMalloc(&p, AREA + 131072u + 65536u));
    MICRO_CUDA(cudaMalloc(&out, 65536));
    MICRO_CUDA(cudaMemset(p, 0, AREA + 131072u + 65536u));
    touch<<<264, 512>>>((const uint4 *)p, AREA / 16u, out);
    printf("set,op,sms,hit_shape,miss_shape,hits,clocks\n");
    for (uint32_t sms : {1u, 16u, 132u}) {
        if (brief && sms == 16u && !cross)
            continue;
        for (uint32_t shape = 0; shape < SHAPES && !cross; shape++) {
            if (brief && sms == 132u && shape != FULL && shape != QUARTERS)
                continue;
            run<0, false>(sms, shape, shape, turns);
            run<0, true>(sms, shape, shape, turns);
            run<2, false>(sms, shape, shape, turns);
            run<4, false>(sms, shape, shape, turns);
            run<4, true>(sms, shape, shape, turns);
            run<6, false>(sms, shape, shape, turns);
            run<8, false>(sms, shape, shape, turns);
        }
        if (!cross) {
            run<4, false>(sms, UNALIGNED, FULL, turns);
            run<6, false>(sms, UNALIGNED, FULL, turns);
            run<4, false>(sms, EIGHTHS, FULL, turns);
            run<4, false>(sms, FULL, EIGHTHS, turns);
        }
        stencil<false><<<sms, 1024>>>(p, turns, out);
        show("stencil", "ca", sms, "", "", 0, turns);
        stencil<true><<<sms, 1024>>>(p, turns, out);
        show("stencil", "cg", sms, "", "", 0, turns);
        for (uint32_t shape = 0; shape < SHAPES; shape++) {
            together<false>(sms, shape, turns);
            together<true>(sms, shape, turns);
        }
    }
    return 0;
}
