/* SPDX-License-Identifier: MIT
 *
 * measuring.h - what was measured of a trace's launches, beside what is predicted of them.
 */
#ifndef GMSIM_MEASURING_H
#define GMSIM_MEASURING_H

#include "sim/measured/measured.h"
#include "traces/gmtrace.h"

G_BEGIN_DECLS

typedef struct gmsim_measuring gmsim_measuring;

/* Reads a file of Nsight Compute's and finds the trace's launches in it. NULL with error where it
 * cannot be read, or has none of them. `dashes` stand before an option's name. Free with
 * gmsim_measuring_free(). */
gmsim_measuring *gmsim_measuring_open(const char *path, const char *dashes, const char *trace,
                                      gmtrace_reader *reader, GError **error);
void gmsim_measuring_free(gmsim_measuring *measuring);

/* The measured value of each metric, NaN of those that were not; NULL of a launch that was not.
 * Valid until the next call. */
const double *gmsim_measuring_of(gmsim_measuring *measuring, uint32_t launch);

G_END_DECLS

#endif
