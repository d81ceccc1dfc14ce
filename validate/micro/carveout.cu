/* SPDX-License-Identifier: MIT
 *
 * carveout.cu - launches kernels that differ in block size, shared memory, registers, grid and
 * preferred carve-out. Settles which carve-out (shared memory set aside of the SM's L1) the driver
 * picks: a profiler shows it as launch__shared_mem_config_size.
 *
 *   ncu --csv --page raw --metrics launch__shared_mem_config_size,launch__occupancy_limit_blocks,\
 *       launch__occupancy_limit_registers,launch__occupancy_limit_shared_mem,\
 *       launch__occupancy_limit_warps,sm__maximum_warps_per_active_cycle_pct \
 *       carveout --csv points.csv >measured.csv
 *
 * One line a launch; `launch` is the "ID" that ncu gives it. Without --csv the lines go to stdout.
 * The kernels return at once.
 */
#include "validate/micro/check.h"
#include "validate/micro/registers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static register_kernel *const kernels[] = {occupy<24, 0, 2>, occupy<32, 0>,  occupy<64, 0>,
                                           occupy<128, 0>,   occupy<255, 0>, occupy<32, 1024>,
                                           occupy<32, 16384>};

static FILE *csv;
static int launches;

static void point(register_kernel *kernel, const cudaDeviceProp &gpu, int grid, int block,
                  int dynamic, int carveout)
{
    cudaFuncAttributes a;
    MICRO_CUDA(cudaFuncGetAttributes(&a, kernel));
    if ((int)a.sharedSizeBytes + dynamic > (int)gpu.sharedMemPerBlockOptin)
        return;
    if ((a.numRegs + 7) / 8 * 8 * ((block + 31) / 32 * 32) > gpu.regsPerBlock)
        return; /* cannot be launched */
    MICRO_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)gpu.sharedMemPerBlockOptin - (int)a.sharedSizeBytes));
    MICRO_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    int fit = 0;
    MICRO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, block, dynamic));
    if (fit == 0)
        return;
    kernel<<<grid, block, dynamic>>>(nullptr, 0);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
    fprintf(csv, "%d,%d,%zu,%d,%d,%d,%d,%d\n", launches++, a.numRegs, a.sharedSizeBytes, dynamic,
            block, grid, carveout, fit);
}

int main(int argc, char **argv)
{
    csv = stdout;
    if (argc == 3 && strcmp(argv[1], "--csv") == 0) {
        csv = fopen(argv[2], "w");
        if (!csv) {
            perror(argv[2]);
            return 1;
        }
    } else if (argc != 1) {
        fprintf(stderr, "usage: carveout [--csv FILE]\n");
        return 2;
    }
    int device;
    cudaDeviceProp gpu;
    MICRO_CUDA(cudaGetDevice(&device));
    MICRO_CUDA(cudaGetDeviceProperties(&gpu, device));
    int sms = gpu.multiProcessorCount;
    fprintf(csv, "launch,registers,static_shared,dynamic_shared,block,grid,carveout_percent,blocks_"
                 "per_sm\n");

    for (register_kernel *kernel : kernels)
        for (int block : {32, 64, 128, 256, 512, 768, 1024})
            for (int dynamic : {0, 1, 1024, 2048, 4096, 7168, 8192, 12288, 16384, 24576, 32768,
                                49152, 65536, 101376, 131072, 166912, 200000, 232448})
                point(kernel, gpu, sms * 16, block, dynamic, -1);
    /* Does the grid matter? */
    for (int grid : {1, 2, sms, sms * 2, sms * 4, sms * 64})
        for (int block : {32, 256, 1024})
            for (int dynamic : {0, 1024, 16384})
                point(kernels[1], gpu, grid, block, dynamic, -1);
    /* What does a preference do? */
    for (int carveout : {0, 1, 5, 10, 25, 50, 75, 90, 100})
        for (int block : {32, 128, 256, 1024})
            for (int dynamic : {0, 1024, 8192, 49152})
                point(kernels[1], gpu, sms * 16, block, dynamic, carveout);
    fprintf(stderr, "carveout: %d launches\n", launches);
    if (csv != stdout && fclose(csv) != 0) {
        perror(argv[2]);
        return 1;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
