/* SPDX-License-Identifier: MIT
 *
 * sass.h - machine code as the interpreter's operations. ptxas made it of the module's own PTX; its
 * instructions become the operations of a second kernel (image.h), one each, that shares memory,
 * barriers, launches and traces with the first. Different are the registers, which are the
 * hardware's, and control flow: convergence barriers instead of a stack.
 *
 * Left out, and found when the kernel is made: what sass_op.h does not name (tensor cores,
 * textures, bulk copies, clusters), and calls of functions with a section of their own.
 */
#ifndef GMPTX_SASS_H
#define GMPTX_SASS_H

#include "traces/code/sass.h"
#include "traces/code/sass_op.h"
#include "traces/ptx/exec.h"
#include "traces/ptx/sass/cubin.h"

/* A frame: predicates, general registers, uniform ones, convergence barriers (a mask for each
 * lane), and constants that instructions name, which never change in a launch. */
enum {
    SASS_PREDICATES = 0,           /* P0-P6, a place that nobody reads, UP0-UP6, and one more */
    SASS_REGISTERS = PTX_UNIT,     /* R0-R254, and four places that nobody reads */
    SASS_UNIFORM = 260 * PTX_UNIT, /* UR0-UR62, the next, and two that nobody reads */
    SASS_BARRIERS = 326 * PTX_UNIT,
    SASS_CONSTANTS = 342 * PTX_UNIT,
};

/* Of params, first of the constants that a launch sets. */
enum { SASS_PARAMS = 0x210, SASS_BANKS = 5 };

typedef struct sass_place {
    uint32_t offset; /* in the bank */
    uint8_t bank;
} sass_place;

/* A variable in bank 3, whose value is taken at a launch. */
typedef struct sass_filled {
    uint32_t offset, size;
    const uint8_t *from; /* the variable's memory */
} sass_filled;

/* What a kernel of machine code has beside ptx_kernel. */
typedef struct sass_kernel {
    gmtrace_sass code;
    sass_place *constant; /* by slot behind SASS_CONSTANTS */
    uint32_t constant_count;
    uint8_t *bank[SASS_BANKS]; /* 0: the launch's; 2: literals; 3: variables; 4: addresses */
    uint32_t bank_bytes[SASS_BANKS];
    sass_filled *filled;
    uint32_t filled_count;
} sass_kernel;

/* Lanes that go the same way. */
typedef enum sass_state {
    SPLIT_RUNS,
    SPLIT_MEETS, /* at the BSYNC at pc */
    SPLIT_SYNCS, /* at the WARPSYNC, or what names lanes, at pc */
    SPLIT_WAITS, /* at the BAR at pc */
} sass_state;
typedef struct sass_split {
    uint32_t pc, mask;
    uint32_t members; /* of SPLIT_SYNCS */
    sass_state state;
} sass_split;

/* ------------------------------------------------------------------------------------ decoding */

typedef struct sass_builder sass_builder;
struct sass_builder {
    ptx_kernel *kernel;
    ptx_op *op;
    sass_op in;
    unsigned next; /* operand to be taken */
    bool bad;      /* an operand is not of the kind that was asked for */
    uint32_t pool_count;
};

/* Words of a comparison: op->mode has bits for less (1), equal (2), more (4), unordered (8);
 * op->mode2 says how the predicate that it is given comes in. */
bool gmsass_take_comparison(sass_builder *b);
/* Operands of a comparison: two predicates, two sources, a predicate. */
void gmsass_compared(sass_builder *b, unsigned units);
/* Words of which each stands for a value. Takes those that are there, and says how many; the last
 * one's value goes to *value. */
typedef struct sass_choice {
    sass_word word;
    uint8_t value;
} sass_choice;
unsigned gmsass_take_choices(sass_builder *b, const sass_choice *choice, size_t count,
                             uint8_t *value);
/* Words of rounding; ROUND_NEAREST where there is none. */
uint8_t gmsass_take_rounding(sass_builder *b);

/* Makes b->op of b->in. False where it cannot. */
typedef bool (*sass_make)(sass_builder *b);
typedef struct sass_row {
    sass_name name;
    sass_make make;
} sass_row;
extern const sass_row gmsass_int_rows[], gmsass_float_rows[], gmsass_convert_rows[],
    gmsass_half_rows[], gmsass_move_rows[], gmsass_warp_rows[], gmsass_memory_rows[],
    gmsass_control_rows[];

/* The next operand becomes op->r[op->refs++]. Sources may have signs (negated(), absolute()),
 * predicates be negated; units: of 32 bits, 1 or 2. */
void gmsass_source(sass_builder *b, unsigned units);
void gmsass_result(sass_builder *b, unsigned units);
void gmsass_predicate(sass_builder *b);     /* read */
void gmsass_set_predicate(sass_builder *b); /* written */
void gmsass_ref(sass_builder *b, ptx_ref ref);
void gmsass_no_predicate(sass_builder *b); /* a place where one would be written */
/* "P, R, ..." or "R, ...": the predicate stands first where there is one, but is the second result.
 */
void gmsass_result_and_predicate(sass_builder *b);
ptx_ref gmsass_predicate_place(const sass_operand *o);
ptx_ref gmsass_register_place(sass_kind file, uint32_t number); /* SASS_ZERO: nobody reads it */
/* 32-bit registers that hold so many bytes. */
static inline unsigned units_in(unsigned bytes)
{
    return (bytes + 3) / 4;
}
ptx_ref gmsass_constant(sass_builder *b, uint32_t low, uint32_t high); /* 64 bits in two units */
static inline const sass_operand *gmsass_peek(const sass_builder *b)
{
    static const sass_operand none;
    return b->next < b->in.count ? &b->in.operand[b->next] : &none;
}
static inline bool gmsass_at_predicate(const sass_builder *b)
{
    const uint8_t kind = gmsass_peek(b)->kind;
    return kind == SASS_PRED || kind == SASS_UPRED;
}

/* ---------------------------------------------------------------------------------- executing */

/* Of ptx_op, where it is machine code: bits by place in r[]. */
static inline bool is_negated(const ptx_op *op, unsigned n)
{
    return op->first >> n & 1;
}
static inline unsigned part_of(const ptx_op *op, unsigned n) /* sass_part */
{
    return (unsigned)(op->offset >> 2 * n & 3);
}
static inline bool is_other(const ptx_op *op, unsigned n) /* absolute, or inverted */
{
    return op->count >> n & 1;
}
enum { SASS_IS_UNIFORM = 128 }; /* ptx_op.flags: it is done once for the warp */

static inline uint32_t predicate_of(const ptx_warp *w, const ptx_op *op, unsigned n)
{
    const uint32_t m = *mask_of(w, op->r[n]);
    return is_negated(op, n) ? ~m : m;
}
static inline void set_predicate(const ptx_warp *w, const ptx_op *op, unsigned n, uint32_t bits)
{
    uint32_t *m = mask_of(w, op->r[n]);
    *m = (*m & ~w->active) | (bits & w->active);
}
/* The lanes of a source with its sign: in place, or in `room`. */
static inline const uint32_t *source_of(const ptx_warp *w, const ptx_op *op, unsigned n,
                                        uint32_t *room)
{
    const uint32_t *from = lanes_of(w, op->r[n]);
    if (!((op->first | op->count) >> n & 1))
        return from;
    if (is_other(op, n))
        EACH_LANE room[i] = ~from[i];
    else
        EACH_LANE room[i] = 0 - from[i];
    return room;
}
static inline const float *float_of(const ptx_warp *w, const ptx_op *op, unsigned n, uint32_t *room)
{
    const uint32_t *from = lanes_of(w, op->r[n]);
    if (!((op->first | op->count) >> n & 1))
        return (const float *)(const void *)from;
    const uint32_t keep = is_other(op, n) ? 0x7fffffffu : UINT32_MAX,
                   flip = is_negated(op, n) ? 0x80000000u : 0;
    EACH_LANE room[i] = (from[i] & keep) ^ flip;
    return (const float *)(const void *)room;
}
/* Pairs of registers as 64 bits. */
static inline void wide_of(const ptx_warp *w, const ptx_op *op, unsigned n, uint64_t *to)
{
    const uint32_t *low = lanes_of(w, op->r[n]), *high = low + LANES;
    EACH_LANE to[i] = (uint64_t)high[i] << 32 | low[i];
}
static inline void double_of(const ptx_warp *w, const ptx_op *op, unsigned n, double *to)
{
    const uint64_t keep = is_other(op, n) ? INT64_MAX : UINT64_MAX,
                   flip = is_negated(op, n) ? UINT64_C(1) << 63 : 0;
    uint64_t bits[LANES];
    wide_of(w, op, n, bits);
    EACH_LANE bits[i] = (bits[i] & keep) ^ flip;
    memcpy(to, bits, sizeof bits);
}
static inline void set_wide(const ptx_warp *w, const ptx_op *op, unsigned n, const void *from)
{
    uint32_t *low = lanes_of(w, op->r[n]), *high = low + LANES;
    uint64_t value[LANES];
    memcpy(value, from, sizeof value);
    EACH_ACTIVE(w)
    {
        low[i] = (uint32_t)value[i];
        high[i] = (uint32_t)(value[i] >> 32);
    }
}

bool gmsass_compare(const ptx_op *op, double a, double b);
/* What a comparison found, and its opposite, into r[0] and r[1]. */
void gmsass_join(const ptx_warp *w, const ptx_op *op, uint32_t yes, uint32_t no, uint32_t p);

/* Constants of a launch from the banks into a warp's frame. */
void gmsass_set_constants(ptx_warp *w);

#endif
