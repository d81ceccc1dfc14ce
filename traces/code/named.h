/* SPDX-License-Identifier: MIT
 *
 * named.h - which variables in constant memory a kernel's code names: where an operand begins in
 * one, c[0x3][0x38] or c[0x3][R4+0x38]. A register alone may be of any.
 */
#ifndef GMTRACE_NAMED_H
#define GMTRACE_NAMED_H

#include "traces/gmtrace.h"

/* Does one of `count` instructions name a byte of those `size` from `offset` on in constant bank 3,
 * or any? */
bool gmt_names_constants(const gmtrace_instr *instr, uint32_t count, uint64_t offset,
                         uint64_t size);

#endif
