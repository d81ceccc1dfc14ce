/* SPDX-License-Identifier: MIT
 *
 * through.h - write-through, write-allocate: what is written goes on at once, and stays.
 */
#ifndef GMSIM_THROUGH_H
#define GMSIM_THROUGH_H

static inline uint32_t gmsim_through_write(bool present, bool whole)
{
    (void)present, (void)whole;
    return GMSIM_WRITE_KEEP | GMSIM_WRITE_ON;
}

#endif
