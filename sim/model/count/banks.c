/* SPDX-License-Identifier: MIT
 *
 * banks.c - shared memory as 32 banks of 4 bytes: bank = (offset / 4) mod 32. The rules are those
 * of smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared on an H200, pattern by pattern
 * (validate/micro/shared_patterns.cu):
 *
 * - An access passes in phases of 128 bytes: one of 32 lanes for up to 4 bytes a lane, two of 16
 *   lanes for 8 bytes, four of 8 lanes for 16 bytes. A phase takes as many wavefronts as its
 * busiest bank has distinct words; lanes on the same word are served together, writes to one word
 * too. A phase without an active lane takes none.
 * - Loads alone: two neighbouring phases (lanes 0-31 of 8 bytes; lanes 0-15 and 16-31 of 16 bytes)
 *   pass as one if all pairs of lanes n and n^1, or all pairs n and n^2, agree on the address
 *   where both are active, and the merged phase has no conflict. A 16-byte load of one address by
 *   at most 16 lanes takes one wavefront.
 * - Atomics: lanes on one word take turns too, so a phase costs the lanes of its busiest bank;
 *   ATOMS.CAS costs twice that, ATOMS.CAST.SPIN always two.
 * - LDSM and STSM: a matrix is a phase of 8 rows of 16 bytes.
 * - Asynchronous copies: see gmsim_banks_copy() and gmsim_copy_sectors().
 *
 * Left out: arbitration with other users of the data stage, which the hardware's own bank-conflict
 * counter includes. Known misses: some 16-byte loads with holes in their mask merge otherwise (19
 * of 370 patterns), some copies that write one word or bank several times pass a little slower (9
 * of 360).
 */
#include "sim/model/count/banks.h"

#include "sim/model/count/coalesce.h"
#include "sim/model/count/lanes.h"

#include <stddef.h>
#include <string.h>

#define WORD_SHIFT  2u
#define CHUNK_BYTES 16u /* a lane of a copy past L1 */
#define CHUNK_SHIFT 4u

/* Distinct keys (words, or units of 8 or 16 bytes) of one phase, counted by bank. At most 128 keys:
 * 32 lanes that each straddle into two words, or the pieces of unaligned wide accesses. */
#define TABLE_BITS 8u
#define TABLE_SIZE (1u << TABLE_BITS)
#define MAX_KEYS   128u

typedef struct phase {
    uint8_t slot[TABLE_SIZE]; /* place in key[], plus one */
    uint64_t key[MAX_KEYS];
    uint32_t keys;
    uint8_t depth[GMSIM_BANKS];
    uint32_t worst;
} phase;

static inline void phase_begin(phase *p)
{
    memset(p->slot, 0, sizeof p->slot);
    memset(p->depth, 0, sizeof p->depth);
    p->keys = 0;
    p->worst = 0;
}

static inline void phase_count(phase *p, uint32_t bank)
{
    uint32_t depth = ++p->depth[bank];
    if (depth > p->worst)
        p->worst = depth;
}

static inline void phase_add(phase *p, uint64_t key, uint32_t banks)
{
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64u - TABLE_BITS));
    while (p->slot[at]) {
        if (p->key[p->slot[at] - 1u] == key)
            return;
        at = (at + 1u) & (TABLE_SIZE - 1u);
    }
    p->key[p->keys++] = key;
    p->slot[at] = (uint8_t)p->keys;
    phase_count(p, (uint32_t)key & (banks - 1u));
}

/* Do the lanes n and n XOR distance agree wherever both are active? */
static bool pairs_agree(const uint64_t *address, uint32_t mask, unsigned distance)
{
    for (uint32_t m = mask; m; m &= m - 1u) {
        unsigned lane = gmsim_lowest(m), other = lane ^ distance;
        if ((mask >> other & 1u) && address[lane] != address[other])
            return false;
    }
    return true;
}

static unsigned phase_lanes(uint32_t size)
{
    return size <= 4u ? 32u : size <= 8u ? 16u : size <= 16u ? 8u : 4u;
}

/* Aligned power-of-two sizes: a lane is one unit, which fills one, two or four banks. Most phases
 * have one unit a bank; only units that meet another in their bank go through the table. */
static uint32_t aligned_phase(const uint64_t *address, uint32_t mask, uint32_t size,
                              gmsim_bank_use use)
{
    unsigned shift = size <= 4u ? WORD_SHIFT : size == 8u ? 3u : size == 16u ? 4u : 5u;
    uint32_t banks = GMSIM_BANKS >> (shift - WORD_SHIFT), seen = 0, extras = 0;
    uint64_t first[GMSIM_BANKS] = {0}, extra[GMTRACE_WARP_LANES];
    phase p;
    if (use == GMSIM_BANK_ATOMIC) {
        phase_begin(&p);
        for (; mask; mask &= mask - 1u)
            phase_count(&p, (uint32_t)(address[gmsim_lowest(mask)] >> shift) & (banks - 1u));
        return p.worst;
    }
    for (; mask; mask &= mask - 1u) {
        uint64_t unit = address[gmsim_lowest(mask)] >> shift;
        uint32_t bank = (uint32_t)unit & (banks - 1u), bit = 1u << bank;
        first[bank] = seen & bit ? first[bank] : unit;
        seen |= bit;
        extra[extras] = unit;
        extras += first[bank] != unit;
    }
    if (extras == 0)
        return 1;
    phase_begin(&p);
    for (uint32_t i = 0; i < extras; i++)
        phase_add(&p, extra[i], banks);
    return p.worst + 1u;
}

/* Any address: each lane is the words it touches. */
static uint32_t unaligned_phase(const uint64_t *address, uint32_t mask, uint32_t size,
                                gmsim_bank_use use)
{
    phase p;
    phase_begin(&p);
    for (; mask; mask &= mask - 1u) {
        uint64_t first = address[gmsim_lowest(mask)];
        uint64_t word = first >> WORD_SHIFT, end = (first & 3u) + size;
        for (uint64_t byte = 0; byte < end; byte += 4u, word++) {
            word &= UINT64_MAX >> WORD_SHIFT;
            if (use == GMSIM_BANK_ATOMIC)
                phase_count(&p, (uint32_t)word & (GMSIM_BANKS - 1u));
            else
                phase_add(&p, word, GMSIM_BANKS);
        }
    }
    return p.worst;
}

static uint32_t one_phase(const uint64_t *address, bool aligned, uint32_t mask, uint32_t size,
                          gmsim_bank_use use)
{
    if (mask == 0)
        return 0;
    if (use == GMSIM_BANK_CAST)
        return 2;
    if (use == GMSIM_BANK_CAS)
        return 2u * one_phase(address, aligned, mask, size, GMSIM_BANK_ATOMIC);
    return aligned ? aligned_phase(address, mask, size, use)
                   : unaligned_phase(address, mask, size, use);
}

static bool one_address(const uint64_t *address, uint32_t mask)
{
    uint64_t first = address[gmsim_lowest(mask)];
    for (uint32_t m = mask; m; m &= m - 1u)
        if (address[gmsim_lowest(m)] != first)
            return false;
    return true;
}

/* Loads of 8 and 16 bytes: neighbouring phases that may pass as one. */
static uint32_t paired_phases(const uint64_t *address, bool aligned, uint32_t mask, uint32_t size)
{
    unsigned lanes = phase_lanes(size), pair = 2u * lanes;
    uint32_t group = (1u << lanes) - 1u, total = 0;
    if (size == 16u && gmsim_lane_count(mask) <= 16u && one_address(address, mask))
        return 1;
    for (unsigned first = 0; first < GMTRACE_WARP_LANES; first += pair) {
        uint32_t low = mask & (group << first), high = mask & (group << (first + lanes));
        uint32_t both = low | high;
        uint32_t apart = one_phase(address, aligned, low, size, GMSIM_BANK_LOAD) +
                         one_phase(address, aligned, high, size, GMSIM_BANK_LOAD);
        if (apart > 1u && (pairs_agree(address, both, 1u) || pairs_agree(address, both, 2u)) &&
            one_phase(address, aligned, both, size, GMSIM_BANK_LOAD) == 1u)
            apart = 1;
        total += apart;
    }
    return total;
}

static gmsim_wavefronts banks_lanes(const uint64_t *address, uint64_t bits, uint32_t mask,
                                    uint32_t size, gmsim_bank_use use, uint32_t matrices)
{
    gmsim_wavefronts result = {0, 0};
    if (use == GMSIM_BANK_MATRIX) {
        size = 16u;
        if (matrices < 4u)
            mask &= (1u << (8u * matrices)) - 1u;
    }
    if (mask == 0)
        return result;
    bool aligned = (size & (size - 1u)) == 0 && (bits & (size - 1u)) == 0;
    unsigned lanes = phase_lanes(size);
    uint32_t group = lanes == 32u ? GMSIM_ALL_LANES : (1u << lanes) - 1u;
    for (unsigned first = 0; first < GMTRACE_WARP_LANES; first += lanes) {
        uint32_t part = mask & (group << first);
        result.actual += one_phase(address, aligned, part, size, use);
        result.ideal += part != 0;
    }
    if (use == GMSIM_BANK_LOAD && (size == 8u || size == 16u)) {
        result.actual = paired_phases(address, aligned, mask, size);
        result.ideal = MIN(result.ideal, result.actual);
    }
    return result;
}

void gmsim_copy_lines(gmsim_copy_source *source, const gmtrace_chunk *chunk,
                      const gmtrace_record *read)
{
    uint64_t address[GMTRACE_WARP_LANES], *line = source->number;
    uint32_t lines = 0;
    memset(source, 0, offsetof(gmsim_copy_source, number));
    source->mask = read->mask;
    source->address = read->address;
    source->stride = read->shape == GMTRACE_AFFINE ? read->stride : 0;
    gmsim_lane_addresses(chunk, read, address);
    for (uint32_t m = read->mask; m; m &= m - 1u) {
        unsigned lane = gmsim_lowest(m);
        uint64_t wanted = address[lane] / GMSIM_LINE_BYTES;
        uint32_t i = lines;
        while (i > 0 && line[i - 1u] != wanted)
            i--;
        if (i == 0)
            line[i = lines++] = wanted;
        else
            i--;
        source->line[lane] = (uint8_t)i;
        source->at[lane] = (uint8_t)(address[lane] % GMSIM_LINE_BYTES);
    }
}

/* Both sides are runs, sector to sector. */
static bool is_even(const gmtrace_record *write, const gmsim_copy_source *source)
{
    return write->shape == GMTRACE_AFFINE && write->stride == source->stride &&
           source->stride == write->size &&
           (write->address - source->address) % GMSIM_SECTOR_BYTES == 0;
}

uint32_t gmsim_copy_sectors(const gmtrace_chunk *chunk, const gmtrace_record *write,
                            const gmsim_copy_source *source, uint32_t sectors)
{
    uint64_t address[GMTRACE_WARP_LANES], target[GMTRACE_WARP_LANES];
    uint8_t line[GMTRACE_WARP_LANES];
    uint32_t found = 0, later = 0;
    if (is_even(write, source))
        return sectors;
    gmsim_lane_addresses(chunk, write, address);
    for (uint32_t left = write->mask & source->mask; left;) {
        unsigned lane = gmsim_highest(left);
        bool hidden = false, known = false;
        left &= ~(1u << lane);
        for (uint32_t m = later; m && !hidden; m &= m - 1u)
            hidden = address[gmsim_lowest(m)] == address[lane];
        later |= 1u << lane;
        for (uint32_t i = found; i-- > 0 && !known && !hidden;)
            known = target[i] == address[lane] >> 5 && line[i] == source->line[lane];
        if (known || hidden)
            continue;
        target[found] = address[lane] >> 5;
        line[found++] = source->line[lane];
    }
    return found;
}

uint32_t gmsim_copy_clocks(const gmtrace_chunk *chunk, const gmtrace_record *write,
                           const gmsim_copy_source *source, uint32_t wavefronts)
{
    uint64_t address[GMTRACE_WARP_LANES], last[GMTRACE_WARP_LANES];
    uint8_t taken[GMTRACE_WARP_LANES] = {0}, targets[GMTRACE_WARP_LANES] = {0};
    uint32_t quarters = 0, shifted = 0, lines = 0;
    gmsim_lane_addresses(chunk, write, address);
    for (uint32_t m = write->mask & source->mask; m; m &= m - 1u) {
        const unsigned lane = gmsim_lowest(m), line = source->line[lane];
        const uint64_t target = address[lane] / GMSIM_SECTOR_BYTES;
        taken[line] = (uint8_t)(taken[line] | 1u << source->at[lane] / 16u); /* bytes a lane */
        shifted |= (uint32_t)((address[lane] - source->at[lane]) % GMSIM_SECTOR_BYTES != 0) << line;
        if (!targets[line] || last[line] != target)
            targets[line]++;
        last[line] = target;
        lines |= 1u << line;
    }
    for (uint32_t left = lines; left; left &= left - 1u) {
        const unsigned line = gmsim_lowest(left);
        if (shifted >> line & 1u && taken[line] != UINT8_MAX)
            quarters += 4u * targets[line];
        else
            quarters += targets[line] == 2u || targets[line] == 3u ? 3u : 4u;
    }
    return CLAMP((quarters + 3u) / 4u, 2u, wavefronts) - 1u;
}

/* Lanes of a phase of a copy through L1: each bank of the source gives a word a clock, to one lane;
 * each bank of the target takes a word a clock, also where lanes write the same word, and a zero at
 * any time. */
static uint32_t copy_phase(const uint64_t *address, const gmsim_copy_source *source, uint32_t mask,
                           uint32_t size)
{
    uint32_t finish = 0;
    uint8_t given[GMSIM_BANKS] = {0}, done[GMSIM_BANKS] = {0};
    for (uint32_t m = mask; m; m &= m - 1u) {
        const unsigned lane = gmsim_lowest(m);
        const uint32_t reads = source->mask >> lane & 1u;
        for (uint32_t byte = 0; byte < size; byte += 4u) {
            const uint32_t to = (uint32_t)(address[lane] + byte) >> WORD_SHIFT & (GMSIM_BANKS - 1u);
            const uint32_t from = (source->at[lane] + byte) >> WORD_SHIFT & (GMSIM_BANKS - 1u);
            const uint32_t clock = reads ? given[from]++ : 0;
            done[to] = (uint8_t)(MAX(done[to], clock) + 1u);
            finish = MAX(finish, done[to]);
        }
    }
    return finish;
}

/* The lanes whose data stay: of those that write one place the last. */
static uint32_t last_writers(const uint64_t *address, uint32_t mask)
{
    uint32_t last = 0, places = 0;
    for (uint32_t left = mask; left;) {
        const unsigned lane = gmsim_highest(left);
        const uint32_t place = 1u << (address[lane] >> CHUNK_SHIFT & 31u);
        bool hidden = false;
        left &= ~(1u << lane);
        if (places & place)
            for (uint32_t m = last; m && !hidden; m &= m - 1u)
                hidden = address[gmsim_lowest(m)] == address[lane];
        places |= place;
        if (!hidden)
            last |= 1u << lane;
    }
    return last;
}

/* What goes from one source line to one row of the target, sector to sector: counts of the line's
 * four sectors and of the row's, a byte each, by which half goes to which half, or both, and
 * whether to a sector of the same parity. */
#define BOTH_HALVES 4u

typedef struct copy_way {
    uint64_t row, sectors[2u * (BOTH_HALVES + 1u)];
    uint32_t line;
} copy_way;

/* Whether another of the lanes takes the other half of the same source sector to the same sector of
 * the target. */
static inline bool goes_whole(const uint64_t *address, const uint8_t *line, const uint8_t *from,
                              uint32_t lanes, unsigned lane)
{
    bool whole = false;
    for (uint32_t o = lanes & ~(1u << lane), near = o & 1u << (lane ^ 1u); o && !whole;) {
        const unsigned other = gmsim_lowest(near ? near : o);
        whole = address[other] == (address[lane] ^ CHUNK_BYTES) && line[other] == line[lane] &&
                from[other] == (from[lane] ^ 1u);
        o &= ~(1u << other);
        near = 0;
    }
    return whole;
}

static uint32_t most_of(uint64_t counts)
{
    uint32_t most = 0;
    for (; counts; counts >>= 8)
        most = MAX(most, (uint32_t)counts & 0xffu);
    return most;
}

/* A copy past L1: in a wavefront go sectors of one source line to one row, each once from and once
 * to, all of them whole or all the same half to the same half, all to sectors of the same parity or
 * all of the other. */
static uint32_t copy_past_l1(const uint64_t *address, const gmsim_copy_source *source,
                             uint32_t mask)
{
    copy_way way[GMTRACE_WARP_LANES];
    uint32_t ways = 0, wavefronts = 0, last = last_writers(address, mask);
    uint8_t from[GMTRACE_WARP_LANES], line[GMTRACE_WARP_LANES];
    for (uint32_t m = last; m; m &= m - 1u) {
        const unsigned lane = gmsim_lowest(m);
        const bool reads =
            source->mask >> lane & 1u; /* else as if its place in a line were the same */
        from[lane] = (uint8_t)((reads ? source->at[lane] : address[lane]) >> CHUNK_SHIFT & 7u);
        line[lane] = reads ? source->line[lane] : GMTRACE_WARP_LANES;
    }
    for (uint32_t m = last; m; m &= m - 1u) {
        const unsigned lane = gmsim_lowest(m);
        const uint32_t to = (uint32_t)(address[lane] >> CHUNK_SHIFT) & 7u, half = from[lane] & 1u;
        const uint64_t row = address[lane] / GMSIM_LINE_BYTES;
        const bool whole = goes_whole(address, line, from, last, lane);
        if (whole && (to & 1u))
            continue; /* the other lane counts for both */
        uint32_t i = ways;
        while (i > 0 && (way[i - 1u].row != row || way[i - 1u].line != line[lane]))
            i--;
        if (i == 0) {
            i = ++ways;
            way[i - 1u] = (copy_way){.row = row, .line = line[lane]};
        }
        const uint32_t kind = whole ? BOTH_HALVES : half | (to & 1u) << 1;
        const uint32_t other = ((uint32_t)from[lane] ^ to) >> 1 & 1u;
        way[i - 1u].sectors[2u * kind | other] +=
            UINT64_C(1) << 8u * (from[lane] >> 1) | UINT64_C(1) << (32u + 8u * (to >> 1));
    }
    for (uint32_t i = 0; i < ways; i++)
        for (uint32_t k = 0; k < G_N_ELEMENTS(way[i].sectors); k++)
            wavefronts += most_of(way[i].sectors[k]);
    return wavefronts;
}

/* Sectors of a line that go the same way: to one row, so many sectors further, as such halves. */
typedef struct copy_group {
    uint64_t way;
    uint8_t line, kind, all, again; /* sectors; those of them that come once more */
} copy_group;

/* Of a sector that several groups have, all but one have it again: the largest has it first. */
static void split_groups(copy_group *group, uint32_t groups)
{
    uint8_t seen[GMTRACE_WARP_LANES] = {0};
    for (uint32_t size = GMSIM_LINE_SECTORS; size > 0; size--)
        for (uint32_t i = 0; i < groups; i++) {
            uint8_t *had = &seen[group[i].line];
            if (gmsim_sector_count(group[i].all) != size)
                continue;
            group[i].again = group[i].all & *had;
            *had |= group[i].all;
        }
}

void gmsim_copy_past(gmsim_copy_moves *moves, const gmtrace_chunk *chunk,
                     const gmtrace_record *write, const gmsim_copy_source *source, uint32_t sectors)
{
    uint64_t address[GMTRACE_WARP_LANES];
    uint8_t from[GMTRACE_WARP_LANES];
    copy_group group[GMTRACE_WARP_LANES];
    uint32_t groups = 0;
    moves->sectors = sectors;
    moves->requests = 0;
    if (is_even(write, source))
        return;
    gmsim_lane_addresses(chunk, write, address);
    const uint32_t last = last_writers(address, write->mask) & source->mask;
    for (uint32_t m = last; m; m &= m - 1u)
        from[gmsim_lowest(m)] = source->at[gmsim_lowest(m)] >> CHUNK_SHIFT & 7u;
    moves->sectors = 0;
    for (uint32_t m = last; m; m &= m - 1u) {
        const unsigned lane = gmsim_lowest(m);
        const uint32_t to = (uint32_t)(address[lane] >> CHUNK_SHIFT) & 7u, at = from[lane];
        const bool whole = goes_whole(address, source->line, from, last, lane);
        if (whole && (to & 1u))
            continue; /* the other lane counts for both */
        const uint32_t kind = whole ? BOTH_HALVES : (at & 1u) | (to & 1u) << 1;
        const uint64_t way = address[lane] / GMSIM_LINE_BYTES << 16 |
                             (uint64_t)source->line[lane] << 8 | kind << 4 |
                             (((to >> 1) - (at >> 1)) & (GMSIM_LINE_SECTORS - 1u));
        const uint8_t sector = (uint8_t)(1u << (at >> 1));
        uint32_t i = groups;
        while (i > 0 && group[i - 1u].way != way)
            i--;
        if (i == 0) {
            i = ++groups;
            group[i - 1u] =
                (copy_group){.way = way, .line = source->line[lane], .kind = (uint8_t)kind};
        }
        moves->sectors += !(group[i - 1u].all & sector);
        group[i - 1u].all |= sector;
    }
    split_groups(group, groups);
    for (uint32_t kind = 0; kind <= BOTH_HALVES; kind++)
        for (uint32_t i = 0; i < groups; i++)
            if (group[i].kind == kind && group[i].again) {
                moves->line[moves->requests] = group[i].line;
                moves->touched[moves->requests++] = group[i].again;
            }
}

gmsim_wavefronts gmsim_banks_copy(const gmtrace_chunk *chunk, const gmtrace_record *write,
                                  const gmsim_copy_source *source, bool bypass)
{
    gmsim_wavefronts result = {0, 0};
    uint64_t address[GMTRACE_WARP_LANES];
    unsigned lanes = phase_lanes(write->size);
    uint32_t group = lanes == 32u ? GMSIM_ALL_LANES : (1u << lanes) - 1u;
    gmsim_lane_addresses(chunk, write, address);
    for (unsigned first = 0; first < GMTRACE_WARP_LANES; first += lanes) {
        uint32_t part = write->mask & (group << first);
        result.ideal += part != 0;
        if (!bypass)
            result.actual += copy_phase(address, source, part, write->size);
    }
    if (bypass)
        result.actual = copy_past_l1(address, source, write->mask);
    result.ideal = MIN(result.ideal, result.actual);
    return result;
}

/* Greatest common divisor of a stride and a power of two. */
static uint32_t common_power(uint64_t stride, uint32_t power)
{
    uint32_t low = (uint32_t)stride & (power - 1u);
    return low ? low & (0u - low) : power;
}

/* Wavefronts of `lanes` aligned accesses of up to 4 bytes, `step` bytes from one to the next: lanes
 * n apart share a bank when n steps are a multiple of all banks, and their words differ unless the
 * step is 0. 0: not known in closed form. */
static uint32_t run_wavefronts(uint64_t step, uint32_t lanes)
{
    if (step <= 4u)
        return 1; /* at most 32 words side by side */
    if (step & 3u)
        return 0;
    uint32_t banks = GMSIM_BANKS / common_power(step >> WORD_SHIFT, GMSIM_BANKS);
    return (lanes + banks - 1u) / banks;
}

static uint64_t magnitude(int32_t stride)
{
    return (uint64_t)(stride < 0 ? -(int64_t)stride : stride);
}

/* Loads and stores whose addresses follow from strides. */
static bool banks_affine(const gmtrace_record *record, gmsim_wavefronts *result)
{
    uint32_t size = record->size, mask = record->mask, lanes;
    uint64_t step = magnitude(record->stride);
    if (record->shape == GMTRACE_AFFINE) {
        if (!gmsim_is_run(mask))
            return false;
        lanes = gmsim_lane_count(mask);
    } else {
        /* Rows that are all alike, or rows of one address each, are a run of fewer lanes. */
        if (mask != GMSIM_ALL_LANES || size > 4u)
            return false;
        lanes = 1u << record->log2_columns;
        if (step == 0) {
            step = magnitude(record->stride2);
            lanes = 32u / lanes;
        } else if (record->stride2 != 0) {
            return false;
        }
    }
    if ((size & (size - 1u)) || ((record->address | step) & (size - 1u)))
        return false;
    if (size <= 4u) {
        result->ideal = 1;
        result->actual = run_wavefronts(step, lanes);
        return result->actual != 0;
    }
    if (mask != GMSIM_ALL_LANES || step == 0)
        return false; /* phases may merge */
    uint32_t phases = size / 4u, banks = GMSIM_BANKS / phases;
    result->actual = phases * common_power(step / size, banks);
    result->ideal = phases;
    return true;
}

/* Whether the wavefronts are known in closed form. */
static bool banks_known(const gmtrace_record *record, gmsim_bank_use use, gmsim_wavefronts *result)
{
    return record->shape <= GMTRACE_GRID && (use == GMSIM_BANK_LOAD || use == GMSIM_BANK_STORE) &&
           banks_affine(record, result);
}

static gmsim_wavefronts banks_counted(const gmtrace_chunk *chunk, const gmtrace_record *record,
                                      gmsim_bank_use use, uint32_t matrices)
{
    uint64_t address[GMTRACE_WARP_LANES];
    uint64_t bits = gmsim_lane_addresses(chunk, record, address);
    return banks_lanes(address, bits, record->mask, record->size, use, matrices);
}

gmsim_wavefronts gmsim_banks(const gmtrace_chunk *chunk, const gmtrace_record *record,
                             gmsim_bank_use use, uint32_t matrices)
{
    gmsim_wavefronts result;
    return banks_known(record, use, &result) ? result : banks_counted(chunk, record, use, matrices);
}

/* What the wavefronts follow from, but for offsets: all repeats every 128 bytes. */
static gmsim_bank_pattern pattern_of(const gmtrace_record *record, gmsim_bank_use use,
                                     uint32_t matrices)
{
    const bool strides = record->shape <= GMTRACE_GRID, grid = record->shape == GMTRACE_GRID;
    gmsim_bank_pattern p = {.mask = record->mask,
                            .stride = strides ? record->stride : 0,
                            .stride2 = grid ? record->stride2 : 0,
                            .at = record->address % GMSIM_LINE_BYTES,
                            .shape = record->shape,
                            .columns = grid ? record->log2_columns : 0,
                            .size = record->size,
                            .use = (uint8_t)use,
                            .matrices = (uint8_t)matrices};
    return p;
}

static bool same_pattern(const gmsim_bank_pattern *a, const gmsim_bank_pattern *b)
{
    return a->mask == b->mask && a->stride == b->stride && a->stride2 == b->stride2 &&
           a->at == b->at && a->shape == b->shape && a->columns == b->columns &&
           a->size == b->size && a->use == b->use && a->matrices == b->matrices;
}

static uint32_t hash_of(const gmsim_bank_pattern *p, const uint32_t *offset)
{
    uint32_t sum = p->mask + (uint32_t)p->stride * 0x9e3779b1u + (uint32_t)p->stride2 * 0x85ebca6bu;
    sum ^= (p->at | (uint32_t)p->size << 8 | (uint32_t)p->use << 16) * 0xc2b2ae35u;
    for (uint32_t i = 0; offset && i < GMTRACE_WARP_LANES; i++)
        sum += offset[i] * (2u * i + 0x27d4eb2fu);
    return sum * 0x9e3779b1u >> (32u - GMSIM_BANK_MEMO_BITS);
}

gmsim_wavefronts gmsim_banks_again(gmsim_bank_memo *memo, const gmtrace_chunk *chunk,
                                   const gmtrace_record *record, gmsim_bank_use use,
                                   uint32_t matrices)
{
    gmsim_wavefronts result;
    if (banks_known(record, use, &result))
        return result;
    if (record->shape == GMTRACE_FULL)
        return banks_counted(chunk, record, use, matrices);
    const uint32_t *offset = record->shape == GMTRACE_OFFSETS
                                 ? chunk->offset32 + (size_t)record->lanes * GMTRACE_WARP_LANES
                                 : NULL;
    const gmsim_bank_pattern pattern = pattern_of(record, use, matrices);
    gmsim_bank_known *known = &memo->known[hash_of(&pattern, offset)];
    if (known->pattern.mask && same_pattern(&known->pattern, &pattern) &&
        (!offset || memcmp(known->offset, offset, sizeof known->offset) == 0))
        return known->wavefronts;
    known->pattern = pattern;
    if (offset)
        memcpy(known->offset, offset, sizeof known->offset);
    known->wavefronts = banks_counted(chunk, record, use, matrices);
    return known->wavefronts;
}
