/* SPDX-License-Identifier: MIT
 *
 * touched.c - a set of sectors, by pages that grow with what is touched.
 */
#include "sim/analysis/touched.h"

#include <glib.h>
#include <string.h>

#define PAGE_LINES  64u
#define FIRST_PAGES 1024u

static gmsim_touched_page *page_of(gmsim_touched_page *page, uint32_t room, uint64_t number)
{
    uint64_t at = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    while (page[at & (room - 1u)].number && page[at & (room - 1u)].number != number)
        at++;
    return &page[at & (room - 1u)];
}

static void grow(gmsim_touched *touched)
{
    uint32_t room = touched->room ? 2u * touched->room : FIRST_PAGES;
    gmsim_touched_page *larger = g_new0(gmsim_touched_page, room);
    for (uint32_t i = 0; i < touched->room; i++)
        if (touched->page[i].number)
            *page_of(larger, room, touched->page[i].number) = touched->page[i];
    g_free(touched->page);
    touched->page = larger;
    touched->room = room;
}

uint32_t gmsim_touched_add(gmsim_touched *touched, uint64_t line, uint32_t sectors)
{
    if (4u * (uint64_t)touched->used >= 3u * (uint64_t)touched->room)
        grow(touched);
    uint64_t number = line / PAGE_LINES + 1u;
    gmsim_touched_page *page = page_of(touched->page, touched->room, number);
    if (!page->number) {
        page->number = number;
        touched->used++;
    }
    uint32_t bit = (uint32_t)(line % PAGE_LINES) * 4u;
    uint64_t *word = &page->sectors[bit / 64u], new = ((uint64_t)sectors << bit % 64u) & ~*word;
    *word |= new;
    return (uint32_t)__builtin_popcountll(new);
}

void gmsim_touched_reset(gmsim_touched *touched)
{
    if (touched->room)
        memset(touched->page, 0, touched->room * sizeof *touched->page);
    touched->used = 0;
}

void gmsim_touched_clear(gmsim_touched *touched)
{
    g_free(touched->page);
    memset(touched, 0, sizeof *touched);
}
