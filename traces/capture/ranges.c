/* SPDX-License-Identifier: MIT
 *
 * ranges.c - pushed ranges are a thread's, started ones the process's.
 */
#include "traces/capture/ranges.h"

#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ASKED = 64, MAX_DEPTH = 256 };

static struct {
    char *domain, *name;
    bool is_pattern, pushed_only;
    regex_t pattern;
} asked[MAX_ASKED];
static unsigned asked_count;
static bool follows_profiler, profiler_off;

static _Thread_local struct {
    const void *domain[MAX_DEPTH];
    bool wanted[MAX_DEPTH];
    unsigned depth, beyond, wanted_count; /* beyond: deeper than is kept */
} pushed;

/* Ranges started and wanted that have not ended: few at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t *started;
static unsigned started_count, started_room;
static uint64_t last_id;

static bool ask(char *text, char *reason, size_t size)
{
    char *at = strchr(text, '@'), *name = at ? at + 1 : text;
    if (asked_count == MAX_ASKED) {
        snprintf(reason, size, "more than %d ranges", MAX_ASKED);
        return false;
    }
    if (at)
        *at = '\0';
    size_t length = strlen(name);
    asked[asked_count].pushed_only = length > 0 && name[length - 1] == '/';
    if (asked[asked_count].pushed_only)
        name[--length] = '\0';
    if (strncmp(name, "regex:", 6) == 0) {
        int error = regcomp(&asked[asked_count].pattern, name += 6, REG_EXTENDED | REG_NOSUB);
        if (error) {
            regerror(error, &asked[asked_count].pattern, reason, size);
            return false;
        }
        asked[asked_count].is_pattern = true;
    }
    if (!*name) {
        snprintf(reason, size, "names no range");
        return false;
    }
    asked[asked_count].domain = strdup(at ? text : "");
    asked[asked_count].name = strdup(name);
    return asked[asked_count].domain && asked[asked_count++].name;
}

bool gmc_ranges_init(const char *list, bool off, char *reason, size_t size)
{
    char *copy = list ? strdup(list) : NULL, *rest = copy, *line;
    bool good = !list || copy;
    snprintf(reason, size, "out of memory");
    follows_profiler = profiler_off = off;
    while (good && rest && (line = strsep(&rest, "\n")))
        good = ask(line, reason, size);
    free(copy);
    return good;
}

void gmc_ranges_profiler(bool on)
{
    if (follows_profiler)
        __atomic_store_n(&profiler_off, !on, __ATOMIC_RELAXED);
}

bool gmc_ranges_open(void)
{
    if (__atomic_load_n(&profiler_off, __ATOMIC_RELAXED))
        return false;
    return !asked_count || pushed.wanted_count || __atomic_load_n(&started_count, __ATOMIC_RELAXED);
}

static bool is_asked(const char *domain, const char *name, bool is_pushed)
{
    for (unsigned i = 0; i < asked_count; i++)
        if ((is_pushed || !asked[i].pushed_only) && strcmp(domain, asked[i].domain) == 0 &&
            (asked[i].is_pattern ? regexec(&asked[i].pattern, name, 0, NULL, 0) == 0
                                 : strcmp(name, asked[i].name) == 0))
            return true;
    return false;
}

void gmc_ranges_push(const void *domain, const char *domain_name, const char *name)
{
    if (pushed.depth == MAX_DEPTH) {
        pushed.beyond++;
        return;
    }
    pushed.domain[pushed.depth] = domain;
    pushed.wanted[pushed.depth] = is_asked(domain_name, name, true);
    pushed.wanted_count += pushed.wanted[pushed.depth++];
}

/* Each domain has a stack of its own: its innermost range ends. */
void gmc_ranges_pop(const void *domain)
{
    if (pushed.beyond) {
        pushed.beyond--;
        return;
    }
    unsigned at = pushed.depth;
    while (at > 0 && pushed.domain[at - 1] != domain)
        at--;
    if (at == 0)
        return;
    pushed.wanted_count -= pushed.wanted[--at];
    for (pushed.depth--; at < pushed.depth; at++) {
        pushed.domain[at] = pushed.domain[at + 1];
        pushed.wanted[at] = pushed.wanted[at + 1];
    }
}

uint64_t gmc_ranges_start(const char *domain_name, const char *name)
{
    const bool wanted = is_asked(domain_name, name, false);
    pthread_mutex_lock(&lock);
    const uint64_t id = ++last_id;
    if (wanted && started_count == started_room) {
        uint64_t *grown = realloc(started, (started_room * 2 + 16) * sizeof *grown);
        if (grown) {
            started = grown;
            started_room = started_room * 2 + 16;
        }
    }
    if (wanted && started_count < started_room) {
        started[started_count] = id;
        __atomic_store_n(&started_count, started_count + 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    return id;
}

void gmc_ranges_end(uint64_t id)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < started_count; i++)
        if (started[i] == id) {
            started[i] = started[started_count - 1];
            __atomic_store_n(&started_count, started_count - 1, __ATOMIC_RELAXED);
            break;
        }
    pthread_mutex_unlock(&lock);
}
