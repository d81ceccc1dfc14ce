/* SPDX-License-Identifier: MIT
 *
 * around.h - write-through, no write-allocate: only a line that is there already is kept up to
 * date.
 */
#ifndef GMSIM_AROUND_H
#define GMSIM_AROUND_H

static inline uint32_t gmsim_around_write(bool present, bool whole)
{
    (void)whole;
    return present ? GMSIM_WRITE_KEEP | GMSIM_WRITE_ON : GMSIM_WRITE_ON;
}

#endif
