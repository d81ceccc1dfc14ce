/* SPDX-License-Identifier: MIT
 *
 * capture.h - what the runtime's other files tell capture.c: what a captured stream is asked to do.
 */
#ifndef GMCUDA_CAPTURE_H
#define GMCUDA_CAPTURE_H

#include "traces/gmcc/runtime/runtime.h"

/* Where a stream keeps its capture's number (0: none was); NULL of those that cannot be captured.
 */
static inline uint64_t *gmcuda_stream_capture(cudaStream_t stream)
{
    return gmcuda_stream_number(stream) != 0 ? &stream->capture : NULL;
}

/* Is the capture still going on? Is any? */
bool gmcuda_is_captured(uint64_t number);
bool gmcuda_captures(void);
/* Does the stream take part in one? What it is asked to do then becomes a node: */
bool gmcuda_stream_captured(cudaStream_t stream);
cudaError_t gmcuda_not_captured(const char *call); /* refuses it by name */
cudaError_t gmcuda_capture_launch(cudaStream_t stream, const void *host, dim3 grid, dim3 block,
                                  void **arguments, size_t dynamic_shared);
cudaError_t gmcuda_capture_copy(cudaStream_t stream, const struct cudaMemcpy3DParms *what);
cudaError_t gmcuda_capture_set(cudaStream_t stream, void *to, size_t pitch, int value, size_t width,
                               size_t height);
cudaError_t gmcuda_capture_host(cudaStream_t stream, cudaHostFn_t function, void *user);

/* A copy of rows as one of boxes. */
static inline struct cudaMemcpy3DParms gmcuda_rows(void *to, size_t to_pitch, const void *from,
                                                   size_t from_pitch, size_t width, size_t height,
                                                   enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)from, from_pitch, width, height},
        .dstPtr = {to, to_pitch, width, height},
        .extent = {width, height, 1},
        .kind = kind,
    };
}

#endif
