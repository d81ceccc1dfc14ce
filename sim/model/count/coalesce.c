/* SPDX-License-Identifier: MIT
 *
 * coalesce.c - the coalescer: one warp instruction is one request of any width; its lanes'
 * addresses become distinct 128-byte lines (tags) and distinct 32-byte sectors. Inactive lanes
 * contribute nothing, lanes on the same bytes merge, a naturally misaligned lane counts in every
 * sector it touches. There is no half- or quarter-warp split on compute capability 7.0 and later
 * (Nsight Compute profiling guide, "Memory Tables").
 *
 * "Ideal" sectors are the distinct bytes divided by 32, rounded up: what the same data would cost
 * if it lay packed and aligned.
 *
 * Left out: the stages of the tag pipe (4 tags a clock, their set conflicts), which cost time but
 * change no count.
 */
#include "sim/model/count/coalesce.h"

#include "sim/model/count/lanes.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LINE_SHIFT   7u
#define SECTOR_SHIFT 5u

/* Open-addressed table from a line number to its place in the footprint, plus one. 128 slots for at
 * most 64 lines: half empty at worst. */
#define TABLE_BITS 7u
#define TABLE_SIZE (1u << TABLE_BITS)

typedef struct gather {
    uint64_t *line; /* the footprint's */
    uint32_t lines;
    uint8_t slot[TABLE_SIZE];
    uint64_t bytes[GMSIM_MAX_LINES][2]; /* one bit a byte, 64 bytes a word */
} gather;

/* Inlined into loops that keep `lines` in a register: stores of bytes may alias anything, and would
 * make the compiler reload it. */
static inline uint32_t find_or_add(gather *g, uint32_t *lines, uint64_t line)
{
    uint32_t at = (uint32_t)((line * 0x9e3779b97f4a7c15u) >> (64u - TABLE_BITS));
    for (;;) {
        uint32_t found = g->slot[at];
        if (found == 0) {
            found = (*lines)++;
            g->line[found] = line;
            g->bytes[found][0] = g->bytes[found][1] = 0;
            g->slot[at] = (uint8_t)(found + 1u);
            return found;
        }
        if (g->line[found - 1u] == line)
            return found - 1u;
        at = (at + 1u) & (TABLE_SIZE - 1u);
    }
}

static uint32_t count_bits(uint64_t word)
{
    return gmsim_lane_count((uint32_t)word) + gmsim_lane_count((uint32_t)(word >> 32));
}

/* Touched and full sectors of a line from its byte masks. */
static inline void sector_masks(const uint64_t bytes[2], uint8_t *touched, uint8_t *full)
{
#ifdef __SSE2__
    __m128i four = _mm_loadu_si128((const __m128i *)bytes);
    __m128i none = _mm_cmpeq_epi32(four, _mm_setzero_si128());
    __m128i all = _mm_cmpeq_epi32(four, _mm_set1_epi32(-1));
    *touched = (uint8_t)(_mm_movemask_ps(_mm_castsi128_ps(none)) ^ 0xf);
    *full = (uint8_t)_mm_movemask_ps(_mm_castsi128_ps(all));
#else
    uint32_t part[4] = {(uint32_t)bytes[0], (uint32_t)(bytes[0] >> 32), (uint32_t)bytes[1],
                        (uint32_t)(bytes[1] >> 32)};
    uint32_t some = 0, whole = 0;
    for (uint32_t s = 0; s < GMSIM_LINE_SECTORS; s++) {
        some |= (uint32_t)(part[s] != 0) << s;
        whole |= (uint32_t)(part[s] == UINT32_MAX) << s;
    }
    *touched = (uint8_t)some;
    *full = (uint8_t)whole;
#endif
}

static void finish(const gather *g, gmsim_footprint *f)
{
    uint32_t sectors = 0, lines = g->lines;
    for (uint32_t i = 0; i < lines; i++) {
        sector_masks(g->bytes[i], &f->touched[i], &f->full[i]);
        sectors += gmsim_sector_count(f->touched[i]);
    }
    f->lines = lines;
    f->sectors = sectors;
}

/* Lanes whose size is a power of two and whose addresses are multiples of it: no lane straddles,
 * and two lanes share either all their bytes or none. Returns distinct bytes. */
static uint32_t add_aligned(gather *g, const uint64_t *address, uint32_t mask, uint32_t size)
{
    uint64_t ones = (1ull << size) - 1u, previous = UINT64_MAX; /* no line number is that large */
    uint32_t slot = 0, distinct = 0, lines = 0;
    for (; mask; mask &= mask - 1u) {
        uint64_t a = address[gmsim_lowest(mask)], line = a >> LINE_SHIFT;
        if (line != previous) {
            slot = find_or_add(g, &lines, line);
            previous = line;
        }
        uint64_t *word = &g->bytes[slot][(a >> 6) & 1u], old = *word;
        distinct += !(old >> (a & 63u) & 1u);
        *word = old | ones << (a & 63u);
    }
    g->lines = lines;
    return distinct * size;
}

/* Lanes anyhow, in pieces that stay within 64 bytes. Returns distinct bytes. */
static uint32_t add_unaligned(gather *g, const uint64_t *address, uint32_t mask, uint32_t size)
{
    uint32_t distinct = 0, lines = 0;
    for (; mask; mask &= mask - 1u) {
        uint64_t a = address[gmsim_lowest(mask)];
        for (uint32_t left = size; left;) {
            uint32_t at = (uint32_t)(a & 63u), piece = left < 64u - at ? left : 64u - at;
            uint64_t *word = &g->bytes[find_or_add(g, &lines, a >> LINE_SHIFT)][(a >> 6) & 1u];
            uint64_t want = ((1ull << piece) - 1u) << at;
            distinct += count_bits(want & ~*word);
            *word |= want;
            a += piece;
            left -= piece;
        }
    }
    g->lines = lines;
    return distinct;
}

static void begin(gather *g, gmsim_footprint *f)
{
    g->line = f->line;
    memset(g->slot, 0, sizeof g->slot);
}

void gmsim_coalesce_lanes(gmsim_footprint *footprint, const uint64_t address[GMTRACE_WARP_LANES],
                          uint64_t bits, uint32_t mask, uint32_t size)
{
    gather g;
    bool aligned = (size & (size - 1u)) == 0 && (bits & (size - 1u)) == 0;
    begin(&g, footprint);
    footprint->bytes =
        aligned ? add_aligned(&g, address, mask, size) : add_unaligned(&g, address, mask, size);
    finish(&g, footprint);
}

/* GRID whose rows are contiguous or one address each, all lanes active: the blocks of a 2-D CTA. */
static bool coalesce_rows(gmsim_footprint *f, const gmtrace_record *record)
{
    uint32_t size = record->size, rows = 32u >> record->log2_columns;
    if (record->mask != GMSIM_ALL_LANES || (size & (size - 1u)) ||
        ((record->address | (uint64_t)(int64_t)record->stride2) & (size - 1u)) ||
        (record->stride != 0 && record->stride != (int32_t)size))
        return false;
    uint32_t length = record->stride ? size << record->log2_columns : size;
    uint64_t row = record->address;
    uint32_t distinct = 0, lines = 0;
    gather g;
    begin(&g, f);
    for (uint32_t i = 0; i < rows; i++, row += (uint64_t)(int64_t)record->stride2) {
        uint64_t a = row;
        for (uint32_t left = length; left;) {
            uint32_t at = (uint32_t)(a & 63u), piece = left < 64u - at ? left : 64u - at;
            uint64_t *word = &g.bytes[find_or_add(&g, &lines, a >> LINE_SHIFT)][(a >> 6) & 1u];
            uint64_t want = (UINT64_MAX >> (64u - piece)) << at, new = want & ~*word;
            distinct += new == want ? piece : count_bits(new);
            *word |= want;
            a += piece;
            left -= piece;
        }
    }
    g.lines = lines;
    f->bytes = distinct;
    finish(&g, f);
    return true;
}

/* The bytes first to last, both counted, without wrapping; all of them asked for when `dense`,
 * else at least one of each sector and no sector whole. */
static inline void add_range(gmsim_footprint *f, uint64_t first, uint64_t last, bool dense,
                             bool downward)
{
    uint64_t low = first >> LINE_SHIFT, high = last >> LINE_SHIFT;
    uint32_t lines = (uint32_t)(high - low) + 1u;
    uint64_t sector0 = first >> SECTOR_SHIFT, sector1 = last >> SECTOR_SHIFT;
    uint32_t head = (uint32_t)sector0 & 3u, tail = 3u - ((uint32_t)sector1 & 3u);
    uint32_t whole_head = head + ((first & 31u) != 0), whole_tail = tail + ((last & 31u) != 31u);
    uint32_t at_low = downward ? lines - 1u : 0, at_high = downward ? 0 : lines - 1u;
    f->lines = lines;
    f->sectors = (uint32_t)(sector1 - sector0) + 1u;
    for (uint32_t i = 0; i < lines; i++)
        f->line[i] = downward ? high - i : low + i;
    const uint64_t eight = 0x0f0f0f0f0f0f0f0fu, whole = dense ? eight : 0;
    for (uint32_t i = 0; i < lines; i += 8u) {
        memcpy(f->touched + i, &eight, sizeof eight);
        memcpy(f->full + i, &whole, sizeof whole);
    }
    f->touched[at_low] &= (uint8_t)(0xfu << head);
    f->full[at_low] &= (uint8_t)(0xfu << whole_head);
    f->touched[at_high] &= (uint8_t)(0xfu >> tail);
    f->full[at_high] &= (uint8_t)(0xfu >> whole_tail);
}

void gmsim_coalesce_range(gmsim_footprint *footprint, uint64_t first, uint64_t bytes)
{
    footprint->bytes = (uint32_t)bytes;
    add_range(footprint, first, first + bytes - 1u, true, false);
}

/* AFFINE, aligned, stride of more than 32 bytes: each lane has sectors of its own, and the lines
 * come in order. */
static void add_sparse(gmsim_footprint *f, const gmtrace_record *record)
{
    uint32_t lines = 0, lanes = 0, full = record->size == GMSIM_SECTOR_BYTES ? 1u : 0;
    uint64_t previous = UINT64_MAX;
    for (uint32_t mask = record->mask; mask; mask &= mask - 1u, lanes++) {
        uint64_t a = gmsim_affine_address(record, gmsim_lowest(mask)), line = a >> LINE_SHIFT;
        uint32_t sector = (uint32_t)(a >> SECTOR_SHIFT) & 3u;
        if (line == previous) {
            f->touched[lines - 1u] |= (uint8_t)(1u << sector);
            f->full[lines - 1u] |= (uint8_t)(full << sector);
            continue;
        }
        previous = line;
        f->line[lines] = line;
        f->touched[lines] = (uint8_t)(1u << sector);
        f->full[lines++] = (uint8_t)(full << sector);
    }
    f->lines = lines;
    f->sectors = lanes;
    f->bytes = lanes * record->size;
}

/* True when the record was coalesced in closed form. */
static bool coalesce_affine(gmsim_footprint *f, const gmtrace_record *record)
{
    uint32_t size = record->size;
    int64_t stride = record->stride;
    uint64_t step = (uint64_t)(stride < 0 ? -stride : stride);
    bool aligned = (size & (size - 1u)) == 0 && ((record->address | step) & (size - 1u)) == 0;
    unsigned first = gmsim_lowest(record->mask), last = gmsim_highest(record->mask);
    uint64_t span = step * (last - first), from = gmsim_affine_address(record, first);
    uint64_t to = gmsim_affine_address(record, last), low = stride < 0 ? to : from;
    if (low + span + size - 1u < low)
        return false; /* wraps around 2^64 */
    if (step > GMSIM_SECTOR_BYTES && aligned) {
        add_sparse(f, record);
        return true;
    }
    if (step > GMSIM_SECTOR_BYTES || (stride < 0 && !aligned))
        return false;
    if (step != 0 && !gmsim_is_run(record->mask))
        return false;
    bool dense = step <= size;
    f->bytes = dense ? (uint32_t)span + size : (last - first + 1u) * size;
    add_range(f, low, low + span + size - 1u, dense, stride < 0);
    return true;
}

void gmsim_coalesce(gmsim_footprint *footprint, const gmtrace_chunk *chunk,
                    const gmtrace_record *record)
{
    if (record->shape == GMTRACE_AFFINE) {
        uint32_t size = record->size;
        if (record->mask == GMSIM_ALL_LANES && record->stride == (int32_t)size &&
            record->address + 32u * size > record->address) {
            footprint->bytes = 32u * size;
            add_range(footprint, record->address, record->address + 32u * size - 1u, true, false);
            return;
        }
        if (coalesce_affine(footprint, record))
            return;
    }
    if (record->shape == GMTRACE_GRID && coalesce_rows(footprint, record))
        return;
    uint64_t address[GMTRACE_WARP_LANES];
    uint64_t bits = gmsim_lane_addresses(chunk, record, address);
    gmsim_coalesce_lanes(footprint, address, bits, record->mask, record->size);
}

/* Bytes of a line from the `first` to the `last`, both counted: those of one of its two words. */
static uint64_t bytes_between(uint32_t first, uint32_t last, uint32_t word)
{
    const uint32_t begin = 64u * word, end = begin + 63u;
    if (first > end || last < begin)
        return 0;
    const uint32_t low = first > begin ? first - begin : 0, high = last < end ? last - begin : 63u;
    return UINT64_MAX >> (63u - high) & UINT64_MAX << low;
}

/* Lanes side by side: the bytes from the first to the last. */
static bool line_bytes_of_run(uint64_t (*bytes)[2], const gmsim_footprint *footprint,
                              const gmtrace_record *record)
{
    if (record->shape != GMTRACE_AFFINE || record->stride <= 0 || record->stride > record->size ||
        !gmsim_is_run(record->mask))
        return false;
    const uint64_t from = gmsim_affine_address(record, gmsim_lowest(record->mask));
    const uint64_t to =
        gmsim_affine_address(record, gmsim_highest(record->mask)) + record->size - 1u;
    if (to < from)
        return false;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        const uint64_t begin = footprint->line[i] << LINE_SHIFT,
                       end = begin + GMSIM_LINE_BYTES - 1u;
        const uint32_t first = (uint32_t)((from > begin ? from : begin) & (GMSIM_LINE_BYTES - 1u));
        const uint32_t last = (uint32_t)((to < end ? to : end) & (GMSIM_LINE_BYTES - 1u));
        for (uint32_t w = 0; w < 2u; w++)
            bytes[i][w] = from <= end && to >= begin ? bytes_between(first, last, w) : 0;
    }
    return true;
}

uint64_t gmsim_line_bytes(uint64_t (*bytes)[2], const gmsim_footprint *footprint,
                          const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    uint64_t address[GMTRACE_WARP_LANES];
    uint32_t at = 0, lines = footprint->lines;
    if (line_bytes_of_run(bytes, footprint, record))
        return gmsim_affine_address(record, 0) | gmsim_affine_address(record, 1) |
               gmsim_affine_address(record, 2) | gmsim_affine_address(record, 3); /* of 32 alike */
    memset(bytes, 0, lines * sizeof *bytes);
    uint64_t bits = gmsim_lane_addresses(chunk, record, address);
    for (uint32_t mask = record->mask; mask; mask &= mask - 1u) {
        uint64_t a = address[gmsim_lowest(mask)];
        for (uint32_t left = record->size; left;) {
            uint32_t low = (uint32_t)(a & 63u), piece = left < 64u - low ? left : 64u - low;
            for (uint32_t n = 0; footprint->line[at] != a >> LINE_SHIFT && n < lines; n++)
                at = at + 1u < lines ? at + 1u : 0;
            if (footprint->line[at] == a >> LINE_SHIFT)
                bytes[at][(a >> 6) & 1u] |= (UINT64_MAX >> (64u - piece)) << low;
            a += piece;
            left -= piece;
        }
    }
    return bits;
}
