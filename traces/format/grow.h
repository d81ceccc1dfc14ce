/* SPDX-License-Identifier: MIT
 *
 * grow.h - arrays that grow by one element at a time. Private to the trace libraries.
 */
#ifndef GMTRACE_PRIVATE_GROW_H
#define GMTRACE_PRIVATE_GROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element in an array of which `count` are used; NULL is an empty one. The
 * room is always a power of two, so every element must be added so, and none dropped but all. False
 * without memory. */
#define GMT_GROW(array, count) gmt_grow(&(array), (count), sizeof *(array))

static inline bool gmt_grow(void *array, uint32_t count, size_t element)
{
    void *larger;
    if (count & (count - 1))
        return true;
    if (count > UINT32_MAX / 4)
        return false;
    memcpy(&larger, array, sizeof larger); /* a pointer of whatever type */
    larger = realloc(larger, (count ? (size_t)count * 2 : 1) * element);
    if (larger)
        memcpy(array, &larger, sizeof larger);
    return larger != NULL;
}

#endif
