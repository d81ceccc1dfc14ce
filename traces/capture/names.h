/* SPDX-License-Identifier: MIT
 *
 * names.h - readable kernel names.
 */
#ifndef GMCAPTURE_NAMES_H
#define GMCAPTURE_NAMES_H

#include "traces/capture/settings.h"

/* With __cxa_demangle, where the program or the system has it: quick, good for matching. A copy
 * of `mangled` where it cannot be demangled. Free the result. */
char *gmc_demangle(const char *mangled);
/* As Nsight Compute writes it, with cu++filt; else as gmc_demangle(). */
char *gmc_display_name(const gmc_settings *settings, const char *mangled);

#endif
