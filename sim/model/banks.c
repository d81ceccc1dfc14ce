/* SPDX-License-Identifier: MIT
 *
 * banks.c - shared memory as 32 banks of 4 bytes: bank = (offset / 4) mod 32. A warp access passes
 * in phases of 128 bytes: one of 32 lanes for accesses of up to 4 bytes a lane, two of 16 lanes for
 * 8 bytes, four of 8 lanes for 16 bytes. A phase takes as many wavefronts as its busiest bank has
 * distinct words; lanes on the same word are served together, and so are writes to the same word. A
 * phase without an active lane takes none. (CUDA programming guide, "Shared Memory"; checked
 * against smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared on an H200.)
 *
 * Atomics: lanes on the same word take turns too, so a phase costs the lanes of its busiest bank.
 *
 * Left out: arbitration with other users of the data stage, which the hardware's own bank-conflict
 * counter includes.
 */
#include "sim/model/banks.h"

#include "sim/model/lanes.h"

#include <string.h>

#define WORD_SHIFT 2u

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

/* Lanes that pass together. Two phases of a wide load merge when every pair of neighbours, or every
 * pair two apart, agrees on its address: a 16-byte load then takes two phases of 16 lanes. First
 * rule, after a remark of NVIDIA's on compute capability 7.x. */
static unsigned phase_lanes(const uint64_t *address, uint32_t mask, uint32_t size,
                            gmsim_bank_use use)
{
    unsigned lanes = size <= 4u ? 32u : size <= 8u ? 16u : size <= 16u ? 8u : 4u;
    if (lanes < 32u && use == GMSIM_BANK_LOAD &&
        (pairs_agree(address, mask, 1u) || pairs_agree(address, mask, 2u)))
        lanes *= 2u;
    return lanes;
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

static gmsim_wavefronts banks_lanes(const uint64_t *address, uint64_t bits, uint32_t mask,
                                    uint32_t size, gmsim_bank_use use, uint32_t matrices)
{
    gmsim_wavefronts result = {0, 0};
    if (use == GMSIM_BANK_MATRIX) {
        size = 16u;
        if (matrices < 4u)
            mask &= (1u << (8u * matrices)) - 1u;
    }
    bool aligned = (size & (size - 1u)) == 0 && (bits & (size - 1u)) == 0;
    unsigned lanes = phase_lanes(address, mask, size, use);
    uint32_t group = lanes == 32u ? GMSIM_ALL_LANES : (1u << lanes) - 1u;
    for (unsigned first = 0; first < GMTRACE_WARP_LANES; first += lanes) {
        uint32_t part = mask & (group << first);
        if (part == 0)
            continue;
        result.actual += aligned ? aligned_phase(address, part, size, use)
                                 : unaligned_phase(address, part, size, use);
        result.ideal++;
    }
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
        return false; /* pairs may merge */
    uint32_t phases = size / 4u, banks = GMSIM_BANKS / phases;
    result->actual = phases * common_power(step / size, banks);
    result->ideal = phases;
    return true;
}

gmsim_wavefronts gmsim_banks(const gmtrace_chunk *chunk, const gmtrace_record *record,
                             gmsim_bank_use use, uint32_t matrices)
{
    gmsim_wavefronts result;
    if (record->shape <= GMTRACE_GRID && (use == GMSIM_BANK_LOAD || use == GMSIM_BANK_STORE) &&
        banks_affine(record, &result))
        return result;
    uint64_t address[GMTRACE_WARP_LANES];
    uint64_t bits = gmsim_lane_addresses(chunk, record, address);
    return banks_lanes(address, bits, record->mask, record->size, use, matrices);
}
