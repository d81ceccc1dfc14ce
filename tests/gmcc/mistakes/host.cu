/* SPDX-License-Identifier: MIT
 *
 * host.cu - calls of the host's that are wrong, planted; see memory.cu.
 */
#include "planted.h"

// clang-format off

#include <cstdlib>

__device__ int table[16];

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const size_t bytes = 4000;
    int *a, *b, host[2000] = {0};
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    cudaMemcpyToSymbol(table, host, sizeof table);
    if (is(name, "double_free")) {
        cudaFree(a);
        cudaFree(a); // double_free, memory: an array is freed twice
        return 0;
    }
    if (is(name, "free_inside"))
        cudaFree(a + 10); // free_inside, memory: cudaFree() of an address inside an array
    if (is(name, "free_host"))
        cudaFree(host); // free_host, memory: cudaFree() of the host's memory
    if (is(name, "wrong_free"))
        cudaFreeHost(b); // wrong_free, memory: cudaFreeHost() of device memory
    if (is(name, "copy_too_long"))
        cudaMemcpy(a, host, 2 * bytes, cudaMemcpyHostToDevice); // copy_too_long, memory: a copy to the device that is longer than the array
    if (is(name, "copy_from_freed")) {
        int *c;
        cudaMalloc(&c, bytes);
        cudaMemset(c, 0, bytes);
        cudaFree(c);
        cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost); // copy_from_freed, memory: a copy from what was freed
    }
    if (is(name, "wrong_direction"))
        cudaMemcpy(host, a, bytes, cudaMemcpyHostToDevice); // wrong_direction, memory: a copy whose direction is the wrong one
    if (is(name, "set_beyond"))
        cudaMemset(a, 0, bytes + 4); // set_beyond, memory: cudaMemset() beyond the end
    if (is(name, "symbol_beyond"))
        cudaMemcpyToSymbol(table, host, sizeof table + 4); // symbol_beyond, memory: more bytes than a __device__ variable has
    if (is(name, "rows_beyond"))
        cudaMemcpy2D(host, 400, a, 800, 400, 6, cudaMemcpyDeviceToHost); // rows_beyond, memory: rows whose pitch leads out of the array
    if (is(name, "leak")) {
        int *c;
        cudaMalloc(&c, 100); // leak, leaks: memory that is never freed
        cudaMemset(c, 0, 100);
    }
    if (is(name, "leak_in_loop"))
        for (int i = 0; i < 5; i++) {
            float *c;
            cudaMallocManaged(&c, 64); // leak_in_loop, leaks: one leak in each round of a loop
            c[0] = (float)i;
        }
    cudaFree(a);
    cudaFree(b);
    return 0;
}
