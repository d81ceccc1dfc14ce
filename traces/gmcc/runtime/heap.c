/* SPDX-License-Identifier: MIT
 *
 * heap.c - memory for malloc() and free() of kernels: one piece of device memory, as large as
 * cudaLimitMallocHeapSize says, in blocks of powers of two. What is known of blocks is kept here
 * rather than between them, where a kernel could overwrite it. Kernels that allocate run their CTAs
 * in order, so that addresses are the same in every run. The caller holds the runtime's lock.
 *
 * Left out: for `--check` all of it is one allocation, whatever lies where.
 */
#include "traces/gmcc/runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

#define UNIT 16u /* what CUDA aligns to; the smallest block */

enum { CLASSES = 32, IS_LIVE = 128, NONE = UINT32_MAX };

static struct {
    uint64_t base, bytes;
    uint32_t used;  /* units that were ever given */
    uint8_t *power; /* of the block that begins at a unit: UNIT << power bytes; and IS_LIVE */
    uint32_t *next; /* of free ones of a power, the next */
    uint32_t head[CLASSES];
} heap;
static size_t limit = 8u << 20;

cudaError_t gmcuda_open_heap(void)
{
    void *memory;
    if (heap.base != 0)
        return cudaSuccess;
    const cudaError_t error = gmcuda_allocate_heap(&memory, limit);
    if (error != cudaSuccess)
        return error;
    heap.power = calloc(limit / UNIT + 1, sizeof *heap.power);
    heap.next = calloc(limit / UNIT + 1, sizeof *heap.next);
    if (heap.power == NULL || heap.next == NULL) {
        gmcuda_forget_heap();
        return cudaErrorMemoryAllocation;
    }
    memset(heap.head, 0xff, sizeof heap.head);
    heap.base = (uint64_t)memory;
    heap.bytes = limit;
    return cudaSuccess;
}

void gmcuda_forget_heap(void)
{
    free(heap.power);
    free(heap.next);
    memset(&heap, 0, sizeof heap);
}

cudaError_t gmcuda_limit_heap(size_t bytes)
{
    if (heap.base != 0 || bytes >= (size_t)UNIT * NONE)
        return cudaErrorInvalidValue;
    limit = bytes < UNIT ? UNIT : bytes;
    return cudaSuccess;
}

size_t gmcuda_heap_bytes(void)
{
    return limit;
}

/* A free block of the power, or of a larger one; else one that was never given. */
static uint32_t find_block(unsigned power)
{
    for (unsigned c = power; c < CLASSES; c++)
        if (heap.head[c] != NONE) {
            const uint32_t found = heap.head[c];
            heap.head[c] = heap.next[found];
            return found;
        }
    const uint64_t units = UINT64_C(1) << power;
    if (heap.used + units > heap.bytes / UNIT)
        return NONE;
    const uint32_t found = heap.used;
    heap.power[found] = (uint8_t)power;
    heap.used += (uint32_t)units;
    return found;
}

uint64_t gmcuda_heap_take(void *user, uint64_t bytes)
{
    (void)user;
    if (bytes == 0 || bytes > heap.bytes)
        return 0;
    unsigned power = 0;
    while ((uint64_t)UNIT << power < bytes)
        power++;
    const uint32_t found = find_block(power);
    if (found == NONE)
        return 0;
    const uint64_t address = heap.base + (uint64_t)found * UNIT;
    heap.power[found] |= IS_LIVE;
    gmptx_shadow_mark(gmcuda_shadow(), address, bytes, false);
    return address;
}

bool gmcuda_heap_give(void *user, uint64_t address)
{
    (void)user;
    const uint64_t unit = (address - heap.base) / UNIT;
    if (address - heap.base >= heap.bytes || address % UNIT != 0 || !(heap.power[unit] & IS_LIVE))
        return false;
    const unsigned power = heap.power[unit] &= IS_LIVE - 1;
    heap.next[unit] = heap.head[power];
    heap.head[power] = (uint32_t)unit;
    return true;
}
