/* SPDX-License-Identifier: MIT
 *
 * held.c - a growing array a kernel.
 */
#include "traces/capture/held.h"

#include <stdlib.h>
#include <string.h>

void gmc_held_add(gmc_held *held, uint32_t kernel, const gmc_cell *header, const gmc_cell *payload,
                  unsigned payload_cells)
{
    gmc_held_list *list = &held->list[kernel];
    const size_t needed = list->count + 1 + payload_cells;
    if (needed > list->room && !list->dropped) {
        const size_t room = needed < 64 ? 64 : needed + needed / 2;
        const size_t more = (room - list->room) * sizeof *list->cell;
        gmc_cell *grown =
            held->bytes + more <= held->limit ? realloc(list->cell, room * sizeof *grown) : NULL;
        if (grown) {
            held->bytes += more;
            list->cell = grown;
            list->room = room;
        }
    }
    if (needed > list->room || list->dropped) {
        list->dropped = true;
        return;
    }
    list->cell[list->count] = *header;
    memcpy(&list->cell[list->count + 1], payload, payload_cells * sizeof *payload);
    list->count = needed;
}

void gmc_held_clear(gmc_held *held, uint32_t kernel)
{
    gmc_held_list *list = &held->list[kernel];
    held->bytes -= list->room * sizeof *list->cell;
    free(list->cell);
    *list = (gmc_held_list){0};
}
