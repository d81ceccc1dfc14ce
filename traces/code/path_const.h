/* SPDX-License-Identifier: MIT
 *
 * path_const.h - runs instructions over registers that hold known constants. Private to path*.c.
 */
#ifndef GMTRACE_PATH_CONST_H
#define GMTRACE_PATH_CONST_H

#include "traces/code/graph.h"
#include "traces/code/path_lanes.h"

#define PATH_REGISTERS 256u

/* A file of 32-bit registers, or of predicates. */
typedef struct path_file {
    bool known[PATH_REGISTERS];
    uint32_t value[PATH_REGISTERS];
} path_file;

typedef struct path_const {
    path_file file[4];            /* gmtrace_regfile */
    bool constants;               /* those in memory are known, to be 0, */
    const gmtrace_launch *launch; /* or what the launch knows of them; NULL */
} path_const;

/* Instructions as steps, for who runs the same ones again: reading their text takes most of the
 * time. Begins as zeros; instructions stay where they are while it is used. */
#define PATH_KEPT_STEPS 64u
typedef struct path_kept_steps {
    const gmtrace_instr *of[PATH_KEPT_STEPS];
    bool understood[PATH_KEPT_STEPS];
    path_step step[PATH_KEPT_STEPS];
} path_kept_steps;

/* All registers are known, and memory's constants, to be 0; state->launch, then NULL, may be set.
 */
void path_const_begin(path_const *state);
/* What is written is known afterwards where all that it is made of is, by an instruction that
 * path_lanes.h understands; any other makes what it writes unknown. `kept` may be NULL. */
void path_const_run(path_const *state, path_kept_steps *kept, const gmtrace_instr *instr);
void path_const_set(path_const *state, const gmtrace_operand *operand, uint32_t value);
/* Is the instruction executed: 1, 0, or -1 where its guard is not known? */
int path_const_guard(const path_const *state, const gmtrace_instr *instr);
void path_const_forget(path_const *state, const gmtrace_instr *instr); /* all that it writes */
/* Does the instruction make a constant out of nothing but itself? */
bool path_const_is_move(const gmtrace_instr *instr);

#endif
