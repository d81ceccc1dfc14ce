/* SPDX-License-Identifier: MIT
 *
 * line.h - one instruction line of an Accel-Sim trace, taken apart.
 */
#ifndef GMTRACE_ACCEL_LINE_H
#define GMTRACE_ACCEL_LINE_H

#include "traces/import/code.h"

typedef enum accel_shape {
    ACCEL_NO_ADDRESS = 0,
    ACCEL_AFFINE, /* lane i, if active: base + (i - first active lane) * stride */
    ACCEL_LANES,  /* address[] */
    ACCEL_LIST,   /* of a bulk copy: list[] */
} accel_shape;

typedef struct accel_inst {
    const accel_site *site;
    uint32_t mask;
    accel_shape shape;
    uint64_t base;
    int64_t stride;
    int64_t immediate;
    uint64_t width;                       /* as the line has it */
    uint64_t mbarrier;                    /* of a bulk copy */
    uint64_t address[GMTRACE_WARP_LANES]; /* of active lanes */
    uint64_t *list;                       /* owned; kept from line to line */
    size_t list_count, list_capacity;
} accel_inst;

/* Takes a line apart. `length` is strlen's unless the line contains a NUL, which is refused. With
 * `survey` the addresses are left out except those of local and generic accesses. False with
 * *problem set where the line cannot be read. */
bool accel_parse_line(accel_code *code, const accel_format *format, const char *line, size_t length,
                      bool survey, accel_inst *inst, const char **problem);

#endif
