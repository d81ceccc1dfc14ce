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
#include "sim/model/time/pace.h"

#include <stdlib.h>
#include <string.h>

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

/* SHF.R and the like by a constant of 5 or more. */
static bool leaves_lane(const gmtrace_instr *instr)
{
    if (strncmp(instr->opcode, "SHF.R", 5) != 0)
        return false;
    const char *amount = instr->operands ? strstr(instr->operands, ", 0x") : NULL;
    return amount && strtoul(amount + 4, NULL, 16) >= 5u;
}

static bool brings_variety(const gmtrace_instr *instr)
{
    if (strncmp(instr->opcode, "S2R", 3) == 0)
        return instr->operands &&
               (strstr(instr->operands, "TID.X") || strstr(instr->operands, "LANEID")) &&
               !strstr(instr->operands, "CTAID");
    switch ((gmtrace_class)instr->op_class) {
    case GMTRACE_CLASS_LOAD:
        return instr->space != GMTRACE_SPACE_CONSTANT && strncmp(instr->opcode, "LDC", 3) != 0;
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_SHUFFLE:
        return true;
    default:
        return false;
    }
}

bool gmsim_varies(const gmtrace_kernel *kernel, uint32_t at)
{
    uint32_t instr[STEPS], count = 0, next = 0;
    for (uint32_t from = at;; from = instr[next++]) {
        const gmtrace_instr *self = &kernel->instr[from];
        if (from != at && self->opcode) {
            if (brings_variety(self))
                return true;
            if (leaves_lane(self))
                goto done;
        }
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
