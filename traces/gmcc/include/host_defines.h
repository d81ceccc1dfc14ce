/* SPDX-License-Identifier: MIT
 *
 * host_defines.h - kept for programs that name it: cuda_runtime.h has it all.
 */
#include "cuda_runtime.h"
