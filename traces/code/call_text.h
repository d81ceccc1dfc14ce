/* SPDX-License-Identifier: MIT
 *
 * call_text.h - what the source text of a call says that an allocation is for. Any text is welcome;
 * C++ is not parsed, and where the text is not one of the usual ones nothing is said.
 */
#ifndef GMTRACE_CALL_TEXT_H
#define GMTRACE_CALL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* How many calls of the function the text's first line has, and whether they are made one after the
 * other, each of them, in the order of the text. */
unsigned gmt_calls_in(const char *text, const char *function, bool *in_order);

/* The variable whose address call `which` (from 0) takes as first argument: "d_x" of
 * cudaMalloc((void **)&d_x, n), "a.p[i]" of cudaMalloc(&a.p[i], n). *passed_on: the argument is no
 * address taken here, as in cudaMalloc(p, n), where *p is the caller's. False where it is neither.
 */
bool gmt_argument_of(const char *text, const char *function, unsigned which, char *name,
                     size_t room, bool *passed_on);

/* Of a line that calls something that allocates: "d_x" of check(get(&d_x, n)), of d_x = get(n), of
 * float *d_x = get(n), of MALLOC(d_x, n), of thrust::device_vector<float> d_x(n). */
bool gmt_variable_of(const char *text, char *name, size_t room);

#endif
