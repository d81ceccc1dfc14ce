/* SPDX-License-Identifier: MIT
 *
 * kinds_unit.c - which launches gmcapture --sample takes for alike, and what it keeps of those that
 * are not captured.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/support/trace_builder.h"
#include "traces/capture/allocations.h"
#include "traces/capture/kinds.h"

typedef struct parameters {
    uint64_t in, out;
    float scale;
    uint32_t count;
} parameters;

static uint64_t hash_of(uint64_t in, uint64_t out, float scale, uint32_t count)
{
    const parameters p = {in, out, scale, count};
    return gmc_kinds_parameters(GMC_KINDS_START, &p, sizeof p);
}

static void test_parameters(void)
{
    gmc_allocations_add(0x7f0000001000, 0x1000, NULL);
    gmc_allocations_add(0x7f0000008000, 0x1000, NULL);
    const uint64_t one = hash_of(0x7f0000001000, 0x7f0000008000, 2, 100);
    g_assert_cmphex(hash_of(0x7f0000008100, 0x7f0000001ffc, 2, 100), ==, one);
    g_assert_cmphex(hash_of(0x7f0000008100, 0x7f0000002000, 2, 100), ==, one); /* its end */
    g_assert_cmphex(hash_of(0x7f0000001000, 0x7f0000008000, 3, 100), !=, one);
    g_assert_cmphex(hash_of(0x7f0000001000, 0x7f0000008000, 2, 101), !=, one);
    g_assert_cmphex(hash_of(0x7f0000001000, 0, 2, 100), !=, one);
    g_assert_cmphex(hash_of(0x7f0000001000, 0x7f0000004000, 2, 100), !=, one); /* nobody's */
    const uint32_t word = 7;
    g_assert_cmphex(gmc_kinds_parameters(GMC_KINDS_START, &word, sizeof word), !=,
                    gmc_kinds_parameters(GMC_KINDS_START, "\7", 1));
    gmc_allocations_remove(0x7f0000001000);
    g_assert_cmphex(hash_of(0x7f0000001000, 0x7f0000008000, 2, 100), !=, one);
}

/* Two kernels in turn; of each kind two are captured. The third kind's capture fails. */
static void test_repeats(void)
{
    static const char kernel[3];
    g_autofree char *path = gmtest_new_path();
    gmtest_trace t;
    gmtrace_error error;
    uint64_t written, dropped, ordinal = 0;
    uint32_t captured = 0;
    gmtest_open(&t, path);
    for (unsigned step = 0; step < 5; step++)
        for (unsigned k = 0; k < 3; k++, ordinal++) {
            const gmc_kind_key key = {
                .kernel = &kernel[k], .grid = {1 + k, 1, 1}, .block = {32, 1, 1}};
            gmc_kind *kind = gmc_kinds_find(&key);
            if (!gmc_kinds_take(kind, 2, ordinal) || k == 2)
                continue;
            g_assert_cmpuint(step, <, 2);
            gmtest_launch(&t, 1 + k, 32);
            gmtest_affine(&t, 0, 0, GMTEST_LDG, UINT32_MAX, 0x1000, 4);
            g_assert_true(gmc_kinds_opened(kind, captured++, t.writer, &error));
        }
    g_assert_true(gmc_kinds_opened(NULL, 0, t.writer, &error));
    g_assert_true(gmc_kinds_write(t.writer, &written, &dropped, &error));
    g_assert_cmpuint(written, ==, 6);
    g_assert_cmpuint(dropped, ==, 3);
    gmtest_close(&t);
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    const gmtrace_repeat *repeat = gmtrace_get_repeats(reader);
    g_assert_cmpuint(gmtrace_launch_count(reader), ==, 4);
    g_assert_cmpuint(gmtrace_repeat_count(reader), ==, 6);
    for (unsigned i = 0; i < 6; i++) {
        g_assert_cmpuint(repeat[i].ordinal, ==, 6 + 3 * (i / 2) + i % 2);
        g_assert_cmpuint(repeat[i].launch, ==, i % 2);
    }
    g_assert_cmpuint(gmtrace_get_launch(reader, 2)->like, ==, 0);
    g_assert_cmpuint(gmtrace_get_launch(reader, 2)->stands_for, ==, 2);
    g_assert_cmpuint(gmtrace_get_launch(reader, 1)->stands_for, ==, 3);
    gmtrace_close(reader);
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/kinds/parameters", test_parameters);
    g_test_add_func("/kinds/repeats", test_repeats);
    return g_test_run();
}
