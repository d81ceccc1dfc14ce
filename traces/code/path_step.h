/* SPDX-License-Identifier: MIT
 *
 * path_step.h - what the files share that read an instruction as a step, and run it:
 * path_operand.c, path_read.c, path_read_real.c, path_lanes.c, path_real.c. Private to them.
 */
#ifndef GMTRACE_PATH_STEP_H
#define GMTRACE_PATH_STEP_H

#include "traces/code/path_lanes.h"
#include "traces/code/sass_op.h"

/* path_step.what. */
enum {
    STEP_COPY, /* each source to a target */
    STEP_SPECIAL,
    STEP_LOAD,  /* mode: bytes; shift: they have a sign */
    STEP_LOCAL, /* the same, from local memory */
    STEP_STORE, /* mode: bytes; to local memory */
    STEP_ADD,
    STEP_MAD,
    STEP_MAD_WIDE,
    STEP_MAD_HIGH,
    STEP_SHIFT,
    STEP_LOGIC,
    STEP_LEA,
    STEP_LEA_HIGH,
    STEP_COMPARE,
    STEP_SELECT,
    STEP_MINMAX,
    STEP_ADD_MINMAX,
    STEP_MINMAX_3, /* of these three shift: no less than nought */
    STEP_ABSOLUTE,
    STEP_BITS,
    STEP_REVERSE,
    STEP_LEADING,
    STEP_PERMUTE,
    STEP_EXTEND,
    STEP_BIT_MASK,
    STEP_LOGIC_OF_PREDICATES,
    STEP_GATHER_PREDICATES,
    STEP_VOTE, /* mode: of any lane, else of all; shift: which target is the predicate */
    STEP_REAL, /* the first that path_real.c runs */
    STEP_REAL_ADD = STEP_REAL,
    STEP_REAL_MUL, /* shift: a power of two besides, and SCALE_ONE more; or 0 */
    STEP_REAL_FMA,
    STEP_REAL_COMPARE,
    STEP_REAL_MINMAX,
    STEP_REAL_CHECK, /* FCHK */
    STEP_REAL_SPECIAL,
    STEP_TO_REAL,
    STEP_TO_INTEGER,
    STEP_ROUND,
    STEP_WIDEN,  /* float to double */
    STEP_NARROW, /* and back */
};
enum { STEP_SIGNED = 1 };
enum { SHIFT_RIGHT = 1, SHIFT_HIGH = 2, SHIFT_SIGNED = 4, SHIFT_WRAPS = 8, SHIFT_64 = 16 };
/* Comparisons: bits less, equal, more and, of floats, neither; and what they are joined with. */
enum { COMPARES = 15, WITH_AND = 0, WITH_OR = 16, WITH_XOR = 32, WITH_LOWER = 64 };
enum { SCALE_ONE = 8 };
/* Of floats: mode. */
enum { REAL_DOUBLE = 1, REAL_FLUSHES = 2, REAL_SATURATES = 4, REAL_NAN = 8, REAL_SIGNED = 16 };
enum { REAL_BITS_64 = 32, REAL_CUTS = 64, REAL_FLOORS = 128 }; /* rounding; both: up */

typedef struct path_reading {
    sass_op op;
    const gmtrace_instr *instr;
    const gmtrace_launch *launch;
    path_step *step;
    unsigned next;
    bool good;
} path_reading;

/* path_operand.c: the next operand becomes a target, or a source. */
void path_read_target(path_reading *r);
void path_read_source(path_reading *r);
/* As sources, the lower half first, and targets. */
void path_read_source_pair(path_reading *r);
void path_read_target_pair(path_reading *r);
void path_read_next_target(path_reading *r); /* the register behind the target before */
path_source *path_read_next_source(path_reading *r);
void path_read_value(path_reading *r, uint64_t value); /* a source of 32 bits */
bool path_read_at_predicate(const path_reading *r);
path_source path_read_register(const sass_operand *o);
/* Bytes of the first bank of constants; false where they are not known. */
bool path_read_constant_bytes(const gmtrace_launch *launch, const sass_operand *o, uint32_t size,
                              uint64_t *value);
void path_read_comparison(path_reading *r, bool real);
static inline bool path_read_takes(path_reading *r, sass_word word)
{
    return sass_take(&r->op, word);
}

/* path_read_real.c: false where it is no instruction of floats. */
bool path_read_real(path_reading *r);

/* path_lanes.c: what a comparison found is joined with the predicate that comes in. */
static inline bool path_step_join(uint8_t mode, bool holds, uint32_t with)
{
    return mode & WITH_OR ? holds || with : mode & WITH_XOR ? holds != (with != 0) : holds && with;
}

typedef const uint32_t *const path_sources[PATH_SOURCES];
typedef uint32_t path_made[PATH_TARGETS][GMTRACE_WARP_LANES];

/* path_lanes.c: in which lanes the source is known; what it holds in one. */
uint32_t path_step_known(const path_source *source, const path_lanes *lanes);
uint32_t path_step_value(const path_source *source, const path_lanes *lanes, uint32_t lane);
/* Lanes of a mask have loaded that, where it is known. */
void path_step_take(const path_step *step, path_lanes *lanes, uint32_t mask, path_made made,
                    uint32_t known);

/* path_real.c: the targets of the first `lanes` lanes. */
void path_step_real(const path_step *step, path_sources source, unsigned lanes, path_made made);

#endif
