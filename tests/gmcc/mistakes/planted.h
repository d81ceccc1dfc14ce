/* SPDX-License-Identifier: MIT
 *
 * planted.h - for programs that make one mistake a run: the kernel that the first argument names.
 */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static bool is(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

#define PLANTED(kernel, grid, block, shared, ...)                                                  \
    if (is(name, #kernel))                                                                         \
        kernel<<<grid, block, shared>>>(__VA_ARGS__);
