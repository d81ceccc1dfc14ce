/* SPDX-License-Identifier: MIT
 *
 * origins.h - where allocations come from, gathered while a trace is written (FORMAT.md,
 * "ORIGINS"). An allocation mostly lives through many launches and is told of once.
 */
#ifndef GMTRACE_PRIVATE_ORIGINS_H
#define GMTRACE_PRIVATE_ORIGINS_H

#include "traces/format/internal.h"

/* An allocation that the last launch had. */
typedef struct gmt_origin_run {
    uint64_t base;
    uint32_t first;    /* launch */
    gmt_buffer origin; /* as it is stored */
} gmt_origin_run;

typedef struct gmt_origins {
    gmt_buffer done;      /* of allocations that are gone */
    uint64_t count;       /* of them */
    gmt_origin_run *open; /* sorted by base */
    size_t open_count;
} gmt_origins;

/* A launch begins. False without memory; as all that was gathered is then incomplete, the writer
 * stops. */
bool gmt_origins_launch(gmt_origins *origins, uint32_t number, const gmtrace_launch *launch);
/* The section's bytes; none where no origin was seen. False without memory. */
bool gmt_put_origins(gmt_buffer *b, gmt_origins *origins, uint32_t launches);
void gmt_origins_free(gmt_origins *origins);

#endif
