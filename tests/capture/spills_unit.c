/* SPDX-License-Identifier: MIT
 *
 * spills_unit.c - accesses to local memory that no callback reports: the consumer puts them where
 * the code has them.
 */
#include "tests/capture/card.h"

#define LOCAL(at, name, text, kind)                                                                \
    {                                                                                              \
        .pc = at, .opcode = name, .operands = text, .op_class = kind,                              \
        .space = GMTRACE_SPACE_LOCAL, .width = 4, .file = GMTRACE_UNKNOWN,                         \
        .target = GMTRACE_NO_INSTR, .predicate = GMTRACE_NO_REGISTER                               \
    }

enum { CTAS = 40, MOST = 24 };

/* Warp 0 makes a record, warp 1 exits without one; 24 of its lanes are threads. */
static void play(card *at)
{
    for (uint32_t cta = 0; cta < CTAS; cta++) {
        const gmc_cell cell = {.cta = cta,
                               .pc = 2,
                               .aux = 4 | 1 << 8,
                               .mask = UINT32_MAX,
                               .mark = GMC_MARK(GMC_GLOBAL, GMC_AFFINE, 0)};
        card_put(at, cell, NULL, 0);
        card_exit(at, cta, 2, 0, UINT32_MAX);
        card_exit(at, cta, 2, 1, 0xffffff);
    }
}

static void check_warp(card *at, uint32_t cta, uint32_t warp, uint32_t mask, const uint32_t *instr,
                       unsigned count)
{
    gmtrace_record record[MOST];
    g_assert_cmpuint(card_records(at, cta, warp, record, MOST), ==, count);
    for (unsigned i = 0; i < count; i++) {
        g_assert_cmpuint(record[i].instr, ==, instr[i]);
        g_assert_cmphex(record[i].mask, ==, mask);
    }
}

static void test_spills(void)
{
    gmtrace_instr spills[] = {LOCAL(0, "STL", "[R1+0x4], R2", GMTRACE_CLASS_STORE),
                              INSTR(16, "EXIT", GMTRACE_CLASS_EXIT),
                              INSTR(32, "LDG.E", GMTRACE_CLASS_LOAD),
                              LOCAL(48, "LDL", "R2, [R1+0x4]", GMTRACE_CLASS_LOAD),
                              INSTR(64, "EXIT", GMTRACE_CLASS_EXIT)};
    spills[1].predicate = 0;
    spills[2].space = GMTRACE_SPACE_GLOBAL;
    const uint32_t whole[] = {0, 2, 3}, early[] = {0};
    const gmc_range range = {0, G_N_ELEMENTS(spills), 0};
    const gmc_code code = {spills, G_N_ELEMENTS(spills), &range, 1};
    gmtrace_error error = {0};
    gmtrace_unseen *slots;
    g_assert_true(
        gmtrace_unseen_create(spills, G_N_ELEMENTS(spills), GMTRACE_DETAIL_MEMORY, &slots));
    card *at = card_open(spills, G_N_ELEMENTS(spills));
    for (unsigned i = 0; i < 2; i++) { /* a launch leaves nothing behind for the next */
        card_launch(at, (gmc_job){.code = &code, .threads = 56, .slots = slots}, CTAS);
        play(at);
        const gmc_result result = card_finish(at);
        g_assert_true(result.sound);
        g_assert_cmpuint(result.records, ==, 4 * CTAS);
        g_assert_cmpuint(result.slots.accesses, ==, 3 * CTAS);
        g_assert_cmpuint(result.slots.lost + result.slots.ambiguous, ==, 0);
        card_written(at);
    }
    gmtrace_reader *reader = card_read(at);
    for (uint32_t i = 0; i < 2; i++) {
        g_assert_true(gmtrace_select_launch(reader, i, &error));
        for (uint32_t cta = 0; cta < CTAS; cta++) {
            check_warp(at, cta, 0, UINT32_MAX, whole, G_N_ELEMENTS(whole));
            check_warp(at, cta, 1, 0xffffff, early, G_N_ELEMENTS(early));
        }
    }
    card_close(at);
    gmtrace_unseen_free(slots);
}

/* A launch of one warp, and its end: what came of it. */
static card *begin_warp(const gmc_code *code, gmtrace_unseen **slots)
{
    g_assert_true(
        gmtrace_unseen_create(code->instr, code->instr_count, GMTRACE_DETAIL_MEMORY, slots));
    card *at = card_open(code->instr, code->instr_count);
    card_launch(at, (gmc_job){.code = code, .threads = 32, .slots = *slots}, 1);
    return at;
}

static gmc_result end_warp(card *at, uint32_t exit)
{
    gmtrace_error error = {0};
    card_exit(at, 0, exit, 0, UINT32_MAX);
    const gmc_result result = card_finish(at);
    g_assert_true(result.sound);
    g_assert_cmpuint(result.slots.lost, ==, 0);
    card_written(at);
    g_assert_true(gmtrace_select_launch(card_read(at), 0, &error));
    return result;
}

/* cp.async has two reports; what follows it happens once, and behind both. Two lanes copy nothing.
 */
static void test_spill_behind_copy(void)
{
    gmtrace_instr spills[] = {INSTR(0, "LDGSTS.E", GMTRACE_CLASS_COPY_ASYNC),
                              LOCAL(16, "STL", "[R1+0x4], R2", GMTRACE_CLASS_STORE),
                              INSTR(32, "LDGSTS.E", GMTRACE_CLASS_COPY_ASYNC),
                              INSTR(48, "EXIT", GMTRACE_CLASS_EXIT)};
    const uint32_t wanted[] = {0, 0, 1, 2, 2};
    spills[0].space = spills[2].space = GMTRACE_SPACE_GLOBAL;
    const gmc_range range = {0, G_N_ELEMENTS(spills), 0};
    const gmc_code code = {spills, G_N_ELEMENTS(spills), &range, 1};
    gmtrace_unseen *slots;
    card *at = begin_warp(&code, &slots);
    for (uint32_t pc = 0; pc <= 2; pc += 2) {
        gmc_cell cell = {.pc = pc, .aux = 4, .mask = pc ? 0xfffffffc : UINT32_MAX};
        cell.mark = GMC_MARK(GMC_COPY_READ, GMC_AFFINE, 0);
        card_put(at, cell, NULL, 0);
        cell.mask = UINT32_MAX;
        cell.mark = GMC_MARK(GMC_COPY_WRITE, GMC_AFFINE, 0);
        card_put(at, cell, NULL, 0);
    }
    end_warp(at, 3);
    gmtrace_record record[MOST];
    g_assert_cmpuint(card_records(at, 0, 0, record, MOST), ==, G_N_ELEMENTS(wanted));
    for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++) {
        g_assert_cmpuint(record[i].instr, ==, wanted[i]);
        g_assert_cmphex(record[i].mask, ==, i == 3 ? 0xfffffffc : UINT32_MAX);
    }
    card_close(at);
    gmtrace_unseen_free(slots);
}

/* Local arrays' slots are reported, spills between them are not: all stand as the code has them,
 * from the first turn on, also behind a fork. */
static void test_spills_among_arrays(void)
{
    gmtrace_instr spills[] = {INSTR(0, "LDG.E", GMTRACE_CLASS_LOAD),
                              LOCAL(16, "STL", "[R1], R2", GMTRACE_CLASS_STORE),
                              LOCAL(32, "LDL", "R2, [R1+0x20]", GMTRACE_CLASS_LOAD),
                              LOCAL(48, "STL", "[R1+0x4], R2", GMTRACE_CLASS_STORE),
                              LOCAL(64, "LDL", "R2, [R1+0x30]", GMTRACE_CLASS_LOAD),
                              INSTR(80, "BRA", GMTRACE_CLASS_BRANCH),
                              LOCAL(96, "LDL", "R2, [R1+0x40]", GMTRACE_CLASS_LOAD),
                              LOCAL(112, "STL", "[R1+0x8], R2", GMTRACE_CLASS_STORE),
                              INSTR(128, "BRA", GMTRACE_CLASS_BRANCH),
                              INSTR(144, "EXIT", GMTRACE_CLASS_EXIT)};
    spills[0].space = GMTRACE_SPACE_GLOBAL;
    spills[5].predicate = spills[8].predicate = 0;
    spills[5].target = 9;
    spills[8].target = 0;
    const gmc_range range = {0, G_N_ELEMENTS(spills), 0};
    const gmc_code code = {spills, G_N_ELEMENTS(spills), &range, 1};
    gmtrace_unseen *slots;
    card *at = begin_warp(&code, &slots);
    uint32_t wanted[3 * 7];
    for (uint32_t turn = 0; turn < 3; turn++) {
        gmc_cell cell = {.pc = 0, .aux = 4 | 1 << 8, .mask = UINT32_MAX};
        cell.mark = GMC_MARK(GMC_GLOBAL, GMC_AFFINE, 0);
        card_put(at, cell, NULL, 0);
        for (cell.pc = 1; cell.pc <= 7; cell.pc += cell.pc == 3 ? 4 : 2) {
            cell.aux = 4 | 2 << 8;
            cell.mark = GMC_MARK(GMC_LOCAL, GMC_AFFINE, 0);
            card_put(at, cell, NULL, 0);
        }
        for (uint32_t i = 0; i < 7; i++)
            wanted[turn * 7 + i] = i < 5 ? i : i + 1;
    }
    g_assert_cmpuint(end_warp(at, 9).slots.accesses, ==, 3 * 3);
    check_warp(at, 0, 0, UINT32_MAX, wanted, G_N_ELEMENTS(wanted));
    card_close(at);
    gmtrace_unseen_free(slots);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/capture/spills", test_spills);
    g_test_add_func("/capture/spills-among-arrays", test_spills_among_arrays);
    g_test_add_func("/capture/spill-behind-copy", test_spill_behind_copy);
    return g_test_run();
}
