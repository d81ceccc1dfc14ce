/* SPDX-License-Identifier: MIT
 *
 * channel.c - allocates the ring. Only functions of the Sanitizer API may be used here: callbacks
 * come while the driver holds its locks.
 */
#include "traces/capture/channel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "traces/capture/message.h"

#define TAIL_ROOM 128u /* bytes before the ring that hold the tail */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list alone; a leaf */
static gmc_channel *channels;

static bool good(SanitizerResult result, const char *what)
{
    if (result == SANITIZER_SUCCESS)
        return true;
    gmc_warn("%s: %s", what, gmc_sanitizer_error(result));
    return false;
}

/* The largest power of two of cells that fits the size asked for. */
static uint64_t cells_of(uint64_t bytes)
{
    uint64_t cells = GMC_SMALLEST_BUFFER / sizeof(gmc_cell);
    while (cells * 2 * sizeof(gmc_cell) <= bytes)
        cells *= 2;
    return cells;
}

static bool allocate(gmc_channel *channel, Sanitizer_StreamHandle stream)
{
    void *device = NULL, *host = NULL;
    size_t bytes = TAIL_ROOM + channel->cells * sizeof(gmc_cell);
    if (!good(gmc_san.sanitizerAllocHost(channel->context, &host, bytes),
              "no pinned host memory for the buffer; try a smaller --buffer"))
        return false;
    if (!good(gmc_san.sanitizerAlloc(channel->context, &device, sizeof(gmc_device)),
              "no device memory"))
        return false;
    memset(host, 0, bytes);
    channel->tail = host;
    channel->ring = (gmc_cell *)((char *)host + TAIL_ROOM);
    channel->device = device;
    gmc_device start = {.ring = channel->ring, .tail = channel->tail, .cells = channel->cells};
    if (!good(gmc_san.sanitizerMemcpyHostToDeviceAsync(device, &start, sizeof start, stream),
              "cannot write device memory") ||
        !good(gmc_san.sanitizerStreamSynchronize(stream), "cannot write device memory"))
        return false;
    channel->consumer = gmc_consumer_create(channel->ring, channel->cells, channel->tail);
    if (!channel->consumer)
        gmc_warn("cannot start a thread");
    return channel->consumer != NULL;
}

gmc_channel *gmc_channel_get(const gmc_settings *settings, CUcontext context,
                             Sanitizer_StreamHandle stream)
{
    pthread_mutex_lock(&lock);
    gmc_channel *channel = channels;
    while (channel && channel->context != context)
        channel = channel->next;
    pthread_mutex_unlock(&lock);
    if (channel)
        return channel;
    channel = calloc(1, sizeof *channel);
    if (!channel)
        return NULL;
    channel->context = context;
    channel->cells = cells_of(settings->buffer);
    if (!allocate(channel, stream)) {
        free(channel);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    channel->next = channels;
    channels = channel;
    pthread_mutex_unlock(&lock);
    return channel;
}

bool gmc_channel_aim(gmc_channel *channel, uint64_t pc_base, Sanitizer_StreamHandle stream)
{
    return good(gmc_san.sanitizerMemcpyHostToDeviceAsync(&channel->device->pc_base, &pc_base,
                                                         sizeof pc_base, stream),
                "cannot write device memory");
}

bool gmc_channel_head(gmc_channel *channel, Sanitizer_StreamHandle stream, uint64_t *head)
{
    return gmc_san.sanitizerMemcpyDeviceToHost(head, &channel->device->head, sizeof *head,
                                               stream) == SANITIZER_SUCCESS;
}

void gmc_channel_context_gone(CUcontext context)
{
    pthread_mutex_lock(&lock);
    gmc_channel **at = &channels;
    while (*at && (*at)->context != context)
        at = &(*at)->next;
    gmc_channel *gone = *at;
    if (gone)
        *at = gone->next;
    pthread_mutex_unlock(&lock);
    /* The context takes its memory with it. */
    if (gone)
        gmc_consumer_destroy(gone->consumer);
    free(gone);
}
