/* SPDX-License-Identifier: MIT
 *
 * lab.h - what the programs of the labs share: arrays on the GPU, and the comparison of what a
 * kernel wrote with what it should have. A call that fails, or a wrong value, ends the program with
 * a line and status 1. Not part of any answer.
 */
#ifndef LAB_H
#define LAB_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define LAB_MUST(call)                                                                             \
    do {                                                                                           \
        cudaError_t lab_error = (call);                                                            \
        if (lab_error != cudaSuccess) {                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(lab_error));     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Small whole numbers, so that sums are exact in any order. */
static inline std::vector<float> lab_numbers(size_t count, unsigned seed)
{
    std::vector<float> numbers(count);
    for (float &number : numbers) {
        seed = seed * 1664525u + 1013904223u;
        number = (float)(int)(seed >> 29) - 3.0f;
    }
    return numbers;
}

static inline float *lab_upload(const std::vector<float> &numbers)
{
    float *device = NULL;
    LAB_MUST(cudaMalloc((void **)&device, numbers.size() * sizeof(float)));
    LAB_MUST(cudaMemcpy(device, numbers.data(), numbers.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
    return device;
}

/* After the launches: is `device` what was wanted? */
static inline void lab_expect(const char *what, const float *device,
                              const std::vector<float> &wanted)
{
    std::vector<float> found(wanted.size());
    LAB_MUST(cudaGetLastError());
    LAB_MUST(cudaDeviceSynchronize());
    LAB_MUST(cudaMemcpy(found.data(), device, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < wanted.size(); i++)
        if (!(fabsf(found[i] - wanted[i]) <= 1e-5f * fabsf(wanted[i]))) {
            fprintf(stderr, "%s[%zu] is %g, but should be %g\n", what, i, (double)found[i],
                    (double)wanted[i]);
            exit(1);
        }
}

#endif
