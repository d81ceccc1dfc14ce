/* SPDX-License-Identifier: MIT
 *
 * lines.h - which lines of the program at hand return addresses stand for. One thread at a time;
 * what is handed out lives as long as the program.
 */
#ifndef GMTRACE_LINES_H
#define GMTRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GMT_FRAMES = 16 };
/* Return addresses, innermost first. */
typedef struct gmt_frames {
    void *address[GMT_FRAMES];
    unsigned count;
} gmt_frames;

typedef struct gmt_line {
    const char *file; /* as the debugging information has it; NULL: there is no such line */
    uint32_t number;  /* 0 where the optimiser left none */
    void *address;    /* the one that stands for it */
} gmt_line;

/* Finds those of many addresses at once, which costs as much as those of one. */
void gmt_find_lines(void *const *address, size_t count);
/* Line `depth` of the program's own, innermost first, inlined functions before those they are in.
 * What is CUDA's, the compiler's or C++'s headers' is passed over. */
gmt_line gmt_line_of(const gmt_frames *frames, unsigned depth);
/* The function that calls `call`, where the program has symbols: "main()". A runtime library that
 * is part of the program is passed over, and so are templates of the same name. Of a program that
 * has lines ask for those; NULL where the innermost frame is in a library. */
const char *gmt_caller_of(const gmt_frames *frames, const char *call);
/* The line's text and that of the next two, with blanks between; "" where it cannot be read. */
const char *gmt_line_text(gmt_line line);

#endif
