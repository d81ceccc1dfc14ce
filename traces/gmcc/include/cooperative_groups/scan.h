/* SPDX-License-Identifier: MIT
 *
 * cooperative_groups/scan.h - inclusive_scan() and exclusive_scan(): cooperative_groups.h has them.
 */
#include "cooperative_groups.h"
