/* SPDX-License-Identifier: MIT
 *
 * l2.h - the L2 cache with its two sides, and the DRAM traffic behind it.
 */
#ifndef GMSIM_L2_H
#define GMSIM_L2_H

#include "sim/device/gpu.h"
#include "sim/model/cache/l2_groups.h"
#include "sim/model/cache/replacer.h"
#include "sim/model/hot.h"
#include "sim/model/model.h"
#include "sim/policy/hash.h"

#pragma GCC visibility push(hidden)

#define GMSIM_L2_WAYS  32u /* most lines a set can hold */
#define GMSIM_L2_SIDES 2u

#define GMSIM_L2_NARROW 16u /* sets of no more ways take half the room */

/* A set of up to 16 ways, in as few lines of the host's cache as may be; of more ways, each array
 * is of 32 (l2_private.h). Sector masks of a line: valid | dirty << 4 | partly written << 8. A
 * partly written sector is not valid: its other bytes are still in DRAM. */
typedef struct gmsim_l2_set {
    uint32_t tag[GMSIM_L2_NARROW]; /* quotient of the mixed line number, plus one; 0: empty */
    uint16_t state[GMSIM_L2_NARROW];
    uint8_t age[GMSIM_L2_NARROW]; /* the replacement's, and of the set */
    uint32_t order;
    uint32_t dirty; /* lines that are */
    uint8_t spare[8];
    uint16_t group[GMSIM_L2_NARROW]; /* of each way, where it is dirty, */
    uint16_t part[GMSIM_L2_NARROW];  /* and where it is partly written */
} gmsim_l2_set;

typedef struct gmsim_l2 {
    gmsim_l2_set *set;      /* of side 0, then of side 1; owned by the caller */
    uint8_t *group;         /* of dirty lines, behind those, */
    uint8_t *part;          /* and of partly written ones; */
    uint64_t *full;         /* which of these have as many as may be, a bit each */
    uint64_t (*written)[2]; /* of each way's partly written sectors, the bytes that are there */
    uint32_t width;         /* ways that a set has room for */
    size_t set_bytes, side_bytes;     /* of a set, of a side */
    uint32_t group_shift, part_shift; /* bytes of a group, as a power of two */
    uint32_t sides, ways, all;        /* all: the ways as a mask */
    gmsim_sets sets;                  /* of a side */
    uint32_t hash, write;             /* policies */
    gmsim_replacer replacer;
    bool usual;                    /* lasting or lru, even, write-back */
    bool simple;                   /* usual, of 16 ways */
    bool plain;                    /* simple, and no group is crowded */
    bool lasting;                  /* written lines stay longer */
    uint64_t order;                /* the replacement's */
    uint32_t groups, dirty_lines;  /* of dirty lines; most of a group */
    uint32_t parts, partial_lines; /* the same of partly written ones */
    uint32_t crowded;              /* parts that have as many as may be */
    bool sorted;                   /* some lines leave before others, whatever their age */
    uint32_t home_shift;           /* neighbouring lines with one home, as a power of two */
    uint32_t fill_sectors;         /* brought from DRAM for one missing sector */
    uint32_t foreign;              /* dirty sectors that a flush leaves behind */
    gmsim_watch *watch;            /* NULL: nobody looks on; else ... */
    uint64_t *dirty_line;          /* ... the line of each way that is dirty, by set */
    gmsim_l2_counts counts;
} gmsim_l2;

/* How far an access had to go. */
typedef enum gmsim_l2_reach {
    GMSIM_L2_NEAR, /* all sectors were on the SM's side, or are written there */
    GMSIM_L2_FAR,  /* some on the other side */
    GMSIM_L2_DRAM, /* some had to come from DRAM */
    GMSIM_L2_BOTH, /* a write to a line that both sides write */
} gmsim_l2_reach;

/* What an access cost: how far it went, sectors that were read from and written to DRAM for it; of
 * those, the sectors of a second line that was cleaned with another. */
typedef struct gmsim_l2_cost {
    _Alignas(8) uint8_t reach; /* all of it in one register of the host, by value */
    uint8_t read, written, also_read, also_written;
} gmsim_l2_cost;

/* Sets of both sides together, and the memory that they need. */
uint32_t gmsim_l2_sets(const gmsim_gpu *gpu);
size_t gmsim_l2_size(const gmsim_gpu *gpu);
/* `set` is of that size, and need not be 0. */
void gmsim_l2_init(gmsim_l2 *l2, gmsim_l2_set *set, const gmsim_gpu *gpu);
/* Then, where l2.replacement is a plug-in's: `state` is gmsim_replacer_bytes() of gmsim_l2_sets().
 */
void gmsim_l2_plug(gmsim_l2 *l2, const gmsim_plugin_replacement *plugged, void *state);
/* Empties the cache without writing anything back, as ncu does between passes: what it leaves of
 * its own is dirty and older than all that follows. */
void gmsim_l2_flush(gmsim_l2 *l2);
/* Zeroes the counts; what is in the cache stays, and with it the count of dirty sectors (those that
 * a flush left are not counted). */
void gmsim_l2_reset_counts(gmsim_l2 *l2);

/* Where a line lives. */
typedef struct gmsim_l2_place {
    uint32_t set; /* within a side */
    uint32_t tag;
    uint32_t home; /* the side whose DRAM holds it */
    uint64_t line;
} gmsim_l2_place;
GMSIM_INLINE gmsim_l2_place gmsim_l2_place_of(const gmsim_l2 *l2, uint64_t line, uint64_t mixed)
{
    gmsim_l2_place place;
    place.line = line;
    place.tag = (uint32_t)gmsim_sets_divide(&l2->sets, mixed, &place.set) + 1u;
    place.home =
        l2->sides > 1u
            ? (uint32_t)((line >> 1 >> l2->home_shift) * UINT64_C(0x9e3779b97f4a7c15) >> 63 ^
                         (line >> l2->home_shift & 1u))
            : 0;
    return place;
}

gmsim_l2_place gmsim_l2_find_any(const gmsim_l2 *l2, uint64_t line); /* by whatever hash */

/* Once a message: the usual hash is here. */
GMSIM_INLINE gmsim_l2_place gmsim_l2_find(const gmsim_l2 *l2, uint64_t line)
{
    return l2->usual ? gmsim_l2_place_of(l2, line, gmsim_even_mix(line, &l2->sets))
                     : gmsim_l2_find_any(l2, line);
}

/* Fetches what an access from that side looks at into the host's cache. */
GMSIM_INLINE void gmsim_l2_prefetch(const gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side)
{
    const char *set = (const char *)l2->set + (size_t)place->set * l2->set_bytes;
    const char *near = set + (side ? l2->side_bytes : 0);
    const char *home = set + (place->home ? l2->side_bytes : 0);
    __builtin_prefetch(near, 1);
    __builtin_prefetch(near + 64, 1);
    __builtin_prefetch(home, 1);
    __builtin_prefetch(home + 64, 1);
    __builtin_prefetch(home + 128, 1);
}

/* Accesses to the sectors `touched` of a line, from an SM on `side`. */
gmsim_l2_cost gmsim_l2_read(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                            uint32_t touched);
/* The same for a load that asks for whole lines: of a line some of whose `touched` sectors L2 lacks
 * all come (micro/l2_promote.cu); or with evict_first, or no place in L1: lines that come leave
 * before others, the oldest of them first, until an access without such a hint (micro/l2_hints.cu,
 * others and reads). */
gmsim_l2_cost gmsim_l2_read_hinted(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                                   uint32_t touched, bool whole, bool first);
/* A prefetch brings the sectors to their home, and counts as no read (micro/prefetch.cu;
 * micro/tma.cu, prefetch). */
gmsim_l2_cost gmsim_l2_bring(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t touched);
/* `bytes` are those written, a bit each. */
gmsim_l2_cost gmsim_l2_write(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                             uint32_t touched, uint32_t full, const uint64_t bytes[2]);
/* The line was just written with evict_first: a copy on the writer's side leaves before others. */
void gmsim_l2_copy_first(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side);
gmsim_l2_cost gmsim_l2_atomic(gmsim_l2 *l2, const gmsim_l2_place *place, uint32_t side,
                              uint32_t touched);
/* For a watch: the line was written, or carried out an atomic. */
void gmsim_l2_note(gmsim_l2 *l2, const gmsim_l2_place *place, uint64_t line);

#pragma GCC visibility pop

#endif
