/* SPDX-License-Identifier: MIT
 *
 * fifo.h - the line that came first leaves, however often it was used since. As LRU, but that only
 * coming counts as a use.
 */
#ifndef GMSIM_FIFO_H
#define GMSIM_FIFO_H

#include "sim/policy/replacement/lru.h"

static inline void gmsim_fifo_fill(gmsim_lines lines, uint32_t way)
{
    gmsim_lru_use(lines, way);
}

static inline void gmsim_fifo_use(gmsim_lines lines, uint32_t way)
{
    (void)lines, (void)way;
}

static inline uint32_t gmsim_fifo_victim(gmsim_lines lines, uint32_t candidates)
{
    return gmsim_lru_victim(lines, candidates);
}

#endif
