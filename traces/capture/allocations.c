/* SPDX-License-Identifier: MIT
 *
 * allocations.c - a sorted array: programs allocate thousands of times, not millions.
 */
#include "traces/capture/allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gmtrace_allocation *held;
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

void gmc_allocations_add(uint64_t base, uint64_t size, const gmtrace_origin *origin)
{
    if (!size || base + size < base)
        return;
    pthread_mutex_lock(&lock);
    /* What overlaps was freed without our being told. */
    uint32_t at = position(base), stale = 0;
    while (at + stale < held_count && held[at + stale].base < base + size)
        stale++;
    erase(at, stale);
    if (held_count == held_capacity) {
        uint32_t larger = held_capacity ? held_capacity * 2 : 256;
        gmtrace_allocation *moved = realloc(held, larger * sizeof *held);
        if (moved) {
            held = moved;
            held_capacity = larger;
        }
    }
    if (held_count < held_capacity) {
        memmove(held + at + 1, held + at, (held_count - at) * sizeof *held);
        held[at] = (gmtrace_allocation){.base = base, .size = size, .origin = origin};
        held_count++;
    }
    pthread_mutex_unlock(&lock);
}

void gmc_allocations_remove(uint64_t base)
{
    pthread_mutex_lock(&lock);
    uint32_t at = position(base);
    if (at < held_count && held[at].base == base)
        erase(at, 1);
    pthread_mutex_unlock(&lock);
}

gmtrace_allocation *gmc_allocations_copy(uint32_t *count)
{
    pthread_mutex_lock(&lock);
    gmtrace_allocation *copy = malloc((held_count + 1u) * sizeof *copy);
    *count = copy ? held_count : 0;
    if (copy && held_count)
        memcpy(copy, held, held_count * sizeof *copy);
    pthread_mutex_unlock(&lock);
    return copy;
}
