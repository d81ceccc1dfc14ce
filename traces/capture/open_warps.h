/* SPDX-License-Identifier: MIT
 *
 * open_warps.h - where the lanes of each running CTA's warps stand, for unseen.h. Memory grows with
 * the CTAs that run at once, not with the grid.
 */
#ifndef GMCAPTURE_OPEN_WARPS_H
#define GMCAPTURE_OPEN_WARPS_H

#include "traces/capture/open_ctas.h"
#include "traces/code/unseen.h"

typedef struct gmc_open_warp {
    gmtrace_unseen_warp place;
    gmtrace_unseen_access *pending; /* reconstructed, but the capture may still report them */
    uint32_t pending_count, pending_room;
    uint32_t copy, copied; /* the cp.async whose read side came last, and its lanes */
} gmc_open_warp;

typedef struct gmc_open_block {
    uint32_t entered; /* warps that have begun, as bits */
    gmc_open_warp warp[GMTRACE_WARP_LANES];
} gmc_open_block;

typedef struct gmc_open_warps {
    gmc_open_ctas index; /* CTA to block number + 1 */
    gmc_open_block **block;
    uint32_t *spare; /* numbers of blocks in no use */
    uint32_t count, room, spare_count;
} gmc_open_warps;

void gmc_open_warps_start(gmc_open_warps *open); /* a launch begins: none is open */
/* NULL without memory. *is_new: it was not asked for before. */
gmc_open_warp *gmc_open_warps_get(gmc_open_warps *open, uint32_t cta, uint32_t warp, bool *is_new);
/* Appends to what is pending; false without memory. */
bool gmc_open_warp_keep(gmc_open_warp *warp, const gmtrace_unseen_access *access, size_t count);
void gmc_open_warps_remove(gmc_open_warps *open, uint32_t cta);
void gmc_open_warps_free(gmc_open_warps *open);

#endif
