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

enum { MAX_CALLS = 64, MAX_IN_CALL = 16 };

/* An allocation whose line is not known yet. */
typedef struct made {
    struct made *next;
    gmtrace_origin origin;
    gmt_frames frames;
    uint64_t address;
} made;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static made *first, **last = &first; /* not resolved, in the order in which they were made */
static uint64_t count, all;          /* numbers given, and what was allocated at all */
static _Thread_local const char *call;
static _Thread_local unsigned depth;

static _Thread_local made *in_call[MAX_IN_CALL]; /* made since the call began */
static _Thread_local unsigned in_call_count;

static void number(made *at)
{
    at->origin.number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
}

void gmc_origins_enter(const char *name)
{
    if (depth++ == 0)
        call = name;
}

void gmc_origins_leave(uint64_t address)
{
    bool found = false;
    if (depth == 0 || --depth > 0)
        return;
    for (unsigned i = 0; i < in_call_count; i++)
        found |= in_call[i]->address == address;
    for (unsigned i = 0; i < in_call_count; i++)
        if (!found || in_call[i]->address == address)
            number(in_call[i]);
        else
            in_call[i]->origin.call = "";
    in_call_count = 0;
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

const gmtrace_origin *gmc_origins_make(uint64_t address)
{
    const bool few = __atomic_add_fetch(&all, 1, __ATOMIC_RELAXED) < GMC_MAX_ORIGINS;
    made *fresh = few ? calloc(1, sizeof *fresh) : NULL;
    if (!fresh)
        return NULL;
    fresh->origin = (gmtrace_origin){.name = "", .call = plain_name(call), .file = ""};
    fresh->address = address;
    if (depth && in_call_count < MAX_IN_CALL)
        in_call[in_call_count++] = fresh;
    else
        number(fresh);
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
        if (at->origin.number) /* the driver's own have none */
            asked[next++] =
                (gmt_made){&at->frames, at->origin.call, at->origin.number, &at->origin};
    gmt_find_origins(asked, next);
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
