/* SPDX-License-Identifier: MIT
 *
 * l1.c - L1: sectored, write-through, one an SM, empty when a kernel starts. Rules, as measured on
 * an H200:
 *
 * - A load sector hits when its line's tag is present and the sector is valid or on its way; a miss
 *   fetches the missing sectors alone (micro/cache_probe.cu: sector; micro/merge.cu: warps).
 * - Usable size: what the carve-out leaves, less gpu.l1_reserved (micro/l1_sets.cu: fit). Sets of
 *   least-recently-used lines; their number does not depend on the carve-out, the ways do, and
 *   need not be the same for all (micro/l1_sets.cu: fit, evict).
 * - A store counts as a hit when its line's tag is present, whatever the sector. It leaves its line
 *   behind, with the words that it wrote whole; bytes that are not a whole word leave nothing that
 *   could be read (micro/cache_probe.cu: store).
 * - .lu and no-allocate loads hit but do not allocate; .cg, .cv, volatile and coherent loads are
 * not looked up and drop the line (micro/cache_probe.cu: operator). Atomics and reductions drop the
 *   whole line (micro/cache_probe.cu: store).
 *
 * Left out: eviction hints (.EF and .EL make no difference to single accesses), bytes of a word
 * written one by one.
 */
#include "sim/model/cache/l1.h"

#include "sim/model/hot.h"
#include "sim/model/count/lanes.h"

#include <string.h>

#define VALID(tag)   ((uint32_t)(tag)&0xfu)
#define PARTIAL(tag) ((uint32_t)(tag) >> 4 & 0xfu)
#define STATE        UINT64_C(0xff)

uint32_t gmsim_l1_most_sets(const gmsim_gpu *gpu)
{
    uint32_t least = gpu->l1_max_cache / (GMSIM_LINE_BYTES * GMSIM_L1_SLOTS) + 1u;
    return MAX(gpu->l1_sets, least);
}

void gmsim_l1_init(gmsim_l1 *l1, gmsim_l1_set *set, const gmsim_gpu *gpu, uint32_t bytes)
{
    uint32_t lines = MAX(MIN(bytes, gpu->l1_max_cache) / GMSIM_LINE_BYTES, 2u);
    uint32_t sets = gpu->l1_sets;
    while (sets > 1u && lines / sets < 2u) /* a small rest of the carve-out: fewer sets */
        sets /= 2u;
    if (lines > sets * GMSIM_L1_SLOTS)
        sets = gmsim_l1_most_sets(gpu);
    *l1 = (gmsim_l1){.set = set, .sets = sets, .ways = lines / sets, .larger = lines % sets};
    if (l1->ways >= GMSIM_L1_SLOTS) {
        l1->ways = GMSIM_L1_SLOTS;
        l1->larger = 0;
    }
    l1->power = (uint32_t)__builtin_ctz(sets);
    l1->odd = sets >> l1->power;
    l1->magic = UINT64_MAX / l1->odd;
    memset(set, 0, sets * sizeof *set);
}

/* b * x^8 modulo x^8 + x^4 + x^3 + x^2 + 1, a primitive polynomial over GF(2). */
static const uint8_t reduce[256] = {
    0x00, 0x1d, 0x3a, 0x27, 0x74, 0x69, 0x4e, 0x53, 0xe8, 0xf5, 0xd2, 0xcf, 0x9c, 0x81, 0xa6, 0xbb,
    0xcd, 0xd0, 0xf7, 0xea, 0xb9, 0xa4, 0x83, 0x9e, 0x25, 0x38, 0x1f, 0x02, 0x51, 0x4c, 0x6b, 0x76,
    0x87, 0x9a, 0xbd, 0xa0, 0xf3, 0xee, 0xc9, 0xd4, 0x6f, 0x72, 0x55, 0x48, 0x1b, 0x06, 0x21, 0x3c,
    0x4a, 0x57, 0x70, 0x6d, 0x3e, 0x23, 0x04, 0x19, 0xa2, 0xbf, 0x98, 0x85, 0xd6, 0xcb, 0xec, 0xf1,
    0x13, 0x0e, 0x29, 0x34, 0x67, 0x7a, 0x5d, 0x40, 0xfb, 0xe6, 0xc1, 0xdc, 0x8f, 0x92, 0xb5, 0xa8,
    0xde, 0xc3, 0xe4, 0xf9, 0xaa, 0xb7, 0x90, 0x8d, 0x36, 0x2b, 0x0c, 0x11, 0x42, 0x5f, 0x78, 0x65,
    0x94, 0x89, 0xae, 0xb3, 0xe0, 0xfd, 0xda, 0xc7, 0x7c, 0x61, 0x46, 0x5b, 0x08, 0x15, 0x32, 0x2f,
    0x59, 0x44, 0x63, 0x7e, 0x2d, 0x30, 0x17, 0x0a, 0xb1, 0xac, 0x8b, 0x96, 0xc5, 0xd8, 0xff, 0xe2,
    0x26, 0x3b, 0x1c, 0x01, 0x52, 0x4f, 0x68, 0x75, 0xce, 0xd3, 0xf4, 0xe9, 0xba, 0xa7, 0x80, 0x9d,
    0xeb, 0xf6, 0xd1, 0xcc, 0x9f, 0x82, 0xa5, 0xb8, 0x03, 0x1e, 0x39, 0x24, 0x77, 0x6a, 0x4d, 0x50,
    0xa1, 0xbc, 0x9b, 0x86, 0xd5, 0xc8, 0xef, 0xf2, 0x49, 0x54, 0x73, 0x6e, 0x3d, 0x20, 0x07, 0x1a,
    0x6c, 0x71, 0x56, 0x4b, 0x18, 0x05, 0x22, 0x3f, 0x84, 0x99, 0xbe, 0xa3, 0xf0, 0xed, 0xca, 0xd7,
    0x35, 0x28, 0x0f, 0x12, 0x41, 0x5c, 0x7b, 0x66, 0xdd, 0xc0, 0xe7, 0xfa, 0xa9, 0xb4, 0x93, 0x8e,
    0xf8, 0xe5, 0xc2, 0xdf, 0x8c, 0x91, 0xb6, 0xab, 0x10, 0x0d, 0x2a, 0x37, 0x64, 0x79, 0x5e, 0x43,
    0xb2, 0xaf, 0x88, 0x95, 0xc6, 0xdb, 0xfc, 0xe1, 0x5a, 0x47, 0x60, 0x7d, 0x2e, 0x33, 0x14, 0x09,
    0x7f, 0x62, 0x45, 0x58, 0x0b, 0x16, 0x31, 0x2c, 0x97, 0x8a, 0xad, 0xb0, 0xe3, 0xfe, 0xd9, 0xc4,
};

/* The line number as a polynomial over GF(2), reduced to 8 bits: lines one apart, and lines any
 * power of two apart, fill every set alike (micro/l1_sets.cu: stride; its evictions, too, follow a
 * linear function of the line's bits). Numbers of sets that are no power of two, or more than 256,
 * take the rest by their odd factor instead. */
GMSIM_INLINE uint32_t index_of(const gmsim_l1 *l1, uint64_t line)
{
    uint32_t mask = (1u << l1->power) - 1u;
    if (l1->odd == 1u && l1->power <= 8u) {
        uint64_t bits = line ^ line >> 32;
        uint32_t hash = reduce[bits >> 24 & 0xffu] ^ ((uint32_t)(bits >> 16) & 0xffu);
        hash = reduce[hash] ^ ((uint32_t)(bits >> 8) & 0xffu);
        return (reduce[hash] ^ (uint32_t)bits) & mask;
    }
    uint64_t block = line >> l1->power, fold = block ^ block >> 7 ^ block >> 15;
    uint64_t quotient = (uint64_t)(((unsigned __int128)block * l1->magic) >> 64);
    uint64_t high = block - quotient * l1->odd; /* the remainder, or that plus odd */
    if (high >= l1->odd)
        high -= l1->odd;
    return (uint32_t)(high << l1->power) | ((uint32_t)(line ^ fold) & mask);
}

void gmsim_l1_prefetch(const gmsim_l1 *l1, uint64_t line)
{
    const gmsim_l1_set *set = &l1->set[index_of(l1, line)];
    __builtin_prefetch(set, 1);
    __builtin_prefetch(set->used, 1);
}

/* Place of the line in its set, or GMSIM_L1_SLOTS. */
GMSIM_INLINE uint32_t place_of(const gmsim_l1_set *set, uint64_t line)
{
    uint64_t want = line + 1u;
    uint32_t found = GMSIM_L1_SLOTS;
    for (uint32_t i = 0; i < GMSIM_L1_SLOTS; i++)
        found = set->tag[i] >> 8 == want ? i : found;
    return found;
}

GMSIM_INLINE uint32_t tick(gmsim_l1 *l1)
{
    if (++l1->clock == UINT32_MAX) { /* after four thousand million accesses: forget who is older */
        for (uint32_t i = 0; i < l1->sets; i++)
            for (uint32_t k = 0; k < GMSIM_L1_SLOTS; k++)
                l1->set[i].used[k] = l1->set[i].used[k] != 0;
        l1->clock = 2u;
    }
    return l1->clock;
}

/* The place the least recently used line of the set leaves. */
GMSIM_INLINE uint32_t make_room(const gmsim_l1 *l1, const gmsim_l1_set *set)
{
    uint32_t ways = l1->ways + ((uint32_t)(set - l1->set) < l1->larger), oldest = 0;
    for (uint32_t i = 1; i < ways; i++)
        oldest = set->used[i] < set->used[oldest] ? i : oldest;
    return oldest;
}

/* Words of the line that the record's lanes touch. */
static uint32_t words_of(const gmsim_l1_words *words, uint64_t line, bool whole)
{
    if (!words->record)
        return UINT32_MAX;
    uint64_t address[GMTRACE_WARP_LANES];
    uint32_t size = words->record->size, touched = 0;
    gmsim_lane_addresses(words->chunk, words->record, address);
    for (uint32_t mask = words->record->mask; mask; mask &= mask - 1u) {
        uint64_t first = address[gmsim_lowest(mask)], last = first + size - 1u;
        uint64_t from = MAX(first, line * GMSIM_LINE_BYTES);
        uint64_t to = MIN(last, line * GMSIM_LINE_BYTES + GMSIM_LINE_BYTES - 1u);
        if (from > to)
            continue;
        uint32_t low = (uint32_t)(from & 127u), high = (uint32_t)(to & 127u);
        if (whole) { /* words of which every byte is there */
            low += 3u;
            if (high < 3u || low / 4u > (high - 3u) / 4u)
                continue;
            high -= 3u;
        }
        touched |= (UINT32_MAX >> (31u - high / 4u)) & UINT32_MAX << low / 4u;
    }
    return touched;
}

/* Eight words a sector. */
GMSIM_INLINE uint32_t words_in(uint32_t sectors)
{
    return (sectors & 1u ? 0xffu : 0) | (sectors & 2u ? 0xff00u : 0) |
           (sectors & 4u ? 0xff0000u : 0) | (sectors & 8u ? 0xff000000u : 0);
}

uint32_t gmsim_l1_read(gmsim_l1 *l1, uint64_t line, uint32_t touched, gmsim_l1_load how,
                       const gmsim_l1_words *words)
{
    gmsim_l1_set *set = &l1->set[index_of(l1, line)];
    uint32_t place = place_of(set, line);
    if (place == GMSIM_L1_SLOTS) {
        if (how == GMSIM_L1_ALLOCATE) {
            place = make_room(l1, set);
            set->tag[place] = (line + 1u) << 8 | touched;
            set->used[place] = tick(l1);
        }
        return touched;
    }
    uint64_t tag = set->tag[place];
    uint32_t missing = touched & ~VALID(tag), written = missing & PARTIAL(tag);
    set->used[place] = tick(l1);
    if (written) {
        uint32_t asked = words_of(words, line, false) & words_in(written);
        for (uint32_t s = 0; s < 4u; s++)
            if (written >> s & 1u && !(asked & ~set->word[place] & 0xffu << 8u * s))
                missing &= ~(1u << s);
    }
    if (how == GMSIM_L1_ALLOCATE && missing)
        set->tag[place] = (tag | missing) & ~((uint64_t)missing << 4);
    return missing;
}

bool gmsim_l1_write(gmsim_l1 *l1, uint64_t line, uint32_t touched, uint32_t full,
                    const gmsim_l1_words *words, bool allocate)
{
    gmsim_l1_set *set = &l1->set[index_of(l1, line)];
    uint32_t place = place_of(set, line);
    bool hit = place != GMSIM_L1_SLOTS;
    if (!hit) {
        if (!allocate)
            return false;
        place = make_room(l1, set);
        set->tag[place] = (line + 1u) << 8;
    }
    uint64_t tag = set->tag[place];
    uint32_t part = touched & ~full & ~VALID(tag);
    tag = (tag | full) & ~((uint64_t)full << 4);
    if (part) {
        uint32_t kept = PARTIAL(tag) ? set->word[place] & words_in(PARTIAL(tag)) : 0;
        set->word[place] = kept | (words_of(words, line, true) & words_in(part));
        tag |= (uint64_t)part << 4;
    }
    set->tag[place] = tag;
    set->used[place] = tick(l1);
    return hit;
}

void gmsim_l1_drop(gmsim_l1 *l1, uint64_t line)
{
    gmsim_l1_set *set = &l1->set[index_of(l1, line)];
    uint32_t place = place_of(set, line);
    if (place != GMSIM_L1_SLOTS) {
        set->tag[place] = 0;
        set->used[place] = 0;
    }
}
