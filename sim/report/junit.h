/* SPDX-License-Identifier: MIT
 *
 * junit.h - answers to limits as JUnit's XML, which servers of continuous integration show: a test
 * suite a trace, a test case a limit and kernel.
 */
#ifndef GMSIM_JUNIT_H
#define GMSIM_JUNIT_H

#include <stdio.h>

#include "sim/analysis/limits.h"

G_BEGIN_DECLS

/* Writes the document. Whether all arrived the caller asks of the stream. */
void gmsim_junit_write(FILE *out, const gmsim_limits *limits);

G_END_DECLS

#endif
