/* SPDX-License-Identifier: MIT
 *
 * image.h - a kernel ready to run: a flat array of operations, one a PTX statement, of the kernel
 * and every function it may call. Operands are places in register files: a register is an array
 * of 32 lanes, a predicate a mask of 32 bits.
 */
#ifndef GMPTX_IMAGE_H
#define GMPTX_IMAGE_H

#include "traces/code/graph.h"
#include "traces/ptx/module.h"

typedef struct ptx_warp ptx_warp;
typedef struct ptx_op ptx_op;
typedef void (*ptx_run)(ptx_warp *warp, const ptx_op *op);
typedef uint32_t (*ptx_compare)(const ptx_warp *warp, const ptx_op *op); /* bits of all lanes */

/* A place: file in the two top bits, byte offset below. While a function is being decoded
 * PTX_FILE_VIRTUAL with the register's number; liveness.c replaces it. */
typedef uint32_t ptx_ref;
enum { PTX_FILE_FRAME = 0, PTX_FILE_POOL, PTX_FILE_SPECIAL, PTX_FILE_VIRTUAL };
#define REF(file, offset) ((ptx_ref)((uint32_t)(file) << 30 | (uint32_t)(offset)))
#define REF_FILE(ref)     ((ref) >> 30)
#define REF_OFFSET(ref)   ((ref)&0x3fffffffu)
#define REF_NONE          UINT32_MAX

#define PTX_UNIT          128u /* bytes of a 32-bit register's lanes */
#define PTX_SPECIAL_BYTES 256u /* of a special register's lanes */
#define PTX_MAX_REFS      8u

typedef enum ptx_control {
    CONTROL_NONE = 0, /* `run` does all */
    CONTROL_MEMORY,   /* `run` makes its own records, and may fail */
    CONTROL_BRANCH,
    CONTROL_BRANCH_RETURN, /* a branch to nothing but ret: lanes that take it leave */
    CONTROL_BRANCH_INDEX,
    CONTROL_CALL,
    CONTROL_CALL_INDIRECT,
    CONTROL_CALL_PRINT,
    CONTROL_CALL_MALLOC,
    CONTROL_CALL_FREE,
    CONTROL_CALL_ASSERT,
    CONTROL_RETURN,
    CONTROL_EXIT,
    CONTROL_TRAP,
    CONTROL_BARRIER,
} ptx_control;

typedef enum ptx_atomic {
    ATOMIC_ADD,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_EXCH,
    ATOMIC_CAS,
} ptx_atomic;

typedef struct ptx_slot {
    uint32_t offset, size; /* in a frame's parameter memory */
} ptx_slot;

typedef struct ptx_call {
    uint32_t argument_count, result_count;
    ptx_slot *argument; /* arguments, then results */
} ptx_call;

struct ptx_op {
    ptx_run run;
    ptx_run inner;           /* of a wrapper: saturation, rounding */
    ptx_compare compare;     /* setp, set */
    ptx_ref r[PTX_MAX_REFS]; /* what is written first */
    ptx_ref guard, address;
    int64_t offset;        /* added to the address; value of mov of a frame's variable */
    uint32_t target;       /* operation; image function of a call */
    uint32_t reconverge;   /* operation where lanes that part here meet, PTX_UNKNOWN: nowhere */
    uint32_t first, count; /* BRANCH_INDEX: targets; CALL: index of its ptx_call */
    uint32_t imm;          /* lop3's table, shuffle mode ... */
    uint8_t control;       /* ptx_control */
    uint8_t guard_negated;
    uint8_t writes;      /* how many of r[] are written */
    uint8_t refs;        /* how many of r[] are used */
    uint8_t type, type2; /* ptx_type: of the operation, of cvt's source */
    uint8_t width[2];    /* bytes of the registers of a move's two sides */
    uint8_t space;       /* ptx_space */
    uint8_t vector;      /* elements of a memory access */
    uint8_t narrow;      /* the address register has 32 bits */
    uint8_t in_frame;    /* the address counts from the frame's start */
    uint8_t mode, mode2; /* by instruction: rounding, atomic, boolean operator ... */
    uint8_t flags;       /* PTX_FLAG_* */
    uint8_t wide;        /* too many references for r[]: they are kernel->wide from `first` on */
    uint8_t op_class, cache, bypass_l1, trace_space; /* for the instruction table */
};

enum {
    PTX_FLAG_SATURATE = 1,
    PTX_FLAG_NEGATED = 2, /* a predicate operand is !p */
    PTX_FLAG_FTZ = 4,
    PTX_FLAG_RETURNS = 8, /* atom, not red */
    PTX_FLAG_COUNTS = 16, /* adds one in shared memory, and nobody reads the result */
};

/* One function of an image. */
typedef struct ptx_image_function {
    uint32_t function;     /* of the module */
    uint32_t first, count; /* operations */
    uint32_t frame_bytes;  /* registers of all lanes: predicates, then the others */
    uint32_t predicate_bytes;
    uint32_t stack_bytes; /* parameter memory of a thread: formals, results, call sites */
    uint32_t local_bytes; /* local memory of a thread */
    uint32_t registers;   /* 32-bit registers live at once */
    ptx_slot *param;      /* parameters, then results */
} ptx_image_function;

struct ptx_kernel {
    gmptx_kernel info; /* first: the public pointer is this one's */
    gmptx_module *module;
    uint32_t function; /* of the module */
    ptx_op *op;
    uint32_t op_count;
    uint32_t *op_function; /* image function of each operation */
    ptx_image_function *image;
    uint32_t image_count;
    uint32_t *image_of; /* by module function, PTX_UNKNOWN: not part of the image */
    uint32_t *target;   /* of brx.idx */
    uint32_t target_count;
    ptx_call *call;
    uint32_t call_count;
    ptx_ref *wide; /* of instructions with many registers */
    uint32_t wide_count;
    struct ptx_tensor *tensor; /* tensor.h: of op->imm */
    uint32_t tensor_count;
    uint8_t *pool; /* constants, spread over lanes */
    uint32_t pool_bytes;
    uint64_t *shared_offset; /* by module variable, UINT64_MAX: not used */
    uint32_t static_bytes;   /* of shared memory, with what lies between variables */
    uint32_t dynamic_start;
    uint64_t register_bytes, stack_bytes, local_bytes; /* of a warp, a thread, a thread */
    bool
        order_matters; /* of CTAs: atomics on global memory, volatile and otherwise ordered loads */
    bool recursive;
    struct sass_kernel *sass; /* machine code; NULL: PTX */
};

/* The references of an operation, op->refs of them. */
static inline ptx_ref *gmptx_refs(const ptx_kernel *kernel, const ptx_op *op)
{
    return op->wide ? kernel->wide + op->first : (ptx_ref *)op->r;
}

/* image.c */
ptx_kernel *gmptx_make_kernel(gmptx_module *module, uint32_t function, gmtrace_error *error);
void gmptx_free_kernel(ptx_kernel *kernel);

static inline const ptx_kernel *kernel_of(const gmptx_kernel *kernel)
{
    return (const ptx_kernel *)(const void *)kernel;
}

/* The statement an operation was made from; NULL for the return added at a function's end, and for
 * machine code. */
static inline const ptx_statement *gmptx_statement_of(const ptx_kernel *kernel, uint32_t op)
{
    const ptx_image_function *image = &kernel->image[kernel->op_function[op]];
    const ptx_function *f = &kernel->module->function[image->function];
    const uint32_t at = op - image->first;
    return !kernel->sass && at < f->statement_count ? &f->statement[at] : NULL;
}

/* cfg.c: the control flow of operations [first, first + count), whose numbers in it count from
 * `first`. The graph is to be freed in any case. */
bool gmptx_build_graph(const ptx_kernel *kernel, uint32_t first, uint32_t count, gmt_graph *graph);
/* Sets `reconverge` of the operations. */
bool gmptx_find_reconvergence(ptx_kernel *kernel, uint32_t first, const gmt_graph *graph);

/* liveness.c: gives virtual registers their places; fills frame_bytes and registers. */
bool gmptx_place_registers(ptx_kernel *kernel, ptx_image_function *image, const gmt_graph *graph,
                           const ptx_function *function, gmtrace_error *error);

/* decode.c: one statement to one operation, virtual registers in its refs. */
typedef struct ptx_decoder {
    ptx_kernel *kernel;
    const gmptx_module *module;
    const ptx_function *function;
    ptx_image_function *image;
    const ptx_statement *statement;
    gmtrace_error *error;
    uint32_t *pool_slot; /* hash of pool entries by value: offset / 64 + 1 */
    uint32_t pool_slots, pool_count;
} ptx_decoder;
bool gmptx_decode(ptx_decoder *d, ptx_op *op);

#endif
