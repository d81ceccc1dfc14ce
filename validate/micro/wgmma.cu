/* SPDX-License-Identifier: MIT
 *
 * wgmma.cu - rate and latency of warpgroup MMA. One CTA of `groups` warpgroups, each of which
 * repeats a turn: wgmma.fence, `batch` wgmma.mma_async m64n<n>k<32 bytes> that add to the same
 * accumulators, a commit, and a wait until at most `left` groups are not done. B lies in shared
 * memory, swizzled in rows of 128 bytes, as A does where `a` is shared; else it is in registers.
 * Settles: clocks of a sub-partition's tensor pipe by type, n and where A is; what shared operands
 * add; from a wgmma's issue to the end of the wait; what two groups under way hide. The rows
 * `setmaxnreg` give registers up and take them again, one of each a turn.
 * Leaves out: sparse, transposed and unswizzled operands.
 * Output: CSV: type,n,a,groups,batch,left,turns,clocks - clocks of the slowest warp, the least of
 * three runs. --one runs some rows of 32 and 96 turns, once each, for a capture.
 */
#include "validate/micro/mbarrier.h"
#include <cstdio>

#define ROW 128 /* bytes */

enum type { F16, BF16, H16, TF32, FP8 };
static const char *const type_name[] = {"f16", "bf16", "f16.f16", "tf32", "e4m3"};

template <int KIND> struct accumulator {
    typedef float type;
};
template <> struct accumulator<H16> {
    typedef uint32_t type;
};

/* clang-format off */
#define T10(t) "%" t "0,%" t "1,%" t "2,%" t "3,%" t "4,%" t "5,%" t "6,%" t "7,%" t "8,%" t "9,"
#define R2   "%0,%1"
#define R4   "%0,%1,%2,%3"
#define R16  T10("") "%10,%11,%12,%13,%14,%15"
#define R32  T10("") T10("1") T10("2") "%30,%31"
#define R64  T10("") T10("1") T10("2") T10("3") T10("4") T10("5") "%60,%61,%62,%63"
#define R128 T10("") T10("1") T10("2") T10("3") T10("4") T10("5") T10("6") T10("7") T10("8") T10("9") \
    T10("10") T10("11") "%120,%121,%122,%123,%124,%125,%126,%127"
#define O1(i)   "+f"(d[i])
#define O2(i)   O1(i), O1(i + 1)
#define O4(i)   O2(i), O2(i + 2)
#define O8(i)   O4(i), O4(i + 4)
#define O16(i)  O8(i), O8(i + 8)
#define O32(i)  O16(i), O16(i + 16)
#define O64(i)  O32(i), O32(i + 32)
#define O128(i) O64(i), O64(i + 64)

#define SHARED_A(shape, regs, a, b, tail, ...)                                                     \
    asm volatile("wgmma.mma_async.sync.aligned." shape " {" regs "}," a "," b ",1,1,1" tail ";"    \
                 : __VA_ARGS__ : "l"(da), "l"(db));
#define REGISTER_A(shape, regs, a, b, tail, ...)                                                   \
    asm volatile("wgmma.mma_async.sync.aligned." shape " {" regs "}," a "," b ",1,1,1" tail ";"    \
                 : __VA_ARGS__ : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(db));
/* The numbers of the operands behind so many accumulators. */
#define CASE(n, TYPE, shape, regs, e0, e1, e2, e3, e4, both, one, ...)                          \
    if constexpr (N == n && KIND == TYPE && !REGISTERS)                                            \
        SHARED_A(shape, regs, "%" e0, "%" e1, both, __VA_ARGS__)                                           \
    if constexpr (N == n && KIND == TYPE && REGISTERS)                                             \
        REGISTER_A(shape, regs, "{%" e0 ",%" e1 ",%" e2 ",%" e3 "}", "%" e4, one, __VA_ARGS__)
#define FLOATS(TYPE, k, types, both, one)                                                          \
    CASE(8, TYPE, "m64n8" k ".f32" types, R4, "4", "5", "6", "7", "8", both, one, O4(0))        \
    CASE(32, TYPE, "m64n32" k ".f32" types, R16, "16", "17", "18", "19", "20", both, one, O16(0)) \
    CASE(64, TYPE, "m64n64" k ".f32" types, R32, "32", "33", "34", "35", "36", both, one, O32(0)) \
    CASE(128, TYPE, "m64n128" k ".f32" types, R64, "64", "65", "66", "67", "68", both, one, O64(0)) \
    CASE(256, TYPE, "m64n256" k ".f32" types, R128, "128", "129", "130", "131", "132", both, one, O128(0))

template <int KIND, int N, bool REGISTERS>
__device__ __forceinline__ void multiply(float *d, const uint32_t *x, uint64_t da, uint64_t db)
{
    FLOATS(F16, "k16", ".f16.f16", ",0,0", ",0")
    FLOATS(BF16, "k16", ".bf16.bf16", ",0,0", ",0")
    FLOATS(TF32, "k8", ".tf32.tf32", "", "")
    FLOATS(FP8, "k32", ".e4m3.e4m3", "", "")
}

#undef O1
#define O1(i)   "+r"(d[i])
template <int KIND, int N, bool REGISTERS>
__device__ __forceinline__ void multiply(uint32_t *d, const uint32_t *x, uint64_t da, uint64_t db)
{
    CASE(8, H16, "m64n8k16.f16.f16.f16", R2, "2", "3", "4", "5", "6", ",0,0", ",0", O2(0))
    CASE(128, H16, "m64n128k16.f16.f16.f16", R32, "32", "33", "34", "35", "36", ",0,0", ",0", O32(0))
    CASE(256, H16, "m64n256k16.f16.f16.f16", R64, "64", "65", "66", "67", "68", ",0,0", ",0", O64(0))
}
/* clang-format on */

/* Rows of 128 bytes, swizzled, K-major: what cuBLAS and cuDNN use. */
__device__ static uint64_t descriptor(uint32_t address)
{
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)1 << 16 | (uint64_t)(8 * ROW >> 4) << 32 |
           (uint64_t)1 << 62;
}

/* Accumulators are used by others than wgmma before this and behind it alone: the compiler, which
 * does not know what the waits wait for, would else wait for each wgmma. */
__device__ __forceinline__ void keep(float &one)
{
    asm volatile("" : "+f"(one)::"memory");
}
__device__ __forceinline__ void keep(uint32_t &one)
{
    asm volatile("" : "+r"(one)::"memory");
}

template <int KIND, int N, bool REGISTERS, int BATCH, int LEFT>
__global__ void __launch_bounds__(N == 256 && KIND != H16 ? 256 : 512)
    repeat(int turns, unsigned long long *clocks, uint32_t *sink)
{
    extern __shared__ __align__(1024) uint32_t data[];
    const uint32_t base = (shared_address(data) + 1023u) & ~1023u, group = threadIdx.x / 128;
    constexpr int SIZE = N / 2 / (KIND == H16 ? 2 : 1);
    typename accumulator<KIND>::type d[SIZE];
    uint32_t x[4] = {0, 0, 0, 0};
    for (uint32_t i = threadIdx.x; i < (N + 4 * 64) * ROW / 4; i += blockDim.x)
        data[i] = 0;
#pragma unroll
    for (int i = 0; i < SIZE; i++)
        d[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const uint64_t db = descriptor(base), da = descriptor(base + (N + 64 * group) * ROW);
    uint64_t begin = clock64();
#pragma unroll 1
    do {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            multiply<KIND, N, REGISTERS>(d, x, da + 2 * (k % 4), db + 2 * (k % 4));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
    } while (--turns > 0);
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < SIZE; i++)
        keep(d[i]);
    if (threadIdx.x % 32 == 0)
        atomicMax(clocks, (unsigned long long)(clock64() - begin));
    float sum = 0;
#pragma unroll
    for (int i = 0; i < SIZE; i++)
        sum += (float)d[i];
    if (sum == 12345.5f)
        *sink = 1;
}

__global__ void __launch_bounds__(128) registers(int turns, unsigned long long *clocks)
{
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < turns; t++)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;\nsetmaxnreg.inc.sync.aligned.u32 40;" ::
                         : "memory");
    if (threadIdx.x % 32 == 0)
        atomicMax(clocks, (unsigned long long)(clock64() - begin));
}

static unsigned long long *clocks;

template <int KIND, int N, bool REGISTERS, int BATCH, int LEFT> static void run(void)
{
    auto kernel = repeat<KIND, N, REGISTERS, BATCH, LEFT>;
    const unsigned bytes = (N + 4 * 64) * ROW + 1024;
    MICRO_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)bytes));
    for (unsigned groups : {1u, 2u, 3u, 4u})
        for (int turns : {32, 96, 512}) {
            const bool chosen = turns < 512 && groups < 3 && (N == 8 || N >= 128);
            if ((N == 256 && KIND != H16 && groups > 2) || (once && !chosen))
                continue;
            printf("%s,%d,%s,%u,%d,%d,%d,%llu\n", type_name[KIND], N,
                   REGISTERS ? "registers" : "shared", groups, BATCH, LEFT, turns,
                   least_clocks(clocks, [&] {
                       kernel<<<1, groups * 128, bytes>>>(turns, clocks, (uint32_t *)(clocks + 1));
                   }));
        }
}

template <int KIND, int N, bool REGISTERS> static void run_all(void)
{
    run<KIND, N, REGISTERS, 1, 0>();
    run<KIND, N, REGISTERS, 4, 0>();
    if (!REGISTERS)
        run<KIND, N, REGISTERS, 4, 1>();
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    MICRO_CUDA(cudaMalloc(&clocks, 16));
    puts("type,n,a,groups,batch,left,turns,clocks");
    run_all<F16, 8, false>();
    run_all<F16, 128, false>();
    run_all<F16, 256, false>();
    run_all<F16, 128, true>();
    run_all<H16, 128, false>();
    run_all<TF32, 128, false>();
    run_all<FP8, 128, false>();
    for (int turns : {32, 96, 512})
        if (!once || turns < 512)
            printf("setmaxnreg,0,none,1,1,0,%d,%llu\n", turns, least_clocks(clocks, [&] {
                       registers<<<1, 128>>>(turns, clocks);
                   }));
    if (once)
        return 0;
    run_all<F16, 32, false>();
    run_all<F16, 64, false>();
    run_all<F16, 8, true>();
    run_all<F16, 64, true>();
    run_all<BF16, 128, false>();
    run_all<H16, 8, false>();
    run_all<H16, 256, false>();
    run_all<TF32, 8, false>();
    run_all<TF32, 256, false>();
    run_all<FP8, 8, false>();
    run_all<FP8, 256, false>();
    return 0;
}
