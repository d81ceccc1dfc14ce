/* SPDX-License-Identifier: MIT
 *
 * banks.c - what an arithmetic instruction reads of the register file. Registers lie in two banks,
 * those of even numbers in one, of odd in the other, and a bank gives one register a clock to a
 * sub-partition's warps (validate/micro/math_mixes.cu). Not read is what the instruction names
 * twice, and what the one before kept in the same place among its operands: `.reuse`. DFMA and the
 * like keep theirs apart from all others.
 *
 * Left out: memory and tensor instructions; what is kept over a branch.
 */
#include "traces/code/decoded_private.h"

#include <stdlib.h>

#define PLACES 8u /* of operands */
#define NONE   256u

typedef struct source {
    unsigned number; /* NONE: no register */
    bool keeps;
} source;

static bool counts(uint8_t unit)
{
    return unit >= GMTRACE_UNIT_FP32 && unit <= GMTRACE_UNIT_BITS;
}

/* "R4.reuse", "-R5", "|R6|": of operands apart from predicates, as they come after the result. */
static unsigned read_sources(const gmtrace_instr *instr, source of[PLACES])
{
    unsigned count = 0;
    bool first = true;
    for (const char *at = instr->operands; *at && count < PLACES; first = false) {
        at += strspn(at, " -|~!");
        const size_t length = strcspn(at, ",");
        const bool predicate = *at == 'P' || strncmp(at, "UP", 2) == 0;
        if (!first && !predicate) {
            of[count] = (source){.number = NONE};
            if (*at == 'R' && at[1] >= '0' && at[1] <= '9') {
                char *end;
                of[count].number = (unsigned)strtoul(at + 1, &end, 10);
                of[count].keeps = strncmp(end, ".reuse", 6) == 0;
            }
            count++;
        }
        at += length + (at[length] == ',');
    }
    return count;
}

/* Registers of the operand at that place: doubles, and the sum of IMAD.WIDE, are pairs. */
static unsigned width_of(uint8_t unit, unsigned place)
{
    return unit == GMTRACE_UNIT_FP64 || (unit == GMTRACE_UNIT_IMAD_WIDE && place == 2) ? 2 : 1;
}

/* Results of the others come later, or are pairs. */
static bool is_of_words(uint8_t unit)
{
    return unit == GMTRACE_UNIT_FP32 || unit == GMTRACE_UNIT_IMAD || unit == GMTRACE_UNIT_ALU;
}

static void note_result(const gmtrace_instr *instr, gmtrace_decoded *decoded)
{
    const char *at = instr->operands;
    if (*at != 'R' || at[1] < '0' || at[1] > '9')
        return;
    if (is_of_words(decoded->unit)) {
        decoded->result = (uint8_t)strtoul(at + 1, NULL, 10);
        decoded->results = 1;
    }
    decoded->writes_late =
        decoded->unit == GMTRACE_UNIT_FP64 || decoded->unit == GMTRACE_UNIT_FP16_MMA;
}

void gmt_count_reads(const gmtrace_kernel *kernel, gmtrace_decoded *decoded)
{
    unsigned kept[2][PLACES];
    memset(kept, 0xff, sizeof kept);
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const gmtrace_instr *instr = &kernel->instr[i];
        if (!counts(decoded[i].unit) || !instr->operands)
            continue;
        source of[PLACES];
        const unsigned count = read_sources(instr, of);
        unsigned *keep = kept[decoded[i].unit == GMTRACE_UNIT_FP64];
        for (unsigned k = 0; k < count; k++) {
            bool there = of[k].number == NONE || keep[k] == of[k].number;
            for (unsigned j = 0; j < k; j++)
                there |= of[j].number == of[k].number;
            const unsigned width = there ? 0 : width_of(decoded[i].unit, k);
            if (width && is_of_words(decoded[i].unit) &&
                decoded[i].sources < sizeof decoded->source)
                decoded[i].source[decoded[i].sources++] = (uint8_t)of[k].number;
            for (unsigned r = of[k].number; r < of[k].number + width; r++)
                decoded[i].reads[r & 1u]++;
        }
        note_result(instr, &decoded[i]);
        for (unsigned k = 0; k < PLACES; k++)
            keep[k] = k < count && of[k].keeps ? of[k].number : NONE;
    }
}
