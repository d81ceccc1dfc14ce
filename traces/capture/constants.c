/* SPDX-License-Identifier: MIT
 *
 * constants.c - see constants.h. The code names a variable where an operand begins in it:
 * c[0x3][0x38], c[0x3][R4+0x38]; a register alone may be of any.
 */
#include "traces/capture/constants.h"

#include <stdlib.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static gmtrace_known_range *told;
static uint8_t *room; /* a bank */

/* The next operand from there on that reads bank 3; NULL where there is none. */
static const char *next_operand(const char *text)
{
    static const char bank[] = "c[0x3][";
    const char *at = text ? strstr(text, bank) : NULL;
    return at ? at + sizeof bank - 1 : NULL;
}

/* Where the operand begins, if it is in one variable. */
static bool begins_at(const char *operand, uint64_t *offset)
{
    const char *at = strstr(operand, "0x"), *end = strchr(operand, ']');
    if (!at || !end || at > end || (at > operand && at[-1] == '-'))
        return false;
    *offset = strtoull(at, NULL, 16);
    return true;
}

static bool is_named(const gmtrace_sass *sass, const gmc_constant *constant)
{
    for (uint32_t i = 0; i < sass->instr_count; i++)
        for (const char *o = next_operand(sass->instr[i].operands); o; o = next_operand(o)) {
            uint64_t offset;
            if (!begins_at(o, &offset) || offset - constant->offset < constant->size)
                return true;
        }
    return false;
}

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
        if (!is_named(sass, &constant[i]) || !fits(own, found, &constant[i]))
            continue;
        uint8_t *bytes = room + constant[i].offset;
        const size_t size = copy(bytes, constant[i].base, (size_t)constant[i].size);
        if (size)
            own[found++] = (gmtrace_known_range){GMTRACE_BANK_ADDRESS(3u) + constant[i].offset,
                                                 (uint32_t)size, bytes};
    }
    qsort(own, found, sizeof *own, by_offset);
    free(told);
    told = range;
    known->range = range;
    known->range_count += found;
    return true;
}
