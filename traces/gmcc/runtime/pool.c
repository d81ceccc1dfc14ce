/* SPDX-License-Identifier: MIT
 *
 * pool.c - memory pools: what a program sets is kept, and allocations come from device memory like
 * all others. How much a pool holds or has held is not counted, and refused by name.
 */
#include "traces/gmcc/runtime/runtime.h"

#include <stdlib.h>

struct CUmemPoolHandle_st {
    int switches[cudaMemPoolReuseAllowInternalDependencies + 1];
    uint64_t threshold;
};

static struct CUmemPoolHandle_st standard = {{0, 1, 1, 1}, 0};
static cudaMemPool_t current = &standard;

static cudaError_t give(cudaMemPool_t *pool, int device, cudaMemPool_t which)
{
    gmcuda_enter();
    if (pool == NULL || device != 0)
        return gmcuda_leave(pool == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    *pool = which;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return give(pool, device, &standard);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return give(pool, device, current);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    gmcuda_enter();
    if (pool == NULL || device != 0)
        return gmcuda_leave(pool == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    current = pool;
    return gmcuda_leave(cudaSuccess);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    gmcuda_enter();
    if (pool == NULL || properties == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *pool = calloc(1, sizeof **pool);
    if (*pool == NULL)
        return gmcuda_leave(cudaErrorMemoryAllocation);
    **pool = standard;
    return gmcuda_leave(cudaSuccess);
}
/* What was allocated from it stays: only its own call gives it back. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    gmcuda_enter();
    if (pool == NULL || pool == &standard)
        return gmcuda_leave(cudaErrorInvalidValue);
    if (current == pool)
        current = &standard;
    free(pool);
    return gmcuda_leave(cudaSuccess);
}

static cudaError_t attribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value, bool set)
{
    gmcuda_enter();
    if (pool == NULL || value == NULL || which < cudaMemPoolReuseFollowEventDependencies)
        return gmcuda_leave(cudaErrorInvalidValue);
    if (which > cudaMemPoolAttrReleaseThreshold) {
        gmcuda_message("cudaMemPool%sAttribute: what a pool holds is not counted",
                       set ? "Set" : "Get");
        return gmcuda_leave(cudaErrorNotSupported);
    }
    uint64_t *threshold = value;
    int *flag = value;
    if (which == cudaMemPoolAttrReleaseThreshold && set)
        pool->threshold = *threshold;
    else if (which == cudaMemPoolAttrReleaseThreshold)
        *threshold = pool->threshold;
    else if (set)
        pool->switches[which] = *flag != 0;
    else
        *flag = pool->switches[which];
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
    return attribute(pool, which, value, true);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
    return attribute(pool, which, value, false);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes; /* nothing is kept beyond what is allocated */
    gmcuda_enter();
    return gmcuda_leave(pool != NULL ? gmcuda_sticky() : cudaErrorInvalidValue);
}
/* The one device has access already. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
                                 size_t count)
{
    gmcuda_enter();
    if (pool == NULL || (access == NULL && count != 0))
        return gmcuda_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        if (access[i].location.type != cudaMemLocationTypeDevice || access[i].location.id != 0)
            return gmcuda_leave(cudaErrorInvalidDevice);
    return gmcuda_leave(gmcuda_sticky());
}
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    if (pool == NULL)
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
    return cudaMallocAsync(pointer, bytes, stream);
}
