/* SPDX-License-Identifier: MIT
 *
 * crew.h - threads that run the SMs of a launch side by side. Each hand has a run of neighbouring
 * SMs, and of all that SMs change while they run a step (counts, ways, the table of turns) its own.
 * The result is that of one thread, bit by bit.
 *
 * In a step all hands bring their SMs as far as they come without an answer, and then, one hand
 * after the other, have them answered (step.h): what L2 serves stays in the order of the SMs'
 * numbers. A hand that has been answered does not wait for the others: its SMs go on to where the
 * next step leads them in any case. Where that takes longer than it saves
 * the caller runs all alone (together.h).
 *
 * Ways that depend on the order in which warps are followed (gmtrace_paths_add_order()) are the
 * same only where one thread follows all: gmsim_crew_depends() says when a run is of no use.
 */
#ifndef GMSIM_CREW_H
#define GMSIM_CREW_H

#include "sim/model/time/step.h"

#pragma GCC visibility push(hidden)

typedef struct gmsim_crew gmsim_crew;

/* The caller is one of the threads; fewer where no more can be had. `always`: no step is left to it
 * alone. NULL where that is one, or without memory. Free with gmsim_crew_free(). */
gmsim_crew *gmsim_crew_new(uint32_t threads, bool always);
void gmsim_crew_free(gmsim_crew *crew); /* NULL is allowed */

/* Gives each hand what it needs for the launch that the scheduler is ready for; sets s->crew. False
 * where there is no memory. Call gmsim_crew_end() in any case. */
bool gmsim_crew_begin(gmsim_crew *crew, gmsim_scheduler *s, const gmtrace_launch *launch,
                      gmtrace_detail detail);
void gmsim_crew_end(gmsim_crew *crew);

/* The launch begins anew: nothing has been counted. */
void gmsim_crew_reset(gmsim_crew *crew);

/* Who has that SM: of its warps, these find the ways. */
gmtrace_paths *gmsim_crew_paths(const gmsim_crew *crew, uint32_t sm);

/* One step of all SMs, which come to `limit`. On return SMs of hands without a place left
 * (gmsim_part.left) may be on their way further. */
bool gmsim_crew_step(gmsim_crew *crew, uint64_t limit, GError **error);
/* What the n-th hand's SMs came to in the step; false: there are not so many. */
bool gmsim_crew_part(const gmsim_crew *crew, uint32_t n, gmsim_part *part);
/* Waits until no SM is on its way: then all may be looked at, and changed. */
void gmsim_crew_rest(gmsim_crew *crew);
/* The same; whether a hand has found the trace cut short. */
bool gmsim_crew_truncated(gmsim_crew *crew);

/* Had what was counted come to depend on the order in which warps are stepped, when all SMs had
 * been answered last? */
bool gmsim_crew_depends(const gmsim_crew *crew);

/* Adds what the other hands counted to the scheduler's tally and replay. */
void gmsim_crew_add_up(const gmsim_crew *crew, gmsim_scheduler *s);
/* The same of the ways that warps went. */
gmtrace_path_counts gmsim_crew_path_counts(const gmsim_crew *crew);
/* Was there memory for all ways? */
bool gmsim_crew_complete(const gmsim_crew *crew);

#pragma GCC visibility pop

#endif
