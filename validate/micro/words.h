/* SPDX-License-Identifier: MIT
 *
 * words.h - a load and a store of one word that stay where they are written.
 */
#ifndef GMSIM_MICRO_WORDS_H
#define GMSIM_MICRO_WORDS_H

#include <stdint.h>

__device__ static inline uint32_t load(const void *at)
{
    uint32_t value;
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

__device__ static inline void store(void *at, uint32_t value)
{
    asm volatile("st.global.b32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
}

#endif
