/* SPDX-License-Identifier: MIT
 *
 * model_patterns.c - coalescer, shared-memory banks and local memory: expectations worked out by
 * hand, and thousands of random accesses of each shape against a naive reading of the rules.
 */
#include "sim/model/count/banks.h"
#include "sim/model/count/lanes.h"
#include "sim/model/count/local.h"

#include <string.h>

#define RANDOM_RECORDS 20000

static gmtrace_record affine(uint64_t address, int32_t stride, uint8_t size, uint32_t mask)
{
    return (gmtrace_record){.address = address, .stride = stride, .size = size, .mask = mask};
}

/* ------------------------------------------------------------------------- naive reference */

/* Byte by byte, in lane order. */
static void reference_footprint(gmsim_footprint *f, const uint64_t *address, uint32_t mask,
                                uint32_t size)
{
    uint8_t byte[GMSIM_MAX_LINES][128];
    memset(f, 0, sizeof *f);
    memset(byte, 0, sizeof byte);
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t i = 0; (mask >> lane & 1u) && i < size; i++) {
            uint64_t a = address[lane] + i;
            uint32_t at = 0;
            while (at < f->lines && f->line[at] != a / 128)
                at++;
            if (at == f->lines)
                f->line[f->lines++] = a / 128;
            f->bytes += !byte[at][a % 128];
            byte[at][a % 128] = 1;
        }
    }
    for (uint32_t at = 0; at < f->lines; at++) {
        for (uint32_t s = 0; s < 4; s++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < 32; i++)
                sum += byte[at][s * 32 + i];
            f->sectors += sum != 0;
            f->touched[at] = (uint8_t)(f->touched[at] | (sum != 0) << s);
            f->full[at] = (uint8_t)(f->full[at] | (sum == 32) << s);
        }
    }
}

static uint32_t reference_phase(const uint64_t *address, uint32_t first, uint32_t lanes,
                                uint32_t mask, uint32_t size, bool atomic)
{
    uint64_t word[32][512];
    uint32_t depth[32] = {0}, worst = 0;
    for (uint32_t lane = first; lane < first + lanes; lane++) {
        if (!(mask >> lane & 1u))
            continue;
        uint64_t previous = UINT64_MAX;
        for (uint32_t i = 0; i < size; i++) {
            uint64_t w = (address[lane] + i) / 4, bank = w % 32;
            bool seen = w == previous;
            for (uint32_t k = 0; !atomic && k < depth[bank]; k++)
                seen = seen || word[bank][k] == w;
            if (!seen)
                word[bank][depth[bank]++] = w;
            previous = w;
        }
    }
    for (uint32_t bank = 0; bank < 32; bank++)
        worst = MAX(worst, depth[bank]);
    return worst;
}

static bool reference_pairs(const uint64_t *address, uint32_t mask, uint32_t distance)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        if ((mask >> lane & 1u) && (mask >> (lane ^ distance) & 1u) &&
            address[lane] != address[lane ^ distance])
            return false;
    return true;
}

/* Loads: two neighbouring phases of 8- or 16-byte lanes that pair up and do not conflict pass as
 * one; few lanes on one address pass at once. */
static gmsim_wavefronts reference_banks(const uint64_t *address, uint32_t mask, uint32_t size,
                                        gmsim_bank_use use)
{
    gmsim_wavefronts result = {0, 0};
    uint32_t lanes = size <= 4 ? 32 : size <= 8 ? 16 : size <= 16 ? 8 : 4;
    bool pairs = use == GMSIM_BANK_LOAD && (size == 8 || size == 16), same = mask != 0;
    for (uint32_t first = 0; first < 32; first += lanes) {
        uint32_t passes =
            reference_phase(address, first, lanes, mask, size, use == GMSIM_BANK_ATOMIC);
        result.actual += passes;
        result.ideal += passes != 0;
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        if (mask >> lane & 1u)
            same = same && address[lane] == address[__builtin_ctz(mask)];
    if (pairs && size == 16 && same && __builtin_popcount(mask) <= 16)
        result.actual = 1;
    else if (pairs)
        for (uint32_t first = 0; first < 32; first += 2 * lanes) {
            uint32_t in = mask & ((lanes == 16 ? 0xffffffffu : 0xffffu) << first);
            uint32_t apart = reference_phase(address, first, lanes, mask, size, false) +
                             reference_phase(address, first + lanes, lanes, mask, size, false);
            bool agree = reference_pairs(address, in, 1) || reference_pairs(address, in, 2);
            if (agree && apart > 1 &&
                reference_phase(address, first, 2 * lanes, mask, size, false) == 1)
                result.actual -= apart - 1;
        }
    result.ideal = MIN(result.ideal, result.actual);
    return result;
}

static void check_footprint(const gmsim_footprint *got, const gmsim_footprint *want)
{
    g_assert_cmpuint(got->lines, ==, want->lines);
    g_assert_cmpuint(got->sectors, ==, want->sectors);
    g_assert_cmpuint(got->bytes, ==, want->bytes);
    for (uint32_t i = 0; i < want->lines; i++) {
        g_assert_cmphex(got->line[i], ==, want->line[i]);
        g_assert_cmphex(got->touched[i], ==, want->touched[i]);
        g_assert_cmphex(got->full[i], ==, want->full[i]);
    }
}

/* ---------------------------------------------------------------------------- random records */

typedef struct random_record {
    gmtrace_record record;
    gmtrace_chunk chunk;
    uint32_t offset32[64];
    uint64_t address64[64];
} random_record;

static uint64_t random64(void)
{
    return (uint64_t)g_test_rand_int() << 32 ^ (uint64_t)(uint32_t)g_test_rand_int();
}

static uint32_t random_mask(void)
{
    switch (g_test_rand_int_range(0, 4)) {
    case 0:
        return GMSIM_ALL_LANES;
    case 1: { /* a run */
        uint32_t first = (uint32_t)g_test_rand_int_range(0, 32);
        uint32_t count = (uint32_t)g_test_rand_int_range(1, (gint32)(33 - first));
        return (count == 32 ? GMSIM_ALL_LANES : (1u << count) - 1u) << first;
    }
    case 2:
        return 1u << g_test_rand_int_range(0, 32);
    default: {
        uint32_t mask = (uint32_t)g_test_rand_int();
        return mask ? mask : 1u;
    }
    }
}

/* aligned: sizes and strides as CUDA code has them; otherwise anything. */
static void make_random(random_record *r, gmtrace_shape shape, bool aligned)
{
    static const int32_t steps[] = {0, 1, 1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 64, 1000};
    memset(r, 0, sizeof *r);
    gmtrace_record *record = &r->record;
    record->shape = (uint8_t)shape;
    record->mask = random_mask();
    record->size =
        (uint8_t)(aligned ? 1 << g_test_rand_int_range(0, 6) : g_test_rand_int_range(1, 33));
    int32_t unit = aligned ? record->size : 1;
    record->stride = unit * steps[g_test_rand_int_range(0, G_N_ELEMENTS(steps))];
    record->stride2 = unit * steps[g_test_rand_int_range(0, G_N_ELEMENTS(steps))];
    if (g_test_rand_bit())
        record->stride = -record->stride;
    if (g_test_rand_bit())
        record->stride2 = -record->stride2;
    record->log2_columns = (uint8_t)g_test_rand_int_range(1, 5);
    record->address = random64() >> g_test_rand_int_range(0, 60);
    if (g_test_rand_int_range(0, 16) == 0) /* near the top, so that lanes wrap around */
        record->address = UINT64_MAX - (random64() & 255u);
    record->address -= record->address % (uint64_t)unit;
    record->lanes = (uint32_t)g_test_rand_bit();
    uint32_t spread = 1u << g_test_rand_int_range(0, 14);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t offset = ((uint32_t)g_test_rand_int() % spread) * (uint32_t)unit;
        r->offset32[32u * record->lanes + i] = offset;
        r->address64[32u * record->lanes + i] = record->address + offset;
    }
    r->chunk.offset32 = r->offset32;
    r->chunk.address64 = r->address64;
}

/* The bytes of each line that the lanes ask for. */
static void check_line_bytes(const random_record *r, const gmsim_footprint *footprint,
                             const uint64_t address[32])
{
    uint64_t bytes[GMSIM_MAX_LINES][2], bits = 0;
    const uint64_t told = gmsim_line_bytes(bytes, footprint, &r->chunk, &r->record);
    for (uint32_t lane = 0; lane < 32; lane++)
        bits |= address[lane];
    g_assert_cmphex(told & 3u, ==, bits & 3u);
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t want[2] = {0, 0};
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t k = 0; r->record.mask >> lane & 1u && k < r->record.size; k++)
                if ((address[lane] + k) / 128u == footprint->line[i])
                    want[(address[lane] + k) / 64u % 2u] |= 1ull << (address[lane] + k) % 64u;
        g_assert_cmphex(bytes[i][0], ==, want[0]);
        g_assert_cmphex(bytes[i][1], ==, want[1]);
    }
}

static void test_random_footprints(void)
{
    for (int shape = GMTRACE_AFFINE; shape <= GMTRACE_FULL; shape++) {
        for (uint32_t i = 0; i < RANDOM_RECORDS; i++) {
            random_record r;
            uint64_t address[32];
            gmsim_footprint got, want;
            make_random(&r, (gmtrace_shape)shape, i % 4 != 0);
            gmsim_lane_addresses(&r.chunk, &r.record, address);
            reference_footprint(&want, address, r.record.mask, r.record.size);
            gmsim_coalesce(&got, &r.chunk, &r.record);
            check_footprint(&got, &want);
            check_line_bytes(&r, &got, address);
        }
    }
}

/* What is looked up is what is counted: at first, again, and some rows further on. */
static void check_again(gmsim_bank_memo *memo, random_record *r, gmsim_bank_use use,
                        gmsim_wavefronts want)
{
    for (uint32_t i = 0; i < 3; i++) {
        const gmsim_wavefronts got = gmsim_banks_again(memo, &r->chunk, &r->record, use, 0);
        g_assert_cmpuint(got.actual, ==, want.actual);
        g_assert_cmpuint(got.ideal, ==, want.ideal);
        if (i && r->record.shape != GMTRACE_FULL)
            r->record.address += 5u * 128u;
    }
}

/* Patterns that are nearly alike stand beside one another: further on by bytes, of other lanes, or
 * with another lane's offset. */
static void check_beside(gmsim_bank_memo *memo, random_record *r, gmsim_bank_use use, uint32_t how)
{
    uint32_t *offset = r->record.shape == GMTRACE_OFFSETS
                           ? &r->offset32[32u * r->record.lanes + gmsim_lowest(r->record.mask)]
                           : NULL;
    for (uint32_t i = 0; i < 512; i++) {
        const gmsim_wavefronts want = gmsim_banks(&r->chunk, &r->record, use, 0);
        const gmsim_wavefronts got = gmsim_banks_again(memo, &r->chunk, &r->record, use, 0);
        g_assert_cmpuint(got.actual, ==, want.actual);
        g_assert_cmpuint(got.ideal, ==, want.ideal);
        if (how == 1)
            r->record.mask = (uint32_t)g_test_rand_int() | 1u;
        else if (how == 2 && offset)
            *offset += 4u;
        else
            r->record.address++;
    }
}

static void test_random_banks(void)
{
    static gmsim_bank_memo memo;
    static const gmsim_bank_use uses[] = {GMSIM_BANK_LOAD, GMSIM_BANK_STORE, GMSIM_BANK_ATOMIC};
    for (int shape = GMTRACE_AFFINE; shape <= GMTRACE_FULL; shape++) {
        for (uint32_t i = 0; i < RANDOM_RECORDS; i++) {
            random_record r;
            uint64_t address[32];
            gmsim_bank_use use = uses[i % 3];
            make_random(&r, (gmtrace_shape)shape, i % 4 != 0);
            gmsim_lane_addresses(&r.chunk, &r.record, address);
            gmsim_wavefronts want = reference_banks(address, r.record.mask, r.record.size, use);
            gmsim_wavefronts got = gmsim_banks(&r.chunk, &r.record, use, 0);
            g_assert_cmpuint(got.actual, ==, want.actual);
            g_assert_cmpuint(got.ideal, ==, want.ideal);
            check_again(&memo, &r, use, want);
            if (i % 16 < 3 && shape != GMTRACE_FULL)
                check_beside(&memo, &r, use, i % 16);
        }
    }
}

#define LOCAL_WINDOW (5ull << 20)

/* Each byte of each line, counted from the lanes' own addresses. */
static void check_local_bytes(const random_record *r, const gmsim_footprint *footprint,
                              const uint64_t piece[32], uint32_t pass)
{
    uint64_t bytes[GMSIM_MAX_LINES][2];
    gmsim_local_bytes(bytes, footprint, &r->chunk, &r->record, LOCAL_WINDOW, pass);
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint64_t want[2] = {0, 0};
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t k = 0; r->record.mask >> lane & 1u && k < MIN(r->record.size, 4u); k++)
                if ((piece[lane] + k) / 128u == footprint->line[i])
                    want[(piece[lane] + k) / 64u % 2u] |= 1ull << (piece[lane] + k) % 64u;
        g_assert_cmphex(bytes[i][0], ==, want[0]);
        g_assert_cmphex(bytes[i][1], ==, want[1]);
    }
}

static void test_random_local(void)
{
    const uint64_t window = LOCAL_WINDOW;
    for (uint32_t i = 0; i < RANDOM_RECORDS; i++) {
        random_record r;
        uint64_t offset[32], piece[32];
        make_random(&r, i % 2 ? GMTRACE_AFFINE : GMTRACE_OFFSETS, true);
        r.record.address &= 0xffff0u;
        r.record.address -= r.record.address % r.record.size;
        gmsim_lane_addresses(&r.chunk, &r.record, offset);
        uint32_t passes = r.record.size > 4 ? r.record.size / 4u : 1;
        g_assert_cmpuint(gmsim_local_passes(&r.record), ==, passes);
        for (uint32_t pass = 0; pass < passes; pass++) {
            gmsim_footprint got, want;
            for (uint32_t lane = 0; lane < 32; lane++) {
                uint64_t word = offset[lane] / 4 + pass;
                piece[lane] = window + (word * 32 + lane) * 4 + offset[lane] % 4;
            }
            reference_footprint(&want, piece, r.record.mask, MIN(r.record.size, 4u));
            gmsim_coalesce_local(&got, &r.chunk, &r.record, window, pass);
            check_footprint(&got, &want);
            check_local_bytes(&r, &got, piece, pass);
        }
    }
}

/* ---------------------------------------------------------------------------- worked by hand */

static void expect(gmtrace_record record, uint32_t lines, uint32_t sectors, uint32_t ideal)
{
    gmsim_footprint f;
    gmsim_coalesce(&f, NULL, &record);
    g_assert_cmpuint(f.lines, ==, lines);
    g_assert_cmpuint(f.sectors, ==, sectors);
    g_assert_cmpuint(gmsim_sectors_ideal(&f), ==, ideal);
}

static void test_coalesce(void)
{
    const uint32_t all = GMSIM_ALL_LANES;
    /* Contiguous, by width: 1, 1, 4, 8, 16 and 32 sectors. */
    expect(affine(0x10000, 1, 1, all), 1, 1, 1);
    expect(affine(0x10000, 2, 2, all), 1, 2, 2);
    expect(affine(0x10000, 4, 4, all), 1, 4, 4);
    expect(affine(0x10000, 8, 8, all), 2, 8, 8);
    expect(affine(0x10000, 16, 16, all), 4, 16, 16);
    expect(affine(0x10000, 32, 32, all), 8, 32, 32);
    /* The same backwards: lane 0 at the top. */
    expect(affine(0x1007c, -4, 4, all), 1, 4, 4);
    /* Shifted by one element: a fifth sector, a second line. */
    expect(affine(0x10004, 4, 4, all), 2, 5, 4);
    expect(affine(0x10060, 4, 4, all), 2, 4, 4);
    /* Unaligned bytes: 4 bytes a lane from an odd address. */
    expect(affine(0x10001, 4, 4, all), 2, 5, 4);
    expect(affine(0x1007e, 0, 4, all), 2, 2, 1);
    /* One address, one lane, half a warp. */
    expect(affine(0x10000, 0, 4, all), 1, 1, 1);
    expect(affine(0x10000, 4, 4, 1u << 31), 1, 1, 1);
    expect(affine(0x10000, 4, 4, 0xffff), 1, 2, 2);
    expect(affine(0x10000, 4, 4, 0x55555555), 1, 4, 2);
    /* Every second float, every 8th, every 32nd. */
    expect(affine(0x10000, 8, 4, all), 2, 8, 4);
    expect(affine(0x10000, 32, 4, all), 8, 32, 4);
    expect(affine(0x10000, 128, 4, all), 32, 32, 4);
    expect(affine(0x10000, 4096, 16, all), 32, 32, 16);
    /* Stride 12: 3-float structures, one member. */
    expect(affine(0x10000, 12, 4, all), 3, 12, 4);
    /* Wraps around the top of the address space: the last line and line 0. */
    expect(affine(UINT64_MAX - 63, 4, 4, all), 2, 4, 4);

    gmsim_footprint f;
    gmtrace_record record = affine(0x10010, 4, 4, all);
    gmsim_coalesce(&f, NULL, &record);
    g_assert_cmphex(f.line[0], ==, 0x200);
    g_assert_cmphex(f.touched[0], ==, 0xf);
    g_assert_cmphex(f.full[0], ==, 0xe);
    g_assert_cmphex(f.touched[1], ==, 0x1);
    g_assert_cmphex(f.full[1], ==, 0x0);
    gmsim_coalesce_range(&f, 0x10020, 0x100);
    g_assert_cmpuint(f.lines, ==, 3);
    g_assert_cmpuint(f.sectors, ==, 8);
    g_assert_cmphex(f.full[0], ==, 0xe);
    g_assert_cmphex(f.full[2], ==, 0x1);
}

static void expect_banks(gmtrace_record record, gmsim_bank_use use, uint32_t actual, uint32_t ideal)
{
    gmsim_wavefronts w = gmsim_banks(NULL, &record, use, 4);
    g_assert_cmpuint(w.actual, ==, actual);
    g_assert_cmpuint(w.ideal, ==, ideal);
}

static void test_banks(void)
{
    const uint32_t all = GMSIM_ALL_LANES;
    static const gmsim_bank_use both[] = {GMSIM_BANK_LOAD, GMSIM_BANK_STORE};
    for (uint32_t i = 0; i < 2; i++) {
        gmsim_bank_use use = both[i];
        /* Strides in words: the greatest common divisor with 32. */
        expect_banks(affine(64, 4, 4, all), use, 1, 1);
        expect_banks(affine(64, 8, 4, all), use, 2, 1);
        expect_banks(affine(64, 12, 4, all), use, 1, 1);
        expect_banks(affine(64, 24, 4, all), use, 2, 1);
        expect_banks(affine(64, 128, 4, all), use, 32, 1);
        expect_banks(affine(64, 132, 4, all), use, 1, 1);
        expect_banks(affine(64, -128, 4, all), use, 32, 1);
        expect_banks(affine(64, 128, 4, 0xffff), use, 16, 1);
        expect_banks(affine(64, 128, 4, 0x11111111), use, 8, 1);
        expect_banks(affine(64, 0, 4, all), use, 1, 1);
        /* Bytes and halves of one word are served together. */
        expect_banks(affine(64, 1, 1, all), use, 1, 1);
        expect_banks(affine(64, 2, 2, all), use, 1, 1);
        expect_banks(affine(64, 4, 1, all), use, 1, 1);
        expect_banks(affine(64, 128, 2, all), use, 32, 1);
        expect_banks(affine(64, 6, 2, all), use, 2, 1); /* 47 words over 32 banks */
        /* Wide: two and four phases. */
        expect_banks(affine(64, 8, 8, all), use, 2, 2);
        expect_banks(affine(64, 16, 8, all), use, 4, 2);
        expect_banks(affine(64, 16, 16, all), use, 4, 4);
        expect_banks(affine(64, 32, 16, all), use, 8, 4);
        expect_banks(affine(64, 128, 16, all), use, 32, 4);
        /* Phases without lanes cost nothing. */
        expect_banks(affine(64, 16, 16, 0xff), use, 1, 1);
        expect_banks(affine(64, 8, 8, 0xffff0000), use, 1, 1);
    }
    /* The whole warp on one address: 2 wavefronts for 16 bytes (measured on an H200). */
    expect_banks(affine(64, 0, 16, all), GMSIM_BANK_LOAD, 2, 2);
    /* Each half warp on one address: the same. */
    gmtrace_record halves = {.address = 64,
                             .stride2 = 512,
                             .shape = GMTRACE_GRID,
                             .log2_columns = 4,
                             .size = 16,
                             .mask = all};
    expect_banks(halves, GMSIM_BANK_LOAD, 2, 2);
    /* Rows of 8 matrices: contiguous rows are free of conflicts, rows 128 bytes apart are not. */
    expect_banks(affine(0, 16, 16, all), GMSIM_BANK_MATRIX, 4, 4);
    expect_banks(affine(0, 128, 16, all), GMSIM_BANK_MATRIX, 32, 4);
    expect_banks(affine(0, 144, 16, all), GMSIM_BANK_MATRIX, 4, 4);
    gmtrace_record two = affine(0, 128, 16, all);
    g_assert_cmpuint(gmsim_banks(NULL, &two, GMSIM_BANK_MATRIX, 2).actual, ==, 16);
    g_assert_cmpuint(gmsim_banks(NULL, &two, GMSIM_BANK_MATRIX, 1).actual, ==, 8);
    /* Atomics on one word take turns. */
    expect_banks(affine(64, 0, 4, all), GMSIM_BANK_ATOMIC, 32, 1);
    expect_banks(affine(64, 4, 4, all), GMSIM_BANK_ATOMIC, 1, 1);
}

static void expect_local(gmtrace_record record, uint32_t lines, uint32_t sectors)
{
    uint32_t all_lines = 0, all_sectors = 0;
    for (uint32_t pass = 0; pass < gmsim_local_passes(&record); pass++) {
        gmsim_footprint f;
        gmsim_coalesce_local(&f, NULL, &record, 1u << 20, pass);
        all_lines += f.lines;
        all_sectors += f.sectors;
    }
    g_assert_cmpuint(all_lines, ==, lines);
    g_assert_cmpuint(all_sectors, ==, sectors);
}

static void test_local(void)
{
    const uint32_t all = GMSIM_ALL_LANES;
    expect_local(affine(8, 0, 4, all), 1, 4);    /* one word of each lane: one line */
    expect_local(affine(16, 0, 16, all), 4, 16); /* four words: four lines */
    expect_local(affine(16, 0, 8, all), 2, 8);
    expect_local(affine(3, 0, 1, all), 1, 4); /* a byte of each lane's word */
    expect_local(affine(8, 0, 4, 0xff), 1, 1);
    expect_local(affine(0, 4, 4, all), 32, 32); /* each lane its own element */
    expect_local(affine(0, 16, 16, all), 128, 128);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/patterns/coalesce", test_coalesce);
    g_test_add_func("/patterns/banks", test_banks);
    g_test_add_func("/patterns/local", test_local);
    g_test_add_func("/patterns/random/footprints", test_random_footprints);
    g_test_add_func("/patterns/random/banks", test_random_banks);
    g_test_add_func("/patterns/random/local", test_random_local);
    return g_test_run();
}
