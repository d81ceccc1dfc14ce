/* SPDX-License-Identifier: MIT
 *
 * exec.h - a warp, and the tables of operations.
 */
#ifndef GMPTX_EXEC_H
#define GMPTX_EXEC_H

#include "traces/format/wide.h"
#include "traces/ptx/image.h"
#include "traces/ptx/special.h"

#include <fenv.h>
#include <math.h>

#define LANES     GMTRACE_WARP_LANES
#define ALL_LANES 0xffffffffu

/* Lanes that go the same way. The topmost entry runs; when its pc reaches `meet` it is dropped,
 * and the one below, which waits there, goes on with the lanes of all. */
typedef struct ptx_entry {
    uint32_t pc, meet, mask;
} ptx_entry;

typedef struct ptx_frame {
    uint32_t entry;  /* the stack entry that the call made: gone when all its lanes returned */
    uint32_t image;  /* function */
    uint32_t caller; /* its frame */
    uint32_t call;   /* the calling operation */
    uint32_t reg, stack, local; /* starts: bytes of the warp's registers, of a thread's memories */
} ptx_frame;

/* WARP_PAUSES: it may be waiting for another CTA, whose turn it is, or has read the clock. */
typedef enum ptx_state { WARP_RUNS, WARP_WAITS, WARP_DONE, WARP_PAUSES } ptx_state;

typedef struct ptx_cta ptx_cta;

struct ptx_warp {
    uint8_t *base[3]; /* PTX_FILE_*: frame, pool, special */
    uint32_t active;  /* lanes the operation at hand is executed for */
    uint32_t carry;   /* condition code, a bit a lane */
    uint32_t live;    /* lanes that have not left */
    uint32_t number;  /* in the CTA */
    const ptx_kernel *kernel;
    ptx_cta *cta;
    ptx_entry *entry;
    uint32_t entries, entry_room;
    ptx_frame *frame;
    uint32_t frames, frame_room;
    uint8_t *registers, *special;
    uint8_t *stack, *local;            /* lane by lane, kernel->stack_bytes and local_bytes each */
    uint32_t frame_stack, frame_local; /* of the running frame */
    ptx_state state;
    uint32_t barrier, barrier_threads; /* while it waits */
    uint32_t barrier_op;
    uint32_t met, seen;       /* races.h: what is earlier is ordered: of this CTA, of all */
    struct sass_split *split; /* of machine code, instead of the stack: sass/control.c */
    uint32_t splits, running;
    uint64_t scratch[LANES * 2];
    uint64_t address[LANES];
};

/* A row of an operation table: opcode without types, rounding, .ftz and .sat; the first type; the
 * registers' bytes, result first ('p': predicate, written as mask). */
typedef struct ptx_row {
    const char *key;
    uint8_t type;
    const char *operands;
    ptx_run run, ftz;
} ptx_row;

extern const ptx_row gmptx_int_rows[], gmptx_float_rows[], gmptx_half_rows[], gmptx_warp_rows[];

/* What comparisons hold of a and b, X(name, expression, ...) each, in the order of their numbers:
 * those of integers, too; the same, and true of what is no number; num, nan. */
#define INTEGER_COMPARISONS(X, ...)                                                                \
    X(eq, a == b, __VA_ARGS__)                                                                     \
    X(ne, a<b || a> b, __VA_ARGS__)                                                                \
    X(lt, a < b, __VA_ARGS__)                                                                      \
    X(le, a <= b, __VA_ARGS__)                                                                     \
    X(gt, a > b, __VA_ARGS__)                                                                      \
    X(ge, a >= b, __VA_ARGS__)
#define EACH_COMPARISON(X, ...)                                                                    \
    INTEGER_COMPARISONS(X, __VA_ARGS__)                                                            \
    X(equ, !(a < b || a > b), __VA_ARGS__)                                                         \
    X(neu, !(a == b), __VA_ARGS__)                                                                 \
    X(ltu, !(a >= b), __VA_ARGS__)                                                                 \
    X(leu, !(a > b), __VA_ARGS__)                                                                  \
    X(gtu, !(a <= b), __VA_ARGS__)                                                                 \
    X(geu, !(a < b), __VA_ARGS__)                                                                  \
    X(num, a == a && b == b, __VA_ARGS__)                                                          \
    X(nan, !(a == a && b == b), __VA_ARGS__)
#define COMPARISON_NUMBER(N, EXPR, ...) COMPARISON_##N,
enum { EACH_COMPARISON(COMPARISON_NUMBER, ) COMPARISONS };
unsigned gmptx_compare_number(ptx_slice name); /* COMPARISONS: it is none */
ptx_compare gmptx_compare_of(ptx_slice name, ptx_type type, bool ftz);
void gmptx_run_setp(ptx_warp *w, const ptx_op *op);
void gmptx_run_set(ptx_warp *w, const ptx_op *op);
void gmptx_run_setp_pair(ptx_warp *w, const ptx_op *op); /* of halves; mode: comparison, */
void gmptx_run_set_pair(ptx_warp *w, const ptx_op *op);  /* mode2: bfloat16 */
void gmptx_run_move(ptx_warp *w, const ptx_op *op);
void gmptx_run_move_frame(ptx_warp *w, const ptx_op *op);
void gmptx_run_move_predicate(ptx_warp *w, const ptx_op *op);
void gmptx_run_pack(ptx_warp *w, const ptx_op *op);
void gmptx_run_unpack(ptx_warp *w, const ptx_op *op);
void gmptx_run_clock(ptx_warp *w, const ptx_op *op);
/* exec_move.c: what a clock shows. The warp's turn ends, since instructions are counted at its end.
 */
uint64_t gmptx_clock(ptx_warp *w);
void gmptx_run_cvt(ptx_warp *w, const ptx_op *op);
ptx_run gmptx_plain_cvt(const ptx_op *op); /* a faster one for its types and modes, or NULL */
void gmptx_run_cvt_tf32(ptx_warp *w, const ptx_op *op);
void gmptx_run_rounded(ptx_warp *w, const ptx_op *op);
void gmptx_run_saturated(ptx_warp *w, const ptx_op *op);
void gmptx_run_cvta_to(ptx_warp *w, const ptx_op *op);
void gmptx_run_cvta_from(ptx_warp *w, const ptx_op *op);
void gmptx_run_isspacep(ptx_warp *w, const ptx_op *op);
void gmptx_run_load(ptx_warp *w, const ptx_op *op);
void gmptx_run_store(ptx_warp *w, const ptx_op *op);
void gmptx_run_atomic(ptx_warp *w, const ptx_op *op);
void gmptx_run_copy_async(ptx_warp *w, const ptx_op *op);
void gmptx_run_copy_commit(ptx_warp *w, const ptx_op *op);
void gmptx_run_prefetch(ptx_warp *w, const ptx_op *op);
/* op->inner, after which others have a turn where all CTAs run at once. */
void gmptx_run_and_pause(ptx_warp *w, const ptx_op *op);
void gmptx_run_sync_warp(ptx_warp *w, const ptx_op *op);
void gmptx_run_nothing(ptx_warp *w, const ptx_op *op);
bool gmptx_print(ptx_warp *w, const ptx_op *op); /* false: no memory */
void gmptx_call_heap(ptx_warp *w, const ptx_op *op);

typedef enum half_op {
    HALF_ADD,
    HALF_SUB,
    HALF_MUL,
    HALF_FMA,
    HALF_FMA_RELU,
    HALF_MIN,
    HALF_MAX,
    HALF_MIN_NAN,
    HALF_MAX_NAN,
    HALF_NEG,
    HALF_ABS,
    HALF_EX2,
    HALF_TANH,
} half_op;
/* Of numbers in f16, or bf16 where `brain`. */
uint16_t gmptx_compute_half(half_op what, bool brain, uint16_t a, uint16_t b, uint16_t c);
float gmptx_half_to_float(uint16_t h);
uint16_t gmptx_double_to_half(double d);
uint16_t gmptx_double_to_bf16(double d);
static inline float bf16_to_float(uint16_t h)
{
    const uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Of .ftz: a subnormal is a zero of its sign. Always inline: files whose floating-point options
 * differ from those that are in force here would call it otherwise. */
__attribute__((always_inline)) static inline float flush(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits = bits & 0x7f800000u ? bits : bits & 0x80000000u;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Ways of rounding, in ptx_op.mode and mode2, and what the C library calls them. */
enum { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };
static inline int direction_of(unsigned way)
{
    static const int directions[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    return directions[way & 3];
}

/* The number where one is NaN; zeros in order of their signs. */
static inline double min64(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}
static inline double max64(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && !signbit(a)) ? a : b;
}

/* ----------------------------------------------------------------------------------- lane loops */

static inline void *lanes_of(const ptx_warp *w, ptx_ref ref)
{
    return w->base[REF_FILE(ref)] + REF_OFFSET(ref);
}
static inline uint32_t *mask_of(const ptx_warp *w, ptx_ref ref)
{
    return (uint32_t *)lanes_of(w, ref);
}

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* some loops stay scalar: slower, not wrong */
#define EACH_LANE                                                                                  \
    _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < LANES; i++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned i = 0; i < LANES; i++)
#endif
#define EACH_ACTIVE(w)                                                                             \
    for (uint32_t rest_ = (w)->active, i = 0; rest_ && (i = (uint32_t)__builtin_ctz(rest_), true); \
         rest_ &= rest_ - 1)

static inline void *result_of(ptx_warp *w, ptx_ref ref)
{
    return w->active == ALL_LANES ? lanes_of(w, ref) : (void *)w->scratch;
}

#define BLEND(T)                                                                                   \
    static inline void blend_##T(const ptx_warp *w, ptx_ref ref)                                   \
    {                                                                                              \
        if (w->active == ALL_LANES)                                                                \
            return;                                                                                \
        T *d = lanes_of(w, ref);                                                                   \
        const T *t = (const T *)(const void *)w->scratch;                                          \
        const uint32_t mask = w->active;                                                           \
        EACH_LANE d[i] = mask >> i & 1 ? t[i] : d[i];                                              \
    }
BLEND(uint16_t)
BLEND(uint32_t)
BLEND(uint64_t)
#define blend_int16_t blend_uint16_t
#define blend_int32_t blend_uint32_t
#define blend_int64_t blend_uint64_t
#define blend_float   blend_uint32_t
#define blend_double  blend_uint64_t

#define RUN1(NAME, D, A, EXPR)                                                                     \
    WIDE static void NAME(ptx_warp *w, const ptx_op *op)                                           \
    {                                                                                              \
        D *d_ = result_of(w, op->r[0]);                                                            \
        const A *a_ = lanes_of(w, op->r[1]);                                                       \
        EACH_LANE                                                                                  \
        {                                                                                          \
            const A a = a_[i];                                                                     \
            d_[i] = (D)(EXPR);                                                                     \
        }                                                                                          \
        blend_##D(w, op->r[0]);                                                                    \
    }
#define RUN2(NAME, D, A, B, EXPR)                                                                  \
    WIDE static void NAME(ptx_warp *w, const ptx_op *op)                                           \
    {                                                                                              \
        D *d_ = result_of(w, op->r[0]);                                                            \
        const A *a_ = lanes_of(w, op->r[1]);                                                       \
        const B *b_ = lanes_of(w, op->r[2]);                                                       \
        EACH_LANE                                                                                  \
        {                                                                                          \
            const A a = a_[i];                                                                     \
            const B b = b_[i];                                                                     \
            d_[i] = (D)(EXPR);                                                                     \
        }                                                                                          \
        blend_##D(w, op->r[0]);                                                                    \
    }
/* The operation of a family that takes which one it is. */
#define RUN_AS(NAME, FAMILY, WHICH)                                                                \
    static void NAME(ptx_warp *w, const ptx_op *op)                                                \
    {                                                                                              \
        FAMILY(w, op, WHICH);                                                                      \
    }
#define RUN3(NAME, D, A, B, C, EXPR)                                                               \
    WIDE static void NAME(ptx_warp *w, const ptx_op *op)                                           \
    {                                                                                              \
        D *d_ = result_of(w, op->r[0]);                                                            \
        const A *a_ = lanes_of(w, op->r[1]);                                                       \
        const B *b_ = lanes_of(w, op->r[2]);                                                       \
        const C *c_ = lanes_of(w, op->r[3]);                                                       \
        EACH_LANE                                                                                  \
        {                                                                                          \
            const A a = a_[i];                                                                     \
            const B b = b_[i];                                                                     \
            const C c = c_[i];                                                                     \
            d_[i] = (D)(EXPR);                                                                     \
        }                                                                                          \
        blend_##D(w, op->r[0]);                                                                    \
    }

/* --------------------------------------------------------------------------------------- faults */

/* Reads outside of memory that were answered all the same: the first of an operation. */
typedef struct ptx_stray {
    uint32_t op, warp, lane, bytes;
    uint64_t address, count;
} ptx_stray;
enum { STRAYS = 16 }; /* operations of a CTA; one more ends the launch */

/* What a CTA under execution shares. cta.c fills it. */
struct ptx_cta {
    const gmptx_launch *launch;
    const ptx_kernel *kernel;
    uint64_t number;
    uint32_t index[3];
    uint8_t *shared;
    uint32_t shared_bytes;
    const uint8_t *params; /* the kernel's parameter block */
    uint64_t instructions, thread_instructions, limit, records;
    struct ptx_sink *sink;   /* NULL: no trace */
    bool together;           /* with all other CTAs */
    bool watched;            /* by one of these: */
    struct ptx_races *races; /* NULL: not watched */
    struct ptx_check *check; /* NULL: the first mistake ends the launch */
    gmptx_fault fault;
    uint32_t fault_op, fault_lane, fault_warp;
    ptx_stray stray[STRAYS];
    uint32_t strays;
    gmtrace_error trace_error;
    char *print; /* what printf wrote so far */
    size_t print_bytes, print_room;
    ptx_warp *warp;
    uint32_t warps;
};

/* fault.c. Notes the first fault; the warp stops after the operation. `lane` may be LANES. */
void gmptx_fault_at(ptx_warp *w, const ptx_op *op, unsigned lane, gmptx_fault_kind kind);
void gmptx_fault_of(ptx_warp *w, uint32_t op, gmptx_fault_kind kind); /* all of the warp's lanes */
const char *gmptx_fault_text(gmptx_fault_kind kind);

/* trace.c: appends a record; with address NULL one without lanes. */
typedef struct ptx_sink ptx_sink;
void gmptx_record(ptx_warp *w, const ptx_op *op, const gmtrace_record *record,
                  const uint64_t *address);
static inline void record_exec(ptx_warp *w, const ptx_op *op, uint32_t mask)
{
    if (!w->cta->sink)
        return;
    const gmtrace_record record = {
        .instr = (uint32_t)(op - w->kernel->op), .mask = mask, .kind = GMTRACE_EXEC};
    gmptx_record(w, op, &record, NULL);
}

/* cta.c */
bool gmptx_open_cta(ptx_cta *cta, const gmptx_launch *launch, const uint8_t *params,
                    uint32_t shared_bytes); /* memory for CTAs of this launch */
void gmptx_close_cta(ptx_cta *cta);
void gmptx_start_cta(ptx_cta *cta, uint64_t number);
bool gmptx_step_cta(ptx_cta *cta);                 /* each warp a while; false: it has ended */
void gmptx_run_cta(ptx_cta *cta, uint64_t number); /* cta->fault says how it went */

/* trace.c: where the records of a CTA go: to the writer, or into memory until it is its turn. */
struct ptx_sink {
    gmtrace_writer *writer;
    bool direct; /* this CTA is the next to be written */
    struct ptx_kept *kept;
    size_t count, room;
    uint64_t *lanes; /* addresses of kept records, 32 each */
    size_t lane_count, lane_room;
};
bool gmptx_sink_flush(ptx_sink *sink, uint64_t cta, gmtrace_error *error);
void gmptx_sink_free(ptx_sink *sink);

/* sass/control.c: the same for machine code. */
void gmsass_run_warp(ptx_warp *w, uint64_t slice);
void gmsass_start_warp(ptx_warp *w);
/* sass/build.c: constants of a launch. */
void gmsass_begin_launch(const gmptx_launch *launch, const uint8_t *params);

/* warp.c: runs until the warp waits, is done, failed, or has executed `slice` operations. */
void gmptx_run_warp(ptx_warp *w, uint64_t slice);

#endif
