/* SPDX-License-Identifier: MIT
 *
 * path_local_unit.c - loops without a record, turned as often as says what was stored to local
 * memory and comes back from there. The expected turns are worked out by hand.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/path.h"
#include "traces/code/sass.h"

#define ALL UINT32_MAX

/* An instruction's text, and the line that a branch goes to; of one that is recorded, what it does
 * and where lane 0 does it, the others `stride` bytes apart. */
typedef struct line {
    const char *text;
    uint32_t target;
    uint32_t size, address, stride;
    gmtrace_op op;
} line;

#define STORE(TEXT, SIZE, ADDRESS, STRIDE)                                                         \
    {                                                                                              \
        TEXT, 0, SIZE, ADDRESS, STRIDE, GMTRACE_OP_STORE                                           \
    }
#define LOAD(TEXT, SIZE, ADDRESS, STRIDE)                                                          \
    {                                                                                              \
        TEXT, 0, SIZE, ADDRESS, STRIDE, GMTRACE_OP_LOAD                                            \
    }
/* for (; R3 != 0; R3--), behind the records; then the end: two lines a turn and one. */
#define COUNT_DOWN                                                                                 \
    {.text = "VIADD R3, R3, 0xffffffff"}, {.text = "ISETP.NE.AND P0, PT, R3, RZ, PT"},             \
        {.text = "@P0 BRA `", .target = UINT32_MAX}, {.text = "EXIT"},

static void assemble(gmtrace_sass *sass, const line *lines, uint32_t count)
{
    GString *text = g_string_new("\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n");
    memset(sass, 0, sizeof *sass);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t target = lines[i].target == UINT32_MAX ? i - 2u : lines[i].target;
        gchar *label = g_strdup_printf("`(.L_x_%u)", target);
        gchar **parts = g_strsplit(lines[i].text, "`", 2);
        g_string_append_printf(text, ".L_x_%u:\n        /*%04x*/                   ", i, 16 * i);
        g_string_append_printf(text, "%s%s ; /* 0x0000000000000000 */\n /* 0x000fe20000000000 */\n",
                               parts[0], parts[1] ? label : "");
        g_strfreev(parts);
        g_free(label);
    }
    g_assert_true(gmtrace_sass_listing(sass, text->str, ".text.k", 0));
    gmtrace_sass_link(sass);
    g_assert_cmpuint(sass->instr_count, ==, count);
    g_string_free(text, TRUE);
}

static void step(gmtrace_paths *paths, gmtrace_path_warp *warp, const line *l, uint32_t instr,
                 uint32_t moved)
{
    static const gmtrace_chunk chunk;
    const gmtrace_record record = {.instr = instr,
                                   .mask = ALL,
                                   .op = (uint8_t)l->op,
                                   .space = GMTRACE_SPACE_LOCAL,
                                   .shape = GMTRACE_AFFINE,
                                   .stride = (int32_t)l->stride,
                                   .address = l->address + moved,
                                   .size = (uint8_t)l->size};
    gmtrace_path_step_in(paths, warp, &record, &chunk);
}

/* What two warps execute behind their last record, one step after the other in turn; they have the
 * same. `in_doubt`: whether some of it is guessed. */
static uint64_t executed(const line *lines, uint32_t count, bool *in_doubt)
{
    gmtrace_sass sass;
    assemble(&sass, lines, count);
    const gmtrace_kernel kernel = {.instr = sass.instr, .instr_count = count};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    gmtrace_paths *paths = gmtrace_paths_create(&kernel, GMTRACE_DETAIL_MEMORY);
    gmtrace_path_warp warp[2];
    gmtrace_paths_know(paths, &launch);
    for (uint32_t w = 0; w < 2; w++)
        gmtrace_path_enter_as(paths, &warp[w], ALL, 0, w);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t w = 0; w < 2 && lines[i].size; w++)
            step(paths, &warp[w], &lines[i], i, 4096 * w);
    const uint64_t first = gmtrace_path_end(paths, &warp[0])->instructions;
    g_assert_cmpuint(gmtrace_path_end(paths, &warp[1])->instructions, ==, first);
    const gmtrace_path_counts counts = gmtrace_path_get_counts(paths);
    g_assert_false(gmtrace_paths_failed(paths));
    *in_doubt = counts.ambiguous + counts.estimated != 0;
    gmtrace_paths_free(paths);
    gmtrace_sass_free(&sass);
    return first;
}

#define EXECUTED(lines, expected, doubt)                                                           \
    do {                                                                                           \
        bool in_doubt_;                                                                            \
        g_assert_cmpuint(executed(lines, G_N_ELEMENTS(lines), &in_doubt_), ==, expected);          \
        g_assert_cmpint(in_doubt_, ==, doubt);                                                     \
    } while (0)

/* A spilled register, and another slot. */
static void test_slot(void)
{
    static const line lines[] = {{.text = "MOV R2, 0x25"},
                                 STORE("STL [R1+0x8], R2", 4, 0xff08, 0),
                                 STORE("STL [R1+0xc], RZ", 4, 0xff0c, 0),
                                 LOAD("LDL R3, [R1+0x8]", 4, 0xff08, 0),
                                 COUNT_DOWN};
    EXECUTED(lines, 3 * 37 + 1, false);
}

/* An array with an index: lane n's own element, stored as two words at once. */
static void test_index(void)
{
    static const line lines[] = {{.text = "MOV R2, 0x5"},
                                 {.text = "MOV R3, 0x9"},
                                 STORE("STL.64 [R1], R2", 8, 0x40, 0),
                                 {.text = "S2R R4, SR_TID.X"},
                                 LOAD("LDL R3, [R4]", 4, 0x44, 0),
                                 COUNT_DOWN};
    EXECUTED(lines, 3 * 9 + 1, false);
}

/* Bytes of a word: signs, and what stands beside them. */
static void test_bytes(void)
{
    static const line lines[] = {{.text = "MOV R2, 0x1f7"},
                                 {.text = "MOV R4, 0x11"},
                                 STORE("STL [R1], RZ", 4, 0x80, 0),
                                 STORE("STL.U8 [R1+0x1], R2", 1, 0x81, 0),
                                 STORE("STL.U8 [R1+0x2], R4", 1, 0x82, 0),
                                 LOAD("LDL.S8 R5, [R1+0x1]", 1, 0x81, 0),
                                 LOAD("LDL.U8 R6, [R1+0x2]", 1, 0x82, 0),
                                 {.text = "IADD3 R3, R5, R6, RZ"},
                                 COUNT_DOWN};
    EXECUTED(lines, 1 + 3 * (17 - 9) + 1, false);
}

/* Nothing was stored there; or something that is not known. */
static void test_unknown(void)
{
    static const line never[] = {{.text = "MOV R2, 0x25"},
                                 STORE("STL [R1], R2", 4, 0x80, 0),
                                 LOAD("LDL R3, [R4]", 4, 0x84, 0),
                                 COUNT_DOWN};
    static const line lost[] = {{.text = "MOV R2, 0x25"},         STORE("STL [R1], R2", 4, 0x80, 0),
                                {.text = "S2R R5, SR_CLOCKLO"},   STORE("STL [R1], R5", 4, 0x80, 0),
                                LOAD("LDL R3, [R1]", 4, 0x80, 0), COUNT_DOWN};
    EXECUTED(never, 3 + 1, true);
    EXECUTED(lost, 3 + 1, true);
}

/* More of it than is kept: what comes last is not known. */
static void test_much(void)
{
    static const line lines[] = {{.text = "MOV R2, 0x25"},
                                 STORE("STL [R4], R2", 4, 0, 64),
                                 STORE("STL [R5], R2", 4, 4096, 0),
                                 LOAD("LDL R3, [R5]", 4, 4096, 0),
                                 COUNT_DOWN};
    EXECUTED(lines, 3 + 1, true);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/path/local/slot", test_slot);
    g_test_add_func("/path/local/index", test_index);
    g_test_add_func("/path/local/bytes", test_bytes);
    g_test_add_func("/path/local/unknown", test_unknown);
    g_test_add_func("/path/local/much", test_much);
    return g_test_run();
}
