/* SPDX-License-Identifier: MIT
 *
 * explore.cuh - what random kernels are written with: loads and stores of every width and cache
 * operator, and the driver of a program of such kernels.
 *
 *   PROGRAM list          names, one a line
 *   PROGRAM run NAME...   runs the named kernels, or all; exit 1 at the first that fails
 */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__constant__ unsigned constants[8192];

template <int width> struct word;
template <> struct word<1> { typedef unsigned char type; };
template <> struct word<2> { typedef unsigned short type; };
template <> struct word<4> { typedef unsigned type; };
template <> struct word<8> { typedef uint2 type; };
template <> struct word<16> { typedef uint4 type; };

__device__ __forceinline__ unsigned fold(unsigned char v) { return v; }
__device__ __forceinline__ unsigned fold(unsigned short v) { return v; }
__device__ __forceinline__ unsigned fold(unsigned v) { return v; }
__device__ __forceinline__ unsigned fold(uint2 v) { return v.x ^ v.y; }
__device__ __forceinline__ unsigned fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

__device__ __forceinline__ void spread(unsigned char &v, unsigned a) { v = (unsigned char)a; }
__device__ __forceinline__ void spread(unsigned short &v, unsigned a) { v = (unsigned short)a; }
__device__ __forceinline__ void spread(unsigned &v, unsigned a) { v = a; }
__device__ __forceinline__ void spread(uint2 &v, unsigned a) { v = make_uint2(a, a + 1); }
__device__ __forceinline__ void spread(uint4 &v, unsigned a) { v = make_uint4(a, a + 1, a + 2, a + 3); }

/* Loads and stores that CUDA has a function for. */
#define LOAD(name, call)                                                                           \
    template <int width> __device__ __forceinline__ unsigned load_##name(const char *at)           \
    {                                                                                              \
        typedef typename word<width>::type type;                                                   \
        const type *p = (const type *)at;                                                          \
        return fold(call);                                                                         \
    }
LOAD(plain, *p)
LOAD(ca, __ldca(p))
LOAD(cg, __ldcg(p))
LOAD(cs, __ldcs(p))
LOAD(cv, __ldcv(p))
LOAD(lu, __ldlu(p))
LOAD(ldg, __ldg(p))

#define STORE(name, call)                                                                          \
    template <int width> __device__ __forceinline__ void store_##name(char *at, unsigned acc)      \
    {                                                                                              \
        typedef typename word<width>::type type;                                                   \
        type *p = (type *)at, v;                                                                   \
        spread(v, acc);                                                                            \
        call;                                                                                      \
    }
STORE(plain, *p = v)
STORE(wb, __stwb(p, v))
STORE(cg, __stcg(p, v))
STORE(cs, __stcs(p, v))
STORE(wt, __stwt(p, v))

/* Those with qualifiers that only PTX has. */
#define LOAD_PTX(name, what)                                                                       \
    template <int width> __device__ __forceinline__ unsigned load_##name(const char *at)           \
    {                                                                                              \
        unsigned x = 0, y = 0, z = 0, w = 0;                                                       \
        if (width == 1)                                                                            \
            asm volatile(what ".u8 %0, [%1];" : "=r"(x) : "l"(at));                                \
        else if (width == 2) {                                                                     \
            unsigned short h;                                                                      \
            asm volatile(what ".u16 %0, [%1];" : "=h"(h) : "l"(at));                               \
            x = h;                                                                                 \
        } else if (width == 4)                                                                     \
            asm volatile(what ".u32 %0, [%1];" : "=r"(x) : "l"(at));                               \
        else if (width == 8)                                                                       \
            asm volatile(what ".v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(at));             \
        else                                                                                       \
            asm volatile(what ".v4.u32 {%0, %1, %2, %3}, [%4];"                                    \
                         : "=r"(x), "=r"(y), "=r"(z), "=r"(w)                                      \
                         : "l"(at));                                                               \
        return x ^ y ^ z ^ w;                                                                      \
    }
LOAD_PTX(volatile, "ld.volatile.global")
LOAD_PTX(noalloc, "ld.global.L1::no_allocate")
LOAD_PTX(evict_first, "ld.global.L1::evict_first")
LOAD_PTX(evict_last, "ld.global.L1::evict_last")
LOAD_PTX(l2_64, "ld.global.L2::64B")
LOAD_PTX(l2_128, "ld.global.L2::128B")
LOAD_PTX(l2_256, "ld.global.L2::256B")

#define STORE_PTX(name, what)                                                                      \
    template <int width> __device__ __forceinline__ void store_##name(char *at, unsigned a)        \
    {                                                                                              \
        if (width == 1)                                                                            \
            asm volatile(what ".u8 [%0], %1;" ::"l"(at), "r"(a) : "memory");                       \
        else if (width == 2)                                                                       \
            asm volatile(what ".u16 [%0], %1;" ::"l"(at), "h"((unsigned short)a) : "memory");      \
        else if (width == 4)                                                                       \
            asm volatile(what ".u32 [%0], %1;" ::"l"(at), "r"(a) : "memory");                      \
        else if (width == 8)                                                                       \
            asm volatile(what ".v2.u32 [%0], {%1, %1};" ::"l"(at), "r"(a) : "memory");             \
        else                                                                                       \
            asm volatile(what ".v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(a) : "memory");     \
    }
STORE_PTX(volatile, "st.volatile.global")
STORE_PTX(noalloc, "st.global.L1::no_allocate")

template <int width> __device__ __forceinline__ void update(char *at)
{
    typedef typename word<width>::type type;
    type v = *(const type *)at;
    spread(v, fold(v) + 1);
    *(type *)at = v;
}

template <int width> __device__ __forceinline__ unsigned load_shared(const char *at)
{
    return fold(*(const typename word<width>::type *)at);
}

template <int width> __device__ __forceinline__ void store_shared(char *at, unsigned acc)
{
    spread(*(typename word<width>::type *)at, acc);
}

template <int width> __device__ __forceinline__ void copy_async_ca(char *to, const char *from, int size)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"(width), "r"(size)
                 : "memory");
}
template <int width> __device__ __forceinline__ void copy_async_cg(char *to, const char *from, int size)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(size)
                 : "memory");
}
__device__ __forceinline__ void copy_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int left> __device__ __forceinline__ void copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}
__device__ __forceinline__ void barrier_pair(unsigned number)
{
    asm volatile("bar.sync %0, 64;" ::"r"(number) : "memory");
}

struct explore_case {
    const char *name;
    const void *kernel;
    dim3 grid, block;
    int dynamic;      /* bytes of shared memory beyond what the kernel declares: limits occupancy */
    size_t bytes[6];  /* arrays: read, read, indices, written, updated in place, atomics */
    int fill;         /* of indices: random, clustered, sorted, hot, permuted */
};
extern const explore_case explore_cases[];
extern const int explore_count;

static void explore_check(cudaError_t error, const char *what, const char *name)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "explore: %s: %s: %s\n", name, what, cudaGetErrorString(error));
    exit(1);
}

static unsigned explore_random(unsigned long long *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)(*state >> 33);
}

/* The same indices on every machine, whatever the library. */
static void explore_indices(unsigned *to, size_t count, int fill)
{
    unsigned long long state = 88172645463325252ull;
    unsigned now = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned r = explore_random(&state);
        if (fill == 0)
            now = r;
        else if (fill == 1)
            now = i % 8 == 0 ? r & ~7u : now + 1;
        else if (fill == 2)
            now += r % 14u;
        else if (fill == 3)
            now = r >> (r & 31u ? (r >> 8) % 24u : 0u);
        else {
            if (i % 32 == 0)
                now = r & ~31u;
            now = (now & ~31u) | (unsigned)(i * 7 % 32);
        }
        to[i] = now;
    }
}

static void explore_run(const explore_case *c)
{
    /* A card with less shared memory than the kernel asks for still runs the others. */
    if (c->dynamic && cudaFuncSetAttribute(c->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, c->dynamic)) {
        fprintf(stderr, "explore: %s: asks for more shared memory than there is; not run\n", c->name);
        (void)cudaGetLastError(); /* or the next call would tell of it */
        return;
    }
    char *array[6];
    for (int i = 0; i < 6; i++) {
        explore_check(cudaMalloc((void **)&array[i], c->bytes[i]), "cudaMalloc", c->name);
        explore_check(cudaMemset(array[i], 0, c->bytes[i]), "cudaMemset", c->name);
    }
    unsigned *indices = (unsigned *)malloc(c->bytes[2]);
    explore_indices(indices, c->bytes[2] / 4, c->fill);
    explore_check(cudaMemcpy(array[2], indices, c->bytes[2], cudaMemcpyHostToDevice), "cudaMemcpy", c->name);
    free(indices);
    unsigned q = 0;
    void *arguments[] = {&array[0], &array[1], &array[2], &array[3], &array[4], &array[5], &q};
    explore_check(cudaLaunchKernel(c->kernel, c->grid, c->block, arguments, (size_t)c->dynamic, 0), "launch", c->name);
    explore_check(cudaDeviceSynchronize(), "run", c->name);
    for (int i = 0; i < 6; i++)
        explore_check(cudaFree(array[i]), "cudaFree", c->name);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; i < explore_count; i++)
            puts(explore_cases[i].name);
        return 0;
    }
    if (argc < 3 || strcmp(argv[1], "run") != 0) {
        fprintf(stderr, "usage: %s list | run NAME... | run all\n", argv[0]);
        return 2;
    }
    for (int a = 2; a < argc; a++) {
        int found = 0;
        for (int i = 0; i < explore_count; i++)
            if (strcmp(argv[a], explore_cases[i].name) == 0 || strcmp(argv[a], "all") == 0) {
                explore_run(&explore_cases[i]);
                found = 1;
            }
        if (!found) {
            fprintf(stderr, "explore: no kernel is named '%s'; see %s list\n", argv[a], argv[0]);
            return 2;
        }
    }
    return 0;
}
