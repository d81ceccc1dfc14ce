/* SPDX-License-Identifier: MIT
 *
 * lines.h - which lines of the program return addresses stand for. The caller holds the runtime's
 * lock; what is handed out lives as long as the program.
 */
#ifndef GMCUDA_LINES_H
#define GMCUDA_LINES_H

#include "traces/gmcc/runtime/runtime.h"

typedef struct gmcuda_line {
    const char *file; /* as the debugging information has it; NULL: there is no such line */
    uint32_t number;  /* 0 where the optimiser left none */
    void *address;    /* the one that stands for it */
} gmcuda_line;

/* Finds those of many addresses at once, which costs as much as those of one. */
void gmcuda_find_lines(void *const *address, size_t count);
/* Line `depth` of the program's own, innermost first, inlined functions before those they are in.
 * What is CUDA's, the compiler's or C++'s headers' is passed over. */
gmcuda_line gmcuda_line_of(const gmcuda_frames *frames, unsigned depth);
/* The line's text and that of the next two, with blanks between; "" where it cannot be read. */
const char *gmcuda_line_text(gmcuda_line line);

#endif
