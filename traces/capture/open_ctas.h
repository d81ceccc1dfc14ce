/* SPDX-License-Identifier: MIT
 *
 * open_ctas.h - how many threads of each running CTA have exited. A hash table, because only the
 * CTAs resident on the GPU are open at once while a grid may have billions.
 */
#ifndef GMCAPTURE_OPEN_CTAS_H
#define GMCAPTURE_OPEN_CTAS_H

#include <stdint.h>

typedef struct gmc_open_cta {
    uint32_t cta, exited; /* exited 0: an empty slot */
} gmc_open_cta;

typedef struct gmc_open_ctas {
    gmc_open_cta *slot;
    uint32_t capacity, used; /* capacity: a power of two or 0 */
} gmc_open_ctas;

/* Adds to a CTA's count and returns the new count; without memory, the count is lost and 0 comes
 * back, so that the CTA merely ends with its launch. */
uint32_t gmc_open_ctas_add(gmc_open_ctas *open, uint32_t cta, uint32_t threads);
/* A CTA's count, 0 for one that is not open. */
uint32_t gmc_open_ctas_get(const gmc_open_ctas *open, uint32_t cta);
void gmc_open_ctas_remove(gmc_open_ctas *open, uint32_t cta);
void gmc_open_ctas_clear(gmc_open_ctas *open);
void gmc_open_ctas_free(gmc_open_ctas *open);

#endif
