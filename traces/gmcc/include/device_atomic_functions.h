/* SPDX-License-Identifier: MIT
 *
 * device_atomic_functions.h - kept for programs that name it: cuda_runtime.h has it all.
 */
#include "cuda_runtime.h"
