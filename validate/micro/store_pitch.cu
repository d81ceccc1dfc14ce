/* SPDX-License-Identifier: MIT
 *
 * store_pitch.cu - which stores of a part of a sector each become one where they are made as
 * matrices' tiles are stored, or rows of structures. One launch a row, to be run under ncu
 * (metrics/store_pitch.txt).
 *
 * - tile: each of `warps` warps of a CTA stores `bytes` bytes a lane to `lines` lines, `pitch` bytes
 *   apart, the first half of a sector of each and then the other: right one behind the other
 *   (`form` 0), or with the same to as many lines in between, half a pitch further (1); two such
 *   pairs share lines (2), as two warps that stand side by side (of warps 0 and 1, 2 and 3). Lanes
 *   go down the lines first (`order` 0) or along them (1).
 * - rounds: CTAs of 256, `warps` of them an SM, each 16 times: a load of 16 bytes a lane, a barrier,
 *   four words a lane, a store each, a barrier; form 0: of all lanes; 1: each with a predicate of its
 *   own; 2: the stores 8 FFMA apart.
 * - short: CTAs of one warp, each loads 16 bytes a lane and stores four words (form 0), or eight,
 *   four to each of two lines side by side in turn (1).
 * - wide: each of four warps stores `order` lanes of `bytes` bytes, `pitch` bytes apart, to each of
 *   `lines` lines side by side, and then as much to other bytes of the same sectors.
 *
 * Output: CSV rows experiment,pitch,lines,bytes,order,form,warps.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <cstdio>

#define REPEATS 64
#define ROUNDS  16

static uint8_t *array, *source;

template <int BYTES> __device__ static void store(uint8_t *at, uint32_t value)
{
    if (BYTES == 1)
        asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    else if (BYTES == 8)
        asm volatile("st.global.u64 [%0], %1;" ::"l"(at), "l"((uint64_t)value) : "memory");
    else if (BYTES == 2)
        asm volatile("st.global.u16 [%0], %1;" ::"l"(at), "h"((uint16_t)value) : "memory");
    else
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

template <int BYTES, int FORM>
__global__ void tile(uint8_t *p, uint32_t pitch, uint32_t lines, uint32_t order, uint32_t lanes)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, along = lanes / lines;
    const uint32_t row = order ? lane / along : lane % lines, column = order ? lane % along : lane / lines;
    const uint32_t band = FORM == 2 ? warp / 2u : warp;
    uint8_t *at = p + (size_t)band * lines * pitch + (size_t)row * pitch + column * BYTES +
                  (FORM == 2 ? warp % 2u * 32u : 0u);
    const size_t step = (size_t)lines * pitch * (blockDim.x / 32u);
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++, at += step) {
        __syncthreads();
        const uint32_t begin = (uint32_t)clock();
        while ((uint32_t)clock() - begin < 1500u)
            ;
        __syncthreads();
        if (lane < lanes) {
            store<BYTES>(at, lane);
            if (FORM)
                store<BYTES>(at + pitch / 2u, lane);
            store<BYTES>(at + 16, lane);
            if (FORM)
                store<BYTES>(at + pitch / 2u + 16, lane);
        }
    }
}

template <int FORM>
__global__ void __launch_bounds__(256) rounds(const float4 *in, uint8_t *p, uint32_t n)
{
    uint8_t *at = p + ((size_t)blockIdx.x * ROUNDS * 256u + threadIdx.x) * 16u;
    in += (size_t)blockIdx.x * ROUNDS * 256u + threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++, at += 4096, in += 256) {
        float4 v = *in;
        __syncthreads();
        float *to = (float *)at;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float x = (&v.x)[k];
            if (FORM != 1 || threadIdx.x + (uint32_t)k < n)
                asm volatile("st.global.f32 [%0], %1;" ::"l"(to + k), "f"(x) : "memory");
            if (FORM == 2)
                for (int f = 0; f < 8; f++)
                    asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"((&v.x)[(k + 1) & 3]) : "f"(x));
        }
        __syncthreads();
    }
}

template <int FORM> __global__ void __launch_bounds__(32) once(const float4 *in, uint8_t *p)
{
    float4 v = in[(size_t)blockIdx.x * 32u + threadIdx.x];
    if (FORM == 0) {
        float *to = (float *)p + ((size_t)blockIdx.x * 32u + threadIdx.x) * 4u;
#pragma unroll
        for (int k = 0; k < 4; k++)
            asm volatile("st.global.f32 [%0], %1;" ::"l"(to + k), "f"((&v.x)[k]) : "memory");
        return;
    }
    float *to = (float *)p + (size_t)blockIdx.x * 256u + threadIdx.x / 8u * 64u + threadIdx.x % 8u * 4u;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        asm volatile("st.global.f32 [%0], %1;" ::"l"(to + k), "f"((&v.x)[k]) : "memory");
        asm volatile("st.global.f32 [%0], %1;" ::"l"(to + k + 32), "f"((&v.x)[k]) : "memory");
    }
}

template <int BYTES>
__global__ void wide(uint8_t *p, uint32_t apart, uint32_t lines, uint32_t along)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint8_t *at = p + ((size_t)warp * lines + lane / along) * 128u + lane % along * apart;
    const uint32_t other = apart > BYTES ? BYTES : along * BYTES;
#pragma unroll 1
    for (int r = 0; r < REPEATS; r++, at += (size_t)lines * blockDim.x * 4u) {
        __syncthreads();
        const uint32_t begin = (uint32_t)clock();
        while ((uint32_t)clock() - begin < 1500u)
            ;
        __syncthreads();
        if (lane < lines * along) {
            store<BYTES>(at, lane);
            store<BYTES>(at + other, lane);
        }
    }
}

template <int BYTES> static void wides(uint32_t along, uint32_t apart)
{
    for (uint32_t lines = 1; lines <= 8 && lines * along <= 32; lines++) {
        printf("wide,%u,%u,%d,%u,0,4\n", apart, lines, BYTES, along);
        wide<BYTES><<<1, 128>>>(array, apart, lines, along);
        MICRO_CUDA(cudaDeviceSynchronize());
    }
}

template <int BYTES, int FORM> static void tiles(uint32_t pitch, uint32_t lines, uint32_t lanes)
{
    for (uint32_t order : {0u, 1u})
        for (uint32_t warps : {1u, 2u, 4u, 8u}) {
            printf("tile,%u,%u,%d,%u,%d,%u\n", pitch, lines, BYTES, order, FORM, warps);
            tile<BYTES, FORM><<<1, warps * 32>>>(array, pitch, lines, order, lanes);
            MICRO_CUDA(cudaDeviceSynchronize());
        }
}

template <int FORM> static void round_of(uint32_t ctas)
{
    printf("rounds,4096,4,4,0,%d,%u\n", FORM, ctas);
    rounds<FORM><<<132 * ctas, 256>>>((const float4 *)source, array, ~0u);
    MICRO_CUDA(cudaDeviceSynchronize());
}

template <int FORM> static void short_ones(uint32_t ctas)
{
    printf("short,%u,4,4,0,%d,%u\n", FORM ? 256 : 128, FORM, ctas);
    once<FORM><<<ctas, 32>>>((const float4 *)source, array);
    MICRO_CUDA(cudaDeviceSynchronize());
}

int main()
{
    const size_t bytes = 1ull << 30;
    MICRO_CUDA(cudaMalloc(&array, bytes));
    MICRO_CUDA(cudaMalloc(&source, bytes));
    MICRO_CUDA(cudaMemset(array, 0, bytes));
    MICRO_CUDA(cudaMemset(source, 0, bytes));
    printf("experiment,pitch,lines,bytes,order,form,warps\n");
    for (uint32_t pitch : {256u, 1024u, 4096u, 8192u, 65536u}) {
        tiles<2, 0>(pitch, 4, 32), tiles<2, 1>(pitch, 4, 32), tiles<2, 2>(pitch, 4, 32);
        tiles<4, 1>(pitch, 8, 32), tiles<4, 1>(pitch, 4, 16);
    }
    for (uint32_t ctas : {1u, 2u, 3u, 4u, 6u})
        round_of<0>(ctas), round_of<1>(ctas), round_of<2>(ctas);
    for (uint32_t ctas : {132u * 8, 132u * 32, 132u * 128})
        short_ones<0>(ctas), short_ones<1>(ctas);
    wides<1>(16, 1), wides<1>(8, 1), wides<1>(4, 4), wides<1>(8, 4), wides<1>(8, 2);
    wides<2>(8, 2), wides<2>(4, 2), wides<2>(4, 4), wides<2>(8, 4), wides<2>(16, 4), wides<2>(8, 16);
    wides<4>(4, 4), wides<4>(2, 4), wides<4>(4, 8), wides<4>(8, 8), wides<4>(16, 8);
    wides<4>(8, 16), wides<4>(4, 32), wides<4>(2, 16), wides<8>(2, 8), wides<8>(8, 16);
    return 0;
}
