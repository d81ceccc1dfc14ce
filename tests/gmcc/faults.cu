/* SPDX-License-Identifier: MIT
 *
 * faults.cu - one mistake a run, named by the first argument: what a kernel must not do. Prints the
 * error that the runtime reports.
 */
#include <assert.h>
#include <cuda_runtime.h>

__global__ void write_beyond(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        p[i] = i; /* i == n is one too many */
}
__global__ void read_null(int *p, const int *null)
{
    p[0] = *null;
}
__global__ void misaligned(int *p)
{
    *(int *)((char *)p + 2) = 1;
}
__global__ void shared_beyond(int *p)
{
    extern __shared__ int s[];
    p[threadIdx.x] = s[threadIdx.x + 1];
}
__global__ void asserts(int *p)
{
    assert(p == nullptr && "never");
}
__global__ void parted(int *p)
{
    if (threadIdx.x % 32 < 16)
        __syncthreads(); /* half a warp waits for the other half */
    p[threadIdx.x] = 1;
    __syncthreads();
}
__global__ void endless(volatile int *p)
{
    while (p[0] == 0)
        ;
}
__global__ void read_behind(int *p, int at) /* what a GPU answers, if it is not too far */
{
    p[0] = 1 + p[at + threadIdx.x] + p[at];
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *p, *q;
    cudaMalloc(&p, 1000 * sizeof *p);
    cudaMalloc(&q, 1024 * sizeof *q);
    cudaMemset(p, 0, 1000 * sizeof *p);
    if (strcmp(name, "write_beyond") == 0)
        write_beyond<<<8, 128>>>(p, 1000);
    else if (strcmp(name, "into_neighbour") == 0) {
        int *r; /* on a GPU q ends where r begins */
        cudaMalloc(&r, 1024 * sizeof *r);
        write_beyond<<<9, 128>>>(q, 1024);
    } else if (strcmp(name, "read_null") == 0)
        read_null<<<1, 1>>>(p, nullptr);
    else if (strcmp(name, "use_after_free") == 0) {
        cudaFree(p);
        write_beyond<<<1, 32>>>(p, 10);
    } else if (strcmp(name, "host_pointer") == 0)
        write_beyond<<<1, 32>>>(&argc, 0);
    else if (strcmp(name, "misaligned") == 0)
        misaligned<<<1, 1>>>(p);
    else if (strcmp(name, "shared_beyond") == 0)
        shared_beyond<<<1, 32, 32 * sizeof(int)>>>(p);
    else if (strcmp(name, "asserts") == 0)
        asserts<<<1, 32>>>(p);
    else if (strcmp(name, "parted") == 0)
        parted<<<1, 64>>>(p);
    else if (strcmp(name, "endless") == 0)
        endless<<<1, 32>>>(p);
    else if (strcmp(name, "read_behind") == 0)
        read_behind<<<2, 32>>>(p, 980);
    else if (strcmp(name, "read_far") == 0)
        read_behind<<<1, 32>>>(p, 1 << 20);
    else
        return 2;
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    int host;
    if (cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost) != error)
        printf("the error did not stay\n");
    cudaDeviceReset();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
