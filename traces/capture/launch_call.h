/* SPDX-License-Identifier: MIT
 *
 * launch_call.h - the driver's API calls that launch kernels, as gmcapture sees them begin and end.
 *
 * They matter for two reasons. Only in them can a thread wait for another one's captured launch:
 * in the Sanitizer's launch callbacks it holds locks of the driver that the other one needs. And
 * only their arguments say how much dynamic shared memory was asked for.
 */
#ifndef GMCAPTURE_LAUNCH_CALL_H
#define GMCAPTURE_LAUNCH_CALL_H

#include "traces/capture/sanitizer_api.h"

void gmc_launch_call_enable(Sanitizer_SubscriberHandle subscriber);
/* True where the callback is the call's beginning. */
bool gmc_launch_call_note(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data);
/* The kernel's mangled name, NULL where it is not known. (What the callback's data have for a name
 * is dangling where a CUkernel is launched: seen with Compute Sanitizer 2026.1.) */
const char *gmc_launch_call_name(Sanitizer_CallbackId id, const Sanitizer_CallbackData *data);
/* What tells the launch's parameters from others but for addresses (kinds.h), in the call that this
 * thread is in. False where they cannot be known. */
bool gmc_launch_call_parameters(CUfunction function, uint64_t *hash);
/* The parameters of the kernel that the call this thread is in launches, as they lie in its
 * constant bank: `size` bytes, 0 between them. False where they cannot be known, are not that long,
 * or the call is one that launches a kernel of another (mangled) name. */
bool gmc_launch_call_block(CUfunction function, const char *kernel, uint8_t *block, size_t size);
/* Of the call that this thread is in; GMTRACE_UNKNOWN outside. */
uint32_t gmc_launch_call_dynamic_shared(void);

#endif
