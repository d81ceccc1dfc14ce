/* SPDX-License-Identifier: MIT
 *
 * fuzz_lanes.c - code whose branches the numbers of threads decide, made of any bytes: what two
 * warps with different values execute between records lies within it, whatever was recorded.
 *
 * A byte says how many instructions there are; four bytes make one, of which the first chooses its
 * text, the others registers, numbers and where it jumps; eight more make a record.
 */
#include "tests/fuzz/fuzz.h"
#include "traces/code/decoded.h"
#include "traces/code/path.h"
#include "traces/code/sass.h"

#include <string.h>

#define MOST  40u /* instructions */
#define WARPS 2u

/* %R, %S: registers; %P, %Q: predicates; %N, %M: small numbers; %L: a place to jump to. */
static const char *const text[] = {
    "S2R %R, SR_TID.X",
    "S2R %R, SR_CTAID.X",
    "S2R %R, SR_LANEID",
    "IADD3 %R, %S, %N, RZ",
    "VIADD %R, %S, -%N",
    "IMAD %R, %S, %N, %R",
    "IMAD.MOV.U32 %R, RZ, RZ, %S",
    "IMAD.WIDE.U32 %R, %S, %N, %R",
    "IMAD.HI.U32 %R, %S, %N, RZ",
    "LEA %R, %S, %R, %M",
    "LEA.HI %R, %S, %R, RZ, %M",
    "SHF.R.U32.HI %R, RZ, %N, %S",
    "SHF.L.U32 %R, %S, %N, RZ",
    "SHF.R.S64 %R, %S, %N, %R",
    "LOP3.LUT %R, %S, %N, RZ, 0xc0, !PT",
    "LOP3.LUT %P, %R, %S, %N, RZ, 0x3c, !PT",
    "ISETP.GE.U32.AND %P, PT, %R, %N, PT",
    "ISETP.NE.AND %P, PT, %R, %S, %Q",
    "ISETP.LT.OR %P, PT, %R, %N, !%Q",
    "PLOP3.LUT %P, PT, %P, %Q, PT, 0x80, 0x8",
    "P2R %R, PR, RZ, 0x7",
    "SEL %R, %S, %N, %P",
    "VIMNMX %R, %S, %N, PT",
    "IABS %R, %S",
    "POPC %R, %S",
    "LDC %R, c[0x0][0x0]",
    "LDC %R, c[0x0][0x210]",
    "@%P BRA `(%L)",
    "@!%P BRA `(%L)",
    "BRA `(%L)",
    "@%P EXIT",
    "BSSY B0, `(%L)",
    "BSYNC B0",
    "WARPSYNC.ALL",
    "FADD %R, |%S|, -%R",
    "FFMA.FTZ %R, %S, %R, 2.5",
    "DMUL %R, -%S, %R",
    "DFMA %R, %S, c[0x0][0x210], %R",
    "FSETP.GTU.AND %P, PT, |%R|, %S, %Q",
    "DSETP.LT.OR %P, PT, %R, -%S, !%Q",
    "FMNMX %R, %S, %R, !%P",
    "FSEL %R, -%S, %R, %P",
    "FCHK %P, %R, %S",
    "MUFU.RSQ %R, |%S|",
    "MUFU.RCP64H %R, %S",
    "I2F.F64.U64 %R, %S",
    "I2FP.F32.S32 %R, %S",
    "F2I.FTZ.U32.TRUNC.NTZ %R, %S",
    "F2I.S64.F64.CEIL %R, %S",
    "F2F.F64.F32 %R, %S",
    "FRND.FLOOR %R, %S",
    "IADD3 %R, %P, -%S, %N, RZ",
    "IADD3.X %R, %S, ~%R, RZ, %P, !%Q",
    "LEA.HI.X.SX32 %R, %S, %R, %M, %P",
    "IMAD.HI.U32 %R, %P, %S, %R, %R",
    "IMAD.WIDE.U32.X %R, %P, %S, %R, %R, %Q",
    "ISETP.LT.U32.AND.EX %P, PT, %R, %S, PT, %Q",
    "PRMT %R, %S, %N, %R",
    "SGXT.W %R, %S, %N",
    "BMSK %R, %S, %N",
    "BREV %R, %S",
    "FLO.SH %R, %S",
    "LDC.64 %R, c[0x0][0x214]",
    "LDC.S8 %R, c[0x0][0x217]",
    "ULDC UR4, c[0x0][0x21c]",
    "LDG.E.U8.CONSTANT %R, [%S.64]",
    "LDG.E.128 %R, [%S.64]",
    "LDG.E %R, [%S.64]",
    "@%P LDG.E %R, [%S.64]",
    "STG.E [%R.64], %S",
    "BAR.SYNC 0x0",
    "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [%R+URZ], RZ",
    "FMUL.FTZ.D2 %R, %S, -%R",
    "VIMNMX3.U32 %R, %S, %R, %N, !PT",
    "VIADDMNMX.RELU %R, %S, %N, %R, PT",
};

/* The instruction of four bytes, in nvdisasm's words. */
static void write_instruction(FILE *to, const uint8_t at[4], uint32_t index, uint32_t count)
{
    const unsigned jump = at[3] % count;
    fprintf(to, ".L_x_%u:\n        /*%04x*/                   ", index, 16 * index);
    for (const char *c = text[at[0] % (sizeof text / sizeof *text)]; *c; c++) {
        if (*c != '%') {
            fputc(*c, to);
            continue;
        }
        switch (*++c) {
        case 'R':
            fprintf(to, "R%u", at[1] % 6u);
            break;
        case 'S':
            fprintf(to, "R%u", at[2] % 6u);
            break;
        case 'P':
            fprintf(to, "P%u", at[1] / 8u % 3u);
            break;
        case 'Q':
            fprintf(to, "P%u", at[2] / 8u % 3u);
            break;
        case 'N':
            fprintf(to, "0x%x", at[3]);
            break;
        case 'M':
            fprintf(to, "0x%x", at[3] % 32u);
            break;
        default:
            fprintf(to, ".L_x_%u", jump);
        }
    }
    fprintf(to, " ; /* 0x%016llx */\n /* 0x000fe20000000000 */\n", 0x1000000000000ull * at[3]);
}

static char *write_code(const uint8_t *data, uint32_t count)
{
    char *listing = NULL;
    size_t size;
    FILE *to = open_memstream(&listing, &size);
    NEED(to);
    fputs("\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n", to);
    for (uint32_t i = 0; i < count; i++)
        write_instruction(to, data + 4 * (size_t)i, i, count);
    fclose(to);
    NEED(listing);
    return listing;
}

static void check(const gmtrace_path *path, const gmtrace_kernel *kernel)
{
    for (uint32_t k = 0; k < path->piece_count; k++)
        NEED(path->piece[k].first < kernel->instr_count &&
             path->piece[k].count <= kernel->instr_count - path->piece[k].first);
}

static void run(const gmtrace_kernel *kernel, const uint8_t *data, size_t size)
{
    /* Parameters of any bytes, and memory at the addresses of half of the records. */
    const uint8_t *bytes = size > 64 ? data : (const uint8_t *)text;
    const gmtrace_known_range range = {.base = 0x1000, .size = 64, .bytes = bytes};
    const gmtrace_known known = {.constants_offset = 0x210,
                                 .constants_size = 15,
                                 .constants = bytes,
                                 .range_count = 1,
                                 .range = &range};
    const gmtrace_launch launch = {.grid = {3, 2, 1}, .block = {48, 1, 1}, .known = &known};
    static const gmtrace_chunk chunk;
    gmtrace_paths *paths = gmtrace_paths_create(kernel, GMTRACE_DETAIL_MEMORY);
    NEED(paths);
    gmtrace_paths_know(paths, &launch);
    for (uint32_t w = 0; w < WARPS; w++) {
        gmtrace_path_warp warp;
        gmtrace_path_enter_as(paths, &warp, w ? 0xffff : UINT32_MAX, 4, w);
        for (size_t at = 0; at + 8 <= size && at < 64 * 8; at += 8) {
            const uint32_t n = data[at] % kernel->instr_count;
            const gmtrace_decoded decoded = gmtrace_decode(&kernel->instr[n]);
            gmtrace_record record = {.instr = n, .kind = decoded.kind, .op = decoded.op};
            memcpy(&record.mask, data + at + 1, sizeof record.mask);
            record.mask |= data[at + 5] & 1 ? UINT32_MAX : !record.mask;
            record.address = 0x1000u + data[at + 6];
            record.stride = 4;
            check(gmtrace_path_step_in(paths, &warp, &record, &chunk), kernel);
        }
        check(gmtrace_path_end(paths, &warp), kernel);
    }
    gmtrace_path_get_counts(paths);
    gmtrace_paths_free(paths);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gmtrace_sass sass = {0};
    const uint32_t count = size ? data[0] % MOST + 1 : 0;
    if (size < 1 + 4 * (size_t)count)
        return 0;
    char *listing = write_code(data + 1, count);
    NEED(gmtrace_sass_listing(&sass, listing, ".text.k", 0));
    gmtrace_sass_link(&sass);
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = sass.instr_count, .instr = sass.instr};
    NEED(sass.instr_count == count);
    run(&kernel, data + 1 + 4 * (size_t)count, size - 1 - 4 * (size_t)count);
    gmtrace_sass_free(&sass);
    free(listing);
    return 0;
}
