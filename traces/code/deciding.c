/* SPDX-License-Identifier: MIT
 *
 * deciding.c - see deciding.h.
 */
#include "traces/code/deciding.h"

#include <string.h>

bool gmt_deciding_loads(const gmtrace_kernel *kernel, gmtrace_detail detail, uint8_t *deciding)
{
    (void)detail;
    memset(deciding, 0, kernel->instr_count);
    return false;
}
