/* SPDX-License-Identifier: MIT
 *
 * control.h - control bits for code that has none: synthetic kernels, PTX. Private to the trace
 * libraries.
 */
#ifndef GMTRACE_PRIVATE_CONTROL_H
#define GMTRACE_PRIVATE_CONTROL_H

#include "traces/gmtrace.h"

/* Sets stall, write_barrier, read_barrier and wait_mask of a whole table; other fields are read. An
 * instruction whose stall is set keeps it as the least. False: no memory. */
bool gmt_control_set(gmtrace_instr *instr, uint32_t count);

/* Moves waits for loads behind later loads that do not depend on them, up to a store, a barrier or a
 * branch: as if the loads had been put first, as ptxas does with PTX. After gmt_control_set(). */
void gmt_control_hoist(gmtrace_instr *instr, uint32_t count);

#endif
