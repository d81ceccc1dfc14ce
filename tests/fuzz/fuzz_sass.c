/* SPDX-License-Identifier: MIT
 *
 * fuzz_sass.c - any bytes as a disassembler's listing, and as machine code without one: a table
 * whose indices lie within it, from which paths can be searched.
 */
#include "tests/fuzz/fuzz.h"
#include "traces/code/path.h"
#include "traces/code/sass.h"

static void check(gmtrace_sass *sass)
{
    gmtrace_sass_link(sass);
    for (uint32_t i = 0; i < sass->instr_count; i++) {
        const gmtrace_instr *instr = &sass->instr[i];
        NEED(instr->target < sass->instr_count || instr->target == GMTRACE_NO_INSTR);
        NEED(instr->op_class < GMTRACE_CLASS_COUNT && instr->space < GMTRACE_SPACE_COUNT);
        NEED(instr->operand_count <= GMTRACE_MAX_OPERANDS);
    }
    const gmtrace_kernel kernel = {.mangled = "k",
                                   .name = "k",
                                   .instr_count = sass->instr_count,
                                   .instr = sass->instr,
                                   .file_count = sass->file_count,
                                   .file = sass->file};
    gmtrace_paths *paths = gmtrace_paths_create(&kernel, GMTRACE_DETAIL_MEMORY);
    if (paths) {
        gmtrace_path_warp warp;
        gmtrace_path_enter(paths, &warp, UINT32_MAX);
        gmtrace_path_end(paths, &warp);
        gmtrace_paths_free(paths);
    }
    gmtrace_sass_free(sass);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gmtrace_sass sass = {0};
    char *text = fuzz_text(data, size);
    if (gmtrace_sass_listing(&sass, text, ".text.k", 0))
        gmtrace_sass_lives(&sass, text, ".text.k", 0);
    check(&sass);
    free(text);
    if (gmtrace_sass_raw(&sass, data, size, 0))
        check(&sass);
    else
        gmtrace_sass_free(&sass);
    return 0;
}
