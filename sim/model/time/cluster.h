/* SPDX-License-Identifier: MIT
 *
 * cluster.h - CTAs of a cluster. They are dealt one after the other. A warp that waits at their
 * barrier (barrier.cluster, UCGABAR) waits for all warps of all of them; then they go on, one after
 * the other in each CTA (micro/cluster.cu, `relaxed`). What a CTA does to another's mbarrier, an
 * arrival or a copy to several CTAs, is told there at the end of a step of the schedule, with the
 * clock at which it is there, so that SMs may be run in any order within a step.
 *
 * Left out: that a cluster's CTAs begin together, in one group of SMs; the order of what arrives.
 */
#ifndef GMSIM_CLUSTER_H
#define GMSIM_CLUSTER_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* Whether the launch's CTAs are in clusters that the grid divides into. Makes room for them; false
 * without memory. */
bool gmsim_clusters_begin(gmsim_scheduler *s, const gmtrace_launch *launch);
void gmsim_clusters_end(gmsim_scheduler *s);

/* The CTA that is dealt after so many others. */
uint64_t gmsim_cluster_cta(const gmsim_scheduler *s, uint64_t dealt);

/* The CTA comes to that place of the SM, or leaves the SM. */
void gmsim_cluster_enter(gmsim_scheduler *s, uint32_t sm, uint32_t place);
void gmsim_cluster_leave(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place);

/* The warp arrives at its cluster's barrier. */
void gmsim_cluster_arrive(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);
/* It waits there; returns whether it does, as gmsim_mbarrier_record(). */
bool gmsim_cluster_wait(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);

/* Something for the mbarrier `number` of other CTAs of the cluster, whose ranks are a mask: so many
 * lanes have arrived, or with 0 a copy has. Returns whether the CTA's own rank is among them.
 * mbarrier.c takes up what was told, at the end of the step. */
bool gmsim_cluster_tell(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t ranks,
                        uint32_t number, uint32_t lanes, uint64_t clock);
/* The place that the CTA has, or had last; false where it has not come to any. */
bool gmsim_cluster_find(const gmsim_scheduler *s, uint64_t cta, gmsim_sm **sm, uint32_t *place);
/* The CTA's rank. */
uint32_t gmsim_cluster_rank(const gmsim_scheduler *s, uint64_t cta);

/* Nobody can go on: those that wait for their cluster do. False where nobody does. */
bool gmsim_clusters_give_up(gmsim_scheduler *s, uint64_t now);

/* A step is over: barriers that are complete let their warps go. */
void gmsim_clusters_step(gmsim_scheduler *s);

#pragma GCC visibility pop

#endif
