/* SPDX-License-Identifier: MIT
 *
 * jump_table.h - where jumps by a table (BRX) lead. Private to the trace libraries.
 */
#ifndef GMTRACE_PRIVATE_JUMP_TABLE_H
#define GMTRACE_PRIVATE_JUMP_TABLE_H

#include "traces/gmtrace.h"

typedef struct gmt_jump_tables {
    uint32_t *target; /* instructions, those of a jump together */
    uint32_t *first; /* of each instruction, in `target`, and of one behind the last: an instruction
                      * without a table, or with one that is not known, has none */
} gmt_jump_tables;

#define GMT_TABLE "BRANCH_TARGETS " /* stands before them in the jump's text */

/* The instruction at that place, GMTRACE_NO_INSTR where none is; they stand in its order. */
uint32_t gmt_instr_at(const gmtrace_instr *instr, uint32_t count, uint64_t pc);
/* How many places an instruction names to which it jumps by a table, each as often as the text has
 * it; 0: it is no such. */
uint32_t gmt_table_size(const gmtrace_instr *instr);
/* `place`: the instructions to which only such jumps can lead, in order. To be freed in any case.
 * False without memory. */
bool gmt_jump_tables_find(gmt_jump_tables *tables, const gmtrace_instr *instr, uint32_t count,
                          const uint32_t *place, uint32_t places);
void gmt_jump_tables_free(gmt_jump_tables *tables);

#endif
