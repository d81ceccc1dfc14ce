/* SPDX-License-Identifier: MIT
 *
 * sass_unit.c - tests of the SASS reader: single opcodes, and the listings of a compiled kernel.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/sass.h"

typedef struct opcode_case {
    const char *opcode;
    gmtrace_class op_class;
    gmtrace_space space;
    unsigned width;
    gmtrace_cache cache;
    unsigned matrices, bypass;
} opcode_case;

static const opcode_case opcodes[] = {
    {"LDG.E", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 4, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"LDG.E.U8", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 1, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"LDG.E.S16.CONSTANT", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 2, GMTRACE_CACHE_DEFAULT, 0,
     0},
    {"LDG.E.LTC128B.64", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 8, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"LDG.E.128.STRONG.GPU", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 16, GMTRACE_CACHE_STRONG_GPU,
     0, 0},
    {"LDG.E.ENL2.256", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 32, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"LDG.E.EF", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 4, GMTRACE_CACHE_EVICT_FIRST, 0, 0},
    {"LDG.E.NA.64", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL, 8, GMTRACE_CACHE_NO_ALLOCATE, 0, 0},
    {"STG.E.EL.128", GMTRACE_CLASS_STORE, GMTRACE_SPACE_GLOBAL, 16, GMTRACE_CACHE_EVICT_LAST, 0, 0},
    {"LD.E.STRONG.SYS", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GENERIC, 4, GMTRACE_CACHE_STRONG_SYS, 0,
     0},
    {"ST.E.64", GMTRACE_CLASS_STORE, GMTRACE_SPACE_GENERIC, 8, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"LDS.U.128", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_SHARED, 16, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"STL.128", GMTRACE_CLASS_STORE, GMTRACE_SPACE_LOCAL, 16, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"LDL.LU", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_LOCAL, 4, GMTRACE_CACHE_LAST_USE, 0, 0},
    {"LDC.64", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_CONSTANT, 8, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"ULDC.64", GMTRACE_CLASS_UNIFORM, GMTRACE_SPACE_CONSTANT, 8, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"LDSM.16.M88", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_SHARED, 4, GMTRACE_CACHE_DEFAULT, 1, 0},
    {"LDSM.16.MT88.2", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_SHARED, 8, GMTRACE_CACHE_DEFAULT, 2, 0},
    {"STSM.16.M88.4", GMTRACE_CLASS_STORE, GMTRACE_SPACE_SHARED, 16, GMTRACE_CACHE_DEFAULT, 4, 0},
    {"LDGSTS.E.BYPASS.128", GMTRACE_CLASS_COPY_ASYNC, GMTRACE_SPACE_GLOBAL, 16,
     GMTRACE_CACHE_DEFAULT, 0, 1},
    {"LDGSTS.E.LTC128B", GMTRACE_CLASS_COPY_ASYNC, GMTRACE_SPACE_GLOBAL, 4, GMTRACE_CACHE_DEFAULT,
     0, 0},
    {"ATOMG.E.ADD.F64.RN.STRONG.GPU", GMTRACE_CLASS_ATOMIC, GMTRACE_SPACE_GLOBAL, 8,
     GMTRACE_CACHE_STRONG_GPU, 0, 0},
    {"ATOMS.CAST.SPIN.64", GMTRACE_CLASS_ATOMIC, GMTRACE_SPACE_SHARED, 8, GMTRACE_CACHE_DEFAULT, 0,
     0},
    {"ATOM.E.ADD.STRONG.GPU", GMTRACE_CLASS_ATOMIC, GMTRACE_SPACE_GENERIC, 4,
     GMTRACE_CACHE_STRONG_GPU, 0, 0},
    {"RED.E.ADD.STRONG.GPU", GMTRACE_CLASS_REDUCTION, GMTRACE_SPACE_GLOBAL, 4,
     GMTRACE_CACHE_STRONG_GPU, 0, 0},
    {"REDG.E.MAX.S32.STRONG.GPU", GMTRACE_CLASS_REDUCTION, GMTRACE_SPACE_GLOBAL, 4,
     GMTRACE_CACHE_STRONG_GPU, 0, 0},
    {"UBLKCP.S.G", GMTRACE_CLASS_BULK, GMTRACE_SPACE_GLOBAL, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"UTMALDG.2D", GMTRACE_CLASS_BULK, GMTRACE_SPACE_GLOBAL, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"UTMACMDFLUSH", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"BAR.SYNC.DEFER_BLOCKING", GMTRACE_CLASS_BARRIER, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT,
     0, 0},
    {"UCGABAR_ARV", GMTRACE_CLASS_BARRIER, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"DEPBAR.LE", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"CALL.REL.NOINC", GMTRACE_CLASS_CALL, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"BRX", GMTRACE_CLASS_BRANCH, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"HMMA.16816.F32", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"HGMMA.64x16x16.F32", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_SHARED, 0, GMTRACE_CACHE_DEFAULT, 0,
     0},
    {"UTCHMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_SHARED, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"DFMA", GMTRACE_CLASS_FP64, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"HFMA2.MMA", GMTRACE_CLASS_FP16, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"FFMA.FTZ", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"IMAD.WIDE.U32", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"MUFU.RSQ", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"I2FP.F32.S32", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"UIADD3.X", GMTRACE_CLASS_UNIFORM, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"TLD.LZ", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"SULD.D.BA.1D", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"VOTEU.ANY", GMTRACE_CLASS_SHUFFLE, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"NOT_AN_OPCODE", GMTRACE_CLASS_OTHER, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
    {"", GMTRACE_CLASS_OTHER, GMTRACE_SPACE_NONE, 0, GMTRACE_CACHE_DEFAULT, 0, 0},
};

static void test_opcodes(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(opcodes); i++) {
        const opcode_case *at = &opcodes[i];
        gmtrace_instr instr = {.opcode = at->opcode, .operands = "", .predicate = 255};
        gmtrace_sass_classify(&instr);
        g_test_message("%s", at->opcode);
        g_assert_cmpuint(instr.op_class, ==, at->op_class);
        g_assert_cmpuint(instr.space, ==, at->space);
        g_assert_cmpuint(instr.width, ==, at->width);
        g_assert_cmpuint(instr.cache, ==, at->cache);
        g_assert_cmpuint(instr.matrices, ==, at->matrices);
        g_assert_cmpuint(instr.bypass_l1, ==, at->bypass);
    }
}

/* "w R4+2": registers as the table has them, in its order. */
static char *operands_of(const gmtrace_instr *instr)
{
    static const char *const file[] = {"R", "UR", "P", "UP"};
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *at = &instr->operand[i];
        g_string_append_printf(text, "%s%c%s%u+%u", i ? " " : "", at->write ? 'w' : 'r',
                               file[at->file], at->first, at->count);
    }
    return g_string_free(text, FALSE);
}

static void test_operands_from_text(void)
{
    static const struct {
        const char *opcode, *operands, *expected;
    } cases[] = {
        {"LDG.E.128", "R8, desc[UR8][R2.64+0x10]", "wR8+4 rUR8+2 rR2+2"},
        {"STG.E.64", "desc[UR6][R8.64], R10", "rUR6+2 rR8+2 rR10+2"},
        {"STS", "[R5+UR4], R4", "rR5+1 rUR4+1 rR4+1"},
        {"ISETP.GE.AND", "P0, PT, R0, UR5, P2", "wP0+1 rR0+1 rUR5+1 rP2+1"},
        {"IADD3", "R17, P0, P2, -R17, R12, RZ", "wR17+1 wP0+1 wP2+1 rR17+1 rR12+1"},
        {"IMAD.WIDE.U32", "R16, R18, R23, R20", "wR16+2 rR18+1 rR23+1 rR20+2"},
        {"SHFL.IDX", "PT, R13, R3, 0x8, 0x101f", "wR13+1 rR3+1"},
        {"ATOMG.E.ADD.STRONG.GPU", "PT, R5, desc[UR6][R10.64], R7", "wR5+1 rUR6+2 rR10+2 rR7+1"},
        {"DFMA", "R10, R10, R12, -R14", "wR10+2 rR10+2 rR12+2 rR14+2"},
        {"SEL", "R4, R5, R6, !P0", "wR4+1 rR5+1 rR6+1 rP0+1"},
        {"EXIT", "", ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmtrace_instr instr = {
            .opcode = cases[i].opcode, .operands = cases[i].operands, .predicate = 255};
        gmtrace_sass_classify(&instr);
        g_autofree char *found = operands_of(&instr);
        g_assert_cmpstr(found, ==, cases[i].expected);
    }
}

static char *load(const char *name)
{
    g_autofree char *path = g_build_filename(g_getenv("GMSIM_SRCDIR"), "tests", "sass", name, NULL);
    char *text = NULL;
    GError *error = NULL;
    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    return text;
}

static const gmtrace_instr *at_pc(const gmtrace_sass *sass, uint64_t pc, const char *opcode)
{
    for (uint32_t i = 0; i < sass->instr_count; i++)
        if (sass->instr[i].pc == pc) {
            g_assert_cmpstr(sass->instr[i].opcode, ==, opcode);
            return &sass->instr[i];
        }
    g_error("nothing at pc 0x%" G_GINT64_MODIFIER "x", pc);
}

static void test_listing(void)
{
    g_autofree char *code = load("variety.code"), *lives = load("variety.lives");
    gmtrace_sass sass = {0};
    g_assert_true(gmtrace_sass_listing(&sass, code, ".text.variety", 0));
    g_assert_true(gmtrace_sass_lives(&sass, lives, ".text.variety", 0));
    gmtrace_sass_link(&sass);

    const gmtrace_instr *copy = at_pc(&sass, 0x120, "LDGSTS.E.BYPASS.128");
    g_assert_cmpstr(copy->operands, ==, "[R3], desc[UR6][R4.64]");
    g_assert_cmphex(copy->encoding[0], ==, 0x0000000004037faeull);
    g_assert_cmpuint(copy->bypass_l1, ==, 1);
    g_assert_cmpuint(copy->file, !=, GMTRACE_UNKNOWN);
    g_autofree char *registers = operands_of(copy);
    g_assert_cmpstr(registers, ==, "rR3+3 rUR6+2"); /* R3 and the pair R4, R5 are one run */

    const gmtrace_instr *leaves = at_pc(&sass, 0x160, "EXIT");
    g_assert_cmpuint(leaves->predicate, ==, 0);
    g_assert_cmpuint(leaves->predicate_negated, ==, 0);
    g_assert_cmpuint(leaves->line, >, 0);
    g_assert_cmpstr(sass.file[leaves->file], ==, "variety.cu");
    const gmtrace_instr *branch = at_pc(&sass, 0x180, "BRA");
    g_assert_cmpuint(branch->predicate_negated, ==, 1);
    g_assert_cmpuint(branch->target, <, sass.instr_count);
    g_assert_cmphex(sass.instr[branch->target].pc, >, branch->pc);
    const gmtrace_instr *loop = at_pc(&sass, 0x4e0, "BRA");
    g_assert_cmphex(sass.instr[loop->target].pc, <, loop->pc);

    const gmtrace_instr *never = at_pc(&sass, 0xf0, "LDS");
    g_assert_cmpuint(never->predicate, ==, 7);
    g_assert_cmpuint(never->predicate_negated, ==, 1);

    /* The callee stands in the kernel's own section, behind it. */
    const gmtrace_instr *call = at_pc(&sass, 0x630, "CALL.REL.NOINC");
    g_assert_cmpuint(call->target, <, sass.instr_count);
    g_assert_cmpuint(call->target, >, (guint)(call - sass.instr));
    g_assert_cmpstr(sass.instr[call->target].opcode, !=, "");

    const gmtrace_instr *exchange = at_pc(&sass, 0x6e0, "ATOMG.E.CAS.STRONG.GPU");
    g_autofree char *swapped = operands_of(exchange);
    g_assert_cmpstr(swapped, ==, "wR7+1 rR16+2 rR20+2");
    gmtrace_sass_free(&sass);
}

/* nvdisasm's life ranges and the words of the instructions must tell the same story; here they do
 * for every instruction but calls, which life ranges show as their callee's body. */
static void test_text_agrees_with_lives(void)
{
    g_autofree char *code = load("variety.code"), *lives = load("variety.lives");
    gmtrace_sass text = {0}, life = {0};
    g_assert_true(gmtrace_sass_listing(&text, code, ".text.variety", 0));
    g_assert_true(gmtrace_sass_listing(&life, code, ".text.variety", 0));
    g_assert_true(gmtrace_sass_lives(&life, lives, ".text.variety", 0));
    g_assert_cmpuint(text.instr_count, >, 100);
    for (uint32_t i = 0; i < text.instr_count; i++) {
        bool use[2][4][256][2] = {0};
        const gmtrace_instr *both[] = {&text.instr[i], &life.instr[i]};
        for (unsigned which = 0; which < 2; which++)
            for (unsigned k = 0; k < both[which]->operand_count; k++) {
                const gmtrace_operand *at = &both[which]->operand[k];
                for (unsigned r = 0; r < at->count; r++)
                    use[which][at->file][at->first + r][at->write] = true;
            }
        if (memcmp(use[0], use[1], sizeof use[0]) != 0)
            g_error("%s %s: other registers", both[0]->opcode, both[0]->operands);
    }
    gmtrace_sass_free(&text);
    gmtrace_sass_free(&life);
}

/* Two sections after one another, as a kernel and a function that it calls. */
static void test_two_sections(void)
{
    g_autofree char *code = load("variety.code"), *lives = load("variety.lives");
    gmtrace_sass sass = {0};
    g_assert_true(gmtrace_sass_listing(&sass, code, ".text.matrices", 0));
    uint32_t first = sass.instr_count;
    uint64_t base = (uint64_t)first * 16;
    g_assert_true(gmtrace_sass_lives(&sass, lives, ".text.matrices", 0));
    g_assert_true(gmtrace_sass_listing(&sass, code, ".text.variety", base));
    g_assert_true(gmtrace_sass_lives(&sass, lives, ".text.variety", base));
    gmtrace_sass_link(&sass);
    for (uint32_t i = 1; i < sass.instr_count; i++)
        g_assert_cmphex(sass.instr[i].pc, ==, sass.instr[i - 1].pc + 16);
    g_assert_cmpuint(at_pc(&sass, 0x90, "LDSM.16.M88.4")->matrices, ==, 4);
    g_autofree char *product = operands_of(at_pc(&sass, 0xa0, "HMMA.16816.F32"));
    g_assert_cmpstr(product, ==, "wR8+4 rR4+4");
    /* Each section's labels are its own. */
    g_assert_cmpuint(at_pc(&sass, base + 0x180, "BRA")->target, >, first);
    gmtrace_sass_free(&sass);
}

static void test_refused(void)
{
    static const char *const bad[] = {
        "",
        "\t.section\t.text.k,\"ax\",@progbits\n        /*0000*/                   EXIT ;\n",
        "\t.section\t.text.k,\"ax\",@progbits\n        /*0000*/   EXIT ;   /* 0x000000000000794d "
        "*/\n",
        "\t.section\t.text.k,\"ax\",@progbits\n        /*0000*/   EXIT    /* 0x000000000000794d "
        "*/\n"
        "     /* 0x000fea0003800000 */\n",
        "\t.section\t.text.k2,\"ax\",@progbits\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        gmtrace_sass sass = {0};
        g_assert_false(gmtrace_sass_listing(&sass, bad[i], ".text.k", 0));
        g_assert_false(gmtrace_sass_lives(&sass, bad[i], ".text.k", 0));
        gmtrace_sass_free(&sass);
    }
}

/* Cut anywhere, a listing is read up to there or refused; the sanitizers watch. */
static void test_cut_short(void)
{
    g_autofree char *code = load("variety.code"), *lives = load("variety.lives");
    size_t length = strlen(code), lives_length = strlen(lives);
    for (size_t cut = 0; cut < length; cut += 37) {
        gmtrace_sass sass = {0};
        g_autofree char *part = g_strndup(code, cut);
        g_autofree char *lives_part = g_strndup(lives, cut < lives_length ? cut : lives_length);
        if (gmtrace_sass_listing(&sass, part, ".text.matrices", 0)) {
            gmtrace_sass_lives(&sass, lives_part, ".text.matrices", 0);
            gmtrace_sass_link(&sass);
        }
        gmtrace_sass_free(&sass);
    }
}

static void test_raw(void)
{
    const uint64_t code[] = {0x0000000802047981, 0x000ea2000c1e1900, 0, 0};
    gmtrace_sass sass = {0};
    g_assert_true(gmtrace_sass_raw(&sass, code, sizeof code, 64));
    g_assert_cmpuint(sass.instr_count, ==, 2);
    g_assert_cmphex(sass.instr[1].pc, ==, 80);
    g_assert_cmphex(sass.instr[0].encoding[0], ==, code[0]);
    g_assert_cmpstr(sass.instr[0].opcode, ==, "");
    /* 0x000ea2000c1e1900: stall 1, yield, write barrier 2, no read barrier, nothing to wait for */
    g_assert_cmpuint(sass.instr[0].stall, ==, 1);
    g_assert_cmpuint(sass.instr[0].yield, ==, 1);
    g_assert_cmpuint(sass.instr[0].write_barrier, ==, 2);
    g_assert_cmpuint(sass.instr[0].read_barrier, ==, 7);
    g_assert_cmpuint(sass.instr[0].wait_mask, ==, 0);
    gmtrace_sass_free(&sass);
}

/* Labels of a table become places, if all are known. */
static void test_table(void)
{
    static const char code[] = "\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n"
                               "        /*0000*/  BRX R4 -0x10 (*\"BRANCH_TARGETS .L_x_1,.L_x_20,"
                               ".L_x_1\"*) ; /* 0x0000000000000000 */\n /* 0x0 */\n"
                               "        /*0010*/  BRX R4 -0x20 (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*)"
                               " ; /* 0x0000000000000000 */\n /* 0x0 */\n"
                               ".L_x_20:\n"
                               "        /*0020*/  NOP ; /* 0x0000000000000000 */\n /* 0x0 */\n"
                               ".L_x_1:\n"
                               "        /*0030*/  EXIT ; /* 0x0000000000000000 */\n /* 0x0 */\n";
    gmtrace_sass sass = {0};
    g_assert_true(gmtrace_sass_listing(&sass, code, ".text.k", 0));
    gmtrace_sass_link(&sass);
    g_assert_cmpstr(at_pc(&sass, 0, "BRX")->operands, ==,
                    "R4 -0x10 (*\"BRANCH_TARGETS 0x30,0x20,0x30\"*)");
    g_assert_cmpstr(at_pc(&sass, 0x10, "BRX")->operands, ==,
                    "R4 -0x20 (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*)");
    gmtrace_sass_free(&sass);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sass/opcodes", test_opcodes);
    g_test_add_func("/sass/operands-from-text", test_operands_from_text);
    g_test_add_func("/sass/listing", test_listing);
    g_test_add_func("/sass/text-agrees-with-lives", test_text_agrees_with_lives);
    g_test_add_func("/sass/two-sections", test_two_sections);
    g_test_add_func("/sass/refused", test_refused);
    g_test_add_func("/sass/cut-short", test_cut_short);
    g_test_add_func("/sass/raw", test_raw);
    g_test_add_func("/sass/table", test_table);
    return g_test_run();
}
