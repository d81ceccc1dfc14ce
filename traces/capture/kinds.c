/* SPDX-License-Identifier: MIT
 *
 * kinds.c - a hash table of kinds and a list of repeats: 16 bytes a launch that is not captured.
 */
#include "traces/capture/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "traces/capture/allocations.h"

enum { BUCKETS = 4096 };

struct gmc_kind {
    gmc_kind *next;
    gmc_kind_key key;
    uint64_t taken;
    uint32_t first; /* in the trace, GMTRACE_UNKNOWN until it is there */
};

typedef struct repeat {
    uint64_t ordinal;
    const gmc_kind *kind;
} repeat;

static gmc_kind *kinds[BUCKETS];
static repeat *repeats;
static size_t repeat_count, repeat_room;

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9fb21c651e98df25u;
    return hash ^ hash >> 29;
}

uint64_t gmc_kinds_parameters(uint64_t hash, const void *bytes, size_t size)
{
    const char *at = bytes;
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = mix(hash, gmc_allocations_hold(word) ? UINT64_MAX : word);
    }
    uint64_t rest = 0;
    memcpy(&rest, at, size);
    return mix(hash, rest ^ (uint64_t)size << 56);
}

/* Field by field: what lies between them is not set. */
static uint64_t hash_of(const gmc_kind_key *key)
{
    uint64_t hash = mix(key->parameters, (uint64_t)(uintptr_t)key->kernel);
    for (unsigned i = 0; i < 3; i++) {
        hash = mix(hash, (uint64_t)key->grid[i] << 32 | key->block[i]);
        hash = mix(hash, key->cluster[i]);
    }
    return mix(hash, key->dynamic_shared);
}

static bool same(const gmc_kind_key *a, const gmc_kind_key *b)
{
    return a->kernel == b->kernel && a->parameters == b->parameters &&
           a->dynamic_shared == b->dynamic_shared &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0;
}

gmc_kind *gmc_kinds_find(const gmc_kind_key *key)
{
    gmc_kind **bucket = &kinds[hash_of(key) % BUCKETS], *at = *bucket;
    while (at && !same(&at->key, key))
        at = at->next;
    if (!at && (at = calloc(1, sizeof *at))) {
        at->key = *key;
        at->first = GMTRACE_UNKNOWN;
        at->next = *bucket;
        *bucket = at;
    }
    return at;
}

bool gmc_kinds_take(gmc_kind *kind, uint64_t most, uint64_t ordinal)
{
    if (!kind || kind->taken < most) {
        if (kind)
            kind->taken++;
        return true;
    }
    if (repeat_count == repeat_room) {
        const size_t room = repeat_room * 2 + 256;
        repeat *grown = realloc(repeats, room * sizeof *grown);
        if (!grown)
            return true;
        repeats = grown;
        repeat_room = room;
    }
    repeats[repeat_count++] = (repeat){ordinal, kind};
    return false;
}

bool gmc_kinds_opened(gmc_kind *kind, uint32_t index, gmtrace_writer *writer, gmtrace_error *error)
{
    if (!kind)
        return true;
    if (kind->first != GMTRACE_UNKNOWN)
        return gmtrace_writer_like(writer, kind->first, error);
    kind->first = index;
    return true;
}

static int by_ordinal(const void *a, const void *b)
{
    const uint64_t x = ((const repeat *)a)->ordinal, y = ((const repeat *)b)->ordinal;
    return (x > y) - (x < y);
}

bool gmc_kinds_write(gmtrace_writer *writer, uint64_t *written, uint64_t *dropped,
                     gmtrace_error *error)
{
    *written = *dropped = 0;
    if (repeat_count) /* threads that launch at once have numbers before they have turns */
        qsort(repeats, repeat_count, sizeof *repeats, by_ordinal);
    for (size_t i = 0; i < repeat_count; i++) {
        const gmtrace_repeat one = {.ordinal = repeats[i].ordinal,
                                    .launch = repeats[i].kind->first};
        if (one.launch == GMTRACE_UNKNOWN)
            ++*dropped;
        else if (!gmtrace_writer_repeat(writer, &one, error))
            return false;
        else
            ++*written;
    }
    return true;
}
