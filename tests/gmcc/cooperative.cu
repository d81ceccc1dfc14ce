/* SPDX-License-Identifier: MIT
 *
 * cooperative.cu - cooperative launches: blocks that wait for one another, with grid.sync() and with
 * a barrier of the program's own.
 */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

/* The sum of all, in every block: partial sums, then sums of these. */
__global__ void sum_all(const int *in, int n, int *partial, int *out)
{
    cg::grid_group grid = cg::this_grid();
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
    grid.sync();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; b++)
            all += partial[b];
        out[blockIdx.x] = grid.is_valid() ? all : -1;
    }
}

/* Steps of a stencil in one launch: each needs the neighbours' last. */
__global__ void diffuse(float *a, float *b, int n, int steps)
{
    auto grid = cg::this_grid();
    const int i = grid.thread_rank();
    for (int s = 0; s < steps; s++) {
        if (i > 0 && i < n - 1)
            b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
        cg::sync(grid);
        float *t = a;
        a = b;
        b = t;
    }
}

/* The last block releases all others, which look for it. */
__global__ void own_barrier(int *count, volatile int *go, int *out)
{
    if (threadIdx.x == 0) {
        if (atomicAdd(count, 1) == gridDim.x - 1)
            *go = 42;
        while (*go == 0)
            ;
        out[blockIdx.x] = *go + *(volatile int *)count;
    }
}

int main()
{
    const int n = 10000, blocks = 40;
    int *in, *partial, *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&partial, 256 * sizeof *partial);
    cudaMallocManaged(&out, 256 * sizeof *out);
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i] = i % 17;
    int size = n;
    void *arguments[] = {&in, &size, &partial, &out};
    bool good = true;
    for (int turn = 0; turn < 3; turn++) {
        good = good && cudaLaunchCooperativeKernel(sum_all, blocks, 96, arguments) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess;
        for (int b = 0; b < blocks; b++)
            good = good && out[b] == sum;
    }
    ok(good, "a sum over the grid, three launches");

    float *a, *b, expected[1024], next[1024];
    int length = 1000, steps = 9;
    cudaMallocManaged(&a, 1024 * sizeof *a);
    cudaMallocManaged(&b, 1024 * sizeof *b);
    for (int i = 0; i < length; i++)
        a[i] = b[i] = expected[i] = next[i] = i % 100 ? 0 : 64;
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < length - 1; i++)
            next[i] = 0.25f * expected[i - 1] + 0.5f * expected[i] + 0.25f * expected[i + 1];
        memcpy(expected, next, sizeof next);
    }
    void *fields[] = {&a, &b, &length, &steps};
    good = cudaLaunchCooperativeKernel((void *)diffuse, 8, 128, fields) == cudaSuccess &&
           cudaDeviceSynchronize() == cudaSuccess;
    ok(good && memcmp(b, expected, length * sizeof *b) == 0, "nine steps of a stencil in one launch");

    cudaMemset(partial, 0, 256 * sizeof *partial);
    int *go = partial + 1;
    void *flags[] = {&partial, &go, &out};
    good = cudaLaunchCooperativeKernel((void *)own_barrier, 64, 64, flags) == cudaSuccess;
    for (int i = 0; i < 64; i++)
        good = good && out[i] == 42 + 64;
    ok(good, "a barrier of the program's own");

    int each = 0, can = 0;
    cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, own_barrier, 1024, 0);
    ok(can == 1 && cudaLaunchCooperativeKernel((void *)own_barrier, each * 132 + 1, 1024, flags) ==
                       cudaErrorCooperativeLaunchTooLarge,
       "more blocks than fit at once are refused");
    cudaGetLastError();
    sum_all<<<2, 32>>>(in, n, partial, out);
    ok(cudaDeviceSynchronize() == cudaErrorAssert, "a plain launch cannot wait for the grid");
    printf("1..%d\n", number);
    return failed != 0;
}
