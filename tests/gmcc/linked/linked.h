/* SPDX-License-Identifier: MIT
 *
 * linked.h - what two files of kernels know of each other.
 */
#ifndef LINKED_H
#define LINKED_H

extern __device__ int factor;
extern __constant__ int table[4];
extern __managed__ int shared_count;
__device__ int scale(int x);
struct shape {
    int side;
    __device__ int area() const;
};
__device__ __noinline__ inline int next_of(int x) { return x + 1; }
template <typename T> __global__ void twice(T *p) { p[threadIdx.x] *= 2; }
void start_hidden(int *p);

#endif
