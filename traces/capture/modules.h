/* SPDX-License-Identifier: MIT
 *
 * modules.h - the CUDA modules loaded that hold a kernel the user asked for.
 *
 * Callbacks of several host threads come here at once; every function locks, but for
 * gmc_modules_prepare(). A kernel's entry stays in place until the process ends, as the trace may
 * still need it when its module is gone.
 */
#ifndef GMCAPTURE_MODULES_H
#define GMCAPTURE_MODULES_H

#include "traces/capture/code.h"
#include "traces/capture/constants.h"
#include "traces/capture/sanitizer_api.h"

typedef struct gmc_module gmc_module;

/* A kernel of a module, from its first launch on. */
typedef struct gmc_entry {
    struct gmc_entry *next;
    gmc_module *module;
    char *mangled;
    bool wanted;          /* the user asked for it */
    gmc_kernel *kernel;   /* NULL until captured for the first time */
    bool added;           /* to the trace */
    uint32_t trace_index; /* there */
    gmc_range *range;     /* NULL until located */
    gmc_code code;
} gmc_entry;

/* False with a reason where the regular expression cannot be compiled. */
bool gmc_modules_init(const gmc_settings *settings, char *reason, size_t size);
/* `now`: the calling thread is in a launch to be captured; the module is patched at once. */
void gmc_modules_loaded(const Sanitizer_ResourceModuleData *data, bool now);
/* Functions of a module are loaded, and then patched. */
void gmc_modules_lazy(const Sanitizer_ResourceFunctionsLazyLoadedData *data, bool patched);
void gmc_modules_unloaded(const Sanitizer_ResourceModuleData *data);
/* Did the user ask for kernels of this (mangled) name? */
bool gmc_modules_wants(const char *function);
/* NULL where the user did not ask for this kernel. */
gmc_entry *gmc_modules_find(CUmodule module, const char *function);
/* Prepares every module of the context that holds a wanted kernel of this name. */
void gmc_modules_prepare_named(CUcontext context, const char *function);
/* Does its module's code call the patches already? */
bool gmc_modules_is_patched(const gmc_entry *entry);
/* Makes the module's code call the patches, and fills in entry->kernel. By one thread at a time.
 * False with a message on standard error where that fails. */
bool gmc_modules_prepare(gmc_entry *entry, CUcontext context);
/* Why copies of boxes of tensors that the kernel makes are not seen; NULL where all are, or none
 * are made, or the whole trace says so (GMTRACE_UNSEEN_TENSOR_COPY). */
const char *gmc_modules_tensors_unseen(const gmc_entry *entry);
/* The __constant__ variables of its module, as far as they are known, or what they held at first of
 * one that no launch before this one found loaded. Valid until the next launch is prepared. */
const gmc_constant *gmc_modules_constants(const gmc_entry *entry, uint32_t *count);
/* Fills in entry->code, once the kernel is loaded on the device. */
bool gmc_modules_locate(gmc_entry *entry);

#endif
