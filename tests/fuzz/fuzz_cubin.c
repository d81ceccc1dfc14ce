/* SPDX-License-Identifier: MIT
 *
 * fuzz_cubin.c - any bytes as a cubin: its functions have names, code and calls that can be read,
 * its variables names, or one line says what is wrong.
 */
#include "tests/fuzz/fuzz.h"
#include "traces/capture/cubin.h"
#include "traces/code/sass.h"

#include <string.h>

static void check(const gmc_cubin *cubin, const gmc_function *function)
{
    const gmc_function *callee[4] = {NULL};
    gmtrace_sass sass = {0};
    size_t size;
    const void *code = gmc_cubin_code(cubin, function, &size); /* all of which is read below */
    NEED(strcmp(gmc_cubin_find(cubin, function->name)->name, function->name) == 0);
    const size_t callees = gmc_cubin_callees(cubin, function, callee, 4);
    for (size_t i = 0; i < callees && i < 4; i++)
        NEED(callee[i] && callee[i] != function && !callee[i]->kernel);
    if (code && gmtrace_sass_raw(&sass, code, size, 0))
        for (uint32_t i = 0; i < sass.instr_count; i++)
            NEED(sass.instr[i].stall < 16 && sass.instr[i].wait_mask < 64);
    gmtrace_sass_free(&sass);
}

static void count_name(void *user, const char *name, const gmc_initial *constant)
{
    const uint8_t *byte = constant ? constant->bytes : NULL;
    uint32_t sum = 0;
    for (uint64_t i = 0; constant && i < constant->size; i++)
        sum += byte[i];
    NEED(!constant || sum <= 255u * constant->size);
    *(size_t *)user += strlen(name) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *reason;
    gmc_cubin *cubin = gmc_cubin_open(data, size, &reason);
    if (!cubin) {
        fuzz_need_line(reason);
        return 0;
    }
    for (size_t i = 0; i < gmc_cubin_function_count(cubin) && i < 16; i++)
        check(cubin, gmc_cubin_function(cubin, i));
    NEED(!gmc_cubin_function(cubin, gmc_cubin_function_count(cubin)));
    size_t named = 0, variables = 0;
    gmc_cubin_variables(cubin, count_name, &named);
    gmc_cubin_variables(cubin, count_name, &variables);
    NEED(named == variables && named <= size / 24u); /* of a symbol each */
    gmc_cubin_close(cubin);
    return 0;
}
