/* SPDX-License-Identifier: MIT
 *
 * srrip.h - static re-reference interval prediction with two bits and hit priority (Jaleel et al.,
 * ISCA 2010): a line that comes is expected back late (2), one that was used at once (0); the first
 * that is expected latest (3) leaves, and if there is none all are expected later.
 */
#ifndef GMSIM_SRRIP_H
#define GMSIM_SRRIP_H

static inline void gmsim_srrip_fill(gmsim_lines lines, uint32_t way)
{
    lines.way[way] = 2u;
}

static inline void gmsim_srrip_use(gmsim_lines lines, uint32_t way)
{
    lines.way[way] = 0;
}

static inline uint32_t gmsim_srrip_victim(gmsim_lines lines, uint32_t candidates)
{
    uint32_t latest = (uint32_t)__builtin_ctz(candidates);
    for (uint32_t left = candidates; left; left &= left - 1u) {
        uint32_t way = (uint32_t)__builtin_ctz(left);
        latest = lines.way[way] > lines.way[latest] ? way : latest;
    }
    uint8_t later = (uint8_t)(3u - lines.way[latest]);
    for (uint32_t left = candidates; left; left &= left - 1u) {
        uint8_t *way = &lines.way[__builtin_ctz(left)];
        *way = (uint8_t)(*way + later);
    }
    return latest;
}

#endif
