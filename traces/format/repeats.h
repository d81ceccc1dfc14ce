/* SPDX-License-Identifier: MIT
 *
 * repeats.h - launches that happened and were not captured, because launches like them were
 * (FORMAT.md, "REPEATS"), gathered while a trace is written.
 */
#ifndef GMTRACE_PRIVATE_REPEATS_H
#define GMTRACE_PRIVATE_REPEATS_H

#include "traces/format/internal.h"

typedef struct gmt_repeats {
    gmt_buffer like;   /* array of uint32_t: of each launch the first one of its kind */
    gmt_buffer repeat; /* array of gmtrace_repeat */
} gmt_repeats;

/* The section's bytes; none where every launch was captured. False without memory. */
bool gmt_put_repeats(gmt_buffer *b, const gmt_repeats *repeats);
void gmt_repeats_free(gmt_repeats *repeats);

#endif
