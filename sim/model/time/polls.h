/* SPDX-License-Identifier: MIT
 *
 * polls.h - loops in which a warp reads global memory, and does nothing else, until another CTA has
 * written what it waits for (gmtrace_find_polls). How often a captured warp read is the capture's:
 * programs run slower there. What it waited for follows from who writes the words that are read so
 * (micro/poll.cu):
 *
 * - A flag, which one CTA writes: until it is written for the first time.
 * - A barrier, which all its CTAs write, as often as each other, before they read it: until all
 * have written as often as the reader's own CTA.
 * - A turn, which CTAs wait for before they write the word, each once: one after the other passes,
 * in the order in which they came, the next when the one before has written.
 * - Flags of several CTAs, each written twice, that lanes of a warp read together (a decoupled
 *   look-back: a CTA's part, and then the sum of all before it): until all are written; then the
 *   same of the 32 before them, unless one has been written twice. Where all are one CTA's (each
 *   lane has a sum of its own) a warp goes back as far as the captured one did.
 * - Anything else waits for nothing: so does everything once all of its writes are done.
 *
 * A read that finds that it has to wait is followed by another; one that does not, by what followed
 * the last of the captured ones. What was written in a step of the schedule is read from the next
 * on.
 *
 * Left out: polls of shared memory, and with barriers or accesses in their loop; compare-and-swap;
 * words that are written anew, but for barriers.
 */
#ifndef GMSIM_POLLS_H
#define GMSIM_POLLS_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* Reads who polls and who writes which words, where the kernel has loops that poll; s->polls is
 * NULL where it has none. Marks the sites of both in the scheduler's tally. False on an error of
 * the trace's, other than that it is cut short, or without memory: then without an error. */
bool gmsim_polls_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel, GError **error);
void gmsim_polls_end(gmsim_scheduler *s);
/* The launch begins anew: nobody has written anything. */
void gmsim_polls_forget(gmsim_scheduler *s);

/* The warp's record, at a marked site, issues at `now`. True where it polls: what comes behind it
 * is not known before gmsim_polls_over(). */
bool gmsim_polls_note(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, const gmtrace_record *record,
                      uint64_t now);
/* Its answer is there: is the loop over? Then the warp's next record is what follows the loop. */
bool gmsim_polls_over(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now);

/* A step of all SMs is over. */
void gmsim_polls_step(gmsim_scheduler *s);

#pragma GCC visibility pop

#endif
