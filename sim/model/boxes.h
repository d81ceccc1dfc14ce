/* SPDX-License-Identifier: MIT
 *
 * boxes.h - copies of boxes of tensors (TMA with tensor maps): what one TENSOR record asks of L2.
 */
#ifndef GMSIM_BOXES_H
#define GMSIM_BOXES_H

#include "sim/model/replay.h"

#pragma GCC visibility push(hidden)

/* As gmsim_replay_record(), of a TENSOR record. */
const char *gmsim_replay_box(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                             const gmtrace_record *record);
/* As gmsim_replay_room(). */
bool gmsim_replay_box_room(const gmsim_replay *replay, const gmsim_sm_memory *memory,
                           const gmtrace_record *record);

#pragma GCC visibility pop

#endif
