/* SPDX-License-Identifier: MIT
 *
 * cubin.h - what ptxas says beside the code: resources of a kernel, constant banks, the variables
 * that constants point to. Every offset of the file is checked; a file that makes no sense has
 * nothing in it.
 */
#ifndef GMPTX_CUBIN_H
#define GMPTX_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sass_cubin {
    const uint8_t *bytes;
    size_t size;
} sass_cubin;

/* The bytes of a section, in the file; NULL where there is none of that name. */
const uint8_t *gmsass_section(const sass_cubin *cubin, const char *name, size_t *size);

typedef struct sass_resources {
    uint32_t registers, local_bytes, barriers;
    uint32_t shared_bytes; /* a CTA, with what the system keeps of it; 0: none declared */
} sass_resources;
/* False where the cubin has no such kernel. */
bool gmsass_resources(const sass_cubin *cubin, const char *kernel, sass_resources *out);

/* Calls with each variable in that section, its offset there and its size. */
typedef void (*sass_variable)(void *user, const char *name, uint64_t offset, uint64_t size);
void gmsass_each_variable(const sass_cubin *cubin, const char *section, sass_variable call,
                          void *user);

/* Calls with each place of a section that holds the address of a symbol, plus `addend`. */
typedef void (*sass_pointer)(void *user, uint64_t offset, const char *symbol, int64_t addend);
void gmsass_each_pointer(const sass_cubin *cubin, const char *section, sass_pointer call,
                         void *user);

#endif
