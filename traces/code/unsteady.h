/* SPDX-License-Identifier: MIT
 *
 * unsteady.h - code whose way depends on which warp comes first, so that what it executes differs
 * from run to run of the hardware too. Part of libgmtrace.
 */
#ifndef GMTRACE_UNSTEADY_H
#define GMTRACE_UNSTEADY_H

#include "traces/gmtrace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gmtrace_unsteady {
    GMTRACE_STEADY = 0,
    GMTRACE_UNSTEADY_SPIN,  /* reads one address again and again until others have changed it:
                             * a compare-and-swap that is tried again, a lock, a grid's barrier */
    GMTRACE_UNSTEADY_ORDER, /* what an atomic returns decides what is executed or accessed next: a
                             * queue's place, a hash table's slot */
    GMTRACE_UNSTEADY_KINDS
} gmtrace_unsteady;

/* What each of kernel->instr_count instructions does, were warps to meet in the addresses it reads;
 * where none do, all is steady. Follows registers, predicates and, as one cell, shared memory along
 * the flow of control. Code without register operands (PTX) is steady by this. So are races without
 * an atomic or a strong load: what a plain load finds that another CTA stores. False without
 * memory; the kinds are then all steady. */
bool gmtrace_find_unsteady(const gmtrace_kernel *kernel, uint8_t *kind);

/* Which loads wait: of GMTRACE_UNSTEADY_SPIN in `kind`, as found above, and executed again with no
 * other access to memory between. Of a search in a graph, which reads what others lower meanwhile
 * and goes on to the next edge whatever it found, none does. False without memory; none waits
 * then. */
bool gmtrace_find_polls(const gmtrace_kernel *kernel, const uint8_t *kind, bool *polls);

#ifdef __cplusplus
}
#endif

#endif
