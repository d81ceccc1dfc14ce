/* SPDX-License-Identifier: MIT
 *
 * kinds.h - launches that are as good as one another: the same kernel, shape and parameters,
 * addresses aside. With --sample the first ones of a kind are captured, of the others only that
 * they happened. By one thread at a time, but for gmc_kinds_parameters().
 */
#ifndef GMCAPTURE_KINDS_H
#define GMCAPTURE_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/gmtrace.h"

typedef struct gmc_kind gmc_kind;

/* What launches of a kind have in common. */
typedef struct gmc_kind_key {
    const void *kernel;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared;
    uint64_t parameters; /* gmc_kinds_parameters() of them, or what else tells kinds apart */
} gmc_kind_key;

enum { GMC_KINDS_START = 0x9e3779b9 /* of no parameters */ };
/* `hash` with the bytes of one parameter more. Words that are addresses of device memory that the
 * program holds count as such, whichever they are: words as far apart as 8 bytes from its start. */
uint64_t gmc_kinds_parameters(uint64_t hash, const void *bytes, size_t size);

/* The kind, new where none is; NULL without memory. */
gmc_kind *gmc_kinds_find(const gmc_kind_key *key);
/* Another launch of the kind: is it one of the first `most`? If not it is kept as a repeat. */
bool gmc_kinds_take(gmc_kind *kind, uint64_t most, uint64_t ordinal);
/* The kind's launch that the writer has open; kind NULL: it is of none. */
bool gmc_kinds_opened(gmc_kind *kind, uint32_t index, gmtrace_writer *writer, gmtrace_error *error);
/* All repeats, for the trace. *dropped: of kinds whose captures failed; they are not in it. */
bool gmc_kinds_write(gmtrace_writer *writer, uint64_t *repeats, uint64_t *dropped,
                     gmtrace_error *error);

#endif
