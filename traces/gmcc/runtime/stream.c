/* SPDX-License-Identifier: MIT
 *
 * stream.c - streams and events. Everything is done when a call returns, so a stream is a number
 * and an event is the host's clock at the time it was recorded.
 */
#include "traces/gmcc/runtime/capture.h"

#include <stdlib.h>
#include <time.h>

struct CUevent_st {
    struct timespec time;
    uint64_t capture; /* of the stream that it was recorded in last */
    bool recorded, timed;
};

static uint32_t streams_made;

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    gmcuda_enter();
    if (stream == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return gmcuda_leave(cudaErrorMemoryAllocation);
    (*stream)->number = ++streams_made;
    return gmcuda_leave(gmcuda_sticky());
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    (void)flags;
    return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    (void)flags;
    (void)priority;
    return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    gmcuda_enter();
    if (gmcuda_stream_number(stream) == 0)
        return gmcuda_leave(cudaErrorInvalidResourceHandle);
    free(stream);
    return gmcuda_leave(cudaSuccess);
}

static cudaError_t done(void)
{
    gmcuda_enter();
    return gmcuda_leave(gmcuda_sticky());
}
/* What a captured stream did lies ahead: nobody can wait for it. */
static cudaError_t done_in(cudaStream_t stream)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_enter(), gmcuda_leave(cudaErrorStreamCaptureUnsupported);
    return done();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return done_in(stream);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    (void)stream;
    gmcuda_enter();
    if (priority == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *priority = 0;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    (void)stream;
    gmcuda_enter();
    if (flags == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *flags = cudaStreamDefault;
    return gmcuda_leave(cudaSuccess);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                     unsigned int flags)
{
    (void)stream, (void)pointer, (void)bytes, (void)flags;
    return done();
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                   const union cudaLaunchAttributeValue *value)
{
    (void)stream, (void)attribute, (void)value;
    return done();
}
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return done_in(stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    (void)flags;
    gmcuda_enter();
    uint64_t *number = gmcuda_stream_capture(stream);
    if (event == NULL)
        return gmcuda_leave(cudaErrorInvalidResourceHandle);
    if (number != NULL && gmcuda_is_captured(event->capture))
        *number = event->capture;
    return gmcuda_leave(gmcuda_sticky());
}
/* Callbacks run at once, and without the lock: they may call the runtime. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                                  unsigned int flags)
{
    (void)flags;
    cudaError_t error = done_in(stream);
    if (error == cudaErrorStreamCaptureUnsupported)
        return error;
    callback(stream, error, user);
    return error;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    if (gmcuda_stream_captured(stream))
        return gmcuda_capture_host(stream, function, user);
    cudaError_t error = done();
    if (error == cudaSuccess)
        function(user);
    return error;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = 0;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    gmcuda_enter();
    if (event == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        return gmcuda_leave(cudaErrorMemoryAllocation);
    (*event)->timed = !(flags & cudaEventDisableTiming);
    return gmcuda_leave(gmcuda_sticky());
}
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    gmcuda_enter();
    if (event == NULL)
        return gmcuda_leave(cudaErrorInvalidResourceHandle);
    const uint64_t *number = gmcuda_stream_capture(stream);
    event->capture = number != NULL && gmcuda_is_captured(*number) ? *number : 0;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return gmcuda_leave(gmcuda_sticky());
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}
static cudaError_t event_done(cudaEvent_t event)
{
    gmcuda_enter();
    return gmcuda_leave(event == NULL ? cudaErrorInvalidResourceHandle : gmcuda_sticky());
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return event_done(event);
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return event_done(event);
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    gmcuda_enter();
    if (milliseconds == NULL)
        return gmcuda_leave(cudaErrorInvalidValue);
    if (start == NULL || end == NULL || !start->recorded || !end->recorded || !start->timed ||
        !end->timed)
        return gmcuda_leave(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return gmcuda_leave(gmcuda_sticky());
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    gmcuda_enter();
    if (event == NULL)
        return gmcuda_leave(cudaErrorInvalidResourceHandle);
    free(event);
    return gmcuda_leave(cudaSuccess);
}
