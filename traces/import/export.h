/* SPDX-License-Identifier: MIT
 *
 * export.h - from the records of a warp to Accel-Sim's instruction lines, version 5.
 */
#ifndef GMTRACE_ACCEL_EXPORT_H
#define GMTRACE_ACCEL_EXPORT_H

#include "traces/gmtrace.h"

/* Generic addresses of shared and local memory in what is written; no device memory is that low. */
#define ACCEL_SHARED_BASE 0x1000000u
#define ACCEL_LOCAL_BASE  0x2000000u
#define ACCEL_NO_PATCH    UINT64_MAX

/* file_out.c: a file that grows, of which few bytes are changed later. */
typedef struct accel_file {
    int fd;
    int problem;     /* errno of the first failure */
    uint64_t offset; /* of the buffer's first byte */
    size_t used;
    char buffer[1 << 16];
} accel_file;

void accel_file_put(accel_file *file, const char *text, size_t length);
void accel_file_print(accel_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
uint64_t accel_file_offset(const accel_file *file);
void accel_file_patch(accel_file *file, uint64_t offset, const char *text, size_t length);
bool accel_file_flush(accel_file *file);

/* lines_out.c */
typedef struct accel_lines {
    const gmtrace_kernel *kernel;
    char **text; /* by instruction: destinations, opcode, sources */
    bool line_info;
    bool stand_ins; /* its code is not SASS: opcodes are those of the nearest kind */
    accel_file *file;
    uint64_t count; /* lines of the warp */
    /* The access that may still grow by a record of the same instruction. */
    bool held;
    uint32_t instr, mask;
    gmtrace_op op;
    uint64_t address[GMTRACE_WARP_LANES];
} accel_lines;

bool accel_lines_open(accel_lines *lines, const gmtrace_kernel *kernel); /* false: no memory */
void accel_lines_close(accel_lines *lines);
/* NULL, or why the record cannot be told in the format. */
const char *accel_lines_record(accel_lines *lines, const gmtrace_chunk *chunk,
                               const gmtrace_record *record);
void accel_lines_end_warp(accel_lines *lines);

#endif
