/* SPDX-License-Identifier: MIT
 *
 * gmkernels.h - what every topic file shares: error checks, arrays that live on host and device,
 * deterministic input, and the comparison with a CPU reference.
 *
 * A topic file holds plain CUDA kernels and, below them, a table of gmk_kernel. A run function
 * fills its arrays, launches its kernel exactly once, calls gmk_finish(), and, where run.check
 * says so, writes what the CPU expects into `want` and calls gmk_compare(). Where the topic is what
 * one launch leaves to the next (pipeline.cu), it launches several kernels, always the same in the
 * same order: rows of a measurement and launches of a trace are paired by name, shape and order.
 *
 * Arrays move by cudaMemcpy alone: no memset or initialising kernel shows up beside the launches
 * that a profiler or a capture is meant to see. Input values are small whole numbers wherever a
 * kernel may add in any order, so that results are exact and the tolerance is 0.
 */
#ifndef GMKERNELS_H
#define GMKERNELS_H

#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Thrown where a run cannot go on; the driver prints it and turns to the next kernel. */
struct gmk_failure {
    bool unavailable; /* something the machine lacks, not something that went wrong */
    char text[256];
};

[[noreturn]] inline void gmk_fail(bool unavailable, const char *format, ...)
{
    gmk_failure failure;
    va_list list;
    va_start(list, format);
    failure.unavailable = unavailable;
    vsnprintf(failure.text, sizeof failure.text, format, list);
    va_end(list);
    throw failure;
}

#define GMK_CUDA(call)                                                                             \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            gmk_fail(false, "%s:%d: %s", __FILE__, __LINE__, cudaGetErrorString(error_));          \
    } while (0)

/* One run of one kernel. */
struct gmk_run {
    const char *name;
    int size;  /* what it counts is said by the topic */
    int block; /* threads a block */
    bool check;
    /* filled by the run */
    size_t compared, wrong;
    double worst;    /* largest relative error seen */
    char first[128]; /* the first wrong value */
    char note[96];   /* something the kernel itself measured; may be empty */
};

/* A row of a topic's table. */
struct gmk_kernel {
    const char *name;      /* also the __global__ function's, where there is one launch */
    int size, small, most; /* --size: default (the validation size), --small, largest allowed */
    int block;             /* default threads a block */
    bool any_block;        /* --block may change it */
    const char *claim;     /* one line: what the notes say of it */
    void (*run)(gmk_run &run);
};

struct gmk_topic {
    const char *file;
    const char *counts; /* what --size counts: "elements", "rows and columns" */
    const gmk_kernel *kernel;
    int kernels;
};

#define GMK_TOPIC(symbol, counts)                                                                  \
    extern const gmk_topic symbol;                                                                 \
    const gmk_topic symbol = {gmk_base_name(__FILE__), counts, table,                              \
                              (int)(sizeof table / sizeof table[0])}

constexpr const char *gmk_base_name(const char *path)
{
    const char *base = path;
    for (const char *p = path; *p; p++)
        if (*p == '/')
            base = p + 1;
    return base;
}

/* The same number for the same (seed, index) everywhere: SplitMix64's output function. */
inline uint64_t gmk_hash(uint64_t seed, uint64_t index)
{
    uint64_t z = (seed << 40) + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* An array on the host and on the device, and what the CPU expects to find in it. All start as
 * 0xff bytes (NaN, -1), so a value that nobody wrote cannot pass for a result. */
template <typename T> struct gmk_array {
    size_t count;
    T *host, *want, *device;

    explicit gmk_array(size_t n) : count(n), host(nullptr), want(nullptr), device(nullptr)
    {
        host = (T *)malloc(n * sizeof(T));
        if (!host)
            gmk_fail(false, "no memory for %zu bytes on the host; use a smaller --size",
                     n * sizeof(T));
        memset((void *)host, 0xff, n * sizeof(T));
        cudaError_t error = cudaMalloc((void **)&device, n * sizeof(T));
        if (error != cudaSuccess) {
            free(host);
            gmk_fail(false, "cudaMalloc of %zu bytes: %s; use a smaller --size", n * sizeof(T),
                     cudaGetErrorString(error));
        }
    }
    ~gmk_array()
    {
        free(host);
        free(want);
        cudaFree(device);
    }
    gmk_array(const gmk_array &) = delete;
    gmk_array &operator=(const gmk_array &) = delete;

    /* Whole numbers from low to high. */
    void fill(uint64_t seed, int low, int high)
    {
        for (size_t i = 0; i < count; i++)
            host[i] = (T)(low + (int)(gmk_hash(seed, i) % (uint64_t)(high - low + 1)));
        upload();
    }
    /* The numbers 0 to count - 1 in random order. */
    void fill_permutation(uint64_t seed)
    {
        for (size_t i = 0; i < count; i++)
            host[i] = (T)i;
        for (size_t i = count; i > 1; i--) {
            size_t j = gmk_hash(seed, i) % i;
            T t = host[i - 1];
            host[i - 1] = host[j];
            host[j] = t;
        }
        upload();
    }
    void upload() { GMK_CUDA(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice)); }
    /* Keeps what the device was given as the expectation, to be changed where the kernel writes. */
    T *expect()
    {
        if (!want)
            want = (T *)malloc(count * sizeof(T));
        if (!want)
            gmk_fail(false, "no memory for the CPU reference; use a smaller --size");
        memcpy((void *)want, (const void *)host, count * sizeof(T));
        return want;
    }
};

inline int gmk_blocks(int threads, int block)
{
    return threads / block + (threads % block != 0);
}

/* Waits for the launch and reports what it did wrong. */
inline void gmk_finish(void)
{
    GMK_CUDA(cudaGetLastError());
    GMK_CUDA(cudaDeviceSynchronize());
}

/* Fetches the array and compares every value with `want`: equal bits, or within `tolerance` of it
 * relative to the larger of 1 and the expected value. */
template <typename T> void gmk_compare(gmk_run &run, gmk_array<T> &a, double tolerance)
{
    GMK_CUDA(cudaMemcpy(a.host, a.device, a.count * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < a.count; i++) {
        run.compared++;
        if (memcmp(&a.host[i], &a.want[i], sizeof(T)) == 0)
            continue;
        double got = (double)a.host[i], want = (double)a.want[i];
        double error = fabs(got - want) / fmax(1.0, fabs(want));
        if (error > run.worst)
            run.worst = error;
        if (error <= tolerance) /* false for a NaN */
            continue;
        if (run.wrong++ == 0)
            snprintf(run.first, sizeof run.first, "[%zu] is %.9g, expected %.9g", i, got, want);
    }
}

#endif
