/* SPDX-License-Identifier: MIT
 *
 * open_warps.c - blocks of one CTA each, used again when their CTA has ended.
 */
#include "traces/capture/open_warps.h"

#include <stdlib.h>
#include <string.h>

void gmc_open_warps_start(gmc_open_warps *open)
{
    gmc_open_ctas_clear(&open->index);
    for (uint32_t i = 0; i < open->count; i++)
        open->spare[i] = i;
    open->spare_count = open->count;
}

/* One more block, which is spare. */
static bool add_block(gmc_open_warps *open)
{
    if (open->count == open->room) {
        const uint32_t room = open->room ? open->room * 2 : 1024;
        gmc_open_block **block = realloc(open->block, room * sizeof *block);
        if (block)
            open->block = block;
        uint32_t *spare = realloc(open->spare, room * sizeof *spare);
        if (spare)
            open->spare = spare;
        if (!block || !spare)
            return false;
        open->room = room;
    }
    gmc_open_block *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    open->spare[open->spare_count++] = open->count;
    open->block[open->count++] = made;
    return true;
}

gmc_open_warp *gmc_open_warps_get(gmc_open_warps *open, uint32_t cta, uint32_t warp, bool *is_new)
{
    uint32_t number = gmc_open_ctas_get(&open->index, cta);
    if (number == 0) {
        if (open->spare_count == 0 && !add_block(open))
            return NULL;
        number = open->spare[open->spare_count - 1] + 1;
        if (gmc_open_ctas_add(&open->index, cta, number) == 0)
            return NULL;
        open->spare_count--;
        open->block[number - 1]->entered = 0;
    }
    gmc_open_block *block = open->block[number - 1];
    *is_new = !(block->entered >> warp & 1u);
    block->entered |= 1u << warp;
    if (*is_new)
        block->warp[warp].pending_count = block->warp[warp].copied = 0;
    return &block->warp[warp];
}

bool gmc_open_warp_keep(gmc_open_warp *warp, const gmtrace_unseen_access *access, size_t count)
{
    const size_t needed = warp->pending_count + count;
    if (needed > warp->pending_room) {
        gmtrace_unseen_access *grown = realloc(warp->pending, 2 * needed * sizeof *grown);
        if (!grown || needed > UINT32_MAX / 2) {
            if (grown)
                warp->pending = grown;
            return false;
        }
        warp->pending = grown;
        warp->pending_room = (uint32_t)(2 * needed);
    }
    if (count)
        memcpy(warp->pending + warp->pending_count, access, count * sizeof *access);
    warp->pending_count = (uint32_t)needed;
    return true;
}

void gmc_open_warps_remove(gmc_open_warps *open, uint32_t cta)
{
    const uint32_t number = gmc_open_ctas_get(&open->index, cta);
    if (number == 0)
        return;
    open->spare[open->spare_count++] = number - 1;
    gmc_open_ctas_remove(&open->index, cta);
}

void gmc_open_warps_free(gmc_open_warps *open)
{
    gmc_open_ctas_free(&open->index);
    for (uint32_t i = 0; i < open->count; i++) {
        for (uint32_t w = 0; w < GMTRACE_WARP_LANES; w++)
            free(open->block[i]->warp[w].pending);
        free(open->block[i]);
    }
    free(open->block);
    free(open->spare);
    memset(open, 0, sizeof *open);
}
