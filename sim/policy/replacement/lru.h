/* SPDX-License-Identifier: MIT
 *
 * lru.h - the least recently used line leaves. A way's byte is the time of its last use by the
 * set's clock, 0 where it is empty: empty ways count as the oldest.
 */
#ifndef GMSIM_LRU_H
#define GMSIM_LRU_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The clock no longer fits a byte: times become ranks. Seldom, and out of the way. */
static __attribute__((noinline, unused)) void gmsim_lru_rank(gmsim_lines lines)
{
    uint8_t rank[32];
    for (uint32_t i = 0; i < lines.room; i++) {
        rank[i] = lines.way[i] != 0;
        for (uint32_t k = 0; k < lines.room; k++)
            rank[i] = (uint8_t)(rank[i] + (lines.way[k] && lines.way[k] < lines.way[i]));
    }
    for (uint32_t i = 0; i < lines.room; i++)
        lines.way[i] = rank[i];
    *lines.set = lines.ways;
}

static inline void gmsim_lru_use(gmsim_lines lines, uint32_t way)
{
    if (*lines.set == UINT8_MAX)
        gmsim_lru_rank(lines);
    lines.way[way] = (uint8_t)++ * lines.set;
}

static inline void gmsim_lru_fill(gmsim_lines lines, uint32_t way)
{
    gmsim_lru_use(lines, way);
}

/* Of the first so many ways, which may be empty. */
static inline uint32_t gmsim_lru_oldest(gmsim_lines lines, uint32_t ways)
{
#ifdef __SSE2__
    if (ways == 16u) {
        __m128i all = _mm_loadu_si128((const __m128i *)(const void *)lines.way);
        __m128i least = _mm_min_epu8(all, _mm_srli_si128(all, 8));
        least = _mm_min_epu8(least, _mm_srli_si128(least, 4));
        least = _mm_min_epu8(least, _mm_srli_si128(least, 2));
        least = _mm_min_epu8(least, _mm_srli_si128(least, 1));
        __m128i want = _mm_set1_epi8((char)_mm_cvtsi128_si32(least));
        return (uint32_t)__builtin_ctz((uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, want)));
    }
    if (ways == 32u) {
        __m128i low = _mm_loadu_si128((const __m128i *)(const void *)lines.way);
        __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(lines.way + 16));
        __m128i least = _mm_min_epu8(low, high);
        least = _mm_min_epu8(least, _mm_srli_si128(least, 8));
        least = _mm_min_epu8(least, _mm_srli_si128(least, 4));
        least = _mm_min_epu8(least, _mm_srli_si128(least, 2));
        least = _mm_min_epu8(least, _mm_srli_si128(least, 1));
        __m128i want = _mm_set1_epi8((char)_mm_cvtsi128_si32(least));
        uint32_t found = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, want)) |
                         (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, want)) << 16;
        return (uint32_t)__builtin_ctz(found);
    }
    if (lines.ways == 8u) {
        uint64_t bytes;
        memcpy(&bytes, lines.way, sizeof bytes);
        bytes |= ways < 8u ? UINT64_MAX << 8u * ways : 0; /* the others are no candidates */
        __m128i all = _mm_cvtsi64_si128((long long)bytes);
        __m128i least = _mm_min_epu8(all, _mm_srli_epi64(all, 32));
        least = _mm_min_epu8(least, _mm_srli_epi64(least, 16));
        least = _mm_min_epu8(least, _mm_srli_epi64(least, 8));
        __m128i want = _mm_set1_epi8((char)_mm_cvtsi128_si32(least));
        return (uint32_t)__builtin_ctz((uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, want)));
    }
#endif
    if (ways == 4u) {
        const uint8_t *age = lines.way;
        const uint32_t low = age[1] < age[0], high = age[3] < age[2];
        const uint32_t of_low = age[1] < age[0] ? age[1] : age[0];
        const uint32_t of_high = age[3] < age[2] ? age[3] : age[2];
        return of_high < of_low ? 2u + high : low;
    }
    uint32_t oldest = 0;
    for (uint32_t way = 1; way < ways; way++)
        oldest = lines.way[way] < lines.way[oldest] ? way : oldest;
    return oldest;
}

static inline uint32_t gmsim_lru_victim(gmsim_lines lines, uint32_t candidates)
{
    uint32_t oldest = (uint32_t)__builtin_ctz(candidates);
    for (uint32_t left = candidates; left; left &= left - 1u) {
        uint32_t way = (uint32_t)__builtin_ctz(left);
        oldest = lines.way[way] < lines.way[oldest] ? way : oldest;
    }
    return oldest;
}

#endif
