/* SPDX-License-Identifier: MIT
 *
 * consumer.h - the thread that empties a ring into a trace while a captured kernel runs.
 *
 * A ring belongs to one CUDA context. Between gmc_consumer_start() and gmc_consumer_finish() the
 * writer belongs to the thread; outside, to the caller.
 */
#ifndef GMCAPTURE_CONSUMER_H
#define GMCAPTURE_CONSUMER_H

#include "traces/capture/intake.h"
#include "traces/capture/turns.h"

typedef struct gmc_consumer gmc_consumer;

/* `ring` holds `cells` zeroed cells, a power of two; `tail` is what the device reads. NULL without
 * memory or thread. */
gmc_consumer *gmc_consumer_create(gmc_cell *ring, uint64_t cells, uint64_t *tail);
void gmc_consumer_start(gmc_consumer *consumer, const gmc_job *job);
/* The same for the kernels of a graph. False without memory. gmc_consumer_finish()'s result then
 * counts reports of no kernel, as `odd`; all others are handed out launch by launch. */
bool gmc_consumer_start_graph(gmc_consumer *consumer, const gmc_turn_calls *calls);
/* Waits until all of the job's CTAs have ended, as their reports say; gives up when nothing has
 * come for two seconds. For launches whose end the driver does not tell. */
bool gmc_consumer_wait(gmc_consumer *consumer);
/* Call when nothing more will be written: takes what is left, up to `head`, and stops. Cells that
 * were claimed but never written (a kernel that died) make the result unsound. */
void gmc_consumer_finish(gmc_consumer *consumer, uint64_t head, gmc_result *result);
void gmc_consumer_destroy(gmc_consumer *consumer);

#endif
