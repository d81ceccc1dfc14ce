/* SPDX-License-Identifier: MIT
 *
 * trace_known.c - what launches' code found: what is written is read, what is too much is left out,
 * and whatever else the section says is refused or is as gmtrace.h says.
 */
#include "tests/support/trace_builder.h"
#include "traces/format/bytes.h"
#include "traces/format/format.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <xxhash.h>

static const uint8_t some[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
/* Neighbours, and one at the end of the address space. */
static const gmtrace_known_range ranges[] = {
    {0x7f0000001000, 4, some}, {0x7f0000001004, 3, some + 4}, {UINT64_MAX - 5, 5, some + 9}};
static const gmtrace_known first = {0x210, 12, some, 3, ranges}, second = {0, 0, NULL, 0, NULL};

static void know(gmtest_trace *t, const gmtrace_known *known)
{
    gmtrace_error error;
    g_assert_true(gmtrace_writer_know(t->writer, known, &error));
}

static void refuse(gmtest_trace *t, const gmtrace_known *known)
{
    gmtrace_error error = {0};
    g_assert_false(gmtrace_writer_know(t->writer, known, &error));
    g_assert_cmpint(error.status, ==, GMTRACE_USAGE);
}

/* Of four launches the second and the last are told of. */
static void write_trace(const char *path)
{
    gmtest_trace t;
    gmtest_open(&t, path);
    refuse(&t, &first); /* of no launch */
    for (unsigned i = 0; i < 4; i++) {
        gmtest_launch(&t, 1, 32);
        gmtest_affine(&t, 0, 0, GMTEST_LDG, UINT32_MAX, 0x1000, 4);
        if (i % 2 == 0)
            continue;
        uint8_t gone[12]; /* the writer copies what it is given */
        memcpy(gone, some, sizeof gone);
        gmtrace_known known = i == 1 ? first : second;
        known.constants = i == 1 ? gone : NULL;
        know(&t, &known);
        memset(gone, 0xff, sizeof gone);
        refuse(&t, &known); /* twice */
    }
    gmtest_close(&t);
}

static gmtrace_reader *read_trace(const char *path)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    return reader;
}

static unsigned minor_of(const char *path)
{
    g_autofree char *bytes = NULL;
    gsize size;
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    return gmt_get16((const uint8_t *)bytes + GMT_HEADER_MINOR);
}

static void check_bytes(const uint8_t *bytes, uint32_t size, const uint8_t *right, uint32_t length)
{
    g_assert_cmpuint(size, ==, length);
    g_assert_true(memcmp(bytes, right, length) == 0);
}

static void test_roundtrip(void)
{
    g_autofree char *path = gmtest_new_path();
    write_trace(path);
    g_assert_cmpuint(minor_of(path), ==, 5);
    gmtrace_reader *reader = read_trace(path);
    g_assert_null(gmtrace_get_launch(reader, 0)->known);
    g_assert_null(gmtrace_get_launch(reader, 2)->known);
    const gmtrace_known *known = gmtrace_get_launch(reader, 1)->known;
    g_assert_nonnull(known);
    g_assert_cmpuint(known->constants_offset, ==, 0x210);
    check_bytes(known->constants, known->constants_size, some, 12);
    g_assert_cmpuint(known->range_count, ==, 3);
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmphex(known->range[i].base, ==, ranges[i].base);
        check_bytes(known->range[i].bytes, known->range[i].size, ranges[i].bytes, ranges[i].size);
    }
    known = gmtrace_get_launch(reader, 3)->known;
    g_assert_nonnull(known);
    g_assert_cmpuint(known->constants_size, ==, 0);
    g_assert_cmpuint(known->range_count, ==, 0);
    gmtrace_close(reader);
    g_unlink(path);
}

/* A trace of which nothing is known is as it was; so is one that was cut before it is told. */
static void test_none(void)
{
    g_autofree char *path = gmtest_new_path(), *bytes = NULL;
    gmtest_trace t;
    gmtrace_error error;
    gsize size;
    gmtest_open(&t, path);
    gmtest_launch(&t, 1, 32);
    gmtest_close(&t);
    g_assert_cmpuint(minor_of(path), ==, 0);
    gmtrace_reader *reader = read_trace(path);
    g_assert_null(gmtrace_get_launch(reader, 0)->known);
    gmtrace_close(reader);

    write_trace(path);
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    uint8_t *file = (uint8_t *)bytes;
    size = gmt_get64(file + GMT_HEADER_KNOWN) + GMT_SECTION_SIZE;
    gmt_set64(file + GMT_HEADER_INDEX, 0); /* as while it is written */
    gmt_set64(file + GMT_HEADER_KNOWN, 0);
    gmt_set64(file + GMT_HEADER_HASH, XXH3_64bits(file, GMT_HEADER_HASH));
    g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
    reader = gmtrace_open(path, &error);
    g_assert_nonnull(reader);
    g_assert_nonnull(gmtrace_damage(reader));
    g_assert_true(gmtrace_get_launch(reader, 1)->complete);
    g_assert_null(gmtrace_get_launch(reader, 1)->known);
    gmtrace_close(reader);
    g_unlink(path);
}

static void test_usage(void)
{
    static const gmtrace_known_range wrong[][2] = {
        {{0x1000, 0, some}, {0x2000, 1, some}},                /* empty */
        {{0x1000, (1u << 20) + 1, some}, {1u << 30, 1, some}}, /* too long */
        {{0x1000, 4, some}, {0x1003, 1, some}},                /* overlap */
        {{0x2000, 4, some}, {0x1000, 1, some}},                /* not sorted */
        {{0x1000, 4, some}, {UINT64_MAX, 1, some}},            /* beyond the last address */
    };
    g_autofree char *path = gmtest_new_path();
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtest_launch(&t, 1, 32);
    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++)
        refuse(&t, &(gmtrace_known){.range_count = 2, .range = wrong[i]});
    refuse(&t, &(gmtrace_known){.constants_offset = 65530, .constants_size = 7, .constants = some});
    refuse(&t, &(gmtrace_known){.constants_offset = UINT32_MAX, .constants_size = 7});
    know(&t, &(gmtrace_known){.constants_offset = 65530, .constants_size = 6, .constants = some});
    gmtest_close(&t);
    gmtrace_close(read_trace(path));
    g_unlink(path);
}

enum { MIB = 1 << 20, PARTS = 5, MANY = 70000 };

/* Of the first `parts` MiB; `more` bytes besides. */
static gmtrace_known large(gmtrace_known_range *part, const uint8_t *zero, uint32_t parts,
                           uint32_t more)
{
    for (uint32_t i = 0; i < parts; i++)
        part[i] = (gmtrace_known_range){(uint64_t)i << 20, MIB, zero};
    part[parts] = (gmtrace_known_range){1ull << 40, more, zero};
    return (gmtrace_known){16, 4, some, parts + (more > 0), part};
}

static gmtrace_known_range *many_ranges(uint32_t count)
{
    gmtrace_known_range *range = g_new(gmtrace_known_range, count);
    for (uint32_t i = 0; i < count; i++)
        range[i] = (gmtrace_known_range){16 * (uint64_t)i, 1, some};
    return range;
}

/* What is too much of one launch, and of all. */
static void test_bounds(void)
{
    g_autofree char *path = gmtest_new_path();
    g_autofree uint8_t *zero = g_malloc0(MIB);
    g_autofree gmtrace_known_range *tiny = many_ranges(MANY);
    gmtrace_known_range part[PARTS + 1];
    gmtest_trace t;
    gmtest_open(&t, path);
    for (unsigned i = 0; i < 20; i++) {
        gmtrace_known known = large(part, zero, 4, i == 0);
        gmtest_launch(&t, 1, 32);
        if (i == 1)
            known = (gmtrace_known){16, 4, some, MANY, tiny};
        know(&t, &known);
    }
    gmtest_close(&t);
    gmtrace_reader *reader = read_trace(path);
    for (unsigned i = 0; i < 20; i++) { /* 16 launches of 4 MiB are 64 MiB */
        const gmtrace_known *known = gmtrace_get_launch(reader, i)->known;
        g_assert_nonnull(known);
        g_assert_cmpuint(known->constants_size, ==, 4);
        g_assert_cmpuint(known->range_count, ==, i >= 2 && i < 18 ? 4 : 0);
    }
    gmtrace_close(reader);

    gmtest_open(&t, path); /* parameters: 64 KiB each of 1026 launches */
    for (unsigned i = 0; i < 1026; i++) {
        gmtest_launch(&t, 1, 32);
        know(&t, &(gmtrace_known){0, i < 1025 ? 65536 : 0, zero, i > 1, ranges});
    }
    gmtest_close(&t);
    reader = read_trace(path);
    g_assert_cmpuint(gmtrace_get_launch(reader, 1023)->known->constants_size, ==, 65536);
    g_assert_null(gmtrace_get_launch(reader, 1024)->known);
    g_assert_cmpuint(gmtrace_get_launch(reader, 1025)->known->range_count, ==, 1);
    gmtrace_close(reader);
    g_unlink(path);
}

/* A small file may claim 64 MiB: only within the reader's limit. */
static void test_memory(void)
{
    g_autofree char *path = gmtest_new_path();
    g_autofree uint8_t *zero = g_malloc0(MIB);
    gmtrace_known_range part[PARTS + 1];
    const gmtrace_known known = large(part, zero, 4, 0);
    gmtrace_error error;
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtest_launch(&t, 1, 32);
    know(&t, &known);
    gmtest_close(&t);
    const gmtrace_reader_options enough = {.memory_limit = 6 << 20},
                                 less = {.memory_limit = 3 << 20};
    gmtrace_reader *reader = gmtrace_open_with(path, &enough, &error);
    g_assert_nonnull(reader);
    gmtrace_close(reader);
    reader = gmtrace_open_with(path, &less, &error);
    g_assert_null(reader);
    g_assert_cmpint(error.status, ==, GMTRACE_MEMORY);

    g_autofree gmtrace_known_range *tiny = many_ranges(65536); /* 3 bytes each, and 24 read */
    gmtest_open(&t, path);
    gmtest_launch(&t, 1, 32);
    know(&t, &(gmtrace_known){.range_count = 65536, .range = tiny});
    gmtest_close(&t);
    reader = gmtrace_open_with(path, &(gmtrace_reader_options){.memory_limit = MIB}, &error);
    g_assert_null(reader);
    g_assert_cmpint(error.status, ==, GMTRACE_MEMORY);
    reader = read_trace(path);
    g_assert_cmpuint(gmtrace_get_launch(reader, 0)->known->range_count, ==, 65536);
    gmtrace_close(reader);
    g_unlink(path);
}

/* All that the header promises of it. */
static void check_known(const gmtrace_known *known)
{
    uint64_t end = 0;
    unsigned sum = 0;
    g_assert_cmpuint(known->constants_offset + known->constants_size, <=, 65536);
    for (uint32_t i = 0; i < known->constants_size; i++)
        sum += known->constants[i];
    for (uint32_t n = 0; n < known->range_count; n++) {
        const gmtrace_known_range *r = &known->range[n];
        g_assert_cmphex(r->base, >=, end);
        g_assert_cmpuint(r->size, >, 0);
        g_assert_cmphex(r->base + r->size, >, r->base);
        end = r->base + r->size;
        for (uint32_t i = 0; i < r->size; i++)
            sum += r->bytes[i];
    }
    g_assert_cmpuint(sum, <, 256 * 64);
}

/* The section of write_trace()'s file, and its checksums set right again. */
typedef struct section {
    char *path, *bytes;
    gsize size;
    uint8_t *head, *payload;
    uint64_t at, length;
} section;

static void load(section *s)
{
    s->path = gmtest_new_path();
    write_trace(s->path);
    g_assert_true(g_file_get_contents(s->path, &s->bytes, &s->size, NULL));
    s->at = gmt_get64((uint8_t *)s->bytes + GMT_HEADER_KNOWN);
    s->head = (uint8_t *)s->bytes + s->at;
    s->payload = s->head + GMT_SECTION_SIZE;
    s->length = gmt_get64(s->head + 8);
    g_assert_cmpuint(gmt_get32(s->head), ==, GMT_KNOWN);
    g_assert_cmpuint(gmt_get32(s->head + 4), ==, GMT_FLAG_OPTIONAL); /* stored plain */
}

/* NULL where it is refused. */
static gmtrace_reader *reopen(section *s)
{
    gmtrace_error error = {0};
    gmt_set64(s->head + 16, XXH3_64bits(s->payload, s->length));
    gmt_set64(s->head + 24, XXH3_64bits_withSeed(s->head, 24, s->at));
    g_assert_true(g_file_set_contents(s->path, s->bytes, (gssize)s->size, NULL));
    gmtrace_reader *reader = gmtrace_open(s->path, &error);
    if (!reader)
        g_assert_cmpint(error.status, ==, GMTRACE_CORRUPT);
    return reader;
}

static void unload(section *s)
{
    g_unlink(s->path);
    g_free(s->path);
    g_free(s->bytes);
}

/* Sections of one launch: its parameters are as long as the section lets them be. */
static void test_lengths(void)
{
    static const struct {
        const char *before, *after; /* the parameters' bytes */
        uint32_t before_size, after_size;
        bool good;
    } cases[] = {
        {"\1\1\x90\4", "\0", 4, 1, true},
        {"\1\3\x90\4", "\1\5\1a", 4, 4, true},
        {"\1\1\x90\4", "\0\0", 4, 2, false},       /* a byte is left */
        {"\1\1\x90\4", "\1\5\2a", 4, 4, false},    /* a range ends behind it */
        {"\1\1\x90\4", "\1\5\0", 4, 3, false},     /* an empty range */
        {"\1\4\x90\4", "\0", 4, 1, false},         /* no such launch */
        {"\2\1\x90\4", "\0\1\0\0\0", 4, 5, false}, /* a launch twice */
        {"\2\3\x90\4", "\0\1\0\0\0", 4, 5, false}, /* launches in no order */
        {"\2\1\x90\4", "\0\3\0\0\0", 4, 5, true},
        {"\1\1\x80\x80\x80\x80\x10", "\0", 7, 1, false}, /* 2^32 */
        {"\1\1\xff\xff\3", "\0", 5, 1, false},           /* ends behind the bank */
        {"\1\1\x90\4",
         "\1\5\x81\x80\x80\x80\x10"
         "a",
         4, 8, false}, /* 2^32 + 1 */
        {"\1\1\x90\4", "\x81\x80\x80\x80\x10\5\1a", 4, 8, false},
    };
    section s;
    load(&s);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const uint32_t before = cases[i].before_size, after = cases[i].after_size;
        const uint32_t constants = (uint32_t)s.length - before - after - 1;
        g_assert_cmpuint(constants, <, 128);
        memset(s.payload, 0x55, s.length);
        memcpy(s.payload, cases[i].before, before);
        s.payload[before] = (uint8_t)constants;
        memcpy(s.payload + s.length - after, cases[i].after, after);
        gmtrace_reader *reader = reopen(&s);
        g_test_message("case %zu", i);
        g_assert_true((reader != NULL) == cases[i].good);
        gmtrace_close(reader);
    }
    unload(&s);
}

/* Every byte of the section with every other value. */
static void test_wrong_contents(void)
{
    unsigned refused = 0, taken = 0;
    section s;
    load(&s);
    for (uint64_t i = 0; i < s.length; i++) {
        const uint8_t was = s.payload[i];
        for (unsigned value = 0; value < 256; value++) {
            s.payload[i] = (uint8_t)value;
            gmtrace_reader *reader = reopen(&s);
            for (uint32_t k = 0; reader && k < gmtrace_launch_count(reader); k++)
                if (gmtrace_get_launch(reader, k)->known)
                    check_known(gmtrace_get_launch(reader, k)->known);
            refused += !reader;
            taken += reader != NULL;
            gmtrace_close(reader);
        }
        s.payload[i] = was;
    }
    g_assert_cmpuint(taken, >=, 24 * 256);   /* the bytes that were found may be any */
    g_assert_cmpuint(refused, >=, 20 * 100); /* what says how many they are may not */
    unload(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/known/roundtrip", test_roundtrip);
    g_test_add_func("/known/none", test_none);
    g_test_add_func("/known/usage", test_usage);
    g_test_add_func("/known/bounds", test_bounds);
    g_test_add_func("/known/memory", test_memory);
    g_test_add_func("/known/lengths", test_lengths);
    g_test_add_func("/known/wrong-contents", test_wrong_contents);
    return g_test_run();
}
