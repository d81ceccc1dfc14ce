/* SPDX-License-Identifier: MIT
 *
 * l1.c - L1: sectored, write-through, one an SM, empty when a kernel starts. Rules, as measured on
 * an H200:
 *
 * - A load sector hits when its line's tag is present and the sector is valid or on its way; a miss
 *   fetches the missing sectors alone (micro/cache_probe.cu: sector; micro/merge.cu: warps).
 * - Usable size: what the carve-out leaves, less gpu.l1_reserved (micro/l1_sets.cu: fit), and a
 *   line a bank (micro/l1_replace.cu: set). Sets have the same tags at any size, and mostly more
 *   than there is room for lines: a line that comes where a tag is free and no room takes the room
 *   of one in the next row of its bank, row by row (micro/l1_replace.cu: cyclic). Where gpu.l1_ways
 *   does not say how many tags there are, sets share the room among them, evenly or almost.
 *   Which line of a set leaves, what a store leaves behind and which set is whose are policies
 *   (sim/policy).
 * - A store that is not to allocate (.L1::no_allocate) leaves nothing where its line is absent, and
 *   is as any other where it is there; all other operators allocate (micro/l1_keeps.cu).
 * - A fence of the GPU or the system forgets lines of global memory alone; local memory stays
 *   (micro/l1_keeps.cu: fence_local).
 * - A store counts as a hit when its line's tag is present, whatever the sector. Of what
 *   it leaves, bytes that are not a whole word cannot be read (micro/cache_probe.cu: store), and
 *   where they come to a sector that is not valid, the line's other data are gone, too, its tag is
 *   not (micro/cache_probe.cu: store, st.u8; micro/store_bytes.cu: split, lane).
 * - A line that an access with evict_first touches, .cs too, is the next of its set to leave, a
 *   protected one as well, until one without a hint touches it; so is what .lu and no-allocate hit.
 *   With evict_last it comes protected, as if wanted twice (micro/l1_hints.cu). All of this where
 *   what leaves is told by age.
 * - .lu and no-allocate loads hit but do not allocate; .cg, .cv, volatile and coherent loads are
 *   not looked up and drop the line (micro/cache_probe.cu: operator), and so do copies past L1
 *   (micro/l1_keeps.cu: cp.async.cg). Atomics and reductions drop the whole line
 *   (micro/cache_probe.cu: store).
 *
 * Left out: evict_unchanged (comes as the second of its set to leave, and where it hits no age
 * changes; micro/l1_hints.cu), which of several lines to leave first does; bytes of a word written
 * one by one.
 */
#include "sim/model/cache/l1.h"

#include "sim/model/hot.h"
#include "sim/model/count/lanes.h"
#include "sim/policy/write.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define VALID(tag)          ((uint32_t)(tag)&0xfu)
#define PARTIAL(tag)        ((uint32_t)(tag) >> 4 & 0xfu)
#define GMSIM_L1_USUAL_WAYS 4u

uint32_t gmsim_l1_most_sets(const gmsim_gpu *gpu)
{
    uint32_t least = gpu->l1_max_cache / (GMSIM_LINE_BYTES * GMSIM_L1_SLOTS) + 1u;
    return MAX(gpu->l1_sets, least);
}

/* Whether the tags of that many sets are more than the room, which all sets of a bank share. */
static bool is_pooled(const gmsim_gpu *gpu, uint32_t lines)
{
    const uint32_t sets = gpu->l1_sets;
    return lines <= sets * gpu->l1_ways && sets >= GMSIM_L1_BANKS && !(sets & (sets - 1u));
}

uint32_t gmsim_l1_room(const gmsim_gpu *gpu)
{
    const bool narrow = gpu->l1_ways <= GMSIM_L1_NARROW &&
                        is_pooled(gpu, MAX(gpu->l1_max_cache / GMSIM_LINE_BYTES, 2u));
    return gmsim_l1_most_sets(gpu) << !narrow;
}

void gmsim_l1_init(gmsim_l1 *l1, gmsim_l1_set *set, const gmsim_gpu *gpu, uint32_t bytes)
{
    uint32_t lines = MAX(MIN(bytes, gpu->l1_max_cache) / GMSIM_LINE_BYTES, 2u);
    uint32_t sets = gpu->l1_sets;
    bool pooled = is_pooled(gpu, lines);
    while (!pooled && sets > 1u &&
           lines / sets < 2u) /* a small rest of the carve-out: fewer sets */
        sets /= 2u;
    if (!pooled && lines > sets * GMSIM_L1_SLOTS)
        sets = gmsim_l1_most_sets(gpu);
    *l1 = (gmsim_l1){.set = set,
                     .sets = gmsim_sets_of(sets),
                     .ways = pooled ? gpu->l1_ways : lines / sets,
                     .larger = pooled ? 0 : lines % sets,
                     .pooled = pooled,
                     .hash = gpu->l1_hash,
                     .write = gpu->l1_write};
    uint32_t replacement = gpu->l1_replacement;
    if (sets < gpu->l1_sets && replacement == GMSIM_REPLACEMENT_slru)
        replacement = GMSIM_REPLACEMENT_lru; /* so small, it protects nothing */
    l1->replacer = gmsim_replacer_of(replacement);
    l1->aged = replacement == GMSIM_REPLACEMENT_slru || replacement == GMSIM_REPLACEMENT_lru;
    l1->usual = replacement == GMSIM_REPLACEMENT_slru && l1->hash == GMSIM_HASH_banked &&
                l1->write == GMSIM_WRITE_through && pooled && gpu->l1_ways == GMSIM_L1_USUAL_WAYS;
    for (uint32_t bank = 0; bank < GMSIM_L1_BANKS; bank++)
        l1->room[bank] = (uint16_t)(lines / GMSIM_L1_BANKS + 1u);
    if (l1->ways >= GMSIM_L1_SLOTS) {
        l1->ways = GMSIM_L1_SLOTS;
        l1->larger = 0;
    }
    l1->wide = l1->ways + (l1->larger != 0) > GMSIM_L1_NARROW;
    memset(set, 0, ((size_t)sets << l1->wide) * sizeof *set);
}

void gmsim_l1_plug(gmsim_l1 *l1, const gmsim_plugin_replacement *plugged, void *state)
{
    gmsim_replacer_plug(&l1->replacer, plugged, state, l1->sets.count, GMSIM_L1_SLOTS);
}

/* Loads and stores are compiled twice: with the usual policies inlined, and for any others. */

GMSIM_INLINE gmsim_l1_set *set_of(const gmsim_l1 *l1, uint64_t line, bool usual)
{
    uint64_t mixed =
        usual ? gmsim_banked_mix(line, &l1->sets) : gmsim_hashes[l1->hash].mix(line, &l1->sets);
    uint32_t set = (uint32_t)mixed & l1->sets.mask;
    if (!usual && !l1->sets.mask)
        gmsim_sets_divide(&l1->sets, mixed, &set);
    return &l1->set[usual ? set : set << l1->wide];
}

GMSIM_INLINE uint32_t number_of(const gmsim_l1 *l1, const gmsim_l1_set *set)
{
    return (uint32_t)(set - l1->set) >> l1->wide;
}

/* Lines that a set has slots for. */
GMSIM_INLINE uint32_t slots_of(const gmsim_l1 *l1)
{
    return GMSIM_L1_NARROW << l1->wide;
}

GMSIM_INLINE uint64_t *tag_of(gmsim_l1_set *set, uint32_t place, bool usual)
{
    return usual ? &set->tag[place] : &set[place / GMSIM_L1_NARROW].tag[place % GMSIM_L1_NARROW];
}

GMSIM_INLINE uint32_t *word_of(gmsim_l1_set *set, uint32_t place, bool usual)
{
    return usual ? &set->word[place] : &set[place / GMSIM_L1_NARROW].word[place % GMSIM_L1_NARROW];
}

GMSIM_INLINE gmsim_lines lines_of(gmsim_l1 *l1, gmsim_l1_set *set, bool usual)
{
    const uint32_t ways = usual ? GMSIM_L1_USUAL_WAYS : GMSIM_L1_SLOTS;
    return (gmsim_lines){set->age, &set->order, &l1->order, ways, ways};
}

GMSIM_INLINE gmsim_replaced replaced(gmsim_l1 *l1, gmsim_l1_set *set, uint64_t line)
{
    return (gmsim_replaced){lines_of(l1, set, false), number_of(l1, set), line};
}

/* Does the access make its line the next of its set to leave? */
GMSIM_INLINE bool leaves_first(const gmsim_l1 *l1, gmsim_l1_load how)
{
    return G_UNLIKELY(how == GMSIM_L1_FIRST || how == GMSIM_L1_PASS) && l1->aged;
}

GMSIM_INLINE void use(gmsim_l1 *l1, gmsim_l1_set *set, uint64_t line, uint32_t place,
                      gmsim_l1_load how, bool usual)
{
    if (leaves_first(l1, how))
        set->age[place] = GMSIM_SLRU_FIRST;
    else if (usual)
        gmsim_slru_use(lines_of(l1, set, true), place);
    else
        gmsim_replacer_use(&l1->replacer, replaced(l1, set, line), place);
}

gmsim_l1_set *gmsim_l1_find_any(const gmsim_l1 *l1, uint64_t line)
{
    return set_of(l1, line, false);
}

/* Place of the line in its set, or GMSIM_L1_SLOTS. */
GMSIM_INLINE uint32_t place_of(const gmsim_l1 *l1, const gmsim_l1_set *set, uint64_t line,
                               bool usual)
{
    uint64_t want = line + 1u;
#ifdef __SSE2__
    uint32_t half = 0; /* the halves of a tag by themselves */
    for (uint32_t i = 0; i < 2u && (!i || (!usual && l1->wide)); i++) {
        const __m128i *pair = (const __m128i *)(const void *)set[i].tag;
        __m128i is = _mm_set1_epi64x((long long)want);
        __m128i low = _mm_cmpeq_epi32(_mm_srli_epi64(_mm_loadu_si128(pair), 8), is);
        __m128i high = _mm_cmpeq_epi32(_mm_srli_epi64(_mm_loadu_si128(pair + 1), 8), is);
        half |= ((uint32_t)_mm_movemask_ps(_mm_castsi128_ps(low)) |
                 (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(high)) << 4)
                << 8u * i;
    }
    return gmsim_lowest((half & half >> 1 & 0x5555u) | 1u << 2u * GMSIM_L1_SLOTS) / 2u;
#else
    uint32_t found = GMSIM_L1_SLOTS;
    for (uint32_t i = 0; i < (usual ? GMSIM_L1_NARROW : slots_of(l1)); i++)
        found = set[i / GMSIM_L1_NARROW].tag[i % GMSIM_L1_NARROW] >> 8 == want ? i : found;
    return found;
#endif
}

GMSIM_INLINE uint32_t bank_of(const gmsim_l1 *l1, const gmsim_l1_set *set, bool usual)
{
    return (usual ? (uint32_t)(set - l1->set) : number_of(l1, set)) % GMSIM_L1_BANKS;
}

/* Room for one more line of the set's bank. Where there is none the bank's next row that holds a
 * line gives it, the first that its replacement would. */
GMSIM_INLINE void sweep(gmsim_l1 *l1, uint32_t bank, bool usual)
{
    const uint32_t wide = usual ? 0 : l1->wide, slots = GMSIM_L1_NARROW << wide;
    uint32_t held = 0, row = l1->swept[bank], rows = l1->sets.count / GMSIM_L1_BANKS;
    gmsim_l1_set *set;
    do {
        set = &l1->set[(row * GMSIM_L1_BANKS + bank) << wide];
        row = row + 1u < rows ? row + 1u : 0;
        for (uint32_t i = 0; i < slots; i++)
            held |= (uint32_t)(*tag_of(set, i, usual) != 0) << i;
    } while (!held);
    l1->swept[bank] = (uint16_t)row;
    __builtin_prefetch(&l1->set[(row * GMSIM_L1_BANKS + bank) << wide], 1);
    uint32_t place;
    if (usual) {
        place = gmsim_slru_victim(lines_of(l1, set, true), held);
    } else {
        const gmsim_replaced what =
            replaced(l1, set, (*tag_of(set, gmsim_lowest(held), false) >> 8) - 1u);
        place = gmsim_replacer_victim(&l1->replacer, what, held);
        gmsim_replacer_drop(&l1->replacer, what.number, place);
    }
    *tag_of(set, place, usual) = 0;
    set->age[place] = 0;
}

static __attribute__((noinline)) void sweep_usual(gmsim_l1 *l1, uint32_t bank)
{
    sweep(l1, bank, true);
}

static __attribute__((noinline)) void sweep_any(gmsim_l1 *l1, uint32_t bank)
{
    sweep(l1, bank, false);
}

GMSIM_INLINE void take_room(gmsim_l1 *l1, const gmsim_l1_set *set, bool usual)
{
    const uint32_t bank = bank_of(l1, set, usual);
    if (l1->room[bank])
        l1->room[bank]--;
    else
        (usual ? sweep_usual : sweep_any)(l1, bank);
}

/* A place for a line that comes: an empty one, or that of the line that leaves. */
GMSIM_INLINE uint32_t make_room(gmsim_l1 *l1, gmsim_l1_set *set, uint64_t line, bool usual)
{
    uint32_t ways = l1->ways + (number_of(l1, set) < l1->larger), empty = 0, place;
    if (usual) {
        const gmsim_lines lines = lines_of(l1, set, true);
        place = gmsim_lru_oldest(lines, lines.ways); /* the least byte: protected are greater */
        if (!set->age[place])
            take_room(l1, set, true);
        gmsim_slru_fill(lines, place);
        return place;
    }
    const gmsim_replaced what = replaced(l1, set, line);
    for (uint32_t i = 0; i < ways; i++)
        empty |= (uint32_t) !*tag_of(set, i, false) << i;
    if (empty && l1->pooled)
        take_room(l1, set, false);
    place =
        empty ? gmsim_lowest(empty) : gmsim_replacer_victim(&l1->replacer, what, (1u << ways) - 1u);
    gmsim_replacer_fill(&l1->replacer, what, place);
    return place;
}

/* A line that is not as most comes. */
static __attribute__((noinline)) uint32_t come(gmsim_l1 *l1, gmsim_l1_set *set, uint64_t line,
                                               uint32_t touched, gmsim_l1_load how)
{
    const uint32_t place = make_room(l1, set, line, l1->usual);
    *tag_of(set, place, false) = (line + 1u) << 8 | touched;
    if (leaves_first(l1, how))
        set->age[place] = GMSIM_SLRU_FIRST;
    else if (how == GMSIM_L1_LAST)
        use(l1, set, line, place, GMSIM_L1_ALLOCATE, l1->usual);
    return place;
}

void gmsim_l1_words_know(gmsim_l1_words *words)
{
    if (words->known)
        return;
    uint64_t bits = gmsim_line_bytes(words->bytes, words->footprint, words->chunk, words->record);
    words->aligned = ((bits | words->record->size) & 3u) == 0;
    words->known = true;
}

/* A bit for each group of four, from the lowest of each. */
static uint32_t every_fourth(uint64_t bits)
{
    bits &= UINT64_C(0x1111111111111111);
    bits = (bits | bits >> 3) & UINT64_C(0x0303030303030303);
    bits = (bits | bits >> 6) & UINT64_C(0x000f000f000f000f);
    bits = (bits | bits >> 12) & UINT64_C(0x000000ff000000ff);
    return (uint32_t)(bits | bits >> 24) & 0xffffu;
}

/* Words of which some bytes are there, or all. */
static uint32_t words_from(const uint64_t bytes[2], bool whole)
{
    uint64_t low = bytes[0], high = bytes[1];
    if ((low & high) == UINT64_MAX)
        return UINT32_MAX;
    if (whole) {
        low &= low >> 1;
        high &= high >> 1;
        return every_fourth(low & low >> 2) | every_fourth(high & high >> 2) << 16;
    }
    low |= low >> 1;
    high |= high >> 1;
    return every_fourth(low | low >> 2) | every_fourth(high | high >> 2) << 16;
}

bool gmsim_l1_words_split(const gmsim_l1_words *words)
{
    if (words->record)
        return words->record->size < 4u;
    return words->known && words_from(words->bytes[0], false) != words_from(words->bytes[0], true);
}

/* Words of the line that the record's lanes touch; `whole`: of which a lane has every byte. */
static __attribute__((noinline)) uint32_t words_of(gmsim_l1_words *words, uint64_t line, bool whole)
{
    if (!words->record && !words->known)
        return UINT32_MAX;
    if (whole && words->record && words->record->size < 4u)
        return 0;
    if (words->footprint)
        gmsim_l1_words_know(words);
    if (words->known && (!whole || words->aligned)) {
        const gmsim_footprint *footprint = words->footprint;
        while (footprint->line[words->at] != line)
            words->at = words->at + 1u < footprint->lines ? words->at + 1u : 0;
        return words_from(words->bytes[words->at], whole);
    }
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

GMSIM_INLINE uint32_t load(gmsim_l1 *l1, gmsim_l1_set *set, uint64_t line, uint32_t touched,
                           gmsim_l1_load how, gmsim_l1_words *words, bool usual)
{
    uint32_t place = place_of(l1, set, line, usual);
    if (place == GMSIM_L1_SLOTS) {
        if (G_LIKELY(how == GMSIM_L1_ALLOCATE)) {
            place = make_room(l1, set, line, usual);
            *tag_of(set, place, usual) = (line + 1u) << 8 | touched;
        } else if (how < GMSIM_L1_PASS) {
            come(l1, set, line, touched, how);
        }
        return touched;
    }
    uint64_t tag = *tag_of(set, place, usual);
    uint32_t missing = touched & ~VALID(tag), written = missing & PARTIAL(tag);
    use(l1, set, line, place, how, usual);
    if (written) {
        uint32_t asked = words_of(words, line, false) & words_in(written);
        for (uint32_t s = 0; s < 4u; s++)
            if (written >> s & 1u && !(asked & ~*word_of(set, place, usual) & 0xffu << 8u * s))
                missing &= ~(1u << s);
    }
    if (how <= GMSIM_L1_FIRST && missing)
        *tag_of(set, place, usual) = (tag | missing) & ~((uint64_t)missing << 4);
    return missing;
}

static __attribute__((noinline)) uint32_t load_any(gmsim_l1 *l1, gmsim_l1_set *set, uint64_t line,
                                                   uint32_t touched, gmsim_l1_load how,
                                                   gmsim_l1_words *words)
{
    return load(l1, set, line, touched, how, words, false);
}

uint32_t gmsim_l1_read(gmsim_l1 *l1, gmsim_l1_set *set, uint64_t line, uint32_t touched,
                       gmsim_l1_load how, gmsim_l1_words *words)
{
    return l1->usual ? load(l1, set, line, touched, how, words, true)
                     : load_any(l1, set, line, touched, how, words);
}

GMSIM_INLINE void empty(gmsim_l1 *l1, gmsim_l1_set *set, uint32_t place)
{
    l1->room[bank_of(l1, set, false)]++;
    *tag_of(set, place, false) = 0;
    set->age[place] = 0;
    gmsim_replacer_drop(&l1->replacer, number_of(l1, set), place);
}

GMSIM_INLINE bool store(gmsim_l1 *l1, uint64_t line, uint32_t touched, uint32_t full,
                        gmsim_l1_load how, gmsim_l1_words *words, bool usual)
{
    gmsim_l1_set *set = set_of(l1, line, usual);
    uint32_t place = place_of(l1, set, line, usual);
    bool hit = place != GMSIM_L1_SLOTS;
    if (!usual && !(gmsim_writes[l1->write].write(hit, touched == full) & GMSIM_WRITE_KEEP)) {
        if (hit)
            empty(l1, set, place);
        return hit;
    }
    if (hit) {
        use(l1, set, line, place, how, usual);
    } else if (G_LIKELY(how == GMSIM_L1_ALLOCATE)) {
        place = make_room(l1, set, line, usual);
        *tag_of(set, place, usual) = (line + 1u) << 8;
    } else if (how == GMSIM_L1_PASS) {
        return false;
    } else {
        place = come(l1, set, line, 0, how);
    }
    uint64_t tag = *tag_of(set, place, usual);
    uint32_t part = touched & ~full & ~VALID(tag);
    tag = (tag | full) & ~((uint64_t)full << 4);
    if (part) {
        uint32_t kept = PARTIAL(tag) ? *word_of(set, place, usual) & words_in(PARTIAL(tag)) : 0;
        uint32_t whole = words_of(words, line, true) & words_in(part);
        if (G_UNLIKELY(gmsim_l1_words_split(words)) &&
            (words_of(words, line, false) & words_in(part) & ~(whole | kept))) {
            tag &= ~UINT64_C(0xff) | full;
            kept = 0;
        }
        *word_of(set, place, usual) = kept | whole;
        tag |= (uint64_t)part << 4;
    }
    *tag_of(set, place, usual) = tag;
    return hit;
}

static __attribute__((noinline)) bool store_any(gmsim_l1 *l1, uint64_t line, uint32_t touched,
                                                uint32_t full, gmsim_l1_load how,
                                                gmsim_l1_words *words)
{
    return store(l1, line, touched, full, how, words, false);
}

bool gmsim_l1_write(gmsim_l1 *l1, uint64_t line, uint32_t touched, uint32_t full, gmsim_l1_load how,
                    gmsim_l1_words *words)
{
    return l1->usual ? store(l1, line, touched, full, how, words, true)
                     : store_any(l1, line, touched, full, how, words);
}

void gmsim_l1_empty(gmsim_l1 *l1, uint64_t end)
{
    for (uint32_t s = 0; s < l1->sets.count; s++)
        for (uint32_t place = 0; place < slots_of(l1); place++) {
            gmsim_l1_set *set = &l1->set[s << l1->wide];
            const uint64_t tag = *tag_of(set, place, false);
            if (tag && tag >> 8 <= end)
                empty(l1, set, place);
        }
}

void gmsim_l1_drop(gmsim_l1 *l1, uint64_t line)
{
    gmsim_l1_set *set = set_of(l1, line, l1->usual);
    uint32_t place = place_of(l1, set, line, false);
    if (place != GMSIM_L1_SLOTS)
        empty(l1, set, place);
}

void gmsim_l1_lose(gmsim_l1 *l1, uint64_t line)
{
    gmsim_l1_set *set = set_of(l1, line, l1->usual);
    uint32_t place = place_of(l1, set, line, false);
    if (place != GMSIM_L1_SLOTS)
        *tag_of(set, place, false) &= ~UINT64_C(0xff);
}
