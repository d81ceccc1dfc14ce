/* SPDX-License-Identifier: MIT
 *
 * device.c - the one device, an H200: its properties and what fits on an SM. Where the numbers come
 * from stands in sim/device/h200.ini; the memory clock and bus width are those that
 * cudaGetDeviceProperties() gives for that GPU.
 */
#include "traces/gmcc/runtime/runtime.h"

#include <stdio.h>
#include <string.h>

static const struct cudaDeviceProp h200 = {
    .name = "NVIDIA H200 (interpreted by gmsim)",
    .totalGlobalMem = GMCUDA_MEMORY,
    .sharedMemPerBlock = GMCUDA_SHARED_DEFAULT,
    .regsPerBlock = GMCUDA_REGISTERS,
    .warpSize = 32,
    .memPitch = 2147483647,
    .maxThreadsPerBlock = GMCUDA_MAX_THREADS,
    .maxThreadsDim = {1024, 1024, 64},
    .maxGridSize = {2147483647, 65535, 65535},
    .clockRate = 1980000,
    .totalConstMem = 65536,
    .major = 9,
    .minor = 0,
    .textureAlignment = 512,
    .deviceOverlap = 1,
    .multiProcessorCount = GMCUDA_SM_COUNT,
    .canMapHostMemory = 1,
    .concurrentKernels = 1,
    .ECCEnabled = 1,
    .asyncEngineCount = 3,
    .unifiedAddressing = 1,
    .memoryClockRate = 3201000,
    .memoryBusWidth = 6144,
    .l2CacheSize = 62914560,
    .maxThreadsPerMultiProcessor = 2048,
    .globalL1CacheSupported = 1,
    .localL1CacheSupported = 1,
    .sharedMemPerMultiprocessor = 228 * 1024,
    .regsPerMultiprocessor = GMCUDA_REGISTERS,
    .managedMemory = 1,
    .concurrentManagedAccess = 1,
    .sharedMemPerBlockOptin = GMCUDA_SHARED_OPTIN,
    .maxBlocksPerMultiProcessor = 32,
    .reservedSharedMemPerBlock = 1024,
    .pciBusID = 1,
    .hostNativeAtomicSupported = 1,
    .pageableMemoryAccess = 0,
    .computePreemptionSupported = 1,
    .cooperativeLaunch = 1,
    .streamPrioritiesSupported = 1,
    .singleToDoublePrecisionPerfRatio = 2,
    .hostRegisterSupported = 1,
    .surfaceAlignment = 512,
    .texturePitchAlignment = 32,
};

cudaError_t cudaGetDeviceCount(int *count)
{
    gmcuda_enter();
    if (count == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *count = 1;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaGetDevice(int *device)
{
    gmcuda_enter();
    if (device == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *device = 0;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaSetDevice(int device)
{
    gmcuda_enter();
    return gmcuda_leave(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    (void)flags;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    gmcuda_enter();
    if (properties == NULL || device != 0)
        return gmcuda_leave(properties == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    *properties = h200;
    return gmcuda_leave(cudaSuccess);
}

static bool attribute_of(enum cudaDeviceAttr attribute, size_t *value)
{
    switch (attribute) {
#define ATTRIBUTE(name, member)                                                                    \
    case cudaDevAttr##name:                                                                        \
        *value = (size_t)h200.member;                                                              \
        return true;
        ATTRIBUTE(MaxThreadsPerBlock, maxThreadsPerBlock)
        ATTRIBUTE(MaxBlockDimX, maxThreadsDim[0])
        ATTRIBUTE(MaxBlockDimY, maxThreadsDim[1])
        ATTRIBUTE(MaxBlockDimZ, maxThreadsDim[2])
        ATTRIBUTE(MaxGridDimX, maxGridSize[0])
        ATTRIBUTE(MaxGridDimY, maxGridSize[1])
        ATTRIBUTE(MaxGridDimZ, maxGridSize[2])
        ATTRIBUTE(MaxSharedMemoryPerBlock, sharedMemPerBlock)
        ATTRIBUTE(TotalConstantMemory, totalConstMem)
        ATTRIBUTE(WarpSize, warpSize)
        ATTRIBUTE(MaxPitch, memPitch)
        ATTRIBUTE(MaxRegistersPerBlock, regsPerBlock)
        ATTRIBUTE(ClockRate, clockRate)
        ATTRIBUTE(TextureAlignment, textureAlignment)
        ATTRIBUTE(GpuOverlap, deviceOverlap)
        ATTRIBUTE(MultiProcessorCount, multiProcessorCount)
        ATTRIBUTE(KernelExecTimeout, kernelExecTimeoutEnabled)
        ATTRIBUTE(Integrated, integrated)
        ATTRIBUTE(CanMapHostMemory, canMapHostMemory)
        ATTRIBUTE(ComputeMode, computeMode)
        ATTRIBUTE(ConcurrentKernels, concurrentKernels)
        ATTRIBUTE(EccEnabled, ECCEnabled)
        ATTRIBUTE(MemoryClockRate, memoryClockRate)
        ATTRIBUTE(GlobalMemoryBusWidth, memoryBusWidth)
        ATTRIBUTE(L2CacheSize, l2CacheSize)
        ATTRIBUTE(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor)
        ATTRIBUTE(AsyncEngineCount, asyncEngineCount)
        ATTRIBUTE(UnifiedAddressing, unifiedAddressing)
        ATTRIBUTE(ComputeCapabilityMajor, major)
        ATTRIBUTE(ComputeCapabilityMinor, minor)
        ATTRIBUTE(GlobalL1CacheSupported, globalL1CacheSupported)
        ATTRIBUTE(LocalL1CacheSupported, localL1CacheSupported)
        ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor)
        ATTRIBUTE(MaxRegistersPerMultiprocessor, regsPerMultiprocessor)
        ATTRIBUTE(ManagedMemory, managedMemory)
        ATTRIBUTE(ConcurrentManagedAccess, concurrentManagedAccess)
        ATTRIBUTE(CooperativeLaunch, cooperativeLaunch)
        ATTRIBUTE(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin)
        ATTRIBUTE(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor)
        ATTRIBUTE(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock)
        ATTRIBUTE(PciBusId, pciBusID)
        ATTRIBUTE(PciDeviceId, pciDeviceID)
        ATTRIBUTE(PciDomainId, pciDomainID)
        ATTRIBUTE(StreamPrioritiesSupported, streamPrioritiesSupported)
        ATTRIBUTE(IsMultiGpuBoard, isMultiGpuBoard)
        ATTRIBUTE(HostNativeAtomicSupported, hostNativeAtomicSupported)
        ATTRIBUTE(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio)
        ATTRIBUTE(PageableMemoryAccess, pageableMemoryAccess)
        ATTRIBUTE(ComputePreemptionSupported, computePreemptionSupported)
        ATTRIBUTE(MaxPersistingL2CacheSize, persistingL2CacheMaxSize)
        ATTRIBUTE(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize)
        ATTRIBUTE(MemoryPoolsSupported, memoryPoolsSupported)
    case cudaDevAttrClusterLaunch:
        *value = 0;
        return true;
#undef ATTRIBUTE
    }
    return false;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    size_t wide;
    gmcuda_enter();
    if (device != 0)
        return gmcuda_leave(cudaErrorInvalidDevice);
    if (value == NULL || !attribute_of(attribute, &wide))
        return gmcuda_leave(cudaErrorInvalidValue);
    *value = (int)wide;
    return gmcuda_leave(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void)
{
    gmcuda_enter();
    return gmcuda_leave(gmcuda_sticky());
}
cudaError_t cudaDeviceReset(void)
{
    gmcuda_enter();
    gmcuda_release_memory();
    gmcuda_forget_heap();
    gmcuda_reset_functions();
    gmcuda_set_sticky(cudaSuccess);
    return gmcuda_leave(cudaSuccess);
}

/* Wishes about caches and limits change nothing here. */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    (void)config;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    (void)config;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    gmcuda_enter();
    return gmcuda_leave(limit == cudaLimitMallocHeapSize ? gmcuda_limit_heap(value) : cudaSuccess);
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    gmcuda_enter();
    if (value == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *value = limit == cudaLimitStackSize        ? 1024
             : limit == cudaLimitPrintfFifoSize ? 1u << 20
             : limit == cudaLimitMallocHeapSize ? gmcuda_heap_bytes()
                                                : 0;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    gmcuda_enter();
    if (can == NULL || device != 0 || peer != 0)
        return gmcuda_leave(can == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    *can = 0;
    return gmcuda_leave(cudaSuccess);
}
/* There is no other device. */
static cudaError_t no_peer(int peer)
{
    gmcuda_enter();
    return gmcuda_leave(peer == 0 ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported);
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    (void)flags;
    return no_peer(peer);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return no_peer(peer);
}
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    gmcuda_enter();
    if (text == NULL || size < 13 || device != 0)
        return gmcuda_leave(cudaErrorInvalidValue);
    snprintf(text, (size_t)size, "%04x:%02x:%02x.0", (unsigned)h200.pciDomainID & 0xffff,
             (unsigned)h200.pciBusID & 0xff, (unsigned)h200.pciDeviceID & 0xff);
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    (void)wanted;
    return cudaGetDevice(device);
}
cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    gmcuda_enter();
    if (flags == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    gmcuda_enter();
    if (config == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return cudaSuccess;
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}
cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}
cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}
cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}

/* Warps come in their four sub-partitions, registers in units of 256 a warp, shared memory in units
 * of 128 bytes with 1 KiB a CTA that the system keeps. */
int gmcuda_occupancy(uint32_t registers, size_t shared, int threads)
{
    int warps = (threads + 31) / 32;
    int blocks = 64 / warps;
    if (blocks > 32)
        blocks = 32;
    size_t bytes = (shared + 127) / 128 * 128 + 1024;
    if (h200.sharedMemPerMultiprocessor / bytes < (size_t)blocks)
        blocks = (int)(h200.sharedMemPerMultiprocessor / bytes);
    if (registers != 0) {
        int a_warp = (int)((registers * 32 + 255) / 256 * 256);
        int by_registers = GMCUDA_REGISTERS / 4 / a_warp * 4 / warps;
        if (by_registers < blocks)
            blocks = by_registers;
    }
    return blocks;
}
