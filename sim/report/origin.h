/* SPDX-License-Identifier: MIT
 *
 * origin.h - whose code a trace shows: the machine's, the PTX of a compiler, which ptxas has not
 * been through, or what ptxas makes of that. Counts that follow from addresses hold either way; local memory, registers,
 * instructions and cycles depend on it.
 */
#ifndef GMSIM_ORIGIN_H
#define GMSIM_ORIGIN_H

#include "sim/report/report.h"

/* The compiler whose PTX the trace shows, "clang 14.0.6", or "clang 14.0.6 by ptxas 13.0", from the
 * trace's source (GMTRACE_PTX_OF, GMTRACE_BY_PTXAS); NULL where it does not say. To be freed. */
char *gmsim_origin_of(const gmtrace_capture *capture);
/* What that means, for the end of the report, and for a launch whose local memory is a finding, NULL
 * where it means nothing; to be freed. */
char *gmsim_origin_meaning(const char *origin);
char *gmsim_origin_of_local(const char *origin);

#endif
