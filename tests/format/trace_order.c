/* SPDX-License-Identifier: MIT
 *
 * trace_order.c - a file whose sections were left out, doubled or changed about, all checksums and
 * every offset of its index set right again, is refused. What is whole in each part is not whole as
 * a trace.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "tests/support/trace_builder.h"
#include "traces/format/bytes.h"
#include "traces/format/format.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST = 64 };

/* A sound file, and its sections. */
static uint8_t *bytes;
static gsize size;
static struct {
    uint64_t at, length; /* with its header */
    uint32_t type;
} section[MOST];
static unsigned sections;
static int memory;
static char memory_path[64];

static void build(void)
{
    g_autofree char *path = gmtest_new_path();
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtest_launch(&t, 4, 64);
    for (unsigned i = 0; i < 800; i++) /* a CTA in several chunks, and CTAs that share one */
        for (unsigned warp = 0; warp < 2; warp++)
            gmtest_affine(&t, 1, warp, GMTEST_LDG, UINT32_MAX, 0x10000 + 256 * i, 4);
    for (unsigned cta = 2; cta < 4; cta++)
        gmtest_affine(&t, cta, 0, GMTEST_STG, UINT32_MAX, 0x20000 + 128 * cta, 4);
    gmtest_launch(&t, 1, 32);
    gmtest_affine(&t, 0, 0, GMTEST_LDG, UINT32_MAX, 64, 4);
    gmtest_close(&t);
    g_assert_true(g_file_get_contents(path, (char **)&bytes, &size, NULL));
    g_unlink(path);
    for (uint64_t at = GMT_HEADER_SIZE; at < size - GMT_FOOTER_SIZE;) {
        const uint64_t length = GMT_SECTION_SIZE + gmt_get64(bytes + at + 8);
        g_assert_cmpuint(sections, <, MOST);
        section[sections].at = at;
        section[sections].length = length;
        section[sections++].type = gmt_get32(bytes + at);
        at += length;
    }
    memory = memfd_create("order", 0);
    g_assert_cmpint(memory, >=, 0);
    g_snprintf(memory_path, sizeof memory_path, "/proc/self/fd/%d", memory);
}

static uint64_t hash(const uint8_t *data, size_t length)
{
    return XXH3_64bits_withSeed(data, length, 0);
}

/* A section header at the end of what is written; its checksum knows its place. */
static void put_header(gmt_buffer *out, uint8_t header[GMT_SECTION_SIZE])
{
    gmt_set64(header + 24, XXH3_64bits_withSeed(header, 24, out->size));
    gmt_put(out, header, GMT_SECTION_SIZE);
}

/* Where a section that was at `old` begins among these sections; 0 where it is not among them. */
static uint64_t place_of(const unsigned *order, unsigned count, uint64_t old)
{
    uint64_t at = GMT_HEADER_SIZE;
    for (unsigned i = 0; i < count; i++) {
        if (section[order[i]].at == old)
            return at;
        at += section[order[i]].length;
    }
    return 0;
}

/* The index with its offsets moved. */
static void put_index(gmt_buffer *out, const uint8_t *from, const unsigned *order, unsigned count)
{
    gmt_buffer raw = {0};
    gmt_view view = {.next = from + GMT_SECTION_SIZE,
                     .end = from + GMT_SECTION_SIZE + gmt_get64(from + 8)};
    g_assert_cmpuint(gmt_get32(from + 4), ==, 0); /* so short that it is not packed */
    gmt_put(&raw, gmt_take(&view, 4), 4);
    const uint64_t kernels = gmt_take_varint(&view);
    gmt_put_varint(&raw, kernels);
    for (uint64_t i = 0; i < kernels; i++)
        gmt_put_varint(&raw, place_of(order, count, gmt_take_varint(&view)));
    const uint64_t launches = gmt_take_varint(&view);
    gmt_put_varint(&raw, launches);
    for (uint64_t i = 0; i < launches; i++) {
        for (unsigned field = 0; field < 3; field++)
            gmt_put_varint(&raw, place_of(order, count, gmt_take_varint(&view)));
        gmt_put_varint(&raw, gmt_take_varint(&view)); /* chunks */
    }
    g_assert_cmpuint(gmt_left(&view), ==, 0);
    uint8_t header[GMT_SECTION_SIZE];
    memcpy(header, from, sizeof header);
    gmt_set64(header + 8, raw.size);
    gmt_set64(header + 16, hash(raw.data, raw.size));
    put_header(out, header);
    gmt_put(out, raw.data, raw.size);
    gmt_buffer_free(&raw);
}

/* Writes the file of these sections; true where it opens and holds all that it says. */
static bool is_sound(const unsigned *order, unsigned count, gmtrace_error *error)
{
    gmt_buffer out = {0};
    uint64_t index = 0;
    gmt_put(&out, bytes, GMT_HEADER_SIZE);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *from = bytes + section[order[i]].at;
        if (section[order[i]].type == GMT_INDEX) {
            index = out.size;
            put_index(&out, from, order, count);
        } else {
            uint8_t header[GMT_SECTION_SIZE];
            memcpy(header, from, sizeof header);
            put_header(&out, header);
            gmt_put(&out, from + sizeof header, section[order[i]].length - sizeof header);
        }
    }
    uint8_t footer[GMT_FOOTER_SIZE];
    memcpy(footer, GMT_FOOTER_MAGIC, GMT_MAGIC_SIZE);
    gmt_set64(footer + 8, index);
    gmt_set64(footer + 16, out.size + GMT_FOOTER_SIZE);
    gmt_set64(footer + 24, hash(footer, 24));
    gmt_put(&out, footer, sizeof footer);
    gmt_set64(out.data + GMT_HEADER_INDEX, index);
    gmt_set64(out.data + GMT_HEADER_HASH, hash(out.data, GMT_HEADER_HASH));
    g_assert_cmpint(ftruncate(memory, 0), ==, 0);
    g_assert_cmpint(pwrite(memory, out.data, out.size, 0), ==, (gssize)out.size);
    gmt_buffer_free(&out);
    gmtrace_reader *reader = gmtrace_open(memory_path, error);
    const bool sound = reader && !gmtrace_damage(reader) && gmtrace_verify(reader, error);
    if (reader && gmtrace_damage(reader))
        *error = *gmtrace_damage(reader);
    gmtrace_close(reader);
    return sound;
}

static void refused(const unsigned *order, unsigned count, const char *what, unsigned a, unsigned b)
{
    gmtrace_error error = {0};
    if (is_sound(order, count, &error))
        g_error("%s of section %u (type %u), %u (type %u) passes", what, a, section[a].type, b,
                section[b].type);
    g_assert_cmpint(error.status, !=, GMTRACE_OK);
    g_assert_cmpstr(error.text, !=, "");
}

static unsigned whole(unsigned *order)
{
    for (unsigned i = 0; i < sections; i++)
        order[i] = i;
    return sections;
}

static void test_control(void)
{
    unsigned order[MOST];
    gmtrace_error error = {0};
    if (!is_sound(order, whole(order), &error))
        g_error("as it was written: %s", error.text);
    g_assert_cmpuint(sections, >, 10);
}

static void test_left_out(void)
{
    unsigned order[MOST];
    for (unsigned gone = 0; gone < sections; gone++) {
        unsigned count = 0;
        for (unsigned i = 0; i < sections; i++)
            if (i != gone)
                order[count++] = i;
        gmtrace_error error = {0};
        if (section[gone].type == GMT_MAP) /* the chunks tell the same */
            g_assert_true(is_sound(order, count, &error));
        else
            refused(order, count, "loss", gone, gone);
    }
}

static void test_doubled(void)
{
    unsigned order[MOST + 1];
    for (unsigned twice = 0; twice < sections; twice++)
        for (unsigned place = 0; place <= sections; place++) {
            unsigned count = 0;
            for (unsigned i = 0; i <= sections; i++) {
                if (i == place)
                    order[count++] = twice;
                if (i < sections)
                    order[count++] = i;
            }
            refused(order, count, "repetition", twice, place < sections ? place : 0);
        }
}

static void test_changed_about(void)
{
    unsigned order[MOST];
    for (unsigned a = 0; a < sections; a++)
        for (unsigned b = a + 1; b < sections; b++) {
            const unsigned count = whole(order);
            if (section[a].type == GMT_CHUNK && section[b].type == GMT_CHUNK &&
                section[a].length == section[b].length)
                continue; /* slices of one CTA: another trace, and a sound one */
            order[a] = b;
            order[b] = a;
            refused(order, count, "exchange", a, b);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    build();
    g_test_add_func("/trace/order/as-written", test_control);
    g_test_add_func("/trace/order/left-out", test_left_out);
    g_test_add_func("/trace/order/doubled", test_doubled);
    g_test_add_func("/trace/order/changed-about", test_changed_about);
    const int status = g_test_run();
    g_free(bytes);
    return status;
}
