/* SPDX-License-Identifier: MIT
 *
 * fuzz_ptx.c - any bytes as PTX: parse them, prepare every kernel, and run it for a moment with no
 * memory but its own. Nothing may crash, hang or read out of bounds.
 */
#include "tests/fuzz/fuzz.h"
#include "traces/ptx/ptx.h"

static bool no_memory(void *user, uint64_t address, uint64_t bytes, bool is_write, uint64_t *shift)
{
    (void)shift;
    (void)user;
    (void)address;
    (void)bytes;
    (void)is_write;
    return false;
}

static void run(const gmptx_kernel *kernel, FILE *print)
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
                                     .check = no_memory,
                                     .instruction_limit = 3000,
                                     .print = print};
        gmtrace_error error;
        gmptx_run(&launch, NULL, &error);
    }
    free(args);
    free(zeros);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *print;
    gmtrace_error error;
    if (!print)
        print = fopen("/dev/null", "w");
    gmptx_module *module = gmptx_parse((const char *)data, size, "fuzz", &error);
    for (uint32_t i = 0; module && i < gmptx_kernel_count(module); i++) {
        const gmptx_kernel *kernel =
            gmptx_find_kernel(module, gmptx_kernel_name(module, i), &error);
        if (kernel)
            run(kernel, print);
    }
    gmptx_free(module);
    return 0;
}
