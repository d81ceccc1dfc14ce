/* SPDX-License-Identifier: MIT
 *
 * reasons.h - why predictions miss where they miss most. A file holds one reason a line: a pattern
 * for the trace's name, one for the metric, and a sentence. '#' begins a comment line. Patterns are
 * Perl's and must match the whole name; the first line that matches counts.
 */
#ifndef GMSIM_VALIDATE_REASONS_H
#define GMSIM_VALIDATE_REASONS_H

#include <glib.h>
#include <stdbool.h>

GArray *gmsim_reasons_new(void);
bool gmsim_reasons_load(GArray *reasons, const char *path, GError **error);

/* The sentence, "" without one. */
const char *gmsim_reason_for(const GArray *reasons, const char *label, const char *metric);

#endif
