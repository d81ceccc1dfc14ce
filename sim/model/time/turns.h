/* SPDX-License-Identifier: MIT
 *
 * turns.h - which warp of an SM goes next: the one whose ready time comes first, of several that
 * with the lowest slot. While an SM runs, its warps stand in a table by the clock at which they are
 * ready, for some clocks from the first one on. Looking through all times before each turn would
 * have the host wait for its stores: one of the times has just been written, and a vector of them
 * is not to be had before that, and all written before it, has left the store buffer.
 */
#ifndef GMSIM_TURNS_H
#define GMSIM_TURNS_H

#include "sim/model/hot.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define GMSIM_MAX_SM_WARPS 64u

/* Warps whose ready times are looked at where CTAs are few. */
#define GMSIM_FEW_WARPS 16u

#define GMSIM_TURN_CLOCKS 64u

typedef struct gmsim_turns {
    uint64_t some;   /* clocks of the table at which a warp may be ready, as a mask */
    uint32_t first;  /* clock of its lowest bit */
    uint32_t clocks; /* that the table goes on for; 0: it is to be filled, */
    bool none;       /* unless it is known that none is ready before `first`, the end of all */
    uint64_t warp[GMSIM_TURN_CLOCKS]; /* by clock, as masks. A warp whose time has become another
                                       * stands at the earlier one, too. */
} gmsim_turns;

/* The table is to be filled. */
static inline void gmsim_turns_forget(gmsim_turns *turns)
{
    for (; turns->some; turns->some &= turns->some - 1u)
        turns->warp[__builtin_ctzll(turns->some)] = 0;
    turns->clocks = 0;
    turns->none = false;
}

/* The warp's ready time has become another, and not GMSIM_NEVER. */
GMSIM_INLINE void gmsim_turns_at(gmsim_turns *turns, uint32_t slot, uint32_t ready)
{
    const uint32_t at = ready - turns->first;
    if (at < turns->clocks) {
        turns->some |= 1ull << at;
        turns->warp[at] |= 1ull << slot;
    } else if (ready < turns->first) {
        gmsim_turns_forget(turns);
    }
}

/* Least of the first warps' ready times. */
GMSIM_INLINE uint32_t gmsim_turns_earliest(const uint32_t ready[GMSIM_MAX_SM_WARPS], uint32_t warps)
{
    uint32_t least[8];
    for (uint32_t k = 0; k < 8u; k++)
        least[k] = MIN(ready[k], ready[k + 8u]);
#pragma GCC unroll 8
    for (uint32_t i = 16u; i < warps; i += 8u)
        for (uint32_t k = 0; k < 8u; k++)
            least[k] = ready[i + k] < least[k] ? ready[i + k] : least[k];
    for (uint32_t k = 0; k < 4u; k++)
        least[k] = least[k + 4u] < least[k] ? least[k + 4u] : least[k];
    for (uint32_t k = 0; k < 2u; k++)
        least[k] = least[k + 2u] < least[k] ? least[k + 2u] : least[k];
    return MIN(least[0], least[1]);
}

/* Which of 16 ready times are less than `clocks` after the first, as a mask: none is before that,
 * and there are no more than 64 clocks. */
GMSIM_INLINE uint32_t gmsim_turns_among(const uint32_t ready[16], uint32_t first, uint32_t clocks)
{
#ifdef __SSE2__
    /* Compared as signed: from the lowest number on. */
    const __m128i move = _mm_set1_epi32((int)((1u << 31) - first));
    const __m128i end = _mm_set1_epi32((int)((1u << 31) + clocks));
    const __m128i *four = (const __m128i *)(const void *)ready;
    __m128i a = _mm_cmplt_epi32(_mm_add_epi32(_mm_loadu_si128(four), move), end);
    __m128i b = _mm_cmplt_epi32(_mm_add_epi32(_mm_loadu_si128(four + 1), move), end);
    __m128i c = _mm_cmplt_epi32(_mm_add_epi32(_mm_loadu_si128(four + 2), move), end);
    __m128i d = _mm_cmplt_epi32(_mm_add_epi32(_mm_loadu_si128(four + 3), move), end);
    __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
    return (uint32_t)_mm_movemask_epi8(bytes);
#else
    uint32_t among = 0;
    for (uint32_t i = 0; i < 16u; i++)
        among |= (uint32_t)(ready[i] - first < clocks) << i;
    return among;
#endif
}

/* Fills the table from the first time on, if that is before `until`. Returns that time. What of
 * each warp will be read then comes into the host's cache. */
GMSIM_INLINE uint32_t gmsim_turns_fill(gmsim_turns *turns, const uint32_t ready[GMSIM_MAX_SM_WARPS],
                                       uint32_t warps, uint32_t until, const void *const *each)
{
    const uint32_t first = gmsim_turns_earliest(ready, warps);
    turns->first = first;
    turns->clocks = 0;
    turns->none = first >= until;
    if (turns->none)
        return first;
    turns->clocks = MIN(until - first, GMSIM_TURN_CLOCKS);
    uint64_t among = 0; /* all in one loop, whose end the host guesses wrong */
    for (uint32_t i = 0; i < warps; i += 16u)
        among |= (uint64_t)gmsim_turns_among(ready + i, first, turns->clocks) << i;
    for (; among; among &= among - 1u) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(among), at = ready[slot] - first;
        turns->some |= 1ull << at;
        turns->warp[at] |= 1ull << slot;
        __builtin_prefetch(each[slot]);
    }
    return first;
}

/* The first warp of the table at its first clock, where there is one. */
GMSIM_INLINE uint32_t gmsim_turns_first(const gmsim_turns *turns)
{
    return (uint32_t)__builtin_ctzll(turns->warp[__builtin_ctzll(turns->some)]);
}

/* The first warp of the table at its first clock has its turn, or stands there no longer. */
GMSIM_INLINE void gmsim_turns_pass(gmsim_turns *turns)
{
    uint64_t *warps = &turns->warp[__builtin_ctzll(turns->some)];
    *warps &= *warps - 1u;
    if (!*warps)
        turns->some &= turns->some - 1u;
}

/* The ready time of the warp that goes next, and its slot; `until` or more: none does before. Warps
 * are the first of the SM's, GMSIM_FEW_WARPS or all. */
GMSIM_INLINE uint32_t gmsim_turns_next(gmsim_turns *turns, const uint32_t ready[GMSIM_MAX_SM_WARPS],
                                       bool few, uint32_t until, uint32_t *slot,
                                       const void *const *each)
{
    for (;;) {
        for (; turns->some; gmsim_turns_pass(turns)) {
            const uint32_t at = (uint32_t)__builtin_ctzll(turns->some);
            *slot = (uint32_t)__builtin_ctzll(turns->warp[at]);
            if (ready[*slot] == turns->first + at)
                return turns->first + at;
        }
        if (turns->none)
            return turns->first;
        const uint32_t first =
            few ? gmsim_turns_fill(turns, ready, GMSIM_FEW_WARPS, until, each)
                : gmsim_turns_fill(turns, ready, GMSIM_MAX_SM_WARPS, until, each);
        if (first >= until)
            return first;
    }
}

#endif
