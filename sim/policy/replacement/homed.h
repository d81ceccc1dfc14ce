/* SPDX-License-Identifier: MIT
 *
 * homed.h - lru, but a copy of a line whose home is the other side of L2 leaves sooner: it comes in
 * as if three eighths of its set had been used since (micro/l2_policy.cu, private, 30 to 44 MB;
 * micro/l2_dirty.cu, copy and reads). Where nothing is a copy, as in L1, it is lru.
 */
#ifndef GMSIM_HOMED_H
#define GMSIM_HOMED_H

#include "sim/policy/replacement/lru.h"

#define gmsim_homed_fill   gmsim_lru_fill
#define gmsim_homed_use    gmsim_lru_use
#define gmsim_homed_victim gmsim_lru_victim

/* The line that came into this way, of so many that lines may lie in, is a copy. */
static inline void gmsim_homed_copy(gmsim_lines lines, uint32_t way, uint32_t ways)
{
    const uint32_t behind = ways * 3u / 8u;
    uint8_t *age = &lines.way[way];
    *age = (uint8_t)(*age > behind ? *age - behind : 1u);
}

#endif
