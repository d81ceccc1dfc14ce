/* SPDX-License-Identifier: MIT
 *
 * kernel.h - brings one kernel's Accel-Sim trace into a gmsim trace.
 */
#ifndef GMTRACE_ACCEL_KERNEL_H
#define GMTRACE_ACCEL_KERNEL_H

#include "traces/import/records.h"
#include "traces/import/stream.h"

/* A kernel that was met; its code grows from launch to launch. */
typedef struct accel_kernel {
    char *mangled;
    uint32_t registers, binary_version;
    accel_code code;
    accel_local local;
    bool barriers;
    bool written; /* to the output, as it is now */
    uint32_t index;
    struct accel_kernel *next;
} accel_kernel;

typedef struct accel_import {
    gmtrace_writer *writer; /* NULL until the first header was read */
    const char *output;     /* path */
    const char *gpu;
    uint32_t shared_config; /* GMTRACE_UNKNOWN where not given */
    int32_t carveout_percent;
    gmtrace_allocation *allocation;
    uint32_t allocation_count;
    accel_kernel *kernels;
    uint64_t *streams; /* numbers met, in order */
    uint32_t stream_count;
    uint64_t launches, instructions, copies; /* totals */
    uint32_t version;                        /* of the first kernel's trace */
    bool progress;
    accel_error *error;
} accel_import;

/* Appends the launch in `path` to the output, which is made if it is the first. */
bool accel_import_kernel(accel_import *import, const char *path);
/* list.c: all kernels that a kernelslist.g names, in its order. */
bool accel_import_list(accel_import *import, const char *path);
void accel_import_free(accel_import *import);

/* "vectorAdd(float const*, ...)" where the C++ library is at hand, else a copy of `mangled`; the
 * caller frees it. */
char *accel_demangle(const char *mangled);

#endif
