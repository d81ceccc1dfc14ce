/* SPDX-License-Identifier: MIT
 *
 * trace_builder.c - see trace_builder.h.
 */
#include "tests/support/trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(bool done, const char *what, const gmtrace_error *error)
{
    if (done)
        return;
    fprintf(stderr, "trace builder: %s: %s\n", what, error->text);
    abort();
}

char *gmtest_new_path(void)
{
    static const char name[] = "/gmtrace-XXXXXX.trc", end[] = ".trc";
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    char *path = malloc(strlen(folder) + sizeof name);
    const gmtrace_error error = {.text = "no file for it could be made"};
    int fd = -1;
    if (path) {
        strcat(strcpy(path, folder), name);
        fd = mkstemps(path, (int)sizeof end - 1);
    }
    need(fd >= 0 && close(fd) == 0, "a new trace", &error);
    return path;
}

static const char *const files[] = {"test.cu"};

#define ACCESS(at, name, text, source, cls, spc, wide)                                             \
    {                                                                                              \
        .pc = 16 * (at), .opcode = name, .operands = text, .file = 0, .line = source,              \
        .target = GMTRACE_NO_INSTR, .op_class = cls, .space = spc, .width = wide,                  \
        .predicate = GMTRACE_NO_REGISTER, .stall = 4, .write_barrier = 7, .read_barrier = 7,       \
    }

static const gmtrace_instr instrs[GMTEST_INSTRS] = {
    ACCESS(0, "LDG.E", "R4, [R2.64]", 3, GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 4),
    ACCESS(1, "STG.E", "[R2.64], R4", 4, GMTRACE_CLASS_STORE, GMTRACE_SPACE_GLOBAL, 4),
    ACCESS(2, "LDS", "R5, [R6]", 5, GMTRACE_CLASS_LOAD, GMTRACE_SPACE_SHARED, 4),
    ACCESS(3, "STS", "[R6], R5", 6, GMTRACE_CLASS_STORE, GMTRACE_SPACE_SHARED, 4),
    ACCESS(4, "LDL", "R7, [R1]", 7, GMTRACE_CLASS_LOAD, GMTRACE_SPACE_LOCAL, 4),
    ACCESS(5, "ATOMG.E.ADD", "R8, [R2.64], R4", 8, GMTRACE_CLASS_ATOMIC, GMTRACE_SPACE_GLOBAL, 4),
    ACCESS(6, "RED.E.ADD", "[R2.64], R4", 9, GMTRACE_CLASS_REDUCTION, GMTRACE_SPACE_GLOBAL, 4),
    ACCESS(7, "BAR.SYNC", "0x0", 10, GMTRACE_CLASS_BARRIER, GMTRACE_SPACE_NONE, 0),
    ACCESS(8, "EXIT", "", 11, GMTRACE_CLASS_EXIT, GMTRACE_SPACE_NONE, 0),
};

const gmtrace_kernel *gmtest_kernel(void)
{
    static const gmtrace_kernel kernel = {
        .mangled = "_Z11test_kernelPf",
        .name = "test_kernel(float *)",
        .registers = 32,
        .static_shared = 4096,
        .local_bytes = 0,
        .barriers = 1,
        .instr_count = GMTEST_INSTRS,
        .instr = instrs,
        .file_count = 1,
        .file = files,
    };
    return &kernel;
}

const gmtrace_capture *gmtest_capture(void)
{
    static const gmtrace_capture capture = {
        .source = "trace builder",
        .program = "test",
        .gpu = "",
        .cc_major = 9,
        .detail = GMTRACE_DETAIL_MEMORY,
    };
    return &capture;
}

void gmtest_open(gmtest_trace *trace, const char *path)
{
    gmtest_open_with(trace, path, NULL);
}

void gmtest_open_with(gmtest_trace *trace, const char *path, const gmtrace_writer_options *options)
{
    gmtrace_error error;
    *trace =
        (gmtest_trace){.writer = gmtrace_writer_create(path, gmtest_capture(), options, &error)};
    need(trace->writer != NULL, path, &error);
    gmtest_use_kernel(trace, gmtest_kernel());
}

void gmtest_use_kernel(gmtest_trace *trace, const gmtrace_kernel *kernel)
{
    gmtrace_error error;
    need(gmtrace_writer_add_kernel(trace->writer, kernel, &trace->kernel, &error), "kernel",
         &error);
}

static void end_launch(gmtest_trace *trace)
{
    gmtrace_error error;
    if (trace->open)
        need(gmtrace_writer_end_launch(trace->writer, &error), "end of launch", &error);
    trace->open = 0;
}

void gmtest_launch(gmtest_trace *trace, uint32_t ctas, uint32_t threads)
{
    const gmtrace_launch launch = {
        .grid = {ctas, 1, 1},
        .block = {threads, 1, 1},
        .cluster = {1, 1, 1},
        .shared_config = GMTRACE_UNKNOWN,
        .carveout_percent = -1,
    };
    gmtest_launch_with(trace, &launch);
}

void gmtest_launch_with(gmtest_trace *trace, const gmtrace_launch *launch)
{
    gmtrace_error error;
    gmtrace_launch own = *launch;
    end_launch(trace);
    own.kernel = trace->kernel;
    trace->block = own.block[0] * own.block[1] * own.block[2];
    need(gmtrace_writer_begin_launch(trace->writer, &own, &error), "launch", &error);
    trace->open = 1;
}

gmtrace_record gmtest_record(uint32_t instr, uint32_t mask)
{
    static const uint8_t op[GMTEST_INSTRS] = {
        [GMTEST_LDG] = GMTRACE_OP_LOAD,      [GMTEST_STG] = GMTRACE_OP_STORE,
        [GMTEST_LDS] = GMTRACE_OP_LOAD,      [GMTEST_STS] = GMTRACE_OP_STORE,
        [GMTEST_LDL] = GMTRACE_OP_LOAD,      [GMTEST_ATOMG] = GMTRACE_OP_ATOMIC,
        [GMTEST_RED] = GMTRACE_OP_REDUCTION,
    };
    gmtrace_record record = {
        .instr = instr,
        .mask = mask,
        .kind = GMTRACE_ACCESS,
        .op = op[instr],
        .space = instrs[instr].space,
        .size = 4,
    };
    if (instr == GMTEST_BAR || instr == GMTEST_EXIT) {
        record.kind = instr == GMTEST_BAR ? GMTRACE_BARRIER : GMTRACE_EXEC;
        record.size = 0;
    }
    return record;
}

void gmtest_append(gmtest_trace *trace, uint64_t cta, uint32_t warp, const gmtrace_record *record,
                   const uint64_t *address)
{
    gmtrace_error error;
    need(gmtrace_writer_append(trace->writer, cta, warp, record, address, &error), "record",
         &error);
}

void gmtest_affine(gmtest_trace *trace, uint64_t cta, uint32_t warp, uint32_t instr, uint32_t mask,
                   uint64_t base, int32_t stride)
{
    gmtrace_record record = gmtest_record(instr, mask);
    record.address = base;
    record.stride = stride;
    gmtest_append(trace, cta, warp, &record, NULL);
}

void gmtest_lanes(gmtest_trace *trace, uint64_t cta, uint32_t warp, uint32_t instr, uint32_t mask,
                  const uint64_t address[GMTRACE_WARP_LANES])
{
    const gmtrace_record record = gmtest_record(instr, mask);
    gmtest_append(trace, cta, warp, &record, address);
}

void gmtest_barrier(gmtest_trace *trace, uint64_t cta, uint32_t warp)
{
    gmtrace_record record = gmtest_record(GMTEST_BAR, UINT32_MAX);
    record.aux = trace->block;
    gmtest_append(trace, cta, warp, &record, NULL);
}

void gmtest_end_cta(gmtest_trace *trace, uint64_t cta)
{
    gmtrace_error error;
    need(gmtrace_writer_end_cta(trace->writer, cta, &error), "end of CTA", &error);
}

void gmtest_close(gmtest_trace *trace)
{
    gmtrace_error error;
    end_launch(trace);
    need(gmtrace_writer_close(trace->writer, true, &error), "close", &error);
    trace->writer = NULL;
}
