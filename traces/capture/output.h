/* SPDX-License-Identifier: MIT
 *
 * output.h - the trace that this process writes, one launch after another. By one thread at a time.
 */
#ifndef GMCAPTURE_OUTPUT_H
#define GMCAPTURE_OUTPUT_H

#include "traces/capture/intake.h"
#include "traces/capture/modules.h"
#include "traces/capture/kinds.h"
#include "traces/capture/settings.h"

void gmc_output_init(const gmc_settings *settings);
/* Makes the file, the first time. False where it cannot be written. */
bool gmc_output_open(CUdevice device);
gmtrace_writer *gmc_output_writer(void); /* NULL before and after */
bool gmc_output_broken(void);            /* it cannot be written: stop capturing */
bool gmc_output_is_others(void);         /* this is a child of the process that opened it */
/* A launch of the kernel; adds the kernel before its first one, and says so in launch->kernel.
 * kind: NULL where nobody asks. */
bool gmc_output_begin(gmc_entry *entry, gmc_kind *kind, gmtrace_launch *launch);
/* What the open launch found. */
void gmc_output_know(const gmtrace_known *known);
/* `whole`: the device ran it to its end. */
void gmc_output_end(const gmc_kernel *kernel, const gmc_result *taken, bool whole);
void gmc_output_add_unseen(uint32_t bits); /* GMTRACE_UNSEEN_*; by any thread */
void gmc_output_close(void);

#endif
