/* SPDX-License-Identifier: MIT
 *
 * arena.c - first fit over a sorted list of spans.
 */
#include "traces/gmcc/runtime/arena.h"

#include <stdlib.h>
#include <string.h>

/* The first span that does not lie below the address, or `count`. */
static size_t find_above(const gmcuda_arena *arena, uint64_t address)
{
    size_t low = 0, high = arena->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (arena->span[middle].base < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t find_gap(const gmcuda_arena *arena, uint64_t from, uint64_t bytes, uint64_t unit)
{
    uint64_t at = from;
    size_t i = find_above(arena, from);
    for (i = i == 0 ? 0 : i - 1; i < arena->count; i++) {
        const gmcuda_span *s = &arena->span[i];
        const uint64_t end = s->base + s->bytes;
        const uint64_t align =
            unit == GMCUDA_LARGE_UNIT || s->bytes >= GMCUDA_LARGE_UNIT ? GMCUDA_LARGE_UNIT : unit;
        if (s->base >= at && s->base - at >= bytes)
            return at;
        if (end > at)
            at = (end + align - 1) & ~(align - 1);
    }
    const uint64_t end = arena->start + arena->bytes;
    return at <= end && end - at >= bytes ? at : 0;
}

uint64_t gmcuda_arena_take(gmcuda_arena *arena, uint64_t bytes, uint64_t unit)
{
    const uint64_t hint = (arena->next + unit - 1) & ~(unit - 1);
    uint64_t base = arena->next ? find_gap(arena, hint, bytes, unit) : 0;
    if (!base)
        base = find_gap(arena, arena->start, bytes, unit);
    if (!base)
        return 0;
    if (arena->count == arena->room) {
        const size_t room = arena->room ? 2 * arena->room : 64;
        gmcuda_span *grown = realloc(arena->span, room * sizeof *grown);
        if (!grown)
            return 0;
        arena->span = grown;
        arena->room = room;
    }
    const size_t at = find_above(arena, base);
    memmove(arena->span + at + 1, arena->span + at, (arena->count - at) * sizeof *arena->span);
    arena->span[at] = (gmcuda_span){base, bytes};
    arena->count++;
    return base;
}

void gmcuda_arena_give(gmcuda_arena *arena, uint64_t base)
{
    const size_t at = find_above(arena, base);
    if (at == arena->count || arena->span[at].base != base)
        return;
    memmove(arena->span + at, arena->span + at + 1, (arena->count - at - 1) * sizeof *arena->span);
    arena->count--;
}

void gmcuda_arena_clear(gmcuda_arena *arena)
{
    arena->count = 0;
}
