/* SPDX-License-Identifier: MIT
 *
 * schedule.h - runs a launch: the order in which its warps go.
 */
#ifndef GMSIM_SCHEDULE_H
#define GMSIM_SCHEDULE_H

#include "sim/model/time/launch.h"

#pragma GCC visibility push(hidden)

/* Runs the launch selected in the reader to its end. sm, replay, paths, paces, reader, plan and
 * progress are set by the caller, the rest is set here. Every cursor is closed on return. */
bool gmsim_schedule(gmsim_scheduler *scheduler, GError **error);

#pragma GCC visibility pop

#endif
