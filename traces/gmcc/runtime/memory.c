/* SPDX-License-Identifier: MIT
 *
 * memory.c - device memory: one reserved range of addresses, cut as the CUDA driver cuts its own
 * (small pieces of 512 bytes' alignment out of blocks of 2 MiB, large ones at multiples of 2 MiB),
 * and a table of what is live. The range begins at the same address in every run, so that a trace
 * is the same, too.
 *
 * Pinned and managed memory comes from the same range: kernels and host both reach all of it. A
 * host that reads device memory through its own pointer, an error on a GPU, goes unnoticed here.
 */
#include "traces/gmcc/runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RANGE_BASE 0x200000000000ull
#define LARGE_UNIT (2ull << 20)
#define LARGE_FROM (1ull << 20)
#define SMALL_UNIT 512ull
#define PAGE       4096ull

typedef enum memory_kind { DEVICE, HOST, MANAGED, REGISTERED } memory_kind;

/* Sorted by base. A piece takes `span` bytes of the range; REGISTERED ones lie outside of it. */
typedef struct piece {
    uint64_t base, size, span;
    memory_kind kind;
} piece;

static piece *pieces;
static size_t piece_count, piece_room;
static uint64_t range_base, range_bytes, bytes_in_use;

/* Reserves addresses, not memory; as much as H200 memory and then some, or what the limits allow.
 */
static bool reserve(void)
{
    uint64_t bytes = 1ull << 40;
    if (range_base != 0)
        return true;
    for (; bytes >= 1ull << 30; bytes >>= 1) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void *p = mmap((void *)RANGE_BASE, bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == MAP_FAILED)
            p = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
        if (p == MAP_FAILED)
            continue;
        /* A hint that was not taken, as old kernels do, leaves an address that may be odd. */
        uint64_t base = ((uint64_t)p + LARGE_UNIT - 1) & ~(LARGE_UNIT - 1);
        range_base = base;
        range_bytes = bytes - (base - (uint64_t)p);
        return true;
    }
    return false;
}

/* The last piece whose base is not above the address, or SIZE_MAX. */
static size_t find_below(uint64_t address)
{
    size_t low = 0, high = piece_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pieces[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? SIZE_MAX : low - 1;
}

static bool insert(const piece *new_piece)
{
    if (piece_count == piece_room) {
        size_t room = piece_room == 0 ? 64 : 2 * piece_room;
        piece *grown = realloc(pieces, room * sizeof *grown);
        if (grown == NULL)
            return false;
        pieces = grown;
        piece_room = room;
    }
    size_t below = find_below(new_piece->base), at = below == SIZE_MAX ? 0 : below + 1;
    memmove(pieces + at + 1, pieces + at, (piece_count - at) * sizeof *pieces);
    pieces[at] = *new_piece;
    piece_count++;
    return true;
}

/* The first gap that is large enough. Large and small pieces do not share a block of 2 MiB, so
 * that small ones come to lie side by side. */
static uint64_t find_gap(uint64_t span, uint64_t unit)
{
    uint64_t at = range_base;
    for (size_t i = 0; i < piece_count; i++) {
        const piece *p = &pieces[i];
        if (p->kind == REGISTERED)
            continue;
        if (p->base >= at && p->base - at >= span)
            return at;
        uint64_t end = p->base + p->span;
        uint64_t align = unit == LARGE_UNIT || p->span >= LARGE_UNIT ? LARGE_UNIT : unit;
        if (end > at)
            at = (end + align - 1) & ~(align - 1);
    }
    return range_base + range_bytes - at >= span ? at : 0;
}

static uint64_t page_down(uint64_t address)
{
    return address & ~(PAGE - 1);
}
static uint64_t page_up(uint64_t address)
{
    return (address + PAGE - 1) & ~(PAGE - 1);
}

static cudaError_t allocate(void **pointer, size_t bytes, memory_kind kind)
{
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (gmcuda_sticky() != cudaSuccess)
        return gmcuda_sticky();
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > GMCUDA_MEMORY - bytes_in_use || !reserve())
        return cudaErrorMemoryAllocation;
    uint64_t unit = bytes >= LARGE_FROM ? LARGE_UNIT : SMALL_UNIT;
    uint64_t span = (bytes + unit - 1) & ~(unit - 1);
    uint64_t base = find_gap(span, unit);
    if (base == 0)
        return cudaErrorMemoryAllocation;
    uint64_t first = page_down(base), end = page_up(base + span);
    if (mprotect((void *)first, end - first, PROT_READ | PROT_WRITE) != 0)
        return cudaErrorMemoryAllocation;
    piece p = {.base = base, .size = bytes, .span = span, .kind = kind};
    if (!insert(&p))
        return cudaErrorMemoryAllocation;
    bytes_in_use += span;
    *pointer = (void *)base;
    return cudaSuccess;
}

static cudaError_t release(void *pointer, bool host)
{
    if (gmcuda_sticky() != cudaSuccess)
        return gmcuda_sticky();
    if (pointer == NULL)
        return cudaSuccess;
    size_t at = find_below((uint64_t)pointer);
    if (at == SIZE_MAX || pieces[at].base != (uint64_t)pointer || pieces[at].kind == REGISTERED ||
        (pieces[at].kind == HOST) != host)
        return cudaErrorInvalidValue;
    piece p = pieces[at];
    memmove(pieces + at, pieces + at + 1, (piece_count - at - 1) * sizeof *pieces);
    piece_count--;
    bytes_in_use -= p.span;
    /* Gives back whole pages that no neighbour shares. */
    uint64_t first = page_up(p.base), end = page_down(p.base + p.span);
    if (first < end)
        madvise((void *)first, end - first, MADV_DONTNEED);
    return cudaSuccess;
}

/* The piece that holds all of the bytes. */
static const piece *holder(uint64_t address, uint64_t bytes)
{
    size_t at = find_below(address);
    if (at == SIZE_MAX)
        return NULL;
    uint64_t offset = address - pieces[at].base;
    return offset <= pieces[at].size && bytes <= pieces[at].size - offset ? &pieces[at] : NULL;
}

bool gmcuda_accessible(void *user, uint64_t address, uint64_t bytes, bool is_write)
{
    (void)user;
    (void)is_write;
    return holder(address, bytes) != NULL;
}

void gmcuda_describe(uint64_t address, uint64_t bytes, char *text, size_t size)
{
    size_t at = find_below(address), next = at == SIZE_MAX ? 0 : at + 1;
    uint64_t after = UINT64_MAX, before = UINT64_MAX;
    const piece *below = at == SIZE_MAX ? NULL : &pieces[at];
    const piece *above = next < piece_count ? &pieces[next] : NULL;
    if (below != NULL)
        after = address - below->base - below->size; /* wraps inside the piece */
    if (above != NULL)
        before = above->base - address;
    if (address < 4096)
        snprintf(text, size, "a null pointer");
    else if (below != NULL && address - below->base < below->size)
        snprintf(text, size, "it runs %llu bytes over the end of the %llu at 0x%llx",
                 (unsigned long long)(address - below->base + bytes - below->size),
                 (unsigned long long)below->size, (unsigned long long)below->base);
    else if (below != NULL && after <= before && after < 1ull << 30)
        snprintf(text, size, "%llu bytes after the end of the %llu at 0x%llx",
                 (unsigned long long)after, (unsigned long long)below->size,
                 (unsigned long long)below->base);
    else if (above != NULL && before < 1ull << 30)
        snprintf(text, size, "%llu bytes before the %llu at 0x%llx", (unsigned long long)before,
                 (unsigned long long)above->size, (unsigned long long)above->base);
    else
        snprintf(text, size, "near no allocation; is it a pointer of the host's?");
}

gmtrace_allocation *gmcuda_list_allocations(uint32_t *count)
{
    *count = 0;
    gmtrace_allocation *list = calloc(piece_count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < piece_count; i++)
        list[(*count)++] = (gmtrace_allocation){.base = pieces[i].base, .size = pieces[i].size};
    return list;
}

void gmcuda_release_memory(void)
{
    if (range_base != 0)
        madvise((void *)range_base, range_bytes, MADV_DONTNEED);
    piece_count = 0;
    bytes_in_use = 0;
}

#define CALL(expression)                                                                           \
    do {                                                                                           \
        gmcuda_enter();                                                                            \
        return gmcuda_leave(expression);                                                           \
    } while (0)

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    CALL(allocate(pointer, bytes, DEVICE));
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    CALL(allocate(pointer, bytes, DEVICE));
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    CALL(allocate(pointer, bytes, MANAGED));
}
cudaError_t cudaMallocHost(void **pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    CALL(allocate(pointer, bytes, HOST));
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    CALL(allocate(pointer, bytes, HOST));
}
cudaError_t cudaFree(void *pointer)
{
    CALL(release(pointer, false));
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    (void)stream;
    CALL(release(pointer, false));
}
cudaError_t cudaFreeHost(void *pointer)
{
    CALL(release(pointer, true));
}

static cudaError_t host_to_device(void **device, void *host)
{
    const piece *p = holder((uint64_t)host, 1);
    if (device == NULL || p == NULL || p->kind == DEVICE)
        return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    (void)flags;
    CALL(host_to_device(device, host));
}

static cudaError_t register_host(void *pointer, size_t bytes)
{
    piece p = {.base = (uint64_t)pointer, .size = bytes, .kind = REGISTERED};
    if (pointer == NULL || bytes == 0 || holder(p.base, 1) != NULL)
        return cudaErrorInvalidValue;
    return insert(&p) ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    CALL(register_host(pointer, bytes));
}

static cudaError_t unregister_host(const void *pointer)
{
    size_t at = find_below((uint64_t)pointer);
    if (at == SIZE_MAX || pieces[at].base != (uint64_t)pointer || pieces[at].kind != REGISTERED)
        return cudaErrorInvalidValue;
    memmove(pieces + at, pieces + at + 1, (piece_count - at - 1) * sizeof *pieces);
    piece_count--;
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *pointer)
{
    CALL(unregister_host(pointer));
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (pitch == NULL || width > SIZE_MAX - 511 ||
        (height != 0 && (width + 511) / 512 * 512 > SIZE_MAX / height))
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    gmcuda_enter();
    if (free_bytes != NULL)
        *free_bytes = GMCUDA_MEMORY - bytes_in_use;
    if (total != NULL)
        *total = GMCUDA_MEMORY;
    return gmcuda_leave(gmcuda_sticky());
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    static const enum cudaMemoryType type[] = {cudaMemoryTypeDevice, cudaMemoryTypeHost,
                                               cudaMemoryTypeManaged, cudaMemoryTypeHost};
    gmcuda_enter();
    if (attributes == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    const piece *p = holder((uint64_t)pointer, 1);
    memset(attributes, 0, sizeof *attributes);
    attributes->type = p == NULL ? cudaMemoryTypeUnregistered : type[p->kind];
    attributes->device = p == NULL ? -2 : 0;
    if (p != NULL)
        attributes->devicePointer = (void *)(uintptr_t)pointer;
    if (p != NULL && p->kind != DEVICE)
        attributes->hostPointer = (void *)(uintptr_t)pointer;
    return gmcuda_leave(cudaSuccess);
}
