/* SPDX-License-Identifier: MIT
 *
 * trace_repeats.c - launches that were not captured, because others of their kind were: what is
 * written is read, each captured launch stands for its share, and whatever else the section says is
 * refused or adds up.
 */
#include "tests/support/trace_builder.h"
#include "traces/format/bytes.h"
#include "traces/format/format.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <xxhash.h>

/* Launches 0 and 3 are alike, so are 1 and 2; launch 4 is alone. */
static void write_trace(const char *path)
{
    static const uint32_t ctas[] = {2, 1, 1, 2, 2}, like[] = {0, 1, 1, 0, 4};
    static const gmtrace_repeat repeats[] = {{7, 1}, {9, 0}, {10, 0}, {200, 1}, {201, 0}};
    gmtest_trace t;
    gmtrace_error error;
    gmtest_open(&t, path);
    for (uint32_t i = 0; i < G_N_ELEMENTS(ctas); i++) {
        gmtest_launch(&t, ctas[i], 32);
        gmtest_affine(&t, 0, 0, GMTEST_LDG, UINT32_MAX, 0x1000, 4);
        if (like[i] != i)
            g_assert_true(gmtrace_writer_like(t.writer, like[i], &error));
    }
    g_assert_false(gmtrace_writer_like(t.writer, 3, &error)); /* no first one */
    g_assert_cmpint(error.status, ==, GMTRACE_USAGE);
    for (uint32_t i = 0; i < G_N_ELEMENTS(repeats); i++)
        g_assert_true(gmtrace_writer_repeat(t.writer, &repeats[i], &error));
    g_assert_false(gmtrace_writer_repeat(t.writer, &repeats[4], &error)); /* not later */
    g_assert_false(gmtrace_writer_repeat(t.writer, &(gmtrace_repeat){300, 2}, &error));
    g_assert_false(gmtrace_writer_repeat(t.writer, &(gmtrace_repeat){300, 5}, &error));
    g_assert_cmpint(error.status, ==, GMTRACE_USAGE);
    gmtest_close(&t);
}

static void test_shares(void)
{
    static const struct {
        uint32_t like, captured;
        uint64_t stands_for;
    } wanted[] = {{0, 2, 3}, {1, 2, 2}, {1, 2, 2}, {0, 2, 2}, {4, 1, 1}};
    g_autofree char *path = gmtest_new_path();
    gmtrace_error error;
    write_trace(path);
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    for (uint32_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        const gmtrace_launch *launch = gmtrace_get_launch(reader, i);
        g_assert_cmpuint(launch->like, ==, wanted[i].like);
        g_assert_cmpuint(launch->captured, ==, wanted[i].captured);
        g_assert_cmpuint(launch->stands_for, ==, wanted[i].stands_for);
    }
    const gmtrace_repeat *repeat = gmtrace_get_repeats(reader);
    g_assert_cmpuint(gmtrace_repeat_count(reader), ==, 5);
    g_assert_cmpuint(repeat[0].ordinal, ==, 7);
    g_assert_cmpuint(repeat[0].launch, ==, 1);
    g_assert_cmpuint(repeat[4].ordinal, ==, 201);
    g_assert_cmpuint(repeat[4].launch, ==, 0);
    gmtrace_close(reader);
    g_unlink(path);
}

/* A trace without repeats is as it was, and each launch stands for itself. */
static void test_none(void)
{
    g_autofree char *path = gmtest_new_path();
    gmtrace_error error;
    gmtest_trace t;
    g_autofree char *bytes = NULL;
    gsize size;
    gmtest_open(&t, path);
    gmtest_launch(&t, 1, 32);
    gmtest_close(&t);
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    g_assert_cmpuint(gmt_get16((const uint8_t *)bytes + GMT_HEADER_MINOR), ==, 0);
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_cmpuint(gmtrace_repeat_count(reader), ==, 0);
    g_assert_cmpuint(gmtrace_get_launch(reader, 0)->stands_for, ==, 1);
    g_assert_cmpuint(gmtrace_get_launch(reader, 0)->captured, ==, 1);
    gmtrace_close(reader);
    g_unlink(path);
}

/* Every byte of the section with every other value, its checksums right. */
static void test_wrong_contents(void)
{
    g_autofree char *path = gmtest_new_path(), *bytes = NULL;
    gsize size;
    unsigned refused = 0, taken = 0;
    write_trace(path);
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    uint8_t *file = (uint8_t *)bytes;
    const uint64_t at = gmt_get64(file + GMT_HEADER_REPEATS);
    uint8_t *head = file + at, *payload = head + GMT_SECTION_SIZE;
    const uint64_t length = gmt_get64(head + 8);
    g_assert_cmpuint(gmt_get32(head), ==, GMT_REPEATS);
    for (uint64_t i = 0; i < length; i++) {
        const uint8_t was = payload[i];
        for (unsigned value = 0; value < 256; value++) {
            gmtrace_error error = {0};
            payload[i] = (uint8_t)value;
            gmt_set64(head + 16, XXH3_64bits(payload, length));
            gmt_set64(head + 24, XXH3_64bits_withSeed(head, 24, at));
            g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
            gmtrace_reader *reader = gmtrace_open(path, &error);
            if (!reader) {
                g_assert_cmpint(error.status, ==, GMTRACE_CORRUPT);
                refused++;
                continue;
            }
            uint64_t all = 0;
            for (uint32_t k = 0; k < gmtrace_launch_count(reader); k++)
                all += gmtrace_get_launch(reader, k)->stands_for;
            g_assert_cmpuint(all, ==, gmtrace_launch_count(reader) + gmtrace_repeat_count(reader));
            gmtrace_close(reader);
            taken++;
        }
        payload[i] = was;
    }
    g_assert_cmpuint(refused, >, taken); /* ordinals may be any */
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/repeats/shares", test_shares);
    g_test_add_func("/repeats/none", test_none);
    g_test_add_func("/repeats/wrong-contents", test_wrong_contents);
    return g_test_run();
}
