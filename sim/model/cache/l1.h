/* SPDX-License-Identifier: MIT
 *
 * l1.h - the L1 data cache of one SM: tags and sector states.
 */
#ifndef GMSIM_L1_H
#define GMSIM_L1_H

#include "sim/model/cache/replacer.h"
#include "sim/model/count/coalesce.h"
#include "sim/model/hot.h"
#include "sim/policy/hash.h"

#pragma GCC visibility push(hidden)

#define GMSIM_L1_SLOTS 8u /* most lines a set can hold */
#define GMSIM_L1_BANKS 8u /* that share room for lines among their own sets alone */

/* In this order: up to FIRST what misses is kept, up to PASS L1 is looked up. */
typedef enum gmsim_l1_load {
    GMSIM_L1_ALLOCATE, /* looked up; what misses is kept */
    GMSIM_L1_LAST,     /* the same, and comes as if wanted twice: evict_last */
    GMSIM_L1_FIRST,    /* the same, and the line leaves its set first: evict_first, .cs */
    GMSIM_L1_PASS,     /* looked up; what misses is not kept, what hits leaves first */
    GMSIM_L1_DROP,     /* not looked up, and the line is dropped: coherent, .cg, LDGSTS.BYPASS */
    GMSIM_L1_PRESENT,  /* not looked up, and there: what if it were? */
} gmsim_l1_load;

#define GMSIM_L1_NARROW 4u /* slots in one line of the host's cache */

/* Of a set that can hold more than GMSIM_L1_NARROW lines another one behind it has the rest of
 * them. */
typedef struct gmsim_l1_set {
    uint64_t tag[GMSIM_L1_NARROW]; /* (line + 1) << 8 | partly written sectors << 4 | valid */
    uint8_t age[GMSIM_L1_SLOTS];   /* the replacement's, and of the set: of all slots */
    uint32_t order, spare;
    uint32_t word[GMSIM_L1_NARROW]; /* words valid in the partly written sectors */
} gmsim_l1_set;

typedef struct gmsim_l1 {
    gmsim_l1_set *set; /* owned by the caller */
    gmsim_sets sets;
    uint32_t ways, larger;         /* lines a set holds; the first `larger` sets hold one more */
    uint32_t wide;                 /* 1 where a set takes two, else 0 */
    uint32_t hash, write;          /* policies */
    bool usual;                    /* segmented LRU, banked, write-through, with pools */
    bool aged;                     /* the replacement's byte of a line tells its age */
    bool pooled;                   /* sets have more tags than there is room for lines: by banks, */
    uint16_t room[GMSIM_L1_BANKS]; /* lines that it has room for yet, */
    uint16_t swept[GMSIM_L1_BANKS]; /* and the row that gives up a line next */
    uint64_t order;                 /* the replacement's */
    gmsim_replacer replacer;
} gmsim_l1;

/* Sets that any L1 of this GPU needs at most. */
uint32_t gmsim_l1_most_sets(const gmsim_gpu *gpu);
/* And so many gmsim_l1_set for them. */
uint32_t gmsim_l1_room(const gmsim_gpu *gpu);
/* Makes it `bytes` large and empty. */
void gmsim_l1_init(gmsim_l1 *l1, gmsim_l1_set *set, const gmsim_gpu *gpu, uint32_t bytes);
/* Then, where l1.replacement is a plug-in's: `state` is gmsim_replacer_bytes() of most_sets. */
void gmsim_l1_plug(gmsim_l1 *l1, const gmsim_plugin_replacement *plugged, void *state);

gmsim_l1_set *gmsim_l1_find_any(const gmsim_l1 *l1, uint64_t line); /* whatever the policies */

/* The set where the line would be; fetches it into the host's cache. Once a line: the usual hash is
 * here. */
GMSIM_INLINE gmsim_l1_set *gmsim_l1_find(const gmsim_l1 *l1, uint64_t line)
{
    gmsim_l1_set *set = G_LIKELY(l1->usual)
                            ? &l1->set[(uint32_t)gmsim_banked_mix(line, &l1->sets) & l1->sets.mask]
                            : gmsim_l1_find_any(l1, line);
    __builtin_prefetch(set, 1);
    return set;
}

/* Which bytes an access asks for or writes: worked out once for all its lines, and only where one
 * of them has a sector of which that is a part. */
typedef struct gmsim_l1_words {
    const gmtrace_chunk *chunk;
    const gmtrace_record *record;     /* NULL: whole sectors, or `bytes` are told */
    const gmsim_footprint *footprint; /* NULL: one line, worked out each time */
    bool known;                       /* `bytes` are, of each line of the footprint */
    bool aligned;                     /* known, and no word is written by two lanes */
    uint32_t at;                      /* line that was asked for last */
    uint64_t bytes[GMSIM_MAX_LINES][2];
} gmsim_l1_words;

/* Sets all but `bytes`. */
static inline void gmsim_l1_words_begin(gmsim_l1_words *words, const gmsim_footprint *footprint,
                                        const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    words->chunk = chunk;
    words->record = record;
    words->footprint = footprint;
    words->known = words->aligned = false;
    words->at = 0;
}

/* The caller has worked `bytes` out; no word is of two lanes. */
static inline void gmsim_l1_words_tell(gmsim_l1_words *words)
{
    words->known = words->aligned = true;
}

/* Works `bytes` out if they are not known. */
void gmsim_l1_words_know(gmsim_l1_words *words);

/* Are they less than a word of each lane? What the first line of several has tells. */
bool gmsim_l1_words_split(const gmsim_l1_words *words);

/* A load of the sectors `touched` of a line, whose set that is; returns those that miss. */
uint32_t gmsim_l1_read(gmsim_l1 *l1, gmsim_l1_set *set, uint64_t line, uint32_t touched,
                       gmsim_l1_load how, gmsim_l1_words *words);

/* A store; it goes on to L2 in any case. Where its line is absent, GMSIM_L1_PASS leaves it so.
 * Returns whether the line was there. */
bool gmsim_l1_write(gmsim_l1 *l1, uint64_t line, uint32_t touched, uint32_t full, gmsim_l1_load how,
                    gmsim_l1_words *words);

/* Forgets all lines before `end`. */
void gmsim_l1_empty(gmsim_l1 *l1, uint64_t end);

/* The line's data are gone, if it is there; its tag stays. */
void gmsim_l1_lose(gmsim_l1 *l1, uint64_t line);

/* Forgets the line, if it is there. */
void gmsim_l1_drop(gmsim_l1 *l1, uint64_t line);

#pragma GCC visibility pop

#endif
