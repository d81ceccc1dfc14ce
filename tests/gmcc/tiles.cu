/* SPDX-License-Identifier: MIT
 *
 * tiles.cu - groups as samples use them: sums by one lane for all that came (whose result the
 * others never set), tiles of several warps, tiles of tiles, what one thread does for a group. And
 * clocks that programs wait by, sums of products of bytes, comparisons of pairs of halves.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

__device__ int next_place(int *count)
{
    cg::coalesced_group group = cg::coalesced_threads();
    int before;
    if (group.thread_rank() == 0)
        before = atomicAdd(count, group.size());
    return group.shfl(before, 0) + group.thread_rank();
}
__global__ void thirds(const int *in, int n, int *out, int *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        out[next_place(count)] = in[i];
}
/* The same by hand. */
__global__ void fifths(const int *in, int n, int *out, int *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n || in[i] % 5 != 0)
        return;
    const unsigned int mask = __activemask();
    const int leader = __ffs(mask) - 1;
    int before;
    if (lane == leader)
        before = atomicAdd(count, __popc(mask));
    before = __shfl_sync(mask, before, leader);
    out[before + __popc(mask & ((1u << lane) - 1))] = in[i];
}

template <int Size> __global__ void large(int *sum, int *rest)
{
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<Size>(block);
    for (int again = 0; again < 3; again++) {
        const int rank = tile.thread_rank();
        sum[block.thread_rank()] = cg::reduce(tile, rank, cg::plus<int>());
        const int shown = tile.shfl(rank * 2 + (int)tile.meta_group_rank(), 37);
        const bool any = tile.any(rank == 40 && tile.meta_group_rank() == 1);
        const bool all = tile.all(rank != 40 || tile.meta_group_rank() == 1);
        tile.sync();
        rest[block.thread_rank()] = shown + 1000 * any + 10000 * all + 100000 * tile.size() +
                                    100000000 * tile.meta_group_size();
    }
}
template <int Size> static bool are_large(int *sum, int *rest)
{
    large<Size><<<2, 256>>>(sum, rest);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 256; i++) {
        const int group = i / Size;
        good &=
            sum[i] == Size * (Size - 1) / 2 &&
            rest[i] == 74 + group + 11000 * (group == 1) + 100000 * Size + 100000000 * (256 / Size);
    }
    return good;
}

__global__ void nested(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto four = cg::tiled_partition<4>(warp);
    cg::thread_block_tile<4> plain = four;
    cg::invoke_one(warp, [&] { atomicAdd(out + 128, 1); });
    const int told = cg::invoke_one_broadcast(four, [&] { return (int)warp.thread_rank(); });
    out[threadIdx.x] = four.meta_group_rank() + 100 * four.meta_group_size() +
                       10000 * plain.thread_rank() + 100000 * told;
}

__global__ void clocks(int *out)
{
    const long long start = clock64();
    const clock_t first = clock();
    unsigned int turns = 0;
    while (clock64() - start < 5000)
        turns++;
    const clock_t last = clock();
    out[threadIdx.x] = last > first && last - first >= 4000 && turns > 0 && turns < 5000;
}

__device__ unsigned short word;
__global__ void bytes(int *out)
{
    const int i = threadIdx.x;
    const int a = i * 0x01234567 ^ 0x00f08001, b = i * 0x009abcde ^ 0x7f80ff01;
    out[4 * i] = __dp2a_lo(a, b, i);
    out[4 * i + 1] = __dp2a_hi(a, b, -i);
    out[4 * i + 2] = __dp2a_lo((unsigned int)a, (unsigned int)b, (unsigned int)i);
    out[4 * i + 3] = __dp2a_hi((unsigned int)a, (unsigned int)b, 7u);
    unsigned short seen = word, before;
    do {
        before = seen;
        seen = atomicCAS(&word, before, (unsigned short)(before + i));
    } while (seen != before);
}
template <typename Part, typename Byte> static int products(int a, int b, int first)
{
    return (int)(Part)a * (int)(Byte)(b >> 8 * first) +
           (int)(Part)(a >> 16) * (int)(Byte)(b >> 8 * (first + 1));
}
static bool are_products(const int *out)
{
    bool good = true;
    for (int i = 0; i < 32; i++) {
        const int a = i * 0x01234567 ^ 0x00f08001, b = i * 0x009abcde ^ 0x7f80ff01;
        good &= out[4 * i] == products<short, signed char>(a, b, 0) + i &&
                out[4 * i + 1] == products<short, signed char>(a, b, 2) - i &&
                out[4 * i + 2] == products<unsigned short, unsigned char>(a, b, 0) + i &&
                out[4 * i + 3] == products<unsigned short, unsigned char>(a, b, 2) + 7;
    }
    return good;
}

/* Comparison k of a pair: as PTX has it, and as CUDA's function; each for low and high. */
template <typename Pair> __device__ unsigned int compare(int k, Pair a, Pair b, bool *both)
{
    switch (k) {
#define CASE(number, name)                                                                         \
    case number:                                                                                   \
        *both = __hb##name##2(a, b);                                                               \
        return __h##name##2_mask(a, b);
        CASE(0, eq)
        CASE(1, ne)
        CASE(2, lt)
        CASE(3, le)
        CASE(4, gt)
        CASE(5, ge)
        CASE(6, equ)
        CASE(7, neu)
        CASE(8, ltu)
        CASE(9, leu)
        CASE(10, gtu)
        CASE(11, geu)
    }
    return 0;
}
#define SET(number, name)                                                                          \
    if (k == number) {                                                                             \
        asm("set." #name ".u32." TYPE " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));                  \
        asm("set." #name "." TYPE "." TYPE " %0, %1, %2;" : "=r"(ones) : "r"(a), "r"(b));          \
        asm("{ .reg .pred p, q; setp." #name "." TYPE " p|q, %1, %2;\n"                            \
            " selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }"                                       \
            : "=r"(bits)                                                                           \
            : "r"(a), "r"(b));                                                                     \
    }
#define SETS                                                                                       \
    SET(0, eq)                                                                                     \
    SET(1, ne)                                                                                     \
    SET(2, lt)                                                                                     \
    SET(3, le) SET(4, gt) SET(5, ge) SET(6, equ) SET(7, neu) SET(8, ltu) SET(9, leu) SET(10, gtu)  \
        SET(11, geu)
__device__ bool agree(unsigned int d, unsigned int ones, unsigned int bits, unsigned int mask,
                      bool both, unsigned int one)
{
    return d == mask && bits == ((mask & 1) | (mask >> 31) << 1) && both == (mask == ~0u) &&
           ones == ((mask & 0xffff) ? one : 0) + ((mask >> 16) ? one << 16 : 0);
}
__global__ void pairs(const unsigned short *value, int n, int *wrong)
{
    const int k = blockIdx.x;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
        const unsigned int a = value[i / n] | (unsigned int)value[i % n] << 16;
        const unsigned int b = value[i % n] | (unsigned int)value[0] << 16;
        unsigned int d = 0, ones = 0, bits = 0;
        bool both = false;
#define TYPE "f16x2"
        SETS
#undef TYPE
            unsigned int mask = compare(k, *(const __half2 *)&a, *(const __half2 *)&b, &both);
        atomicAdd(wrong, !agree(d, ones, bits, mask, both, 0x3c00));
#define TYPE "bf16x2"
        SETS
#undef TYPE
            mask = compare(k, *(const __nv_bfloat162 *)&a, *(const __nv_bfloat162 *)&b, &both);
        atomicAdd(wrong, !agree(d, ones, bits, mask, both, 0x3f80));
    }
}

int main()
{
    const int n = 1000;
    int *in, *out, *count, *rest;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&rest, n * sizeof(int));
    cudaMallocManaged(&count, 2 * sizeof(int));
    int sum3 = 0, sum5 = 0;
    for (int i = 0; i < n; i++)
        in[i] = i * 7 % 1009;
    thirds<<<4, 256>>>(in, n, out, count);
    ok(cudaDeviceSynchronize() == cudaSuccess, "lanes that pass what they never set");
    for (int i = 0; i < n; i++)
        sum3 += in[i] % 3 == 0 ? in[i] : 0, sum5 += in[i] % 5 == 0 ? in[i] : 0;
    for (int i = 0; i < count[0]; i++)
        sum3 -= out[i] % 3 == 0 ? out[i] : 1000000;
    ok(count[0] > 300 && count[0] < 360 && sum3 == 0, "one lane's atomicAdd for a coalesced group");
    fifths<<<4, 256>>>(in, n, out, count + 1);
    cudaDeviceSynchronize();
    for (int i = 0; i < count[1]; i++)
        sum5 -= out[i] % 5 == 0 ? out[i] : 1000000;
    ok(count[1] > 150 && count[1] < 250 && sum5 == 0, "one lane's atomicAdd for __activemask()");

    ok(are_large<64>(out, rest), "tiles of 64 threads");
    ok(are_large<128>(out, rest), "tiles of 128 threads");
    memset(out, 0, n * sizeof(int));
    nested<<<1, 64>>>(out);
    bool good = cudaDeviceSynchronize() == cudaSuccess && out[128] == 2;
    for (int i = 0; i < 64; i++)
        good &= out[i] == i % 32 / 4 + 800 + 10000 * (i % 4) + 100000 * (i % 32 / 4 * 4);
    ok(good, "tiles of tiles, and what one thread does for them");
    clocks<<<1, 64>>>(out);
    good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 64; i++)
        good &= out[i] == 1;
    ok(good, "clocks rise while a warp waits by them");
    bytes<<<1, 32>>>(out);
    unsigned short w;
    good = cudaMemcpyFromSymbol(&w, word, sizeof w) == cudaSuccess && w == 496;
    ok(good && are_products(out), "__dp2a_lo and __dp2a_hi; atomicCAS of 16 bits in global memory");

    const unsigned short values[] = {0x3c00, 0,      0x8000, 0x7e00, 0xfe00, 0x7c00, 0xfc00,
                                     0x0001, 0x8001, 0x7fc0, 0xff80, 0x7f80, 0x4200, 0xbf80};
    const int some = sizeof values / sizeof *values;
    unsigned short *value;
    int *wrong;
    cudaMallocManaged(&value, sizeof values);
    cudaMallocManaged(&wrong, sizeof *wrong);
    memcpy(value, values, sizeof values);
    pairs<<<12, 32>>>(value, some, wrong);
    ok(cudaDeviceSynchronize() == cudaSuccess && *wrong == 0, "comparisons of pairs of halves");
    printf("1..%d\n", number);
    return failed != 0;
}
