/* SPDX-License-Identifier: MIT
 *
 * translation.cu - what the first access to a page costs: the TLB. Memory is taken anew for each
 * round, so that no launch before `run` 0 touched it; later runs find it known. To be run under ncu
 * with metrics of one pass (metrics/translation.txt): of a launch that is replayed, most passes
 * find its pages known.
 *   read, write, copy  132 CTAs, one page (or one to read and one to write)
 *   code               kernels that were not launched before, pages known
 *   pages              528 CTAs read `pages` pages of 2 MiB
 *   chain              a thread reads 32 pages, one after the other; `pages` CTAs do
 *   freed, other, set  a known page, read after memory was taken and freed, written elsewhere, and
 *                      after 4 GiB were set
 *   hosted, zeroed     a page that was filled by cudaMemcpy, by cudaMemset
 *   large, huge        copies of 4 MiB and of 64 MiB
 * Output: CSV rows  experiment,pages,round,run.
 */
#include "validate/micro/check.h"
#include <cstdint>
#include <vector>

__global__ void read(const float *in, float *out)
{
    float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (x == 12345.0f)
        out[0] = x;
}

__global__ void write(float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

template <int ADDED> __global__ void copy(const float *in, float *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + ADDED;
}

static const size_t page = 2 << 20;

__global__ void pages(const char *in, float *out, uint32_t count, size_t step)
{
    const char *from = in + blockIdx.x % count * step;
    float x = ((const float *)from)[blockIdx.x / count * blockDim.x + threadIdx.x];
    if (x == 12345.0f)
        out[0] = x;
}

__global__ void chain(const char *in, int *out, uint32_t count, size_t step)
{
    int x = 0;
    for (uint32_t i = 0; i < count; i++)
        x += *(volatile const int *)(in + i * step + blockIdx.x * 128 + (x & 1) * 4);
    out[blockIdx.x] = x;
}

static void row(const char *experiment, int count, int round, int run)
{
    printf("%s,%d,%d,%d\n", experiment, count, round, run);
}

static float *take(size_t bytes)
{
    float *memory;
    MICRO_CUDA(cudaMalloc((void **)&memory, bytes));
    return memory;
}

int main(void)
{
    printf("experiment,pages,round,run\n");
    float *sink = take(16 * page), *a, *b;
    for (int round = 0; round < 3; round++) {
        a = take(page);
        for (int run = 0; run < 3; run++) {
            read<<<132, 256>>>(a, sink);
            row("read", 1, round, run);
        }
        a = take(page);
        for (int run = 0; run < 3; run++) {
            write<<<132, 256>>>(a);
            row("write", 1, round, run);
        }
        a = take(page), b = take(page);
        for (int run = 0; run < 3; run++) {
            copy<0><<<132, 256>>>(a, b);
            row("copy", 2, round, run);
        }
    }
    for (int run = 0; run < 3; run++) {
        copy<1><<<132, 256>>>(a, b);
        row("code", 2, 0, run);
    }
    for (int run = 0; run < 3; run++) {
        copy<2><<<132, 256>>>(a, b);
        row("code", 2, 1, run);
    }
    for (int count = 1; count <= 256; count *= 2)
        for (int round = 0; round < 2; round++) {
            a = take(count * page);
            for (int run = 0; run < 2; run++) {
                pages<<<528, 256>>>((const char *)a, sink, count, page);
                row("pages", count, round, run);
            }
        }
    for (int ctas = 1; ctas <= 132; ctas += 131)
        for (int round = 0; round < 2; round++) {
            a = take(32 * page);
            for (int run = 0; run < 2; run++) {
                chain<<<ctas, 1>>>((const char *)a, (int *)sink, 32, page);
                row("chain", ctas, round, run);
            }
        }
    a = take(page);
    read<<<132, 256>>>(a, sink);
    row("freed", 1, 0, 0);
    float *other = take(32 * page);
    MICRO_CUDA(cudaFree(other));
    read<<<132, 256>>>(a, sink);
    row("freed", 1, 0, 1);
    other = take(32 * page);
    write<<<132, 256>>>(other);
    row("other", 1, 0, 0);
    read<<<132, 256>>>(a, sink);
    row("other", 1, 0, 1);
    other = take(2048 * page);
    MICRO_CUDA(cudaMemset(other, 0, 2048 * page));
    for (int run = 0; run < 2; run++) {
        read<<<132, 256>>>(a, sink);
        row("set", 1, 0, run);
    }
    std::vector<char> host(page, 1);
    a = take(page);
    MICRO_CUDA(cudaMemcpy(a, host.data(), page, cudaMemcpyHostToDevice));
    for (int run = 0; run < 2; run++) {
        read<<<132, 256>>>(a, sink);
        row("hosted", 1, 0, run);
    }
    a = take(page);
    MICRO_CUDA(cudaMemset(a, 0, page));
    for (int run = 0; run < 2; run++) {
        read<<<132, 256>>>(a, sink);
        row("zeroed", 1, 0, run);
    }
    for (int round = 0; round < 2; round++) {
        a = take(8 * page), b = take(8 * page);
        for (int run = 0; run < 2; run++) {
            copy<0><<<4096, 256>>>(a, b);
            row("large", 4, round, run);
        }
    }
    for (int round = 0; round < 2; round++) {
        a = take(32 * page), b = take(32 * page);
        for (int run = 0; run < 2; run++) {
            copy<0><<<16384, 1024>>>(a, b);
            row("huge", 64, round, run);
        }
    }
    MICRO_CUDA(cudaDeviceSynchronize());
    return 0;
}
