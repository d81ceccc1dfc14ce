/* SPDX-License-Identifier: MIT
 *
 * fuzz_ptx.c - any bytes as PTX: parse them, prepare every kernel, and run it for a moment with no
 * memory but its own. Nothing may crash, hang or read out of bounds.
 */
#include "tests/fuzz/moment.h"

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
            fuzz_moment(kernel, print);
    }
    gmptx_free(module);
    return 0;
}
