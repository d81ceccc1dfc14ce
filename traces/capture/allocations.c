/* SPDX-License-Identifier: MIT
 *
 * allocations.c - a sorted array: programs allocate thousands of times, not millions.
 */
#include "traces/capture/allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Memory that variables lie in is cut into pieces, which go together. */
typedef struct piece {
    uint64_t base, size;
    const gmtrace_origin *origin;
    uint64_t whole; /* the base of what was allocated */
} piece;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static piece *held;
static uint32_t held_count, held_capacity;

/* The first allocation that ends after `address`. */
static uint32_t position(uint64_t address)
{
    uint32_t low = 0, high = held_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (held[middle].base + held[middle].size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void erase(uint32_t first, uint32_t count)
{
    if (!count)
        return; /* there may be no array yet */
    memmove(held + first, held + first + count, (held_count - first - count) * sizeof *held);
    held_count -= count;
}

/* What overlaps was freed without our being told. */
static void add(piece fresh)
{
    if (!fresh.size || fresh.base + fresh.size < fresh.base)
        return;
    uint32_t at = position(fresh.base), stale = 0;
    while (at + stale < held_count && held[at + stale].base < fresh.base + fresh.size)
        stale++;
    erase(at, stale);
    if (held_count == held_capacity) {
        uint32_t larger = held_capacity ? held_capacity * 2 : 256;
        piece *moved = realloc(held, larger * sizeof *held);
        if (moved) {
            held = moved;
            held_capacity = larger;
        }
    }
    if (held_count < held_capacity) {
        memmove(held + at + 1, held + at, (held_count - at) * sizeof *held);
        held[at] = fresh;
        held_count++;
    }
}

void gmc_allocations_add(uint64_t base, uint64_t size, const gmtrace_origin *origin)
{
    pthread_mutex_lock(&lock);
    add((piece){base, size, origin, base});
    pthread_mutex_unlock(&lock);
}

void gmc_allocations_add_variable(uint64_t base, uint64_t size, const gmtrace_origin *origin)
{
    pthread_mutex_lock(&lock);
    const uint32_t at = position(base);
    piece around = {.whole = base};
    if (at < held_count && held[at].base <= base && base + size >= base &&
        base + size <= held[at].base + held[at].size)
        around = held[at];
    add((piece){base, size, origin, around.whole});
    if (around.size) { /* adding it took away what it lay in */
        add((piece){around.base, base - around.base, around.origin, around.whole});
        add((piece){base + size, around.base + around.size - (base + size), around.origin,
                    around.whole});
    }
    pthread_mutex_unlock(&lock);
}

void gmc_allocations_remove(uint64_t base)
{
    pthread_mutex_lock(&lock);
    const uint32_t first = position(base);
    uint32_t end = first;
    while (end < held_count && held[end].whole == base)
        end++;
    erase(first, end - first);
    pthread_mutex_unlock(&lock);
}

bool gmc_allocations_hold(uint64_t address)
{
    if (!address)
        return false;
    pthread_mutex_lock(&lock);
    const uint32_t at = position(address - 1);
    const bool found = at < held_count && held[at].base <= address;
    pthread_mutex_unlock(&lock);
    return found;
}

uint64_t gmc_allocations_room(uint64_t address)
{
    pthread_mutex_lock(&lock);
    const uint32_t at = position(address);
    const bool found = at < held_count && held[at].base <= address;
    const uint64_t room = found ? held[at].base + held[at].size - address : 0;
    pthread_mutex_unlock(&lock);
    return room;
}

gmtrace_allocation *gmc_allocations_copy(uint32_t *count)
{
    pthread_mutex_lock(&lock);
    gmtrace_allocation *copy = malloc((held_count + 1u) * sizeof *copy);
    *count = copy ? held_count : 0;
    for (uint32_t i = 0; i < *count; i++)
        copy[i] = (gmtrace_allocation){held[i].base, held[i].size, held[i].origin};
    pthread_mutex_unlock(&lock);
    return copy;
}
