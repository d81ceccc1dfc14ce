/* SPDX-License-Identifier: MIT
 *
 * pattern.c - explains one request from its lanes' addresses. The 64- and 128-bit phase rules are
 * the model's business; here words are counted over the whole request.
 */
#include "sim/analysis/pattern.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS (GMTRACE_WARP_LANES * 8u) /* 32 bytes a lane */

static int compare_addresses(const void *left, const void *right)
{
    uint64_t a, b;

    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return (a > b) - (a < b);
}

/* Sorts and drops doubles; returns how many are left. */
static unsigned make_unique(uint64_t *value, unsigned count)
{
    unsigned kept = 0;

    qsort(value, count, sizeof *value, compare_addresses);
    for (unsigned i = 0; i < count; i++) {
        if (i == 0 || value[i] != value[kept - 1])
            value[kept++] = value[i];
    }
    return kept;
}

static void find_stride(const gmsim_worst *worst, gmsim_pattern *pattern)
{
    unsigned first = 0, second;

    pattern->strided = true;
    if (pattern->lanes < 2)
        return;
    while (!(worst->mask >> first & 1u))
        first++;
    for (second = first + 1; !(worst->mask >> second & 1u);)
        second++;
    pattern->stride =
        (int64_t)(worst->address[second] - worst->address[first]) / (int64_t)(second - first);
    for (unsigned i = first; i < GMTRACE_WARP_LANES; i++) {
        uint64_t expected = worst->address[first] + (uint64_t)pattern->stride * (i - first);

        if ((worst->mask >> i & 1u) && worst->address[i] != expected) {
            pattern->strided = false;
            return;
        }
    }
}

void gmsim_pattern_of(const gmsim_worst *worst, gmsim_pattern *pattern)
{
    uint64_t word[MAX_WORDS], address[GMTRACE_WARP_LANES], sector[MAX_WORDS], line[MAX_WORDS];
    unsigned words = 0, size = CLAMP(worst->size, 1u, 32u);

    memset(pattern, 0, sizeof *pattern);
    memset(pattern->lane_bank, 0xff, sizeof pattern->lane_bank);
    memset(pattern->lane_sector, 0xff, sizeof pattern->lane_sector);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        uint64_t first, last;

        if (!(worst->mask >> i & 1u))
            continue;
        address[pattern->lanes++] = worst->address[i];
        pattern->lane_bank[i] = (uint8_t)(worst->address[i] / 4 % GMSIM_BANKS);
        first = worst->address[i] / 4;
        last = first + (worst->address[i] % 4 + size - 1) / 4;
        for (uint64_t w = first; w - first <= last - first && words < MAX_WORDS; w++)
            word[words++] = w;
    }
    if (pattern->lanes == 0)
        return;
    find_stride(worst, pattern);
    pattern->addresses = make_unique(address, pattern->lanes);
    words = make_unique(word, words);
    for (unsigned i = 0; i < words; i++) {
        pattern->words[word[i] % GMSIM_BANKS]++;
        sector[i] = word[i] * 4 / GMSIM_SECTOR_BYTES;
        line[i] = word[i] * 4 / GMSIM_LINE_BYTES;
    }
    for (unsigned bank = 0; bank < GMSIM_BANKS; bank++) {
        pattern->banks += pattern->words[bank] > 0;
        if (pattern->words[bank] > pattern->words[pattern->worst_bank])
            pattern->worst_bank = bank;
    }
    pattern->sectors = make_unique(sector, words);
    pattern->lines = make_unique(line, words);
    pattern->misaligned = (unsigned)(address[0] % GMSIM_SECTOR_BYTES);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        if (!(worst->mask >> i & 1u))
            continue;
        for (unsigned s = 0; s < pattern->sectors; s++) {
            if (sector[s] == worst->address[i] / GMSIM_SECTOR_BYTES)
                pattern->lane_sector[i] = (uint8_t)s;
        }
    }
}
