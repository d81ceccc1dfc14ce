/* SPDX-License-Identifier: MIT
 *
 * fuzz.h - what the fuzz targets share. A target is one way into the programs: whatever the bytes
 * are, it must neither crash, hang, leak nor read out of bounds, and every refusal must be one
 * line. `make fuzz` links it with libFuzzer, `make check` with replay.c, which goes through its
 * corpora.
 */
#ifndef GMTEST_FUZZ_H
#define GMTEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NEED(condition)                                                                            \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: %s does not hold\n", __FILE__, #condition);                       \
            abort();                                                                               \
        }                                                                                          \
    while (0)

/* Whether case `i` of `count` is tried on these bytes. Under libFuzzer it is one, chosen by the
 * last byte, which in a trace is a part of a checksum: a run is short then. In make check it is
 * all. */
static inline bool fuzz_tries(const uint8_t *data, size_t size, unsigned i, unsigned count)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return i == (size ? data[size - 1] % count : 0);
#else
    (void)data;
    return size || i < count;
#endif
}

/* The path of a file in memory that holds the bytes; good until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A folder for files that are written, in memory where there is one; removed in the end. */
const char *fuzz_folder(void);

/* The bytes as text ended by NUL, cut at the first NUL; free it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Is it one line that says something, without control characters but tabs? */
void fuzz_need_line(const char *text);

#endif
