/* SPDX-License-Identifier: MIT
 *
 * copy.c - cudaMemcpy and cudaMemset in their forms. What is said to be device memory must lie in
 * one allocation, or in a variable of the program's kernels; a copy that runs over its end is
 * refused and explained, as compute-sanitizer would.
 */
#include "traces/gmcc/runtime/check.h"
#include "traces/gmcc/runtime/capture.h"

#include <stdio.h>
#include <string.h>

/* Is the range device memory, where the kind says so? */
static bool is_device(const void *pointer, size_t bytes, const char *call, const char *role)
{
    char where[160];
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (bytes == 0 || gmcuda_accessible(NULL, address, bytes, false, NULL) ||
        gmcuda_in_variable(address, bytes))
        return true;
    gmcuda_describe(address, bytes, where, sizeof where);
    if (gmcuda_checks_any()) {
        char title[80], detail[240];
        gmt_frames origin = {.count = 0};
        gmcuda_origin(address, &origin);
        snprintf(title, sizeof title, "%s: the %s is not all device memory", call, role);
        snprintf(detail, sizeof detail, "%zu bytes at %p: %s", bytes, pointer, where);
        gmcuda_found_call(GMCUDA_CHECK_MEMORY, NULL, &origin, title, detail);
        gmcuda_save_mistakes();
        return false;
    }
    gmcuda_message("%s: the %s, %zu bytes at %p, is not device memory: %s", call, role, bytes,
                   pointer, where);
    return false;
}

static cudaError_t check(const char *call, void *to, const void *from, size_t to_bytes,
                         size_t from_bytes, enum cudaMemcpyKind kind)
{
    if (gmcuda_sticky() != cudaSuccess)
        return gmcuda_sticky();
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (to_bytes != 0 && (to == NULL || from == NULL))
        return cudaErrorInvalidValue;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((to_device && !is_device(to, to_bytes, call, "destination")) ||
        (from_device && !is_device(from, from_bytes, call, "source")))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* Moves bytes, and what is known of them. */
static void move(const char *call, void *to, const void *from, size_t bytes)
{
    const gmptx_shadow *shadow = gmcuda_shadow();
    const uint64_t a = (uint64_t)(uintptr_t)to, b = (uint64_t)(uintptr_t)from;
    memmove(to, from, bytes);
    if (shadow->written == NULL)
        return;
    const uint64_t missing =
        a - shadow->start < shadow->bytes ? 0 : gmptx_shadow_unwritten(shadow, b, bytes);
    gmptx_shadow_copy(shadow, a, b, bytes);
    if (missing != 0) {
        char title[80], detail[120];
        gmt_frames origin = {.count = 0};
        gmcuda_origin(b, &origin);
        snprintf(title, sizeof title, "%s to the host of memory that nobody wrote", call);
        snprintf(detail, sizeof detail, "%llu of %zu bytes from %p on", (unsigned long long)missing,
                 bytes, from);
        gmcuda_found_call(GMCUDA_CHECK_UNWRITTEN, NULL, &origin, title, detail);
        gmcuda_save_mistakes();
    }
}

static cudaError_t copy(const char *call, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind)
{
    gmcuda_enter();
    cudaError_t error = check(call, to, from, bytes, bytes, kind);
    if (error == cudaSuccess && bytes != 0)
        move(call, to, from, bytes);
    return gmcuda_leave(error);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy("cudaMemcpy", to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream)) {
        const struct cudaMemcpy3DParms what = gmcuda_rows(to, bytes, from, bytes, bytes, 1, kind);
        return gmcuda_capture_copy(stream, &what);
    }
    return copy("cudaMemcpyAsync", to, from, bytes, kind);
}

/* Bytes from the first to the last of `height` rows. */
static bool extent(size_t pitch, size_t width, size_t height, size_t *bytes)
{
    *bytes = 0;
    if (width == 0 || height == 0)
        return true;
    if (__builtin_mul_overflow(pitch, height - 1, bytes))
        return false;
    return !__builtin_add_overflow(*bytes, width, bytes);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    size_t to_bytes, from_bytes;
    gmcuda_enter();
    if (width > to_pitch || width > from_pitch)
        return gmcuda_leave(cudaErrorInvalidPitchValue);
    if (!extent(to_pitch, width, height, &to_bytes) ||
        !extent(from_pitch, width, height, &from_bytes))
        return gmcuda_leave(cudaErrorInvalidValue);
    cudaError_t error = check("cudaMemcpy2D", to, from, to_bytes, from_bytes, kind);
    for (size_t row = 0; error == cudaSuccess && width != 0 && row < height; row++)
        move("cudaMemcpy2D", (char *)to + row * to_pitch, (const char *)from + row * from_pitch,
             width);
    return gmcuda_leave(error);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream)) {
        const struct cudaMemcpy3DParms what =
            gmcuda_rows(to, to_pitch, from, from_pitch, width, height, kind);
        return gmcuda_capture_copy(stream, &what);
    }
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

/* The bytes of a variable from `offset` on. */
static cudaError_t locate(const void *symbol, size_t bytes, size_t offset, char **address)
{
    cudaError_t error;
    const gmptx_variable *variable = gmcuda_find_variable(symbol, &error);
    if (variable == NULL)
        return error;
    if (offset > variable->size || bytes > variable->size - offset) {
        char detail[160];
        snprintf(detail, sizeof detail, "%zu bytes at offset %zu of %.60s, which has %zu", bytes,
                 offset, variable->name, variable->size);
        gmcuda_found_call(GMCUDA_CHECK_MEMORY, NULL, NULL, "copy beyond a variable's end", detail);
        gmcuda_save_mistakes();
        gmcuda_message("%zu bytes at offset %zu do not fit into %s, which has %zu", bytes, offset,
                       variable->name, variable->size);
        return cudaErrorInvalidValue;
    }
    *address = (char *)variable->address + offset;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    char *to = NULL;
    gmcuda_enter();
    cudaError_t error = locate(symbol, bytes, offset, &to);
    if (error == cudaSuccess)
        error = check("cudaMemcpyToSymbol", to, from, bytes, bytes, kind);
    if (error == cudaSuccess && bytes != 0)
        move("cudaMemcpyToSymbol", to, from, bytes);
    return gmcuda_leave(error);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_not_captured("cudaMemcpyToSymbolAsync");
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    char *from = NULL;
    gmcuda_enter();
    cudaError_t error = locate(symbol, bytes, offset, &from);
    if (error == cudaSuccess)
        error = check("cudaMemcpyFromSymbol", to, from, bytes, bytes, kind);
    if (error == cudaSuccess && bytes != 0)
        move("cudaMemcpyFromSymbol", to, from, bytes);
    return gmcuda_leave(error);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_not_captured("cudaMemcpyFromSymbolAsync");
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    cudaError_t error;
    gmcuda_enter();
    const gmptx_variable *variable = gmcuda_find_variable(symbol, &error);
    if (variable != NULL && address != NULL)
        *address = variable->address;
    return gmcuda_leave(variable == NULL  ? error
                        : address == NULL ? cudaErrorInvalidValue
                                          : cudaSuccess);
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    cudaError_t error;
    gmcuda_enter();
    const gmptx_variable *variable = gmcuda_find_variable(symbol, &error);
    if (variable != NULL && bytes != NULL)
        *bytes = variable->size;
    return gmcuda_leave(variable == NULL ? error
                        : bytes == NULL  ? cudaErrorInvalidValue
                                         : cudaSuccess);
}

static cudaError_t set(const char *call, void *to, size_t pitch, int value, size_t width,
                       size_t height)
{
    size_t bytes;
    gmcuda_enter();
    if (gmcuda_sticky() != cudaSuccess)
        return gmcuda_leave(gmcuda_sticky());
    if (width > pitch || !extent(pitch, width, height, &bytes) ||
        !is_device(to, bytes, call, "destination"))
        return gmcuda_leave(cudaErrorInvalidValue);
    for (size_t row = 0; width != 0 && row < height; row++) {
        memset((char *)to + row * pitch, value, width);
        gmptx_shadow_mark(gmcuda_shadow(), (uint64_t)(uintptr_t)to + row * pitch, width, true);
    }
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return set("cudaMemset", to, bytes, value, bytes, 1);
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_capture_set(stream, to, bytes, value, bytes, 1);
    return set("cudaMemsetAsync", to, bytes, value, bytes, 1);
}
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return set("cudaMemset2D", to, pitch, value, width, height);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_capture_set(stream, to, pitch, value, width, height);
    return cudaMemset2D(to, pitch, value, width, height);
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; error == cudaSuccess && z < extent.depth; z++)
        error = cudaMemset2D((char *)to.ptr + z * to.pitch * to.ysize, to.pitch, value,
                             extent.width, extent.height);
    return error;
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    if (to_device != 0 || from_device != 0)
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidDevice);
    return copy("cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_not_captured("cudaMemcpyPeerAsync");
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

/* An array's side of a copy is known to be right: what is left to check is the other one. */
static enum cudaMemcpyKind beside_arrays(enum cudaMemcpyKind kind, bool to_array, bool from_array)
{
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (kind == cudaMemcpyDefault || (unsigned)kind > cudaMemcpyDefault)
        return kind;
    return to_device && !to_array
               ? from_device && !from_array ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
           : from_device && !from_array ? cudaMemcpyDeviceToHost
                                        : cudaMemcpyHostToHost;
}
static cudaError_t outside_array(const char *call)
{
    gmcuda_enter();
    gmcuda_message("%s: the copy does not fit into the array, or there is none", call);
    return gmcuda_leave(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    size_t plane;
    char *at = gmcuda_array_place(to, x, y, 0, width, height, 1);
    if (at == NULL)
        return outside_array("cudaMemcpy2DToArray");
    return cudaMemcpy2D(at, gmcuda_array_pitch(to, &plane), from, pitch, width, height,
                        beside_arrays(kind, true, false));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_not_captured("cudaMemcpy2DToArrayAsync");
    return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    size_t plane;
    const char *at = gmcuda_array_place(from, x, y, 0, width, height, 1);
    if (at == NULL)
        return outside_array("cudaMemcpy2DFromArray");
    return cudaMemcpy2D(to, pitch, at, gmcuda_array_pitch(from, &plane), width, height,
                        beside_arrays(kind, false, true));
}
/* Bytes that go on in the next row. */
static char *flat_place(cudaArray_const_t array, size_t x, size_t y, size_t bytes)
{
    size_t plane, pitch = gmcuda_array_pitch(array, &plane);
    char *at = gmcuda_array_place(array, x, y, 0, 0, 0, 1);
    return at != NULL && bytes <= plane - (y * pitch + x) ? at : NULL;
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    char *at = flat_place(to, x, y, bytes);
    return at != NULL ? copy("cudaMemcpyToArray", at, from, bytes, beside_arrays(kind, true, false))
                      : outside_array("cudaMemcpyToArray");
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    const char *at = flat_place(from, x, y, bytes);
    return at != NULL ? copy("cudaMemcpyFromArray", to, at, bytes, beside_arrays(kind, false, true))
                      : outside_array("cudaMemcpyFromArray");
}

/* One side of a copy in three dimensions: where it begins, from row to row, from plane to plane. */
typedef struct box {
    char *at;
    size_t pitch, plane;
} box;

static bool place_box(box *b, cudaArray_const_t array, const struct cudaPitchedPtr *p,
                      const struct cudaPos *pos, const struct cudaExtent *bytes)
{
    if (array != NULL) {
        b->pitch = gmcuda_array_pitch(array, &b->plane);
        b->at = gmcuda_array_place(array, pos->x * gmcuda_array_element(array), pos->y, pos->z,
                                   bytes->width, bytes->height, bytes->depth);
        return b->at != NULL;
    }
    b->pitch = p->pitch;
    b->plane = p->ysize * p->pitch;
    b->at = (char *)p->ptr + pos->z * b->plane + pos->y * p->pitch + pos->x;
    return true;
}

/* Extents and positions of arrays count elements, of memory bytes. */
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *what)
{
    box to, from;
    if (what == NULL)
        return gmcuda_enter(), gmcuda_leave(cudaErrorInvalidValue);
    const cudaArray_const_t array = what->dstArray != NULL ? what->dstArray : what->srcArray;
    struct cudaExtent bytes = what->extent;
    if (array != NULL &&
        __builtin_mul_overflow(bytes.width, gmcuda_array_element(array), &bytes.width))
        return outside_array("cudaMemcpy3D");
    if (!place_box(&to, what->dstArray, &what->dstPtr, &what->dstPos, &bytes) ||
        !place_box(&from, what->srcArray, &what->srcPtr, &what->srcPos, &bytes))
        return outside_array("cudaMemcpy3D");
    const enum cudaMemcpyKind kind =
        beside_arrays(what->kind, what->dstArray != NULL, what->srcArray != NULL);
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; error == cudaSuccess && z < bytes.depth; z++)
        error = cudaMemcpy2D(to.at + z * to.plane, to.pitch, from.at + z * from.plane, from.pitch,
                             bytes.width, bytes.height, kind);
    return error;
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *what, cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream) && what != NULL)
        return gmcuda_capture_copy(stream, what);
    return cudaMemcpy3D(what);
}

/* Where pages lie is nothing that happens here. */
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream)
{
    (void)stream;
    (void)device;
    gmcuda_enter();
    return gmcuda_leave(is_device(pointer, bytes, "cudaMemPrefetchAsync", "range")
                            ? gmcuda_sticky()
                            : cudaErrorInvalidValue);
}
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          int device)
{
    (void)advice;
    return cudaMemPrefetchAsync(pointer, bytes, device, NULL);
}
