/* SPDX-License-Identifier: MIT
 *
 * open_ctas.c - open addressing with linear probing; removal shifts later entries back, so that no
 * tombstones pile up over a long launch.
 */
#include "traces/capture/open_ctas.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint32_t home(const gmc_open_ctas *open, uint32_t cta)
{
    return cta * 2654435761u >> 7 & (open->capacity - 1);
}

static uint32_t find(const gmc_open_ctas *open, uint32_t cta)
{
    uint32_t at = home(open, cta);
    while (open->slot[at].exited && open->slot[at].cta != cta)
        at = (at + 1) & (open->capacity - 1);
    return at;
}

static bool grow(gmc_open_ctas *open)
{
    gmc_open_ctas larger = {.capacity = open->capacity ? open->capacity * 2 : 8192,
                            .used = open->used};
    larger.slot = calloc(larger.capacity, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (uint32_t i = 0; i < open->capacity; i++)
        if (open->slot[i].exited)
            larger.slot[find(&larger, open->slot[i].cta)] = open->slot[i];
    free(open->slot);
    *open = larger;
    return true;
}

uint32_t gmc_open_ctas_add(gmc_open_ctas *open, uint32_t cta, uint32_t threads)
{
    if (open->used * 2 >= open->capacity && !grow(open))
        return 0;
    gmc_open_cta *slot = &open->slot[find(open, cta)];
    open->used += slot->exited == 0;
    slot->cta = cta;
    slot->exited += threads;
    return slot->exited;
}

uint32_t gmc_open_ctas_get(const gmc_open_ctas *open, uint32_t cta)
{
    return open->capacity ? open->slot[find(open, cta)].exited : 0;
}

void gmc_open_ctas_remove(gmc_open_ctas *open, uint32_t cta)
{
    if (!open->capacity)
        return;
    uint32_t wrap = open->capacity - 1, hole = find(open, cta);
    if (!open->slot[hole].exited)
        return;
    open->used--;
    for (uint32_t at = (hole + 1) & wrap; open->slot[at].exited; at = (at + 1) & wrap) {
        uint32_t ideal = home(open, open->slot[at].cta);
        /* May the entry move back to the hole without passing its home? */
        if (((at - ideal) & wrap) >= ((at - hole) & wrap)) {
            open->slot[hole] = open->slot[at];
            hole = at;
        }
    }
    open->slot[hole].exited = 0;
}

void gmc_open_ctas_clear(gmc_open_ctas *open)
{
    if (open->capacity)
        memset(open->slot, 0, open->capacity * sizeof *open->slot);
    open->used = 0;
}

void gmc_open_ctas_free(gmc_open_ctas *open)
{
    free(open->slot);
    memset(open, 0, sizeof *open);
}
