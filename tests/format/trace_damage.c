/* SPDX-License-Identifier: MIT
 *
 * trace_damage.c - a damaged trace is noticed, always: cut at every byte, every bit flipped. A cut
 * file still gives, record for record, what came before the cut.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "tests/support/trace_builder.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *bytes;
static gsize size;
static int memory; /* a file in memory, and the path that opens it */
static char memory_path[64];

/* Several chunks, a CTA split over some of them, every shape, two launches. */
static void build(void)
{
    char *path = gmtest_new_path();
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtest_launch(&t, 4, 64);
    uint64_t lane[GMTRACE_WARP_LANES];
    for (unsigned i = 0; i < 1200; i++)
        for (unsigned warp = 0; warp < 2; warp++)
            gmtest_affine(&t, 2, warp, GMTEST_LDG, UINT32_MAX, 0x10000 + 256 * i, 4);
    for (unsigned cta = 0; cta < 2; cta++) {
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            lane[i] = 0x7f0000000000 + 4 * (i * i * 37 % 1000);
        gmtest_lanes(&t, cta, 1, GMTEST_STG, 0xffff0001, lane);
        lane[3] = 5;
        gmtest_lanes(&t, cta, 1, GMTEST_LDG, 0x0000000c, lane);
        gmtest_lanes(&t, cta, 1, GMTEST_LDG, UINT32_MAX, lane);
        gmtest_barrier(&t, cta, 1);
    }
    gmtest_launch(&t, 1, 32);
    gmtest_affine(&t, 0, 0, GMTEST_LDG, UINT32_MAX, 64, 4);
    gmtest_close(&t);
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    g_unlink(path);
    g_free(path);
    memory = memfd_create("damage", 0);
    g_assert_cmpint(memory, >=, 0);
    g_snprintf(memory_path, sizeof memory_path, "/proc/self/fd/%d", memory);
}

static gmtrace_reader *open_bytes(gsize length, gmtrace_error *error)
{
    g_assert_cmpint(ftruncate(memory, 0), ==, 0);
    g_assert_cmpint(pwrite(memory, bytes, length, 0), ==, (gssize)length);
    return gmtrace_open(memory_path, error);
}

static uint64_t count_by_cursors(gmtrace_reader *reader, uint32_t launch, bool *cut)
{
    gmtrace_error error;
    uint64_t records = 0;
    const gmtrace_launch *l = gmtrace_get_launch(reader, launch);
    g_assert_true(gmtrace_select_launch(reader, launch, &error));
    for (uint64_t cta = 0; cta < l->grid[0]; cta++)
        for (uint32_t warp = 0; warp < l->block[0] / 32; warp++) {
            gmtrace_cursor cursor;
            g_assert_true(gmtrace_cursor_open(reader, &cursor, cta, warp, &error));
            do
                for (; cursor.next < cursor.end; cursor.next++)
                    records++;
            while (gmtrace_cursor_refill(reader, &cursor, &error));
            if (error.status == GMTRACE_TRUNCATED)
                *cut = true;
            else
                g_assert_cmpint(error.status, ==, GMTRACE_OK);
            gmtrace_cursor_close(reader, &cursor);
        }
    return records;
}

static void cut_at_every_byte(void)
{
    gmtrace_error error;
    uint64_t opened = 0, best = 0;
    bool cut = false;
    for (gsize length = 0; length < size; length++) {
        gmtrace_reader *reader = open_bytes(length, &error);
        if (!reader) {
            g_assert_cmpint(error.status, ==,
                            length == 0 ? GMTRACE_NOT_A_TRACE : GMTRACE_TRUNCATED);
            g_assert_cmpuint(opened, ==, 0); /* more bytes never make it worse */
            continue;
        }
        opened++;
        const gmtrace_error *damage = gmtrace_damage(reader);
        g_assert_nonnull(damage);
        g_assert_cmpint(damage->status, ==, GMTRACE_TRUNCATED);
        g_assert_cmpuint(damage->offset, <=, length);
        uint64_t records = 0;
        for (uint32_t i = 0; i < gmtrace_launch_count(reader); i++) {
            const uint64_t own = count_by_cursors(reader, i, &cut);
            g_assert_cmpuint(own, ==, gmtrace_get_launch(reader, i)->records);
            records += own;
        }
        g_assert_cmpuint(records, >=, best);
        best = records;
        g_assert_false(gmtrace_verify(reader, &error));
        g_assert_cmpint(error.status, ==, GMTRACE_TRUNCATED);
        gmtrace_close(reader);
    }
    g_assert_cmpuint(opened, >, size / 2);
    g_assert_cmpuint(best, ==, 2400 + 8 + 1);
    g_assert_true(cut); /* some cut went through a CTA */
}

static void every_bit_flipped(void)
{
    gmtrace_error error;
    for (gsize at = 0; at < size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
            gmtrace_reader *reader = open_bytes(size, &error);
            if (reader) {
                const bool sound = gmtrace_verify(reader, &error);
                if (sound)
                    g_error("byte %zu bit %u: not noticed", at, bit);
                gmtrace_close(reader);
            }
            g_assert_cmpint(error.status, !=, GMTRACE_OK);
            g_assert_cmpint(error.text[0], !=, 0);
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
        }
    gmtrace_reader *reader = open_bytes(size, &error); /* and unharmed it is sound */
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    gmtrace_close(reader);
}

static void no_file(void)
{
    gmtrace_error error;
    g_assert_null(gmtrace_open("/no/such/trace.trc", &error));
    g_assert_cmpint(error.status, ==, GMTRACE_IO);
    g_assert_null(gmtrace_open("/", &error));
    g_assert_cmpint(error.status, ==, GMTRACE_IO);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    build();
    g_test_add_func("/trace/damage/cut-at-every-byte", cut_at_every_byte);
    g_test_add_func("/trace/damage/every-bit-flipped", every_bit_flipped);
    g_test_add_func("/trace/damage/no-file", no_file);
    const int status = g_test_run();
    g_free(bytes);
    return status;
}
