/* SPDX-License-Identifier: MIT
 *
 * arena.h - a range of addresses that spans are taken from; no memory goes with it. Two of them
 * serve device memory (memory.c): one is cut as the CUDA driver cuts its own, the other leaves room
 * behind each span.
 */
#ifndef GMCUDA_ARENA_H
#define GMCUDA_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GMCUDA_LARGE_UNIT (2ull << 20)
#define GMCUDA_SMALL_UNIT 512ull

typedef struct gmcuda_span {
    uint64_t base, bytes;
} gmcuda_span;

typedef struct gmcuda_arena {
    uint64_t start, bytes;
    uint64_t next;     /* where the search begins; 0: at the start */
    gmcuda_span *span; /* sorted */
    size_t count, room;
} gmcuda_arena;

/* The first gap from `next` on, then from the start, that holds `bytes`, a multiple of `unit`
 * (GMCUDA_SMALL_UNIT or GMCUDA_LARGE_UNIT). Spans of 2 MiB and more share no block of 2 MiB with
 * smaller ones, so that those come to lie side by side. 0 where there is none, or no memory. */
uint64_t gmcuda_arena_take(gmcuda_arena *arena, uint64_t bytes, uint64_t unit);
void gmcuda_arena_give(gmcuda_arena *arena, uint64_t base);
void gmcuda_arena_clear(gmcuda_arena *arena); /* `next` stays */

#endif
