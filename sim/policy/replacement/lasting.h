/* SPDX-License-Identifier: MIT
 *
 * lasting.h - lru, but a line that is written lasts longer: none to seven accesses to its set, by
 * chance (micro/l2_dirty.cu, copy and reads: reads push dirty lines out more gradually than in
 * order of age). Where nothing is written back, as in L1, it is lru.
 */
#ifndef GMSIM_LASTING_H
#define GMSIM_LASTING_H

#include "sim/policy/replacement/lru.h"

#define gmsim_lasting_fill   gmsim_lru_fill
#define gmsim_lasting_use    gmsim_lru_use
#define gmsim_lasting_victim gmsim_lru_victim

/* The line in this way is written. */
static inline void gmsim_lasting_written(gmsim_lines lines, uint32_t way, uint32_t tag)
{
    uint32_t age = lines.way[way] + (tag * UINT32_C(0x9e3779b9) >> 29);
    lines.way[way] = (uint8_t)(age < UINT8_MAX ? age : UINT8_MAX);
}

#endif
