/* SPDX-License-Identifier: MIT
 *
 * pattern.h - what a pattern of synthetic accesses is: its keys, the code and launch it makes, and
 * the records of each of its warps. Private to libgmtrace.
 *
 * A new pattern is one gmt_pattern and one line in patterns[] (spec.c).
 */
#ifndef GMTRACE_PRIVATE_PATTERN_H
#define GMTRACE_PRIVATE_PATTERN_H

#include "traces/format/internal.h"
#include "traces/synthetic/code.h"

/* Keys are numbers, with K, M and G as powers of 1024, or one word out of several. */
typedef struct gmt_key {
    const char *name;
    const char *initial; /* the default, as a user would write it */
    uint64_t least, most;
    const char *choices; /* "load|store": one of these; NULL: a number from least to most */
    const char *meaning;
} gmt_key;

/* A key's value: a number, or of a choice its place and, where the word is a number, that. */
typedef struct gmt_value {
    uint64_t number;
    unsigned choice;
} gmt_value;

#define GMT_MAX_KEYS 16u

typedef struct gmt_synthetic gmt_synthetic;

typedef struct gmt_pattern {
    const char *name;
    const char *meaning;
    const gmt_key *keys; /* ends with a NULL name */
    size_t state_size;   /* of what make() leaves for warp() */
    /* Turns keys into code, launch and state. */
    bool (*make)(gmt_synthetic *s, void *state, gmtrace_error *error);
    /* Appends every record of one warp. */
    bool (*warp)(gmt_synthetic *s, const void *state, uint64_t cta, uint32_t warp,
                 gmtrace_error *error);
    void (*clear)(void *state); /* frees what state points to; may be NULL */
} gmt_pattern;

extern const gmt_pattern gmt_pattern_stride, gmt_pattern_random, gmt_pattern_chase,
    gmt_pattern_banks, gmt_pattern_transpose, gmt_pattern_matmul, gmt_pattern_stencil;

struct gmt_synthetic {
    const gmt_pattern *pattern;
    gmt_value value[GMT_MAX_KEYS];
    gmt_code code;
    gmtrace_launch launch;
    gmtrace_allocation allocation[4];
    uint64_t shared; /* bytes a CTA that the code itself uses */
    uint32_t threads;
    gmtrace_writer *writer;
    gmtrace_record *record; /* what each instruction's record begins as */
};

/* spec.c: fills pattern and values from the user's line. */
bool gmt_spec_parse(const char *spec, gmt_synthetic *s, gmtrace_error *error);

/* pattern.c. The value of one of the pattern's keys. */
gmt_value gmt_get(const gmt_synthetic *s, const char *key);
static inline uint64_t gmt_number(const gmt_synthetic *s, const char *key)
{
    return gmt_get(s, key).number;
}

/* For make(): the user asked for something impossible; returns false. */
bool gmt_impossible(const gmt_synthetic *s, gmtrace_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Room in global memory. False where it is more than addresses can tell. */
bool gmt_allocate(gmt_synthetic *s, uint64_t bytes, uint64_t *base, gmtrace_error *error);
/* A grid of one dimension that gives each of `items` a thread, or the key "grid" where it is set.
 */
bool gmt_line_grid(gmt_synthetic *s, uint64_t items, gmtrace_error *error);

/* For warp(): the lanes of a warp that have a thread. */
static inline uint32_t gmt_live(const gmt_synthetic *s, uint32_t warp)
{
    const uint32_t left = s->threads - warp * GMTRACE_WARP_LANES;
    return left >= GMTRACE_WARP_LANES ? UINT32_MAX : (1u << left) - 1;
}

/* The lowest `count` lanes. */
static inline uint32_t gmt_lowest(uint64_t count)
{
    return count >= GMTRACE_WARP_LANES ? UINT32_MAX : (1u << count) - 1;
}

/* Lane i accesses address + i * stride. Without any lane there is no record. */
static inline bool gmt_affine(gmt_synthetic *s, uint64_t cta, uint32_t warp, uint32_t instr,
                              uint32_t mask, uint64_t address, int32_t stride, gmtrace_error *error)
{
    gmtrace_record record = s->record[instr];
    record.mask = mask;
    record.address = address;
    record.stride = stride;
    return !mask || gmtrace_writer_append(s->writer, cta, warp, &record, NULL, error);
}

/* Lane i accesses address[i]. */
static inline bool gmt_lanes(gmt_synthetic *s, uint64_t cta, uint32_t warp, uint32_t instr,
                             uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES],
                             gmtrace_error *error)
{
    gmtrace_record record = s->record[instr];
    record.mask = mask;
    return !mask || gmtrace_writer_append(s->writer, cta, warp, &record, address, error);
}

/* Lane i is thread (x, y) of a CTA `width` threads wide and accesses base + x * right + y * down.
 */
bool gmt_plane(gmt_synthetic *s, uint64_t cta, uint32_t warp, uint32_t instr, uint32_t mask,
               uint64_t base, uint32_t width, uint64_t right, uint64_t down, gmtrace_error *error);

/* All threads of the CTA meet at a barrier. */
static inline bool gmt_barrier(gmt_synthetic *s, uint64_t cta, uint32_t warp, uint32_t instr,
                               gmtrace_error *error)
{
    gmtrace_record record = s->record[instr];
    record.mask = gmt_live(s, warp);
    record.aux = 0; /* all */
    return gmtrace_writer_append(s->writer, cta, warp, &record, NULL, error);
}

/* Keys that all patterns have, and the end of their lists. */
/* clang-format off */
#define GMT_KEYS_OF_ALL                                                                            \
    {"registers", "0", 0, 255, NULL, "registers a thread; 0: as many as the code needs"},          \
    {"shared", "0", 0, 232448, NULL,                                                               \
     "bytes of shared memory a CTA asks for beyond what it uses; lowers occupancy"},               \
    {"launches", "1", 1, 1024, NULL, "times the kernel is launched; later ones find L2 warm"},     \
    {NULL, NULL, 0, 0, NULL, NULL}
/* clang-format on */

#endif
