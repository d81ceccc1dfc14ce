/* SPDX-License-Identifier: MIT
 *
 * replacement.h - which line of a full set leaves: l1.replacement, l2.replacement. To add a policy:
 *
 *  1. Write replacement/NAME.h with three functions, as replacement/fifo.h has them:
 *       gmsim_NAME_fill(lines, way)         a line came into this way,
 *       gmsim_NAME_use(lines, way)          a line that was there was wanted,
 *       gmsim_NAME_victim(lines, candidates) which of the ways in the mask leaves.
 *  2. Include it below, and add X(NAME) to the list.
 *
 * `--set l1.replacement=NAME`, `gmsim gpus` and `gmsim sweep` then know it. Its memory is a byte
 * for each way, a word for each set and a word for each cache, all 0 at first. A line that is
 * dropped has its byte set to 0, and an empty way is filled before any line leaves. State has no
 * other place: every run must give the same counts.
 */
#ifndef GMSIM_REPLACEMENT_H
#define GMSIM_REPLACEMENT_H

#include <stdint.h>

typedef struct gmsim_lines {
    uint8_t *way;
    uint32_t *set;
    uint64_t *cache;
    uint32_t ways; /* what the set can hold at most, up to 32 */
    uint32_t room; /* bytes at `way`: where they are fewer, ways beyond are never used */
} gmsim_lines;

#include "sim/policy/replacement/fifo.h"
#include "sim/policy/replacement/lasting.h"
#include "sim/policy/replacement/lru.h"
#include "sim/policy/replacement/plru.h"
#include "sim/policy/replacement/random.h"
#include "sim/policy/replacement/slru.h"
#include "sim/policy/replacement/srrip.h"

#define GMSIM_REPLACEMENTS(X) X(lru) X(plru) X(srrip) X(fifo) X(random) X(slru) X(lasting)

#define GMSIM_ENUM(name) GMSIM_REPLACEMENT_##name,
enum { GMSIM_REPLACEMENTS(GMSIM_ENUM) GMSIM_REPLACEMENT_COUNT };
#undef GMSIM_ENUM

typedef struct gmsim_replacement {
    void (*fill)(gmsim_lines lines, uint32_t way);
    void (*use)(gmsim_lines lines, uint32_t way);
    uint32_t (*victim)(gmsim_lines lines, uint32_t candidates);
} gmsim_replacement;

/* By GMSIM_REPLACEMENT_*. */
extern const gmsim_replacement gmsim_replacements[];
extern const char *const gmsim_replacement_names[];

#endif
