/* SPDX-License-Identifier: MIT
 *
 * path_lanes.h - runs instructions over what is known of the lanes of a warp. Private to path*.c.
 */
#ifndef GMTRACE_PATH_LANES_H
#define GMTRACE_PATH_LANES_H

#include "traces/code/path_memory.h"

#include <stddef.h>
#include <string.h>

#define PATH_PLACES   126u  /* registers that are kept, at most */
#define PATH_NO_PLACE 0xffu /* of a register that is not kept, or none */

/* Bits by place, and two more: whether it is asked which warp, or CTA, this is. */
__extension__ typedef unsigned __int128 path_places;
#define PATH_ASKS_WARP ((path_places)1 << PATH_PLACES)
#define PATH_ASKS_CTA  (PATH_ASKS_WARP << 1)
#define PATH_ALL_LIVE  (~(path_places)0)

/* How what lanes have in a register is written down; path_values.c. */
typedef struct path_form {
    uint32_t own; /* 0: it has been written since */
    uint32_t base, step;
} path_form;

/* The lanes of a warp, or of a part of it. */
typedef struct path_lanes {
    uint32_t mask, warp, cta;
    uint32_t places;    /* that are used */
    bool unsure;        /* some of these may have gone elsewhere: they do not vote */
    bool missing;       /* it is not known what some have loaded */
    uint32_t form_mask; /* these, when forms were made */
    path_form form[PATH_PLACES];
    uint32_t known[PATH_PLACES];                     /* in which lanes */
    uint32_t value[PATH_PLACES][GMTRACE_WARP_LANES]; /* of a predicate 0 or 1 */
} path_lanes;

static inline void path_lanes_forget(path_lanes *lanes, uint8_t place, uint32_t mask)
{
    lanes->known[place] &= ~mask;
    lanes->form[place].own = 0;
}

static inline void path_lanes_copy(path_lanes *to, const path_lanes *from)
{
    memcpy(to, from, offsetof(path_lanes, value) + from->places * sizeof from->value[0]);
}

typedef struct path_source {
    uint8_t file, number; /* a register's, where is_register */
    uint8_t place;
    bool is_register, negated, inverted;
    bool real, absolute; /* the upper 32 bits of a float or double: its sign is bit 31 */
    uint32_t value;      /* otherwise */
} path_source;

#define PATH_SOURCES 8u
#define PATH_TARGETS 4u

/* An instruction that is understood. */
typedef struct path_step {
    uint8_t what, mode, shift;
    uint8_t targets, sources;
    bool constants; /* read, and taken for 0 */
    path_source target[PATH_TARGETS], source[PATH_SOURCES], guard;
} path_step;

/* Of what the instruction reads but registers all must be in the code, or the launch must say it: a
 * load is understood where it is known what memory held. Without a launch constants in memory are
 * taken for 0. */
bool path_step_read(const gmtrace_instr *instr, const gmtrace_launch *launch, path_step *step);
bool path_step_asks_warp(const path_step *step); /* which warp of its CTA it is */
bool path_step_asks_cta(const path_step *step);
bool path_step_loads(const path_step *step);       /* its targets are what memory holds */
bool path_step_loads_local(const path_step *step); /* the same of local memory ... */
bool path_step_stores(const path_step *step);      /* ... and this is what brings it there */
bool path_step_votes(const path_step *step);
/* Places of all registers are set. What a load gives is not known; path_step_load() says it. */
void path_step_run(const path_step *step, const gmtrace_launch *launch, path_lanes *lanes,
                   uint32_t mask);
/* What lanes of a record load, where it is known. */
void path_step_load(const path_step *step, const path_memory *memory, path_lanes *lanes,
                    uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES]);

/* Whether what any of the lanes would load is known. */
bool path_step_finds(const path_step *step, const path_memory *memory, uint32_t mask,
                     const uint64_t address[GMTRACE_WARP_LANES]);

/* For who keeps registers otherwise: a source's value by what the register holds; the targets' by
 * those of the sources, and how many of the targets are made so. Where it is asked which thread
 * this is, or what memory holds, there is no value. */
uint32_t path_source_value(const path_source *source, uint32_t held);
bool path_step_compute(const path_step *step, const uint32_t *source, uint32_t *target);

#endif
