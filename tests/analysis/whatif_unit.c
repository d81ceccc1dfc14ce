/* SPDX-License-Identifier: MIT
 *
 * whatif_unit.c - each change does what it says and nothing else: the fix made of one kernel's
 * trace counts what the kernel counts in which somebody made it; an ideal leaves nothing of its
 * cost; a change that is not asked for changes nothing.
 */
#include "sim/analysis/arrays.h"
#include "sim/analysis/rows.h"
#include "sim/analysis/whatif.h"

#include <glib.h>
#include <string.h>

#define SUM(result, rows, field) gmsim_rows_sum(result, rows, offsetof(gmsim_counts, field))
#define OWN                      GMSIM_ROWS_OWN_SHARED

typedef struct sample {
    gmsim_gpu gpu;
    gmtrace_reader *reader;
    gmsim_model *model;
    gmsim_changer *changer;
    gmsim_whatif_facts facts;
    gmsim_result as_it_is, changed; /* what they borrow is the model's, or gone */
} sample;

static gmsim_result replay(sample *s, gmsim_change change, const gmsim_whatif_facts *facts)
{
    GError *error = NULL;
    gmsim_gpu gpu = s->gpu;
    if (s->model)
        gmsim_model_free(s->model);
    gmsim_changer_free(s->changer);
    if (facts)
        gmsim_whatif_gpu(change, &gpu);
    s->changer = gmsim_changer_new(&gpu);
    gmsim_changer_set(s->changer, change, facts);
    const gmsim_options options = {.whatif = gmsim_changer_whatif(s->changer)};
    s->model = gmsim_model_new(&gpu, &options, &error);
    const gmsim_result *result = gmsim_model_run(s->model, s->reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    return *result;
}

static void open_sample(sample *s, const char *name)
{
    GError *error = NULL;
    gmtrace_error reason;
    g_autofree char *path =
        g_build_filename(g_getenv("GMSIM_SRCDIR"), "traces", "samples", name, NULL);
    memset(s, 0, sizeof *s);
    g_assert_true(gmsim_gpu_load(&s->gpu, "h200", &error));
    s->reader = gmtrace_open(path, &reason);
    g_assert_nonnull(s->reader);
    s->as_it_is = replay(s, GMSIM_CHANGE_PAD, NULL);
    gmsim_whatif_look(&s->gpu, &s->as_it_is, &s->facts);
}

static void change_sample(sample *s, const char *name, gmsim_change change)
{
    open_sample(s, name);
    g_assert_true(s->facts.applies >> change & 1u);
    s->changed = replay(s, change, &s->facts);
}

static void close_sample(sample *s)
{
    gmsim_whatif_facts_clear(&s->facts);
    gmsim_model_free(s->model);
    gmsim_changer_free(s->changer);
    gmtrace_close(s->reader);
}

static void assert_near(uint64_t value, uint64_t wanted, double percent)
{
    g_assert_cmpfloat_with_epsilon((double)value, (double)wanted, (double)wanted * percent / 100);
}

/* With the fix the base is what the variant is: wavefronts a request alike and, of launches as
 * large as one another, clocks nearly. */
static void test_fix(gmsim_change change, const char *base, const char *variant)
{
    sample fixed, other;
    change_sample(&fixed, base, change);
    open_sample(&other, variant);
    const gmsim_result *is = &fixed.changed, *should = &other.as_it_is;
    const uint64_t requests = SUM(is, OWN, requests), as_many = SUM(should, OWN, requests);
    g_assert_cmpuint(SUM(&fixed.as_it_is, OWN, wavefronts), >, 2u * SUM(is, OWN, wavefronts));
    g_assert_cmpuint(SUM(is, OWN, wavefronts) * as_many, ==,
                     SUM(should, OWN, wavefronts) * requests);
    g_assert_cmpuint(is->occupancy.blocks, ==, should->occupancy.blocks);
    g_assert_cmpuint(is->demand.dynamic_shared + is->demand.static_shared, ==,
                     should->demand.dynamic_shared + should->demand.static_shared);
    if (requests == as_many)
        assert_near(is->timing.cycles, should->timing.cycles, 4);
    close_sample(&fixed);
    close_sample(&other);
}

static void test_pad(void)
{
    test_fix(GMSIM_CHANGE_PAD, "transpose_nopad.trc", "transpose_pad.trc");
    test_fix(GMSIM_CHANGE_PAD, "column_write_plain.trc", "column_write_padded.trc");
}

static void test_swizzle(void)
{
    test_fix(GMSIM_CHANGE_SWIZZLE, "column_write_plain.trc", "column_write_offset.trc");
}

static void test_no_conflicts(void)
{
    sample s;
    change_sample(&s, "reduce_interleaved.trc", GMSIM_CHANGE_NO_CONFLICTS);
    g_assert_cmpuint(gmsim_rows_excess(&s.as_it_is, OWN), >, 0);
    g_assert_cmpuint(gmsim_rows_excess(&s.changed, OWN), ==, 0);
    g_assert_cmpuint(SUM(&s.changed, OWN, wavefronts), ==, SUM(&s.as_it_is, OWN, wavefronts_ideal));
    close_sample(&s);
}

/* 1024 x 1024 floats are read by rows and written by columns; coalesced, each sector is written
 * once. */
static void test_coalesced(void)
{
    sample s;
    change_sample(&s, "transpose_naive.trc", GMSIM_CHANGE_COALESCED);
    g_assert_cmpuint(gmsim_rows_excess(&s.changed, GMSIM_ROWS_GLOBAL), ==, 0);
    g_assert_cmpuint(SUM(&s.changed, GMSIM_ROWS_GLOBAL, bytes), ==, 8u << 20);
    g_assert_cmpuint(s.changed.l2.write_sectors, ==, (4u << 20) / 32u);
    g_assert_cmpuint(s.changed.l2.dirty_sectors, ==, (4u << 20) / 32u); /* all of them others */
    g_assert_cmpuint(2u * s.changed.timing.cycles, <, s.as_it_is.timing.cycles);
    close_sample(&s);
    change_sample(&s, "spmv_csr_scalar.trc", GMSIM_CHANGE_COALESCED); /* no pattern */
    g_assert_cmpuint(gmsim_rows_excess(&s.changed, GMSIM_ROWS_READ), ==, 0);
    g_assert_cmpuint(SUM(&s.changed, GMSIM_ROWS_GLOBAL, bytes), ==,
                     SUM(&s.as_it_is, GMSIM_ROWS_GLOBAL, bytes));
    g_assert_cmpuint(s.changed.l2.dram_read_sectors, <=, s.as_it_is.l2.dram_read_sectors);
    close_sample(&s);
}

static void test_caches(void)
{
    sample s;
    change_sample(&s, "spmv_csr_scalar.trc", GMSIM_CHANGE_L1_HITS);
    g_assert_cmpuint(SUM(&s.changed, GMSIM_ROWS_READ, l1_miss_sectors), ==, 0);
    g_assert_cmpuint(s.changed.l2.read_sectors, ==, 0);
    g_assert_cmpuint(s.changed.timing.cycles, <, s.as_it_is.timing.cycles);
    close_sample(&s);
    change_sample(&s, "spill_heavy.trc", GMSIM_CHANGE_L1_HITS); /* local memory, too */
    g_assert_cmpuint(SUM(&s.changed, GMSIM_ROW(LOCAL_LOAD), l1_miss_sectors), ==, 0);
    close_sample(&s);
    change_sample(&s, "vadd_random.trc", GMSIM_CHANGE_L2_HITS);
    g_assert_cmpuint(s.changed.timing.load_cycles, <, s.as_it_is.timing.load_cycles);
    g_assert_cmpuint(s.changed.timing.cycles, <, s.as_it_is.timing.cycles);
    close_sample(&s);
    change_sample(&s, "dot_product_only.trc", GMSIM_CHANGE_WIDE_DRAM);
    g_assert_cmpuint(s.changed.peak[GMSIM_RESOURCE_DRAM], ==,
                     2u * s.as_it_is.peak[GMSIM_RESOURCE_DRAM]);
    close_sample(&s);
}

static void test_rest(void)
{
    sample s;
    change_sample(&s, "reduce_tree.trc", GMSIM_CHANGE_NO_BARRIERS);
    g_assert_cmpuint(s.as_it_is.timing.stall[GMSIM_STALL_BARRIER], >, 0);
    g_assert_cmpuint(s.changed.timing.stall[GMSIM_STALL_BARRIER], ==, 0);
    g_assert_cmpuint(s.changed.records, ==, s.as_it_is.records);
    close_sample(&s);
    change_sample(&s, "spill_heavy.trc", GMSIM_CHANGE_NO_SPILLS);
    g_assert_cmpuint(SUM(&s.changed, GMSIM_ROWS_LOCAL, requests), ==, 0);
    g_assert_cmpuint(SUM(&s.changed, GMSIM_ROWS_GLOBAL, requests), ==,
                     SUM(&s.as_it_is, GMSIM_ROWS_GLOBAL, requests));
    close_sample(&s);
    change_sample(&s, "occupancy_48k.trc", GMSIM_CHANGE_OCCUPANCY);
    g_assert_cmpuint(s.changed.occupancy.blocks, >, s.as_it_is.occupancy.blocks);
    g_assert_cmpuint(s.changed.occupancy.l1_bytes, ==, s.as_it_is.occupancy.l1_bytes);
    close_sample(&s);
    change_sample(&s, "clamp_max.trc", GMSIM_CHANGE_FREE_LAUNCH);
    g_assert_cmpuint(s.changed.timing.launch_cycles, ==, 0);
    g_assert_cmpuint(s.changed.timing.stall[GMSIM_STALL_LAUNCH], <,
                     s.as_it_is.timing.stall[GMSIM_STALL_LAUNCH]);
    close_sample(&s);
    change_sample(&s, "dot_naive.trc", GMSIM_CHANGE_ONE_ATOMIC);
    g_assert_cmpuint(SUM(&s.changed, GMSIM_ROW(GLOBAL_REDUCTION), requests), ==,
                     gmsim_ctas_of(&s.as_it_is));
    g_assert_cmpuint(SUM(&s.changed, GMSIM_ROW(GLOBAL_REDUCTION), threads), ==,
                     gmsim_ctas_of(&s.as_it_is));
    close_sample(&s);
}

/* A quarter of the requests, all of the bytes; of iterations, and of CTAs. */
static void test_float4(gconstpointer name)
{
    sample s;
    change_sample(&s, name, GMSIM_CHANGE_FLOAT4);
    uint64_t before = SUM(&s.as_it_is, GMSIM_ROWS_GLOBAL, requests),
             after = SUM(&s.changed, GMSIM_ROWS_GLOBAL, requests);
    assert_near(4u * after, before, 12);
    assert_near(SUM(&s.changed, GMSIM_ROWS_GLOBAL, bytes),
                SUM(&s.as_it_is, GMSIM_ROWS_GLOBAL, bytes), 3);
    g_assert_cmpuint(gmsim_rows_excess(&s.changed, GMSIM_ROWS_READ), ==, 0);
    assert_near(s.changed.l2.dram_read_sectors, s.as_it_is.l2.dram_read_sectors, 3);
    close_sample(&s);
}

/* What is not there cannot be changed; nothing asked, nothing changed. */
static void test_nothing(void)
{
    sample s;
    open_sample(&s, "vadd_contiguous.trc");
    const uint32_t absent = 1u << GMSIM_CHANGE_NO_CONFLICTS | 1u << GMSIM_CHANGE_PAD |
                            1u << GMSIM_CHANGE_SWIZZLE | 1u << GMSIM_CHANGE_NO_BARRIERS |
                            1u << GMSIM_CHANGE_NO_SPILLS | 1u << GMSIM_CHANGE_COALESCED |
                            1u << GMSIM_CHANGE_OCCUPANCY | 1u << GMSIM_CHANGE_ONE_ATOMIC;
    g_assert_cmphex(s.facts.applies & absent, ==, 0);
    gmsim_result unchanged = replay(&s, GMSIM_CHANGE_PAD, &s.facts); /* does not apply */
    g_assert_true(memcmp(unchanged.row, s.as_it_is.row, sizeof unchanged.row) == 0);
    g_assert_cmpuint(unchanged.timing.cycles, ==, s.as_it_is.timing.cycles);
    close_sample(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/whatif/pad", test_pad);
    g_test_add_func("/whatif/swizzle", test_swizzle);
    g_test_add_func("/whatif/no-conflicts", test_no_conflicts);
    g_test_add_func("/whatif/coalesced", test_coalesced);
    g_test_add_func("/whatif/caches", test_caches);
    g_test_add_func("/whatif/rest", test_rest);
    g_test_add_data_func("/whatif/float4-of-iterations", "column_sum.trc", test_float4);
    g_test_add_data_func("/whatif/float4-of-blocks", "vadd_contiguous.trc", test_float4);
    g_test_add_func("/whatif/nothing", test_nothing);
    return g_test_run();
}
