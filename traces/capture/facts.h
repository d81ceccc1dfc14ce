/* SPDX-License-Identifier: MIT
 *
 * facts.h - what a launch is, besides its accesses.
 */
#ifndef GMCAPTURE_FACTS_H
#define GMCAPTURE_FACTS_H

#include "traces/capture/modules.h"
#include "traces/capture/sanitizer_api.h"

/* Where the kernel's code lies; fills in entry->code. False without memory. */
bool gmc_facts_locate(const Sanitizer_LaunchData *data, gmc_entry *entry, uint64_t *pc);
/* Completes the kernel's description, too. launch->allocation is to be freed. */
void gmc_facts_of(const Sanitizer_LaunchData *data, gmc_kernel *kernel, uint64_t ordinal,
                  Sanitizer_StreamHandle stream, gmtrace_launch *launch);

#endif
