/* SPDX-License-Identifier: MIT
 *
 * api.cu - the runtime library as programs use it: memory, symbols, errors, launches, events, and
 * what it says about device and kernels. Speaks TAP. Kernels are run as well, so that arguments of
 * every size, static kernels, templates and namespaces are seen to arrive.
 */
#include <assert.h>
#include <cuda_runtime.h>

static int tests, failures;
static void report(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++tests, name);
    failures += !good;
}

__constant__ int table[4] = {1, 2, 3, 4};
__device__ float total = 2.5f;
static __device__ int hidden[2];
namespace space
{
__constant__ double pair[2];
}

struct argument {
    char c;
    double d;
    short s[3];
};

static __global__ void mixed(char c, argument a, const int *in, double *out, dim3 shape)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = c + a.d + a.s[2] + in[0] + shape.y + table[3] + total + space::pair[1];
    if (threadIdx.x == 1)
        hidden[1] = blockDim.x;
}

template <typename T, int N> __global__ void fill(T *p, T value)
{
    __shared__ T copy[N];
    extern __shared__ T more[];
    copy[threadIdx.x % N] = value;
    more[threadIdx.x] = value;
    __syncthreads();
    p[blockIdx.x * blockDim.x + threadIdx.x] = copy[threadIdx.x % N] + more[threadIdx.x];
}

__global__ void __launch_bounds__(64) bounded(int *p)
{
    *p = 1;
}

static void memory(void)
{
    int *a = nullptr, *b = nullptr;
    int host[256], back[256];
    size_t free_bytes, total_bytes, pitch;
    for (int i = 0; i < 256; i++)
        host[i] = i * i;
    report(cudaMalloc(&a, sizeof host) == cudaSuccess &&
               cudaMalloc(&b, sizeof host) == cudaSuccess && a != b && (size_t)a % 256 == 0,
           "cudaMalloc");
    report(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess &&
               cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice) == cudaSuccess &&
               cudaMemcpy(back, b, sizeof host, cudaMemcpyDefault) == cudaSuccess &&
               memcmp(host, back, sizeof host) == 0,
           "cudaMemcpy there, across and back");
    report(cudaMemset(a, 0x11, 64) == cudaSuccess &&
               cudaMemcpy(back, a, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess &&
               back[15] == 0x11111111 && back[16] == 256,
           "cudaMemset");
    report(cudaMemcpy(a, host, sizeof host + 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue &&
               cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess,
           "a copy over the end is refused, once");
    report(cudaMemcpy(back, host, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
           "host memory is no device memory");
    cudaGetLastError();
    report(cudaFree(a) == cudaSuccess && cudaFree(nullptr) == cudaSuccess &&
               cudaFree(a) == cudaErrorInvalidValue && cudaFree(b + 1) == cudaErrorInvalidValue &&
               cudaFree(b) == cudaSuccess,
           "cudaFree, and what it refuses");
    cudaGetLastError();
    cudaMemGetInfo(&free_bytes, &total_bytes);
    report(free_bytes == total_bytes &&
               cudaMalloc(&a, total_bytes + 1) == cudaErrorMemoryAllocation && a == nullptr,
           "all is free again; more than there is cannot be had");
    cudaGetLastError();
    char *c;
    char rows[3][10], got[3][10];
    memset(rows, 7, sizeof rows);
    report(cudaMallocPitch(&c, &pitch, 10, 3) == cudaSuccess && pitch % 512 == 0 &&
               cudaMemcpy2D(c, pitch, rows, 10, 10, 3, cudaMemcpyHostToDevice) == cudaSuccess &&
               cudaMemcpy2D(got, 10, c, pitch, 10, 3, cudaMemcpyDeviceToHost) == cudaSuccess &&
               memcmp(rows, got, sizeof rows) == 0 && cudaFree(c) == cudaSuccess,
           "pitched memory");
    int *pinned = nullptr, *managed = nullptr, *mapped;
    cudaPointerAttributes attributes;
    report(cudaMallocHost(&pinned, 64) == cudaSuccess &&
               cudaMallocManaged(&managed, 64) == cudaSuccess,
           "pinned and managed memory");
    pinned[15] = managed[15] = 1;
    report(cudaPointerGetAttributes(&attributes, managed) == cudaSuccess &&
               attributes.type == cudaMemoryTypeManaged &&
               cudaHostGetDevicePointer(&mapped, pinned, 0) == cudaSuccess && mapped == pinned,
           "what a pointer is");
    report(cudaFreeHost(pinned) == cudaSuccess && cudaFree(managed) == cudaSuccess, "freed");
    cudaMemPool_t pool, own;
    cudaMemPoolProps properties = {};
    unsigned long long wanted = 12345, kept = 0;
    report(
        cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess &&
            cudaMemPoolCreate(&own, &properties) == cudaSuccess && own != pool &&
            cudaDeviceSetMemPool(0, own) == cudaSuccess &&
            cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &wanted) == cudaSuccess &&
            cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess &&
            kept == wanted &&
            cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &kept) ==
                cudaErrorNotSupported,
        "what is set of a memory pool is kept, what is not counted is refused");
    cudaGetLastError();
    report(cudaMallocFromPoolAsync(&managed, 64, own, 0) == cudaSuccess &&
               cudaMemset(managed, 0, 64) == cudaSuccess &&
               cudaFreeAsync(managed, 0) == cudaSuccess && cudaMemPoolDestroy(own) == cudaSuccess &&
               cudaDeviceGetMemPool(&own, 0) == cudaSuccess && own == pool,
           "memory from a pool");
}

static void symbols(void)
{
    int values[4] = {5, 6, 7, 8}, got[4] = {};
    float f = 0;
    void *address;
    size_t bytes = 0;
    report(cudaMemcpyFromSymbol(got, table, sizeof got) == cudaSuccess && got[3] == 4 &&
               cudaMemcpyFromSymbol(&f, total, sizeof f) == cudaSuccess && f == 2.5f,
           "variables begin as the program says");
    report(cudaMemcpyToSymbol(table, values + 2, 8, 8) == cudaSuccess &&
               cudaMemcpyFromSymbol(got, table, sizeof got) == cudaSuccess && got[1] == 2 &&
               got[2] == 7 && got[3] == 8,
           "cudaMemcpyToSymbol with an offset");
    report(cudaMemcpyToSymbol(table, values, 16, 4) == cudaErrorInvalidValue, "beyond its end");
    cudaGetLastError();
    double pair[2] = {0.25, 0.5};
    report(cudaGetSymbolAddress(&address, space::pair) == cudaSuccess &&
               cudaGetSymbolSize(&bytes, space::pair) == cudaSuccess && bytes == 16 &&
               cudaMemcpy(address, pair, 16, cudaMemcpyHostToDevice) == cudaSuccess,
           "a variable's address and size");
    report(cudaGetSymbolSize(&bytes, tests) == cudaErrorInvalidSymbol, "a host variable is none");
    cudaGetLastError();
}

static void launches(void)
{
    int *in, one = 1;
    double *out, got[3];
    argument a = {'x', 0.125, {1, 2, 3}};
    cudaMalloc(&in, sizeof *in);
    cudaMalloc(&out, sizeof got);
    cudaMemcpy(in, &one, sizeof one, cudaMemcpyHostToDevice);
    mixed<<<3, 32>>>((char)2, a, in, out, dim3(4, 5, 6));
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    /* 2 + 0.125 + 3 + 1 + 5 + 8 + 2.5 + 0.5 */
    report(cudaGetLastError() == cudaSuccess && got[0] == 22.125 && got[2] == 22.125,
           "arguments of every size; constants, variables");
    int both[2] = {};
    cudaMemcpyFromSymbol(both, hidden, sizeof both);
    report(both[0] == 0 && both[1] == 32, "a static variable");

    float *p, filled[128];
    cudaMalloc(&p, sizeof filled);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    fill<float, 16><<<2, 64, 64 * sizeof(float), stream>>>(p, 1.5f);
    cudaMemcpyAsync(filled, p, sizeof filled, cudaMemcpyDeviceToHost, stream);
    report(cudaStreamSynchronize(stream) == cudaSuccess && filled[0] == 3.0f && filled[127] == 3.0f,
           "a template with static and dynamic shared memory, on a stream");
    float value = 2.0f;
    void *arguments[] = {&p, &value};
    report(cudaLaunchKernel(fill<float, 16>, dim3(2), dim3(64), arguments, 64 * sizeof(float),
                            stream) == cudaSuccess &&
               cudaMemcpy(filled, p, sizeof filled, cudaMemcpyDeviceToHost) == cudaSuccess &&
               filled[64] == 4.0f,
           "cudaLaunchKernel");
    fill<float, 16><<<1, 64, 100000>>>(p, 1.0f);
    report(cudaGetLastError() == cudaErrorInvalidValue, "too much shared memory is refused");
    report(cudaFuncSetAttribute(fill<float, 16>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                100000) == cudaSuccess,
           "cudaFuncSetAttribute");
    fill<float, 16><<<1, 64, 100000>>>(p, 1.0f);
    report(cudaGetLastError() == cudaSuccess, "and it is allowed");
    fill<float, 16><<<1, 1025, 8192>>>(p, 1.0f);
    report(cudaGetLastError() == cudaErrorInvalidConfiguration, "1025 threads are too many");
    bounded<<<1, 65>>>((int *)p);
    report(cudaGetLastError() != cudaSuccess, "more threads than __launch_bounds__");
    bounded<<<0, 64>>>((int *)p);
    report(cudaGetLastError() == cudaErrorInvalidConfiguration, "an empty grid");
    cudaStreamDestroy(stream);
    cudaFree(in);
    cudaFree(out);
    cudaFree(p);
}

static void questions(void)
{
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    int count = 0, value = 0, blocks = 0, size = 0, grid = 0;
    report(cudaGetDeviceCount(&count) == cudaSuccess && count == 1 &&
               cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
               properties.multiProcessorCount == 132 && properties.warpSize == 32,
           "the device");
    report(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) ==
                   cudaSuccess &&
               value == 232448 && cudaSetDevice(1) == cudaErrorInvalidDevice,
           "its attributes");
    cudaGetLastError();
    report(cudaFuncGetAttributes(&attributes, fill<float, 16>) == cudaSuccess &&
               attributes.sharedSizeBytes == 64 && attributes.numRegs > 0 &&
               cudaFuncGetAttributes(&attributes, bounded) == cudaSuccess &&
               attributes.maxThreadsPerBlock == 64,
           "a kernel's attributes");
    /* 32 CTAs at most; 64 warps are 2 of 1024 threads; 228 KiB hold 9 of 24 KiB and 1. */
    report(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 32, 0) == cudaSuccess &&
               blocks == 32 &&
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill<float, 16>, 1024, 0) ==
                   cudaSuccess &&
               blocks == 2 &&
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 64, 24 * 1024) ==
                   cudaSuccess &&
               blocks == 9,
           "occupancy");
    report(cudaOccupancyMaxPotentialBlockSize(&grid, &size, fill<float, 16>) == cudaSuccess &&
               size == 1024 && grid == 264,
           "the block size with the most threads");
    report(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0 &&
               strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                      "an illegal memory access was encountered") == 0,
           "names and texts of errors");
    cudaEvent_t start, stop;
    float ms = -1;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    report(cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle,
           "an event that was never recorded");
    cudaGetLastError();
    cudaEventRecord(start);
    cudaEventRecord(stop);
    report(cudaEventSynchronize(stop) == cudaSuccess &&
               cudaEventElapsedTime(&ms, start, stop) == cudaSuccess && ms >= 0,
           "events");
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
}

int main(void)
{
    memory();
    symbols();
    launches();
    questions();
    printf("1..%d\n", tests);
    return failures != 0;
}
