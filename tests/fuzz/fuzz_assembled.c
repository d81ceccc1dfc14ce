/* SPDX-License-Identifier: MIT
 *
 * fuzz_assembled.c - any bytes as what ptxas and nvdisasm leave in the user's cache, a cubin or its
 * listing, beside the other one as it should be: assemble every kernel, and run it for a moment.
 */
#include <string.h>

#include "tests/fuzz/moment.h"

/* The kernels of tests/ptx/assembled, by name and parameters. */
#define PARAMETERS "(.param .u64 from, .param .u64 to, .param .u32 n) { ret; }\n"
static const char stubs[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".global .align 8 .b8 turns[32];\n"
                            ".visible .entry integers" PARAMETERS ".visible .entry loops" PARAMETERS
                            ".visible .entry sums" PARAMETERS ".visible .entry counts" PARAMETERS
                            ".visible .entry reals" PARAMETERS ".visible .entry locals" PARAMETERS;

static char *good(const char *name, size_t *size)
{
    const char *top = getenv("GMSIM_SRCDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/fuzz/assembled/%s", top ? top : ".", name);
    FILE *file = fopen(path, "rb");
    NEED(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(1, *size + 1);
    NEED(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *print;
    static char *cubin, *listing;
    static size_t cubin_bytes;
    gmtrace_error error;
    if (!print) {
        size_t bytes;
        print = fopen("/dev/null", "w");
        cubin = good("kernels.cubin", &cubin_bytes);
        listing = good("sums.code", &bytes);
    }
    char *text = fuzz_text(data, size);
    const bool is_cubin = size > 3 && memcmp(data, "\177ELF", 4) == 0;
    const gmptx_code code = {is_cubin ? data : (const uint8_t *)cubin,
                             is_cubin ? size : cubin_bytes, is_cubin ? listing : text, NULL};
    gmptx_module *module = gmptx_parse(stubs, sizeof stubs - 1, "fuzz", &error);
    NEED(module);
    for (uint32_t i = 0; i < gmptx_kernel_count(module); i++) {
        const gmptx_kernel *kernel =
            gmptx_find_kernel(module, gmptx_kernel_name(module, i), &error);
        const gmptx_kernel *made = kernel ? gmptx_assemble(module, kernel, &code, &error) : NULL;
        if (made)
            fuzz_moment(made, print);
        else
            fuzz_need_line(error.text);
    }
    gmptx_free(module);
    free(text);
    return 0;
}
