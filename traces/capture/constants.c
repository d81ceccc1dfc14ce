/* SPDX-License-Identifier: MIT
 *
 * constants.c - see constants.h.
 */
#include "traces/capture/constants.h"
#include "traces/code/named.h"

#include <stdlib.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static gmtrace_known_range *told;
static uint8_t *room; /* a bank */

static int by_offset(const void *a, const void *b)
{
    const gmtrace_known_range *one = a, *other = b;
    return one->base < other->base ? -1 : one->base > other->base;
}

/* Neither beyond the bank nor over another one: what a damaged cubin says. */
static bool fits(const gmtrace_known_range *range, uint32_t count, const gmc_constant *constant)
{
    if (!constant->size || constant->size > GMTRACE_BANK_BYTES ||
        constant->offset > GMTRACE_BANK_BYTES - constant->size)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t offset = range[i].base - GMTRACE_BANK_ADDRESS(3u);
        if (offset < constant->offset + constant->size && constant->offset < offset + range[i].size)
            return false;
    }
    return true;
}

bool gmc_constants_tell(gmtrace_known *known, const gmtrace_sass *sass,
                        const gmc_constant *constant, uint32_t count, gmc_found_copy copy)
{
    if (count > GMC_FOUND_SECTORS - MIN(known->range_count, GMC_FOUND_SECTORS))
        return true;
    gmtrace_known_range *range = malloc((known->range_count + (size_t)count + 1u) * sizeof *range);
    if (!room)
        room = malloc(GMTRACE_BANK_BYTES);
    if (!range || !room) {
        free(range);
        return false;
    }
    if (known->range_count)
        memcpy(range, known->range, known->range_count * sizeof *range);
    gmtrace_known_range *own = range + known->range_count;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const gmc_constant *one = &constant[i];
        if (!gmt_names_constants(sass->instr, sass->instr_count, one->offset, one->size) ||
            !fits(own, found, one))
            continue;
        uint8_t *bytes = room + one->offset;
        size_t size = (size_t)one->size;
        if (one->initial)
            memcpy(bytes, one->initial, size);
        else
            size = copy(bytes, one->base, size);
        if (size)
            own[found++] = (gmtrace_known_range){GMTRACE_BANK_ADDRESS(3u) + one->offset,
                                                 (uint32_t)size, bytes};
    }
    qsort(own, found, sizeof *own, by_offset);
    free(told);
    told = range;
    known->range = range;
    known->range_count += found;
    return true;
}
