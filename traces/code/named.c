/* SPDX-License-Identifier: MIT
 *
 * named.c - see named.h.
 */
#include "traces/code/named.h"

#include <stdlib.h>
#include <string.h>

/* The next operand from there on that reads bank 3; NULL where there is none. */
static const char *next_operand(const char *text)
{
    static const char bank[] = "c[0x3][";
    const char *at = text ? strstr(text, bank) : NULL;
    return at ? at + sizeof bank - 1 : NULL;
}

/* Where the operand begins, if that is in one variable. */
static bool begins_at(const char *operand, uint64_t *offset)
{
    const char *at = strstr(operand, "0x"), *end = strchr(operand, ']');
    if (!at || !end || at > end || (at > operand && at[-1] == '-'))
        return false;
    *offset = strtoull(at, NULL, 16);
    return true;
}

bool gmt_names_constants(const gmtrace_instr *instr, uint32_t count, uint64_t offset, uint64_t size)
{
    for (uint32_t i = 0; i < count; i++)
        for (const char *o = next_operand(instr[i].operands); o; o = next_operand(o)) {
            uint64_t first;
            if (!begins_at(o, &first) || first - offset < size)
                return true;
        }
    return false;
}
