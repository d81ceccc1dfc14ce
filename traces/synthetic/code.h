/* SPDX-License-Identifier: MIT
 *
 * code.h - writes the instruction table of a synthetic kernel: SASS as text, line by line, with
 * labels; class, width and registers are read out of the text as for captured code, and control
 * bits are set as the hardware needs them. Private to libgmtrace.
 */
#ifndef GMTRACE_PRIVATE_CODE_H
#define GMTRACE_PRIVATE_CODE_H

#include "traces/gmtrace.h"

#define GMT_MAX_LABELS 16u

typedef struct gmt_code {
    gmtrace_instr *instr; /* opcode and operands are owned */
    uint32_t count;
    uint32_t label[GMT_MAX_LABELS]; /* index of the instruction that follows the label */
    bool failed;                    /* no memory */
} gmt_code;

/* Appends "@!P0 LDG.E R4, desc[UR4][R2.64]" and returns its index. "`(.L_3)" is label 3. */
uint32_t gmt_code_put(gmt_code *code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The next instruction is where label `number` points. */
void gmt_code_label(gmt_code *code, unsigned number);
/* After the last instruction: pcs, targets, classes, registers, control bits. */
bool gmt_code_finish(gmt_code *code);
/* Registers a thread that the code needs. */
uint32_t gmt_code_registers(const gmt_code *code);
void gmt_code_free(gmt_code *code);

/* "", ".64" or ".128", ".U8", ".U16": what an access of so many bytes has behind its name. */
const char *gmt_width(uint64_t bytes);
/* Registers that such an access moves. */
static inline unsigned gmt_words(uint64_t bytes)
{
    return bytes > 4 ? (unsigned)(bytes / 4) : 1;
}

#endif
