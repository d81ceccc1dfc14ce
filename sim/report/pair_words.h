/* SPDX-License-Identifier: MIT
 *
 * pair_words.h - a comparison of two launches as people read it. Free each text with g_free().
 */
#ifndef GMSIM_PAIR_WORDS_H
#define GMSIM_PAIR_WORDS_H

#include "sim/analysis/compare.h"
#include "sim/report/notes.h"

G_BEGIN_DECLS

/* Which is faster by how much, what changed with it, what warps wait for. */
char *gmsim_pair_sentence(const gmsim_comparison_of_two *compare);

/* What stands in the way of comparing them. */
void gmsim_pair_notes(const gmsim_comparison_of_two *compare, gmsim_note note, gpointer data);

/* "transpose.cu:30", or where its sides stand apart, "a.cu:30 | b.cu:31". */
char *gmsim_pair_place(const gmsim_comparison_of_two *compare, const gmsim_instr_pair *pair);

G_END_DECLS

#endif
