/* SPDX-License-Identifier: MIT
 *
 * memory.c - device memory: one reserved range of host addresses, and a table of what is live.
 *
 * A piece has two addresses. The one that the program sees has room behind it that belongs to
 * nobody, and is not given out again while others are left: whatever runs over an end, or uses what
 * was freed, meets no other array. Reads over an end that a GPU would answer get zeros and a
 * warning; with checks they are mistakes like any other. The one in traces is the CUDA driver's:
 * small pieces side by side at 512 bytes' alignment in blocks of 2 MiB, large ones at multiples of
 * 2 MiB, freed ones used again; caches see what they would see. Both begin at the same place in
 * every run, so that a trace is the same, too.
 *
 * Pinned and managed memory comes from the same range: kernels and host both reach all of it. A
 * host that reads device memory through its own pointer, an error on a GPU, goes unnoticed here.
 */
#include "traces/gmcc/runtime/arena.h"
#include "traces/gmcc/runtime/check.h"
#include "traces/gmcc/runtime/capture.h"
#include "traces/code/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RANGE_BASE  0x200000000000ull
#define RANGE_BYTES (1ull << 40)
#define LARGE_FROM  (1ull << 20)
#define MAX_ROOM    (1ull << 30) /* behind a piece */
#define PAGE        4096ull
/* Of device addresses, for reads of what nobody wrote: 2 GiB of memory at most. */
#define MAX_SHADOWED (16ull << 30)

typedef enum memory_kind { DEVICE, HOST, MANAGED, REGISTERED, HEAP } memory_kind;

/* Sorted by base. A piece takes `span` bytes of the range; REGISTERED ones lie outside of it. */
typedef struct piece {
    uint64_t base, size, span;
    uint64_t traced; /* its base in traces */
    uint64_t number; /* which allocation of the program it is, from 1 */
    memory_kind kind;
    gmt_frames made;       /* where the program asked for it, */
    const char *call;      /* and by which call */
    gmtrace_origin origin; /* for traces; call NULL: not looked for yet */
} piece;

enum { FREED = 64 }; /* the last ones, for messages */

static piece *pieces, freed[FREED];
static size_t piece_count, piece_room;
static uint64_t bytes_in_use, allocations, frees;
static gmptx_shadow shadow;
static gmcuda_arena program, driver = {.start = RANGE_BASE, .bytes = RANGE_BYTES};

/* A bit of shadow for each byte of the first MAX_SHADOWED; the system finds memory for it as it is
 * touched. Device memory begins unwritten. */
static void open_shadow(void)
{
    const uint64_t bytes = program.bytes < MAX_SHADOWED ? program.bytes : MAX_SHADOWED;
    void *p = mmap(NULL, bytes / 8, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        gmcuda_message("no memory to watch which device memory is written; reads of what nobody "
                       "wrote are not looked for");
    else
        shadow = (gmptx_shadow){program.start, bytes, p};
}

const gmptx_shadow *gmcuda_shadow(void)
{
    return &shadow;
}

/* Memory that the host reaches, too, counts as written. */
static void shade(const piece *p)
{
    static bool told;
    if (shadow.written == NULL)
        return;
    gmptx_shadow_mark(&shadow, p->base, p->span, p->kind != DEVICE && p->kind != HEAP);
    if (p->base + p->span > shadow.start + shadow.bytes && !told) {
        told = true;
        gmcuda_message("allocations beyond %llu GiB of addresses are not watched for reads of what "
                       "nobody wrote",
                       MAX_SHADOWED >> 30);
    }
}

/* Reserves addresses, not memory; as much as H200 memory and room behind it, or what the limits
 * allow. */
static bool reserve(void)
{
    if (program.start != 0)
        return true;
    for (uint64_t bytes = RANGE_BYTES; bytes >= 1ull << 30; bytes >>= 1) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void *p = mmap((void *)RANGE_BASE, bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == MAP_FAILED)
            p = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
        if (p == MAP_FAILED)
            continue;
        /* A hint that was not taken, as old kernels do, leaves an address that may be odd. */
        program.start = ((uint64_t)p + GMCUDA_LARGE_UNIT - 1) & ~(GMCUDA_LARGE_UNIT - 1);
        program.bytes = bytes - (program.start - (uint64_t)p);
        if (gmcuda_checks(GMCUDA_CHECK_UNWRITTEN))
            open_shadow();
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

static uint64_t round_up(uint64_t v, uint64_t unit)
{
    return (v + unit - 1) & ~(unit - 1);
}

/* Room behind a piece: its own size, so that an index that is off by a factor falls into it, too.
 */
static uint64_t take_place(uint64_t span, uint64_t unit)
{
    const uint64_t room = span > MAX_ROOM ? MAX_ROOM : span > LARGE_FROM ? span : LARGE_FROM;
    uint64_t base = gmcuda_arena_take(&program, round_up(span + room, unit), unit);
    if (base != 0)
        program.next = base + span + room;
    else
        base = gmcuda_arena_take(&program, span, unit);
    return base;
}

/* Small pieces open their whole block of 2 MiB, of which neighbours then are one mapping: their
 * number is limited. */
static bool open_pages(uint64_t base, uint64_t span, uint64_t unit)
{
    const uint64_t step = unit == GMCUDA_LARGE_UNIT ? PAGE : GMCUDA_LARGE_UNIT;
    const uint64_t first = base & ~(step - 1), end = round_up(base + span, step);
    const uint64_t last = program.start + program.bytes;
    return mprotect((void *)first, (end < last ? end : round_up(base + span, PAGE)) - first,
                    PROT_READ | PROT_WRITE) == 0;
}

static cudaError_t allocate(void **pointer, size_t bytes, memory_kind kind, const char *call)
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
    const uint64_t unit = bytes >= LARGE_FROM ? GMCUDA_LARGE_UNIT : GMCUDA_SMALL_UNIT;
    piece p = {.size = bytes,
               .span = round_up(bytes, unit),
               .number = allocations + 1,
               .kind = kind,
               .call = call};
    if (kind != HEAP) /* that is no call of the program's */
        gmcuda_here(&p.made);
    p.traced = gmcuda_arena_take(&driver, p.span, unit);
    p.base = p.traced != 0 ? take_place(p.span, unit) : 0;
    if (p.base == 0 || !open_pages(p.base, p.span, unit) || !insert(&p)) {
        if (p.base != 0)
            gmcuda_arena_give(&program, p.base);
        if (p.traced != 0)
            gmcuda_arena_give(&driver, p.traced);
        return cudaErrorMemoryAllocation;
    }
    shade(&p);
    allocations++;
    bytes_in_use += p.span;
    *pointer = (void *)p.base;
    return cudaSuccess;
}

cudaError_t gmcuda_allocate_heap(void **pointer, size_t bytes)
{
    return allocate(pointer, bytes, HEAP, "malloc");
}

static void close_pages(const piece *p)
{
    const uint64_t first = round_up(p->base, PAGE), end = (p->base + p->span) & ~(PAGE - 1);
    if (first < end)
        madvise((void *)first, end - first, MADV_DONTNEED);
    if (p->span >= GMCUDA_LARGE_UNIT)
        mprotect((void *)p->base, p->span, PROT_NONE);
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

bool gmcuda_accessible(void *user, uint64_t address, uint64_t bytes, bool is_write, uint64_t *shift)
{
    (void)user;
    (void)is_write;
    const piece *p = holder(address, bytes);
    if (p != NULL && shift != NULL)
        *shift = p->traced - p->base;
    return p != NULL || gmcuda_in_shared_variable(address, bytes, shift);
}

const void *gmcuda_answer(void *user, uint64_t address, uint64_t bytes, uint64_t *shift)
{
    static const uint8_t zeros[32];
    const size_t at = find_below(address);
    const piece *p = at == SIZE_MAX ? NULL : &pieces[at];
    (void)user;
    if (p == NULL || (p->kind != DEVICE && p->kind != MANAGED) || bytes > sizeof zeros)
        return NULL;
    const uint64_t end = address - p->base + bytes;
    if (end - p->size > LARGE_FROM || /* the least room behind a piece */
        (p->traced + end - 1) / GMCUDA_LARGE_UNIT != (p->traced + p->size - 1) / GMCUDA_LARGE_UNIT)
        return NULL;
    *shift = p->traced - p->base;
    return end <= p->span ? (const void *)(uintptr_t)address : zeros;
}

/* "the 4096 bytes at 0x... of allocation 2", and what the program calls it where that is known */
static const char *name_of(const piece *p, char text[96])
{
    const char *name = p->origin.call != NULL ? p->origin.name : NULL;
    int length = snprintf(text, 96, "the %llu bytes at 0x%llx", (unsigned long long)p->size,
                          (unsigned long long)p->base);
    if (p->kind != REGISTERED)
        length += snprintf(text + length, 96 - (size_t)length, " of allocation %llu",
                           (unsigned long long)p->number);
    if (name != NULL && name[0] != 0)
        snprintf(text + length, 96 - (size_t)length, ", %.30s", name);
    return text;
}

static const piece *find_freed(uint64_t address)
{
    for (uint64_t i = 1; i <= FREED && i <= frees; i++) {
        const piece *p = &freed[(frees - i) % FREED];
        if (address - p->base < p->size)
            return p;
    }
    return NULL;
}

void gmcuda_describe(uint64_t address, uint64_t bytes, char *text, size_t size)
{
    char name[96];
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
    else if (below != NULL && address - below->base + bytes <= below->size)
        snprintf(text, size, "byte %llu of %s", (unsigned long long)(address - below->base),
                 name_of(below, name));
    else if (below != NULL && address - below->base < below->size)
        snprintf(text, size, "it runs %llu bytes over the end of %s",
                 (unsigned long long)(address - below->base + bytes - below->size),
                 name_of(below, name));
    else if (find_freed(address) != NULL)
        snprintf(text, size, "in %s, which was freed", name_of(find_freed(address), name));
    else if (below != NULL && after <= before && after < 1ull << 30)
        snprintf(text, size, "%llu bytes after the end of %s", (unsigned long long)after,
                 name_of(below, name));
    else if (above != NULL && before < 1ull << 30)
        snprintf(text, size, "%llu bytes before %s", (unsigned long long)before,
                 name_of(above, name));
    else
        snprintf(text, size, "near no allocation; is it a pointer of the host's?");
}

/* Why it cannot be freed. */
static void wrong_free(uint64_t address, bool host)
{
    char where[160];
    const piece *p = holder(address, 1);
    if (!gmcuda_checks_any())
        return;
    if (p != NULL && p->base == address && p->kind != REGISTERED)
        snprintf(where, sizeof where, "it is %s memory", p->kind == HOST ? "host" : "device");
    else
        gmcuda_describe(address, 1, where, sizeof where);
    gmt_frames origin = {.count = 0};
    gmcuda_origin(address, &origin);
    gmcuda_found_call(GMCUDA_CHECK_MEMORY, NULL, &origin,
                      p == NULL && find_freed(address) != NULL ? "double free"
                      : host ? "cudaFreeHost() of what it cannot free"
                             : "cudaFree() of what it cannot free",
                      where);
    gmcuda_save_mistakes();
}

static cudaError_t release(void *pointer, bool host)
{
    if (gmcuda_sticky() != cudaSuccess)
        return gmcuda_sticky();
    if (pointer == NULL)
        return cudaSuccess;
    size_t at = find_below((uint64_t)pointer);
    if (at == SIZE_MAX || pieces[at].base != (uint64_t)pointer || pieces[at].kind == REGISTERED ||
        pieces[at].kind == HEAP || (pieces[at].kind == HOST) != host) {
        wrong_free((uint64_t)pointer, host);
        return cudaErrorInvalidValue;
    }
    piece p = pieces[at];
    memmove(pieces + at, pieces + at + 1, (piece_count - at - 1) * sizeof *pieces);
    piece_count--;
    bytes_in_use -= p.span;
    freed[frees++ % FREED] = p;
    gmcuda_arena_give(&program, p.base);
    gmcuda_arena_give(&driver, p.traced);
    close_pages(&p);
    return cudaSuccess;
}

void gmcuda_origin(uint64_t address, gmt_frames *frames)
{
    const piece *p = find_freed(address);
    const size_t at = find_below(address), next = at == SIZE_MAX ? 0 : at + 1;
    if (at != SIZE_MAX && (p == NULL || address - pieces[at].base < pieces[at].size) &&
        address - pieces[at].base < 2 * pieces[at].span + MAX_ROOM)
        p = &pieces[at];
    else if (p == NULL && next < piece_count && pieces[next].base - address < MAX_ROOM)
        p = &pieces[next];
    if (p != NULL)
        *frames = p->made;
}

void gmcuda_find_leaks(void)
{
    if (gmcuda_sticky() != cudaSuccess) /* nothing can be freed any more */
        return;
    for (size_t i = 0; i < piece_count; i++) {
        char text[96];
        if (pieces[i].kind == REGISTERED || pieces[i].kind == HEAP)
            continue;
        snprintf(text, sizeof text, "%llu bytes, allocation %llu",
                 (unsigned long long)pieces[i].size, (unsigned long long)pieces[i].number);
        gmcuda_found_call(GMCUDA_CHECK_LEAKS, &pieces[i].made, NULL, "memory that is never freed",
                          text);
    }
}

static int by_base(const void *a, const void *b)
{
    const gmtrace_allocation *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

static int by_number(const void *a, const void *b)
{
    const gmt_made *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Once for each piece, when a launch has it first. */
static void find_origins(void)
{
    size_t count = 0;
    for (size_t i = 0; i < piece_count; i++)
        count += pieces[i].origin.call == NULL;
    gmt_made *made = count > 0 ? calloc(count, sizeof *made) : NULL;
    if (made == NULL)
        return;
    count = 0;
    for (size_t i = 0; i < piece_count; i++)
        if (pieces[i].origin.call == NULL)
            made[count++] =
                (gmt_made){&pieces[i].made, pieces[i].call, pieces[i].number, &pieces[i].origin};
    qsort(made, count, sizeof *made, by_number);
    gmt_find_origins(made, count);
    free(made);
}

gmtrace_allocation *gmcuda_list_allocations(uint32_t *count)
{
    const size_t variables = gmcuda_list_variables(NULL);
    *count = 0;
    find_origins();
    gmtrace_allocation *list = calloc(piece_count + variables + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < piece_count; i++)
        list[(*count)++] = (gmtrace_allocation){pieces[i].traced, pieces[i].size,
                                                pieces[i].origin.call ? &pieces[i].origin : NULL};
    if (list != NULL) {
        *count += (uint32_t)gmcuda_list_variables(list + *count);
        qsort(list, *count, sizeof *list, by_base);
    }
    return list;
}

void gmcuda_release_memory(void)
{
    gmcuda_find_leaks();
    for (size_t i = 0; i < piece_count; i++)
        if (pieces[i].kind != REGISTERED)
            close_pages(&pieces[i]);
    piece_count = 0;
    bytes_in_use = frees = 0;
    gmcuda_arena_clear(&program);
    gmcuda_arena_clear(&driver);
}

#define CALL(expression)                                                                           \
    do {                                                                                           \
        gmcuda_enter();                                                                            \
        return gmcuda_leave(expression);                                                           \
    } while (0)

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    CALL(allocate(pointer, bytes, DEVICE, "cudaMalloc"));
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_not_captured("cudaMallocAsync");
    CALL(allocate(pointer, bytes, DEVICE, "cudaMallocAsync"));
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    CALL(allocate(pointer, bytes, MANAGED, "cudaMallocManaged"));
}
cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    CALL(allocate(pointer, bytes, HOST, "cudaMallocHost"));
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    CALL(allocate(pointer, bytes, HOST, "cudaHostAlloc"));
}
cudaError_t cudaFree(void *pointer)
{
    CALL(release(pointer, false));
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_not_captured("cudaFreeAsync");
    CALL(release(pointer, false));
}
cudaError_t cudaFreeHost(void *pointer)
{
    CALL(release(pointer, true));
}

static cudaError_t host_to_device(void **device, void *host)
{
    const piece *p = holder((uint64_t)host, 1);
    if (device == NULL || p == NULL || p->kind == DEVICE || p->kind == HEAP)
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
    piece p = {.base = (uint64_t)pointer,
               .size = bytes,
               .traced = (uint64_t)pointer,
               .kind = REGISTERED,
               .call = "cudaHostRegister"};
    if (pointer == NULL || bytes == 0 || holder(p.base, 1) != NULL)
        return cudaErrorInvalidValue;
    gmcuda_here(&p.made);
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

static cudaError_t allocate_rows(void **pointer, size_t *pitch, size_t width, size_t height,
                                 const char *call)
{
    if (pitch == NULL || width > SIZE_MAX - 511 ||
        (height != 0 && (width + 511) / 512 * 512 > SIZE_MAX / height))
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    CALL(allocate(pointer, *pitch * height, DEVICE, call));
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    return allocate_rows(pointer, pitch, width, height, "cudaMallocPitch");
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    size_t rows;
    if (pointer == NULL || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return allocate_rows(&pointer->ptr, &pointer->pitch, extent.width, rows, "cudaMalloc3D");
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
                                               cudaMemoryTypeManaged, cudaMemoryTypeHost,
                                               cudaMemoryTypeDevice};
    gmcuda_enter();
    if (attributes == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    const piece *p = holder((uint64_t)pointer, 1);
    memset(attributes, 0, sizeof *attributes);
    const bool shared = gmcuda_in_shared_variable((uint64_t)pointer, 1, NULL);
    attributes->type = shared      ? cudaMemoryTypeManaged
                       : p == NULL ? cudaMemoryTypeUnregistered
                                   : type[p->kind];
    attributes->device = p == NULL && !shared ? -2 : 0;
    if (p != NULL || shared)
        attributes->devicePointer = (void *)(uintptr_t)pointer;
    if (shared || (p != NULL && p->kind != DEVICE && p->kind != HEAP))
        attributes->hostPointer = (void *)(uintptr_t)pointer;
    return gmcuda_leave(cudaSuccess);
}
