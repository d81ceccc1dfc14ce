/* SPDX-License-Identifier: MIT
 *
 * replacer.h - a cache's replacement policy where it is not the usual one: a built-in's, or a
 * plug-in's with its state, whose answers are checked. A plug-in's state is one block of a cache:
 * the cache's own bytes, then for each set its own and those of its ways.
 */
#ifndef GMSIM_REPLACER_H
#define GMSIM_REPLACER_H

#include "sim/model/count/lanes.h"
#include "sim/model/hot.h"
#include "sim/policy/plugin.h"
#include "sim/policy/replacement.h"

#include <glib.h>
#include <string.h>

typedef struct gmsim_replacer {
    const gmsim_replacement *own;
    const gmsim_plugin_replacement *plugged; /* in its place; NULL: none */
    uint8_t *state;
    size_t bytes, sets_at, set_stride, ways_at;
    uint32_t wrong;              /* answers that were no candidates, */
    uint32_t answer, candidates; /* and the first of them */
} gmsim_replacer;

/* By GMSIM_REPLACEMENT_*; a plug-in's, which comes with gmsim_replacer_plug(), is LRU until then.
 */
static inline gmsim_replacer gmsim_replacer_of(uint32_t policy)
{
    const uint32_t own =
        policy < GMSIM_REPLACEMENT_COUNT ? policy : (uint32_t)GMSIM_REPLACEMENT_lru;
    return (gmsim_replacer){.own = &gmsim_replacements[own]};
}

static inline size_t gmsim_round8(size_t bytes)
{
    return (bytes + 7u) & ~(size_t)7u;
}

/* Forgets everything: the cache is empty. */
static inline void gmsim_replacer_clear(gmsim_replacer *r)
{
    if (r->plugged)
        memset(r->state, 0, r->bytes);
}

/* Bytes that a plug-in's state takes. */
static inline size_t gmsim_replacer_bytes(const gmsim_plugin_replacement *plugged, uint32_t sets,
                                          uint32_t ways)
{
    return gmsim_round8(plugged->cache_bytes) +
           sets *
               (gmsim_round8(plugged->set_bytes) + gmsim_round8((size_t)plugged->way_bytes * ways));
}

/* The plug-in's from now on, with `state` of so many bytes, which it keeps. */
static inline void gmsim_replacer_plug(gmsim_replacer *r, const gmsim_plugin_replacement *plugged,
                                       void *state, uint32_t sets, uint32_t ways)
{
    const size_t set = gmsim_round8(plugged->set_bytes);
    *r = (gmsim_replacer){.own = r->own,
                          .plugged = plugged,
                          .state = (uint8_t *)state,
                          .bytes = gmsim_replacer_bytes(plugged, sets, ways),
                          .sets_at = gmsim_round8(plugged->cache_bytes),
                          .set_stride = set + gmsim_round8((size_t)plugged->way_bytes * ways),
                          .ways_at = set};
    gmsim_replacer_clear(r);
}

/* A set, by its number, and the line a call is about. */
typedef struct gmsim_replaced {
    gmsim_lines lines;
    uint32_t number;
    uint64_t tag;
} gmsim_replaced;

GMSIM_INLINE gmsim_plugin_lines gmsim_replacer_lines(const gmsim_replacer *r, gmsim_replaced what)
{
    uint8_t *set = r->state + r->sets_at + what.number * r->set_stride;
    return (gmsim_plugin_lines){.way = set + r->ways_at,
                                .set = set,
                                .cache = r->state,
                                .tag = what.tag,
                                .number = what.number,
                                .ways = what.lines.ways};
}

GMSIM_INLINE void gmsim_replacer_fill(const gmsim_replacer *r, gmsim_replaced what, uint32_t way)
{
    if (r->plugged) {
        const gmsim_plugin_lines lines = gmsim_replacer_lines(r, what);
        r->plugged->fill(&lines, way);
    } else {
        r->own->fill(what.lines, way);
    }
}

GMSIM_INLINE void gmsim_replacer_use(const gmsim_replacer *r, gmsim_replaced what, uint32_t way)
{
    if (r->plugged) {
        const gmsim_plugin_lines lines = gmsim_replacer_lines(r, what);
        r->plugged->use(&lines, way);
    } else {
        r->own->use(what.lines, way);
    }
}

GMSIM_INLINE uint32_t gmsim_replacer_victim(gmsim_replacer *r, gmsim_replaced what,
                                            uint32_t candidates)
{
    if (!r->plugged)
        return r->own->victim(what.lines, candidates);
    const gmsim_plugin_lines lines = gmsim_replacer_lines(r, what);
    const uint32_t way = r->plugged->victim(&lines, candidates);
    if (G_LIKELY(way < 32u && candidates >> way & 1u))
        return way;
    if (!r->wrong++) {
        r->answer = way;
        r->candidates = candidates;
    }
    return gmsim_lowest(candidates);
}

/* The way is empty now. */
GMSIM_INLINE void gmsim_replacer_drop(const gmsim_replacer *r, uint32_t number, uint32_t way)
{
    if (r->plugged)
        memset(r->state + r->sets_at + number * r->set_stride + r->ways_at +
                   (size_t)way * r->plugged->way_bytes,
               0, r->plugged->way_bytes);
}

#endif
