/* SPDX-License-Identifier: MIT
 *
 * hash.h - which set a line belongs to: l1.hash, l2.hash. A policy mixes the line's number; the
 * remainder by the number of sets is the set, the quotient the tag. To add one:
 *
 *  1. Write hash/NAME.h with gmsim_NAME_mix(line, sets), as hash/linear.h has it. It must be one to
 *     one on numbers below 2^GMSIM_LINE_BITS, or two lines would pass for one.
 *  2. Include it below, and add X(NAME) to the list.
 */
#ifndef GMSIM_HASH_H
#define GMSIM_HASH_H

#include <stdint.h>

#define GMSIM_LINE_BITS 45u /* of a line number that make a difference: addresses below 2^52 */

typedef struct gmsim_sets {
    uint32_t count, power; /* count = odd << power */
    uint32_t mask;         /* count - 1 where count is a power of two, else 0 */
    uint64_t magic;        /* for the quotient by count */
} gmsim_sets;

#include "sim/policy/hash/banked.h"
#include "sim/policy/hash/even.h"
#include "sim/policy/hash/linear.h"
#include "sim/policy/hash/polynomial.h"
#include "sim/policy/hash/scrambled.h"
#include "sim/policy/hash/xor.h"

#define GMSIM_HASHES(X) X(linear) X(xor) X(polynomial) X(scrambled) X(banked) X(even)

#define GMSIM_ENUM(name) GMSIM_HASH_##name,
enum { GMSIM_HASHES(GMSIM_ENUM) GMSIM_HASH_COUNT };
#undef GMSIM_ENUM

typedef struct gmsim_hash {
    uint64_t (*mix)(uint64_t line, const gmsim_sets *sets);
} gmsim_hash;

/* By GMSIM_HASH_*. */
extern const gmsim_hash gmsim_hashes[];
extern const char *const gmsim_hash_names[];

static inline gmsim_sets gmsim_sets_of(uint32_t count)
{
    uint32_t power = (uint32_t)__builtin_ctz(count);
    return (gmsim_sets){.count = count,
                        .power = power,
                        .mask = count >> power == 1u ? count - 1u : 0,
                        .magic = UINT64_MAX / count};
}

/* Quotient and remainder of a mixed number. */
static inline uint64_t gmsim_sets_divide(const gmsim_sets *sets, uint64_t mixed, uint32_t *set)
{
    uint64_t quotient = (uint64_t)(((unsigned __int128)mixed * sets->magic) >> 64);
    uint64_t rest = mixed - quotient * sets->count; /* the remainder, or that plus count */
    if (rest >= sets->count) {
        rest -= sets->count;
        quotient++;
    }
    *set = (uint32_t)rest;
    return quotient;
}

#endif
