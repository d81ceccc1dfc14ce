/* SPDX-License-Identifier: MIT
 *
 * carveout_barriers.cu - the carve-out that the driver picks for kernels with named barriers: of
 * which a CTA reserves as many as its code names, all sixteen where a register does. Kernels differ
 * in barriers, static and dynamic shared memory and block size, and return at once; to be run under
 * ncu (metrics/carveout_barriers.txt). Nobody reads the static shared memory, so the compiler drops
 * it: its column says what the source asks for, of which no kernel gets any.
 * Output: CSV rows  barriers,static_shared,dynamic_shared,block  - 0 barriers: named by a register.
 */
#include "validate/micro/check.h"

/* Those of number FIRST and more, below COUNT. */
template <int FIRST, int COUNT> __device__ void meet_each()
{
    if constexpr (FIRST < COUNT) {
        asm volatile("barrier.sync %0, %1;" ::"n"(FIRST), "r"(blockDim.x) : "memory");
        meet_each<FIRST + 1, COUNT>();
    }
}

template <int BARRIERS, int STATIC> __global__ void meet_at(unsigned *data, unsigned n)
{
    if (STATIC > 0) {
        __shared__ unsigned char pool[STATIC > 0 ? STATIC : 1];
        if (n > 1)
            pool[threadIdx.x % (STATIC > 0 ? STATIC : 1)] = (unsigned char)n;
    }
    if (n == 0)
        return;
    if (BARRIERS == 0)
        asm volatile("barrier.sync %0, %1;" ::"r"(n & 15u), "r"(blockDim.x) : "memory");
    meet_each<0, BARRIERS>();
    data[threadIdx.x] = n;
}

template <int BARRIERS, int STATIC> static void launch(int block, int dynamic)
{
    printf("%d,%d,%d,%d\n", BARRIERS, STATIC, dynamic, block);
    MICRO_CUDA(cudaFuncSetAttribute(meet_at<BARRIERS, STATIC>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    meet_at<BARRIERS, STATIC><<<528, block, dynamic>>>(nullptr, 0);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

template <int BARRIERS> static void all_of()
{
    for (int block : {32, 64, 96, 128, 256, 384, 512, 1024}) {
        launch<BARRIERS, 0>(block, 0);
        launch<BARRIERS, 0>(block, 1024);
        launch<BARRIERS, 1024>(block, 0);
        launch<BARRIERS, 4096>(block, 0);
        launch<BARRIERS, 12288>(block, 0);
        launch<BARRIERS, 4096>(block, 8192);
    }
}

int main()
{
    printf("barriers,static_shared,dynamic_shared,block\n");
    all_of<0>();
    all_of<1>();
    all_of<2>();
    all_of<3>();
    all_of<4>();
    all_of<8>();
    all_of<15>();
    return 0;
}
