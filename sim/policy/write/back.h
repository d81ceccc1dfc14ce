/* SPDX-License-Identifier: MIT
 *
 * back.h - write-back, write-allocate: a line that was written goes on when it leaves.
 */
#ifndef GMSIM_BACK_H
#define GMSIM_BACK_H

static inline uint32_t gmsim_back_write(bool present, bool whole)
{
    (void)present, (void)whole;
    return GMSIM_WRITE_KEEP;
}

#endif
