/* SPDX-License-Identifier: MIT
 *
 * pipe.h - the memory pipe of a launch line by line, from shared memory down to DRAM: what was
 * asked of each level and kind of access, what work that was, what hit, and what moved. Bytes are
 * what the lanes asked for in shared memory and what moves (sectors of 32 bytes) below it.
 */
#ifndef GMSIM_PIPE_H
#define GMSIM_PIPE_H

#include "sim/model/model.h"

G_BEGIN_DECLS

#define GMSIM_PIPE_UNKNOWN UINT64_MAX

typedef struct gmsim_pipe_line {
    const char *unit, *access; /* "L1", "global load" */
    int row;                   /* gmsim_row, or -1 below L1 */
    int resource;              /* gmsim_resource whose least cycles it shows, or -1 */
    /* GMSIM_PIPE_UNKNOWN: not a thing of this line, or not seen by the capture. Hits are of
     * looked_up, which is 0 where nothing was looked up or the answer is not known. */
    uint64_t requests, work, ideal, hits, looked_up, bytes;
} gmsim_pipe_line;

#define GMSIM_PIPE_LINES (GMSIM_ROWS + 5u) /* at most */

/* Fills `line`; how many. None where the launch touched no memory. */
unsigned gmsim_pipe_lines(const gmsim_result *result, gmsim_pipe_line line[GMSIM_PIPE_LINES]);

G_END_DECLS

#endif
