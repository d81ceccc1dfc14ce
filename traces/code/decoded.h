/* SPDX-License-Identifier: MIT
 *
 * decoded.h - an instruction, decoded once: what carries it out, what record it makes, what a model
 * must know of it beyond class, space and width. Part of libgmtrace, and the only place where the
 * text of an opcode is looked at: SASS as nvdisasm and Accel-Sim write it, PTX as traces/ptx does.
 */
#ifndef GMTRACE_DECODED_H
#define GMTRACE_DECODED_H

#include "traces/gmtrace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What carries an instruction out: instructions of one unit cost the same. The costs are the GPU's
 * ([pipe] of its .ini). */
typedef enum gmtrace_unit {
    GMTRACE_UNIT_OTHER =
        0, /* issued, no more: control flow; memory, whose time follows from addresses */
    GMTRACE_UNIT_FP32,     /* FFMA FADD FMUL */
    GMTRACE_UNIT_FP16,     /* HFMA2 HADD2 HMUL2 */
    GMTRACE_UNIT_FP16_MMA, /* HFMA2.MMA, by which compilers also load constants */
    GMTRACE_UNIT_FP64,
    GMTRACE_UNIT_IMAD,
    GMTRACE_UNIT_IMAD_WIDE,   /* 64-bit result, or its upper half */
    GMTRACE_UNIT_ALU,         /* integer add, logic, shift, select, compare, minimum */
    GMTRACE_UNIT_SFU,         /* MUFU */
    GMTRACE_UNIT_CHECK,       /* FCHK, before a division */
    GMTRACE_UNIT_CONVERT,     /* to integer, to another width of float, to an integral float */
    GMTRACE_UNIT_CONVERT64,   /* the same from or to 64 bits */
    GMTRACE_UNIT_BITS,        /* POPC FLO BREV */
    GMTRACE_UNIT_TENSOR,      /* half floats into floats, m16n8k16 */
    GMTRACE_UNIT_TENSOR_F16,  /* half floats into half floats, m16n8k16 */
    GMTRACE_UNIT_TENSOR_TF32, /* m16n8k8 */
    GMTRACE_UNIT_TENSOR_INT8, /* and 8-bit floats, m16n8k32 */
    GMTRACE_UNIT_TENSOR_FP64, /* m8n8k4 */
    GMTRACE_UNIT_WGMMA,       /* m64n64, 32 bytes deep */
    GMTRACE_UNIT_SHUFFLE,
    GMTRACE_UNIT_VOTE,
    GMTRACE_UNIT_MATCH_ANY,
    GMTRACE_UNIT_MATCH_ALL, /* and MATCH.ANY of a mask that all lanes share */
    GMTRACE_UNIT_REDUX,
    GMTRACE_UNIT_LDC,
    GMTRACE_UNIT_ULDC,
    GMTRACE_UNIT_S2R,
    GMTRACE_UNIT_S2UR,
    GMTRACE_UNIT_CS2R, /* and R2UR */
    GMTRACE_UNIT_B2R,  /* what a barrier found out */
    GMTRACE_UNIT_UNIFORM,
    GMTRACE_UNIT_MEMBAR, /* of the GPU */
    GMTRACE_UNIT_MEMBAR_CTA,
    GMTRACE_UNIT_MEMBAR_SYS,
    GMTRACE_UNIT_RECONVERGE, /* BSYNC */
    GMTRACE_UNIT_RETURN,
    GMTRACE_UNIT_JUMP, /* BRX: to one of several places */
    GMTRACE_UNITS
} gmtrace_unit;

typedef enum gmtrace_atomic {
    GMTRACE_ATOMIC_PLAIN = 0,
    GMTRACE_ATOMIC_COUNT, /* adds one and returns nothing: lanes on one word are counted together */
    GMTRACE_ATOMIC_CAST,  /* ATOMS.CAST.SPIN: a try of a loop that stands for an atomic */
    GMTRACE_ATOMIC_CAS,
} gmtrace_atomic;

/* Whether lanes have different results. */
typedef enum gmtrace_lanes {
    GMTRACE_LANES_AS_GIVEN = 0, /* where its operands differ */
    GMTRACE_LANES_DIFFER,       /* a thread's number, what is loaded, shuffled ... */
    GMTRACE_LANES_AGREE,        /* a number shifted right by five or more */
} gmtrace_lanes;

typedef struct gmtrace_decoded {
    uint8_t op_class; /* gmtrace_class and */
    uint8_t space;    /* gmtrace_space as the opcode says; those of the table where it is no SASS */
    uint8_t unit;     /* gmtrace_unit */
    uint8_t sixteenths; /* of a tensor instruction's work, against the shape its unit names */
    uint8_t atomic;     /* gmtrace_atomic */
    uint8_t kind;       /* gmtrace_kind of the record that it makes */
    uint8_t op;         /* gmtrace_op of that record, of bulk copies */
    uint8_t mbarrier;   /* gmtrace_mbarrier of that record, or 0 */
    uint8_t unseen;     /* GMTRACE_UNSEEN_*: what it does that some captures cannot see */
    uint8_t lanes;      /* gmtrace_lanes: of its result */
    bool adds_floats;
    bool empties_l1;     /* CCTL.IVALL: its SM's L1, whole */
    bool fills_zeros;    /* LDGSTS.ZFILL: a copy of part of its bytes, zeros behind them */
    bool whole_lines;    /* LTC128B, LTC256B: L2 shall bring whole lines */
    bool arrives_only;   /* BAR.ARV: does not wait */
    bool lets_others;    /* PREEXIT: launches that depend on this one may begin */
    bool closes_group;   /* of a warpgroup MMA: the last of its group */
    uint8_t groups_left; /* WARPGROUP.DEPBAR: waits until less than so many groups are under way;
                          * else 0 */
    uint32_t sleeps;     /* NANOSLEEP: nanoseconds, if the code has the number; else 0 */
    uint8_t addresses;   /* that the lanes of a load of constants ask for; else 1 */
    uint8_t reads[2];    /* registers of even and of odd number that arithmetic reads */
    /* Of arithmetic on words whose results come after a fixed time, but not of 64 bits: */
    uint8_t source[3], sources; /* registers that it reads, `sources` of them */
    uint8_t result, results;    /* the register that it writes, if `results` is 1 */
    bool writes_late; /* DFMA and the like, HFMA2.MMA: the result comes after that of others */
} gmtrace_decoded;

/* From opcode and operands alone; `addresses`, and what it reads and writes, need the code around
 * it and stay 0. */
gmtrace_decoded gmtrace_decode(const gmtrace_instr *instr);
/* The whole table, into kernel->instr_count records. `lanes`: of a warp, fewer than
 * GMTRACE_WARP_LANES where its CTAs have fewer threads. */
void gmtrace_decode_kernel(const gmtrace_kernel *kernel, uint32_t lanes, gmtrace_decoded *decoded);
/* Whether lanes access memory at addresses of their own: loads, stores, atomics, reductions and
 * asynchronous copies by class, but of constants. */
bool gmtrace_accesses_by_lane(const gmtrace_instr *instr);
/* Whether the opcode is SASS's, not PTX's. */
bool gmtrace_is_sass(const gmtrace_instr *instr);

#ifdef __cplusplus
}
#endif

#endif
