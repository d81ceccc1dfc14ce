/* SPDX-License-Identifier: MIT
 *
 * occupancy_sweep.cu - asks cudaOccupancyMaxActiveBlocksPerMultiprocessor how many blocks fit on an
 * SM over registers a thread, static and dynamic shared memory, block size, and the preferred
 * carve-out. Settles the occupancy arithmetic. Launches nothing; needs a GPU all the same, since
 * the runtime answers for the GPU it finds. Prints CSV on stdout, one line a point; a block that
 * cannot be launched has blocks_per_sm 0.
 */
#include "validate/micro/check.h"
#include "validate/micro/registers.h"
#include <stdio.h>
#include <stdlib.h>

static register_kernel *const kernels[] = {
    occupy<24, 0, 2>, occupy<24, 0, 8>,  occupy<24, 0>,     occupy<28, 0>,     occupy<32, 0>,
    occupy<36, 0>,    occupy<40, 0>,     occupy<48, 0>,     occupy<56, 0>,     occupy<64, 0>,
    occupy<72, 0>,    occupy<80, 0>,     occupy<88, 0>,     occupy<96, 0>,     occupy<104, 0>,
    occupy<112, 0>,   occupy<120, 0>,    occupy<128, 0>,    occupy<144, 0>,    occupy<160, 0>,
    occupy<168, 0>,   occupy<176, 0>,    occupy<192, 0>,    occupy<208, 0>,    occupy<224, 0>,
    occupy<240, 0>,   occupy<248, 0>,    occupy<255, 0>,    occupy<32, 1>,     occupy<32, 1000>,
    occupy<32, 1024>, occupy<32, 12345>, occupy<32, 16384>, occupy<32, 32768>, occupy<32, 49152>,
    occupy<64, 7168>, occupy<64, 24576>,
};
static const int blocks[] = {1,   32,  64,  96,  128, 160, 192, 224,
                             256, 320, 384, 512, 640, 768, 896, 1024};
static const int shared[] = {0,     1,     1023,  1024,  1025,   3000,   5000,   8192,   16384,
                             20000, 33000, 49152, 65536, 100000, 114688, 166912, 200000, 232448};
static const int carveouts[] = {0, 1, 10, 25, 33, 50, 66, 75, 90, 100};

static int optin;

/* One line; false where this kernel cannot have that much dynamic shared memory. */
static bool point(register_kernel *kernel, const cudaFuncAttributes &a, int dynamic, int block,
                  int carveout)
{
    int count = 0;
    if ((int)a.sharedSizeBytes + dynamic > optin)
        return false;
    cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, block, dynamic);
    if (error != cudaSuccess) {
        cudaGetLastError(); /* clears it */
        count = 0;
    }
    printf("%d,%zu,%d,%d,%d,%d,%s\n", a.numRegs, a.sharedSizeBytes, dynamic, block, carveout, count,
           cudaGetErrorName(error));
    return true;
}

int main(int argc, char **)
{
    if (argc > 1) {
        fprintf(stderr, "usage: occupancy_sweep >FILE.csv\n");
        return 2;
    }
    int device, version;
    cudaDeviceProp gpu;
    MICRO_CUDA(cudaGetDevice(&device));
    MICRO_CUDA(cudaGetDeviceProperties(&gpu, device));
    MICRO_CUDA(cudaDriverGetVersion(&version));
    optin = (int)gpu.sharedMemPerBlockOptin;
    fprintf(stderr, "occupancy_sweep: %s, cc %d.%d, driver API %d, runtime %d\n", gpu.name,
            gpu.major, gpu.minor, version, CUDART_VERSION);
    printf("registers,static_shared,dynamic_shared,block,carveout_percent,blocks_per_sm,status\n");
    const int kernel_count = sizeof kernels / sizeof kernels[0];
    int points = 0;
    for (int k = 0; k < kernel_count; k++) {
        cudaFuncAttributes a;
        MICRO_CUDA(cudaFuncGetAttributes(&a, kernels[k]));
        MICRO_CUDA(cudaFuncSetAttribute(kernels[k], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        optin - (int)a.sharedSizeBytes));
        for (int block : blocks)
            for (int dynamic : shared)
                points += point(kernels[k], a, dynamic, block, -1);
    }
    /* The preference changes what the driver sets aside, and with it the answer where it is kept.
     */
    for (int k = 0; k < kernel_count; k += 6) {
        cudaFuncAttributes a;
        MICRO_CUDA(cudaFuncGetAttributes(&a, kernels[k]));
        for (int carveout : carveouts) {
            MICRO_CUDA(cudaFuncSetAttribute(
                kernels[k], cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
            for (int block : {32, 128, 256, 1024})
                for (int dynamic : {0, 1024, 5000, 16384, 33000, 49152, 100000, 200000})
                    points += point(kernels[k], a, dynamic, block, carveout);
        }
    }
    fprintf(stderr, "occupancy_sweep: %d points\n", points);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
