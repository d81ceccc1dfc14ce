/* SPDX-License-Identifier: MIT
 *
 * scrambled.h - multiplications and shifts that leave no pattern: every set gets about as many
 * lines of any working set.
 */
#ifndef GMSIM_SCRAMBLED_H
#define GMSIM_SCRAMBLED_H

static inline uint64_t gmsim_scrambled_mix(uint64_t line, const gmsim_sets *sets)
{
    const uint64_t mask = (UINT64_C(1) << GMSIM_LINE_BITS) - 1u;
    (void)sets;
    line &= mask;
    line ^= line >> 23;
    line = line * UINT64_C(0x1d8e4e27c47d124f) & mask;
    line ^= line >> 22;
    line = line * UINT64_C(0x0a3b195354a39b70b) & mask;
    return line ^ line >> 24;
}

#endif
