/* SPDX-License-Identifier: MIT
 *
 * make_full.c - writes a trace of every instruction of a kernel in PTX: for tests of the exporter.
 */
#include "traces/gmtrace.h"

#include <stdio.h>
#include <stdlib.h>

static gmtrace_writer *writer;
static gmtrace_error error;

static void need(bool done)
{
    if (!done) {
        fprintf(stderr, "make_full: %s\n", error.text);
        exit(1);
    }
}

static void put(uint32_t instr, uint32_t mask, gmtrace_op op, gmtrace_space space)
{
    gmtrace_record r = {.instr = instr,
                        .mask = mask,
                        .kind = op ? GMTRACE_ACCESS : GMTRACE_EXEC,
                        .op = (uint8_t)op,
                        .space = (uint8_t)space};
    if (op) {
        r.size = instr == 2 ? 8 : 16;
        r.address = space == GMTRACE_SPACE_GLOBAL ? 0x7000 : 0;
        r.stride = r.size;
    }
    need(gmtrace_writer_append(writer, 0, 0, &r, NULL, &error));
}

int main(int argc, char **argv)
{
#define INSTR(at, name, text, kind)                                                                \
    .pc = at, .opcode = name, .operands = text, .op_class = kind, .file = GMTRACE_UNKNOWN,         \
    .target = GMTRACE_NO_INSTR, .predicate = GMTRACE_NO_REGISTER
    static const gmtrace_instr instr[] = {
        {INSTR(0, "fma.rn.f32", "%f4, %f1, %f2, %f3", GMTRACE_CLASS_FP32), .operand_count = 4,
         .operand = {{0, 4, 1, 1}, {0, 1, 1, 0}, {0, 2, 1, 0}, {0, 3, 1, 0}}},
        {INSTR(16, "cp.async.cg.shared.global", "[%r6], [%rd8], 16", GMTRACE_CLASS_COPY_ASYNC),
         .space = GMTRACE_SPACE_GLOBAL, .width = 16, .bypass_l1 = 1, .operand_count = 2,
         .operand = {{0, 6, 1, 0}, {0, 8, 2, 0}}},
        {INSTR(32, "ld.global.f64", "%fd4, [%rd2]", GMTRACE_CLASS_LOAD),
         .space = GMTRACE_SPACE_GLOBAL, .width = 8, .operand_count = 2,
         .operand = {{0, 4, 2, 1}, {0, 2, 2, 0}}},
        {INSTR(48, "ret", "", GMTRACE_CLASS_EXIT)},
    };
    const gmtrace_capture capture = {.source = "make_full",
                                     .program = "",
                                     .gpu = "",
                                     .cc_major = 9,
                                     .detail = GMTRACE_DETAIL_FULL};
    const gmtrace_kernel kernel = {
        .mangled = "full", .name = "full", .registers = 16, .instr_count = 4, .instr = instr};
    gmtrace_launch launch = {.grid = {1, 1, 1},
                             .block = {32, 1, 1},
                             .cluster = {1, 1, 1},
                             .shared_config = GMTRACE_UNKNOWN,
                             .carveout_percent = -1};
    if (argc != 2)
        return 2;
    writer = gmtrace_writer_create(argv[1], &capture, NULL, &error);
    need(writer != NULL);
    need(gmtrace_writer_add_kernel(writer, &kernel, &launch.kernel, &error));
    need(gmtrace_writer_begin_launch(writer, &launch, &error));
    put(0, UINT32_MAX, GMTRACE_OP_NONE, GMTRACE_SPACE_NONE);
    put(1, 0xffff, GMTRACE_OP_COPY_READ, GMTRACE_SPACE_GLOBAL); /* the others write zeros */
    put(1, UINT32_MAX, GMTRACE_OP_COPY_WRITE, GMTRACE_SPACE_SHARED);
    put(1, UINT32_MAX, GMTRACE_OP_COPY_WRITE, GMTRACE_SPACE_SHARED); /* all write zeros */
    put(2, UINT32_MAX, GMTRACE_OP_LOAD, GMTRACE_SPACE_GLOBAL);
    put(3, UINT32_MAX, GMTRACE_OP_NONE, GMTRACE_SPACE_NONE);
    need(gmtrace_writer_end_launch(writer, &error));
    need(gmtrace_writer_close(writer, true, &error));
    return 0;
}
