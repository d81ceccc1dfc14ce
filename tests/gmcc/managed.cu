/* SPDX-License-Identifier: MIT
 *
 * managed.cu - __managed__ variables: one place for the host and for kernels.
 */
static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

struct point {
    double x, y;
};
__managed__ int counter = 5;
static __managed__ float values[100];
namespace inner {
__device__ __managed__ point corner = {1.5, -2};
}
__device__ int plain = 3;
__device__ int *to_counter = &counter;

__global__ void change(float *p)
{
    atomicAdd(&counter, 1);
    values[threadIdx.x] += p[threadIdx.x] + plain;
    if (threadIdx.x == 0) {
        inner::corner.x += inner::corner.y;
        atomicAdd(to_counter, 100);
    }
}
__global__ void beyond()
{
    float *p = values;
    p[100 + threadIdx.x + (1 << 20)] = 1;
}

int main()
{
    ok(counter == 5 && inner::corner.y == -2, "their values are there in main()");
    counter = 7;
    for (int i = 0; i < 100; i++)
        values[i] = i;
    change<<<1, 64>>>(values);
    bool good = cudaDeviceSynchronize() == cudaSuccess && counter == 7 + 64 + 100;
    for (int i = 0; i < 100; i++)
        good = good && values[i] == (i < 64 ? 2 * i + 3 : i);
    ok(good && inner::corner.x == -0.5, "kernels change what the host sees, by name and by pointer");
    int copy = 0;
    float *address = nullptr;
    cudaPointerAttributes a;
    good = cudaMemcpyFromSymbol(&copy, counter, sizeof copy) == cudaSuccess && copy == counter &&
           cudaGetSymbolAddress((void **)&address, values) == cudaSuccess && address == values &&
           cudaPointerGetAttributes(&a, values + 3) == cudaSuccess &&
           a.type == cudaMemoryTypeManaged;
    ok(good, "the runtime knows them as managed memory");
    cudaDeviceReset();
    change<<<1, 64>>>(values);
    ok(cudaDeviceSynchronize() == cudaSuccess && values[1] == 13, "a reset leaves them");
    beyond<<<1, 1>>>();
    ok(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "an access far beyond one is found");
    printf("1..%d\n", number);
    return failed != 0;
}
