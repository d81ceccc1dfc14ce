/* SPDX-License-Identifier: MIT
 *
 * main.cu - kernels that need another file's functions and variables.
 */
#include "linked.h"

static __device__ int local = 1000;
static __managed__ int own_count = 4;
static __device__ __noinline__ int help(int x) { return x + local; }
static __global__ void hidden(int *p) { p[2] = local; }
namespace {
__global__ void other(int *p) { p[3] = next_of(local); }
}
__global__ void use(int *p)
{
    p[0] = scale(0) + help(factor);
    p[1] = shape{7}.area();
    atomicAdd(&shared_count, 1);
    atomicAdd(&own_count, 1);
}

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

int main()
{
    int *p, t[4] = {1, 20, 3, 4}, f = 7;
    ok(shared_count == 3 && own_count == 4, "managed variables have their values");
    shared_count = 30;
    cudaMallocManaged(&p, 128);
    cudaMemcpyToSymbol(table, t, sizeof t);
    cudaMemcpyToSymbol(factor, &f, sizeof f);
    use<<<1, 1>>>(p);
    ok(cudaDeviceSynchronize() == cudaSuccess && p[0] == 10 + 7 + 20 + 7 + 1000 && p[1] == 49,
       "functions and variables of another file");
    ok(shared_count == 31 && own_count == 5, "managed variables, one of another file");
    start_hidden(p);
    hidden<<<1, 1>>>(p);
    other<<<1, 1>>>(p);
    ok(cudaDeviceSynchronize() == cudaSuccess && p[0] == 20 && p[1] == 50 && p[2] == 1000 &&
           p[3] == 1001,
       "names that two files have each for itself");
    twice<<<1, 4>>>(p);
    ok(cudaDeviceSynchronize() == cudaSuccess && p[3] == 2002, "a template that both files have");
    printf("1..%d\n", number);
    return failed != 0;
}
