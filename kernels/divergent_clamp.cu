/* SPDX-License-Identifier: MIT
 *
 * divergent_clamp.cu - negative values become 0, with an `if` or with max(): no memory difference.
 * And two branches that each touch memory: taken by alternate lanes they run one after the other,
 * two half-empty requests for one; taken by alternate warps they do not.
 */
#include "kernels/gmkernels.h"

__global__ void clamp_branch(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        if (v < 0)
            v = 0;
        x[i] = v;
    }
}

__global__ void clamp_max(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = fmaxf(x[i], 0.0f);
}

/* atomicExch in each branch keeps the compiler from turning the branches into selections. */
__global__ void branch_by_lane(float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (threadIdx.x % 2)
        atomicExch(&x[i], 1.0f);
    else
        atomicExch(&y[i], 2.0f);
}

__global__ void branch_by_warp(float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (threadIdx.x / 32 % 2)
        atomicExch(&x[i], 1.0f);
    else
        atomicExch(&y[i], 2.0f);
}

static void clamp(gmk_run &run, void (*kernel)(float *, int))
{
    int n = run.size;
    gmk_array<float> x(n);
    x.fill(1, -1000, 1000);
    kernel<<<gmk_blocks(n, run.block), run.block>>>(x.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = x.expect();
    for (int i = 0; i < n; i++)
        if (want[i] < 0)
            want[i] = 0;
    gmk_compare(run, x, 0);
}

static void branch(gmk_run &run, void (*kernel)(float *, float *, int), int group)
{
    int n = run.size;
    gmk_array<float> x(n), y(n);
    x.upload();
    y.upload();
    kernel<<<gmk_blocks(n, run.block), run.block>>>(x.device, y.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want_x = x.expect(), *want_y = y.expect();
    for (int i = 0; i < n; i++) {
        if (i % run.block / group % 2)
            want_x[i] = 1;
        else
            want_y[i] = 2;
    }
    gmk_compare(run, x, 0);
    gmk_compare(run, y, 0);
}

static const gmk_kernel table[] = {
    {"clamp_branch", 1 << 20, 1 << 15, INT_MAX / 2, 256, true,
     "if (x < 0) x = 0: divergent, yet no memory difference",
     [](gmk_run &run) { clamp(run, clamp_branch); }},
    {"clamp_max", 1 << 20, 1 << 15, INT_MAX / 2, 256, true, "max(x, 0): no divergence",
     [](gmk_run &run) { clamp(run, clamp_max); }},
    {"branch_by_lane", 1 << 20, 1 << 15, INT_MAX / 2, 256, true,
     "both branches of a divergent warp run, one after the other",
     [](gmk_run &run) { branch(run, branch_by_lane, 1); }},
    {"branch_by_warp", 1 << 20, 1 << 15, INT_MAX / 2, 256, true,
     "whole warps branch: nothing is serialised",
     [](gmk_run &run) { branch(run, branch_by_warp, 32); }},
};
GMK_TOPIC(gmk_divergent_clamp, "elements");
