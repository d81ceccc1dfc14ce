/* SPDX-License-Identifier: MIT
 *
 * moment.h - a kernel, whatever it does, runs for a moment with no memory but its own.
 */
#ifndef GMTEST_MOMENT_H
#define GMTEST_MOMENT_H

#include "tests/fuzz/fuzz.h"
#include "traces/ptx/ptx.h"

static inline bool fuzz_no_memory(void *user, uint64_t address, uint64_t bytes, bool is_write,
                                  uint64_t *shift)
{
    (void)shift;
    (void)user;
    (void)address;
    (void)bytes;
    (void)is_write;
    return false;
}

static inline void fuzz_moment(const gmptx_kernel *kernel, FILE *print)
{
    void **args = calloc(kernel->param_count + 1, sizeof *args);
    void *zeros = calloc(1, (size_t)kernel->param_bytes + 1);
    if (args && zeros && kernel->local_bytes < 65536) {
        for (uint32_t i = 0; i < kernel->param_count; i++)
            args[i] = zeros;
        const gmptx_launch launch = {.kernel = kernel,
                                     .grid = {2, 1, 1},
                                     .block = {40, 1, 1},
                                     .dynamic_shared = 64,
                                     .args = args,
                                     .check = fuzz_no_memory,
                                     .instruction_limit = 3000,
                                     .print = print};
        gmtrace_error error;
        gmptx_run(&launch, NULL, &error);
    }
    free(args);
    free(zeros);
}

#endif
