/* SPDX-License-Identifier: MIT
 *
 * random.h - any line leaves. The cache's word is the state of a linear congruential generator
 * (Knuth's MMIX), so that every run draws the same.
 */
#ifndef GMSIM_RANDOM_H
#define GMSIM_RANDOM_H

static inline void gmsim_random_use(gmsim_lines lines, uint32_t way)
{
    (void)lines, (void)way;
}

static inline void gmsim_random_fill(gmsim_lines lines, uint32_t way)
{
    (void)lines, (void)way;
}

static inline uint32_t gmsim_random_victim(gmsim_lines lines, uint32_t candidates)
{
    *lines.cache = *lines.cache * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t count = (uint64_t)__builtin_popcount(candidates);
    for (uint64_t skip = (*lines.cache >> 32) * count >> 32; skip; skip--)
        candidates &= candidates - 1u;
    return (uint32_t)__builtin_ctz(candidates);
}

#endif
