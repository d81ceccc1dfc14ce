/* SPDX-License-Identifier: MIT
 *
 * synthetic.h - traces made from one line of text instead of a captured program. Part of
 * libgmtrace. "stride:n=1M,bytes=4,stride=32" names a pattern and what differs from its defaults;
 * patterns, keys and their meaning are in traces/synthetic/README.md and in what
 * gmtrace_synthetic_help() returns.
 *
 * The same line always gives the same trace, byte for byte.
 */
#ifndef GMTRACE_SYNTHETIC_H
#define GMTRACE_SYNTHETIC_H

#include "traces/gmtrace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the trace to a file. A line that cannot be followed is GMTRACE_USAGE. */
bool gmtrace_synthetic_write(const char *spec, const char *path, gmtrace_error *error);

/* Makes the trace in an unnamed temporary file and opens it; gmtrace_close() removes it. */
gmtrace_reader *gmtrace_synthetic_open(const char *spec, gmtrace_error *error);

/* The table of patterns and keys as text; with `pattern` not NULL, of that pattern alone. The
 * caller frees it. NULL where there is no such pattern, or no memory. */
char *gmtrace_synthetic_help(const char *pattern);

#ifdef __cplusplus
}
#endif

#endif
