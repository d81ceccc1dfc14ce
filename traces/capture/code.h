/* SPDX-License-Identifier: MIT
 *
 * code.h - a captured kernel as the trace describes it: names, resources, instruction table; and
 * where its code lies on the device.
 */
#ifndef GMCAPTURE_CODE_H
#define GMCAPTURE_CODE_H

#include "traces/capture/cubin.h"
#include "traces/capture/decode.h"
#include "traces/capture/settings.h"
#include "traces/code/sass.h"
#include "traces/code/unseen.h"

#define GMC_MAX_CALLEES 1024u

typedef struct gmc_kernel {
    char *mangled, *name;
    gmtrace_sass sass;
    uint32_t registers, static_shared, local_bytes, barriers;
    const gmc_function **function; /* the kernel, then what it calls; names valid with the cubin */
    uint32_t function_count;
    uint32_t unseen; /* GMTRACE_UNSEEN_*: what its code does and a capture cannot see */
    bool disassembled;
    gmtrace_unseen *slots; /* stack slots, whose accesses are reconstructed; NULL for none */
    uint8_t *deciding; /* of each instruction: a load that decides loops; NULL where none does */
} gmc_kernel;

/* Builds the description from the cubin, which also lies in the file cubin_path for nvdisasm.
 * NULL without memory. Without nvdisasm the table holds encodings alone. */
gmc_kernel *gmc_kernel_create(const gmc_settings *settings, const gmc_cubin *cubin,
                              const char *cubin_path, const char *mangled);
void gmc_kernel_free(gmc_kernel *kernel);

#endif
