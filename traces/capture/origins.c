/* SPDX-License-Identifier: MIT
 *
 * origins.c - names of calls are kept once. Leaves out the line of the call.
 */
#include "traces/capture/origins.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 64 };

static uint64_t count;
static _Thread_local const char *call;
static _Thread_local unsigned depth;

void gmc_origins_call(const char *name, bool enters)
{
    if (enters && depth++ == 0)
        call = name;
    else if (!enters && depth > 0 && --depth == 0)
        call = NULL;
}

/* "cudaMalloc_v3020", "cuMemAlloc_v2" and "cuMemAllocAsync_ptsz" without what follows the name. Two
 * threads may keep the same one twice. */
static const char *plain_name(const char *name)
{
    static char *kept[MAX_CALLS];
    const size_t length = name ? strcspn(name, "_") : 0;
    for (unsigned i = 0; length && i < MAX_CALLS; i++) {
        char *other = __atomic_load_n(&kept[i], __ATOMIC_ACQUIRE), *none = NULL;
        if (!other) {
            char *copy = strndup(name, length);
            if (!copy)
                break;
            if (__atomic_compare_exchange_n(&kept[i], &none, copy, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
                return copy;
            free(copy);
            other = none;
        }
        if (strncmp(other, name, length) == 0 && !other[length])
            return other;
    }
    return "allocation";
}

const gmtrace_origin *gmc_origins_make(void)
{
    const uint64_t number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    gmtrace_origin *origin = number < GMC_MAX_ORIGINS ? malloc(sizeof *origin) : NULL;
    if (origin)
        *origin =
            (gmtrace_origin){.name = "", .call = plain_name(call), .file = "", .number = number};
    return origin;
}
