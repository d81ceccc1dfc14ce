/* SPDX-License-Identifier: MIT
 *
 * plugin.h - a replacement policy, a prefetcher or an order of CTAs in a shared object of one's
 * own, for `gmsim --plugin FILE.so --set l1.replacement=NAME`. It defines one table:
 *
 *     GMSIM_PLUGIN = {.version = GMSIM_PLUGIN_VERSION, .name = "mine", .replacement = &mine};
 *
 *     cc -std=c11 -O2 -fPIC -shared $(pkg-config --cflags gmsim) mine.c -o mine.so
 *
 * and is chosen by its name, after --plugin, as a built-in policy is: l1.replacement and
 * l2.replacement, l1.prefetch, launch.order. Whole examples are installed beside the documentation
 * (plugins/lru.c, next_line.c, pairs.c).
 *
 * The contract:
 *
 * - Versions. The structs and rules below are those of version 1 and never change; a gmsim that
 *   knows another version refuses the plug-in, or knows both. The table stays valid and unchanged
 *   as long as the object is loaded.
 * - State. Each cache, set and way (each L1, for a prefetcher) has as many bytes as the plug-in
 * asks for: allocated before the first launch, aligned to 8, owned by gmsim, passed to each call,
 * all 0 when the cache is emptied: an L1 when a launch begins, L2 when it is flushed. A way's bytes
 * are 0 again when its line is dropped. A pointer is valid during the call that it is passed to.
 * - Determinism. What a call does follows from its arguments and that state, and from nothing else:
 *   no variable of its own, no clock, no random numbers but from a generator in the state. Calls
 *   for one state never overlap; those for different SMs may, in several threads, in any order. So
 *   runs give the same counts, bit for bit.
 * - A call returns soon and in the usual way. It does not allocate, print, read or write files,
 * call gmsim, throw, longjmp, or end the process. It runs with the rights of whoever runs gmsim:
 * use plug-ins only of those whom you trust.
 * - Answers are checked: a victim that is no candidate, an SM that takes no CTA, too many lines
 *   ahead. The replay goes on with another choice, so that nothing breaks, and fails at the
 * launch's end with a message that has the first such answer.
 *
 * Units: a line is 128 bytes and named by its number, address / 128; a sector is 32 bytes, bit 0 to
 * 3 of a mask. Counters mean the same as with built-in policies.
 */
#ifndef GMSIM_PLUGIN_H
#define GMSIM_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GMSIM_PLUGIN_VERSION 1u

/* ------------------------------------------------------------ replacement: which line leaves */

/* One set of a cache, and the line that the call is about. */
typedef struct gmsim_plugin_lines {
    void *way;       /* way_bytes of way 0, then of way 1, ... */
    void *set;       /* set_bytes */
    void *cache;     /* cache_bytes: one L1, or L2 */
    uint64_t tag;    /* tells lines of one set apart, the same whenever the line comes back; 0 for a
                      * victim that makes room for no line. L1: its number. L2: of lines that a
                      * profiler's flush leaves (l2.flush_dirty), UINT32_MAX */
    uint32_t number; /* of the set, from 0; of L2's second side after those of the first */
    uint32_t ways;   /* that the set has state for: 8 in L1, 32 in L2. Some may not be in use */
} gmsim_plugin_lines;

typedef struct gmsim_plugin_replacement {
    uint32_t way_bytes, set_bytes, cache_bytes; /* up to 256, 64 Ki, 16 Mi; rounded up to 8, but for
                                                 * ways, which lie side by side */
    /* The line came into this way, which was empty or its victim's. */
    void (*fill)(const gmsim_plugin_lines *lines, uint32_t way);
    /* The line, in this way, was wanted again, by a load or a store. */
    void (*use)(const gmsim_plugin_lines *lines, uint32_t way);
    /* Which of the ways in the mask leaves (or, of L2's dirty lines, is written to DRAM and stays).
     * Empty ways are filled without asking. The mask is never 0. */
    uint32_t (*victim)(const gmsim_plugin_lines *lines, uint32_t candidates);
} gmsim_plugin_replacement;

/* ----------------------------------------------------------------- prefetcher: lines ahead into L1
 */

/* A line of a global or local load that L1 was looked up for, after the load itself was served. */
typedef struct gmsim_plugin_access {
    uint64_t line;
    uint32_t sectors, missing; /* asked for; of those, not in L1 nor on their way there */
    uint32_t instr; /* the load's number in the kernel's code, UINT32_MAX where it has none */
    uint32_t first; /* 1: the first line of the warp's load, else 0 */
} gmsim_plugin_access;

typedef struct gmsim_plugin_ahead {
    uint64_t line; /* below 2^45 */
    uint32_t sectors;
} gmsim_plugin_ahead;

#define GMSIM_PLUGIN_AHEAD 4u

typedef struct gmsim_plugin_prefetcher {
    uint32_t state_bytes; /* of each L1, up to 1 Mi */
    /* Puts up to GMSIM_PLUGIN_AHEAD lines into `ahead`, returns how many. What L1 lacks of them
     * leaves for L2 behind the load, a line a clock, takes a place in L1 as a line of a load does,
     * and nobody waits for it. It counts as sectors that L1 reads from L2, not as hits, misses or
     * requests. It is left out where the SM has hundreds of messages under way. Lines outside of
     * all allocations are brought as any. */
    uint32_t (*access)(void *state, const gmsim_plugin_access *access,
                       gmsim_plugin_ahead ahead[GMSIM_PLUGIN_AHEAD]);
} gmsim_plugin_prefetcher;

/* --------------------------------------------------------- order: which SMs the first CTAs go to
 */

typedef struct gmsim_plugin_launch {
    uint64_t ctas;
    uint32_t sms, places;  /* of the GPU; CTAs that an SM takes at once, by its occupancy */
    uint32_t groups;       /* of SMs numbered in a row (GPCs); 0: not known */
    const uint32_t *group; /* SMs of each */
} gmsim_plugin_launch;

typedef struct gmsim_plugin_order {
    /* The SM, from 0, of CTA number `cta`: 0, 1, 2 and so on until none is left or no SM takes
     * another. held[i] is how many SM i has. `state` is 128 bytes, 0 when the launch begins. Later
     * CTAs go where a place becomes free, without asking. */
    uint32_t (*next)(void *state, const gmsim_plugin_launch *launch, uint64_t cta,
                     const uint8_t *held);
} gmsim_plugin_order;

/* -------------------------------------------------------------------------------------- the table
 */

typedef struct gmsim_plugin {
    uint32_t version;  /* GMSIM_PLUGIN_VERSION */
    const char *name;  /* a-z, 0-9 and _, up to 31; no built-in policy's */
    const char *about; /* one line, or NULL */
    const gmsim_plugin_replacement *replacement; /* NULL: has none */
    const gmsim_plugin_prefetcher *prefetcher;
    const gmsim_plugin_order *order;
} gmsim_plugin;

#define GMSIM_PLUGIN_SYMBOL "gmsim_plugin_table"
#define GMSIM_PLUGIN        __attribute__((visibility("default"))) const gmsim_plugin gmsim_plugin_table

#ifdef __cplusplus
}
#endif

#endif
