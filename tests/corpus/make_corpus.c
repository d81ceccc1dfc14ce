/* SPDX-License-Identifier: MIT
 *
 * make_corpus.c - writes the traces of this folder: sound ones through libgmtrace, broken ones by
 * changing single fields of a sound one and, where the checksums are not the point, setting these
 * right again. Run by hand after a change of the format: make_corpus FOLDER.
 */
#include "tests/support/trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A file in memory, and its sections. The file that is changed has no compressed section. */
static unsigned char bytes[65536];
static size_t size;
static char folder[3000], path[4096];

enum { CAPTURE = 1, KERNEL, LAUNCH, CHUNK, LAUNCH_END, MAP, INDEX, LOST, ORIGINS, REPEATS, KNOWN };

static const char *at(const char *name)
{
    snprintf(path, sizeof path, "%s/%s.trc", folder, name);
    return path;
}

static void load(const char *name)
{
    FILE *file = fopen(at(name), "rb");
    size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!size || fclose(file) != 0)
        abort();
}

static void save(const char *name)
{
    FILE *file = fopen(at(name), "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void put32(size_t offset, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[offset + i] = (unsigned char)(v >> 8 * i);
}

static void put64(size_t offset, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[offset + i] = (unsigned char)(v >> 8 * i);
}

static uint32_t get32(size_t offset)
{
    uint32_t v = 0;
    for (unsigned i = 4; i--;)
        v = v << 8 | bytes[offset + i];
    return v;
}

/* Offset of the first section of a type. */
static size_t section(uint32_t type)
{
    for (size_t offset = 128; offset + 32 <= size; offset += 32 + get32(offset + 8))
        if (get32(offset) == type)
            return offset;
    abort();
}

static void seal_header(void)
{
    put64(120, XXH3_64bits_withSeed(bytes, 120, 0));
}

/* Sets both checksums of the section at `offset` right. */
static void seal(size_t offset)
{
    put64(offset + 16, XXH3_64bits_withSeed(bytes + offset + 32, get32(offset + 8), 0));
    put64(offset + 24, XXH3_64bits_withSeed(bytes + offset, 24, offset));
}

/* Header and footer, of a file that ends in its footer, tell where the index is. */
static void seal_index(size_t index)
{
    const size_t footer = size - 32;
    put64(24, index);
    seal_header();
    put64(footer + 8, index);
    put64(footer + 16, size);
    put64(footer + 24, XXH3_64bits_withSeed(bytes + footer, 24, 0));
}

/* Payload of the first section of a type; after a change, seal() it. */
static size_t payload(uint32_t type)
{
    return section(type) + 32;
}

/* A variant of `from`: one 32-bit number of a section changed, checksums right. */
static void change32(const char *from, const char *name, uint32_t type, size_t offset, uint32_t v)
{
    load(from);
    put32(payload(type) + offset, v);
    seal(section(type));
    save(name);
}

/* The same for a byte, which must be `old` before, so that a change of the layout is noticed. */
static void change8(const char *from, const char *name, uint32_t type, size_t offset,
                    unsigned char old, unsigned char v)
{
    load(from);
    if (bytes[payload(type) + offset] != old) {
        fprintf(stderr, "make_corpus: %s: found 0x%02x instead of 0x%02x\n", name,
                bytes[payload(type) + offset], old);
        exit(1);
    }
    bytes[payload(type) + offset] = v;
    seal(section(type));
    save(name);
}

/* ------------------------------------------------------------------------------- sound ones */

static void good_empty(void)
{
    gmtest_trace t;
    gmtest_open(&t, at("good-empty"));
    gmtest_close(&t);
}

/* No code, two CTAs of one warp, two records each: so little that nothing is compressed. */
static void good_tiny(void)
{
    static const gmtrace_kernel bare = {.mangled = "k", .name = "k"};
    gmtest_trace t;
    gmtest_open(&t, at("good-tiny"));
    gmtrace_writer_close(t.writer, false, NULL);
    gmtrace_error error;
    t = (gmtest_trace){.writer =
                           gmtrace_writer_create(at("good-tiny"), gmtest_capture(), NULL, &error)};
    gmtest_use_kernel(&t, &bare);
    gmtest_launch(&t, 2, 32);
    for (unsigned cta = 0; cta < 2; cta++) {
        gmtrace_record r = gmtest_record(GMTEST_LDG, UINT32_MAX);
        r.instr = GMTRACE_NO_INSTR;
        r.stride = 8;
        r.address = 0x1000 + 256 * cta;
        gmtest_append(&t, cta, 0, &r, NULL);
        r.mask = 0xff;
        r.op = GMTRACE_OP_STORE;
        gmtest_append(&t, cta, 0, &r, NULL);
    }
    gmtest_close(&t);
}

/* Every shape and most kinds, full and partial masks, warps without records. */
static void good_shapes(void)
{
    gmtest_trace t;
    uint64_t lane[GMTRACE_WARP_LANES];
    gmtest_open(&t, at("good-shapes"));
    gmtest_launch(&t, 6, 96);
    for (unsigned cta = 0; cta < 6; cta += 2)
        for (unsigned warp = 0; warp < 3; warp += 2) {
            const uint64_t base = UINT64_C(0x7f2e00000000) + 4096 * cta + 128 * warp;
            gmtest_affine(&t, cta, warp, GMTEST_LDG, UINT32_MAX, base, 4);
            gmtest_affine(&t, cta, warp, GMTEST_LDG, 0x1, base + 1024, 4);
            for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
                lane[i] = 4 * (i % 8) + 132 * (i / 8);
            gmtest_lanes(&t, cta, warp, GMTEST_STS, UINT32_MAX, lane);
            gmtest_barrier(&t, cta, warp);
            for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
                lane[i] = base + 4 * (i * i * 37 % 1000);
            gmtest_lanes(&t, cta, warp, GMTEST_STG, UINT32_MAX, lane);
            gmtest_lanes(&t, cta, warp, GMTEST_ATOMG, 0x0ff0, lane);
            for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
                lane[i] = base + ((uint64_t)(i * i) << 30);
            gmtest_lanes(&t, cta, warp, GMTEST_RED, 0xf0000001, lane);
            gmtrace_record r = gmtest_record(GMTEST_EXIT, UINT32_MAX);
            r.kind = GMTRACE_BULK;
            r.op = GMTRACE_OP_BULK_LOAD;
            r.space = GMTRACE_SPACE_GLOBAL;
            r.address = base;
            r.aux64 = 1024;
            r.aux = 512;
            gmtest_append(&t, cta, warp, &r, NULL);
        }
    gmtest_close(&t);
}

/* One CTA of so many records that it takes several chunks, between small ones. */
static void good_split_cta(void)
{
    gmtest_trace t;
    gmtest_open(&t, at("good-split-cta"));
    gmtest_launch(&t, 3, 64);
    for (unsigned i = 0; i < 3000; i++)
        for (unsigned warp = 0; warp < 2; warp++) {
            gmtest_affine(&t, 1, warp, GMTEST_LDG, UINT32_MAX, 0x10000 + 256 * i + 128 * warp, 4);
            if (i == 0)
                gmtest_affine(&t, 2, warp, GMTEST_STG, UINT32_MAX, 0x10000, 4);
        }
    gmtest_close(&t);
}

static void good_two_launches(void)
{
    gmtest_trace t;
    gmtest_open(&t, at("good-two-launches"));
    gmtest_launch(&t, 1, 32);
    gmtest_affine(&t, 0, 0, GMTEST_LDG, UINT32_MAX, 64, 4);
    gmtrace_kernel kernel = *gmtest_kernel();
    gmtrace_error error;
    if (!gmtrace_writer_end_launch(t.writer, &error))
        abort();
    t.open = 0;
    kernel.mangled = "_Z6secondv";
    kernel.name = "second()";
    gmtest_use_kernel(&t, &kernel);
    gmtest_launch(&t, 2, 32);
    gmtest_affine(&t, 1, 0, GMTEST_STG, 0xffff, 128, 8);
    gmtest_close(&t);
}

static uint64_t random_state = 88172645463325252u;

static uint32_t below(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 24) % bound;
}

/* Loops of a few instructions whose masks, steps and lanes change now and then, as predictors meet
 * them. Nothing about it is sound as a program. */
static void good_random(void)
{
    gmtest_trace t;
    uint64_t lane[GMTRACE_WARP_LANES] = {0};
    gmtest_open(&t, at("good-random"));
    gmtest_launch(&t, 5, 128);
    uint32_t held[5] = {0x00ffff00, 1, UINT32_MAX, 0x80000001, 7}; /* masks of the CTAs */
    for (unsigned n = 0; n < 260; n++) {
        const unsigned cta = below(5), warp = below(4), instr = below(GMTEST_BAR);
        const bool fixed = instr == GMTEST_LDS || instr == GMTEST_LDL; /* the same in every warp */
        const uint64_t base = 4096 + 512 * instr + (fixed ? 0 : 128 * warp + 256 * (n / 20));
        if (below(6) == 0)
            held[cta] = below(2) ? UINT32_MAX : below(UINT32_MAX) | 1u << below(32);
        const uint32_t mask = held[cta];
        if (below(8) == 0) {
            gmtrace_record r = gmtest_record(GMTEST_BAR, mask);
            r.kind = below(2) ? GMTRACE_COPY_WAIT : GMTRACE_WGMMA;
            r.aux = below(4);
            r.aux64 = below(2) * (uint64_t)below(4096);
            gmtest_append(&t, cta, warp, &r, NULL);
        } else if (below(4)) {
            gmtest_affine(&t, cta, warp, instr, mask, base, below(5) ? 4 : (int32_t)below(64) - 32);
        } else {
            for (unsigned i = 0; i < GMTRACE_WARP_LANES && below(3); i++)
                lane[i] = base + 4 * (uint64_t)below(1u << (4 + 2 * instr));
            if (below(6) == 0)
                lane[below(32)] += (uint64_t)below(1u << 20) << 20;
            gmtest_lanes(&t, cta, warp, instr, mask, lane);
        }
    }
    gmtest_close(&t);
}

/* A later minor version: unknown optional flags, and an optional section put before the index. */
/* An array of two launches, a variable that only the second one has, and memory without a name. */
static void good_origins(void)
{
    static const gmtrace_origin array = {"d_x", "cudaMalloc", "t.cu", 7, 1},
                                variable = {.name = "table"};
    const gmtrace_allocation first[] = {{0x10, 16, &array}, {0x30, 16, NULL}},
                             second[] = {{0x10, 16, &array}, {0x40, 16, &variable}};
    static const gmtrace_kernel bare = {.mangled = "k", .name = "k"};
    gmtrace_launch launch = {.grid = {1, 1, 1},
                             .block = {32, 1, 1},
                             .cluster = {1, 1, 1},
                             .allocation_count = 2,
                             .allocation = first};
    gmtrace_error error;
    uint32_t kernel;
    gmtrace_writer *writer =
        gmtrace_writer_create(at("good-origins"), gmtest_capture(), NULL, &error);
    bool done = writer && gmtrace_writer_add_kernel(writer, &bare, &kernel, &error) &&
                gmtrace_writer_begin_launch(writer, &launch, &error) &&
                gmtrace_writer_end_launch(writer, &error);
    launch.allocation = second;
    done = done && gmtrace_writer_begin_launch(writer, &launch, &error) &&
           gmtrace_writer_end_launch(writer, &error);
    if (!done || !gmtrace_writer_close(writer, true, &error))
        abort();
}

/* Launches 0 and 3 are of one kind, 1 and 2 of another, 4 of none; five more happened. */
static void good_repeats(void)
{
    static const uint32_t ctas[] = {2, 1, 1, 2, 2}, like[] = {0, 1, 1, 0, 4};
    static const uint32_t ordinal[] = {0, 1, 2, 8, 11};
    static const gmtrace_repeat repeats[] = {{7, 1}, {9, 0}, {10, 0}, {200, 1}, {201, 0}};
    gmtest_trace t;
    gmtrace_error error;
    gmtest_open(&t, at("good-repeats"));
    for (uint32_t i = 0; i < 5; i++) {
        gmtest_launch_with(&t, &(gmtrace_launch){.grid = {ctas[i], 1, 1},
                                                 .block = {32, 1, 1},
                                                 .cluster = {1, 1, 1},
                                                 .carveout_percent = -1,
                                                 .ordinal = ordinal[i]});
        gmtest_affine(&t, 0, 0, GMTEST_LDG, UINT32_MAX, 0x1000, 4);
        if (like[i] != i && !gmtrace_writer_like(t.writer, like[i], &error))
            abort();
    }
    for (unsigned i = 0; i < 5; i++)
        if (!gmtrace_writer_repeat(t.writer, &repeats[i], &error))
            abort();
    gmtest_close(&t);
}

/* Of three launches the first found parameters and two ranges of memory, the last one range. */
static void good_known(void)
{
    static const uint8_t bytes_of[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const gmtrace_known_range range[] = {
        {0x1000, 4, bytes_of}, {0x1020, 4, bytes_of + 4}, {0x2000, 2, bytes_of}};
    static const gmtrace_known known[] = {{0x210, 8, bytes_of, 2, range},
                                          {0x210, 0, NULL, 1, range + 2}};
    gmtest_trace t;
    gmtrace_error error;
    gmtest_open(&t, at("good-known"));
    for (uint32_t i = 0; i < 3; i++) {
        gmtest_launch(&t, 1, 32);
        gmtest_affine(&t, 0, 0, GMTEST_LDG, UINT32_MAX, 0x1000, 4);
        if (i != 1 && !gmtrace_writer_know(t.writer, &known[i / 2], &error))
            abort();
    }
    gmtest_close(&t);
}

/* Boxes of three maps, one of them given twice, in two launches: steps, coordinates below 0 and far
 * off, a multicast, and a launch after it that has none. */
static void good_tensors(void)
{
    static const uint64_t maps[][GMTRACE_TENSOR_WORDS] = {{1, 2, 3, 4, 5, 6, 7, 8}, {9}, {1}};
    static const gmtrace_tensor_copy copies[] = {
        {.coordinate = {0, 64}, .shared = 1024, .barrier = 0x8000, .map = 0},
        {.coordinate = {64, 64}, .shared = 2048, .barrier = 0x8008, .map = 1},
        {.coordinate = {-16, 1 << 30, -2147483647 - 1, 7, -1}, .multicast = 0x8003, .map = 2},
        {.coordinate = {-16, -(1 << 30), 2147483647, 8, 1}, .im2col = 0xffff, .map = 1},
        {.coordinate = {-16, -(1 << 30), 2147483647, 8, 1}, .im2col = 0xffff, .map = 0},
    };
    static const uint8_t op[] = {GMTRACE_OP_BULK_LOAD, GMTRACE_OP_BULK_LOAD, GMTRACE_OP_BULK_STORE,
                                 GMTRACE_OP_BULK_REDUCE, GMTRACE_OP_PREFETCH};
    gmtest_trace t;
    gmtrace_error error;
    gmtest_open(&t, at("good-tensors"));
    for (unsigned launch = 0; launch < 3; launch++) {
        gmtest_launch(&t, 2, 64);
        uint16_t number[3], again;
        for (unsigned i = launch; i < 3 && launch < 2; i++)
            if (!gmtrace_writer_tensor_map(t.writer, maps[i], &number[i], &error) ||
                !gmtrace_writer_tensor_map(t.writer, maps[launch], &again, &error) || again)
                abort();
        for (unsigned i = 0; i < 15 && launch < 2; i++) {
            const unsigned which = i % 5;
            gmtrace_record r = gmtest_record(GMTEST_BAR, 1u << launch);
            gmtrace_tensor_copy copy = copies[which];
            copy.map = copy.map < launch ? 0 : number[copy.map];
            r.kind = GMTRACE_TENSOR;
            r.op = op[which];
            r.space = GMTRACE_SPACE_GLOBAL;
            gmtrace_put_tensor_copy(&r, &copy);
            gmtest_append(&t, i & 1, which == 4, &r, NULL);
        }
        gmtest_affine(&t, 0, 1, GMTEST_LDG, UINT32_MAX, 64, 4);
    }
    gmtest_close(&t);
}

/* One box of one map. No section is compressed. */
static void good_tensor(void)
{
    static const uint64_t map[GMTRACE_TENSOR_WORDS] = {0x11};
    static const gmtrace_kernel bare = {.mangled = "k", .name = "k"};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .cluster = {1, 1, 1}};
    const gmtrace_tensor_copy copy = {.coordinate = {3, 4}};
    gmtrace_record r = {.kind = GMTRACE_TENSOR,
                        .op = GMTRACE_OP_BULK_LOAD,
                        .space = GMTRACE_SPACE_GLOBAL,
                        .instr = GMTRACE_NO_INSTR,
                        .mask = 1};
    gmtrace_error error;
    uint32_t kernel;
    uint16_t number;
    gmtrace_put_tensor_copy(&r, &copy);
    gmtrace_writer *writer =
        gmtrace_writer_create(at("good-tensor"), gmtest_capture(), NULL, &error);
    if (!writer || !gmtrace_writer_add_kernel(writer, &bare, &kernel, &error) ||
        !gmtrace_writer_begin_launch(writer, &launch, &error) ||
        !gmtrace_writer_tensor_map(writer, map, &number, &error) ||
        !gmtrace_writer_append(writer, 0, 0, &r, NULL, &error) ||
        !gmtrace_writer_end_launch(writer, &error) || !gmtrace_writer_close(writer, true, &error))
        abort();
}

static void good_newer_minor(void)
{
    load("good-tiny");
    const size_t index = section(INDEX), add = 32 + 5;
    memmove(bytes + index + add, bytes + index, size - index);
    size += add;
    put32(index, 1000);
    put32(index + 4, 2);
    put64(index + 8, 5);
    memcpy(bytes + index + 32, "hello", 5);
    seal(index);
    seal(index + add);
    put32(8, 1 | 7u << 16);
    put32(20, 0x80000001);
    seal_index(index + add);
    save("good-newer-minor");
}

/* ------------------------------------------------------------------------------ broken ones */

static void bad_files(void)
{
    size = 0;
    save("bad-empty-file");
    size = (size_t)snprintf((char *)bytes, sizeof bytes, "thread block = 0,0,0\nwarp = 0\n");
    save("bad-text-file");
    load("good-shapes");
    size = 100;
    save("bad-cut-in-header");
    load("good-shapes");
    size = 140;
    save("bad-cut-in-capture");
    load("good-shapes");
    size = section(CHUNK) + 50;
    save("bad-cut-in-chunk");
    load("good-split-cta");
    size = section(LAUNCH_END) - 1;
    save("bad-cut-in-split-cta");
    load("good-shapes");
    size -= 1;
    save("bad-cut-in-footer");
    load("good-shapes");
    for (size_t i = 0; i + 1 < size; i++) /* what a transfer in text mode does */
        if (bytes[i] == '\r' && bytes[i + 1] == '\n')
            memmove(bytes + i, bytes + i + 1, --size - i);
    save("bad-newlines");
    load("good-tiny");
    memcpy(bytes + size, "more", 4);
    size += 4;
    save("bad-bytes-after-end");
}

static void bad_origins(void)
{
    change8("good-origins", "bad-origins-count", ORIGINS, 0, 2, 3);
    change8("good-origins", "bad-origins-launch", ORIGINS, 1, 0, 1); /* and the next one: 1 and 2 */
    change8("good-origins", "bad-origins-base", ORIGINS, 3, 0x10, 0x11);
    change8("good-origins", "bad-origins-string", ORIGINS, 6, 3, 100);
    change8("good-origins", "bad-origins-twice", ORIGINS, 28, 0x40, 0x10);
}

static void bad_repeats(void)
{
    change8("good-repeats", "bad-repeats-launch", REPEATS, 2, 0, 5);
    change8("good-repeats", "bad-repeats-shape", REPEATS, 3, 2, 0); /* launch 1 like launch 0 */
    change8("good-repeats", "bad-repeats-count", REPEATS, 7, 5, 6);
    change8("good-repeats", "bad-repeats-kind", REPEATS, 9, 1, 2);
}

/* Launch 0: 00 90 04 08 and 8 bytes, 02 ranges: 80 20 04, 4 bytes, 1c 04, 4 bytes; launch 2. */
static void bad_known(void)
{
    change8("good-known", "bad-known-count", KNOWN, 0, 2, 3);
    change8("good-known", "bad-known-constants", KNOWN, 4, 8, 100);
    change8("good-known", "bad-known-ranges", KNOWN, 13, 2, 100);
    change8("good-known", "bad-known-empty", KNOWN, 22, 4, 0);
    change8("good-known", "bad-known-size", KNOWN, 34, 2, 100);
    change8("good-known", "bad-known-launch", KNOWN, 27, 2, 3);
    change8("good-known", "bad-known-twice", KNOWN, 27, 2, 0);
}

static void bad_tensors(void)
{
    const char *tensor = "good-tensor";
    change32(tensor, "bad-tensor-maps", LAUNCH_END, 36, 2);
    change32(tensor, "bad-tensor-no-maps", LAUNCH_END, 36, 0);
    /* Fields: definition 00 8b 41, mask, aux 03, aux64 00, coordinates 08 00 00, map 00. */
    const size_t fields = 48 + 2 + 1; /* the prefix, segments and tokens */
    change8(tensor, "bad-tensor-map", CHUNK, fields + 12, 0, 1);
    change8(tensor, "bad-tensor-op", CHUNK, fields + 1, 0x8b, 0x1b);
    change8(tensor, "bad-tensor-space", CHUNK, fields + 2, 0x41, 0x42);
}

static void bad_checksums(void)
{
    load("good-tiny");
    bytes[40] ^= 1;
    save("bad-header-checksum");
    load("good-tiny");
    bytes[section(LAUNCH) + 4] ^= 1;
    save("bad-section-header-checksum");
    load("good-tiny");
    bytes[payload(LAUNCH) + 4] ^= 1;
    save("bad-launch-checksum");
    load("good-tiny");
    bytes[payload(CHUNK) + 60] ^= 1;
    save("bad-chunk-checksum");
    load("good-tiny");
    bytes[payload(INDEX)] ^= 1;
    save("bad-index-checksum");
    load("good-tiny");
    bytes[size - 1] ^= 1;
    save("bad-footer-checksum");
    load("good-shapes");
    bytes[payload(CHUNK) + 70] ^= 0xff;
    seal(section(CHUNK));
    save("bad-zstd-frame");
}

/* Checksums right, contents wrong. Offsets are FORMAT.md's. */
static void bad_contents(void)
{
    const char *tiny = "good-tiny";
    load(tiny);
    put64(24, 128);
    seal_header();
    save("bad-index-offset");
    load(tiny);
    put32(12, 256);
    seal_header();
    save("bad-header-size");
    load(tiny);
    put32(32, 3);
    seal_header();
    save("bad-detail");
    change32(tiny, "bad-launch-kernel", LAUNCH, 0, 1);
    change32(tiny, "bad-launch-empty-grid", LAUNCH, 4, 0);
    change32(tiny, "bad-launch-block", LAUNCH, 16, 2000);
    change32(tiny, "bad-launch-allocations", LAUNCH, 64, 1000);
    change32(tiny, "bad-launch-end-totals", LAUNCH_END, 4, 5);
    change32(tiny, "bad-kernel-counts", KERNEL, 16, 100000);
    change32(tiny, "bad-chunk-launch", CHUNK, 0, 1);
    change32(tiny, "bad-chunk-flags", CHUNK, 4, 2);
    change32(tiny, "bad-chunk-records", CHUNK, 8, 5);
    change32(tiny, "bad-chunk-records-huge", CHUNK, 8, 0x7fffffff);
    change32(tiny, "bad-chunk-segments", CHUNK, 12, 3);
    change32(tiny, "bad-chunk-groups", CHUNK, 16, 1);
    change32(tiny, "bad-chunk-stream-size", CHUNK, 32, 1000);
    /* The chunk's streams begin after 48 bytes: segments 0x05 0x02, 0x01; then tokens, fields. */
    change8(tiny, "bad-segment-reserved", CHUNK, 48, 0x05, 0x85);
    change8(tiny, "bad-segment-count", CHUNK, 49, 0x02, 0x7f);
    change8(tiny, "bad-segment-warp", CHUNK, 50, 0x01, 0x00);
    change8(tiny, "bad-token-zero", CHUNK, 51, 0x2a, 0x00);
    change8(tiny, "bad-token-no-entry", CHUNK, 51, 0x2a, 0x80);
    change8(tiny, "bad-token-base", CHUNK, 51, 0x2a, 0x3a);
    const size_t fields = 48 + 3 + 4; /* the first record's: new entry */
    change8(tiny, "bad-entry-number", CHUNK, fields, 0x00, 0x07);
    change8(tiny, "bad-entry-kind", CHUNK, fields + 1, 0x10, 0x1f);
    change8(tiny, "bad-entry-size", CHUNK, fields + 2, 0x59, 0x79);
    change8(tiny, "bad-entry-instr", CHUNK, fields + 2, 0x59, 0x19);
    change8(tiny, "bad-shape", CHUNK, fields + 3, 0x00, 0x07);
    change8(tiny, "bad-map-cta", MAP, 5, 0x00, 0x01);
    change8(tiny, "bad-map-chunks", MAP, 1, 0x01, 0x02);
    change8(tiny, "bad-index-kernels", INDEX, 4, 0x01, 0x02);
}

/* Takes bytes out of the file. */
static void drop(size_t from, size_t to)
{
    memmove(bytes + from, bytes + to, size - to);
    size -= to - from;
}

static void put_varint2(size_t offset, size_t v)
{
    bytes[offset] = (unsigned char)(v & 0x7f) | 0x80;
    bytes[offset + 1] = (unsigned char)(v >> 7);
}

/* All that tells how many chunks there are made to fit; a MAP's entry takes five bytes here. */
static void bad_lost_chunks(void)
{
    enum { KEPT = 8, ENTRY = 5 };
    load("good-split-cta");
    size_t cut = section(CHUNK);
    for (unsigned i = 0; i < KEPT; i++)
        cut += 32 + get32(cut + 8);
    drop(cut, section(LAUNCH_END));
    put64(payload(LAUNCH_END) + 28, KEPT);
    seal(section(LAUNCH_END));
    const size_t map = section(MAP), end = map + 32 + 2 + ENTRY * KEPT;
    drop(end, map + 32 + get32(map + 8));
    bytes[map + 33] = KEPT;
    put64(map + 8, end - map - 32);
    seal(map);
    const size_t index = section(INDEX); /* places of launch, its end and its map, and a count */
    put_varint2(index + 32 + 10, section(LAUNCH_END));
    put_varint2(index + 32 + 12, map);
    bytes[index + 32 + 14] = KEPT;
    seal(index);
    seal_index(index);
    save("bad-lost-chunks");
}

static void unsupported(void)
{
    load("good-tiny");
    put32(8, 2);
    seal_header();
    save("unsupported-major");
    load("good-tiny");
    put32(16, 0x10);
    seal_header();
    save("unsupported-required-flag");
    load("good-tiny");
    put32(section(CHUNK) + 4, 4);
    seal(section(CHUNK));
    save("unsupported-section-flag");
    load("good-tiny"); /* an unknown section that is not optional, met in walking */
    put32(section(MAP), 1000);
    seal(section(1000));
    put64(24, 0);
    seal_header();
    size -= 32;
    save("unsupported-section-type");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "Usage: make_corpus FOLDER\n");
        return 2;
    }
    snprintf(folder, sizeof folder, "%s", argv[1]);
    good_empty();
    good_tiny();
    good_shapes();
    good_split_cta();
    good_two_launches();
    good_random();
    good_origins();
    good_repeats();
    good_known();
    good_tensors();
    good_tensor();
    good_newer_minor();
    bad_files();
    bad_checksums();
    bad_contents();
    bad_origins();
    bad_repeats();
    bad_known();
    bad_tensors();
    bad_lost_chunks();
    unsupported();
    return 0;
}
