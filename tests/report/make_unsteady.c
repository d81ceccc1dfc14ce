/* SPDX-License-Identifier: MIT
 *
 * make_unsteady.c - `make_unsteady FOLDER`: traces of two warps that try a compare-and-swap until
 * it succeeds, in one word (meet.trc) or in one each (apart.trc), and of a copy to shared memory
 * past L1 under a predicate, of all lanes or, in part.trc, of four.
 */
#include "tests/support/trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAS, COMPARE, AGAIN, COPY, EXIT, CODE_COUNT };

#define REG(number, registers, writes)                                                             \
    {                                                                                              \
        GMTRACE_REG_GENERAL, number, registers, writes                                             \
    }

static void fill(gmtrace_instr *code)
{
    static const char *const opcode[] = {"ATOMG.E.CAS.STRONG.GPU", "ISETP.NE.AND", "BRA",
                                         "LDGSTS.E.BYPASS.128", "EXIT"};
    static const char *const operands[] = {"PT, R9, [R4], R6, R7", "P0, PT, R9, R6, PT",
                                           "`(.L_x_0)", "[R20], desc[UR6][R2.64]", ""};
    static const uint8_t op_class[] = {GMTRACE_CLASS_ATOMIC, GMTRACE_CLASS_INT,
                                       GMTRACE_CLASS_BRANCH, GMTRACE_CLASS_COPY_ASYNC,
                                       GMTRACE_CLASS_EXIT};
    static const gmtrace_operand operand[][3] = {
        {REG(9, 1, 1), REG(4, 4, 0)},
        {{GMTRACE_REG_PREDICATE, 0, 1, 1}, REG(9, 1, 0), REG(6, 1, 0)},
        {{GMTRACE_REG_PREDICATE, 0, 1, 0}},
        {REG(20, 1, 0), REG(2, 2, 0)},
        {{0}}};
    static const uint8_t count[] = {2, 3, 1, 2, 0};

    for (uint32_t i = 0; i < CODE_COUNT; i++) {
        code[i] = gmtest_instr(i, opcode[i]);
        code[i].operands = operands[i];
        code[i].op_class = op_class[i];
        code[i].operand_count = count[i];
        memcpy(code[i].operand, operand[i], sizeof operand[i]);
    }
    code[CAS].file = code[COPY].file = 0;
    code[CAS].line = 7;
    code[COPY].line = 9;
    code[CAS].space = code[COPY].space = GMTRACE_SPACE_GLOBAL;
    code[CAS].width = 4;
    code[COPY].width = 16;
    code[COPY].bypass_l1 = 1;
    code[COPY].predicate = 1;
    code[AGAIN].predicate = 0;
    code[AGAIN].target = CAS;
}

static void append(gmtest_trace *trace, uint32_t warp, gmtrace_record record)
{
    record.kind = GMTRACE_ACCESS;
    record.shape = GMTRACE_AFFINE;
    gmtest_append(trace, 0, warp, &record, NULL);
}

static void write_trace(const char *folder, const char *name, uint64_t apart, uint32_t copies)
{
    static const char *const files[] = {"/nowhere/unsteady.cu"};
    gmtrace_instr code[CODE_COUNT];
    const gmtrace_kernel kernel = {.mangled = "unsteady",
                                   .name = "unsteady",
                                   .registers = 32,
                                   .static_shared = 1024,
                                   .barriers = 1,
                                   .instr_count = CODE_COUNT,
                                   .instr = code,
                                   .file_count = 1,
                                   .file = files};
    char path[4096];
    gmtest_trace trace;

    if ((size_t)snprintf(path, sizeof path, "%s/%s.trc", folder, name) >= sizeof path)
        exit(1);
    fill(code);
    gmtest_open(&trace, path);
    gmtest_use_kernel(&trace, &kernel);
    gmtest_launch(&trace, 1, 64);
    for (uint32_t warp = 0; warp < 2; warp++) {
        for (int turn = 0; turn < 2; turn++)
            append(&trace, warp,
                   (gmtrace_record){.instr = CAS,
                                    .mask = 1,
                                    .op = GMTRACE_OP_ATOMIC,
                                    .space = GMTRACE_SPACE_GLOBAL,
                                    .size = 4,
                                    .address = 0x7f0000000000u + warp * apart});
        append(&trace, warp,
               (gmtrace_record){.instr = COPY,
                                .mask = copies,
                                .op = GMTRACE_OP_COPY_READ,
                                .space = GMTRACE_SPACE_GLOBAL,
                                .size = 16,
                                .stride = 16,
                                .address = 0x7f0000001000u});
        append(&trace, warp,
               (gmtrace_record){.instr = COPY,
                                .mask = copies,
                                .op = GMTRACE_OP_COPY_WRITE,
                                .space = GMTRACE_SPACE_SHARED,
                                .size = 16,
                                .stride = 16});
    }
    gmtest_end_cta(&trace, 0);
    gmtest_close(&trace);
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
