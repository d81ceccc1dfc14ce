/* SPDX-License-Identifier: MIT
 *
 * builtin_types.h - kept for programs that name it: cuda_runtime.h has it all.
 */
#include "cuda_runtime.h"
