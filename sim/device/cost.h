/* SPDX-License-Identifier: MIT
 *
 * cost.h - what an instruction costs, as [pipe] of an .ini file writes it: "fma 1, heavy 2" keeps
 * two pipes busy for one clock and for two, "issue 3" the scheduler for three; "full 1" goes for a
 * clock to either half of fma, three times of four the heavy one, "doubles 2" for two to fp64 if
 * the way there has other work for it; "xu 8, latency 17" has its result after 17; with "delay 13"
 * the warp goes on 13 clocks later than the code's control bits say.
 */
#ifndef GMSIM_COST_H
#define GMSIM_COST_H

#include "sim/device/gpu.h"

/* Returns NULL, or what is wrong (owned by the caller); the cost is then as it was. */
char *gmsim_cost_parse(const char *text, gmsim_cost *cost);
/* Free with g_free(). */
char *gmsim_cost_format(const gmsim_cost *cost);

#endif
