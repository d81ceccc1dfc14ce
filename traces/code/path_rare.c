/* SPDX-License-Identifier: MIT
 *
 * path_rare.c - which side of a branch is for rare cases, by the comparison that decides it: floats
 * are hardly ever equal, not a number, very large or very small; who compares with a very small
 * positive number does so with what is not negative. Left out: comparisons with numbers in
 * registers, and combined ones.
 */
#include "traces/code/path_graph.h"

#include "traces/code/decoded_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGE 1e4
#define SMALL 1e-4
/* exp() of doubles compares the high word of its argument so, as if it were a float: 708.4. */
#define EXP_LIMIT 4.1917929649353027344

static bool has_any(const char *opcode, const char *const *modifier)
{
    for (; *modifier; modifier++)
        if (gmt_has_modifier(opcode, *modifier))
            return true;
    return false;
}

/* Of "P0, PT, |R66|, 4.19, PT": 1, the comparison is hardly ever true; 0, hardly ever false; -1,
 * who knows. */
static int rare_result(const gmtrace_instr *decider)
{
    static const char *const above[] = {"GE", "GEU", "GT", "GTU", NULL};
    static const char *const below[] = {"LE", "LEU", "LT", "LTU", NULL};
    static const char *const equal[] = {"EQ", "EQU", "NAN", NULL};
    static const char *const other[] = {"NE", "NEU", "NUM", NULL};
    const char *op = decider->opcode;
    const char *value = strstr(decider->operands, ", PT, ");
    const size_t length = strlen(decider->operands);
    if ((!gmt_has_prefix(op, "FSETP") && !gmt_has_prefix(op, "DSETP") &&
         !gmt_has_prefix(op, "HSETP2")) ||
        !value || length < 4 || strcmp(decider->operands + length - 4, ", PT") != 0)
        return -1;
    if (has_any(op, equal) || has_any(op, other))
        return has_any(op, equal);
    const char *limit = strstr(value + 6, ", ");
    char *end = NULL;
    const double number = limit ? strtod(limit + 2, &end) : 0;
    if (!limit || end == limit + 2 || (!has_any(op, above) && !has_any(op, below)))
        return -1;
    if (number >= LARGE || number == EXP_LIMIT)
        return has_any(op, above);
    return number > 0 && number < SMALL ? has_any(op, below) : -1;
}

path_rare path_rare_side(const gmtrace_instr *decider, const gmtrace_instr *branch)
{
    const int rare = decider ? rare_result(decider) : -1;
    if (rare < 0)
        return PATH_RARE_NEITHER;
    return (rare == 1) != branch->predicate_negated ? PATH_RARE_JUMPS : PATH_RARE_FALLS;
}
