/* SPDX-License-Identifier: MIT
 *
 * heap.cu - malloc() and free(), new and delete in kernels; with a word it does what is wrong.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

/* A list that outlives its kernel: an element a thread, of the sizes that others do not have. */
struct node {
    node *next;
    unsigned *values, count;
};
__device__ node *first;

__global__ void add()
{
    node *n = new node;
    n->count = 1 + (blockIdx.x * blockDim.x + threadIdx.x) % 37;
    n->values = (unsigned *)malloc(n->count * sizeof *n->values);
    for (unsigned i = 0; i < n->count; i++)
        n->values[i] = n->count * 1000 + i;
    node *seen = first;
    do
        n->next = seen;
    while ((seen = (node *)atomicCAS((unsigned long long *)&first, (unsigned long long)n->next,
                                     (unsigned long long)n)) != n->next);
}
__global__ void sum(unsigned long long *total, unsigned *odd)
{
    unsigned long long s = 0;
    for (const node *n = first; n; n = n->next) {
        *odd += (unsigned long long)n % 16 != 0 || (unsigned long long)n->values % 16 != 0;
        for (unsigned i = 0; i < n->count; i++)
            s += n->values[i];
    }
    *total = s;
}
__global__ void drop(unsigned *dropped)
{
    for (node *n = first; n;) {
        node *next = n->next;
        free(n->values);
        delete n;
        n = next;
        ++*dropped;
    }
    first = nullptr;
}
/* How many blocks of a KiB there are. */
__global__ void fill(unsigned *count)
{
    char *last = nullptr;
    *count = 0;
    for (char *p; (p = (char *)malloc(1024)); last = p, ++*count)
        *(char **)p = last;
    while (last) {
        char *before = *(char **)last;
        free(last);
        last = before;
    }
    free(nullptr);
}
/* Nothing that a compiler sees through. */
__device__ void *volatile kept[32];
__global__ void twice()
{
    kept[threadIdx.x] = malloc(threadIdx.x + 1);
    free(kept[threadIdx.x]);
    if (threadIdx.x == 5)
        free(kept[5]);
}
__global__ void unwritten(int *out)
{
    kept[0] = malloc(64);
    *out = ((volatile int *)kept[0])[3];
}

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

int main(int argc, char **argv)
{
    unsigned long long *total, wanted = 0;
    unsigned *count;
    size_t limit = 0;
    cudaMallocManaged(&total, sizeof *total);
    cudaMallocManaged(&count, 4 * sizeof *count);
    if (argc > 1 && strcmp(argv[1], "twice") == 0)
        twice<<<1, 32>>>();
    else if (argc > 1)
        unwritten<<<1, 1>>>((int *)count);
    if (argc > 1)
        return cudaDeviceSynchronize() != cudaSuccess;
    ok(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) == cudaSuccess &&
           cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) == cudaSuccess && limit == 1 << 20,
       "a kernel's heap has the size that the program asks for");
    for (unsigned i = 0; i < 1024; i++)
        for (unsigned n = 1 + i % 37, k = 0; k < n; k++)
            wanted += n * 1000 + k;
    for (unsigned round = 1; round <= 3; round++) {
        memset(count, 0, 4 * sizeof *count);
        add<<<8, 128>>>();
        sum<<<1, 1>>>(total, &count[1]);
        drop<<<1, 1>>>(&count[2]);
        fill<<<1, 1>>>(&count[3]);
        ok(cudaDeviceSynchronize() == cudaSuccess && *total == wanted && count[1] == 0 &&
               count[2] == 1024,
           "what threads allocate is their own, aligned, and there in later kernels");
        ok(count[3] >= 512 && count[3] <= 1024,
           "a full heap gives nullptr; what is freed is used again");
    }
    ok(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20) == cudaErrorInvalidValue,
       "its size stays, once it is used");
    cudaFree(total);
    cudaFree(count);
    printf("1..%d\n", number);
    return failed != 0;
}
