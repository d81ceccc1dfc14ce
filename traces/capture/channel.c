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

static bool write_device(gmc_channel *channel, Sanitizer_StreamHandle stream)
{
    gmc_counters none = {0};
    gmc_device *device = calloc(GMC_GRAPH_KERNELS, sizeof *device);
    if (!device)
        return false;
    for (uint32_t i = 0; i < GMC_GRAPH_KERNELS; i++)
        device[i] = (gmc_device){.counters = channel->counters,
                                 .ring = channel->ring,
                                 .tail = channel->tail,
                                 .cells = channel->cells,
                                 .kernel = (uint64_t)i << 16,
                                 .first = channel->device};
    bool written = good(gmc_san.sanitizerMemcpyHostToDeviceAsync(channel->counters, &none,
                                                                 sizeof none, stream),
                        "cannot write device memory") &&
                   good(gmc_san.sanitizerMemcpyHostToDeviceAsync(
                            channel->device, device, GMC_GRAPH_KERNELS * sizeof *device, stream),
                        "cannot write device memory") &&
                   good(gmc_san.sanitizerStreamSynchronize(stream), "cannot write device memory");
    free(device);
    return written;
}

static bool allocate(gmc_channel *channel, Sanitizer_StreamHandle stream)
{
    void *device = NULL, *host = NULL;
    size_t bytes = TAIL_ROOM + channel->cells * sizeof(gmc_cell);
    if (!good(gmc_san.sanitizerAllocHost(channel->context, &host, bytes),
              "no pinned host memory for the buffer; try a smaller --buffer"))
        return false;
    if (!good(gmc_san.sanitizerAlloc(channel->context, &device,
                                     sizeof(gmc_counters) + GMC_GRAPH_KERNELS * sizeof(gmc_device)),
              "no device memory"))
        return false;
    memset(host, 0, bytes);
    channel->tail = host;
    channel->ring = (gmc_cell *)((char *)host + TAIL_ROOM);
    channel->counters = device;
    channel->device = (gmc_device *)(channel->counters + 1);
    if (!write_device(channel, stream))
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

bool gmc_channel_aim(gmc_channel *channel, uint32_t kernel, uint64_t pc_base,
                     Sanitizer_StreamHandle stream)
{
    return good(gmc_san.sanitizerMemcpyHostToDeviceAsync(&channel->device[kernel].pc_base, &pc_base,
                                                         sizeof pc_base, stream),
                "cannot write device memory");
}

bool gmc_channel_head(gmc_channel *channel, Sanitizer_StreamHandle stream, uint64_t *head)
{
    return gmc_san.sanitizerMemcpyDeviceToHost(head, &channel->counters->head, sizeof *head,
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
