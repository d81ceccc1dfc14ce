/* SPDX-License-Identifier: MIT
 *
 * patterns.h - address patterns of one warp, for the microbenchmarks that launch one kernel with
 * one memory instruction a pattern, so that a profiler's counters can be joined with the patterns
 * by launch number. Patterns are the same for the same seed on every machine.
 */
#ifndef MICRO_PATTERNS_H
#define MICRO_PATTERNS_H

#include "validate/micro/check.h"
#include <stdint.h>
#include <stdio.h>
#include <vector>

#define LANES 32

/* Passed to kernels by value: it lies in constant memory, so that reading it touches neither
 * global nor shared memory. */
struct lane_offsets {
    unsigned at[LANES];
};

struct pattern {
    char name[40];
    unsigned mask;        /* lanes that execute the instruction */
    unsigned shared_mask; /* of them, those whose generic address points to shared memory */
    lane_offsets offsets; /* bytes; 0 for the other lanes */
};

typedef std::vector<pattern> pattern_list;

/* How many of the patterns to make. */
enum pattern_depth { BRIEF, THOROUGH };

/* Offsets below 32 KB, multiples of width. `random`: how many seeded random ones to add. */
pattern_list shared_memory_patterns(unsigned width, pattern_depth depth, int random, uint64_t seed);

/* Row addresses for ldmatrix and stmatrix: all lanes active, the first `rows` lanes' addresses
 * count, multiples of 16. */
pattern_list matrix_patterns(int rows, int random, uint64_t seed);

/* Offsets below 1 MB, multiples of width. */
pattern_list global_memory_patterns(unsigned width, pattern_depth depth, int random, uint64_t seed);

/* Offsets in a thread's local memory, below 1 KB, multiples of width. */
pattern_list local_memory_patterns(unsigned width, int random, uint64_t seed);

/* Generic accesses: some lanes to shared memory, others to global. */
pattern_list generic_patterns(unsigned width, int random, uint64_t seed);

/* The command line that the pattern programs share. */
struct micro_options {
    const char *program, *op, *csv;
    unsigned width; /* bytes; 0: all */
    int random;     /* patterns of that kind for each instruction */
    uint64_t seed;
    bool dry_run;
};

/* Exits with 2 on a usage error, after --help or --ops with 0. `ops` names what --op knows. */
micro_options micro_parse(int argc, char **argv, const char *what, const char *const *ops,
                          int count);

/* The table of launches. */
FILE *micro_csv_open(const micro_options &options);
void micro_csv_row(FILE *csv, int launch, const char *kernel, const char *op, unsigned width,
                   const pattern &p);
/* Exits with 1 if the file could not be written. */
void micro_csv_close(FILE *csv, const micro_options &options);

#endif
