/* SPDX-License-Identifier: MIT
 *
 * make_unsteady.c - `make_unsteady FOLDER`: traces of two warps that try a compare-and-swap until
 * it succeeds, in one word (meet.trc) or in one each (apart.trc), and of a copy to shared memory
 * past L1 under a predicate, of all lanes or, in part.trc, of four.
 */
#include <stdio.h>
#include <stdlib.h>

#include "traces/gmtrace.h"

enum { CAS, COMPARE, AGAIN, COPY, EXIT, CODE_COUNT };

static gmtrace_error error;

static void check(bool ok)
{
    if (ok)
        return;
    fprintf(stderr, "make_unsteady: %s\n", error.text);
    exit(1);
}

static void access(gmtrace_writer *writer, uint32_t warp, gmtrace_record record)
{
    record.kind = GMTRACE_ACCESS;
    record.shape = GMTRACE_AFFINE;
    check(gmtrace_writer_append(writer, 0, warp, &record, NULL, &error));
}

static void write_trace(const char *folder, const char *name, uint64_t apart, uint32_t copies)
{
    static const char *const files[] = {"/nowhere/unsteady.cu"};
    static const gmtrace_instr code[CODE_COUNT] = {
        [CAS] = {.pc = 0,
                 .opcode = "ATOMG.E.CAS.STRONG.GPU",
                 .operands = "PT, R9, [R4], R6, R7",
                 .line = 7,
                 .target = GMTRACE_NO_INSTR,
                 .op_class = GMTRACE_CLASS_ATOMIC,
                 .space = GMTRACE_SPACE_GLOBAL,
                 .width = 4,
                 .predicate = GMTRACE_NO_REGISTER,
                 .write_barrier = 7,
                 .read_barrier = 7,
                 .operand_count = 2,
                 .operand = {{GMTRACE_REG_GENERAL, 9, 1, 1}, {GMTRACE_REG_GENERAL, 4, 4, 0}}},
        [COMPARE] = {.pc = 16,
                     .opcode = "ISETP.NE.AND",
                     .operands = "P0, PT, R9, R6, PT",
                     .target = GMTRACE_NO_INSTR,
                     .op_class = GMTRACE_CLASS_INT,
                     .predicate = GMTRACE_NO_REGISTER,
                     .write_barrier = 7,
                     .read_barrier = 7,
                     .operand_count = 3,
                     .operand = {{GMTRACE_REG_PREDICATE, 0, 1, 1},
                                 {GMTRACE_REG_GENERAL, 9, 1, 0},
                                 {GMTRACE_REG_GENERAL, 6, 1, 0}}},
        [AGAIN] = {.pc = 32,
                   .opcode = "BRA",
                   .operands = "`(.L_x_0)",
                   .target = CAS,
                   .op_class = GMTRACE_CLASS_BRANCH,
                   .predicate = 0,
                   .write_barrier = 7,
                   .read_barrier = 7,
                   .operand_count = 1,
                   .operand = {{GMTRACE_REG_PREDICATE, 0, 1, 0}}},
        [COPY] = {.pc = 48,
                  .opcode = "LDGSTS.E.BYPASS.128",
                  .operands = "[R20], desc[UR6][R2.64]",
                  .line = 9,
                  .target = GMTRACE_NO_INSTR,
                  .op_class = GMTRACE_CLASS_COPY_ASYNC,
                  .space = GMTRACE_SPACE_GLOBAL,
                  .width = 16,
                  .bypass_l1 = 1,
                  .predicate = 1,
                  .write_barrier = 7,
                  .read_barrier = 7,
                  .operand_count = 2,
                  .operand = {{GMTRACE_REG_GENERAL, 20, 1, 0}, {GMTRACE_REG_GENERAL, 2, 2, 0}}},
        [EXIT] = {.pc = 64,
                  .opcode = "EXIT",
                  .operands = "",
                  .target = GMTRACE_NO_INSTR,
                  .op_class = GMTRACE_CLASS_EXIT,
                  .predicate = GMTRACE_NO_REGISTER,
                  .write_barrier = 7,
                  .read_barrier = 7}};
    const gmtrace_kernel kernel = {.mangled = "unsteady",
                                   .name = "unsteady",
                                   .registers = 32,
                                   .static_shared = 1024,
                                   .barriers = 1,
                                   .instr_count = CODE_COUNT,
                                   .instr = code,
                                   .file_count = 1,
                                   .file = files};
    const gmtrace_capture capture = {.source = "make_unsteady",
                                     .program = "unsteady",
                                     .gpu = "NVIDIA H200",
                                     .cc_major = 9,
                                     .sm_count = 132,
                                     .detail = GMTRACE_DETAIL_MEMORY};
    gmtrace_launch launch = {.grid = {1, 1, 1},
                             .block = {64, 1, 1},
                             .cluster = {1, 1, 1},
                             .shared_config = 65536,
                             .carveout_percent = -1};
    char path[4096];

    if ((size_t)snprintf(path, sizeof path, "%s/%s.trc", folder, name) >= sizeof path)
        exit(1);
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, NULL, &error);
    check(writer != NULL);
    check(gmtrace_writer_add_kernel(writer, &kernel, &launch.kernel, &error));
    check(gmtrace_writer_begin_launch(writer, &launch, &error));
    for (uint32_t warp = 0; warp < 2; warp++) {
        for (int turn = 0; turn < 2; turn++)
            access(writer, warp,
                   (gmtrace_record){.instr = CAS,
                                    .mask = 1,
                                    .op = GMTRACE_OP_ATOMIC,
                                    .space = GMTRACE_SPACE_GLOBAL,
                                    .size = 4,
                                    .address = 0x7f0000000000u + warp * apart});
        access(writer, warp,
               (gmtrace_record){.instr = COPY,
                                .mask = copies,
                                .op = GMTRACE_OP_COPY_READ,
                                .space = GMTRACE_SPACE_GLOBAL,
                                .size = 16,
                                .stride = 16,
                                .address = 0x7f0000001000u});
        access(writer, warp,
               (gmtrace_record){.instr = COPY,
                                .mask = copies,
                                .op = GMTRACE_OP_COPY_WRITE,
                                .space = GMTRACE_SPACE_SHARED,
                                .size = 16,
                                .stride = 16});
    }
    check(gmtrace_writer_end_cta(writer, 0, &error));
    check(gmtrace_writer_end_launch(writer, &error));
    check(gmtrace_writer_close(writer, true, &error));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    write_trace(argv[1], "meet", 0, UINT32_MAX);
    write_trace(argv[1], "apart", 64, UINT32_MAX);
    write_trace(argv[1], "part", 64, 0xf);
    return 0;
}
