/* SPDX-License-Identifier: MIT
 *
 * sass.h - reads GPU machine code as nvdisasm prints it into the instruction table of a trace.
 * Needs nothing but gmtrace.h; private to the programs that make traces.
 */
#ifndef GMTRACE_SASS_H
#define GMTRACE_SASS_H

#include "traces/gmtrace.h"

/* The table of one kernel and the functions it calls, while it is being built. */
typedef struct gmtrace_sass {
    gmtrace_instr *instr;
    uint32_t instr_count;
    const char **file;
    uint32_t file_count;
    struct gmtrace_sass_store *store; /* private: strings, labels */
} gmtrace_sass;

/* Sets everything that follows from opcode, operands and encoding, which must be set: class, space,
 * width, cache operator, control bits ... Register operands are taken from the text, where widths
 * are implied: exact for simple instructions; gmtrace_sass_lives() knows better. */
void gmtrace_sass_classify(gmtrace_instr *instr);

/* Appends the code of `section` (".text.NAME") out of the output of `nvdisasm -hex -g -c`. `base`
 * is where its first instruction stands in the table's pc. False where the section is not there or
 * a line of it cannot be read. */
bool gmtrace_sass_listing(gmtrace_sass *sass, const char *listing, const char *section,
                          uint64_t base);
/* The same without a disassembler: encodings and control bits only, names empty. */
bool gmtrace_sass_raw(gmtrace_sass *sass, const void *code, size_t size, uint64_t base);

/* Replaces the register operands of that section's instructions by those of `nvdisasm -c -lrm
 * narrow`, whose columns mark every register that an instruction reads or writes. */
bool gmtrace_sass_lives(gmtrace_sass *sass, const char *listing, const char *section,
                        uint64_t base);

/* After all sections: branch and call targets into table indices. */
void gmtrace_sass_link(gmtrace_sass *sass);

void gmtrace_sass_free(gmtrace_sass *sass); /* leaves it empty and reusable */

#endif
