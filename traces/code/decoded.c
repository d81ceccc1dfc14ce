/* SPDX-License-Identifier: MIT
 *
 * decoded.c - one table of SASS names, compute capability 7.0 to 10.x, and the modifiers that make
 * a difference; an unknown name is GMTRACE_CLASS_OTHER and does no harm. PTX is decoded_ptx.c's.
 */
#include "traces/code/decoded_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct rule {
    const char *name; /* the opcode up to its first dot; a * matches any rest */
    uint8_t op_class, space, unit;
} rule;

#define RULE(name, c, s, u)                                                                        \
    {                                                                                              \
        name, GMTRACE_CLASS_##c, GMTRACE_SPACE_##s, GMTRACE_UNIT_##u                               \
    }

/* The first match holds. */
static const rule rules[] = {
    RULE("LDG", LOAD, GLOBAL, OTHER),
    RULE("STG", STORE, GLOBAL, OTHER),
    RULE("LDS", LOAD, SHARED, OTHER),
    RULE("STS", STORE, SHARED, OTHER),
    RULE("LDL", LOAD, LOCAL, OTHER),
    RULE("STL", STORE, LOCAL, OTHER),
    RULE("LD", LOAD, GENERIC, OTHER),
    RULE("ST", STORE, GENERIC, OTHER),
    RULE("LDC", LOAD, CONSTANT, LDC),
    RULE("LDCU", UNIFORM, CONSTANT, ULDC),
    RULE("ULDC", UNIFORM, CONSTANT, ULDC),
    RULE("LDSM", LOAD, SHARED, OTHER),
    RULE("STSM", STORE, SHARED, OTHER),
    RULE("STAS", STORE, REMOTE_SHARED, OTHER),
    RULE("REDAS", REDUCTION, REMOTE_SHARED, OTHER),
    RULE("ATOMG", ATOMIC, GLOBAL, OTHER),
    RULE("ATOMS", ATOMIC, SHARED, OTHER),
    RULE("ATOM", ATOMIC, GENERIC, OTHER),
    RULE("REDG", REDUCTION, GLOBAL, OTHER),
    RULE("REDS", REDUCTION, SHARED, OTHER),
    RULE("RED", REDUCTION, GLOBAL, OTHER),
    RULE("UREDG*", REDUCTION, GLOBAL, UNIFORM),
    RULE("LDGSTS", COPY_ASYNC, GLOBAL, OTHER),
    RULE("LDGDEPBAR", FENCE, NONE, OTHER),
    RULE("UTMACMDFLUSH", FENCE, NONE, UNIFORM),
    RULE("UBLK*", BULK, GLOBAL, UNIFORM),
    RULE("UTMA*", BULK, GLOBAL, UNIFORM),
    RULE("UCGABAR*", BARRIER, NONE, UNIFORM),
    RULE("BAR", BARRIER, NONE, OTHER),
    RULE("ARRIVES", BARRIER, SHARED, OTHER),
    RULE("SYNCS", BARRIER, SHARED, OTHER),
    RULE("USYNCS", BARRIER, SHARED, UNIFORM),
    RULE("MEMBAR", FENCE, NONE, MEMBAR),
    RULE("FENCE", FENCE, NONE, OTHER),
    RULE("CCTL", FENCE, GLOBAL, OTHER),
    RULE("CCTL*", FENCE, NONE, OTHER),
    RULE("UCCTL", FENCE, GLOBAL, UNIFORM),
    RULE("DEPBAR", FENCE, NONE, OTHER),
    RULE("ERRBAR", FENCE, NONE, OTHER),
    RULE("CGAERRBAR", FENCE, NONE, OTHER),
    RULE("WARPGROUP", FENCE, NONE, OTHER),
    RULE("BRA", BRANCH, NONE, OTHER),
    RULE("BRX*", BRANCH, NONE, JUMP),
    RULE("JMP", BRANCH, NONE, OTHER),
    RULE("JMX*", BRANCH, NONE, OTHER),
    RULE("CALL", CALL, NONE, OTHER),
    RULE("RET", RETURN, NONE, RETURN),
    RULE("EXIT", EXIT, NONE, OTHER),
    RULE("KILL", EXIT, NONE, OTHER),
    RULE("BSSY", RECONVERGE, NONE, OTHER),
    RULE("BSYNC", RECONVERGE, NONE, RECONVERGE),
    RULE("BREAK", RECONVERGE, NONE, OTHER),
    RULE("BMOV", RECONVERGE, NONE, OTHER),
    RULE("WARPSYNC", RECONVERGE, NONE, OTHER),
    RULE("YIELD", RECONVERGE, NONE, OTHER),
    RULE("HMMA", TENSOR, NONE, TENSOR),
    RULE("IMMA", TENSOR, NONE, TENSOR_INT8),
    RULE("BMMA", TENSOR, NONE, TENSOR_INT8),
    RULE("DMMA", TENSOR, NONE, TENSOR_FP64),
    RULE("QMMA", TENSOR, NONE, TENSOR_INT8),
    RULE("OMMA", TENSOR, NONE, TENSOR_INT8),
    RULE("HGMMA", TENSOR, SHARED, WGMMA),
    RULE("IGMMA", TENSOR, SHARED, WGMMA),
    RULE("BGMMA", TENSOR, SHARED, WGMMA),
    RULE("QGMMA", TENSOR, SHARED, WGMMA),
    RULE("UTC*MMA", TENSOR, SHARED, UNIFORM),
    RULE("TEX", TEXTURE, NONE, OTHER),
    RULE("TLD*", TEXTURE, NONE, OTHER),
    RULE("TMML", TEXTURE, NONE, OTHER),
    RULE("TXD", TEXTURE, NONE, OTHER),
    RULE("TXQ", TEXTURE, NONE, OTHER),
    RULE("SULD", TEXTURE, NONE, OTHER),
    RULE("SUST", TEXTURE, NONE, OTHER),
    RULE("SUATOM", TEXTURE, NONE, OTHER),
    RULE("SURED", TEXTURE, NONE, OTHER),
    RULE("SUQUERY", TEXTURE, NONE, OTHER),
    RULE("SHFL", SHUFFLE, NONE, SHUFFLE),
    RULE("VOTEU", SHUFFLE, NONE, UNIFORM),
    RULE("VOTE*", SHUFFLE, NONE, VOTE),
    RULE("MATCH", SHUFFLE, NONE, MATCH_ANY),
    RULE("REDUX", SHUFFLE, NONE, REDUX),
    RULE("CREDUX", SHUFFLE, NONE, SHUFFLE),
    RULE("ELECT", SHUFFLE, NONE, SHUFFLE),
    RULE("MUFU", SPECIAL, NONE, SFU),
    RULE("I2FP", INT, NONE, ALU),
    RULE("I2F*", SPECIAL, NONE, CONVERT),
    RULE("F2I*", SPECIAL, NONE, CONVERT),
    RULE("F2FP", FP16, NONE, ALU),
    RULE("F2F", SPECIAL, NONE, CONVERT),
    RULE("I2I", SPECIAL, NONE, CONVERT),
    RULE("FRND", SPECIAL, NONE, CONVERT),
    RULE("POPC", SPECIAL, NONE, BITS),
    RULE("FLO", SPECIAL, NONE, BITS),
    RULE("BREV", SPECIAL, NONE, BITS),
    RULE("DADD", FP64, NONE, FP64),
    RULE("DMUL", FP64, NONE, FP64),
    RULE("DFMA", FP64, NONE, FP64),
    RULE("DSET*", FP64, NONE, FP64),
    RULE("DMNMX", FP64, NONE, FP64),
    RULE("HADD2*", FP16, NONE, FP16),
    RULE("HMUL2*", FP16, NONE, FP16),
    RULE("HFMA2*", FP16, NONE, FP16),
    RULE("HSET*", FP16, NONE, ALU),
    RULE("HMNMX2", FP16, NONE, ALU),
    RULE("FADD*", FP32, NONE, FP32),
    RULE("FMUL*", FP32, NONE, FP32),
    RULE("FFMA*", FP32, NONE, FP32),
    RULE("FMNMX*", FP32, NONE, ALU),
    RULE("FSEL", FP32, NONE, ALU),
    RULE("FSET*", FP32, NONE, ALU),
    RULE("FCHK", FP32, NONE, CHECK),
    RULE("FSWZADD", FP32, NONE, ALU),
    RULE("S2R", OTHER, NONE, S2R),
    RULE("CS2R*", OTHER, NONE, CS2R),
    RULE("B2R", OTHER, NONE, B2R),
    RULE("R2UR", UNIFORM, NONE, CS2R),
    RULE("S2UR", UNIFORM, NONE, S2UR),
    RULE("U*", UNIFORM, NONE, UNIFORM),
    RULE("IADD*", INT, NONE, ALU),
    RULE("IMAD*", INT, NONE, IMAD),
    RULE("IMUL*", INT, NONE, IMAD),
    RULE("IMNMX*", INT, NONE, ALU),
    RULE("ISETP", INT, NONE, ALU),
    RULE("ISET", INT, NONE, ALU),
    RULE("ISCADD", INT, NONE, ALU),
    RULE("IABS", INT, NONE, ALU),
    RULE("IDP*", INT, NONE, IMAD),
    RULE("VIADD*", INT, NONE, IMAD),
    RULE("VIMNMX*", INT, NONE, ALU),
    RULE("VABSDIFF*", INT, NONE, ALU),
    RULE("VHMNMX", INT, NONE, ALU),
    RULE("LOP*", INT, NONE, ALU),
    RULE("PLOP3", INT, NONE, ALU),
    RULE("LEA", INT, NONE, ALU),
    RULE("SHF", INT, NONE, ALU),
    RULE("SHL", INT, NONE, ALU),
    RULE("SHR", INT, NONE, ALU),
    RULE("SGXT", INT, NONE, ALU),
    RULE("BMSK", INT, NONE, ALU),
    RULE("PRMT", INT, NONE, ALU),
    RULE("SEL", INT, NONE, ALU),
    RULE("MOV*", INT, NONE, ALU),
    RULE("P2R", INT, NONE, ALU),
    RULE("R2P", INT, NONE, ALU),
};

static const rule other = RULE("*", OTHER, NONE, OTHER);

static const rule *find(const char *opcode)
{
    const size_t length = strcspn(opcode, ".");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((rules[i].name[0] == *opcode || rules[i].name[0] == '*') &&
            gmt_matches(rules[i].name, opcode, length))
            return &rules[i];
    return &other;
}

/* -------------------------------------------------------------------------------- what it costs */

/* "16816": m16n8k16, "1688": m16n8k8, "884": m8n8k4. 0: no such shape. */
static unsigned products(const char *opcode)
{
    const char *dot = strchr(opcode, '.');
    if (dot && strncmp(dot + 1, "SP.", 3) == 0)
        dot += 3; /* half of the products it names are zero */
    if (!dot || dot[1] < '0' || dot[1] > '9')
        return 0;
    const unsigned rows = strncmp(dot + 1, "16", 2) == 0 ? 16 : 8;
    const char *depth = dot + (rows == 16 ? 4 : 3);
    return rows * 8u * (unsigned)strtoul(depth, NULL, 10);
}

static void set_tensor(gmtrace_decoded *d, const char *opcode)
{
    unsigned whole = 2048, made = products(opcode);
    const bool sparse = gmt_has_modifier(opcode, "SP");
    if (d->unit == GMTRACE_UNIT_TENSOR) {
        if (gmt_has_modifier(opcode, "TF32")) {
            d->unit = GMTRACE_UNIT_TENSOR_TF32;
            whole = 1024;
        } else if (!gmt_has_modifier(opcode, "F32")) {
            d->unit = GMTRACE_UNIT_TENSOR_F16;
        }
        /* Volta's come in steps, four that make 8 x 8 x 4 for each quarter of a warp. */
        if (strstr(opcode, ".STEP"))
            made = d->unit == GMTRACE_UNIT_TENSOR ? made : 2 * made;
    } else if (d->unit == GMTRACE_UNIT_TENSOR_INT8) {
        whole = gmt_matches("BMMA*", opcode, strlen(opcode))                       ? 32768
                : gmt_has_modifier(opcode, "S4") || gmt_has_modifier(opcode, "U4") ? 8192
                                                                                   : 4096;
    } else if (d->unit == GMTRACE_UNIT_TENSOR_FP64) {
        return; /* DMMA.8x8x4; the larger shapes are several of them */
    }
    if (d->unit == GMTRACE_UNIT_WGMMA) { /* 64x128x16: as deep as 32 bytes, whatever the type */
        const char *columns = strstr(opcode, ".64x");
        made = columns ? (unsigned)strtoul(columns + 4, NULL, 10) : 0;
        d->sixteenths = (uint8_t)(made && made <= 256 ? 16u * made / 64u : 16u);
        return;
    }
    if (made)
        d->sixteenths = (uint8_t)(16u * made / whole / (sparse ? 2u : 1u));
}

static void set_unit(gmtrace_decoded *d, const char *opcode)
{
    static const char *const long_types[] = {"F64", "S64", "U64"};
    switch ((gmtrace_unit)d->unit) {
    case GMTRACE_UNIT_FP16:
        if (gmt_has_modifier(opcode, "MMA"))
            d->unit = GMTRACE_UNIT_FP16_MMA;
        return;
    case GMTRACE_UNIT_IMAD:
        if (gmt_has_modifier(opcode, "WIDE") || gmt_has_modifier(opcode, "HI"))
            d->unit = GMTRACE_UNIT_IMAD_WIDE;
        return;
    case GMTRACE_UNIT_CONVERT:
        for (size_t i = 0; i < sizeof long_types / sizeof *long_types; i++)
            if (gmt_has_modifier(opcode, long_types[i]))
                d->unit = GMTRACE_UNIT_CONVERT64;
        return;
    case GMTRACE_UNIT_MATCH_ANY:
        if (gmt_has_modifier(opcode, "ALL"))
            d->unit = GMTRACE_UNIT_MATCH_ALL;
        return;
    case GMTRACE_UNIT_MEMBAR:
        if (gmt_has_modifier(opcode, "CTA"))
            d->unit = GMTRACE_UNIT_MEMBAR_CTA;
        else if (gmt_has_modifier(opcode, "SYS"))
            d->unit = GMTRACE_UNIT_MEMBAR_SYS;
        return;
    case GMTRACE_UNIT_TENSOR:
    case GMTRACE_UNIT_TENSOR_INT8:
    case GMTRACE_UNIT_TENSOR_FP64:
    case GMTRACE_UNIT_WGMMA:
        set_tensor(d, opcode);
        return;
    default:
        return;
    }
}

/* ----------------------------------------------------------------------------- what it does */

static bool is(const char *opcode, const char *pattern)
{
    return gmt_matches(pattern, opcode, strcspn(opcode, "."));
}

/* Of the classes that touch memory; the types of PTX are in lower case. */
static void set_atomic(gmtrace_decoded *d, const char *opcode)
{
    static const char *const types[] = {".F16", ".BF16", ".F32", ".F64",
                                        ".f16", ".bf16", ".f32", ".f64"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        d->adds_floats |= strstr(opcode, types[i]) != NULL;
    d->atomic = strstr(opcode, ".POPC.INC")                                 ? GMTRACE_ATOMIC_COUNT
                : strstr(opcode, ".CAST")                                   ? GMTRACE_ATOMIC_CAST
                : strstr(opcode, ".CAS") || gmt_has_modifier(opcode, "cas") ? GMTRACE_ATOMIC_CAS
                                                                            : GMTRACE_ATOMIC_PLAIN;
}

/* UBLKCP.S.G: to shared from global; two shared sides are within a cluster. */
static void set_bulk(gmtrace_decoded *d, const char *opcode)
{
    const bool block = is(opcode, "UBLK*");
    if (block && gmt_has_modifier(opcode, "S") && !gmt_has_modifier(opcode, "G"))
        d->space = GMTRACE_SPACE_REMOTE_SHARED;
    d->kind = GMTRACE_BULK;
    if (is(opcode, "UTMAPF") || is(opcode, "UBLKPF"))
        d->op = GMTRACE_OP_PREFETCH;
    else if (is(opcode, "UTMAREDG") || is(opcode, "UBLKRED"))
        d->op = GMTRACE_OP_BULK_REDUCE;
    else if (is(opcode, "UTMASTG") || (is(opcode, "UBLKCP") && strstr(opcode, ".G.S")))
        d->op = GMTRACE_OP_BULK_STORE;
    else if (is(opcode, "UTMALDG") || is(opcode, "UBLKCP"))
        d->op =
            d->space == GMTRACE_SPACE_REMOTE_SHARED ? GMTRACE_OP_BULK_COPY : GMTRACE_OP_BULK_LOAD;
    else
        d->kind = GMTRACE_EXEC; /* UTMACCTL and the like copy nothing */
    if (!block && d->kind == GMTRACE_BULK && d->op != GMTRACE_OP_PREFETCH)
        d->unseen |= GMTRACE_UNSEEN_TENSOR_COPY;
}

/* SYNCS.EXCH, SYNCS.ARRIVE.TRANS64, SYNCS.PHASECHK.TRANS64.TRYWAIT, SYNCS.CCTL.IV */
static void set_mbarrier(gmtrace_decoded *d, const char *opcode)
{
    d->mbarrier = strstr(opcode, ".ARRIVE") ? GMTRACE_MBARRIER_ARRIVE
                  : strstr(opcode, ".PHASECHK") || strstr(opcode, ".TRYWAIT")
                      ? GMTRACE_MBARRIER_WAIT
                  : strstr(opcode, ".EXCH") ? GMTRACE_MBARRIER_INIT
                  : strstr(opcode, ".CCTL") ? GMTRACE_MBARRIER_INVALIDATE
                                            : 0;
    if (d->mbarrier)
        d->kind = GMTRACE_MBARRIER;
}

static void set_kind(gmtrace_decoded *d, const char *opcode, const char *operands)
{
    switch ((gmtrace_class)d->op_class) {
    case GMTRACE_CLASS_COPY_ASYNC:
        d->fills_zeros = gmt_has_modifier(opcode, "ZFILL");
        d->kind = GMTRACE_ACCESS;
        return;
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_STORE:
        d->kind = GMTRACE_ACCESS;
        return;
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
        d->kind = GMTRACE_ACCESS;
        set_atomic(d, opcode);
        return;
    case GMTRACE_CLASS_BULK:
        set_bulk(d, opcode);
        return;
    case GMTRACE_CLASS_BARRIER:
        d->arrives_only = is(opcode, "BAR") && gmt_has_modifier(opcode, "ARV");
        if (is(opcode, "BAR"))
            d->kind = GMTRACE_BARRIER;
        else if (is(opcode, "UCGABAR_ARV"))
            d->kind = GMTRACE_CLUSTER_ARRIVE;
        else if (is(opcode, "UCGABAR_WAIT"))
            d->kind = GMTRACE_CLUSTER_WAIT;
        else
            set_mbarrier(d, opcode);
        return;
    case GMTRACE_CLASS_FENCE:
        if (is(opcode, "LDGDEPBAR"))
            d->kind = GMTRACE_COPY_COMMIT;
        else if (is(opcode, "DEPBAR"))
            d->kind = GMTRACE_COPY_WAIT;
        else if (strncmp(opcode, "WARPGROUP.DEPBAR", 16) == 0 && (operands = strchr(operands, ',')))
            d->groups_left = (uint8_t)(1u + (strtoul(operands + 1, NULL, 16) & 7u));
        d->empties_l1 = strncmp(opcode, "CCTL.IVALL", 10) == 0;
        return;
    case GMTRACE_CLASS_TENSOR:
        if (is(opcode, "*GMMA")) {
            d->kind = GMTRACE_WGMMA;
            d->unseen |= GMTRACE_UNSEEN_WGMMA;
            d->closes_group = strstr(operands, "gsb") != NULL;
        }
        return;
    case GMTRACE_CLASS_TEXTURE:
        d->unseen |= *opcode == 'S' ? GMTRACE_UNSEEN_SURFACE : GMTRACE_UNSEEN_TEXTURE;
        return;
    default:
        return;
    }
}

/* Reads of constant memory other than plain parameters: an index register, or a bank that holds
 * the program's own __constant__ data. */
static bool reads_constants(const char *operands)
{
    while ((operands = strstr(operands, "c[0x"))) {
        char *end;
        unsigned long number = strtoul(operands + 4, &end, 16);
        if (number == 3 || strncmp(end, "][R", 3) == 0 || strncmp(end, "][UR", 4) == 0)
            return strncmp(end, "][RZ]", 5) != 0;
        operands = end;
    }
    return false;
}

static gmtrace_lanes lanes_of(const gmtrace_decoded *d, const gmtrace_instr *instr)
{
    const char *amount = strstr(instr->operands, ", 0x");
    if (d->unit == GMTRACE_UNIT_S2R)
        return (strstr(instr->operands, "TID.X") || strstr(instr->operands, "LANEID")) &&
                       !strstr(instr->operands, "CTAID")
                   ? GMTRACE_LANES_DIFFER
                   : GMTRACE_LANES_AS_GIVEN;
    if (strncmp(instr->opcode, "SHF.R", 5) == 0 && amount && strtoul(amount + 4, NULL, 16) >= 5)
        return GMTRACE_LANES_AGREE;
    switch ((gmtrace_class)d->op_class) {
    case GMTRACE_CLASS_LOAD:
        return d->space != GMTRACE_SPACE_CONSTANT ? GMTRACE_LANES_DIFFER : GMTRACE_LANES_AS_GIVEN;
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_SHUFFLE:
        return GMTRACE_LANES_DIFFER;
    default:
        return GMTRACE_LANES_AS_GIVEN;
    }
}

bool gmtrace_is_sass(const gmtrace_instr *instr)
{
    const char *at = instr->opcode;
    if (!at || *at < 'A' || *at > 'Z')
        return false;
    while ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') ||
           *at == '.' || *at == '_')
        at++;
    return *at == '\0';
}

/* ld.global.L2::128B and the like, in the words of SASS and of PTX. */
static bool wants_whole_lines(const char *opcode)
{
    static const char *const words[] = {"LTC128B", "LTC256B", "L2::128B", "L2::256B"};
    bool wants = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wants |= gmt_has_modifier(opcode, words[i]);
    return wants;
}

gmtrace_decoded gmtrace_decode(const gmtrace_instr *instr)
{
    gmtrace_decoded d = {.kind = GMTRACE_EXEC, .sixteenths = 16};
    if (!instr->opcode || !instr->operands || (*instr->opcode && !gmtrace_is_sass(instr))) {
        gmt_decode_ptx(instr, &d);
        if (instr->opcode && instr->operands &&
            (d.op_class == GMTRACE_CLASS_ATOMIC || d.op_class == GMTRACE_CLASS_REDUCTION))
            set_atomic(&d, instr->opcode);
    } else {
        const rule *r = find(instr->opcode);
        d.op_class = r->op_class;
        d.space = r->space;
        d.unit = r == &other ? gmt_unit_of_class(instr->op_class) : r->unit;
        set_unit(&d, instr->opcode);
        set_kind(&d, instr->opcode, instr->operands);
        if (reads_constants(instr->operands))
            d.unseen |= GMTRACE_UNSEEN_CONSTANT;
        d.lanes = (uint8_t)lanes_of(&d, instr);
    }
    d.lets_others = instr->opcode && (is(instr->opcode, "PREEXIT") ||
                                      gmt_has_modifier(instr->opcode, "launch_dependents"));
    if (instr->opcode && instr->operands &&
        (is(instr->opcode, "NANOSLEEP") || is(instr->opcode, "nanosleep")) &&
        *instr->operands >= '0' && *instr->operands <= '9')
        d.sleeps = (uint32_t)strtoul(instr->operands, NULL, 0);
    if (d.op_class == GMTRACE_CLASS_LOAD || d.op_class == GMTRACE_CLASS_COPY_ASYNC)
        d.whole_lines = instr->opcode && wants_whole_lines(instr->opcode);
    return d;
}

#define SOON 4u /* instructions from MATCH.ANY to REDUX.OR, at most */

/* "MATCH.ANY R11, R2; REDUX.OR UR4, R2; ...; BRA.DIV UR4": how compilers wait for a part of the
 * warp whose mask is a number in R2 (__syncwarp, cooperative groups' tiles): all lanes have the
 * same. */
static bool matches_masks(const gmtrace_kernel *kernel, uint32_t match)
{
    const char *source = strrchr(kernel->instr[match].operands, ',');
    for (uint32_t i = match + 1u; source && i < kernel->instr_count && i <= match + SOON; i++) {
        const char *next = strrchr(kernel->instr[i].operands, ',');
        if (kernel->instr[i].opcode && !strncmp(kernel->instr[i].opcode, "REDUX.OR", 8) && next &&
            !strcmp(next, source))
            return true;
    }
    return false;
}

void gmtrace_decode_kernel(const gmtrace_kernel *kernel, uint32_t lanes, gmtrace_decoded *decoded)
{
    const uint32_t all = lanes < GMTRACE_WARP_LANES ? (UINT32_C(1) << lanes) - 1u : UINT32_MAX;
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        decoded[i] = gmtrace_decode(&kernel->instr[i]);
        if (decoded[i].unit == GMTRACE_UNIT_MATCH_ANY && matches_masks(kernel, i))
            decoded[i].unit = GMTRACE_UNIT_MATCH_ALL;
    }
    for (uint32_t i = 0; i < kernel->instr_count; i++)
        decoded[i].addresses = decoded[i].unit == GMTRACE_UNIT_LDC
                                   ? (uint8_t)gmt_addresses(kernel, decoded, i, all, NULL)
                                   : 1;
    gmt_count_reads(kernel, decoded);
}

bool gmtrace_accesses_by_lane(const gmtrace_instr *instr)
{
    switch (instr->op_class) {
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
    case GMTRACE_CLASS_COPY_ASYNC:
        return instr->space != GMTRACE_SPACE_CONSTANT && instr->space != GMTRACE_SPACE_NONE;
    default:
        return false;
    }
}
