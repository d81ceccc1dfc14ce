/* SPDX-License-Identifier: MIT
 *
 * accel.h - what the parts of the Accel-Sim importer share: how a failure is said, and the header
 * of a kernel's trace. Private to the gmtrace command.
 */
#ifndef GMTRACE_ACCEL_H
#define GMTRACE_ACCEL_H

#include "traces/gmtrace.h"

#define ACCEL_FIRST_VERSION 2u
#define ACCEL_LAST_VERSION  6u

/* One line: "FILE:LINE: what is wrong; what to do". */
typedef struct accel_error {
    char text[600];
} accel_error;

bool accel_fail(accel_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* always false */

typedef struct accel_header {
    char name[1 << 16]; /* the kernel's symbol; templates make long ones */
    uint32_t grid[3], block[3];
    uint32_t shared; /* static and dynamic bytes a CTA */
    uint32_t registers;
    uint32_t binary_version; /* 80: compute capability 8.0 */
    uint64_t stream;
    uint64_t shared_base, local_base; /* of the generic windows; 0 where not told */
    uint32_t version;
    bool line_info;
} accel_header;

/* Takes one "-key = value" line; unknown keys are passed over. False with *problem set where the
 * value cannot be read. */
bool accel_header_line(accel_header *header, const char *line, const char **problem);
/* After the last line: is all there that a launch needs? */
bool accel_header_done(const accel_header *header, const char **problem);

/* Small readers of numbers; NULL where there is none or it is too large. They stop at the first
 * character that is no digit. */
const char *accel_decimal(const char *at, uint64_t *value);
const char *accel_signed(const char *at, int64_t *value);
const char *accel_hex(const char *at, uint64_t *value);      /* with or without 0x */
const char *accel_triple(const char *at, uint32_t value[3]); /* "1,2,3" */

static inline const char *accel_blanks(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

#endif
