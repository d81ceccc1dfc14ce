/* SPDX-License-Identifier: MIT
 *
 * cooperative_groups/reduce.h - reduce() and its operations: cooperative_groups.h has them.
 */
#include "cooperative_groups.h"
