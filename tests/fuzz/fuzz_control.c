/* SPDX-License-Identifier: MIT
 *
 * fuzz_control.c - any bytes as a kernel's code and the records of a warp: control bits that are
 * set for it are ones that an encoding can hold, and whatever was recorded, what was executed
 * between two records and which spills were left out can be asked for.
 *
 * A byte says how many instructions there are; eight bytes make one, eight more a record.
 */
#include "tests/fuzz/fuzz.h"
#include "traces/code/control.h"
#include "traces/code/decoded.h"
#include "traces/code/path.h"
#include "traces/code/sass.h"
#include "traces/code/unseen.h"

#include <string.h>

#define MOST 64u

static const char *const opcodes[] = {"LDG.E",
                                      "STG.E",
                                      "LDS",
                                      "STS",
                                      "LDL",
                                      "STL",
                                      "BRA",
                                      "EXIT",
                                      "BSSY",
                                      "BSYNC",
                                      "BAR.SYNC",
                                      "CALL",
                                      "RET",
                                      "IADD3",
                                      "ISETP.GE",
                                      "ATOMG.E.ADD",
                                      "LDGSTS.E",
                                      "BREAK",
                                      "BRX",
                                      "MOV",
                                      "DEPBAR",
                                      "S2R",
                                      "HMMA.16816.F32",
                                      "LDC",
                                      "ld.global.f32",
                                      "bra",
                                      "ret",
                                      "call",
                                      "setp.lt.s32",
                                      "@P0 BRA",
                                      "WARPSYNC",
                                      ""};
static const char *const operands[] = {
    "R0, [R1+0x10]",        "[R1], R2", "R1, R1, -0x20", "P0, PT, R2, 0x40, PT",
    "R2, R2, 0x1, RZ",      "`(.L_1)",  "B0, `(.L_2)",   "",
    "R4, R5, c[0x0][0x28]", "0x4"};

static void make(gmtrace_instr *instr, const uint8_t at[8], uint32_t index, uint32_t count)
{
    *instr = (gmtrace_instr){.pc = 16 * (uint64_t)index,
                             .encoding = {at[6], at[7]},
                             .opcode = opcodes[at[0] % (sizeof opcodes / sizeof *opcodes)],
                             .operands = operands[at[1] % (sizeof operands / sizeof *operands)],
                             .file = GMTRACE_UNKNOWN,
                             .target = GMTRACE_NO_INSTR,
                             .predicate = GMTRACE_NO_REGISTER};
    gmtrace_sass_classify(instr);
    instr->target = at[2] < count ? at[2] : GMTRACE_NO_INSTR;
    instr->predicate = at[3] < 8 ? at[3] : GMTRACE_NO_REGISTER;
    instr->predicate_negated = at[4] & 1;
    instr->stall = at[4] >> 4;
    if (at[5] & 1) {
        instr->operand_count = 1 + at[5] % GMTRACE_MAX_OPERANDS;
        for (unsigned i = 0; i < instr->operand_count; i++)
            instr->operand[i] = (gmtrace_operand){
                .file = at[6] % 3, .first = (uint8_t)(at[7] + i), .count = 1, .write = i == 0};
    }
}

static void check_control(gmtrace_instr *instr, uint32_t count)
{
    NEED(gmt_control_set(instr, count));
    gmt_control_hoist(instr, count);
    for (uint32_t i = 0; i < count; i++) {
        NEED(instr[i].stall < 16 && instr[i].wait_mask < 64);
        NEED(instr[i].write_barrier < 6 || instr[i].write_barrier == 7);
        NEED(instr[i].read_barrier < 6 || instr[i].read_barrier == 7);
    }
}

static void check_paths(const gmtrace_kernel *kernel, const gmtrace_record *record, size_t records)
{
    gmtrace_paths *paths = gmtrace_paths_create(kernel, GMTRACE_DETAIL_MEMORY);
    gmtrace_path_warp warp;
    NEED(paths);
    gmtrace_path_enter(paths, &warp, UINT32_MAX);
    for (size_t i = 0; i <= records; i++) {
        const gmtrace_path *path = i < records ? gmtrace_path_step(paths, &warp, &record[i])
                                               : gmtrace_path_end(paths, &warp);
        for (uint32_t k = 0; k < path->piece_count; k++)
            NEED(path->piece[k].first < kernel->instr_count &&
                 path->piece[k].count <= kernel->instr_count - path->piece[k].first);
    }
    gmtrace_paths_free(paths);
}

static void check_unseen(const gmtrace_kernel *kernel, const gmtrace_record *record, size_t records)
{
    gmtrace_unseen *unseen;
    gmtrace_unseen_warp warp;
    size_t before;
    NEED(gmtrace_unseen_create(kernel->instr, kernel->instr_count, GMTRACE_DETAIL_MEMORY, &unseen));
    if (!unseen)
        return;
    gmtrace_unseen_enter(unseen, &warp, UINT32_MAX);
    for (size_t i = 0; i <= records; i++) {
        const size_t count = i < records ? gmtrace_unseen_step(unseen, &warp, record[i].instr,
                                                               record[i].mask, &before)
                                         : gmtrace_unseen_end(unseen, &warp, UINT32_MAX);
        for (size_t k = 0; k < count; k++)
            NEED(gmtrace_unseen_is_slot(unseen, gmtrace_unseen_list(unseen)[k].instr));
    }
    gmtrace_unseen_free(unseen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gmtrace_instr instr[MOST];
    gmtrace_record record[MOST];
    const uint32_t count = size ? data[0] % MOST + 1 : 0;
    if (size < 1 + 8 * (size_t)count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        make(&instr[i], data + 1 + 8 * i, i, count);
    size_t records = 0;
    for (size_t at = 1 + 8 * (size_t)count; at + 8 <= size && records < MOST; at += 8) {
        const gmtrace_decoded decoded = gmtrace_decode(&instr[data[at] % count]);
        gmtrace_record *r = &record[records++];
        *r = (gmtrace_record){.instr = data[at] % count, .kind = decoded.kind, .op = decoded.op};
        memcpy(&r->mask, data + at + 1, sizeof r->mask);
        r->mask |= !r->mask;
    }
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = count, .instr = instr};
    check_paths(&kernel, record, records);
    check_unseen(&kernel, record, records);
    check_control(instr, count);
    return 0;
}
