/* SPDX-License-Identifier: MIT
 *
 * linear.h - neighbouring lines lie in neighbouring sets, lines as many apart as there are sets in
 * one: the textbook's cache.
 */
#ifndef GMSIM_LINEAR_H
#define GMSIM_LINEAR_H

static inline uint64_t gmsim_linear_mix(uint64_t line, const gmsim_sets *sets)
{
    (void)sets;
    return line;
}

#endif
