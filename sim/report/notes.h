/* SPDX-License-Identifier: MIT
 *
 * notes.h - what a reader must know beside a launch's numbers, for every format that people read.
 */
#ifndef GMSIM_NOTES_H
#define GMSIM_NOTES_H

#include "sim/analysis/verdict.h"

G_BEGIN_DECLS

/* Under a verdict: whose code it is where that matters, what is not known, why counts differ from
 * run to run, that the trace is cut short. `label` may be "". Texts are valid during the call. */
typedef void (*gmsim_note)(const char *label, const char *text, gpointer data);

void gmsim_notes(const gmtrace_capture *capture, const gmsim_result *result,
                 const gmsim_verdict *verdict, gmsim_note note, gpointer data);

/* What the numbers are, what is not modelled and what the capture did not see; g_free() it. */
char *gmsim_model_words(const gmtrace_capture *capture, const gmsim_result *result);

G_END_DECLS

#endif
