/* SPDX-License-Identifier: MIT
 *
 * cubin.h - what gmcapture needs to know of a cubin (an ELF file for the GPU): its functions, what
 * they use, and which others they call.
 */
#ifndef GMCAPTURE_CUBIN_H
#define GMCAPTURE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gmc_function {
    const char *name; /* mangled; points into the image */
    bool kernel;      /* can be launched */
    uint32_t section; /* ELF section of its code, .text.NAME */
    uint32_t symbol;  /* its number, as nvdisasm -fun wants it */
    uint64_t size;    /* of that section: a kernel's includes functions compiled into it */
    uint32_t registers, barriers, frame_bytes;
    uint32_t shared_bytes; /* size of .nv.shared.NAME, with what the system keeps of it */
    /* A kernel's parameters in constant bank 0: together at most 65,536. No bytes where it has none
     * or the cubin does not say. */
    uint32_t parameters_offset, parameters_size;
} gmc_function;

typedef struct gmc_cubin gmc_cubin;

/* The image must outlive the result. NULL with a reason where it is not a readable cubin. */
gmc_cubin *gmc_cubin_open(const void *image, size_t size, const char **reason);
void gmc_cubin_close(gmc_cubin *cubin);

/* Functions with a code section of their own. */
size_t gmc_cubin_function_count(const gmc_cubin *cubin);
const gmc_function *gmc_cubin_function(const gmc_cubin *cubin, size_t index);
const gmc_function *gmc_cubin_find(const gmc_cubin *cubin, const char *name);

/* Fills list with the functions that `from` calls, directly or not, `from` not among them; returns
 * how many there are, which may be more than `limit`. */
size_t gmc_cubin_callees(const gmc_cubin *cubin, const gmc_function *from,
                         const gmc_function **list, size_t limit);

/* Does it, or what it calls, call a function that is not in the cubin? Those are the driver's:
 * assert, printf, malloc, free. */
bool gmc_cubin_calls_driver(const gmc_cubin *cubin, const gmc_function *function);

/* A __constant__ variable: where it begins in constant bank 3, and what it holds at first; valid
 * with the cubin. */
typedef struct gmc_initial {
    uint64_t offset, size;
    const void *bytes;
} gmc_initial;

/* Calls `found` with the mangled name of each __device__, __constant__ and __managed__ variable;
 * constant: NULL but for __constant__ ones. */
void gmc_cubin_variables(const gmc_cubin *cubin,
                         void (*found)(void *user, const char *name, const gmc_initial *constant),
                         void *user);

/* The raw code of a function: 16 bytes an instruction. */
const void *gmc_cubin_code(const gmc_cubin *cubin, const gmc_function *function, size_t *size);

#endif
