/* SPDX-License-Identifier: MIT
 *
 * varying.c - whether the lanes of a warp have different values in a register. No capture records
 * loads from constant memory, whose cost depends on how many addresses a warp asks for; the code
 * tells where an index comes from. A register varies if its value is made of the thread's number in
 * x, of the lane's, or of something that was loaded or shuffled; not if of constants, of CTA
 * numbers, or of a thread number shifted right by five or more.
 *
 * Left out: the flow of control (the nearest write further up counts), values that vary but agree
 * here, thread numbers in y and z where a row of threads is no whole number of warps.
 */
#include "traces/code/decoded_private.h"

#define STEPS 64u /* instructions looked at, at most */

static bool names(const gmtrace_operand *operand, bool write, uint32_t reg)
{
    return operand->file == GMTRACE_REG_GENERAL && (operand->write != 0) == write &&
           reg >= operand->first && reg < (uint32_t)operand->first + operand->count;
}

/* The nearest instruction before `at` that writes the register; `at` itself if there is none. */
static uint32_t writer_of(const gmtrace_kernel *kernel, uint32_t at, uint32_t reg)
{
    for (uint32_t n = at; n-- > 0;)
        for (uint32_t k = 0; k < kernel->instr[n].operand_count; k++)
            if (names(&kernel->instr[n].operand[k], true, reg))
                return n;
    return at;
}

bool gmt_varies(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t at)
{
    uint32_t instr[STEPS], count = 0, next = 0;
    for (uint32_t from = at;; from = instr[next++]) {
        const gmtrace_instr *self = &kernel->instr[from];
        if (from != at && decoded[from].lanes == GMTRACE_LANES_DIFFER)
            return true;
        if (from != at && decoded[from].lanes == GMTRACE_LANES_AGREE)
            goto done;
        for (uint32_t k = 0; k < self->operand_count; k++) {
            const gmtrace_operand *operand = &self->operand[k];
            for (uint32_t reg = operand->first;
                 reg < (uint32_t)operand->first + operand->count && count < STEPS; reg++) {
                if (!names(operand, false, reg))
                    break;
                uint32_t writer = writer_of(kernel, from, reg), seen = 0;
                while (seen < count && instr[seen] != writer)
                    seen++;
                if (writer != from && seen == count)
                    instr[count++] = writer;
            }
        }
    done:
        if (next == count)
            return false;
    }
}
