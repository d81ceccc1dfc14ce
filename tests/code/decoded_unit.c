/* SPDX-License-Identifier: MIT
 *
 * decoded_unit.c - what is decoded from names alone: SASS, and PTX of the same instructions.
 */
#include <glib.h>

#include "traces/code/constants.h"
#include "traces/code/decoded.h"

#define SASS GMTRACE_CLASS_OTHER /* found by name */

typedef struct unit_case {
    const char *opcode, *operands;
    gmtrace_class op_class;
    gmtrace_unit unit;
} unit_case;

static const unit_case units[] = {
    {"FFMA.FTZ", "R1, R2, R3, R4", SASS, GMTRACE_UNIT_FP32},
    {"FMNMX", "R1, R2, R3, PT", SASS, GMTRACE_UNIT_ALU},
    {"HFMA2.MMA", "R1, R2, R3, R4", SASS, GMTRACE_UNIT_FP16_MMA},
    {"FCHK", "P0, R1, R2", SASS, GMTRACE_UNIT_CHECK},
    {"DSETP.GT.AND", "P0, PT, R2, R4, PT", SASS, GMTRACE_UNIT_FP64},
    {"IMAD.MOV.U32", "R1, RZ, RZ, R2", SASS, GMTRACE_UNIT_IMAD},
    {"IMAD.WIDE.U32", "R2, R4, R5, R6", SASS, GMTRACE_UNIT_IMAD_WIDE},
    {"I2FP.F32.S32", "R1, R2", SASS, GMTRACE_UNIT_ALU},
    {"F2FP.BF16.F32.PACK_AB", "R1, R2, R3", SASS, GMTRACE_UNIT_ALU},
    {"F2I.U32.TRUNC.NTZ", "R1, R2", SASS, GMTRACE_UNIT_CONVERT},
    {"F2F.F32.F64", "R1, R2", SASS, GMTRACE_UNIT_CONVERT64},
    {"POPC", "R1, R2", SASS, GMTRACE_UNIT_BITS},
    {"MATCH.ALL", "PT, R1, R2", SASS, GMTRACE_UNIT_MATCH_ALL},
    {"MATCH.ANY", "R1, R2", SASS, GMTRACE_UNIT_MATCH_ANY},
    {"VOTE.ANY", "R1, PT, P0", SASS, GMTRACE_UNIT_VOTE},
    {"VOTEU.ANY", "UR1, UPT, P0", SASS, GMTRACE_UNIT_UNIFORM},
    {"S2R", "R1, SR_TID.X", SASS, GMTRACE_UNIT_S2R},
    {"S2UR", "UR4, SR_CTAID.X", SASS, GMTRACE_UNIT_S2UR},
    {"CS2R.32", "R1, SR_CLOCKLO", SASS, GMTRACE_UNIT_CS2R},
    {"B2R.RESULT", "R1", SASS, GMTRACE_UNIT_B2R},
    {"ULDC.64", "UR4, c[0x0][0x208]", SASS, GMTRACE_UNIT_ULDC},
    {"HGMMA.64x16x16.F32", "R24, gdesc[UR4], R24", SASS, GMTRACE_UNIT_WGMMA},
    {"NOT_AN_OPCODE", "", GMTRACE_CLASS_FP64, GMTRACE_UNIT_FP64},
    {"fma.rn.f32", "%f1, %f2, %f3, %f4", GMTRACE_CLASS_FP32, GMTRACE_UNIT_FP32},
    {"setp.lt.f32", "%p1, %f1, %f2", GMTRACE_CLASS_FP32, GMTRACE_UNIT_ALU},
    {"div.rn.f32", "%f1, %f2, %f3", GMTRACE_CLASS_FP32, GMTRACE_UNIT_SFU},
    {"rsqrt.approx.f32", "%f1, %f2", GMTRACE_CLASS_SPECIAL, GMTRACE_UNIT_SFU},
    {"fma.rn.f64", "%fd1, %fd2, %fd3, %fd4", GMTRACE_CLASS_FP64, GMTRACE_UNIT_FP64},
    {"fma.rn.f16x2", "%r1, %r2, %r3, %r4", GMTRACE_CLASS_FP16, GMTRACE_UNIT_FP16},
    {"mad.lo.s32", "%r1, %r2, %r3, %r4", GMTRACE_CLASS_INT, GMTRACE_UNIT_IMAD},
    {"mul.wide.u32", "%rd1, %r2, 4", GMTRACE_CLASS_INT, GMTRACE_UNIT_IMAD_WIDE},
    {"add.s64", "%rd1, %rd2, %rd3", GMTRACE_CLASS_INT, GMTRACE_UNIT_ALU},
    {"cvt.rn.f32.s32", "%f1, %r1", GMTRACE_CLASS_SPECIAL, GMTRACE_UNIT_ALU},
    {"cvt.rzi.s32.f32", "%r1, %f1", GMTRACE_CLASS_SPECIAL, GMTRACE_UNIT_CONVERT},
    {"cvt.rmi.f32.f32", "%f1, %f2", GMTRACE_CLASS_SPECIAL, GMTRACE_UNIT_CONVERT},
    {"cvt.f64.f32", "%fd1, %f1", GMTRACE_CLASS_SPECIAL, GMTRACE_UNIT_CONVERT64},
    {"cvt.u64.u32", "%rd1, %r1", GMTRACE_CLASS_INT, GMTRACE_UNIT_ALU},
    {"popc.b32", "%r1, %r2", GMTRACE_CLASS_SPECIAL, GMTRACE_UNIT_BITS},
    {"match.all.sync.b32", "%r1|%p1, %r2, -1", GMTRACE_CLASS_SHUFFLE, GMTRACE_UNIT_MATCH_ALL},
    {"shfl.sync.bfly.b32", "%r1, %r2, 1, 31, -1", GMTRACE_CLASS_SHUFFLE, GMTRACE_UNIT_SHUFFLE},
    {"mov.u32", "%r1, %tid.x", GMTRACE_CLASS_INT, GMTRACE_UNIT_S2R},
    {"mov.u32", "%r1, %ntid.x", GMTRACE_CLASS_INT, GMTRACE_UNIT_ALU},
    {"ld.param.u64", "%rd1, [p]", GMTRACE_CLASS_LOAD, GMTRACE_UNIT_OTHER},
    {"ld.const.f32", "%f1, [%rd1]", GMTRACE_CLASS_LOAD, GMTRACE_UNIT_LDC},
};

static gmtrace_decoded decode(const char *opcode, const char *operands, gmtrace_class op_class)
{
    const gmtrace_instr instr = {
        .opcode = opcode, .operands = operands, .op_class = (uint8_t)op_class};
    return gmtrace_decode(&instr);
}

static void test_units(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
        g_test_message("%s", units[i].opcode);
        g_assert_cmpuint(decode(units[i].opcode, units[i].operands, units[i].op_class).unit, ==,
                         units[i].unit);
    }
}

static void test_tensor(void)
{
    static const struct {
        const char *opcode;
        gmtrace_unit unit;
        unsigned sixteenths;
    } cases[] = {
        {"HMMA.16816.F32", GMTRACE_UNIT_TENSOR, 16},
        {"HMMA.1688.F32.BF16", GMTRACE_UNIT_TENSOR, 8},
        {"HMMA.16816.F16", GMTRACE_UNIT_TENSOR_F16, 16},
        {"HMMA.SP.16832.F32", GMTRACE_UNIT_TENSOR, 16},
        {"HMMA.1688.F32.TF32", GMTRACE_UNIT_TENSOR_TF32, 16},
        {"HMMA.884.F32.F32.STEP0", GMTRACE_UNIT_TENSOR,
         2}, /* four of them: 8 x 8 x 4, four times */
        {"HMMA.884.F16.F16.STEP0", GMTRACE_UNIT_TENSOR_F16, 4},
        {"IMMA.16832.S8.S8", GMTRACE_UNIT_TENSOR_INT8, 16},
        {"IMMA.16864.S4.S4", GMTRACE_UNIT_TENSOR_INT8, 16},
        {"DMMA.8x8x4", GMTRACE_UNIT_TENSOR_FP64, 16},
        {"HGMMA.64x64x16.F32", GMTRACE_UNIT_WGMMA, 16},
        {"HGMMA.64x8x8.F32.TF32", GMTRACE_UNIT_WGMMA, 2},
        {"QGMMA.64x256x32.F32.E4M3.E4M3", GMTRACE_UNIT_WGMMA, 64},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", GMTRACE_UNIT_TENSOR, 16},
        {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", GMTRACE_UNIT_TENSOR, 8},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", GMTRACE_UNIT_TENSOR_INT8, 16},
        {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", GMTRACE_UNIT_TENSOR_FP64, 128},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", GMTRACE_UNIT_TENSOR, 32},
        {"wmma.mma.sync.aligned.row.row.m32n8k16.f16.f16", GMTRACE_UNIT_TENSOR_F16, 32},
        {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", GMTRACE_UNIT_TENSOR_TF32, 32},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const bool ptx = g_ascii_islower(cases[i].opcode[0]);
        const gmtrace_decoded d =
            decode(cases[i].opcode, ptx ? "{%f1}, {%r1}, {%r2}, {%f1}" : "R0, R4, R8, R0",
                   ptx ? GMTRACE_CLASS_TENSOR : SASS);
        g_test_message("%s", cases[i].opcode);
        g_assert_cmpuint(d.unit, ==, cases[i].unit);
        g_assert_cmpuint(d.sixteenths, ==, cases[i].sixteenths);
    }
}

static void test_atomics(void)
{
    static const struct {
        const char *opcode;
        gmtrace_class op_class;
        gmtrace_atomic atomic;
        bool floats;
    } cases[] = {
        {"ATOMS.ADD", SASS, GMTRACE_ATOMIC_PLAIN, false},
        {"ATOMS.POPC.INC.32", SASS, GMTRACE_ATOMIC_COUNT, false},
        {"ATOMS.CAST.SPIN", SASS, GMTRACE_ATOMIC_CAST, false},
        {"ATOMS.CAS.64", SASS, GMTRACE_ATOMIC_CAS, false},
        {"REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", SASS, GMTRACE_ATOMIC_PLAIN, true},
        {"atom.shared.cas.b32", GMTRACE_CLASS_ATOMIC, GMTRACE_ATOMIC_CAS, false},
        {"atom.shared.add.u32.POPC.INC", GMTRACE_CLASS_ATOMIC, GMTRACE_ATOMIC_COUNT, false},
        {"red.global.add.f64", GMTRACE_CLASS_REDUCTION, GMTRACE_ATOMIC_PLAIN, true},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const gmtrace_decoded d = decode(cases[i].opcode, "", cases[i].op_class);
        g_test_message("%s", cases[i].opcode);
        g_assert_cmpuint(d.atomic, ==, cases[i].atomic);
        g_assert_cmpint(d.adds_floats, ==, cases[i].floats);
    }
}

static void test_records(void)
{
    static const struct {
        const char *opcode;
        gmtrace_kind kind;
        gmtrace_op op;
        unsigned mbarrier, unseen;
    } cases[] = {
        {"LDG.E", GMTRACE_ACCESS, GMTRACE_OP_NONE, 0, 0},
        {"FFMA", GMTRACE_EXEC, GMTRACE_OP_NONE, 0, 0},
        {"BAR.SYNC.DEFER_BLOCKING", GMTRACE_BARRIER, GMTRACE_OP_NONE, 0, 0},
        {"UCGABAR_ARV", GMTRACE_CLUSTER_ARRIVE, GMTRACE_OP_NONE, 0, 0},
        {"LDGDEPBAR", GMTRACE_COPY_COMMIT, GMTRACE_OP_NONE, 0, 0},
        {"DEPBAR.LE", GMTRACE_COPY_WAIT, GMTRACE_OP_NONE, 0, 0},
        {"SYNCS.PHASECHK.TRANS64.TRYWAIT", GMTRACE_MBARRIER, GMTRACE_OP_NONE, GMTRACE_MBARRIER_WAIT,
         0},
        {"UBLKCP.S.G", GMTRACE_BULK, GMTRACE_OP_BULK_LOAD, 0, 0},
        {"UBLKCP.G.S", GMTRACE_BULK, GMTRACE_OP_BULK_STORE, 0, 0},
        {"UBLKCP.S.S", GMTRACE_BULK, GMTRACE_OP_BULK_COPY, 0, 0},
        {"UTMAREDG.2D.ADD", GMTRACE_BULK, GMTRACE_OP_BULK_REDUCE, 0, GMTRACE_UNSEEN_TENSOR_COPY},
        {"UTMACCTL.PF", GMTRACE_EXEC, GMTRACE_OP_NONE, 0, 0},
        {"HGMMA.64x16x16.F32", GMTRACE_WGMMA, GMTRACE_OP_NONE, 0, GMTRACE_UNSEEN_WGMMA},
        {"TLD.LZ", GMTRACE_EXEC, GMTRACE_OP_NONE, 0, GMTRACE_UNSEEN_TEXTURE},
        {"SULD.D.BA.1D", GMTRACE_EXEC, GMTRACE_OP_NONE, 0, GMTRACE_UNSEEN_SURFACE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const gmtrace_decoded d = decode(cases[i].opcode, "", SASS);
        g_test_message("%s", cases[i].opcode);
        g_assert_cmpuint(d.kind, ==, cases[i].kind);
        g_assert_cmpuint(d.op, ==, cases[i].op);
        g_assert_cmpuint(d.mbarrier, ==, cases[i].mbarrier);
        g_assert_cmpuint(d.unseen, ==, cases[i].unseen);
    }
    g_assert_true(decode("BAR.ARV", "0x0", SASS).arrives_only);
    g_assert_false(decode("BAR.SYNC", "0x0", SASS).arrives_only);
    g_assert_cmpuint(decode("LDC", "R1, c[0x3][R2]", SASS).unseen, ==, GMTRACE_UNSEEN_CONSTANT);
    g_assert_cmpuint(decode("LDC", "R1, c[0x0][0x28]", SASS).unseen, ==, 0);
}

static void put(gmtrace_instr *instr, const char *opcode, const char *operands, uint8_t to,
                uint8_t from)
{
    *instr = (gmtrace_instr){.opcode = opcode, .operands = operands, .operand_count = 2};
    instr->operand[0] = (gmtrace_operand){GMTRACE_REG_GENERAL, to, 1, 1};
    instr->operand[1] = (gmtrace_operand){GMTRACE_REG_GENERAL, from, 1, 0};
}

/* How many constants lanes ask for follows from how the index is made. */
static void test_varying(void)
{
    static const struct {
        const char *opcode, *operands;
        int addresses, by_half; /* of 16 lanes */
    } cases[] = {
        {"IADD3", "R2, R1, 0x4, RZ", 32, 16},
        {"SHF.R.U32.HI", "R2, RZ, 0x5, R1", 1, 1},
        {"SHF.R.U32.HI", "R2, RZ, 0x3, R1", 4, 2},
        {"SHF.R.U64", "R2, R1, 0x3, RZ", 4, 2},
        {"SHF.L.U64.HI", "R2, R1, 0x1d, RZ", 4, 2},
        {"S2R", "R2, SR_CTAID.X", 1, 1},
        {"SHFL.IDX", "PT, R2, R1, 0x0, 0x1f", 32, 16},
        {"LOP3.LUT", "R2, R1, 0x7, RZ, 0xc0, !PT", 8, 8},
        {"LEA", "R2, R1, RZ, 0x4", 32, 16},
        {"LEA.HI", "R2, R1, RZ, RZ, 0x1d", 4, 2},
        {"IMAD", "R2, R1, c[0x0][0x210], RZ", 1, 1},
        {"IMAD", "R2, R1, 0x4000000, RZ", 32, 16},
        {"IMAD", "R2, R1, 0x20000000, RZ", 8, 8},
        {"I2F.U32", "R2, R1", 32, 16},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmtrace_instr instr[3];
        gmtrace_decoded decoded[3];
        put(&instr[0], "S2R", "R1, SR_TID.X", 1, 255);
        put(&instr[1], cases[i].opcode, cases[i].operands, 2,
            g_str_equal(cases[i].opcode, "S2R") ? 255 : 1);
        put(&instr[2], "LDC", "R3, c[0x3][R2]", 3, 2);
        const gmtrace_kernel kernel = {.instr_count = 3, .instr = instr};
        gmtrace_decode_kernel(&kernel, GMTRACE_WARP_LANES, decoded);
        g_test_message("%s %s", cases[i].opcode, cases[i].operands);
        g_assert_cmpint(decoded[2].addresses, ==, cases[i].addresses);
        gmtrace_decode_kernel(&kernel, GMTRACE_WARP_LANES / 2, decoded);
        g_assert_cmpint(decoded[2].addresses, ==, cases[i].by_half);
    }
}

/* Behind a branch that is always taken counts what was written before the one that leads there. */
static void test_sides(void)
{
    for (uint32_t always = 0; always < 2; always++) {
        gmtrace_instr instr[6];
        gmtrace_decoded decoded[6];
        put(&instr[0], "S2R", "R1, SR_TID.X", 1, 255);
        put(&instr[1], "S2R", "R2, SR_CTAID.X", 2, 255);
        put(&instr[3], "IADD3", "R2, R1, 0x4, RZ", 2, 1);
        put(&instr[5], "LDC", "R3, c[0x3][R2]", 3, 2);
        instr[2] = instr[4] = (gmtrace_instr){.opcode = "BRA",
                                              .operands = "`(.L_x_1)",
                                              .op_class = GMTRACE_CLASS_BRANCH,
                                              .predicate = GMTRACE_NO_REGISTER};
        instr[2].predicate = 0;
        instr[2].target = 5;
        instr[4].target = 0;
        if (!always)
            instr[4].predicate = 0;
        const gmtrace_kernel kernel = {.instr_count = 6, .instr = instr};
        gmtrace_decode_kernel(&kernel, GMTRACE_WARP_LANES, decoded);
        g_assert_cmpint(decoded[5].addresses, ==, always ? 1 : 32);
    }
}

/* The two upper bits of a number that may be any are four words at most, however far it was
 * shifted: all in the first line of the bank. */
static void test_shifted(void)
{
    gmtrace_instr instr[6];
    gmtrace_decoded decoded[6];
    put(&instr[0], "S2R", "R1, SR_TID.X", 1, 255);
    put(&instr[1], "I2F.U32", "R2, R1", 2, 1);
    put(&instr[2], "SHF.R.U32.HI", "R3, RZ, 0x1e, R2", 3, 2);
    put(&instr[3], "SHF.L.U32", "R3, R3, 0x2, RZ", 3, 3);
    put(&instr[4], "LDC", "R4, c[0x3][R3]", 4, 3);
    put(&instr[5], "LDC", "R5, c[0x3][R1]", 5, 1); /* lanes are run one by one for this */
    for (uint32_t i = 0; i < 6; i++)
        instr[i].predicate = GMTRACE_NO_REGISTER;
    const gmtrace_kernel kernel = {.instr_count = 6, .instr = instr};
    gmtrace_decode_kernel(&kernel, GMTRACE_WARP_LANES, decoded);
    gmtrace_constants *constants =
        gmtrace_constants_create(&kernel, decoded, GMTRACE_WARP_LANES, NULL);
    g_assert_nonnull(constants);
    const gmtrace_path_piece piece = {0, 6, 1};
    const gmtrace_path path = {.piece_count = 1, .piece = &piece};
    const gmtrace_constant_way *way = gmtrace_constants_step(constants, 0, &path);
    uint32_t lines = 0;
    for (uint32_t i = 0; i < way->count; i++) {
        lines += way->item[i].line != GMTRACE_CONSTANT_WAIT;
        g_assert_true(way->item[i].line == 0 || way->item[i].line == GMTRACE_CONSTANT_WAIT);
    }
    g_assert_cmpuint(lines, ==, 2);
    gmtrace_constants_free(constants);
}

/* What arithmetic reads of the register file, by banks and by number, and what it writes. */
static void test_operands(void)
{
    static const struct {
        const char *opcode, *operands;
        uint8_t reads[2], source[3], sources, results, result;
        bool late;
    } cases[] = {
        {"FFMA", "R1, R2.reuse, R4, R3", {2, 1}, {2, 4, 3}, 3, 1, 1, false},
        {"FFMA", "R6, R2, -R5, R5", {0, 1}, {5}, 1, 1, 6, false}, /* R2 is kept, R5 named twice */
        {"FADD", "R7, |R2|, 0.5", {1, 0}, {2}, 1, 1, 7, false},
        {"ISETP.GE.AND", "P0, PT, R8, R9, PT", {1, 1}, {8, 9}, 2, 0, 0, false},
        {"LOP3.LUT", "R10, R8, 0x7f, RZ, 0xc0, !PT", {1, 0}, {8}, 1, 1, 10, false},
        {"DFMA", "R12, R14, R16, R12", {3, 3}, {0}, 0, 0, 0, true},
        {"IMAD.WIDE", "R12, R3, 0x4, R14", {1, 2}, {0}, 0, 0, 0, false},
        {"MUFU.EX2", "R13, R3", {0, 1}, {0}, 0, 0, 0, false},
        {"LDS", "R14, [R3]", {0, 0}, {0}, 0, 0, 0, false},
        {"DSETP.GT.AND", "P0, PT, R12, R14, PT", {2, 2}, {0}, 0, 0, 0, false},
        {"HFMA2.MMA", "R15, -RZ, RZ, 0, 0", {0, 0}, {0}, 0, 0, 0, true},
    };
    gmtrace_instr instr[G_N_ELEMENTS(cases)];
    gmtrace_decoded decoded[G_N_ELEMENTS(cases)];
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++)
        put(&instr[i], cases[i].opcode, cases[i].operands, 255, 255);
    const gmtrace_kernel kernel = {.instr_count = G_N_ELEMENTS(cases), .instr = instr};
    gmtrace_decode_kernel(&kernel, GMTRACE_WARP_LANES, decoded);
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s %s", cases[i].opcode, cases[i].operands);
        g_assert_cmpuint(decoded[i].reads[0], ==, cases[i].reads[0]);
        g_assert_cmpuint(decoded[i].reads[1], ==, cases[i].reads[1]);
        g_assert_cmpuint(decoded[i].sources, ==, cases[i].sources);
        for (unsigned k = 0; k < cases[i].sources; k++)
            g_assert_cmpuint(decoded[i].source[k], ==, cases[i].source[k]);
        g_assert_cmpuint(decoded[i].results, ==, cases[i].results);
        g_assert_cmpuint(decoded[i].result, ==, cases[i].result);
        g_assert_cmpint(decoded[i].writes_late, ==, cases[i].late);
    }
}

/* MATCH.ANY takes as long as there are different values, but for masks that a warp waits by. */
static void test_match(void)
{
    static const struct {
        const char *second, *operands;
        gmtrace_unit unit;
    } cases[] = {{"REDUX.OR", "UR4, R2", GMTRACE_UNIT_MATCH_ALL},
                 {"REDUX.OR", "UR4, R3", GMTRACE_UNIT_MATCH_ANY},
                 {"REDUX.SUM", "UR4, R2", GMTRACE_UNIT_MATCH_ANY}};
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmtrace_instr instr[2];
        gmtrace_decoded decoded[2];
        put(&instr[0], "MATCH.ANY", "R11, R2", 255, 255);
        put(&instr[1], cases[i].second, cases[i].operands, 255, 255);
        const gmtrace_kernel kernel = {.instr_count = 2, .instr = instr};
        gmtrace_decode_kernel(&kernel, GMTRACE_WARP_LANES, decoded);
        g_assert_cmpuint(decoded[0].unit, ==, cases[i].unit);
        g_assert_cmpuint(decoded[1].unit, ==, GMTRACE_UNIT_REDUX);
    }
}

/* What L2 shall bring is said of loads and copies, of SASS and PTX. */
static void test_whole_lines(void)
{
    static const struct {
        const char *opcode;
        gmtrace_class op_class;
        bool whole;
    } cases[] = {{"LDG.E.LTC128B.64", SASS, true},
                 {"LDG.E.LTC256B", SASS, true},
                 {"LDG.E.LTC64B", SASS, false},
                 {"LDG.E.64", SASS, false},
                 {"LDGSTS.E.BYPASS.LTC128B.128", SASS, true},
                 {"LDGSTS.E.BYPASS.128", SASS, false},
                 {"ld.global.L2::128B.u32", GMTRACE_CLASS_LOAD, true},
                 {"ld.global.L2::64B.u32", GMTRACE_CLASS_LOAD, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].opcode);
        g_assert_cmpint(decode(cases[i].opcode, "", cases[i].op_class).whole_lines, ==,
                        cases[i].whole);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/decoded/units", test_units);
    g_test_add_func("/decoded/tensor", test_tensor);
    g_test_add_func("/decoded/atomics", test_atomics);
    g_test_add_func("/decoded/whole-lines", test_whole_lines);
    g_test_add_func("/decoded/operands", test_operands);
    g_test_add_func("/decoded/match", test_match);
    g_test_add_func("/decoded/records", test_records);
    g_test_add_func("/decoded/varying", test_varying);
    g_test_add_func("/decoded/sides", test_sides);
    g_test_add_func("/decoded/shifted", test_shifted);
    return g_test_run();
}
