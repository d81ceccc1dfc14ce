/* SPDX-License-Identifier: MIT
 *
 * path_known_unit.c - loops without a record, turned as often as parameters, floats and what memory
 * held say. The expected turns are worked out by hand.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/path.h"
#include "traces/code/sass.h"

#define ALL UINT32_MAX

/* A kernel of nvdisasm's text, a line an instruction: its text, and the upper half of its encoding,
 * where floats are written in decimal. `target` names the line that a branch goes to. */
typedef struct line {
    const char *text;
    uint32_t immediate, target;
} line;

typedef struct code {
    gmtrace_sass sass;
    gmtrace_kernel kernel;
} code;

static void assemble(code *c, const line *lines, uint32_t count)
{
    GString *text = g_string_new("\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n");
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < count; i++) {
        gchar *label = g_strdup_printf("`(.L_x_%u)", lines[i].target);
        gchar **parts = g_strsplit(lines[i].text, "`", 2);
        g_string_append_printf(text, ".L_x_%u:\n        /*%04x*/                   ", i, 16 * i);
        g_string_append_printf(text, "%s%s ; /* 0x%08x00000000 */\n /* 0x000fe20000000000 */\n",
                               parts[0], parts[1] ? label : "", lines[i].immediate);
        g_strfreev(parts);
        g_free(label);
    }
    g_assert_true(gmtrace_sass_listing(&c->sass, text->str, ".text.k", 0));
    gmtrace_sass_link(&c->sass);
    g_assert_cmpuint(c->sass.instr_count, ==, count);
    c->kernel = (gmtrace_kernel){.instr = c->sass.instr, .instr_count = count};
    g_string_free(text, TRUE);
}

/* Paths of the launch, and its first warp. */
static gmtrace_paths *begin(const code *c, const gmtrace_launch *launch, gmtrace_path_warp *warp)
{
    gmtrace_paths *paths = gmtrace_paths_create(&c->kernel, GMTRACE_DETAIL_MEMORY);
    gmtrace_paths_know(paths, launch);
    gmtrace_path_enter_as(paths, warp, ALL, 0, 0);
    return paths;
}

/* The first warp: a record at instruction `load`, unless it is 0, of lanes 4 bytes apart from
 * `address` on; then its end. What is executed then, and how many ways are in doubt. */
static uint64_t executed(const code *c, const gmtrace_launch *launch, uint32_t load,
                         uint64_t address, uint64_t *doubtful)
{
    gmtrace_path_warp warp;
    static const gmtrace_chunk chunk;
    gmtrace_paths *paths = begin(c, launch, &warp);
    if (load) {
        const gmtrace_record record = {.instr = load,
                                       .mask = ALL,
                                       .op = GMTRACE_OP_LOAD,
                                       .shape = GMTRACE_AFFINE,
                                       .stride = 4,
                                       .address = address,
                                       .size = 4};
        gmtrace_path_step_in(paths, &warp, &record, &chunk);
    }
    const uint64_t count = gmtrace_path_end(paths, &warp)->instructions;
    const gmtrace_path_counts counts = gmtrace_path_get_counts(paths);
    g_assert_false(gmtrace_paths_failed(paths));
    *doubtful = counts.ambiguous + counts.estimated;
    gmtrace_paths_free(paths);
    return count;
}

#define EXECUTED(c, launch, load, address, expected, in_doubt)                                     \
    do {                                                                                           \
        uint64_t doubtful_;                                                                        \
        g_assert_cmpuint(executed(&c, &launch, load, address, &doubtful_), ==, expected);          \
        g_assert_cmpint(doubtful_ != 0, ==, in_doubt);                                             \
    } while (0)

/* for (i = 0; i < parameter; i++) */
static void test_parameter(void)
{
    static const line lines[] = {{"MOV R2, RZ", 0, 0},
                                 {"VIADD R2, R2, 0x1", 0, 0},
                                 {"ISETP.GE.AND P0, PT, R2, c[0x0][0x214], PT", 0, 0},
                                 {"@!P0 BRA `", 0, 1},
                                 {"EXIT", 0, 0}};
    static const uint32_t parameters[] = {7, 37};
    const gmtrace_known known = {
        .constants_offset = 0x210, .constants_size = 8, .constants = (const uint8_t *)parameters};
    gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    EXECUTED(c, launch, 0, 0, 1 + 3 * 37 + 1, false);
    launch.known = NULL;
    EXECUTED(c, launch, 0, 0, 1 + 3 + 1, true);
    gmtrace_sass_free(&c.sass);
}

/* 64-bit counters: for (i = 0; i < parameter; i += step), carries and all. */
static void test_carry(void)
{
    static const line lines[] = {
        {"CS2R R2, SRZ", 0, 0},
        {"LDC.64 R4, c[0x0][0x210]", 0, 0},
        {"IADD3 R2, P1, R2, -0x80000000, RZ", 0x80000000u, 0},
        {"IADD3.X R3, R3, RZ, RZ, P1, !PT", 0, 0},
        {"ISETP.GE.U32.AND P0, PT, R2, R4, PT", 0, 0},
        {"ISETP.GE.U32.AND.EX P0, PT, R3, R5, PT, P0", 0, 0},
        {"@!P0 BRA `", 0, 2},
        {"EXIT", 0, 0},
    };
    static const uint64_t parameter = UINT64_C(10) << 31;
    const gmtrace_known known = {
        .constants_offset = 0x210, .constants_size = 8, .constants = (const uint8_t *)&parameter};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    EXECUTED(c, launch, 0, 0, 2 + 5 * 10 + 1, false);
    gmtrace_sass_free(&c.sass);
}

/* The upper half of a product and a sum, which carries: how 64-bit numbers are divided. */
static void test_upper_carry(void)
{
    static const line lines[] = {
        {"LDC.64 R4, c[0x0][0x210]", 0, 0},
        {"LDC R6, c[0x0][0x218]", 0, 0},
        {"IMAD.HI.U32 R2, P1, R6, R6, R4", 0, 0},
        {"LOP3.LUT R2, R2, 0x7, RZ, 0xc0, !PT", 0, 0},
        {"IADD3.X R3, RZ, R2, RZ, P1, !PT", 0, 0},
        {"VIADD R3, R3, 0xffffffff", 0, 0},
        {"ISETP.GE.AND P0, PT, R3, 0x1, PT", 0, 0},
        {"@P0 BRA `", 0, 5},
        {"EXIT", 0, 0},
    };
    struct {
        uint64_t with;
        uint32_t factor;
    } parameters = {.with = UINT64_C(0xfffffffe) << 32, .factor = 0x80000000u};
    const gmtrace_known known = {
        .constants_offset = 0x210, .constants_size = 16, .constants = (const uint8_t *)&parameters};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    EXECUTED(c, launch, 0, 0, 5 + 3 * (6 + 1) + 1, false);
    parameters.with = UINT64_C(5) << 32; /* nothing carries */
    EXECUTED(c, launch, 0, 0, 5 + 3 * 5 + 1, false);
    gmtrace_sass_free(&c.sass);
}

/* x = x / 2 until it is below 1, from a parameter, in floats and doubles. */
static void test_floats(void)
{
    static const line single[] = {{"LDC R2, c[0x0][0x210]", 0, 0},
                                  {"FMUL R2, R2, 0.5", 0x3f000000, 0},
                                  {"FSETP.GEU.AND P0, PT, |R2|, 1, PT", 0x3f800000, 0},
                                  {"@P0 BRA `", 0, 1},
                                  {"EXIT", 0, 0}};
    static const line halves[] = {{"LDC R2, c[0x0][0x210]", 0, 0},
                                  {"FMUL.D2 R2, R2, 1", 0x3f800000, 0},
                                  {"FSETP.GEU.AND P0, PT, |R2|, 1, PT", 0x3f800000, 0},
                                  {"@P0 BRA `", 0, 1},
                                  {"EXIT", 0, 0}};
    static const line parts[] = {{"LDC R2, c[0x0][0x210]", 0, 0},
                                 {"FMUL.FTZ.M8 R2, R2, 0.0078125", 0x3c000000, 0},
                                 {"FSETP.GEU.AND P0, PT, |R2|, 1, PT", 0x3f800000, 0},
                                 {"@P0 BRA `", 0, 1},
                                 {"EXIT", 0, 0}};
    static const line wide[] = {{"LDC.64 R2, c[0x0][0x218]", 0, 0},
                                {"DMUL R2, R2, 0.5", 0x3fe00000, 0},
                                {"DSETP.GEU.AND P0, PT, |R2|, 1, PT", 0x3ff00000, 0},
                                {"@P0 BRA `", 0, 1},
                                {"EXIT", 0, 0}};
    const struct {
        float single;
        uint32_t none;
        double wide;
    } parameters = {-1024.0f, 0, -65536.0};
    const gmtrace_known known = {
        .constants_offset = 0x210, .constants_size = 16, .constants = (const uint8_t *)&parameters};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    code c;
    assemble(&c, single, G_N_ELEMENTS(single));
    EXECUTED(c, launch, 0, 0, 1 + 3 * 11 + 1, false);
    gmtrace_sass_free(&c.sass);
    assemble(&c, halves, G_N_ELEMENTS(halves));
    EXECUTED(c, launch, 0, 0, 1 + 3 * 11 + 1, false);
    gmtrace_sass_free(&c.sass);
    assemble(&c, parts, G_N_ELEMENTS(parts)); /* a sixteenth of it each turn */
    EXECUTED(c, launch, 0, 0, 1 + 3 * 3 + 1, false);
    gmtrace_sass_free(&c.sass);
    assemble(&c, wide, G_N_ELEMENTS(wide));
    EXECUTED(c, launch, 0, 0, 1 + 3 * 17 + 1, false);
    gmtrace_sass_free(&c.sass);
}

/* A loop turns as often as the form says, of three parameters in R4 to R6, and eight times more. */
static uint64_t turns_of(const char *form, int32_t a, int32_t b, int32_t d)
{
    const line lines[] = {
        {"LDC.64 R4, c[0x0][0x210]", 0, 0},
        {"LDC R6, c[0x0][0x218]", 0, 0},
        {form, 0, 0},
        {"VIADD R2, R2, 0x8", 0, 0},
        {"VIADD R2, R2, 0xffffffff", 0, 0},
        {"ISETP.GE.AND P0, PT, R2, 0x1, PT", 0, 0},
        {"@P0 BRA `", 0, 4},
        {"EXIT", 0, 0},
    };
    const int32_t parameters[] = {a, b, d};
    const gmtrace_known known = {
        .constants_offset = 0x210, .constants_size = 12, .constants = (const uint8_t *)parameters};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    code c;
    uint64_t doubtful;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    const uint64_t done = executed(&c, &launch, 0, 0, &doubtful);
    gmtrace_sass_free(&c.sass);
    g_assert_cmpuint(doubtful, ==, 0);
    g_assert_cmpuint((done - 5) % 3, ==, 0);
    return (done - 5) / 3;
}

/* The least and the most of three, with and without a sign; no less than nought; and an index that
 * is taken away. */
static void test_extremes(void)
{
    g_assert_cmpuint(turns_of("VIMNMX3 R2, R4, R5, R6, PT", 5, -2, 9), ==, 6);
    g_assert_cmpuint(turns_of("VIMNMX3 R2, R4, R5, R6, !PT", 5, -2, 9), ==, 17);
    g_assert_cmpuint(turns_of("VIMNMX3.U32 R2, R4, R5, R6, PT", 5, -2, 9), ==, 13);
    g_assert_cmpuint(turns_of("VIMNMX3.RELU R2, R4, R5, R6, PT", 5, -2, 9), ==, 8);
    g_assert_cmpuint(turns_of("VIMNMX.RELU R2, R4, R5, PT", 5, -2, 9), ==, 8);
    g_assert_cmpuint(turns_of("VIMNMX.RELU R2, R4, R6, PT", 5, -2, 9), ==, 13);
    g_assert_cmpuint(turns_of("VIADDMNMX.RELU R2, R4, R5, R6, PT", 1, -2, 9), ==, 8);
    g_assert_cmpuint(turns_of("LEA R2, -R4, R6, 0x1", 5, -2, 9), ==, 7);
}

/* As often as a variable in constant bank 3 says, as far as it is told. */
static void test_constants(void)
{
    static const line lines[] = {
        {"LDC R2, c[0x3][0x44]", 0, 0},
        {"VIADD R2, R2, 0xffffffff", 0, 0},
        {"ISETP.GE.AND P0, PT, R2, c[0x3][0x80], PT", 0, 0},
        {"@P0 BRA `", 0, 1},
        {"EXIT", 0, 0},
    };
    const uint32_t sizes[] = {9, 7}, least = 3, memory = 1;
    const gmtrace_known_range ranges[] = {
        {0x1000, sizeof memory, (const uint8_t *)&memory},
        {GMTRACE_BANK_ADDRESS(3u) + 0x40, sizeof sizes, (const uint8_t *)sizes},
        {GMTRACE_BANK_ADDRESS(3u) + 0x80, sizeof least, (const uint8_t *)&least}};
    gmtrace_known known = {.range_count = 3, .range = ranges};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    uint64_t doubtful;
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    EXECUTED(c, launch, 0, 0, 1 + 3 * 5 + 1, false); /* 7 down to 2 */
    known.range_count = 2;
    executed(&c, &launch, 0, 0, &doubtful);
    g_assert_cmpuint(doubtful, >, 0);
    gmtrace_sass_free(&c.sass);
}

/* Each lane counts down from what it loaded: the warp goes on until the last is done. */
static void test_loaded(void)
{
    static const line lines[] = {{"S2R R6, SR_TID.X", 0, 0},
                                 {"LDG.E R2, desc[UR4][R6.64]", 0, 0},
                                 {"BSSY B0, `", 0, 6},
                                 {"VIADD R2, R2, 0xffffffff", 0, 0},
                                 {"ISETP.GE.AND P0, PT, R2, 0x1, PT", 0, 0},
                                 {"@P0 BRA `", 0, 3},
                                 {"BSYNC B0", 0, 0},
                                 {"EXIT", 0, 0}};
    uint32_t words[32];
    for (uint32_t i = 0; i < 32; i++)
        words[i] = 5 + i / 4;
    const gmtrace_known_range range = {
        .base = 0x1000, .size = sizeof words, .bytes = (const uint8_t *)words};
    gmtrace_known known = {.range_count = 1, .range = &range};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    /* BSYNC once for each of the eight groups of lanes that come to it. */
    EXECUTED(c, launch, 1, 0x1000, 1 + 3 * 12 + 8 + 1, false);
    EXECUTED(c, launch, 1, 0x1004, 1 + 3 + 1 + 1, true); /* one lane's is not known */
    gmtrace_sass_free(&c.sass);
}

/* Of more CTAs than can be followed the others go as those before them. */
static void test_many(void)
{
    static const line lines[] = {{"S2R R2, SR_TID.X", 0, 0},
                                 {"S2R R3, SR_CTAID.X", 0, 0},
                                 {"STG.E desc[UR4][R6.64], R4", 0, 0},
                                 {"IMAD R3, R3, 0x3, R2", 0, 0},
                                 {"LOP3.LUT R3, R3, 0x3, RZ, 0xc0, !PT", 0, 0},
                                 {"BSSY B0, `", 0, 9},
                                 {"VIADD R3, R3, 0xffffffff", 0, 0},
                                 {"ISETP.GE.AND P0, PT, R3, 0x1, PT", 0, 0},
                                 {"@P0 BRA `", 0, 6},
                                 {"BSYNC B0", 0, 0},
                                 {"EXIT", 0, 0}};
    const uint32_t ctas = 600000;
    const gmtrace_launch launch = {.grid = {ctas, 1, 1}, .block = {32, 1, 1}};
    static const gmtrace_record record = {.instr = 2, .mask = ALL, .op = GMTRACE_OP_STORE};
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    gmtrace_paths *paths = gmtrace_paths_create(&c.kernel, GMTRACE_DETAIL_MEMORY);
    gmtrace_paths_know(paths, &launch);
    uint64_t last = 0;
    for (uint32_t cta = 0; cta < ctas; cta++) {
        gmtrace_path_warp warp;
        gmtrace_path_enter_as(paths, &warp, ALL, cta, 0);
        gmtrace_path_step(paths, &warp, &record);
        last = gmtrace_path_end(paths, &warp)->instructions;
    }
    g_assert_false(gmtrace_paths_failed(paths));
    /* Lanes leave after one, two or three turns. */
    g_assert_cmpuint(last, ==, 3 + 3 * 3 + 3 + 1);
    gmtrace_paths_free(paths);
    gmtrace_sass_free(&c.sass);
}

/* A loop with a record each turn, round which each lane carries seven numbers of its own. */
static void test_states(void)
{
    static const line lines[] = {
        {"S2R R2, SR_TID.X", 0, 0},
        {"IMAD R3, R2, R2, RZ", 0, 0},
        {"IMAD R4, R3, R2, RZ", 0, 0},
        {"IMAD R5, R4, R2, RZ", 0, 0},
        {"IMAD R6, R5, R2, RZ", 0, 0},
        {"IMAD R7, R6, R2, RZ", 0, 0},
        {"IMAD R8, R7, R2, RZ", 0, 0},
        {"IMAD R9, R8, R2, RZ", 0, 0},
        {"MOV R10, RZ", 0, 0},
        {"VIADD R10, R10, 0x1", 0, 0}, /* the loop */
        {"STG.E desc[UR4][R12.64], R14", 0, 0},
        {"LOP3.LUT R11, R10, 0x1, RZ, 0xc0, !PT", 0, 0},
        {"ISETP.NE.AND P0, PT, R11, RZ, PT", 0, 0},
        {"@P0 BRA `", 0, 15},
        {"VIADD R15, R15, 0x1", 0, 0}, /* in even turns alone */
        {"ISETP.LT.AND P0, PT, R10, c[0x0][0x210], PT", 0, 0},
        {"@P0 BRA `", 0, 9},
        {"ISETP.LT.AND P0, PT, R3, R4, PT", 0, 0}, /* all seven tell whether one more is executed */
        {"ISETP.LT.AND P0, PT, R5, R6, P0", 0, 0},
        {"ISETP.LT.AND P0, PT, R7, R8, P0", 0, 0},
        {"ISETP.NE.AND P0, PT, R9, -0x1, P0", 0, 0},
        {"BSSY B0, `", 0, 24},
        {"@P0 BRA `", 0, 24},
        {"VIADD R15, R15, 0x1", 0, 0},
        {"BSYNC B0", 0, 0},
        {"EXIT", 0, 0}};
    static const uint32_t turns = 240000;
    const gmtrace_known known = {
        .constants_offset = 0x210, .constants_size = 4, .constants = (const uint8_t *)&turns};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    static const gmtrace_record record = {.instr = 10, .mask = ALL, .op = GMTRACE_OP_STORE};
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    gmtrace_path_warp warp;
    gmtrace_paths *paths = begin(&c, &launch, &warp);
    uint64_t sum = 0;
    for (uint32_t turn = 0; turn < turns; turn++)
        sum += gmtrace_path_step(paths, &warp, &record)->instructions;
    sum += gmtrace_path_end(paths, &warp)->instructions;
    const gmtrace_path_counts counts = gmtrace_path_get_counts(paths);
    g_assert_cmpuint(counts.ambiguous + counts.estimated, ==, 0);
    /* BSYNC once for those that executed the instruction before, and once for the others. */
    g_assert_cmpuint(sum, ==, 9 + 6 * turns + turns / 2 + 7 + 2 + 1);
    g_assert_false(gmtrace_paths_failed(paths));
    gmtrace_paths_free(paths);
    gmtrace_sass_free(&c.sass);
}

/* In each turn others store: who does not comes to the BSYNC by one branch, wherever it was. */
static void test_turns_of_others(void)
{
    static const line lines[] = {{"S2R R6, SR_TID.X", 0, 0},
                                 {"MOV R2, RZ", 0, 0},
                                 {"LOP3.LUT R7, R6, 0x7, RZ, 0xc0, !PT", 0, 0},
                                 {"BSSY B0, `", 0, 7}, /* the loop */
                                 {"ISETP.NE.AND P1, PT, R7, R2, PT", 0, 0},
                                 {"@P1 BRA `", 0, 7},
                                 {"STG.E desc[UR4][R12.64], R14", 0, 0},
                                 {"BSYNC B0", 0, 0},
                                 {"VIADD R2, R2, 0x1", 0, 0},
                                 {"ISETP.NE.AND P2, PT, R2, 0x8, PT", 0, 0},
                                 {"@P2 BRA `", 0, 3},
                                 {"EXIT", 0, 0}};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    gmtrace_path_warp warp;
    gmtrace_paths *paths = begin(&c, &launch, &warp);
    uint64_t sum = 0;
    for (uint32_t turn = 0; turn < 8; turn++) {
        const gmtrace_record record = {
            .instr = 6, .mask = UINT32_C(0x01010101) << turn, .op = GMTRACE_OP_STORE};
        sum += gmtrace_path_step(paths, &warp, &record)->instructions;
    }
    sum += gmtrace_path_end(paths, &warp)->instructions;
    g_assert_cmpuint(sum, ==, 3 + 8 * (7 + 1) + 1);
    g_assert_false(gmtrace_paths_failed(paths));
    gmtrace_paths_free(paths);
    gmtrace_sass_free(&c.sass);
}

/* Four times a word decides whether eight instructions are skipped. Of ten warps, whose words are
 * known, six execute them; one of which nothing is known goes as they do in the mean, not four
 * times as most. */
static void test_as_others(void)
{
    enum { TIMES = 4, CODE = 11, WARPS = 10, LONG = 6 };
    line lines[TIMES * CODE + 1];
    for (uint32_t i = 0; i < TIMES; i++) {
        line *at = &lines[i * CODE];
        at[0] = (line){"LDG.E R4, desc[UR4][R2.64]", 0, 0};
        at[1] = (line){"ISETP.GE.AND P0, PT, R4, 0x6, PT", 0, 0};
        at[2] = (line){"@P0 BRA `", 0, (i + 1) * CODE};
        for (uint32_t k = 3; k < CODE; k++)
            at[k] = (line){"VIADD R8, R8, 0x1", 0, 0};
    }
    lines[TIMES * CODE] = (line){"EXIT", 0, 0};
    uint32_t words[TIMES][WARPS];
    for (uint32_t i = 0; i < TIMES; i++)
        for (uint32_t w = 0; w < WARPS; w++)
            words[i][w] = (w + i) % WARPS;
    const gmtrace_known_range range = {0x7000, sizeof words, (const uint8_t *)words};
    const gmtrace_known known = {.range_count = 1, .range = &range};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .known = &known};
    static const gmtrace_chunk chunk;
    code c;
    assemble(&c, lines, G_N_ELEMENTS(lines));
    gmtrace_path_warp warp;
    gmtrace_paths *paths = begin(&c, &launch, &warp);
    uint64_t all = 0, sum = 0;
    for (uint32_t w = 0; w <= WARPS; w++) {
        sum = 0;
        gmtrace_path_enter_as(paths, &warp, ALL, 0, 0);
        for (uint32_t i = 0; i < TIMES; i++) {
            const uint64_t place = w < WARPS ? 0x7000 + 4 * (i * WARPS + w) : 0x6000 + 4 * i;
            const gmtrace_record record = {.instr = i * CODE,
                                           .mask = ALL,
                                           .op = GMTRACE_OP_LOAD,
                                           .shape = GMTRACE_AFFINE,
                                           .stride = w < WARPS ? 0 : 0x1000,
                                           .address = place,
                                           .size = 4};
            sum += gmtrace_path_step_in(paths, &warp, &record, &chunk)->instructions;
        }
        sum += gmtrace_path_end(paths, &warp)->instructions;
        all += w < WARPS ? sum : 0;
    }
    g_assert_cmpuint(all, ==, WARPS * (TIMES * 2 + 1) + TIMES * LONG * 8);
    g_assert_cmpuint(sum, >=, TIMES * 2 + 1 + 2 * 8);
    g_assert_cmpuint(sum, <=, TIMES * 2 + 1 + 3 * 8);
    g_assert_false(gmtrace_paths_failed(paths));
    gmtrace_paths_free(paths);
    gmtrace_sass_free(&c.sass);
}

/* Lanes part and meet three times, and leave later, all but one: those who stayed until then and
 * the one went together, whatever is known of what they left by. */
static void test_leaving(void)
{
    static const char *const leaves[] = {"@P0 EXIT P1", "@P0 EXIT !P1", "@P0 EXIT"};
    for (unsigned i = 0; i < G_N_ELEMENTS(leaves); i++) {
        const line lines[] = {
            {"S2R R6, SR_TID.X", 0, 0},
            {"MOV R2, RZ", 0, 0},
            {"LOP3.LUT R7, R6, 0x1, RZ, 0xc0, !PT", 0, 0},
            {"ISETP.NE.AND P1, PT, R7, RZ, PT", 0, 0},
            {"BSSY B0, `", 0, 7}, /* the loop */
            {"@P1 BRA `", 0, 7},
            {"VIADD R8, R8, 0x1", 0, 0},
            {"BSYNC B0", 0, 0},
            {"VIADD R2, R2, 0x1", 0, 0},
            {"ISETP.NE.AND P2, PT, R2, 0x3, PT", 0, 0},
            {"@P2 BRA `", 0, 4},
            {i == 1 ? "ISETP.EQ.AND P1, PT, R6, RZ, PT" : "ISETP.NE.AND P1, PT, R6, RZ, PT", 0, 0},
            {"FSETP.NEU.AND P0, PT, R8, R9, PT", 0, 0}, /* not known */
            {leaves[i], 0, 0},
            {"STG.E desc[UR4][R6.64], R8", 0, 0},
            {"EXIT", 0, 0}};
        const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
        static const gmtrace_record record = {.instr = 14, .mask = 1, .op = GMTRACE_OP_STORE};
        code c;
        assemble(&c, lines, G_N_ELEMENTS(lines));
        gmtrace_path_warp warp;
        gmtrace_paths *paths = begin(&c, &launch, &warp);
        uint64_t sum = gmtrace_path_step(paths, &warp, &record)->instructions;
        sum += gmtrace_path_end(paths, &warp)->instructions;
        g_assert_cmpuint(sum, ==, 4 + 3 * (7 + 1) + 3 + 1);
        g_assert_false(gmtrace_paths_failed(paths));
        gmtrace_paths_free(paths);
        gmtrace_sass_free(&c.sass);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/path/known/parameter", test_parameter);
    g_test_add_func("/path/known/carry", test_carry);
    g_test_add_func("/path/known/upper-carry", test_upper_carry);
    g_test_add_func("/path/known/floats", test_floats);
    g_test_add_func("/path/known/extremes", test_extremes);
    g_test_add_func("/path/known/constants", test_constants);
    g_test_add_func("/path/known/loaded", test_loaded);
    g_test_add_func("/path/known/many", test_many);
    g_test_add_func("/path/known/states", test_states);
    g_test_add_func("/path/known/turns-of-others", test_turns_of_others);
    g_test_add_func("/path/known/as-others", test_as_others);
    g_test_add_func("/path/known/leaving", test_leaving);
    return g_test_run();
}
