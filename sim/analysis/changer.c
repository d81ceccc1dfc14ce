/* SPDX-License-Identifier: MIT
 *
 * changer.c - a change of a launch: the addresses of each access as they would be.
 *
 * - No conflicts: the lanes of a request with bank conflicts lie side by side.
 * - Coalesced: lanes a fixed distance apart become neighbours, and what lay between two of them
 * goes between blocks of 32 (structure of arrays, or a tile): every byte has its place, so that
 * what is read again stays so. Lanes without a pattern find their data in as many of their sectors
 * as these fill.
 * - Padding, swizzle: each word of shared memory goes where `tile[32][33]`, or the exclusive or of
 *   column and row, puts it.
 * - float4: four accesses become one of four times the width, at four times the distance from the
 *   array's beginning: those of four iterations, or of four CTAs of which one is run.
 * - One atomic: of a CTA's reductions into one word the first warp's is left, with one lane.
 *
 * Left out: global atomics stay where they are; matrices (LDSM) have rows of 16 bytes, side by
 * side.
 */
#include "sim/analysis/changer.h"

#include "sim/analysis/whatif.h"
#include "sim/model/count/banks.h"
#include "sim/model/count/coalesce.h"
#include "sim/model/count/lanes.h"
#include "sim/model/whatif.h"

#include <stdlib.h>
#include <string.h>

#define FLOAT4 4u /* elements */

/* A warp's way through an instruction that is widened. */
typedef struct passage {
    uint64_t cta, first; /* plus one: 0 is nobody's; address of its first access */
    uint32_t warp, count;
} passage;

struct gmsim_changer {
    gmsim_whatif whatif;
    gmsim_change change;
    const gmsim_whatif_facts *facts;
    gmtrace_chunk chunk; /* holds `address` */
    uint64_t address[GMTRACE_WARP_LANES];
    uint32_t slots, widened; /* warps of all SMs; instructions */
    uint32_t *number;        /* of each instruction that is widened, among them */
    passage *passage;        /* by slot and that number */
    uint64_t *word;          /* by instruction: where the first reduction went; 0: none yet */
};

/* ------------------------------------------------------------------------------------ addresses */

/* The lanes' addresses are those in changer->address. */
static void put_addresses(gmsim_changer *c, const gmtrace_chunk **chunk, gmtrace_record *record)
{
    record->shape = GMTRACE_FULL;
    record->lanes = 0;
    *chunk = &c->chunk;
}

static void put_run(gmtrace_record *record, uint64_t address, int32_t stride)
{
    record->shape = GMTRACE_AFFINE;
    record->address = address;
    record->stride = stride;
}

/* Where the allocation begins that holds the address; false: none does. */
static bool base_of(const gmtrace_launch *launch, uint64_t address, uint64_t *base)
{
    uint32_t low = 0, high = launch->allocation_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2u;
        if (launch->allocation[middle].base <= address)
            low = middle + 1u;
        else
            high = middle;
    }
    if (low == 0 ||
        address - launch->allocation[low - 1u].base >= launch->allocation[low - 1u].size)
        return false;
    *base = launch->allocation[low - 1u].base;
    return true;
}

/* --------------------------------------------------------------------------------- shared memory
 */

static bool is_matrix(const gmsim_changer *c, const gmtrace_record *record)
{
    const gmtrace_kernel *kernel = c->facts->kernel;
    return record->instr < kernel->instr_count && kernel->instr[record->instr].matrices != 0;
}

static void spread(gmsim_changer *c, const gmtrace_chunk *chunk, gmtrace_record *record)
{
    const bool matrix = is_matrix(c, record);
    const gmsim_bank_use use =
        matrix                                                                  ? GMSIM_BANK_MATRIX
        : record->op == GMTRACE_OP_LOAD                                         ? GMSIM_BANK_LOAD
        : record->op == GMTRACE_OP_ATOMIC || record->op == GMTRACE_OP_REDUCTION ? GMSIM_BANK_ATOMIC
                                                                                : GMSIM_BANK_STORE;
    const gmsim_wavefronts w = gmsim_banks(
        chunk, record, use, matrix ? c->facts->kernel->instr[record->instr].matrices : 0);
    if (w.actual > w.ideal)
        put_run(record, 0, matrix ? 16 : record->size);
}

static uint64_t padded(const gmsim_whatif_facts *facts, uint64_t address)
{
    return address + address / facts->row * facts->unit;
}

static uint64_t swizzled(const gmsim_whatif_facts *facts, uint64_t address)
{
    const uint64_t units = GMSIM_LINE_BYTES / facts->unit, row = address / facts->row;
    return address ^ (row % units) * facts->unit;
}

static void move_words(gmsim_changer *c, const gmtrace_chunk **chunk, gmtrace_record *record,
                       uint64_t (*moved)(const gmsim_whatif_facts *, uint64_t))
{
    gmsim_lane_addresses(*chunk, record, c->address);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
        c->address[i] = moved(c->facts, c->address[i]);
    put_addresses(c, chunk, record);
}

/* --------------------------------------------------------------------------------- global memory
 */

/* Lanes `stride` apart: of each block of 32 such distances, what is `rest` into its distance lies
 * side by side with the same of the 31 others. */
static void transpose(gmsim_changer *c, const gmtrace_chunk **chunk, gmtrace_record *record,
                      uint64_t stride)
{
    const uint64_t block = stride * GMTRACE_WARP_LANES, size = record->size;
    uint64_t base = 0;
    gmsim_lane_addresses(*chunk, record, c->address);
    (void)base_of(c->facts->launch, c->address[gmsim_lowest(record->mask)], &base);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        uint64_t offset = c->address[i] - base, within = offset % block, rest = within % stride;
        c->address[i] = base + offset - within + rest / size * size * GMTRACE_WARP_LANES +
                        within / stride * size + rest % size;
    }
    put_addresses(c, chunk, record);
}

static int by_address(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Lanes without a pattern: their bytes lie packed in the first of the sectors they touch. */
static void pack(gmsim_changer *c, const gmtrace_chunk **chunk, gmtrace_record *record,
                 const gmsim_footprint *footprint)
{
    uint64_t sector[GMSIM_MAX_LINES * GMSIM_LINE_SECTORS];
    const uint32_t kept = gmsim_sectors_ideal(footprint);
    uint32_t sectors = 0, bytes = 0;
    for (uint32_t i = 0; i < footprint->lines; i++)
        for (uint32_t s = 0; s < GMSIM_LINE_SECTORS; s++)
            if (footprint->touched[i] >> s & 1u)
                sector[sectors++] = footprint->line[i] * GMSIM_LINE_BYTES + s * GMSIM_SECTOR_BYTES;
    qsort(sector, sectors, sizeof *sector, by_address);
    memset(c->address, 0, sizeof c->address);
    for (uint32_t left = record->mask; left; left &= left - 1u) {
        c->address[gmsim_lowest(left)] =
            sector[bytes / GMSIM_SECTOR_BYTES] + bytes % GMSIM_SECTOR_BYTES;
        bytes = (bytes + record->size) % (kept * GMSIM_SECTOR_BYTES);
    }
    put_addresses(c, chunk, record);
}

static void coalesce(gmsim_changer *c, const gmtrace_chunk **chunk, gmtrace_record *record)
{
    gmsim_footprint footprint;
    if (record->op != GMTRACE_OP_LOAD && record->op != GMTRACE_OP_STORE &&
        record->op != GMTRACE_OP_COPY_READ)
        return;
    gmsim_coalesce(&footprint, *chunk, record);
    if (footprint.sectors <= gmsim_sectors_ideal(&footprint))
        return;
    uint64_t stride = (uint64_t)(record->stride < 0 ? -(int64_t)record->stride : record->stride);
    if (record->shape == GMTRACE_AFFINE && stride > record->size && stride % record->size == 0)
        transpose(c, chunk, record, stride);
    else
        pack(c, chunk, record, &footprint);
}

/* False: another iteration moves these bytes. */
static bool widen(gmsim_changer *c, const gmsim_actor *actor, gmtrace_record *record)
{
    uint64_t base, first = record->address;
    if (record->instr >= c->facts->kernel->instr_count ||
        !(c->facts->chosen[record->instr] & GMSIM_CHOSEN_WIDEN) ||
        record->shape != GMTRACE_AFFINE || record->stride != 4 || record->size != 4u ||
        !base_of(c->facts->launch, record->address + 4u * gmsim_lowest(record->mask), &base))
        return true;
    if (!c->facts->by_cta) {
        passage *p = &c->passage[(size_t)actor->slot * c->widened + c->number[record->instr]];
        if (p->cta != actor->cta + 1u || p->warp != actor->warp)
            *p = (passage){.cta = actor->cta + 1u, .warp = actor->warp, .first = record->address};
        if (p->count++ % FLOAT4)
            return false;
        first = p->first;
    }
    record->size = 16u;
    put_run(record, base + FLOAT4 * (first - base) + (record->address - first), 16);
    return true;
}

/* False: the block's one atomic does its work. */
static bool add_once(gmsim_changer *c, const gmsim_actor *actor, const gmtrace_chunk *chunk,
                     gmtrace_record *record)
{
    uint64_t address[GMTRACE_WARP_LANES];
    if (record->instr >= c->facts->kernel->instr_count ||
        !(c->facts->chosen[record->instr] & GMSIM_CHOSEN_ATOMIC))
        return true;
    gmsim_lane_addresses(chunk, record, address);
    uint64_t *word = &c->word[record->instr];
    if (!*word)
        *word = address[gmsim_lowest(record->mask)];
    for (uint32_t left = record->mask; left; left &= left - 1u)
        if (address[gmsim_lowest(left)] != *word)
            return true;
    if (actor->warp > 0)
        return false;
    record->mask &= ~record->mask + 1u;
    return true;
}

/* ---------------------------------------------------------------------------------------- access
 */

static bool change_access(gmsim_whatif *whatif, const gmsim_actor *actor,
                          const gmtrace_chunk **chunk, gmtrace_record *record)
{
    gmsim_changer *c = (gmsim_changer *)(void *)whatif; /* its first member */
    const bool shared = record->space == GMTRACE_SPACE_SHARED;
    const bool global = record->space == GMTRACE_SPACE_GLOBAL;
    if (record->mask == 0 || record->size == 0 || record->size > GMSIM_MAX_WIDTH)
        return true; /* refused, or a prefetch */
    switch (c->change) {
    case GMSIM_CHANGE_NO_CONFLICTS:
        if (shared)
            spread(c, *chunk, record);
        return true;
    case GMSIM_CHANGE_PAD:
    case GMSIM_CHANGE_SWIZZLE:
        if (shared)
            move_words(c, chunk, record, c->change == GMSIM_CHANGE_PAD ? padded : swizzled);
        return true;
    case GMSIM_CHANGE_COALESCED:
        if (global)
            coalesce(c, chunk, record);
        return true;
    case GMSIM_CHANGE_FLOAT4:
        return !global || widen(c, actor, record);
    case GMSIM_CHANGE_ONE_ATOMIC:
        return !global || add_once(c, actor, *chunk, record);
    case GMSIM_CHANGE_NO_SPILLS:
        return record->space != GMTRACE_SPACE_LOCAL;
    default:
        return true;
    }
}

static bool changes_accesses(gmsim_change change)
{
    switch (change) {
    case GMSIM_CHANGE_NO_CONFLICTS:
    case GMSIM_CHANGE_PAD:
    case GMSIM_CHANGE_SWIZZLE:
    case GMSIM_CHANGE_COALESCED:
    case GMSIM_CHANGE_FLOAT4:
    case GMSIM_CHANGE_ONE_ATOMIC:
    case GMSIM_CHANGE_NO_SPILLS:
        return true;
    default:
        return false;
    }
}

gmsim_changer *gmsim_changer_new(const gmsim_gpu *gpu)
{
    gmsim_changer *c = g_new0(gmsim_changer, 1);
    c->slots = gmsim_whatif_slots(gpu);
    c->chunk.address64 = c->address;
    return c;
}

void gmsim_changer_free(gmsim_changer *c)
{
    if (!c)
        return;
    g_free(c->number);
    g_free(c->passage);
    g_free(c->word);
    g_free(c);
}

gmsim_whatif *gmsim_changer_whatif(gmsim_changer *c)
{
    return &c->whatif;
}

/* Room for what is remembered of instructions. */
static void remember(gmsim_changer *c)
{
    const uint32_t instrs = c->facts->kernel->instr_count;
    c->number = g_renew(uint32_t, c->number, instrs + 1u);
    c->word = g_renew(uint64_t, c->word, instrs + 1u);
    memset(c->word, 0, (instrs + 1u) * sizeof *c->word);
    c->widened = 0;
    for (uint32_t i = 0; i < instrs; i++)
        if (c->facts->chosen[i] & GMSIM_CHOSEN_WIDEN)
            c->number[i] = c->widened++;
    g_free(c->passage);
    c->passage = c->change == GMSIM_CHANGE_FLOAT4 && !c->facts->by_cta
                     ? g_new0(passage, (size_t)c->slots * MAX(c->widened, 1u))
                     : NULL;
}

void gmsim_changer_set(gmsim_changer *c, gmsim_change change, const gmsim_whatif_facts *facts)
{
    c->whatif = (gmsim_whatif){0};
    c->change = change;
    c->facts = facts;
    if (!facts || !(facts->applies >> change & 1u))
        return;
    c->whatif.l1_holds = change == GMSIM_CHANGE_L1_HITS;
    c->whatif.free_fills = change == GMSIM_CHANGE_L2_HITS;
    c->whatif.no_waiting = change == GMSIM_CHANGE_NO_BARRIERS;
    c->whatif.full_occupancy = change == GMSIM_CHANGE_OCCUPANCY;
    c->whatif.more_shared = change == GMSIM_CHANGE_PAD ? facts->more_shared : 0;
    c->whatif.one_in = change == GMSIM_CHANGE_FLOAT4 && facts->by_cta ? FLOAT4 : 1u;
    if (!changes_accesses(change))
        return;
    c->whatif.access = change_access;
    remember(c);
}
