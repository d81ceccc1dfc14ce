/* SPDX-License-Identifier: MIT
 *
 * occupancy_header.c - what NVIDIA's own cuda_occupancy.h answers, as the table that
 * tests/model/occupancy_unit.c compares gmsim with on machines that have no CUDA toolkit:
 *     tests/model/occupancy_header >tests/data/occupancy-header.csv
 * Built where configure finds a toolkit; tests/model/occupancy_header.test then checks that the committed
 * table is what this program prints. The GPUs' limits are written here once more, from the CUDA
 * programming guide, so that a slip in an .ini file shows.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include <cuda.h>
#include <cuda_occupancy.h>

#define KIB    1024
#define POINTS 604 /* a GPU */

typedef struct chip {
    int major, minor, warps, shared, optin, reserved;
} chip;

static const chip chips[] = {
    {7, 0, 64, 96 * KIB, 96 * KIB, 0},     {8, 0, 64, 164 * KIB, 163 * KIB, KIB},
    {8, 6, 48, 100 * KIB, 99 * KIB, KIB},  {8, 9, 48, 100 * KIB, 99 * KIB, KIB},
    {9, 0, 64, 228 * KIB, 227 * KIB, KIB},
};

static const int blocks[] = {1,   31,  32,  33,  64,  96,  128, 160, 192, 224, 256,  288,
                             320, 384, 416, 480, 512, 576, 640, 768, 896, 992, 1024, 1025};
static const int statics[] = {
    0,        0,        0,        4,        128,      129,          1000,     KIB,
    2 * KIB,  4 * KIB,  4224,     6 * KIB,  8 * KIB,  12 * KIB,     16 * KIB, 16896,
    24 * KIB, 31 * KIB, 32 * KIB, 33 * KIB, 47 * KIB, 48 * KIB - 1, 48 * KIB};
static const int dynamics[] = {0,
                               0,
                               0,
                               0,
                               1,
                               255,
                               256,
                               KIB,
                               3 * KIB,
                               7 * KIB,
                               15 * KIB,
                               31 * KIB,
                               48 * KIB,
                               48 * KIB + 1,
                               49 * KIB + 1,
                               63 * KIB,
                               64 * KIB,
                               75 * KIB,
                               95 * KIB,
                               96 * KIB,
                               99 * KIB,
                               99 * KIB + 1,
                               112 * KIB,
                               113 * KIB,
                               163 * KIB,
                               163 * KIB + 1,
                               180 * KIB,
                               227 * KIB,
                               227 * KIB + 1};
static const int percents[] = {-1, -1, -1, 0, 1, 5, 14, 25, 33, 50, 66, 75, 87, 99, 100};
static const int barriers[] = {1, 1, 1, 1, 0, 2, 3, 5, 8, 16};

#define PICK(list) list[next() % (sizeof list / sizeof list[0])]

static uint32_t next(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

static void put(int value, char end)
{
    if (value == INT_MAX)
        printf("-%c", end);
    else
        printf("%d%c", value, end);
}

static int point(const chip *c)
{
    cudaOccDeviceProp device = {
        .computeMajor = c->major,
        .computeMinor = c->minor,
        .maxThreadsPerBlock = 1024,
        .maxThreadsPerMultiprocessor = c->warps * 32,
        .regsPerBlock = 65536,
        .regsPerMultiprocessor = 65536,
        .warpSize = 32,
        .sharedMemPerBlock = 48 * KIB,
        .sharedMemPerMultiprocessor = (size_t)c->shared,
        .numSms = 1,
        .sharedMemPerBlockOptin = (size_t)c->optin,
        .reservedSharedMemPerBlock = (size_t)c->reserved,
    };
    /* Half of the kernels are small, so that many CTAs fit; up to one register too many. */
    int registers = (int)(next() % (next() % 2 ? 258 : 65));
    int fixed = next() % 2 ? PICK(statics) : (int)(next() % 3000);
    int dynamic = next() % 4 ? 0 : PICK(dynamics);
    int block = next() % 2 ? PICK(blocks) : (int)(1 + next() % 256);
    cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = registers,
        .sharedSizeBytes = (size_t)fixed,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = (size_t)dynamic, /* as a program that launches must opt in */
        .numBlockBarriers = PICK(barriers),
    };
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE, .carveoutConfig = PICK(percents)};
    cudaOccResult r = {0};

    if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &device, &function, &state, block,
                                                (size_t)dynamic) != CUDA_OCC_SUCCESS)
        return 0;
    if (r.activeBlocksPerMultiprocessor == 0 && next() % 8)
        return 0; /* enough of these */
    printf("%d%d,%d,%d,%d,%d,%d,%d,", c->major, c->minor, registers, fixed, dynamic, block,
           state.carveoutConfig, function.numBlockBarriers);
    put(r.activeBlocksPerMultiprocessor, ',');
    put(r.blockLimitWarps, ',');
    put(r.blockLimitRegs, ',');
    put(r.blockLimitSharedMem, ',');
    put(r.blockLimitBarriers, ',');
    put(r.allocatedRegistersPerBlock, ',');
    printf("%zu\n", r.allocatedSharedMemPerBlock);
    return 1;
}

int main(void)
{
    printf("# cuda_occupancy.h of CUDA %d.%d, printed by tests/model/occupancy_header.c\n",
           CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    printf("cc,registers,static,dynamic,block,carveout_percent,barriers,blocks,limit_warps,"
           "limit_registers,limit_shared,limit_barriers,registers_per_block,shared_per_block\n");
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++)
        for (int left = POINTS; left > 0;)
            left -= point(&chips[i]);
    return 0;
}
