/* SPDX-License-Identifier: MIT
 *
 * check.h - the door of the checks that a launch may ask for (gmptx_checks): wrong accesses, and
 * reads of what nobody wrote. The interpreter's memory path asks here where a CTA has a ptx_check,
 * and nowhere otherwise. Races are looked for in races.h, with or without the others.
 *
 * A byte a byte says of a CTA's shared memory whether it is a variable's and whether it was
 * written, another of each thread's local memory; a bit a byte (gmptx_shadow) of global memory.
 * What is initialised in part counts as initialised: an element is told of where none of its bytes
 * were written, because compilers copy a structure's padding.
 *
 * Left out: what a called function leaves in local memory stays written for the next one called at
 * the same place; the module's own variables always count as written, as they are on a GPU.
 */
#ifndef GMPTX_CHECK_CHECK_H
#define GMPTX_CHECK_CHECK_H

#include "traces/ptx/access.h"

typedef struct ptx_check ptx_check;

/* For one launch, whose CTAs run one after the other. NULL without memory. */
ptx_check *gmptx_open_check(const gmptx_launch *launch, uint32_t shared_bytes, uint32_t warps);
void gmptx_close_check(ptx_check *check); /* NULL is allowed */
void gmptx_check_begin(ptx_cta *cta);     /* before each CTA */

/* Do the bytes of shared memory belong to one variable, or to dynamic memory? */
bool gmptx_check_shared(const ptx_check *check, uint64_t offset, uint64_t bytes);
/* Takes the CTA's fault, an access's, as a finding; the CTA goes on. */
void gmptx_check_fault(ptx_cta *cta);
/* Lanes of a->mask, whose memory was found, are about to read (`element` bytes at a time), to
 * write, or both. */
void gmptx_check_touch(ptx_warp *w, const ptx_op *op, const ptx_access *a, unsigned element,
                       bool reads, bool writes);
/* Hands the findings to the launch's callback, in the order in which they were met. */
void gmptx_tell_findings(const ptx_check *check, const gmptx_launch *launch);

/* Who accessed, and at which line: a thread of CTA `number`, at an operation. */
gmptx_side gmptx_side_of(const ptx_cta *cta, uint64_t number, uint32_t warp, uint32_t lane,
                         uint32_t op);
/* Equal for operations of one source line. */
uint64_t gmptx_line_of(const ptx_kernel *kernel, uint32_t op);

#endif
