/* SPDX-License-Identifier: MIT
 *
 * tags.h - in which of four sets L1 looks a line's tag up: it looks up one of each set a clock.
 * Each bit of the set is the parity of some bits of the line's number (micro/l1_words.cu: all of
 * 1,600 requests of 2 to 32 lines take as many clocks as the fullest set has lines, and no less
 * than the fullest bank has words, within 0.3 or 4 %). Left out: bits of the number above the 21
 * that were measured.
 */
#ifndef GMSIM_TAGS_H
#define GMSIM_TAGS_H

#include "sim/model/hot.h"

#include <stdint.h>

enum { GMSIM_TAG_SETS = 4 };

GMSIM_INLINE uint32_t gmsim_tag_set(uint64_t line)
{
    return (uint32_t)__builtin_parity((uint32_t)line & 0x0f7ab5u) |
           (uint32_t)__builtin_parity((uint32_t)line & 0x1ad5dau) << 1;
}

#endif
