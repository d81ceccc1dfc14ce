/* SPDX-License-Identifier: MIT
 *
 * settings_unit.c - what gmcapture is told to capture: ranges of the program, sizes.
 */
#include <glib.h>

#include "traces/capture/ranges.h"
#include "traces/capture/settings.h"

/* NVTX ranges: each domain has its own stack, started ones are the process's. */
static void test_ranges(void)
{
    char reason[100];
    const void *other = reason;
    g_assert_false(gmc_ranges_init("regex:(", false, reason, sizeof reason));
    g_assert_false(gmc_ranges_init("d@/", false, reason, sizeof reason));
    g_assert_true(gmc_ranges_init("step/\nregex:^eval\nmine@part", false, reason, sizeof reason));
    g_assert_false(gmc_ranges_open());
    gmc_ranges_push(NULL, "", "step");
    gmc_ranges_push(other, "mine", "step"); /* of another domain */
    gmc_ranges_pop(NULL);
    g_assert_false(gmc_ranges_open());
    gmc_ranges_push(other, "mine", "part");
    gmc_ranges_pop(NULL); /* there is none */
    g_assert_true(gmc_ranges_open());
    gmc_ranges_profiler(false); /* nobody asked for that */
    g_assert_true(gmc_ranges_open());
    gmc_ranges_pop(other);
    gmc_ranges_pop(other);
    g_assert_false(gmc_ranges_open());
    const uint64_t pushed_only = gmc_ranges_start("", "step"),
                   id = gmc_ranges_start("", "evaluate");
    g_assert_true(gmc_ranges_open());
    gmc_ranges_end(id);
    g_assert_false(gmc_ranges_open());
    gmc_ranges_end(pushed_only);
    for (unsigned i = 0; i < 1000; i++) /* deeper than is kept */
        gmc_ranges_push(NULL, "", i ? "x" : "step");
    for (unsigned i = 0; i < 999; i++)
        gmc_ranges_pop(NULL);
    g_assert_true(gmc_ranges_open());
    gmc_ranges_pop(NULL);
    g_assert_false(gmc_ranges_open());
    g_assert_true(
        gmc_ranges_init(NULL, true, reason, sizeof reason)); /* none besides those above */
    gmc_ranges_push(NULL, "", "step");
    g_assert_false(gmc_ranges_open());
    gmc_ranges_profiler(true);
    g_assert_true(gmc_ranges_open());
    gmc_ranges_profiler(false);
    g_assert_false(gmc_ranges_open());
    gmc_ranges_pop(NULL);
}

static void test_sizes(void)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t size;
    } cases[] = {
        {"4096", true, 4096},       {"64k", true, 65536},     {"64M", true, 64u << 20},
        {"2G", true, 2147483648u},  {"1MiB", true, 1u << 20}, {"", false, 0},
        {"-1", false, 0},           {"64x", false, 0},        {"k", false, 0},
        {"99999999999G", false, 0}, {"1 M", false, 0},        {"0x10", false, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint64_t size = 0;
        g_assert_true(gmc_parse_size(cases[i].text, &size) == cases[i].good);
        if (cases[i].good)
            g_assert_cmpuint(size, ==, cases[i].size);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/capture/sizes", test_sizes);
    g_test_add_func("/capture/ranges", test_ranges);
    return g_test_run();
}
