/* SPDX-License-Identifier: MIT
 *
 * patches.h - which instruction classes are patched with which function of patches.cu, and the
 * compiled patches.cu itself.
 */
#ifndef GMCAPTURE_PATCHES_H
#define GMCAPTURE_PATCHES_H

#include <stddef.h>

#include "traces/capture/sanitizer_api.h"

typedef struct gmc_patch {
    Sanitizer_InstructionId instruction;
    const char *callback;
    const char *what;
} gmc_patch;

extern const gmc_patch gmc_patch_table[];
extern const size_t gmc_patch_count;
/* Loads through tensor maps, which libraries before 13.3.75 cannot patch (nor do the headers of
 * those name them). */
#define GMC_TENSOR_LOAD     ((Sanitizer_InstructionId)43)
#define GMC_TENSOR_CALLBACK "gmcapture_tensor"

extern const char gmc_patch_image[]; /* a fatbin */

#endif
