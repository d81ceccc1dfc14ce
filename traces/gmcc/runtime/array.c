/* SPDX-License-Identifier: MIT
 *
 * array.c - arrays, and the objects of textures and surfaces: what a program describes becomes what
 * the interpreter reads. An array's rows lie side by side in host memory that no pointer of the
 * program's reaches. Refused by name: mipmaps, cube maps, sRGB, views as another format.
 */
#include "traces/gmcc/runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cudaArray {
    struct cudaArray *next;
    struct cudaChannelFormatDesc description;
    struct cudaExtent extent; /* as the program gave it: 0 where there is no such dimension */
    unsigned int flags;
    gmptx_texture shape; /* texels, extents and pitches */
};

typedef struct object {
    struct object *next;
    uint64_t number;
    gmptx_texture what;
    cudaArray_t array; /* NULL: `bytes` of linear memory */
    uint64_t bytes;
} object;

static cudaArray_t arrays;
static object *objects;
static uint64_t numbers;

static cudaError_t refused(const char *call, const char *what)
{
    gmcuda_message("%s: %s", call, what);
    return gmcuda_leave(cudaErrorNotSupported);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* Channels of one size, 8, 16 or 32 bits; 1, 2 or 4 of them. */
static bool read_channels(const struct cudaChannelFormatDesc *d, gmptx_texture *t)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    t->channels = 0;
    while (t->channels < 4 && bits[t->channels] != 0)
        t->channels++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < t->channels ? d->x : 0))
            return false;
    t->bits = (uint8_t)d->x;
    t->kind = d->f == cudaChannelFormatKindSigned     ? GMPTX_TEXTURE_SIGNED
              : d->f == cudaChannelFormatKindUnsigned ? GMPTX_TEXTURE_UNSIGNED
                                                      : GMPTX_TEXTURE_FLOAT;
    return (d->x == 16 || d->x == 32 || (d->x == 8 && d->f != cudaChannelFormatKindFloat)) &&
           (t->channels == 1 || t->channels == 2 || t->channels == 4) &&
           (unsigned)d->f <= cudaChannelFormatKindFloat;
}

static bool known(cudaArray_const_t array)
{
    cudaArray_const_t a = arrays;
    while (a != NULL && a != array)
        a = a->next;
    return a != NULL;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *description,
                              struct cudaExtent extent, unsigned int flags)
{
    gmptx_texture shape = {0};
    uint64_t bytes;
    gmcuda_enter();
    if (array == NULL || description == NULL || !read_channels(description, &shape))
        return gmcuda_leave(array == NULL || description == NULL
                                ? cudaErrorInvalidValue
                                : cudaErrorInvalidChannelDescriptor);
    if (flags & cudaArrayCubemap)
        return refused("cudaMalloc3DArray", "cube maps are not supported");
    const bool layered = flags & cudaArrayLayered;
    if (extent.width == 0 || extent.width > 1u << 27 || extent.height > 1u << 17 ||
        extent.depth > 1u << 14 || (extent.depth != 0 && extent.height == 0 && !layered) ||
        (layered && extent.depth == 0))
        return gmcuda_leave(cudaErrorInvalidValue);
    shape.extent[0] = (uint32_t)extent.width;
    shape.extent[1] = extent.height != 0 ? (uint32_t)extent.height : 1;
    shape.extent[2] = layered || extent.depth == 0 ? 1 : (uint32_t)extent.depth;
    shape.layers = layered ? (uint32_t)extent.depth : 1;
    shape.row_bytes = (uint64_t)shape.extent[0] * shape.channels * (shape.bits / 8u);
    shape.slice_bytes = shape.row_bytes * shape.extent[1];
    bytes = shape.slice_bytes * shape.extent[2] * shape.layers;
    cudaArray_t a = bytes <= GMCUDA_MEMORY ? calloc(1, sizeof *a) : NULL;
    if (a != NULL)
        shape.texels = calloc(1, bytes);
    if (shape.texels == NULL) {
        free(a);
        return gmcuda_leave(cudaErrorMemoryAllocation);
    }
    *a = (struct cudaArray){.next = arrays,
                            .description = *description,
                            .extent = extent,
                            .flags = flags,
                            .shape = shape};
    *array = arrays = a;
    return gmcuda_leave(gmcuda_sticky());
}
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *description,
                            size_t width, size_t height, unsigned int flags)
{
    return cudaMalloc3DArray(array, description, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    gmcuda_enter();
    cudaArray_t *at = &arrays;
    while (array != NULL && *at != NULL && *at != array)
        at = &(*at)->next;
    if (array == NULL || *at == NULL)
        return gmcuda_leave(array == NULL ? cudaSuccess : cudaErrorInvalidResourceHandle);
    *at = array->next;
    free(array->shape.texels);
    free(array);
    return gmcuda_leave(gmcuda_sticky());
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *description, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    gmcuda_enter();
    if (!known(array))
        return gmcuda_leave(cudaErrorInvalidResourceHandle);
    if (description != NULL)
        *description = array->description;
    if (extent != NULL)
        *extent = array->extent;
    if (flags != NULL)
        *flags = array->flags;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *description, cudaArray_const_t array)
{
    return cudaArrayGetInfo(description, NULL, NULL, (cudaArray_t)array);
}

size_t gmcuda_array_element(cudaArray_const_t array)
{
    return known(array) ? (size_t)array->shape.channels * (array->shape.bits / 8u) : 0;
}
size_t gmcuda_array_pitch(cudaArray_const_t array, size_t *plane)
{
    *plane = known(array) ? array->shape.slice_bytes : 0;
    return known(array) ? array->shape.row_bytes : 0;
}

char *gmcuda_array_place(cudaArray_const_t array, size_t x, size_t y, size_t z, size_t bytes,
                         size_t rows, size_t planes)
{
    if (!known(array))
        return NULL;
    const gmptx_texture *t = &array->shape;
    const size_t depth = (size_t)t->extent[2] * t->layers;
    if (x > t->row_bytes || bytes > t->row_bytes - x || y > t->extent[1] ||
        rows > t->extent[1] - y || z > depth || planes > depth - z)
        return NULL;
    return (char *)t->texels + z * t->slice_bytes + y * t->row_bytes + x;
}

/* ------------------------------------------------------------------------------------- objects */

const gmptx_texture *gmcuda_find_texture(void *user, uint64_t number)
{
    const object *o = objects;
    (void)user;
    while (o != NULL && o->number != number)
        o = o->next;
    if (o == NULL ||
        (o->array != NULL ? !known(o->array)
                          : !gmcuda_accessible(NULL, (uint64_t)(uintptr_t)o->what.texels, o->bytes,
                                               false, NULL)))
        return NULL;
    return &o->what;
}

static cudaError_t describe(const struct cudaResourceDesc *r, object *o)
{
    gmptx_texture *t = &o->what;
    const bool pitched = r->resType == cudaResourceTypePitch2D;
    switch (r->resType) {
    case cudaResourceTypeArray:
        if (!known(r->res.array.array))
            return cudaErrorInvalidResourceHandle;
        o->array = r->res.array.array;
        *t = o->array->shape;
        return cudaSuccess;
    case cudaResourceTypeLinear:
    case cudaResourceTypePitch2D:
        if (!read_channels(pitched ? &r->res.pitch2D.desc : &r->res.linear.desc, t))
            return cudaErrorInvalidChannelDescriptor;
        break;
    case cudaResourceTypeMipmappedArray:
        return cudaErrorNotSupported;
    }
    const uint32_t element = t->channels * (t->bits / 8u);
    const size_t width = pitched ? r->res.pitch2D.width : r->res.linear.sizeInBytes / element;
    const size_t height = pitched ? r->res.pitch2D.height : 1;
    t->texels = pitched ? r->res.pitch2D.devPtr : r->res.linear.devPtr;
    t->row_bytes = pitched ? r->res.pitch2D.pitchInBytes : width * element;
    if (width == 0 || width > 1u << 30 || height == 0 || height > 1u << 17 ||
        t->row_bytes < width * element)
        return cudaErrorInvalidValue;
    t->extent[0] = (uint32_t)width;
    t->extent[1] = (uint32_t)height;
    t->extent[2] = t->layers = 1;
    t->slice_bytes = t->row_bytes * height;
    o->bytes = t->row_bytes * (height - 1) + width * element;
    return gmcuda_accessible(NULL, (uint64_t)(uintptr_t)t->texels, o->bytes, false, NULL)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t enter_object(uint64_t *number, const object *what)
{
    static bool said;
    object *o = malloc(sizeof *o);
    if (o == NULL)
        return cudaErrorMemoryAllocation;
    if (!said)
        gmcuda_message("warning: textures and surfaces are read and written, but their accesses "
                       "are in no count: no texture cache is simulated");
    said = true;
    *o = *what;
    o->number = *number = ++numbers;
    o->next = objects;
    objects = o;
    return cudaSuccess;
}

static cudaError_t destroy(uint64_t number)
{
    gmcuda_enter();
    object **at = &objects;
    while (*at != NULL && (*at)->number != number)
        at = &(*at)->next;
    if (*at == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    object *o = *at;
    *at = o->next;
    free(o);
    return gmcuda_leave(cudaSuccess);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *number,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view)
{
    object o = {0};
    uint64_t handle = 0;
    gmcuda_enter();
    if (number == NULL || resource == NULL || texture == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    if (resource->resType == cudaResourceTypeMipmappedArray)
        return refused("cudaCreateTextureObject", "mipmaps are not supported");
    if (texture->sRGB || (view != NULL && view->format != cudaResViewFormatNone))
        return refused("cudaCreateTextureObject", "sRGB and other views are not supported");
    cudaError_t error = describe(resource, &o);
    gmptx_texture *t = &o.what;
    const bool reads_float =
        t->kind == GMPTX_TEXTURE_FLOAT || texture->readMode == cudaReadModeNormalizedFloat;
    const bool is_linear = texture->filterMode == cudaFilterModeLinear;
    if (error == cudaSuccess && is_linear && !reads_float)
        error = cudaErrorInvalidFilterSetting;
    if (error == cudaSuccess && texture->readMode == cudaReadModeNormalizedFloat && t->bits == 32 &&
        t->kind != GMPTX_TEXTURE_FLOAT)
        error = cudaErrorInvalidNormSetting;
    if (error != cudaSuccess)
        return gmcuda_leave(error);
    t->normalized = t->kind != GMPTX_TEXTURE_FLOAT && reads_float;
    t->linear = is_linear && resource->resType != cudaResourceTypeLinear;
    t->normalized_coordinates = texture->normalizedCoords != 0;
    for (unsigned i = 0; i < 3; i++) {
        const enum cudaTextureAddressMode mode = texture->addressMode[i];
        const bool folds = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
        /* Only normalized coordinates wrap; what lies outside of linear memory reads as 0. */
        t->address[i] = resource->resType == cudaResourceTypeLinear ? GMPTX_TEXTURE_BORDER
                        : folds && !t->normalized_coordinates       ? GMPTX_TEXTURE_CLAMP
                                                                    : (uint8_t)mode;
    }
    if (resource->resType != cudaResourceTypeLinear)
        memcpy(t->border, texture->borderColor, sizeof t->border);
    error = enter_object(&handle, &o);
    *number = handle;
    return gmcuda_leave(error);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t number)
{
    return destroy(number);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *number,
                                    const struct cudaResourceDesc *resource)
{
    object o = {.what = {.surface = true}};
    uint64_t handle = 0;
    gmcuda_enter();
    if (number == NULL || resource == NULL || resource->resType != cudaResourceTypeArray)
        return gmcuda_leave(cudaErrorInvalidValue);
    cudaError_t error = describe(resource, &o);
    o.what.surface = true;
    if (error == cudaSuccess)
        error = enter_object(&handle, &o);
    *number = handle;
    return gmcuda_leave(error);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t number)
{
    return destroy(number);
}
