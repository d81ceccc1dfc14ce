/* SPDX-License-Identifier: MIT
 *
 * even.h - neighbouring lines lie in one set after another, so that a dense area fills all sets
 * alike; each 1,024 of them (of an H200) in another order, so that lines at equal steps lie
 * anywhere. Of two neighbouring pages of 32 lines one is at home on each side of L2: the pages of a
 * pair are numbered apart, so that each side's sets fill alike, too. An H200's L2 fills up as
 * evenly as that (micro/l2_policy.cu: private).
 */
#ifndef GMSIM_EVEN_H
#define GMSIM_EVEN_H

static inline uint64_t gmsim_even_mix(uint64_t line, const gmsim_sets *sets)
{
    const uint64_t low = (UINT64_C(1) << sets->power) - 1u, apart = UINT64_C(1) << 20;
    uint64_t number = (line >> 6 << 5) | (line & 31u);
    number += (number & -apart) + (line >> 5 & 1u) * apart;
    return number ^ ((number >> sets->power) * UINT64_C(0x9e3779b97f4a7c15) >> 54 & low);
}

#endif
