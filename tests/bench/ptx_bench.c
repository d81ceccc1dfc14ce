/* SPDX-License-Identifier: MIT
 *
 * ptx_bench.c - the PTX interpreter's speed on one core: saxpy and a copy of 16 bytes a thread, as
 * nvcc writes them, with a trace and without. Prints warp instructions and millions a second. Time
 * is the processor's, of the launch alone.
 */
#include "traces/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCK 256u

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n) {\n"
    " .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %d<8>;\n"
    " ld.param.f32 %f1, [a]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];\n"
    " ld.param.u32 %r2, [n];\n"
    " mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
    " mad.lo.s32 %r1, %r3, %r4, %r5; setp.ge.s32 %p1, %r1, %r2; @%p1 bra DONE;\n"
    " cvta.to.global.u64 %d3, %d1; mul.wide.s32 %d4, %r1, 4; add.s64 %d5, %d3, %d4;\n"
    " ld.global.f32 %f2, [%d5]; cvta.to.global.u64 %d6, %d2; add.s64 %d7, %d6, %d4;\n"
    " ld.global.f32 %f3, [%d7]; fma.rn.f32 %f4, %f2, %f1, %f3; st.global.f32 [%d7], %f4;\n"
    "DONE: ret; }\n"
    ".visible .entry copy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n) {\n"
    " .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %d<8>;\n"
    " ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.u32 %r2, [n];\n"
    " mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
    " mad.lo.s32 %r1, %r3, %r4, %r5; setp.ge.s32 %p1, %r1, %r2; @%p1 bra DONE;\n"
    " cvta.to.global.u64 %d3, %d1; mul.wide.s32 %d4, %r1, 16; add.s64 %d5, %d3, %d4;\n"
    " ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d5];\n"
    " cvta.to.global.u64 %d6, %d2; add.s64 %d7, %d6, %d4;\n"
    " st.global.v4.f32 [%d7], {%f1, %f2, %f3, %f4};\n"
    "DONE: ret; }\n";

static int fail(const gmtrace_error *error)
{
    fprintf(stderr, "ptx_bench: %s\n", error->text);
    return 1;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One launch; the trace goes to `file` where that is not NULL. */
static int measure(gmptx_module *module, const char *name, uint32_t ctas, const char *file)
{
    gmtrace_error error = {0};
    gmtrace_writer *writer = NULL;
    gmptx_result result;
    uint32_t index = 0, n = ctas * BLOCK;
    float a = 2;
    void *x = calloc(n, 16), *y = calloc(n, 16);
    const gmptx_kernel *kernel = gmptx_find_kernel(module, name, &error);
    if (!kernel || !x || !y)
        return fail(&error);
    memset(x, 1, (size_t)n * 16);
    memset(y, 1, (size_t)n * 16);
    if (file) {
        const gmtrace_capture capture = {.detail = GMTRACE_DETAIL_FULL};
        writer = gmtrace_writer_create(file, &capture, NULL, &error);
        if (!writer || !gmptx_add_to_trace(kernel, NULL, 0, writer, &index, &error))
            return fail(&error);
    }
    const gmptx_launch launch = {.kernel = kernel,
                                 .grid = {ctas, 1, 1},
                                 .block = {BLOCK, 1, 1},
                                 .args = (void *[]){&a, &x, &y, &n},
                                 .writer = writer,
                                 .trace = {.kernel = index}};
    const double start = seconds();
    if (!gmptx_run(&launch, &result, &error))
        return fail(&error);
    const double time = seconds() - start;
    if (writer && !gmtrace_writer_close(writer, true, &error))
        return fail(&error);
    printf("%llu %.1f\n", (unsigned long long)result.warp_instructions,
           (double)result.warp_instructions / time * 1e-6);
    free(x);
    free(y);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fputs("usage: ptx_bench saxpy|copy CTAS [TRACE]\n", stderr);
        return 2;
    }
    gmtrace_error error = {0};
    gmptx_module *module = gmptx_parse(text, strlen(text), "bench", &error);
    if (!module)
        return fail(&error);
    const int status = measure(module, argv[1], (uint32_t)atoi(argv[2]), argv[3]);
    gmptx_free(module);
    return status;
}
