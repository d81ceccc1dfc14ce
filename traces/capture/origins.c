/* SPDX-License-Identifier: MIT
 *
 * origins.c - names of calls are kept once. An allocation costs a walk of the stack; lines are
 * looked up when a launch is captured, once for each place in the program.
 */
#include "traces/capture/origins.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "traces/capture/names.h"
#include "traces/capture/stack.h"
#include "traces/code/origin.h"

enum { MAX_CALLS = 64 };

/* An allocation whose line is not known yet. */
typedef struct made {
    struct made *next;
    gmtrace_origin origin;
    gmt_frames frames;
} made;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static made *first, **last = &first; /* not resolved, in the order in which they were made */
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
    made *fresh = number < GMC_MAX_ORIGINS ? calloc(1, sizeof *fresh) : NULL;
    if (!fresh)
        return NULL;
    fresh->origin =
        (gmtrace_origin){.name = "", .call = plain_name(call), .file = "", .number = number};
    gmc_stack_take(__builtin_return_address(0), &fresh->frames);
    pthread_mutex_lock(&lock);
    *last = fresh;
    last = &fresh->next;
    pthread_mutex_unlock(&lock);
    return &fresh->origin;
}

void gmc_origins_resolve(void)
{
    pthread_mutex_lock(&lock);
    made *list = first;
    first = NULL;
    last = &first;
    pthread_mutex_unlock(&lock);
    size_t wanted = 0;
    for (const made *at = list; at; at = at->next)
        wanted++;
    gmt_made *asked = wanted ? calloc(wanted, sizeof *asked) : NULL;
    if (!asked)
        return;
    size_t next = 0;
    for (made *at = list; at; at = at->next)
        asked[next++] = (gmt_made){&at->frames, at->origin.call, at->origin.number, &at->origin};
    gmt_find_origins(asked, wanted);
    free(asked);
}

const gmtrace_origin *gmc_origins_variable(const char *mangled)
{
    gmtrace_origin *origin = malloc(sizeof *origin);
    char *name = origin ? gmc_demangle(mangled) : NULL;
    if (name)
        *origin = (gmtrace_origin){.name = name, .call = "", .file = ""};
    else
        free(origin);
    return name ? origin : NULL;
}
