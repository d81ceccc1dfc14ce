/* SPDX-License-Identifier: MIT
 *
 * functions.cu - what the other file's kernels call and read; and names that both files have.
 */
#include "linked.h"

static __device__ int local = 10;
__managed__ int shared_count = 3;
__constant__ int table[4];
__device__ int factor = 3;
static __device__ __noinline__ int help(int x) { return x * local; }
__device__ int scale(int x) { return help(next_of(x)) + factor + table[1]; }
__device__ int shape::area() const { return side * side; }
static __global__ void hidden(int *p) { p[0] = local; }
namespace {
__global__ void other(int *p) { p[1] = help(5); }
}
void start_hidden(int *p)
{
    hidden<<<1, 1>>>(p);
    other<<<1, 1>>>(p);
    twice<<<1, 1>>>(p);
}
