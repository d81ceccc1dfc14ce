/* SPDX-License-Identifier: MIT
 *
 * banked.h - nine sums of bits of the line number: three say the bank, six the row of a set. Each
 * bit below is the set of the line with that bit alone. An H200's L1 does so: rows in the order in
 * which it looks for lines to give up, and which lines share a set (micro/l1_replace.cu, cyclic and
 * set; bits 11 and 14 to 20: micro/local_windows.cu). Not settled there: which of the banks is
 * whose, and bits from 21 on, which only spread lines a power of two apart over all sets, as
 * measured (micro/l1_sets.cu, stride). Numbers of sets that are no power of two, or more than 512,
 * are left to the XOR of bits instead.
 */
#ifndef GMSIM_BANKED_H
#define GMSIM_BANKED_H

#include "sim/policy/hash/xor.h"

/* The sets of all sums of eight bits' sets. */
#define GMSIM_SUMS1(x, a)             (x), (x) ^ (a)
#define GMSIM_SUMS2(x, a, b)          GMSIM_SUMS1(x, a), GMSIM_SUMS1((x) ^ (b), a)
#define GMSIM_SUMS3(x, a, b, c)       GMSIM_SUMS2(x, a, b), GMSIM_SUMS2((x) ^ (c), a, b)
#define GMSIM_SUMS4(x, a, b, c, d)    GMSIM_SUMS3(x, a, b, c), GMSIM_SUMS3((x) ^ (d), a, b, c)
#define GMSIM_SUMS5(x, a, b, c, d, e) GMSIM_SUMS4(x, a, b, c, d), GMSIM_SUMS4((x) ^ (e), a, b, c, d)
#define GMSIM_SUMS6(x, a, b, c, d, e, f)                                                           \
    GMSIM_SUMS5(x, a, b, c, d, e), GMSIM_SUMS5((x) ^ (f), a, b, c, d, e)
#define GMSIM_SUMS7(x, a, b, c, d, e, f, g)                                                        \
    GMSIM_SUMS6(x, a, b, c, d, e, f), GMSIM_SUMS6((x) ^ (g), a, b, c, d, e, f)
#define GMSIM_SUMS8(a, b, c, d, e, f, g, h)                                                        \
    {                                                                                              \
        GMSIM_SUMS7(0, a, b, c, d, e, f, g), GMSIM_SUMS7(h, a, b, c, d, e, f, g)                   \
    }

static const uint16_t gmsim_banked[3][256] = {
    GMSIM_SUMS8(0x001, 0x002, 0x087, 0x05f, 0x0b1, 0x032, 0x1cf, 0x1e3),
    GMSIM_SUMS8(0x0ba, 0x14d, 0x0ed, 0x173, 0x12b, 0x0dd, 0x0a5, 0x0fe),
    GMSIM_SUMS8(0x0c4, 0x16f, 0x13a, 0x1b3, 0x028, 0x0dc, 0x0a7, 0x14c)};

static inline uint64_t gmsim_banked_mix(uint64_t line, const gmsim_sets *sets)
{
    if (sets->mask - 1u > 510u)
        return gmsim_xor_mix(line, sets);
    uint64_t bits = line ^ line >> 24;
    uint32_t set = (uint32_t)gmsim_banked[0][bits & 0xffu] ^ gmsim_banked[1][bits >> 8 & 0xffu] ^
                   gmsim_banked[2][bits >> 16 & 0xffu];
    return (line & ~UINT64_C(0x1ff)) | set;
}

#endif
