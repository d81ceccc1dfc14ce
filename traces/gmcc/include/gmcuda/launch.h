/* SPDX-License-Identifier: MIT
 *
 * gmcuda/launch.h - the runtime's functions as C++ programs call them: with kernels, variables and
 * typed pointers in place of void *.
 */
#ifndef GMCUDA_LAUNCH_H
#define GMCUDA_LAUNCH_H

/* nodebug: a call's line is the program's. */
#define GMCUDA_HOST static inline __host__ __attribute__((nodebug)) cudaError_t

/* The channels of a scalar or vector type. */
#define GMCUDA_CHANNELS(type, x, y, z, w, kind)                                                    \
    template <> inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>()                \
    {                                                                                              \
        return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);                     \
    }
#define GMCUDA_CHANNELS4(name, one, bits, kind)                                                    \
    GMCUDA_CHANNELS(one, bits, 0, 0, 0, kind)                                                      \
    GMCUDA_CHANNELS(name##1, bits, 0, 0, 0, kind)                                                  \
    GMCUDA_CHANNELS(name##2, bits, bits, 0, 0, kind)                                               \
    GMCUDA_CHANNELS(name##4, bits, bits, bits, bits, kind)
template <typename T> inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc();
GMCUDA_CHANNELS(char, 8, 0, 0, 0, Signed)
/* clang-format off */
GMCUDA_CHANNELS4(char, signed char, 8, Signed)
GMCUDA_CHANNELS4(uchar, unsigned char, 8, Unsigned)
GMCUDA_CHANNELS4(short, short, 16, Signed)
GMCUDA_CHANNELS4(ushort, unsigned short, 16, Unsigned)
GMCUDA_CHANNELS4(int, int, 32, Signed)
GMCUDA_CHANNELS4(uint, unsigned int, 32, Unsigned)
GMCUDA_CHANNELS4(float, float, 32, Float)
/* clang-format on */
#undef GMCUDA_CHANNELS
#undef GMCUDA_CHANNELS4
/* As toolkits before 12 have it. */
GMCUDA_HOST cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node,
                                 char *, size_t)
{
    if (node)
        *node = nullptr;
    return cudaGraphInstantiate(exec, graph, 0ull);
}
GMCUDA_HOST cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture)
{
    return cudaCreateTextureObject(object, resource, texture, nullptr);
}

template <typename T> GMCUDA_HOST cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc((void **)pointer, bytes);
}
template <typename T> GMCUDA_HOST cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)pointer, bytes, stream);
}
template <typename T>
GMCUDA_HOST cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}
template <typename T>
GMCUDA_HOST cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}
template <typename T>
GMCUDA_HOST cudaMallocManaged(T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)pointer, bytes, flags);
}
template <typename T>
GMCUDA_HOST cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = cudaHostAllocDefault)
{
    return cudaHostAlloc((void **)pointer, bytes, flags);
}
GMCUDA_HOST cudaMallocHost(void **pointer, size_t bytes, unsigned int flags)
{
    return cudaHostAlloc(pointer, bytes, flags);
}
template <typename T>
GMCUDA_HOST cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t bytes = 0,
                                     unsigned int flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags);
}
GMCUDA_HOST cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
GMCUDA_HOST cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location)
{
    return cudaMemAdvise(pointer, bytes, advice,
                         location.type == cudaMemLocationTypeDevice ? location.id
                                                                    : cudaCpuDeviceId);
}
GMCUDA_HOST cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream = 0)
{
    (void)flags;
    return cudaMemPrefetchAsync(
        pointer, bytes, location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId,
        stream);
}
template <typename T> GMCUDA_HOST cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags)
{
    return cudaHostAlloc((void **)pointer, bytes, flags);
}
template <typename T>
GMCUDA_HOST cudaHostGetDevicePointer(T **device, void *host, unsigned int flags = 0)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <typename T>
GMCUDA_HOST cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)pointer, pitch, width, height);
}

template <typename T>
GMCUDA_HOST cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
GMCUDA_HOST cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <typename T>
GMCUDA_HOST cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T>
GMCUDA_HOST cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <typename T> GMCUDA_HOST cudaGetSymbolAddress(void **address, const T &symbol)
{
    return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <typename T> GMCUDA_HOST cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

template <typename T>
GMCUDA_HOST cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                             size_t dynamic_shared = 0, cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)function, grid, block, arguments, dynamic_shared, stream);
}
template <typename T>
GMCUDA_HOST cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic_shared = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments,
                                       dynamic_shared, stream);
}
/* Arguments become the parameters' types before their addresses are taken. */
template <typename... P, typename... A>
GMCUDA_HOST cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*function)(P...), A &&...a)
{
    return [=](P... parameter) {
        void *address[] = {(void *)&parameter..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)function, address);
    }(static_cast<A &&>(a)...);
}
template <typename T>
GMCUDA_HOST cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <typename T> GMCUDA_HOST cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function)
{
    return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <typename T> GMCUDA_HOST cudaFuncSetCacheConfig(T *function, cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)function, config);
}
template <typename T>
GMCUDA_HOST cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)function, config);
}
template <typename T>
GMCUDA_HOST cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *function, int block_size,
                                                          size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_size,
                                                         dynamic_shared);
}

/* The block size, a multiple of 32, with the most threads an SM; the largest of equals. `shared`
 * maps a block size to its dynamic shared memory. */
template <typename F, typename T>
GMCUDA_HOST cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block_size,
                                                           T *function, F shared, int limit = 0)
{
    cudaFuncAttributes attributes;
    int sm_count = 0, best = 0, best_blocks = 0;
    cudaError_t error = cudaFuncGetAttributes(&attributes, function);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0);
    if (error != cudaSuccess)
        return error;
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most)
        most = limit;
    for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
        int blocks, now = size < most ? size : most;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, now,
                                                              shared(now));
        if (error != cudaSuccess)
            return error;
        if (blocks * now > best * best_blocks) {
            best = now;
            best_blocks = blocks;
        }
    }
    *block_size = best;
    *min_grid = best_blocks * sm_count;
    return cudaSuccess;
}
template <typename T>
GMCUDA_HOST cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, T *function,
                                               size_t dynamic_shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        min_grid, block_size, function, [=](int) { return dynamic_shared; }, limit);
}
#undef GMCUDA_HOST

#endif
