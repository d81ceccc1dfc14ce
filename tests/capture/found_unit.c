/* SPDX-License-Identifier: MIT
 *
 * found_unit.c - what a capture keeps of the memory that deciding loads read, without a GPU: the
 * test says what the patched kernels would, and plays the device that is copied from.
 */
#include "tests/capture/card.h"
#include "traces/capture/found.h"
#include "traces/code/deciding.h"

enum { DECIDES, INDEXES, LOADS, STORES, REDUCES, INSTRS };

static const gmtrace_instr table[INSTRS] = {
    INSTR(0, "LDG.E", GMTRACE_CLASS_LOAD), INSTR(16, "LDG.E", GMTRACE_CLASS_LOAD),
    INSTR(32, "LDG.E", GMTRACE_CLASS_LOAD), INSTR(48, "STG.E", GMTRACE_CLASS_STORE),
    INSTR(64, "REDG.E", GMTRACE_CLASS_REDUCTION)};
static const uint8_t deciding[INSTRS] = {[DECIDES] = GMT_DECIDES, [INDEXES] = GMT_MAKES_INDEX};

/* ----------------------------------------------------------------------------------- the device */

#define BASE 0x7f0000000000ull

static bool shown = true; /* records are of CTAs that show indices */
static unsigned copies;
static uint64_t gone, gone_bytes; /* memory that cannot be copied */
static uint64_t ends;             /* where an allocation does, unless 0 */

static uint8_t byte_at(uint64_t address)
{
    return (uint8_t)(address * 7 + (address >> 8));
}

static size_t copy(void *to, uint64_t from, size_t size)
{
    uint8_t *bytes = to;
    copies++;
    if (from < gone + gone_bytes && gone < from + size)
        return 0;
    if (from < ends && ends < from + size)
        size = ends - from;
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_at(from + i);
    return size;
}

/* ------------------------------------------------------------------------------------- a launch */

static gmc_found *begin(void)
{
    gmc_found *found = gmc_found_create();
    g_assert_nonnull(found);
    gmc_found_begin(found, deciding, INSTRS);
    copies = 0;
    gone = gone_bytes = ends = 0;
    return found;
}

static void access_as(gmc_found *found, uint32_t instr, gmtrace_op op, uint64_t address,
                      int32_t stride, uint32_t mask)
{
    const gmtrace_record record = {.instr = instr,
                                   .kind = GMTRACE_ACCESS,
                                   .op = (uint8_t)op,
                                   .space = GMTRACE_SPACE_GLOBAL,
                                   .size = 4,
                                   .mask = mask,
                                   .address = address,
                                   .stride = stride};
    gmc_found_record(found, &record, NULL, shown);
}

/* Lane 0 alone reads. */
static void reads(gmc_found *found, uint64_t address)
{
    access_as(found, DECIDES, GMTRACE_OP_LOAD, address, 0, 1);
}

static void check_range(const gmtrace_known_range *range, uint64_t base, uint32_t size)
{
    g_assert_cmphex(range->base, ==, base);
    g_assert_cmpuint(range->size, ==, size);
    for (uint32_t i = 0; i < size; i++)
        g_assert_cmpuint(range->bytes[i], ==, byte_at(base + i));
}

/* What is found, as ranges. */
static gmtrace_known end(gmc_found *found, uint32_t ranges)
{
    gmtrace_known known = {.constants_offset = 1};
    g_assert_true(gmc_found_memory(found, copy, &known));
    g_assert_cmpuint(known.constants_offset, ==, 1);
    g_assert_cmpuint(known.range_count, ==, ranges);
    return known;
}

/* Deciding loads alone, each sector once; neighbours are one range and one copy. */
static void test_reads(void)
{
    gmc_found *found = begin();
    uint64_t lane[GMTRACE_WARP_LANES] = {[3] = BASE + 0x5000, [7] = BASE + 0x101e};
    gmtrace_record far = {.instr = DECIDES,
                          .kind = GMTRACE_ACCESS,
                          .op = GMTRACE_OP_LOAD,
                          .space = GMTRACE_SPACE_GLOBAL,
                          .size = 4,
                          .mask = 1u << 3 | 1u << 7};
    access_as(found, DECIDES, GMTRACE_OP_LOAD, BASE, 4, UINT32_MAX);          /* 4 sectors */
    access_as(found, DECIDES, GMTRACE_OP_LOAD, BASE + 64, 4, UINT32_MAX);     /* 2 more */
    access_as(found, LOADS, GMTRACE_OP_LOAD, BASE + 0x3000, 4, UINT32_MAX);   /* decides nothing */
    access_as(found, GMTRACE_NO_INSTR, GMTRACE_OP_LOAD, BASE + 0x3000, 4, 1); /* is not known */
    access_as(found, DECIDES, GMTRACE_OP_PREFETCH, BASE + 0x3000, 4, 1);      /* reads nothing */
    gmc_found_record(found, &far, lane, true); /* lane 7 crosses from one sector to the next */
    far.space = GMTRACE_SPACE_SHARED;
    lane[3] = 0x800;
    gmc_found_record(found, &far, lane, true);
    const gmtrace_known known = end(found, 3);
    check_range(&known.range[0], BASE, 192);
    check_range(&known.range[1], BASE + 0x1000, 64);
    check_range(&known.range[2], BASE + 0x5000, 32);
    g_assert_cmpuint(copies, ==, 3);
    gmc_found_free(found);
}

/* Of an allocation that ends within a sector what there is, and what is behind it. */
static void test_ends(void)
{
    gmc_found *found = begin();
    access_as(found, DECIDES, GMTRACE_OP_LOAD, BASE, 4, UINT32_MAX);
    ends = BASE + 44;
    const gmtrace_known known = end(found, 2);
    check_range(&known.range[0], BASE, 44);
    check_range(&known.range[1], BASE + 64, 64);
    gmc_found_free(found);
}

/* Whatever writes, before or after the load. */
static void test_writes(void)
{
    gmc_found *found = begin();
    gmtrace_record bulk = {.kind = GMTRACE_BULK,
                           .op = GMTRACE_OP_BULK_STORE,
                           .space = GMTRACE_SPACE_GLOBAL,
                           .mask = 1,
                           .address = BASE + 0xa0, /* in shared memory */
                           .aux64 = BASE + 0x1000,
                           .aux = 48};
    access_as(found, STORES, GMTRACE_OP_STORE, BASE + 36, 4, 1);
    for (uint64_t at = 0; at < 0x200; at += 32) {
        reads(found, BASE + at);
        reads(found, BASE + 0x1000 + at);
    }
    access_as(found, REDUCES, GMTRACE_OP_REDUCTION, BASE + 100, 4, 1);
    access_as(found, GMTRACE_NO_INSTR, GMTRACE_OP_ATOMIC, BASE + 0x1fc, 4, 1);
    gmc_found_record(found, &bulk, NULL, true);
    bulk.op = GMTRACE_OP_BULK_REDUCE;
    bulk.aux64 = BASE + 0x1100;
    gmc_found_record(found, &bulk, NULL, true);
    bulk.op = GMTRACE_OP_BULK_LOAD; /* its aux64 is no address */
    bulk.aux64 = BASE + 0x1180;
    gmc_found_record(found, &bulk, NULL, true);
    const gmtrace_known known = end(found, 5);
    check_range(&known.range[0], BASE, 32);
    check_range(&known.range[1], BASE + 64, 32);
    check_range(&known.range[2], BASE + 128, 0x200 - 32 - 128);
    check_range(&known.range[3], BASE + 0x1040, 0xc0);
    check_range(&known.range[4], BASE + 0x1140, 0xc0);
    gmc_found_free(found);
}

/* A matrix of 64 x 64 words at BASE, of which a box of 16 x 2 goes to row 3: 64 bytes of each. */
static void test_tensor(void)
{
    uint64_t map[GMTRACE_TENSOR_WORDS] = {BASE, 1u << 4 | 7u << 7 | (256ull >> 4) << 32};
    gmtrace_record record = {.kind = GMTRACE_TENSOR,
                             .op = GMTRACE_OP_BULK_STORE,
                             .space = GMTRACE_SPACE_GLOBAL,
                             .mask = 1};
    map[4] = 63 | 63ull << 32;
    map[6] = 15ull << 56;
    map[7] = 1;
    gmtrace_put_tensor_copy(&record, &(gmtrace_tensor_copy){.coordinate = {16, 3}});
    for (unsigned twice = 0; twice < 2; twice++) {
        gmc_found *found = begin();
        access_as(found, DECIDES, GMTRACE_OP_LOAD, BASE + 3 * 256, 4, UINT32_MAX);
        access_as(found, DECIDES, GMTRACE_OP_LOAD, BASE + 3 * 256 + 128, 4, UINT32_MAX);
        gmc_found_tensor(found, &record, map);
        if (twice) { /* where a map writes that cannot be read is not known */
            const uint64_t odd[GMTRACE_TENSOR_WORDS] = {BASE + (1ull << 30), 1};
            gmc_found_tensor(found, &record, odd);
            end(found, 0);
        } else {
            const gmtrace_known known = end(found, 2);
            check_range(&known.range[0], BASE + 3 * 256, 64);
            check_range(&known.range[1], BASE + 3 * 256 + 128, 128);
        }
        record.op = GMTRACE_OP_BULK_REDUCE;
        gmc_found_free(found);
    }
}

/* What cannot be copied is left out, and its neighbours are not; the device is not asked for ever.
 */
static void test_failures(void)
{
    gmc_found *found = begin();
    for (uint64_t at = 0; at < 0x4000; at += 32)
        reads(found, BASE + at);
    gone = BASE + 0x1000;
    gone_bytes = 0x20;
    gmtrace_known known = end(found, 2);
    check_range(&known.range[0], BASE, 0x1000);
    check_range(&known.range[1], BASE + 0x1020, 0x2fe0);
    gone = BASE;
    gone_bytes = 0x4000;
    copies = 0;
    end(found, 0);
    g_assert_cmpuint(copies, <=, 64);
    gmc_found_free(found);
}

/* So many sectors and no more; a range holds 1 MiB; the next launch begins with nothing. */
static void test_bounds(void)
{
    gmc_found *found = begin();
    for (uint64_t i = 0; i < GMC_FOUND_SECTORS + 100; i++)
        reads(found, BASE + 32 * i);
    reads(found, BASE); /* is there already */
    reads(found, UINT64_MAX - 3);
    gmtrace_known known = end(found, 2);
    check_range(&known.range[0], BASE, 1 << 20);
    check_range(&known.range[1], BASE + (1 << 20), 1 << 20);
    access_as(found, STORES, GMTRACE_OP_STORE, BASE + 0x100, 4, 1);
    gmc_found_begin(found, deciding, INSTRS);
    end(found, 0);
    reads(found, BASE + 0x100);
    reads(found, UINT64_MAX - 3); /* no trace can hold it */
    known = end(found, 1);
    check_range(&known.range[0], BASE + 0x100, 32);
    gmc_found_free(found);
}

/* Of what indices are made of some is enough, of some CTAs, and what decides has room however much
 * that is. */
static void test_indices(void)
{
    gmc_found *found = begin();
    shown = false; /* of other CTAs nothing is kept */
    access_as(found, INDEXES, GMTRACE_OP_LOAD, BASE - 64, 4, 1);
    shown = true;
    access_as(found, INDEXES, GMTRACE_OP_LOAD, BASE, 4, 1);
    access_as(found, DECIDES, GMTRACE_OP_LOAD, BASE, 4, 1);
    for (uint64_t i = 0; i < GMC_FOUND_INDICES + 100; i++)
        access_as(found, INDEXES, GMTRACE_OP_LOAD, BASE + 32 * i, 4, 1);
    const uint64_t behind = BASE + 32 * (GMC_FOUND_INDICES + 200);
    access_as(found, DECIDES, GMTRACE_OP_LOAD, behind, 4, 1);
    const gmtrace_known known = end(found, 2);
    check_range(&known.range[0], BASE, 32 * GMC_FOUND_INDICES);
    check_range(&known.range[1], behind, 32);
    gmc_found_free(found);
}

/* ------------------------------------------------------------------------------ to the trace */

static const gmc_range all = {0, INSTRS, 0};
static const gmc_code code = {table, INSTRS, &all, 1};

static void put(card *at, uint32_t pc, uint32_t flags, uint64_t address)
{
    card_put(at,
             (gmc_cell){.address = address,
                        .stride = 4,
                        .pc = pc,
                        .aux = 4 | flags << 8,
                        .mask = 0xff,
                        .mark = GMC_MARK(GMC_GLOBAL, GMC_AFFINE, 0)},
             NULL, 0);
}

/* Of three launches the second keeps nothing. */
static void test_launches(void)
{
    gmc_found *found = begin();
    card *at = card_open(table, INSTRS);
    gmtrace_error error = {0};
    for (unsigned i = 0; i < 3; i++) {
        const gmc_job job = {.code = &code, .threads = 32, .found = i == 1 ? NULL : found};
        gmc_found_begin(found, deciding, INSTRS);
        card_launch(at, job, 1);
        put(at, DECIDES, 1, BASE + 0x1000 * i);
        put(at, DECIDES, 1, BASE + 0x1000 * i + 64);
        put(at, LOADS, 1, BASE + 0x1000 * i + 128);
        if (i == 2)
            put(at, STORES, 2, BASE + 0x1000 * i);
        card_exit(at, 0, 0, 0, UINT32_MAX);
        g_assert_true(card_finish(at).sound);
        gmtrace_known known = {0};
        g_assert_true(gmc_found_memory(found, copy, &known));
        if (i != 1)
            g_assert_true(gmtrace_writer_know(at->writer, &known, &error));
        else
            g_assert_cmpuint(known.range_count, ==, 0);
        card_written(at);
    }
    gmtrace_reader *reader = card_read(at);
    const gmtrace_known *known = gmtrace_get_launch(reader, 0)->known;
    g_assert_cmpuint(known->range_count, ==, 2);
    check_range(&known->range[0], BASE, 32);
    check_range(&known->range[1], BASE + 64, 32);
    g_assert_null(gmtrace_get_launch(reader, 1)->known);
    known = gmtrace_get_launch(reader, 2)->known;
    g_assert_cmpuint(known->range_count, ==, 1);
    check_range(&known->range[0], BASE + 0x2040, 32);
    card_close(at);
    gmc_found_free(found);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/found/reads", test_reads);
    g_test_add_func("/found/ends", test_ends);
    g_test_add_func("/found/writes", test_writes);
    g_test_add_func("/found/tensor", test_tensor);
    g_test_add_func("/found/failures", test_failures);
    g_test_add_func("/found/bounds", test_bounds);
    g_test_add_func("/found/indices", test_indices);
    g_test_add_func("/found/launches", test_launches);
    return g_test_run();
}
