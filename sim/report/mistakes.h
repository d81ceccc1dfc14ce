/* SPDX-License-Identifier: MIT
 *
 * mistakes.h - what `gmsim --run --check` found in a program, and the report of it.
 */
#ifndef GMSIM_MISTAKES_H
#define GMSIM_MISTAKES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

G_BEGIN_DECLS

/* One of the two threads that met, or the one that erred. Members that are not known are NULL
 * or 0. */
typedef struct gmsim_mistake_side {
    char *file, *role; /* role: "read", "write", "atomic", "at" */
    uint32_t line, ptx_line;
    uint32_t block[3], thread[3];
} gmsim_mistake_side;

typedef struct gmsim_host_place {
    char *file; /* NULL: not known */
    uint32_t line;
} gmsim_host_place;

typedef struct gmsim_mistake {
    char *what; /* "memory", "races", "unwritten", "barriers", "leaks" */
    char *title, *detail;
    char *kernel; /* NULL: a call of the host's */
    uint64_t count;
    unsigned sides;
    gmsim_mistake_side side[2];
    gmsim_host_place call;   /* the host's: the launch, or the call that is wrong */
    gmsim_host_place origin; /* where the memory in question was allocated */
} gmsim_mistake;

typedef struct gmsim_mistakes {
    GPtrArray *mistake; /* gmsim_mistake */
    uint64_t left_out;  /* places for which there was no room */
    bool races_incomplete;
    int status; /* the program's exit status; -1: it was ended by a signal */
} gmsim_mistakes;

/* Everything in it. */
void gmsim_mistakes_clear(gmsim_mistakes *mistakes);

/* One entry a place. `source`: a folder of source files besides the current one, or NULL. */
void gmsim_mistakes_text(FILE *out, const gmsim_mistakes *mistakes, const char *program,
                         const char *source);
void gmsim_mistakes_json(FILE *out, const gmsim_mistakes *mistakes, const char *program);

G_END_DECLS

#endif
