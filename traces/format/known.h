/* SPDX-License-Identifier: MIT
 *
 * known.h - what launches' code found, gathered while a trace is written (FORMAT.md, "KNOWN").
 */
#ifndef GMTRACE_PRIVATE_KNOWN_H
#define GMTRACE_PRIVATE_KNOWN_H

#include "traces/format/internal.h"

typedef struct gmt_known {
    gmt_buffer done;    /* of launches, as it is stored */
    uint64_t count;     /* of them */
    uint64_t constants; /* bytes of them all ... */
    uint64_t ranges, range_bytes;
} gmt_known;

/* What is true of a launch, which comes after those before. What would make the section longer than
 * it may be is left out: memory first, then the launch. False without memory. */
bool gmt_known_add(gmt_known *known, uint32_t launch, const gmtrace_known *found);
/* The section's bytes; none where nothing is known. False without memory. */
bool gmt_put_known(gmt_buffer *b, const gmt_known *known);
void gmt_known_free(gmt_known *known);

#endif
