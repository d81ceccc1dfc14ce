/* SPDX-License-Identifier: MIT
 *
 * device_launch_parameters.h - kept for programs that name it: cuda_runtime.h has it all.
 */
#include "cuda_runtime.h"
