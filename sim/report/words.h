/* SPDX-License-Identifier: MIT
 *
 * words.h - findings, patterns and instructions as people read them. Free each text with g_free().
 */
#ifndef GMSIM_WORDS_H
#define GMSIM_WORDS_H

#include "sim/analysis/pattern.h"
#include "sim/analysis/unsteady.h"
#include "sim/analysis/verdict.h"

G_BEGIN_DECLS

/* The sentences of a finding. what: what, how much, where. fix: one thing to change, NULL where
 * there is none. bound: what the fix can give at most, NULL where no bound follows from counts.
 * aside: one short clause for a finding that is not the verdict. */
char *gmsim_finding_what(const gmsim_gpu *gpu, const gmsim_result *result,
                         const gmsim_finding *finding);
char *gmsim_finding_fix(const gmsim_gpu *gpu, const gmsim_result *result,
                        const gmsim_finding *finding);
char *gmsim_finding_bound(const gmsim_result *result, const gmsim_finding *finding);
char *gmsim_finding_aside(const gmsim_result *result, const gmsim_finding *finding);

/* A few words for the report's last column: "1 bank, 128 B apart". Kept short: where
 * some lanes are inactive their number takes the place of one of the two. shared chooses between
 * banks and sectors. */
char *gmsim_pattern_words(const gmsim_pattern *pattern, bool shared);

/* The same of an instruction's worst request, or what local memory is for; "" of none. */
char *gmsim_worst_words(const gmsim_instr_counts *instr);

/* "transpose.cu:8", "pc 0x170" or the row's name. */
char *gmsim_instr_place(const gmsim_result *result, const gmsim_instr_counts *instr);
/* The same of an instruction of the table. */
char *gmsim_code_place(const gmsim_result *result, uint32_t instr);
/* Why the launch's counts differ from run to run; NULL where nothing shows that they do. */
char *gmsim_unsteady_words(const gmsim_result *result);
/* "LDG.E", or the row's name where the code is not in the trace; borrowed. */
const char *gmsim_instr_opcode(const gmsim_result *result, const gmsim_instr_counts *instr);

G_END_DECLS

#endif
