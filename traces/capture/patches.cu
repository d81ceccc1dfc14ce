/* SPDX-License-Identifier: MIT
 *
 * patches.cu - the device side of gmcapture: the functions that Compute Sanitizer calls from
 * patched instructions. Every active lane calls, before the instruction executes; the lanes of one
 * call are the lanes that execute it. A call ends with __syncwarp(), so that the instrumentation
 * never splits a warp that came whole.
 *
 * Built with nvcc --compile-as-tools-patch; the result is embedded in libgmcapture.so.
 */
#include <sanitizer_patching.h>
#include <stdint.h>

#include "ring.h"

#define PATCH extern "C" __device__ __noinline__ SanitizerPatchResult

struct site {
    gmc_device *device;
    uint64_t pc;
    uint32_t mask, lane, leader;
};

static __device__ __forceinline__ site here(void *userdata, uint64_t pc)
{
    site at;
    at.device = (gmc_device *)userdata;
    at.pc = pc;
    at.mask = __activemask();
    asm("mov.u32 %0, %%laneid;" : "=r"(at.lane));
    at.leader = __ffs(at.mask) - 1;
    return at;
}

/* The logical warp: %warpid is a hardware slot and says nothing about the thread numbers. */
static __device__ __forceinline__ uint32_t linear_warp()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) >> 5;
}

static __device__ __forceinline__ uint32_t linear_cta()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* The compiler takes the user data for a generic pointer and would test on every access whether it
 * is one to shared memory; these say that it is not. Few registers and barriers are a callback's,
 * so what can be said in one instruction is. */
static __device__ __forceinline__ uint64_t add_global(uint64_t *where, uint64_t value)
{
    uint64_t before;
    asm volatile("atom.global.add.relaxed.gpu.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(where), "l"(value)
                 : "memory");
    return before;
}

static __device__ __forceinline__ uint32_t exchange_global(uint32_t *where, uint32_t value)
{
    uint32_t before;
    asm volatile("atom.global.exch.relaxed.gpu.b32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(where), "r"(value)
                 : "memory");
    return before;
}

static __device__ __forceinline__ void max_global(uint64_t *where, uint64_t value)
{
    asm volatile("red.global.max.relaxed.gpu.u64 [%0], %1;" ::"l"(where), "l"(value) : "memory");
}

static __device__ __forceinline__ uint64_t load_relaxed(const uint64_t *where)
{
    uint64_t value;
    asm volatile("ld.global.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(where) : "memory");
    return value;
}

static __device__ __forceinline__ uint64_t load_host(const uint64_t *where)
{
    uint64_t value;
    asm volatile("ld.global.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(where) : "memory");
    return value;
}

/* Fields that do not change while a kernel runs. */
static __device__ __forceinline__ uint64_t load_fixed(const void *where)
{
    uint64_t value;
    asm("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(where));
    return value;
}

/* Waits until the host has taken the records that stand in the way. One warp of the device reads
 * the host's tail at a time: thousands of readers would slow the bus that the host drains. */
static __device__ __forceinline__ uint64_t claim(gmc_device *device, uint32_t cells)
{
    gmc_counters *shared = (gmc_counters *)load_fixed(&device->counters);
    uint64_t at = add_global(&shared->head, cells);
    uint64_t needed = at + cells - load_fixed(&device->cells); /* may be negative */
    while ((int64_t)(needed - load_relaxed(&shared->tail_seen)) > 0) {
        if (exchange_global(&shared->polling, 1) == 0) {
            max_global(&shared->tail_seen, load_host((const uint64_t *)load_fixed(&device->tail)));
            exchange_global(&shared->polling, 0);
        }
        __nanosleep(2000);
    }
    return at;
}

static __device__ __forceinline__ gmc_cell *cell_at(gmc_device *device, uint64_t position)
{
    uint64_t wrap = load_fixed(&device->cells) - 1;
    return (gmc_cell *)load_fixed(&device->ring) + (position & wrap);
}

/* The leader's part: everything but the mark, then the mark with release semantics. */
static __device__ __forceinline__ void write_body(gmc_cell *cell, const site &at, uint64_t address,
                                                  uint32_t stride, uint32_t aux)
{
    int64_t distance = (int64_t)(at.pc - load_fixed(&at.device->pc_base)) >> 4;
    uint32_t pc = distance == (int32_t)distance ? (uint32_t)distance : GMC_FAR_PC;
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(cell), "r"((uint32_t)address),
                 "r"((uint32_t)(address >> 32)), "r"(stride), "r"(aux)
                 : "memory");
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(&cell->pc), "r"(pc), "r"(linear_cta())
                 : "memory");
}

static __device__ __forceinline__ void write_mark(gmc_cell *cell, const site &at, uint32_t mark)
{
    uint64_t word = (mark | load_fixed(&at.device->kernel)) << 32 | at.mask;
    asm volatile("st.global.release.sys.u64 [%0], %1;" ::"l"(&cell->mask), "l"(word) : "memory");
}

/* A record without addresses of its own: one cell, written by the leader. */
static __device__ __forceinline__ void note(const site &at, uint32_t event, uint64_t address,
                                            uint32_t operand, uint32_t aux)
{
    if (at.lane == at.leader) {
        gmc_cell *cell = cell_at(at.device, claim(at.device, 1));
        write_body(cell, at, address, operand, aux);
        write_mark(cell, at, GMC_MARK(event, GMC_AFFINE, linear_warp()));
    }
    __syncwarp(at.mask);
}

/* One address a lane of at.mask. */
static __device__ __forceinline__ void access(const site &at, uint32_t event, uint64_t address,
                                              uint32_t aux)
{
    uint32_t mask = at.mask;
    uint64_t first = __shfl_sync(mask, address, at.leader);
    int64_t distance = (int64_t)(address - first);
    /* The second lane gives the stride. Where lanes are left out between the two, but not 1, 3, 7
     * or 15 of them, a division would be needed; such records go with all addresses. */
    uint32_t second = 31 - __clz((mask & (mask - 1)) & -(mask & (mask - 1)));
    uint32_t gap = second - at.leader; /* meaningless where there is no second lane */
    int32_t stride = __shfl_sync(mask, (int32_t)distance, second & 31);
    stride = (mask & (mask - 1)) ? stride >> (31 - __clz(gap)) : 0;
    uint32_t shape = GMC_AFFINE, cells = 1;
    if (!__all_sync(mask, distance == (int64_t)stride * (int32_t)(at.lane - at.leader))) {
        uint32_t count = __popc(mask);
        shape = __all_sync(mask, distance == (int32_t)distance) ? GMC_NEAR : GMC_FAR;
        cells = 1 + (shape == GMC_NEAR ? (count + 7) / 8 : (count + 3) / 4);
    }
    uint64_t position = 0;
    if (at.lane == at.leader)
        position = claim(at.device, cells);
    if (shape != GMC_AFFINE) {
        position = __shfl_sync(mask, position, at.leader);
        uint32_t below;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
        uint32_t entry = __popc(mask & below);
        if (shape == GMC_NEAR) {
            char *place = (char *)cell_at(at.device, position + 1 + entry / 8) + entry % 8 * 4;
            asm volatile("st.global.b32 [%0], %1;" ::"l"(place), "r"((int32_t)distance)
                         : "memory");
        } else {
            char *place = (char *)cell_at(at.device, position + 1 + entry / 4) + entry % 4 * 8;
            asm volatile("st.global.b64 [%0], %1;" ::"l"(place), "l"(address) : "memory");
        }
        __syncwarp(mask);
    }
    if (at.lane == at.leader) {
        gmc_cell *cell = cell_at(at.device, position);
        int64_t before = shape == GMC_AFFINE ? (int64_t)stride * (int32_t)at.lane : 0;
        write_body(cell, at, address - (uint64_t)before, (uint32_t)stride, aux);
        write_mark(cell, at, GMC_MARK(event, shape, linear_warp()));
    }
    __syncwarp(mask);
}

#define ACCESS_PATCH(name, event)                                                                  \
    PATCH name(void *userdata, uint64_t pc, void *address, uint32_t size, uint32_t flags,          \
               const void *)                                                                       \
    {                                                                                              \
        if (userdata)                                                                              \
            access(here(userdata, pc), event, (uint64_t)address, size | flags << 8);               \
        return SANITIZER_PATCH_SUCCESS;                                                            \
    }

ACCESS_PATCH(gmcapture_global, GMC_GLOBAL)
ACCESS_PATCH(gmcapture_shared, GMC_SHARED)
ACCESS_PATCH(gmcapture_local, GMC_LOCAL)

#if __CUDA_ARCH__ >= 900
/* The first of the user data of captured launches, for the one function that cannot trust its
 * argument. */
static __device__ const gmc_device *volatile captured;

static __device__ __forceinline__ bool in_cluster()
{
    uint32_t ctas;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(ctas));
    return ctas > 1;
}
#endif

/* Every generic access calls this one too, whatever it accesses, and then with user data that point
 * nowhere (seen with Compute Sanitizer 2025.3 and driver 580). Those that gmcapture_enter() was
 * given are real. */
PATCH gmcapture_remote_shared(void *userdata, uint64_t pc, void *address, uint32_t size,
                              uint32_t flags, const void *)
{
#if __CUDA_ARCH__ >= 900
    uint64_t distance = (uint64_t)userdata - (uint64_t)captured;
    if (userdata && in_cluster() && distance < GMC_GRAPH_KERNELS * sizeof(gmc_device) &&
        distance % sizeof(gmc_device) == 0)
        access(here(userdata, pc), GMC_REMOTE_SHARED, (uint64_t)address, size | flags << 8);
#endif
    return SANITIZER_PATCH_SUCCESS;
}

/* cp.async. A lane whose source size is 0 only writes zeros: it has no global side. */
PATCH gmcapture_copy(void *userdata, uint64_t pc, void *source, uint32_t target, uint32_t size)
{
    if (userdata) {
        site at = here(userdata, pc);
        uint32_t whole = at.mask;
        uint32_t readers = __ballot_sync(whole, source != nullptr);
        if (source) {
            at.mask = readers;
            at.leader = __ffs(readers) - 1;
            access(at, GMC_COPY_READ, (uint64_t)source, size);
            at.mask = whole;
            at.leader = __ffs(whole) - 1;
        }
        __syncwarp(whole);
        access(at, GMC_COPY_WRITE, target, size);
    }
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_copy_commit(void *userdata, uint64_t pc)
{
    if (userdata)
        note(here(userdata, pc), GMC_COPY_COMMIT, 0, 0, 0);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_copy_wait(void *userdata, uint64_t pc, uint32_t groups)
{
    if (userdata)
        note(here(userdata, pc), GMC_COPY_WAIT, 0, 0, groups);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_matrix(void *userdata, uint64_t pc, uint32_t address, uint32_t size,
                       uint32_t flags, uint32_t, const void *)
{
    if (userdata)
        access(here(userdata, pc), GMC_MATRIX, address, size | flags << 8);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_prefetch(void *userdata, uint64_t pc, void *address,
                         Sanitizer_CacheControlInstructionKind kind)
{
    if (userdata)
        access(here(userdata, pc), GMC_PREFETCH, (uint64_t)address, (uint32_t)kind << 8);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_async_store(void *userdata, uint64_t pc, uint32_t address, uint32_t, void *,
                            uint32_t size)
{
    if (userdata)
        access(here(userdata, pc), GMC_ASYNC_STORE, address, size);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_async_reduce(void *userdata, uint64_t pc, uint32_t address, uint32_t,
                             uint32_t size)
{
    if (userdata)
        access(here(userdata, pc), GMC_ASYNC_REDUCE, address, size);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_mbarrier(void *userdata, uint64_t pc, void *barrier, uint32_t kind, uint32_t)
{
    if (userdata)
        access(here(userdata, pc), GMC_MBARRIER, (uint64_t)barrier, kind);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_barrier(void *userdata, uint64_t pc, uint32_t number, uint32_t threads, uint32_t)
{
    if (userdata)
        note(here(userdata, pc), GMC_BARRIER, number, 0, threads);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_cluster_arrive(void *userdata, uint64_t pc)
{
    if (userdata)
        note(here(userdata, pc), GMC_CLUSTER_ARRIVE, 0, 0, 0);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_cluster_wait(void *userdata, uint64_t pc)
{
    if (userdata)
        note(here(userdata, pc), GMC_CLUSTER_WAIT, 0, 0, 0);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_syncwarp(void *userdata, uint64_t pc, uint32_t asked)
{
    if (userdata)
        note(here(userdata, pc), GMC_SYNCWARP, 0, 0, asked);
    return SANITIZER_PATCH_SUCCESS;
}

/* Touches no memory, but says who goes the slow way of a division: nothing else does. */
PATCH gmcapture_call(void *userdata, uint64_t pc, uint64_t, uint32_t)
{
    if (userdata)
        note(here(userdata, pc), GMC_CALL, 0, 0, 0);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_bulk_load(void *userdata, uint64_t pc, uint64_t source, uint32_t target,
                          uint32_t barrier, uint32_t data, uint32_t)
{
    if (userdata)
        note(here(userdata, pc), GMC_BULK_LOAD, source, GMC_TO(target, barrier), data);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_bulk_store(void *userdata, uint64_t pc, uint64_t target, uint32_t source,
                           uint32_t blocks)
{
    if (userdata)
        note(here(userdata, pc), GMC_BULK_STORE, target, source, blocks);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_bulk_shared(void *userdata, uint64_t pc, uint32_t source, uint32_t target,
                            uint32_t, uint32_t blocks)
{
    if (userdata)
        note(here(userdata, pc), GMC_BULK_SHARED, source, target, blocks);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_bulk_reduce_global(void *userdata, uint64_t pc, uint64_t target, uint32_t source,
                                   uint32_t blocks)
{
    if (userdata)
        note(here(userdata, pc), GMC_BULK_REDUCE_GLOBAL, target, source, blocks);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_bulk_reduce_shared(void *userdata, uint64_t pc, uint32_t source, uint32_t target,
                                   uint32_t, uint32_t blocks)
{
    if (userdata)
        note(here(userdata, pc), GMC_BULK_REDUCE_SHARED, source, target, blocks);
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_wgmma(void *userdata, uint64_t pc, uint32_t a, uint32_t size_a, uint32_t b,
                      uint32_t size_b, uint32_t, uint32_t warp_mask)
{
    if (userdata && warp_mask)
        note(here(userdata, pc), GMC_WGMMA, (uint64_t)b << 32 | a, size_a, size_b);
    return SANITIZER_PATCH_SUCCESS;
}

/* cp.async.bulk.tensor; one lane executes it for the warp. */
PATCH gmcapture_tensor(void *userdata, uint64_t pc, uint64_t map, uint32_t shared, uint32_t barrier,
                       int32_t c0, int32_t c1, int32_t c2, int32_t c3, int32_t c4, uint32_t,
                       uint32_t multicast, uint32_t args, uint32_t)
{
    if (!userdata)
        return SANITIZER_PATCH_SUCCESS;
    site at = here(userdata, pc);
    if (at.lane == at.leader) {
        uint64_t position = claim(at.device, 1 + GMC_TENSOR_CELLS);
        gmc_cell *cell = cell_at(at.device, position + 1);
        uint32_t rank = 0;
#if __CUDA_ARCH__ >= 900
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
        if (!multicast)
            args &= 0xffff;
        asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(cell), "r"(c0), "r"(c1),
                     "r"(c2), "r"(c3)
                     : "memory");
        asm volatile("st.global.v4.b32 [%0 + 16], {%1, %2, %3, %4};" ::"l"(cell), "r"(c4),
                     "r"(args), "r"(rank), "r"(0)
                     : "memory");
        for (uint32_t i = 0; i < 2; i++) {
            char *to = (char *)cell_at(at.device, position + 2 + i);
            for (uint32_t j = 0; j < 4; j++) {
                uint64_t word = ((const volatile uint64_t *)map)[4 * i + j];
                asm volatile("st.global.b64 [%0], %1;" ::"l"(to + 8 * j), "l"(word) : "memory");
            }
        }
        cell = cell_at(at.device, position);
        write_body(cell, at, (uint64_t)barrier << 32 | shared, 0, 0);
        write_mark(cell, at, GMC_MARK(GMC_TENSOR, GMC_AFFINE, linear_warp()));
    }
    __syncwarp(at.mask);
    return SANITIZER_PATCH_SUCCESS;
}

/* CTA 0 says how much shared memory it was given, to check the launch parameters by. */
PATCH gmcapture_enter(void *userdata, uint64_t pc)
{
    if (!userdata)
        return SANITIZER_PATCH_SUCCESS;
#if __CUDA_ARCH__ >= 900
    if (in_cluster()) /* each thread for itself: then it reads its own write */
        captured = (const gmc_device *)load_fixed(&((gmc_device *)userdata)->first);
#endif
    if (linear_cta() == 0 && linear_warp() == 0) {
        uint32_t dynamic, total;
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
        asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
        uint64_t shape = GMC_SHAPE(gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y,
                                   blockDim.z);
        note(here(userdata, pc), GMC_ENTER, shape, total, dynamic);
    }
    return SANITIZER_PATCH_SUCCESS;
}

PATCH gmcapture_exit(void *userdata, uint64_t pc)
{
    if (userdata)
        note(here(userdata, pc), GMC_EXIT, 0, 0, 0);
    return SANITIZER_PATCH_SUCCESS;
}
