// SPDX-License-Identifier: MIT
//
// loops.cu - kernels that end in a loop with lanes parting inside it: what loops.ptx was made of, by
// clang 14 (gmcc --ptx, lines left out). The way out of each loop is a branch to `ret`.

// Odd lanes read their neighbour's element: two loads and a store a round, the first and the last by
// the whole warp.
__global__ void odd_lanes(float *x, const float *y, int n)
{
    for (int c = 0; c < n; c++) {
        float v = y[c * 32 + threadIdx.x];
        if ((int)v & 1)
            v *= y[c * 32 + (threadIdx.x ^ 1)];
        x[c * 32 + threadIdx.x] = v;
    }
}
// One lane stores, and all meet again for a barrier of the warp.
__global__ void warp_barrier(unsigned *o, int n)
{
    for (int c = 0; c < n; c++) {
        if (threadIdx.x == 0)
            o[c] = c;
        __syncwarp();
    }
}
// ... of the block, with what the others read behind it
__global__ void block_barrier(unsigned *o, int n)
{
    for (int c = 0; c < n; c++) {
        if (threadIdx.x == 0)
            o[c] = c;
        __syncthreads();
        o[c + 100] = o[c];
    }
}
// ... before it, so that the loop's end is where they must meet
__global__ void barrier_first(unsigned *o, int n)
{
    for (int c = 0; c < n; c++) {
        __syncthreads();
        if (threadIdx.x == 0)
            o[c] = c;
    }
}
// Lanes that exchange values: the inner loop has a branch of its own.
__global__ void shuffle(float *o, int n)
{
    float v = threadIdx.x;
    for (int c = 0; c < n; c++) {
        float least = v;
        for (int d = 16; d > 0; d /= 2) {
            float other = __shfl_down_sync(~0u, least, d);
            if (other < least)
                least = other;
        }
        if (threadIdx.x == 0)
            o[c] = least;
        v = v * 2 + 1;
    }
}
// Lanes leave the loop in different rounds, those that stay meet in each.
__global__ void leave_early(unsigned *o, int n)
{
    for (int c = 0; c < n; c++) {
        if (threadIdx.x < c)
            return;
        if (threadIdx.x & 1)
            o[c] = c;
        o[64 + threadIdx.x] = c;
    }
}
