/* SPDX-License-Identifier: MIT
 *
 * attention.cu - softmax(Q K^T / 8) V for 8 heads of width 64, without ever storing the scores: a
 * block keeps 16 queries in shared memory and walks over the keys and values in tiles of 32. A warp
 * has 4 queries: its lanes are first the keys of the tile, whose scores they compute, and then the
 * columns of V. A new largest score rescales what was summed before. Leaves out masks, half
 * precision and tensor cores.
 */
#include "kernels/gmkernels.h"
#include <vector>

#define HEADS   8
#define WIDTH   64
#define QUERIES 16 /* a block */
#define KEYS    32 /* a tile: one a lane */
#define WARPS   4
#define OWN     (QUERIES / WARPS) /* queries a warp */
#define THREADS (KEYS * WARPS)
#define ALL     0xffffffffu

static __device__ float warp_max(float value)
{
    for (int d = KEYS / 2; d > 0; d /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL, value, d));
    return value;
}

static __device__ float warp_sum(float value)
{
    for (int d = KEYS / 2; d > 0; d /= 2)
        value += __shfl_xor_sync(ALL, value, d);
    return value;
}

__global__ void attention_tile(const float *q, const float *k, const float *v, float *out, int n)
{
    __shared__ float qs[QUERIES][WIDTH];
    __shared__ float ks[KEYS][WIDTH + 1]; /* padded: the lanes read down a column */
    __shared__ float vs[KEYS][WIDTH];
    __shared__ float weight[QUERIES][KEYS];
    int lane = threadIdx.x, first = threadIdx.y * OWN;
    int t = threadIdx.y * KEYS + lane;
    int head = blockIdx.y * n * WIDTH;
    int rows = head + blockIdx.x * QUERIES * WIDTH;
    for (int i = t; i < QUERIES * WIDTH; i += THREADS)
        qs[i / WIDTH][i % WIDTH] = q[rows + i];

    float most[OWN], total[OWN], left[OWN], right[OWN];
    for (int r = 0; r < OWN; r++) {
        most[r] = -INFINITY;
        total[r] = left[r] = right[r] = 0;
    }
    for (int tile = 0; tile < n; tile += KEYS) {
        __syncthreads(); /* all are done with the tile before */
        for (int i = t; i < KEYS * WIDTH; i += THREADS) {
            ks[i / WIDTH][i % WIDTH] = k[head + tile * WIDTH + i];
            vs[i / WIDTH][i % WIDTH] = v[head + tile * WIDTH + i];
        }
        __syncthreads();
        float score[OWN] = {};
        for (int d = 0; d < WIDTH; d++)
            for (int r = 0; r < OWN; r++)
                score[r] += qs[first + r][d] * ks[lane][d];
        for (int r = 0; r < OWN; r++) {
            score[r] *= 0.125f; /* one over the root of WIDTH */
            float larger = fmaxf(most[r], warp_max(score[r]));
            float shrink = expf(most[r] - larger);
            float own = expf(score[r] - larger);
            most[r] = larger;
            total[r] = total[r] * shrink + warp_sum(own);
            left[r] *= shrink;
            right[r] *= shrink;
            weight[first + r][lane] = own;
        }
        __syncwarp(); /* a warp reads the weights that its own lanes wrote */
        for (int j = 0; j < KEYS; j++)
            for (int r = 0; r < OWN; r++) {
                left[r] += weight[first + r][j] * vs[j][lane];
                right[r] += weight[first + r][j] * vs[j][lane + KEYS];
            }
    }
    for (int r = 0; r < OWN; r++) {
        out[rows + (first + r) * WIDTH + lane] = left[r] / total[r];
        out[rows + (first + r) * WIDTH + lane + KEYS] = right[r] / total[r];
    }
}

/* One output row on the CPU, every score kept. */
static void expect_row(const float *q, const float *k, const float *v, float *want, int n)
{
    std::vector<double> score(n);
    double most = -INFINITY, total = 0, sum[WIDTH] = {};
    for (int j = 0; j < n; j++) {
        score[j] = 0;
        for (int d = 0; d < WIDTH; d++)
            score[j] += (double)q[d] * (double)k[(size_t)j * WIDTH + d];
        score[j] /= 8;
        most = fmax(most, score[j]);
    }
    for (int j = 0; j < n; j++) {
        double own = exp(score[j] - most);
        total += own;
        for (int d = 0; d < WIDTH; d++)
            sum[d] += own * (double)v[(size_t)j * WIDTH + d];
    }
    for (int d = 0; d < WIDTH; d++)
        want[d] = (float)(sum[d] / total);
}

static void attention(gmk_run &run)
{
    int n = run.size;
    if (n % KEYS)
        gmk_fail(false, "--size must be a multiple of %d", KEYS);
    size_t values = (size_t)HEADS * n * WIDTH;
    gmk_array<float> q(values), k(values), v(values), out(values);
    q.fill(1, -2, 2);
    k.fill(2, -2, 2);
    v.fill(3, -9, 9);
    out.upload();
    attention_tile<<<dim3(n / QUERIES, HEADS), dim3(KEYS, WARPS)>>>(q.device, k.device, v.device,
                                                                    out.device, n);
    gmk_finish();
    if (!run.check)
        return;
    float *want = out.expect();
    for (int row = 0; row < HEADS * n; row++) {
        size_t head = (size_t)(row / n) * n * WIDTH, own = (size_t)row * WIDTH;
        expect_row(q.host + own, k.host + head, v.host + head, want + own, n);
    }
    gmk_compare(run, out, 2e-5);
}

static const gmk_kernel table[] = {
    {"attention_tile", 384, 32, 1 << 16, THREADS, false,
     "a tile of queries in shared memory, keys and values pass by", attention},
};
GMK_TOPIC(gmk_attention, "queries and keys");
