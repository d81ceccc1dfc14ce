/* SPDX-License-Identifier: MIT
 *
 * indices_unit.c - at how many addresses a warp reads constants by what it has loaded: kernels of
 * nvdisasm's text, traces of them that say what memory held, and numbers worked out by hand.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/support/trace_builder.h"
#include "traces/code/indices.h"
#include "traces/code/sass.h"

#define BASE UINT64_C(0x7f0000001000)
#define ALL  UINT32_MAX

typedef struct code {
    gmtrace_sass sass;
    gmtrace_kernel kernel;
} code;

/* Lines of nvdisasm's text, up to NULL. */
static void assemble(code *c, const char *const *lines)
{
    GString *text = g_string_new("\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n");
    memset(c, 0, sizeof *c);
    for (unsigned i = 0; lines[i]; i++)
        g_string_append_printf(text,
                               "        /*%04x*/                   %s ; /* 0x0000000000000000 */\n"
                               " /* 0x000fe20000000000 */\n",
                               16 * i, lines[i]);
    g_assert_true(gmtrace_sass_listing(&c->sass, text->str, ".text.k", 0));
    gmtrace_sass_link(&c->sass);
    c->kernel = (gmtrace_kernel){.mangled = "k",
                                 .name = "k",
                                 .registers = 16,
                                 .instr = c->sass.instr,
                                 .instr_count = c->sass.instr_count};
    g_string_free(text, TRUE);
}

/* A record of a load: where its lanes read, `apart` bytes from one another. */
typedef struct access {
    uint32_t instr, mask;
    uint64_t address;
    int32_t apart;
    bool shared;
} access;

#define ACCESSES 4u

static const uint8_t *table; /* eight bytes of constant bank 3, if they are told */

/* A trace of one warp, in memory that holds `bytes` from BASE on. */
static gmtrace_reader *trace_of(const code *c, const char *path, const access *accesses,
                                const uint8_t *bytes, uint32_t size)
{
    gmtrace_error error = {0};
    gmtrace_writer *writer = gmtrace_writer_create(path, gmtest_capture(), NULL, &error);
    gmtrace_launch launch = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .cluster = {1, 1, 1}, .carveout_percent = -1};
    g_assert_nonnull(writer);
    g_assert_true(gmtrace_writer_add_kernel(writer, &c->kernel, &launch.kernel, &error));
    g_assert_true(gmtrace_writer_begin_launch(writer, &launch, &error));
    for (uint32_t i = 0; i < ACCESSES && accesses[i].mask; i++) {
        const gmtrace_instr *instr = &c->kernel.instr[accesses[i].instr];
        const gmtrace_record record = {.instr = accesses[i].instr,
                                       .kind = GMTRACE_ACCESS,
                                       .op = GMTRACE_OP_LOAD,
                                       .space = accesses[i].shared ? GMTRACE_SPACE_SHARED
                                                                   : GMTRACE_SPACE_GLOBAL,
                                       .size = instr->width,
                                       .mask = accesses[i].mask};
        uint64_t address[GMTRACE_WARP_LANES];
        for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
            address[lane] =
                accesses[i].address + (uint64_t)((int64_t)accesses[i].apart * (int64_t)lane);
        g_assert_true(gmtrace_writer_append(writer, 0, 0, &record, address, &error));
    }
    gmtrace_known_range range[2];
    gmtrace_known known = {.range = range};
    if (size)
        range[known.range_count++] = (gmtrace_known_range){BASE, size, bytes};
    if (table)
        range[known.range_count++] =
            (gmtrace_known_range){GMTRACE_BANK_ADDRESS(3u) + 0x800, 8, table};
    if (known.range_count)
        g_assert_true(gmtrace_writer_know(writer, &known, &error));
    g_assert_true(gmtrace_writer_end_launch(writer, &error));
    g_assert_true(gmtrace_writer_close(writer, true, &error));
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    return reader;
}

/* The last instruction, a load of constants, by the trace of those accesses. */
static uint32_t addresses(const char *const *lines, const access *accesses, const uint8_t *bytes,
                          uint32_t size)
{
    g_autofree char *path = gmtest_new_path();
    code c;
    gmtrace_decoded decoded[8];
    gmtrace_loaded *loaded;
    gmtrace_error error = {0};
    assemble(&c, lines);
    gmtrace_reader *reader = trace_of(&c, path, accesses, bytes, size);
    const gmtrace_kernel *kernel = gmtrace_get_kernel(reader, 0);
    g_assert_cmpuint(kernel->instr_count, <=, G_N_ELEMENTS(decoded));
    gmtrace_decode_kernel(kernel, GMTRACE_WARP_LANES, decoded);
    g_assert_true(gmtrace_decode_indices(reader, kernel, gmtrace_get_launch(reader, 0), decoded,
                                         &loaded, &error));
    gmtrace_loaded_free(loaded);
    const uint32_t found = decoded[kernel->instr_count - 1u].addresses;
    gmtrace_close(reader);
    gmtrace_sass_free(&c.sass);
    g_unlink(path);
    return found;
}

/* Words 0 to 3 in turn, a byte each as well: 00 00 00 00 01 00 00 00 02 ... */
static uint8_t memory[1024];

static void fill(void)
{
    for (uint32_t i = 0; i < sizeof memory / 4u; i++)
        memory[4u * i] = (uint8_t)(i % 4u);
}

#define LOOK "LDC R6, c[0x3][R5]"

static void test_widths(void)
{
    static const char *const word[] = {"LDG.E R4, desc[UR4][R2.64]", "SHF.L.U32 R5, R4, 0x2, RZ",
                                       LOOK, NULL};
    static const char *const byte[] = {"LDG.E.U8 R4, desc[UR4][R2.64]", "SHF.L.U32 R5, R4, 0x2, RZ",
                                       LOOK, NULL};
    static const char *const second[] = {"LDG.E.64 R4, desc[UR4][R2.64]", LOOK, NULL};
    fill();
    const access row[ACCESSES] = {{0, ALL, BASE, 4, false}},
                 one[ACCESSES] = {{0, ALL, BASE, 0, false}},
                 pair[ACCESSES] = {{0, ALL, BASE, 8, false}},
                 fourth[ACCESSES] = {{0, ALL, BASE, 16, false}};
    g_assert_cmpuint(addresses(word, row, memory, sizeof memory), ==, 4);
    g_assert_cmpuint(addresses(word, one, memory, sizeof memory), ==, 1);
    g_assert_cmpuint(addresses(word, pair, memory, sizeof memory), ==, 2);
    g_assert_cmpuint(addresses(word, fourth, memory, sizeof memory), ==, 1);
    const access bytes[ACCESSES] = {{0, ALL, BASE, 1, false}}; /* of which three of four are 0 */
    g_assert_cmpuint(addresses(byte, bytes, memory, sizeof memory), ==, 4);
    /* Of two words the second makes the index: 1 and 3. */
    g_assert_cmpuint(addresses(second, pair, memory, sizeof memory), ==, 2);
    g_assert_cmpuint(addresses(second, fourth, memory, sizeof memory), ==, 1);
}

static void test_signs(void)
{
    /* 0x80 and 0x00: minus 128 shifted right by five, or four, and 0 */
    static const char *const sign[] = {"LDG.E.S8 R4, desc[UR4][R2.64]",
                                       "LOP3.LUT R5, R4, 0xffffff00, RZ, 0xc0, !PT", LOOK, NULL};
    static const char *const none[] = {"LDG.E.U8 R4, desc[UR4][R2.64]",
                                       "LOP3.LUT R5, R4, 0xffffff00, RZ, 0xc0, !PT", LOOK, NULL};
    const access row[ACCESSES] = {{0, ALL, BASE, 1, false}};
    static const uint8_t bytes[32] = {0x80, 0, 0x80};
    g_assert_cmpuint(addresses(sign, row, bytes, sizeof bytes), ==, 2);
    g_assert_cmpuint(addresses(none, row, bytes, sizeof bytes), ==, 1);
}

/* Lanes without a record, memory that is not known, what else the index is made of. */
static void test_parts(void)
{
    static const char *const sum[] = {"LDG.E R4, desc[UR4][R2.64]", "LDG.E R7, desc[UR4][R8.64]",
                                      "LEA R5, R4, R7, 0x2", LOOK, NULL};
    static const char *const word[] = {"LDG.E R5, desc[UR4][R2.64]", LOOK, NULL};
    static const char *const thread[] = {"LDG.E R4, desc[UR4][R2.64]", "S2R R7, SR_TID.X",
                                         "LEA R5, R4, R7, 0x2", LOOK, NULL};
    static const char *const shuffled[] = {"LDG.E R4, desc[UR4][R2.64]",
                                           "SHFL.IDX PT, R5, R4, R7, 0x1f", LOOK, NULL};
    fill();
    const access both[ACCESSES] = {{0, ALL, BASE, 4, false}, {1, ALL, BASE, 8, false}};
    const access half[ACCESSES] = {{0, ALL, BASE, 4, false}, {1, 3, BASE + 8, 4, false}};
    const access first[ACCESSES] = {{0, ALL, BASE, 4, false}},
                 third[ACCESSES] = {{0, 7, BASE, 4, false}};
    /* 4 a + b where a is 0 1 2 3 and b 0 2 0 2: 0, 6, 8, 14 */
    g_assert_cmpuint(addresses(sum, both, memory, sizeof memory), ==, 4);
    g_assert_cmpuint(addresses(sum, half, memory, sizeof memory), ==, 2);
    g_assert_cmpuint(addresses(sum, first, memory, sizeof memory), ==, 32);
    g_assert_cmpuint(addresses(word, third, memory, sizeof memory), ==, 3);
    g_assert_cmpuint(addresses(word, first, memory, 8), ==, 2);  /* of the first two lanes */
    g_assert_cmpuint(addresses(word, first, memory, 0), ==, 30); /* of 256: two lanes meet twice */
    /* 4 a + thread: 0, 5, 10, 15, and 4 more for each four threads */
    g_assert_cmpuint(addresses(thread, first, memory, sizeof memory), ==, 32);
    g_assert_cmpuint(addresses(shuffled, first, memory, sizeof memory), ==, 32);
}

/* What is not known is anything, but the same for those that read the same. */
static void test_unknown(void)
{
    static const char *const word[] = {"LDG.E R4, desc[UR4][R2.64]", "SHF.L.U32 R5, R4, 0x2, RZ",
                                       LOOK, NULL};
    static const char *const large[] = {"LDG.E R4, desc[UR4][R2.64]",
                                        "LOP3.LUT R5, R4, 0xffffff00, RZ, 0xc0, !PT", LOOK, NULL};
    static const char *const shared[] = {"LDS R4, [R2]", "SHF.L.U32 R5, R4, 0x2, RZ", LOOK, NULL};
    static const char *const low[] = {"LDS.U8 R4, [R2]", "LOP3.LUT R5, R4, 0x3, RZ, 0xc0, !PT",
                                      LOOK, NULL};
    static const char *const matrix[] = {"LDSM.16.M88 R5, [R2]", LOOK, NULL};
    const access row[ACCESSES] = {{0, ALL, BASE, 4, false}},
                 one[ACCESSES] = {{0, ALL, BASE, 0, false}};
    const access all[ACCESSES] = {{0, ALL, 16, 4, true}}, same[ACCESSES] = {{0, ALL, 16, 0, true}};
    g_assert_cmpuint(addresses(word, row, memory, 0), ==, 30);
    g_assert_cmpuint(addresses(word, one, memory, 0), ==, 1);
    g_assert_cmpuint(addresses(large, row, memory, 0), ==, 1); /* tables have few kinds */
    g_assert_cmpuint(addresses(shared, all, memory, 0), ==, 27);
    g_assert_cmpuint(addresses(shared, same, memory, 0), ==, 1);
    g_assert_cmpuint(addresses(low, all, memory, 0), ==, 4); /* any of 0 to 3, by 32 lanes */
    g_assert_cmpuint(addresses(matrix, same, memory, 0), ==, 32);
}

/* Lanes that do not come there ask for nothing: those do that do an access beside. */
static void test_few_lanes(void)
{
    static const char *const behind[] = {"S2R R5, SR_TID.X", "LDG.E R4, desc[UR4][R2.64]", LOOK,
                                         NULL};
    static const char *const guarded[] = {"S2R R5, SR_TID.X", "@P0 LDG.E R4, desc[UR4][R2.64]",
                                          LOOK, NULL};
    static const char *const elsewhere[] = {"S2R R5, SR_TID.X", "LDG.E R4, desc[UR4][R2.64]",
                                            "BSYNC B0", LOOK, NULL};
    const access two[ACCESSES] = {{1, 3, BASE, 4, false}},
                 all[ACCESSES] = {{1, ALL, BASE, 4, false}};
    const access both[ACCESSES] = {{1, 3, BASE, 4, false}, {1, 7, BASE, 4, false}};
    g_assert_cmpuint(addresses(behind, two, memory, 0), ==, 2);
    g_assert_cmpuint(addresses(behind, all, memory, 0), ==, 32);
    g_assert_cmpuint(addresses(behind, both, memory, 0), ==, 3);
    g_assert_cmpuint(addresses(guarded, two, memory, 0), ==, 32);
    g_assert_cmpuint(addresses(elsewhere, two, memory, 0), ==, 32);
}

/* Constants that an index is made of: as many as are read. */
static void test_chained(void)
{
    static const char *const twice[] = {"LDG.E R4, desc[UR4][R2.64]", "LDC.U8 R5, c[0x3][R4+0x800]",
                                        "LDC R6, c[0x3][R5]", NULL};
    static const char *const masked[] = {"LDG.E R4, desc[UR4][R2.64]",
                                         "LDC.U8 R7, c[0x3][R4+0x800]",
                                         "LOP3.LUT R5, R7, 0x1, RZ, 0xc0, !PT", LOOK, NULL};
    static const char *const threads[] = {"S2R R4, SR_TID.X", "LOP3.LUT R4, R4, 0x7, RZ, 0xc0, !PT",
                                          "LDC R5, c[0x3][R4]", LOOK, NULL};
    fill();
    const access row[ACCESSES] = {{0, ALL, BASE, 4, false}}, none[ACCESSES] = {{0}};
    g_assert_cmpuint(addresses(twice, row, memory, sizeof memory), ==, 4);
    g_assert_cmpuint(addresses(masked, row, memory, sizeof memory), ==, 2);
    g_assert_cmpuint(addresses(threads, none, memory, 0), ==, 8);
}

/* The same where the trace tells what constants hold. */
static void test_told(void)
{
    static const char *const loaded[] = {"LDG.E R4, desc[UR4][R2.64]",
                                         "LDC.U8 R5, c[0x3][R4+0x800]", "LDC R6, c[0x3][R5]", NULL};
    static const char *const threads[] = {"S2R R4, SR_TID.X", "LOP3.LUT R4, R4, 0x7, RZ, 0xc0, !PT",
                                          "LDC.U8 R5, c[0x3][R4+0x800]", LOOK, NULL};
    static const char *const beyond[] = {"S2R R4, SR_TID.X", "LOP3.LUT R4, R4, 0x7, RZ, 0xc0, !PT",
                                         "LDC.U8 R5, c[0x3][R4+0x808]", LOOK, NULL};
    static const char *const fixed[] = {"S2R R4, SR_TID.X", "LDC.U8 R7, c[0x3][0x800]",
                                        "SHF.R.U32.HI R5, RZ, R7, R4", LOOK, NULL};
    static const uint8_t bytes[8] = {4, 4, 8, 8, 8, 12, 12, 4};
    fill();
    const access row[ACCESSES] = {{0, ALL, BASE, 4, false}}, none[ACCESSES] = {{0}};
    table = bytes;
    g_assert_cmpuint(addresses(loaded, row, memory, sizeof memory), ==, 2); /* of 0 to 3 */
    g_assert_cmpuint(addresses(threads, none, memory, 0), ==, 3);
    g_assert_cmpuint(addresses(beyond, none, memory, 0), ==, 8); /* that is not told */
    g_assert_cmpuint(addresses(fixed, none, memory, 0), ==, 2);  /* threads over 16 */
    table = NULL;
    g_assert_cmpuint(addresses(fixed, none, memory, 0), ==, 32);
}

/* Some records, some more addresses, some fewer: their mean. */
static void test_mean(void)
{
    static const char *const word[] = {"LDG.E R5, desc[UR4][R2.64]", LOOK, NULL};
    fill();
    const access four[ACCESSES] = {{0, ALL, BASE, 4, false},
                                   {0, ALL, BASE, 0, false},
                                   {0, ALL, BASE, 4, false},
                                   {0, ALL, BASE, 8, false}};
    g_assert_cmpuint(addresses(word, four, memory, sizeof memory), ==, 3); /* 11 of 4 */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/indices/widths", test_widths);
    g_test_add_func("/indices/signs", test_signs);
    g_test_add_func("/indices/parts", test_parts);
    g_test_add_func("/indices/unknown", test_unknown);
    g_test_add_func("/indices/few-lanes", test_few_lanes);
    g_test_add_func("/indices/chained", test_chained);
    g_test_add_func("/indices/told", test_told);
    g_test_add_func("/indices/mean", test_mean);
    return g_test_run();
}
