/* SPDX-License-Identifier: MIT
 *
 * channel.h - the way from a CUDA context's kernels to the host: the ring in pinned memory, the
 * block of device memory that the patches get as their user data, and the thread that reads.
 */
#ifndef GMCAPTURE_CHANNEL_H
#define GMCAPTURE_CHANNEL_H

#include "traces/capture/consumer.h"
#include "traces/capture/sanitizer_api.h"
#include "traces/capture/settings.h"

typedef struct gmc_channel {
    struct gmc_channel *next;
    CUcontext context;
    gmc_counters *counters; /* device memory */
    gmc_device *device;     /* device memory: GMC_GRAPH_KERNELS of them */
    gmc_cell *ring;         /* host memory */
    uint64_t *tail;         /* host memory */
    uint64_t cells;
    gmc_consumer *consumer;
} gmc_channel;

/* The context's channel, made on first use. NULL with a message where that fails. */
gmc_channel *gmc_channel_get(const gmc_settings *settings, CUcontext context,
                             Sanitizer_StreamHandle stream);
/* Tells the device where the code of the kernel of this number begins; 0 outside graphs. In stream
 * order, before the launch. */
bool gmc_channel_aim(gmc_channel *channel, uint32_t kernel, uint64_t pc_base,
                     Sanitizer_StreamHandle stream);
/* Cells claimed so far; false where the device cannot say. */
bool gmc_channel_head(gmc_channel *channel, Sanitizer_StreamHandle stream, uint64_t *head);
void gmc_channel_context_gone(CUcontext context);

#endif
