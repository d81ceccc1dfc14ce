/* SPDX-License-Identifier: MIT
 *
 * masquerade.h - makes the Sanitizer call back at instructions that it has no callback for: those
 * that store, reduce or prefetch a box of a tensor.
 *
 * It reads a module's code from device memory when it patches, and patches UTMALDG, the load of a
 * box. So, for that moment alone, the other three stand there as loads; then the copies that the
 * patched code executes become again what they were. A place where such a copy cannot be found for
 * certain gets its own instruction back and is not seen. What runs is the program's code in
 * either case. Code is rewritten before it has run for the first time, never after. Loads are
 * looked at, too: those that were patched are seen.
 *
 * Opcodes are those of compute capability 9.0; where the code has none of them, nothing is done.
 */
#ifndef GMCAPTURE_MASQUERADE_H
#define GMCAPTURE_MASQUERADE_H

#include "traces/capture/cubin.h"
#include "traces/capture/sanitizer_api.h"
#include "traces/capture/tensor_code.h"

typedef struct gmc_masquerade gmc_masquerade; /* of a module */

/* Finds the places of all four in the cubin's functions for which `wanted` is true. NULL where
 * there are none (or no memory). */
gmc_masquerade *gmc_masquerade_create(const gmc_cubin *cubin, bool (*wanted)(const gmc_function *));
void gmc_masquerade_free(gmc_masquerade *masquerade);
/* A function of the module was loaded; NULL: all of them are. The others are not touched: to ask
 * where one lies would load it behind the Sanitizer's back. */
void gmc_masquerade_loaded(gmc_masquerade *masquerade, const char *function);
/* Right before and right after the Sanitizer patches what is loaded of the module. Without
 * `rewrite` the code stays as it is, and of the four only loads are seen. */
void gmc_masquerade_put_on(gmc_masquerade *masquerade, CUmodule module, bool rewrite);
void gmc_masquerade_take_off(gmc_masquerade *masquerade, CUmodule module);
/* Places of the function that are not seen. NULL has none. */
unsigned gmc_masquerade_unseen(gmc_masquerade *masquerade, const char *function);

#endif
