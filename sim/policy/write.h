/* SPDX-License-Identifier: MIT
 *
 * write.h - what a store leaves in a cache and what goes on: l1.write, l2.write. To add a policy:
 *
 *  1. Write write/NAME.h with gmsim_NAME_write(present, whole), as write/through.h has it: is the
 *     line there, and is every sector that the store touches written whole? It returns what is to
 *     happen. An L1 hands every store on to L2, so GMSIM_WRITE_ON makes no difference there.
 *  2. Include it below, and add X(NAME) to the list.
 *
 * Atomics are carried out in L2, whatever the policy, and leave dirty lines there.
 */
#ifndef GMSIM_WRITE_H
#define GMSIM_WRITE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GMSIM_WRITE_KEEP = 1u, /* what is written is in the cache afterwards; else the line is not */
    GMSIM_WRITE_ON = 2u,   /* what is written goes on at once; else when it has to leave */
};

#include "sim/policy/write/around.h"
#include "sim/policy/write/back.h"
#include "sim/policy/write/evict.h"
#include "sim/policy/write/through.h"

/* Those that do not hand everything on, which an L1 cannot have, come first. */
#define GMSIM_WRITES(X) X(back) X(through) X(around) X(evict)

#define GMSIM_ENUM(name) GMSIM_WRITE_##name,
enum { GMSIM_WRITES(GMSIM_ENUM) GMSIM_WRITE_COUNT };
#undef GMSIM_ENUM

typedef struct gmsim_write {
    uint32_t (*write)(bool present, bool whole);
} gmsim_write;

/* By GMSIM_WRITE_back and so on. */
extern const gmsim_write gmsim_writes[];
extern const char *const gmsim_write_names[];

#endif
