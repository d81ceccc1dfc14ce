/* SPDX-License-Identifier: MIT
 *
 * xor.h - the bits that pick the set within a power of two are XORed with those above them, at
 * three distances, so that strides that are powers of two spread over the sets.
 */
#ifndef GMSIM_XOR_H
#define GMSIM_XOR_H

static inline uint64_t gmsim_xor_mix(uint64_t line, const gmsim_sets *sets)
{
    uint64_t above = line >> sets->power, fold = above ^ above >> 7 ^ above >> 15;
    return line ^ (fold & ((1u << sets->power) - 1u));
}

#endif
