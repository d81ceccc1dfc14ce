/* SPDX-License-Identifier: MIT
 *
 * pipeline.cu - four launches, the only topic with more than one: a producer writes an array that a
 * consumer reads, and both once more with the consumer's result. What the consumer finds in L2 is
 * what the launch before left there: everything where both arrays fit, little where they do not. A
 * profiler that empties the caches before each launch sees neither.
 */
#include "kernels/gmkernels.h"

#define ROUNDS 2

__global__ void pipeline_produce(const int *state, int *middle, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        middle[i] = 2 * state[i] + 1;
}

__global__ void pipeline_consume(const int *middle, int *state, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        state[i] = middle[i] - middle[n - 1 - i] / 2;
}

static void pipeline(gmk_run &run)
{
    int n = run.size, blocks = gmk_blocks(n, run.block);
    gmk_array<int> state(n), middle(n);
    state.fill(1, -1000, 1000);
    middle.upload();
    for (int round = 0; round < ROUNDS; round++) {
        pipeline_produce<<<blocks, run.block>>>(state.device, middle.device, n);
        pipeline_consume<<<blocks, run.block>>>(middle.device, state.device, n);
    }
    gmk_finish();
    if (!run.check)
        return;
    int *want = state.expect(), *between = middle.expect();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < n; i++)
            between[i] = 2 * want[i] + 1;
        for (int i = 0; i < n; i++)
            want[i] = between[i] - between[n - 1 - i] / 2;
    }
    gmk_compare(run, middle, 0);
    gmk_compare(run, state, 0);
}

static const gmk_kernel table[] = {
    {"pipeline_in_l2", 1 << 22, 1 << 16, 1 << 29, 256, true,
     "producer and consumer, twice: both arrays fit L2", pipeline},
    {"pipeline_past_l2", 1 << 23, 1 << 17, 1 << 29, 256, true,
     "the same with arrays that L2 cannot hold", pipeline},
};
GMK_TOPIC(gmk_pipeline, "elements");
