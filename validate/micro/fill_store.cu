/* SPDX-License-Identifier: MIT
 *
 * fill_store.cu - stores to what a load is bringing from DRAM at that time.
 *
 * Every thread loads a word of an array, stores one `gap` clocks later that has nothing to do with it, and
 * stores to another array what the load brought. CTAs of 256 threads come and go.
 *
 * - kind: `same`: the store is to the word loaded; `other`: to another array; `after`: to the word, but
 *   waits for the load; `past`: as same, both past L1 (.cg); `sector`: words of even sectors are
 *   loaded, of odd ones stored; `part`: half of the word is stored; `warp`, `cta`: the word is one that
 *   another warp of the CTA, another CTA loads.
 * - shape: words of 4, 8 and 16 bytes, a warp's side by side; `tile`: 8 bytes, 16 lanes a row of a square;
 *   `line`: 8 bytes, a line a lane.
 * - warm: 1: L2 has the array; 0: it is full of something else.
 * - ctas: of all; shared: bytes of shared memory of each, which say how many an SM has.
 *
 * Settles: that such stores hold up L2, by how much, and which.
 *
 * `fill_store cold`: what warm 0 says, once each, for captures.
 *
 * Output: CSV kind,shape,warm,ctas,shared,gap,clocks - of an SM from its first warp's begin to its last
 * one's end, the mean of all SMs; the least of three runs.
 */
#include "validate/micro/check.h"
#include "validate/micro/flush.h"
#include "validate/micro/sm_times.h"
#include "validate/micro/words.h"

#include <cstdint>
#include <cstdio>

enum kind { SAME, OTHER, AFTER, PAST, SECTOR, PART, WARP, CTA, KINDS };
static const char *const kind_name[] = {"same", "other", "after", "past", "sector", "part", "warp", "cta"};
enum shape { WORDS4, WORDS8, WORDS16, TILE, LINE, SHAPES };
static const char *const shape_name[] = {"4", "8", "16", "tile", "line"};

#define THREADS 256u

/* Where a thread's word begins, in bytes; a tile's square has `width` words a row. */
template <shape how>
__device__ static size_t place(uint32_t cta, uint32_t thread, uint32_t width)
{
    const uint32_t i = cta * THREADS + thread;
    switch (how) {
    case WORDS4: return 4ul * i;
    case WORDS8: return 8ul * i;
    case WORDS16: return 16ul * i;
    case LINE: return 128ul * i;
    default: break;
    }
    const uint32_t tiles = width / 16u;
    const uint32_t x = cta % tiles * 16u + thread % 16u, y = cta / tiles * 16u + thread / 16u;
    return 8ul * (y * width + x);
}

template <kind what, shape how>
__global__ void play(char *memory, char *other, char *out, uint32_t width, uint32_t gap, times *t)
{
    const unsigned long long begin = clock64();
    const size_t at = place<how>(blockIdx.x, threadIdx.x, width);
    const char *from = memory + (what == SECTOR ? at & ~(size_t)32 : at);
    char *to = (what == OTHER ? other : memory) + (what == SECTOR ? at | 32u : at);
    if (what == WARP)
        to = memory + place<how>(blockIdx.x, threadIdx.x ^ 32u, width);
    if (what == CTA)
        to = memory + place<how>(blockIdx.x ^ 1u, threadIdx.x, width);
    uint32_t got, value = threadIdx.x;
    if (what == PAST)
        asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(got) : "l"(from) : "memory");
    else
        got = load(from);
    if (what == AFTER)
        value += got;
    if (gap)
        while (clock64() - begin < gap)
            ;
    if (how == WORDS4 || what == PART)
        store(to, value);
    else if (how == WORDS16)
        asm volatile("st.global.v4.b32 [%0], {%1, %1, %1, %1};" ::"l"(to), "r"(value) : "memory");
    else
        asm volatile("st.global.v2.b32 [%0], {%1, %1};" ::"l"(to), "r"(value) : "memory");
    const unsigned long long stored = clock64();
    while (clock64() - stored < 4u) /* nobody asks for the load before the store is under way */
        ;
    *(uint32_t *)(out + 4u * (blockIdx.x * THREADS + threadIdx.x)) = got + value;
    if (threadIdx.x % 32u == 0) {
        const unsigned sm = sm_number();
        atomicMin(&t->first[sm], begin);
        atomicMax(&t->last[sm], (unsigned long long)clock64());
    }
}

static char *memory, *other, *out, *fill;
static uint32_t *sink;
static times *t;
static bool cold; /* and no more */
#define FILL ((size_t)256 << 20)
#define SIZE ((size_t)4224 * THREADS * 128u)

template <kind what, shape how>
static int row(uint32_t warm, uint32_t ctas, uint32_t shared, uint32_t gap)
{
    const uint32_t width = ctas == 1056u ? 528u : 1056u; /* of 33 and 66 tiles, 32 and 64 rows of them */
    const size_t bytes = (size_t)ctas * THREADS * (how == WORDS4 ? 4u : how == WORDS16 ? 16u : how == LINE ? 128u : 8u);
    double least = 0;
    MICRO_CUDA(cudaFuncSetAttribute(play<what, how>, cudaFuncAttributeMaxDynamicSharedMemorySize, 110 << 10));
    for (int run = 0; run < (cold ? 1 : 3); run++) {
        times host;
        flush<<<528, 512>>>((const uint4 *)fill, FILL / 16u, sink);
        if (warm)
            touch<<<528, 512>>>((const uint4 *)memory, bytes / 16u, sink);
        MICRO_CUDA(times_clear(t));
        play<what, how><<<ctas, THREADS, shared>>>(memory, other, out, width, gap, t);
        MICRO_CUDA(cudaGetLastError());
        MICRO_CUDA(cudaMemcpy(&host, t, sizeof host, cudaMemcpyDeviceToHost));
        const double clocks = times_mean(&host);
        if (run == 0 || clocks < least)
            least = clocks;
    }
    printf("%s,%s,%u,%u,%u,%u,%.0f\n", kind_name[what], shape_name[how], warm, ctas, shared, gap, least);
    fflush(stdout);
    return 0;
}

template <kind what, shape how>
static int rows(void)
{
    for (uint32_t warm = 0; warm < (cold ? 1u : 2u); warm++) {
        for (uint32_t ctas : {1056u, 4224u})
            if (row<what, how>(warm, ctas, 0, 0))
                return 1;
        if (row<what, how>(warm, 4224, 28u << 10, 0) || row<what, how>(warm, 4224, 110u << 10, 0))
            return 1;
    }
    return 0;
}

template <kind what>
static int shapes(void)
{
    return rows<what, WORDS4>() || rows<what, WORDS8>() || rows<what, WORDS16>() || rows<what, TILE>() ||
           rows<what, LINE>();
}

int main(int argc, char **argv)
{
    cold = argc > 1 && strcmp(argv[1], "cold") == 0;
    MICRO_CUDA(cudaMalloc(&memory, SIZE));
    MICRO_CUDA(cudaMalloc(&other, SIZE));
    MICRO_CUDA(cudaMalloc(&out, (size_t)4224 * THREADS * 4u));
    MICRO_CUDA(cudaMalloc(&fill, FILL));
    MICRO_CUDA(cudaMalloc(&t, sizeof *t));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMemset(memory, 0, SIZE));
    MICRO_CUDA(cudaMemset(other, 0, SIZE));
    MICRO_CUDA(cudaMemset(fill, 0, FILL));
    printf("kind,shape,warm,ctas,shared,gap,clocks\n");
    if (shapes<SAME>() || shapes<OTHER>() || shapes<AFTER>() || shapes<PAST>() || shapes<SECTOR>() || shapes<PART>() ||
        shapes<WARP>() || shapes<CTA>())
        return 1;
    for (uint32_t gap : {100u, 200u, 400u, 800u, 1600u, 3200u, 6400u})
        if (row<SAME, WORDS8>(0, 4224, 0, gap) || row<OTHER, WORDS8>(0, 4224, 0, gap))
            return 1;
    return 0;
}
