/* SPDX-License-Identifier: MIT
 *
 * found.c - the sectors that deciding loads read, in a hash table, and those that anything wrote,
 * in a bitmap by hash: two sectors may share a bit, so that one is left out that was not written,
 * but none is kept that was.
 */
#include "traces/capture/found.h"

#include <stdlib.h>
#include <string.h>

#include "traces/code/deciding.h"
#include "traces/code/tensor.h"

enum {
    PLACES = 2 * GMC_FOUND_SECTORS,
    WRITTEN_BITS = 1 << 24,
    MOST_ROWS = 1 << 16, /* of a box whose sectors are marked one by one */
    MOST_RANGE = 1 << 20,
    MOST_FAILURES = 64 /* then the device is asked no more */
};

struct gmc_found {
    const uint8_t *deciding;
    uint32_t instr_count;
    uint64_t *read;   /* 1 + number of a sector, 0 in free places */
    uint32_t count;   /* of them, */
    uint32_t indices; /* and of those that loads for indices brought */
    uint64_t *written;
    bool is_written; /* some bit is set */
    bool unclear;    /* something was written, and where is not known */

    gmc_found_copy copy;
    unsigned failures;
    gmtrace_known_range *range;
    uint32_t range_count;
    uint8_t *bytes, *end; /* of the ranges, one after another */
};

static uint64_t hash_of(uint64_t sector)
{
    sector *= 0x9e3779b97f4a7c15u;
    return sector ^ sector >> 32;
}

gmc_found *gmc_found_create(void)
{
    gmc_found *found = calloc(1, sizeof *found);
    if (!found)
        return NULL;
    found->read = calloc(PLACES, sizeof *found->read);
    found->written = calloc(WRITTEN_BITS / 64, sizeof *found->written);
    if (!found->read || !found->written) {
        gmc_found_free(found);
        return NULL;
    }
    return found;
}

static void forget_memory(gmc_found *found)
{
    free(found->range);
    free(found->bytes);
    found->range = NULL;
    found->bytes = found->end = NULL;
    found->range_count = 0;
}

void gmc_found_free(gmc_found *found)
{
    if (!found)
        return;
    forget_memory(found);
    free(found->read);
    free(found->written);
    free(found);
}

void gmc_found_begin(gmc_found *found, const uint8_t *deciding, uint32_t count)
{
    forget_memory(found);
    if (found->count)
        memset(found->read, 0, PLACES * sizeof *found->read);
    if (found->is_written)
        memset(found->written, 0, WRITTEN_BITS / 8);
    found->count = found->indices = 0;
    found->is_written = found->unclear = false;
    found->deciding = deciding;
    found->instr_count = count;
}

/* ------------------------------------------------------------------------ while the launch runs */

static void note_read(gmc_found *found, uint64_t sector)
{
    uint64_t place = hash_of(sector) % PLACES;
    while (found->read[place] && found->read[place] != sector + 1)
        place = (place + 1) % PLACES;
    /* A range of the very last sector would end beyond the address space. */
    if (found->read[place] || found->count == GMC_FOUND_SECTORS ||
        sector == UINT64_MAX / GMC_FOUND_SECTOR)
        return;
    found->read[place] = sector + 1;
    found->count++;
}

/* Some of them tell what the rest are like. */
static void note_index(gmc_found *found, uint64_t sector)
{
    const uint32_t before = found->count;
    if (found->indices < GMC_FOUND_INDICES)
        note_read(found, sector);
    found->indices += found->count - before;
}

static void note_written(gmc_found *found, uint64_t sector)
{
    const uint64_t bit = hash_of(sector) % WRITTEN_BITS;
    found->written[bit / 64] |= 1ull << bit % 64;
    found->is_written = true;
}

/* The sectors of some bytes; *last is one that was noted just before. */
static void note(gmc_found *found, uint64_t address, uint64_t size, uint64_t *last,
                 void (*how)(gmc_found *, uint64_t))
{
    const uint64_t end = (address + size - 1) / GMC_FOUND_SECTOR;
    for (uint64_t sector = address / GMC_FOUND_SECTOR; size && sector <= end; sector++)
        if (sector != *last) {
            how(found, sector);
            *last = sector;
        }
}

static void note_lanes(gmc_found *found, const gmtrace_record *record, const uint64_t *address,
                       void (*how)(gmc_found *, uint64_t))
{
    uint64_t lane[GMTRACE_WARP_LANES], last = UINT64_MAX;
    if (!address) {
        gmtrace_expand(NULL, record, lane);
        address = lane;
    }
    for (uint32_t left = record->mask; left; left &= left - 1)
        note(found, address[__builtin_ctz(left)], record->size, &last, how);
}

void gmc_found_record(gmc_found *found, const gmtrace_record *record,
                      const uint64_t address[GMTRACE_WARP_LANES], bool shows)
{
    uint64_t last = UINT64_MAX;
    uint8_t deciding;
    if (record->space != GMTRACE_SPACE_GLOBAL)
        return;
    switch (record->op) {
    case GMTRACE_OP_LOAD:
    case GMTRACE_OP_COPY_READ:
        deciding = record->instr < found->instr_count ? found->deciding[record->instr] : 0;
        if (deciding == GMT_DECIDES)
            note_lanes(found, record, address, note_read);
        else if (deciding && shows)
            note_lanes(found, record, address, note_index);
        break;
    case GMTRACE_OP_STORE:
    case GMTRACE_OP_ATOMIC:
    case GMTRACE_OP_REDUCTION:
        note_lanes(found, record, address, note_written);
        break;
    case GMTRACE_OP_BULK_STORE:
    case GMTRACE_OP_BULK_REDUCE:
        if (record->kind == GMTRACE_BULK)
            note(found, record->aux64, record->aux, &last, note_written);
        break;
    default:
        break;
    }
}

void gmc_found_tensor(gmc_found *found, const gmtrace_record *record,
                      const uint64_t map[GMTRACE_TENSOR_WORDS])
{
    gmtrace_tensor tensor;
    gmtrace_tensor_copy copy;
    gmtrace_tensor_walk walk;
    gmtrace_tensor_row row;
    uint64_t last = UINT64_MAX;
    if (record->op != GMTRACE_OP_BULK_STORE && record->op != GMTRACE_OP_BULK_REDUCE)
        return;
    if (!gmtrace_tensor_read(map, &tensor) || gmtrace_tensor_rows(&tensor) > MOST_ROWS) {
        found->unclear = true;
        return;
    }
    gmtrace_get_tensor_copy(record, &copy);
    gmtrace_tensor_begin(&walk, &tensor, copy.coordinate);
    while (gmtrace_tensor_next(&walk, &row))
        note(found, row.address + row.begin, row.end - row.begin, &last, note_written);
}

/* -------------------------------------------------------------------------------- when it ended */

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The sectors that were read and not written, ascending. */
static uint32_t list_sectors(const gmc_found *found, uint64_t *sector)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        if (!found->read[i])
            continue;
        const uint64_t bit = hash_of(found->read[i] - 1) % WRITTEN_BITS;
        if (!(found->written[bit / 64] >> bit % 64 & 1))
            sector[count++] = found->read[i] - 1;
    }
    qsort(sector, count, sizeof *sector, by_number);
    return count;
}

/* The bytes stand behind those of the range before. */
static void add(gmc_found *found, uint64_t base, uint32_t size)
{
    gmtrace_known_range *last = found->range + found->range_count - 1;
    if (found->range_count && last->base + last->size == base && last->size + size <= MOST_RANGE)
        last->size += size;
    else
        found->range[found->range_count++] = (gmtrace_known_range){base, size, found->end};
    found->end += size;
}

/* Some neighbours in one copy; where that fails, which of them can be copied: they may be of two
 * allocations, of which one is gone. The last sector of one may be no whole one. */
static void fetch(gmc_found *found, uint64_t sector, uint32_t count)
{
    const uint64_t base = sector * GMC_FOUND_SECTOR;
    const uint32_t size = count * GMC_FOUND_SECTOR;
    if (!count || found->failures >= MOST_FAILURES)
        return;
    const uint32_t copied = (uint32_t)found->copy(found->end, base, size);
    const uint32_t done = (copied + GMC_FOUND_SECTOR - 1u) / GMC_FOUND_SECTOR;
    if (copied) {
        add(found, base, copied);
        fetch(found, sector + done, count - done);
        return;
    }
    found->failures++;
    if (count == 1)
        return;
    fetch(found, sector, count / 2);
    fetch(found, sector + count / 2, count - count / 2);
}

static void fetch_all(gmc_found *found, const uint64_t *sector, uint32_t count)
{
    for (uint32_t i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && sector[next] == sector[next - 1] + 1 &&
               next - i < MOST_RANGE / GMC_FOUND_SECTOR)
            next++;
        fetch(found, sector[i], next - i);
    }
}

bool gmc_found_memory(gmc_found *found, gmc_found_copy copy, gmtrace_known *known)
{
    known->range_count = 0;
    known->range = NULL;
    forget_memory(found);
    if (found->unclear || !found->count)
        return true;
    uint64_t *sector = malloc(found->count * sizeof *sector);
    found->range = malloc(found->count * sizeof *found->range);
    found->bytes = found->end = malloc((size_t)found->count * GMC_FOUND_SECTOR);
    const bool memory = sector && found->range && found->bytes;
    found->copy = copy;
    found->failures = 0;
    if (memory)
        fetch_all(found, sector, list_sectors(found, sector));
    free(sector);
    if (!memory)
        forget_memory(found);
    known->range_count = found->range_count;
    known->range = found->range;
    return memory;
}
