/* SPDX-License-Identifier: MIT
 *
 * sass_op.h - one machine instruction as what it means: its name, modifiers and operands as numbers
 * instead of nvdisasm's text. For whoever executes machine code.
 */
#ifndef GMTRACE_SASS_OP_H
#define GMTRACE_SASS_OP_H

#include "traces/gmtrace.h"

/* Names that somebody executes; all others are SASS_OTHER. */
#define SASS_NAMES(X)                                                                              \
    X(ATOM) X(ATOMG) X(ATOMS) X(BAR) X(BMSK) X(BPT) X(BRA) X(BREAK) X(BREV) X(BSSY) X(BSYNC)       \
        X(CALL) X(CCTL) X(CGAERRBAR) X(CS2R) X(DADD) X(DEPBAR) X(DFMA) X(DMUL) X(DSETP)            \
        X(ENDCOLLECTIVE) X(ERRBAR) X(EXIT) X(F2F) X(F2FP) X(F2I) X(FADD) X(FCHK) X(FENCE) X(FFMA)  \
        X(FLO) X(FMNMX) X(FMUL) X(FRND) X(FSEL) X(FSETP) X(FSET) X(HADD2) X(HFMA2) X(HMNMX2)       \
        X(HMUL2) X(HSETP2) X(I2F) X(I2FP) X(IABS) X(IADD3) X(IMAD) X(IMNMX) X(ISETP) X(LD) X(LDC)  \
        X(LDG) X(LDGDEPBAR) X(LDGSTS) X(LDL) X(LDS) X(LEA) X(LOP3) X(MATCH) X(MEMBAR) X(MOV)       \
        X(MUFU) X(NANOSLEEP) X(NOP) X(P2R) X(PLOP3) X(POPC) X(PRMT) X(R2P) X(R2UR) X(RED) X(REDG)  \
        X(REDUX) X(RET) X(S2R) X(S2UR) X(SEL) X(SGXT) X(SHF) X(SHFL) X(ST) X(STG) X(STL) X(STS)    \
        X(UBMSK) X(UBREV) X(UFLO) X(UIADD3) X(UIMAD) X(UISETP) X(ULDC) X(ULEA) X(ULOP3) X(UMOV)    \
        X(UPLOP3) X(UPOPC) X(UPRMT) X(USEL) X(USGXT) X(USHF) X(VABSDIFF) X(VIADD) X(VIADDMNMX)     \
        X(VIMNMX) X(VIMNMX3) X(VOTE) X(VOTEU) X(WARPSYNC) X(YIELD)
typedef enum sass_name {
#define X(NAME) SASS_##NAME,
    SASS_NAMES(X)
#undef X
        SASS_OTHER
} sass_name;

/* Words behind the name, between points; _64 is "64". One that is not here makes the instruction
 * unknown. */
#define SASS_WORDS(X)                                                                              \
    X(_8) X(_16) X(_32) X(_64) X(_128) X(ABS) X(ADD) X(ALL) X(AND) X(ANY) X(BF16) X(BF16_V2)       \
        X(BFLY) X(BYPASS) X(CAS) X(CAST) X(CEIL) X(CLEAR) X(COLLECTIVE) X(CONSTANT) X(CONV)        \
        X(COS) X(CTA) X(D2) X(D4) X(D8) X(DEC) X(DEFER_BLOCKING) X(DIV) X(DOWN) X(E) X(EF) X(EL)   \
        X(EQ) X(EQU) X(EU) X(EX) X(EX2) X(EXCH) X(F) X(F16) X(F32) X(F64) X(FLOOR) X(FTZ) X(GE)    \
        X(GEU) X(GPU) X(GT) X(GTU) X(HI) X(IADD) X(IDX) X(INC) X(IVALL) X(L) X(LE) X(LEU) X(LG2)   \
        X(LT) X(LTC128B) X(LTC256B) X(LTC64B) X(LTU) X(LU) X(LUT) X(M2) X(M4) X(M8) X(MAX) X(MIN)  \
        X(MMA) X(MOV) X(NA) X(NAN) X(NE) X(NEU) X(NOINC) X(NODEC) X(NTZ) X(NUM) X(OR) X(PACK_AB)   \
        X(POPC) X(R) X(RCP) X(RCP64H) X(RED) X(REL) X(RELU) X(RM) X(RN) X(RP) X(RSQ) X(RSQ64H)     \
        X(RZ) X(S16) X(S32) X(S64) X(S8) X(SAT) X(SC) X(SH) X(SHL) X(SIN) X(SM) X(SPIN) X(SQRT)    \
        X(STRONG) X(SUM) X(SX32) X(SYNC) X(SYS) X(T) X(TANH) X(TRAP) X(TRUNC) X(U) X(U16) X(U32)   \
        X(U64) X(U8) X(UP) X(W) X(WEAK) X(WIDE) X(X) X(XOR)
typedef enum sass_word {
#define X(WORD) SASS_WORD_##WORD,
    SASS_WORDS(X)
#undef X
        SASS_WORD_COUNT
} sass_word;

/* Special registers. */
#define SASS_SPECIALS(X)                                                                           \
    X(SRZ)                                                                                         \
    X(SR_TID_X)                                                                                    \
    X(SR_TID_Y) X(SR_TID_Z) X(SR_CTAID_X) X(SR_CTAID_Y) X(SR_CTAID_Z) X(SR_LANEID) X(SR_CgaCtaId)  \
        X(SR_CLOCKLO) X(SR_CLOCKHI) X(SR_VIRTUALSMID) X(SR_VIRTID) X(SR_NTID) X(SR_EQMASK)         \
            X(SR_LEMASK) X(SR_LTMASK) X(SR_GEMASK) X(SR_GTMASK) X(SR_SWINHI) X(SR_GLOBALTIMERLO)   \
                X(SR_GLOBALTIMERHI)
typedef enum sass_special {
#define X(NAME) SASS_##NAME,
    SASS_SPECIALS(X)
#undef X
        SASS_SPECIAL_COUNT
} sass_special;

typedef enum sass_kind {
    SASS_NONE = 0,
    SASS_REG,     /* number; SASS_ZERO: RZ */
    SASS_UREG,    /* the same */
    SASS_PRED,    /* number; 7: PT */
    SASS_UPRED,   /* the same */
    SASS_ALL,     /* PR: all predicates as bits */
    SASS_IMM,     /* value: 32 bits as encoded; of a double the upper half */
    SASS_CONST,   /* c[bank][number + uniform + value] */
    SASS_ADDRESS, /* [number + uniform + value] */
    SASS_SPECIAL, /* value: sass_special */
    SASS_BARRIER, /* number: of a convergence barrier or a scoreboard */
    SASS_LABEL,   /* the instruction's target */
} sass_kind;

typedef enum sass_part { SASS_WHOLE, SASS_LOW, SASS_HIGH } sass_part; /* of two halves */

#define SASS_ZERO 255u

typedef struct sass_operand {
    uint8_t kind;    /* sass_kind */
    uint8_t number;  /* of the register; SASS_ZERO where there is none */
    uint8_t uniform; /* added uniform register; SASS_ZERO where there is none */
    uint8_t bank;    /* of constants */
    uint8_t part;    /* sass_part: R2.H0_H0, R2.H1_H1 */
    uint8_t byte;    /* 1 + which of four: R2.B3; 0: all */
    uint8_t shift;   /* the address register counts 1 << shift bytes: R2.X4 */
    bool wide;       /* the address register is a pair: R2.64 */
    bool narrow;     /* or says that it is none: R2.U32 */
    bool negated;    /* -a, !p */
    bool inverted;   /* ~a */
    bool absolute;   /* |a| */
    int64_t value;
} sass_operand;

#define SASS_OPERANDS 10u

typedef struct sass_op {
    sass_name name;
    uint64_t words[3]; /* bits by sass_word */
    sass_word lead;    /* the first of them, SASS_WORD_COUNT where there is none */
    sass_operand operand[SASS_OPERANDS];
    uint8_t count;
    uint8_t guard; /* predicate; 7: none */
    bool guard_negated, guard_uniform;
} sass_op;

/* False where a part of the text is not known; `op` then says at least the name. */
bool gmt_sass_read(const gmtrace_instr *instr, sass_op *op);

static inline bool sass_has(const sass_op *op, sass_word word)
{
    return op->words[word / 64] >> (word % 64) & 1;
}
/* Has it, and is it hereby dealt with? */
static inline bool sass_take(sass_op *op, sass_word word)
{
    const bool has = sass_has(op, word);
    op->words[word / 64] &= ~(UINT64_C(1) << (word % 64));
    return has;
}

#endif
