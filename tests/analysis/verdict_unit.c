/* SPDX-License-Identifier: MIT
 *
 * verdict_unit.c - patterns, and which finding becomes the verdict, of results filled by hand.
 */
#include "sim/report/format.h"
#include "sim/report/words.h"
#include "tests/report/report_fixture.h"

/* ------------------------------------------------------------------------------------ patterns */

static gmsim_pattern pattern_of(uint64_t base, int64_t stride, uint32_t size, uint32_t mask)
{
    gmsim_worst worst = {.mask = mask, .size = size, .work = 1};
    gmsim_pattern pattern;

    for (unsigned i = 0; i < 32; i++)
        worst.address[i] = base + (uint64_t)(stride * (int64_t)i);
    gmsim_pattern_of(&worst, &pattern);
    return pattern;
}

static void test_patterns(void)
{
    gmsim_pattern column = pattern_of(0, 128, 4, UINT32_MAX);
    gmsim_pattern broadcast = pattern_of(64, 0, 4, UINT32_MAX);
    gmsim_pattern shifted = pattern_of(0x1004, 4, 4, UINT32_MAX);
    gmsim_pattern wide = pattern_of(0, 16, 16, UINT32_MAX);
    gmsim_pattern sparse = pattern_of(0, 8, 4, 0x80000401);
    gmsim_pattern back = pattern_of(4096, -4, 4, UINT32_MAX);
    char *words;

    g_assert_true(column.strided);
    g_assert_cmpint(column.stride, ==, 128);
    g_assert_cmpuint(column.banks, ==, 1);
    g_assert_cmpuint(column.words[0], ==, 32);
    g_assert_cmpuint(broadcast.addresses, ==, 1);
    g_assert_cmpuint(broadcast.words[16], ==, 1);
    g_assert_cmpuint(broadcast.worst_bank, ==, 16);
    g_assert_cmpuint(shifted.sectors, ==, 5);
    g_assert_cmpuint(shifted.lines, ==, 2);
    g_assert_cmpuint(shifted.misaligned, ==, 4);
    g_assert_cmpuint(wide.sectors, ==, 16);
    g_assert_cmpuint(wide.words[31], ==, 4);
    g_assert_cmpuint(sparse.lanes, ==, 3);
    g_assert_true(sparse.strided);
    g_assert_cmpint(sparse.stride, ==, 8);
    g_assert_cmpuint(sparse.lane_bank[1], ==, 0xff);
    g_assert_cmpuint(sparse.lane_bank[10], ==, 20);
    g_assert_true(back.strided);
    g_assert_cmpint(back.stride, ==, -4);
    words = gmsim_pattern_words(&column, true);
    g_assert_cmpstr(words, ==, "1 bank, 128 B apart");
    g_free(words);
    words = gmsim_pattern_words(&sparse, false);
    g_assert_cmpstr(words, ==, "3 lanes, 8 B apart");
    g_free(words);
}

/* ------------------------------------------------------------------------------------ verdicts */

static gmsim_finding verdict_of(const fixture *f)
{
    gmsim_verdict verdict;

    gmsim_verdict_make(&f->gpu, &f->result, &verdict);
    g_assert_cmpuint(verdict.count, >, 0);
    return verdict.finding[0];
}

static bool has_finding(const fixture *f, gmsim_finding_kind kind)
{
    gmsim_verdict verdict;

    gmsim_verdict_make(&f->gpu, &f->result, &verdict);
    for (unsigned i = 0; i < verdict.count; i++) {
        if (verdict.finding[i].kind == kind)
            return true;
    }
    return false;
}

static void test_verdict_conflicts(void)
{
    gmsim_finding finding;
    fixture f;
    char *fix;

    fixture_transpose(&f, false);
    finding = verdict_of(&f);
    g_assert_cmpint(finding.kind, ==, GMSIM_FINDING_CONFLICTS);
    g_assert_cmpuint(finding.now, ==, 10813);
    g_assert_cmpuint(finding.then, ==, 2048);
    g_assert_true(finding.worst == &f.counts[2]);
    fix = gmsim_finding_fix(&f.gpu, &f.result, &finding);
    g_assert_nonnull(strstr(fix, "pad each row"));
    g_assert_nonnull(strstr(fix, "example.cu:8"));
    g_free(fix);
    fixture_transpose(&f, true);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_false(has_finding(&f, GMSIM_FINDING_CONFLICTS));
}

/* All lanes on one word is a broadcast: one wavefront, whatever course notes say. */
static void test_verdict_broadcast(void)
{
    fixture f;
    char *what;
    gmsim_finding finding;

    fixture_init(&f);
    fixture_add(&f, "LDS", GMSIM_SHARED_LOAD, 5, 1000000, 0, 0, 1, 1);
    fixture_finish(&f);
    finding = verdict_of(&f);
    g_assert_cmpint(finding.kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_cmpint(finding.then_bound, ==, GMSIM_RESOURCE_SHARED);
    g_assert_false(has_finding(&f, GMSIM_FINDING_CONFLICTS));
    what = gmsim_finding_what(&f.gpu, &f.result, &finding);
    g_assert_nonnull(strstr(what, "Nothing to fix"));
    g_free(what);
}

/* A conflict that hides behind DRAM is mentioned, not made the verdict. */
static void test_verdict_hidden_conflict(void)
{
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 1000000, 4, 0, 4, 4);
    fixture_add(&f, "LDS", GMSIM_SHARED_LOAD, 5, 100000, 8, 0, 2, 1);
    fixture_finish(&f);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_true(has_finding(&f, GMSIM_FINDING_CONFLICTS));
}

static void test_verdict_uncoalesced(void)
{
    gmsim_finding finding;
    fixture f;
    char *text;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(&f, "STG.E", GMSIM_GLOBAL_STORE, 5, 32768, 4096, 0, 32, 4);
    fixture_finish(&f);
    finding = verdict_of(&f);
    g_assert_cmpint(finding.kind, ==, GMSIM_FINDING_UNCOALESCED);
    g_assert_cmpint(finding.row, ==, GMSIM_GLOBAL_STORE);
    g_assert_cmpuint(finding.then, <, finding.now);
    text = gmsim_finding_what(&f.gpu, &f.result, &finding);
    g_assert_nonnull(strstr(text, "Uncoalesced global stores"));
    g_free(text);
    text = gmsim_finding_fix(&f.gpu, &f.result, &finding);
    g_assert_nonnull(strstr(text, "4096 B apart"));
    g_free(text);
}

/* Where L1 serves the excess, coalescing does not lower the bound of L2 or DRAM. */
static void test_verdict_absorbed(void)
{
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 327680, 16, 0, 16, 4);
    fixture_finish(&f);
    f.result.row[GMSIM_GLOBAL_LOAD].xbar_read_sectors /= 4;
    f.result.l2.read_sectors /= 4;
    f.result.l2.dram_read_sectors /= 4;
    f.result.min_cycles[GMSIM_RESOURCE_L2] /= 4;
    f.result.min_cycles[GMSIM_RESOURCE_DRAM] /= 4;
    f.result.min_cycles[GMSIM_RESOURCE_L1] /= 4;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_true(has_finding(&f, GMSIM_FINDING_UNCOALESCED));
}

static void test_verdict_atomics(void)
{
    gmsim_finding finding;
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(&f, "RED.E.ADD.F32", GMSIM_GLOBAL_REDUCTION, 5, 32768, 0, 0, 1, 1);
    f.result.l2.dirty_sectors = 1;
    fixture_finish(&f);
    finding = verdict_of(&f);
    g_assert_cmpint(finding.kind, ==, GMSIM_FINDING_ATOMICS);
    g_assert_cmpuint(finding.now, ==, 32768);
    g_assert_true(finding.worst == &f.counts[1]);
    /* One a CTA is what a good reduction leaves. */
    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(&f, "RED.E.ADD.F32", GMSIM_GLOBAL_REDUCTION, 5, 1024, 0, 0, 1, 1);
    f.result.l2.dirty_sectors = 1;
    fixture_finish(&f);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
}

static void test_verdict_local(void)
{
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(&f, "LDL", GMSIM_LOCAL_LOAD, 5, 65536, 0, 0, 4, 4);
    fixture_add(&f, "STL", GMSIM_LOCAL_STORE, 5, 65536, 0, 0, 4, 4);
    fixture_finish(&f);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_LOCAL);
}

static void test_verdict_shape(void)
{
    fixture f;

    fixture_init(&f);
    fixture_add(&f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_finish(&f);
    f.launch.grid[0] = 16;
    f.launch.grid[1] = 1;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_SMALL_GRID);
    /* Enough for one block an SM, of the two each could hold, but a quarter of the warps. */
    f.launch.grid[0] = 100;
    f.result.occupancy.theoretical_pct = 50;
    f.result.waves = 0.5;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_SMALL_GRID);
    f.launch.grid[0] = 1600;
    f.result.waves = 8;
    f.result.occupancy.theoretical_pct = 12.5;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_OCCUPANCY);
    f.result.bound = GMSIM_RESOURCE_SHARED;
    f.result.min_cycles[GMSIM_RESOURCE_SHARED] = 1000000;
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NOTHING);
    g_assert_true(has_finding(&f, GMSIM_FINDING_OCCUPANCY));
    fixture_init(&f);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_NO_MEMORY);
}

/* ----------------------------------------------------------------------------- verdicts by time */

static void fill_transpose(fixture *f)
{
    fixture_transpose(f, false);
}

static void fill_stream(fixture *f)
{
    fixture_init(f);
    fixture_add(f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(f, "STG.E", GMSIM_GLOBAL_STORE, 5, 32768, 4, 0x400000, 4, 4);
    f->code[2].op_class = GMTRACE_CLASS_BARRIER;
    f->code[2].file = 0;
    f->code[2].line = 7;
    fixture_finish(f);
}

static void fill_few_warps(fixture *f)
{
    fill_stream(f);
    f->result.occupancy.theoretical_pct = 12.5;
}

static void fill_few_blocks(fixture *f)
{
    fill_stream(f);
    f->launch.grid[0] = 16;
    f->launch.grid[1] = 1;
}

static void fill_strided(fixture *f)
{
    fixture_init(f);
    fixture_add(f, "LDG.E", GMSIM_GLOBAL_LOAD, 4, 32768, 4, 0, 4, 4);
    fixture_add(f, "STG.E", GMSIM_GLOBAL_STORE, 5, 32768, 4096, 0, 32, 4);
    fixture_finish(f);
}

/* What the warps wait for decides, whatever the counts alone would say. */
static void test_verdict_time(void)
{
    static const struct {
        void (*fill)(fixture *f);
        uint64_t cycles;
        unsigned percent[GMSIM_STALLS];
        gmsim_finding_kind kind;
        const char *what, *fix;
    } cases[] = {
        {fill_transpose,
         19308,
         {[GMSIM_STALL_SHARED] = 40, [GMSIM_STALL_DRAM_LATENCY] = 30},
         GMSIM_FINDING_CONFLICTS,
         "wait 40.0% of their clocks for shared memory",
         "example.cu:8"},
        {fill_transpose,
         40000,
         {[GMSIM_STALL_SHARED] = 8, [GMSIM_STALL_DRAM_LATENCY] = 80},
         GMSIM_FINDING_LATENCY,
         "DRAM latency",
         "example.cu:6"},
        {fill_strided,
         40000,
         {[GMSIM_STALL_L1] = 40, [GMSIM_STALL_DRAM_LATENCY] = 40},
         GMSIM_FINDING_UNCOALESCED,
         "for L1",
         "4096 B apart"},
        {fill_stream,
         9000,
         {[GMSIM_STALL_DRAM_BANDWIDTH] = 60},
         GMSIM_FINDING_BANDWIDTH,
         "DRAM bandwidth limits",
         "move less"},
        {fill_stream,
         20000,
         {[GMSIM_STALL_DRAM_LATENCY] = 75},
         GMSIM_FINDING_LATENCY,
         "no resource is busy",
         "example.cu:4"},
        {fill_few_warps,
         20000,
         {[GMSIM_STALL_DRAM_LATENCY] = 75},
         GMSIM_FINDING_OCCUPANCY,
         "wait 75.0%",
         NULL},
        {fill_few_blocks,
         20000,
         {[GMSIM_STALL_DRAM_LATENCY] = 75},
         GMSIM_FINDING_SMALL_GRID,
         "stay idle",
         "more blocks"},
        {fill_stream,
         20000,
         {[GMSIM_STALL_BARRIER] = 60},
         GMSIM_FINDING_BARRIERS,
         "60.0% of their clocks waiting for the other warps",
         "example.cu:7"},
        {fill_stream, 20000, {[GMSIM_STALL_MATH] = 90}, GMSIM_FINDING_MATH, "math pipe", "cheaper"},
        {fill_stream, 20000, {[GMSIM_STALL_MATH] = 5}, GMSIM_FINDING_ISSUE, "issuing", "fewer"},
        {fill_stream,
         5000,
         {[GMSIM_STALL_DRAM_LATENCY] = 75},
         GMSIM_FINDING_LAUNCH,
         "60.0% of its 5,000 cycles",
         "merge kernels"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmsim_finding finding;
        char *what, *fix, *bound, *stays;
        fixture f;

        cases[i].fill(&f);
        fixture_time(&f, cases[i].cycles, cases[i].percent);
        finding = verdict_of(&f);
        g_assert_cmpint(finding.kind, ==, cases[i].kind);
        g_assert_cmpuint(finding.cost, >, 0);
        g_assert_cmpuint(finding.cost, <, cases[i].cycles);
        what = gmsim_finding_what(&f.gpu, &f.result, &finding);
        fix = gmsim_finding_fix(&f.gpu, &f.result, &finding);
        bound = gmsim_finding_bound(&f.result, &finding);
        g_assert_nonnull(strstr(what, cases[i].what));
        g_assert_true(cases[i].fix == NULL || strstr(fix, cases[i].fix) != NULL);
        g_assert_true((bound == NULL) == (finding.kind == GMSIM_FINDING_LAUNCH));
        if (finding.kind == GMSIM_FINDING_CONFLICTS) {
            /* The launch, and what the counts need once nothing conflicts. */
            stays = g_strdup_printf("%s stay at least", gmsim_count(3000 + finding.then).text);
            g_assert_nonnull(strstr(bound, stays));
            g_free(stays);
        }
        g_free(what);
        g_free(fix);
        g_free(bound);
    }
}

/* Conflicts that nobody waits for are an aside, and waits that the verdict explains are none. */
static void test_verdict_time_asides(void)
{
    static const unsigned latency[GMSIM_STALLS] = {
        [GMSIM_STALL_SHARED] = 8, [GMSIM_STALL_DRAM_LATENCY] = 80};
    static const unsigned shared[GMSIM_STALLS] = {[GMSIM_STALL_SHARED] = 70, [GMSIM_STALL_L1] = 20};
    fixture f;

    fixture_transpose(&f, false);
    fixture_time(&f, 40000, latency);
    g_assert_true(has_finding(&f, GMSIM_FINDING_CONFLICTS));
    fixture_transpose(&f, false);
    fixture_time(&f, 19308, shared);
    g_assert_cmpint(verdict_of(&f).kind, ==, GMSIM_FINDING_CONFLICTS);
    g_assert_false(has_finding(&f, GMSIM_FINDING_BANDWIDTH));
    g_assert_false(has_finding(&f, GMSIM_FINDING_LATENCY));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/patterns", test_patterns);
    g_test_add_func("/verdict/conflicts", test_verdict_conflicts);
    g_test_add_func("/verdict/broadcast", test_verdict_broadcast);
    g_test_add_func("/verdict/hidden-conflict", test_verdict_hidden_conflict);
    g_test_add_func("/verdict/uncoalesced", test_verdict_uncoalesced);
    g_test_add_func("/verdict/absorbed", test_verdict_absorbed);
    g_test_add_func("/verdict/atomics", test_verdict_atomics);
    g_test_add_func("/verdict/local", test_verdict_local);
    g_test_add_func("/verdict/shape", test_verdict_shape);
    g_test_add_func("/verdict/time", test_verdict_time);
    g_test_add_func("/verdict/time-asides", test_verdict_time_asides);
    return g_test_run();
}
