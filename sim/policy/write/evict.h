/* SPDX-License-Identifier: MIT
 *
 * evict.h - write-evict: what is written goes on, and its line leaves if it was there.
 */
#ifndef GMSIM_EVICT_H
#define GMSIM_EVICT_H

static inline uint32_t gmsim_evict_write(bool present, bool whole)
{
    (void)present, (void)whole;
    return GMSIM_WRITE_ON;
}

#endif
