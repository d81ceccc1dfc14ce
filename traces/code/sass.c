/* SPDX-License-Identifier: MIT
 *
 * sass.c - one instruction: what kind it is, what it accesses, how it is scheduled. Opcodes of
 * compute capability 7.0 to 10.x; an unknown one is GMTRACE_CLASS_OTHER and does no harm.
 */
#include "traces/code/sass.h"

#include <stdlib.h>
#include <string.h>

typedef struct opcode_rule {
    const char *name; /* the opcode up to its first dot; a trailing * matches any rest */
    uint8_t op_class;
    uint8_t space;
} opcode_rule;

/* The first match holds. */
static const opcode_rule rules[] = {
    {"LDG", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL},
    {"STG", GMTRACE_CLASS_STORE, GMTRACE_SPACE_GLOBAL},
    {"LDS", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_SHARED},
    {"STS", GMTRACE_CLASS_STORE, GMTRACE_SPACE_SHARED},
    {"LDL", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_LOCAL},
    {"STL", GMTRACE_CLASS_STORE, GMTRACE_SPACE_LOCAL},
    {"LD", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GENERIC},
    {"ST", GMTRACE_CLASS_STORE, GMTRACE_SPACE_GENERIC},
    {"LDC", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_CONSTANT},
    {"LDCU", GMTRACE_CLASS_UNIFORM, GMTRACE_SPACE_CONSTANT},
    {"ULDC", GMTRACE_CLASS_UNIFORM, GMTRACE_SPACE_CONSTANT},
    {"LDSM", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_SHARED},
    {"STSM", GMTRACE_CLASS_STORE, GMTRACE_SPACE_SHARED},
    {"STAS", GMTRACE_CLASS_STORE, GMTRACE_SPACE_REMOTE_SHARED},
    {"REDAS", GMTRACE_CLASS_REDUCTION, GMTRACE_SPACE_REMOTE_SHARED},
    {"ATOMG", GMTRACE_CLASS_ATOMIC, GMTRACE_SPACE_GLOBAL},
    {"ATOMS", GMTRACE_CLASS_ATOMIC, GMTRACE_SPACE_SHARED},
    {"ATOM", GMTRACE_CLASS_ATOMIC, GMTRACE_SPACE_GENERIC},
    {"REDG", GMTRACE_CLASS_REDUCTION, GMTRACE_SPACE_GLOBAL},
    {"REDS", GMTRACE_CLASS_REDUCTION, GMTRACE_SPACE_SHARED},
    {"RED", GMTRACE_CLASS_REDUCTION, GMTRACE_SPACE_GLOBAL},
    {"UREDG*", GMTRACE_CLASS_REDUCTION, GMTRACE_SPACE_GLOBAL},
    {"LDGSTS", GMTRACE_CLASS_COPY_ASYNC, GMTRACE_SPACE_GLOBAL},
    {"LDGDEPBAR", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"UTMACMDFLUSH", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"UBLK*", GMTRACE_CLASS_BULK, GMTRACE_SPACE_GLOBAL},
    {"UTMA*", GMTRACE_CLASS_BULK, GMTRACE_SPACE_GLOBAL},
    {"UCGABAR*", GMTRACE_CLASS_BARRIER, GMTRACE_SPACE_NONE},
    {"BAR", GMTRACE_CLASS_BARRIER, GMTRACE_SPACE_NONE},
    {"ARRIVES", GMTRACE_CLASS_BARRIER, GMTRACE_SPACE_SHARED},
    {"SYNCS", GMTRACE_CLASS_BARRIER, GMTRACE_SPACE_SHARED},
    {"USYNCS", GMTRACE_CLASS_BARRIER, GMTRACE_SPACE_SHARED},
    {"MEMBAR", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"FENCE", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"CCTL", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_GLOBAL},
    {"CCTL*", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"UCCTL", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_GLOBAL},
    {"DEPBAR", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"ERRBAR", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"CGAERRBAR", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"WARPGROUP", GMTRACE_CLASS_FENCE, GMTRACE_SPACE_NONE},
    {"BRA", GMTRACE_CLASS_BRANCH, GMTRACE_SPACE_NONE},
    {"BRX*", GMTRACE_CLASS_BRANCH, GMTRACE_SPACE_NONE},
    {"JMP", GMTRACE_CLASS_BRANCH, GMTRACE_SPACE_NONE},
    {"JMX*", GMTRACE_CLASS_BRANCH, GMTRACE_SPACE_NONE},
    {"CALL", GMTRACE_CLASS_CALL, GMTRACE_SPACE_NONE},
    {"RET", GMTRACE_CLASS_RETURN, GMTRACE_SPACE_NONE},
    {"EXIT", GMTRACE_CLASS_EXIT, GMTRACE_SPACE_NONE},
    {"KILL", GMTRACE_CLASS_EXIT, GMTRACE_SPACE_NONE},
    {"BSSY", GMTRACE_CLASS_RECONVERGE, GMTRACE_SPACE_NONE},
    {"BSYNC", GMTRACE_CLASS_RECONVERGE, GMTRACE_SPACE_NONE},
    {"BREAK", GMTRACE_CLASS_RECONVERGE, GMTRACE_SPACE_NONE},
    {"BMOV", GMTRACE_CLASS_RECONVERGE, GMTRACE_SPACE_NONE},
    {"WARPSYNC", GMTRACE_CLASS_RECONVERGE, GMTRACE_SPACE_NONE},
    {"YIELD", GMTRACE_CLASS_RECONVERGE, GMTRACE_SPACE_NONE},
    {"HMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_NONE},
    {"IMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_NONE},
    {"BMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_NONE},
    {"DMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_NONE},
    {"QMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_NONE},
    {"OMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_NONE},
    {"HGMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_SHARED},
    {"IGMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_SHARED},
    {"BGMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_SHARED},
    {"QGMMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_SHARED},
    {"UTC*MMA", GMTRACE_CLASS_TENSOR, GMTRACE_SPACE_SHARED},
    {"TEX", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"TLD*", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"TMML", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"TXD", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"TXQ", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"SULD", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"SUST", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"SUATOM", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"SURED", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"SUQUERY", GMTRACE_CLASS_TEXTURE, GMTRACE_SPACE_NONE},
    {"SHFL", GMTRACE_CLASS_SHUFFLE, GMTRACE_SPACE_NONE},
    {"VOTE*", GMTRACE_CLASS_SHUFFLE, GMTRACE_SPACE_NONE},
    {"MATCH", GMTRACE_CLASS_SHUFFLE, GMTRACE_SPACE_NONE},
    {"REDUX", GMTRACE_CLASS_SHUFFLE, GMTRACE_SPACE_NONE},
    {"CREDUX", GMTRACE_CLASS_SHUFFLE, GMTRACE_SPACE_NONE},
    {"ELECT", GMTRACE_CLASS_SHUFFLE, GMTRACE_SPACE_NONE},
    {"MUFU", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"I2FP", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE}, /* not on the special pipe */
    {"I2F*", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"F2I*", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"F2FP", GMTRACE_CLASS_FP16, GMTRACE_SPACE_NONE},
    {"F2F", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"I2I", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"FRND", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"POPC", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"FLO", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"BREV", GMTRACE_CLASS_SPECIAL, GMTRACE_SPACE_NONE},
    {"DADD", GMTRACE_CLASS_FP64, GMTRACE_SPACE_NONE},
    {"DMUL", GMTRACE_CLASS_FP64, GMTRACE_SPACE_NONE},
    {"DFMA", GMTRACE_CLASS_FP64, GMTRACE_SPACE_NONE},
    {"DSET*", GMTRACE_CLASS_FP64, GMTRACE_SPACE_NONE},
    {"DMNMX", GMTRACE_CLASS_FP64, GMTRACE_SPACE_NONE},
    {"HADD2*", GMTRACE_CLASS_FP16, GMTRACE_SPACE_NONE},
    {"HMUL2*", GMTRACE_CLASS_FP16, GMTRACE_SPACE_NONE},
    {"HFMA2*", GMTRACE_CLASS_FP16, GMTRACE_SPACE_NONE},
    {"HSET*", GMTRACE_CLASS_FP16, GMTRACE_SPACE_NONE},
    {"HMNMX2", GMTRACE_CLASS_FP16, GMTRACE_SPACE_NONE},
    {"FADD*", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE},
    {"FMUL*", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE},
    {"FFMA*", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE},
    {"FMNMX*", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE},
    {"FSEL", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE},
    {"FSET*", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE},
    {"FCHK", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE},
    {"FSWZADD", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE},
    {"R2UR", GMTRACE_CLASS_UNIFORM, GMTRACE_SPACE_NONE},
    {"S2UR", GMTRACE_CLASS_UNIFORM, GMTRACE_SPACE_NONE},
    {"U*", GMTRACE_CLASS_UNIFORM, GMTRACE_SPACE_NONE},
    {"IADD*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"IMAD*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"IMUL*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"IMNMX*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"ISETP", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"ISET", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"ISCADD", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"IABS", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"IDP*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"VIADD*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"VIMNMX*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"VABSDIFF*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"VHMNMX", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"LOP*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"PLOP3", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"LEA", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"SHF", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"SHL", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"SHR", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"SGXT", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"BMSK", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"PRMT", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"SEL", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"MOV*", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"P2R", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
    {"R2P", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE},
};

static bool rule_matches(const char *rule, const char *name, size_t length)
{
    const char *star = strchr(rule, '*');
    if (!star)
        return strlen(rule) == length && memcmp(rule, name, length) == 0;
    size_t before = (size_t)(star - rule), after = strlen(star + 1);
    return length >= before + after && memcmp(rule, name, before) == 0 &&
           memcmp(star + 1, name + length - after, after) == 0;
}

/* Is `token` one of the opcode's dot-separated modifiers? */
static bool has_modifier(const char *opcode, const char *token)
{
    size_t length = strlen(token);
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
        if (strncmp(dot + 1, token, length) == 0 &&
            (dot[1 + length] == '.' || dot[1 + length] == '\0'))
            return true;
    return false;
}

static bool has_any(const char *opcode, const char *const *tokens)
{
    for (; *tokens; tokens++)
        if (has_modifier(opcode, *tokens))
            return true;
    return false;
}

static uint8_t access_width(const char *opcode)
{
    static const char *const one[] = {"U8", "S8", "8", NULL};
    static const char *const two[] = {"U16", "S16", "16", "F16", "BF16", NULL};
    static const char *const eight[] = {"64", "U64", "S64", "F64", "F32x2", NULL};
    static const char *const sixteen[] = {"128", "F32x4", NULL};
    if (has_modifier(opcode, "256"))
        return 32;
    if (has_any(opcode, sixteen))
        return 16;
    if (has_any(opcode, eight))
        return 8;
    if (has_any(opcode, two))
        return 2;
    return has_any(opcode, one) ? 1 : 4;
}

/* LDSM.16.M88.4: the last modifier is the number of 8x8 matrices, none means one. */
static uint8_t matrix_count(const char *opcode)
{
    const char *last = strrchr(opcode, '.');
    if (last && (strcmp(last, ".2") == 0 || strcmp(last, ".4") == 0))
        return (uint8_t)(last[1] - '0');
    return 1;
}

static uint8_t cache_operator(const char *opcode)
{
    if (has_modifier(opcode, "STRONG")) {
        if (has_modifier(opcode, "SYS"))
            return GMTRACE_CACHE_STRONG_SYS;
        if (has_modifier(opcode, "GPU"))
            return GMTRACE_CACHE_STRONG_GPU;
        if (has_modifier(opcode, "SM"))
            return GMTRACE_CACHE_STRONG_SM;
    }
    if (has_modifier(opcode, "EF"))
        return GMTRACE_CACHE_EVICT_FIRST;
    if (has_modifier(opcode, "EL"))
        return GMTRACE_CACHE_EVICT_LAST;
    if (has_modifier(opcode, "LU"))
        return GMTRACE_CACHE_LAST_USE;
    if (has_modifier(opcode, "EU"))
        return GMTRACE_CACHE_EVICT_UNCHANGED;
    return has_modifier(opcode, "NA") ? GMTRACE_CACHE_NO_ALLOCATE : GMTRACE_CACHE_DEFAULT;
}

static void set_kind(gmtrace_instr *instr)
{
    const char *opcode = instr->opcode;
    size_t length = strcspn(opcode, ".");
    instr->op_class = GMTRACE_CLASS_OTHER;
    instr->space = GMTRACE_SPACE_NONE;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rule_matches(rules[i].name, opcode, length)) {
            instr->op_class = rules[i].op_class;
            instr->space = rules[i].space;
            break;
        }
    }
    /* UBLKCP.S.G: to shared from global; two shared sides are within a cluster. */
    if (instr->op_class == GMTRACE_CLASS_BULK && has_modifier(opcode, "S") &&
        !has_modifier(opcode, "G") && strncmp(opcode, "UBLK", 4) == 0)
        instr->space = GMTRACE_SPACE_REMOTE_SHARED;
}

static void set_memory(gmtrace_instr *instr)
{
    const char *opcode = instr->opcode;
    instr->width = instr->matrices = instr->bypass_l1 = 0;
    instr->cache = GMTRACE_CACHE_DEFAULT;
    switch (instr->op_class) {
    case GMTRACE_CLASS_UNIFORM:
        if (instr->space == GMTRACE_SPACE_CONSTANT)
            instr->width = access_width(opcode);
        return;
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
    case GMTRACE_CLASS_COPY_ASYNC:
        break;
    default:
        return;
    }
    instr->cache = cache_operator(opcode);
    if (strncmp(opcode, "LDSM", 4) == 0 || strncmp(opcode, "STSM", 4) == 0) {
        instr->matrices = matrix_count(opcode);
        instr->width = (uint8_t)(4 * instr->matrices);
        return;
    }
    instr->width = access_width(opcode);
    instr->bypass_l1 =
        instr->op_class == GMTRACE_CLASS_COPY_ASYNC && has_modifier(opcode, "BYPASS");
}

/* See gmtrace.h for the source of the bit positions. */
static void set_control(gmtrace_instr *instr)
{
    uint64_t high = instr->encoding[1];
    bool known = instr->encoding[0] || high;
    instr->stall = high >> 41 & 15;
    instr->yield = high >> 45 & 1;
    instr->write_barrier = known ? high >> 46 & 7 : 7;
    instr->read_barrier = known ? high >> 49 & 7 : 7;
    instr->wait_mask = high >> 52 & 63;
    instr->reuse = high >> 58 & 15;
}

/* ------------------------------------------------------------- registers, as the text has them */

static void add_operand(gmtrace_instr *instr, unsigned file, unsigned long first, unsigned count,
                        bool write)
{
    if (instr->operand_count == GMTRACE_MAX_OPERANDS || first > 254 || !count)
        return;
    instr->operand[instr->operand_count++] =
        (gmtrace_operand){(uint8_t)file, (uint8_t)first, (uint8_t)count, write};
}

static bool writes_first_operand(const gmtrace_instr *instr)
{
    switch (instr->op_class) {
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_REDUCTION:
    case GMTRACE_CLASS_COPY_ASYNC:
    case GMTRACE_CLASS_BULK:
    case GMTRACE_CLASS_BARRIER:
    case GMTRACE_CLASS_FENCE:
    case GMTRACE_CLASS_BRANCH:
    case GMTRACE_CLASS_CALL:
    case GMTRACE_CLASS_RETURN:
    case GMTRACE_CLASS_EXIT:
    case GMTRACE_CLASS_RECONVERGE:
        return false;
    default:
        return true;
    }
}

static unsigned register_count(const gmtrace_instr *instr, const char *after, bool write,
                               bool in_brackets, unsigned place)
{
    if (strncmp(after, ".64", 3) == 0 || instr->op_class == GMTRACE_CLASS_RETURN)
        return 2;
    if (in_brackets) /* nvdisasm leaves ".64" out where there is no descriptor */
        return has_modifier(instr->opcode, "E") && *after != '.' &&
                       instr->op_class != GMTRACE_CLASS_COPY_ASYNC &&
                       instr->space != GMTRACE_SPACE_NONE
                   ? 2
                   : 1;
    if (instr->op_class == GMTRACE_CLASS_FP64)
        return 2;
    bool data =
        instr->op_class == GMTRACE_CLASS_STORE || instr->op_class == GMTRACE_CLASS_REDUCTION ||
        instr->op_class == GMTRACE_CLASS_ATOMIC ||
        ((instr->op_class == GMTRACE_CLASS_LOAD || instr->space != GMTRACE_SPACE_NONE) && write);
    if (data && instr->width)
        return (instr->width + 3u) / 4u;
    bool pair = has_modifier(instr->opcode, "WIDE") || strncmp(instr->opcode, "CS2R", 4) == 0;
    return pair && (write || place == 3) ? 2 : 1; /* IMAD.WIDE adds 64 bits */
}

/* Where the operands that are written end: "R5, P0, P2, R3 ..." and "PT, R5, R3 ..." begin with a
 * register and up to two predicates, comparisons with two predicates alone. */
typedef struct target {
    bool open, has_register, compares;
    unsigned predicates;
} target;

static bool takes_target(target *at, bool predicate)
{
    if (at->open && predicate)
        at->open = at->predicates++ < 2;
    else if (at->open && !at->has_register && !at->compares)
        at->has_register = true;
    else
        at->open = false;
    return at->open;
}

static void set_operands(gmtrace_instr *instr)
{
    size_t stem = strcspn(instr->opcode, ".");
    target written = {.open = writes_first_operand(instr)};
    written.compares = rule_matches("*SETP", instr->opcode, stem) ||
                       rule_matches("*PLOP3", instr->opcode, stem) ||
                       rule_matches("FCHK", instr->opcode, stem);
    unsigned brackets = 0, place = 0;
    char before = ' ';
    instr->operand_count = 0;
    if (instr->predicate < 7)
        add_operand(instr, GMTRACE_REG_PREDICATE, instr->predicate, 1, false);
    for (const char *at = instr->operands; *at; before = *at, at++) {
        brackets += *at == '[';
        brackets -= *at == ']' && brackets;
        place += *at == ',' && !brackets;
        bool starts = strchr(" ,[-|!+~(", before) != NULL;
        bool uniform = at[0] == 'U' && (at[1] == 'R' || at[1] == 'P');
        const char *letter = uniform ? at + 1 : at;
        bool none =
            (letter[0] == 'R' && letter[1] == 'Z') || (letter[0] == 'P' && letter[1] == 'T');
        if (!starts || (*letter != 'R' && *letter != 'P') ||
            !(none || (letter[1] >= '0' && letter[1] <= '9')))
            continue;
        bool predicate = *letter == 'P';
        bool write = !brackets && before != '!' && takes_target(&written, predicate);
        if (none)
            continue;
        char *end;
        unsigned long number = strtoul(letter + 1, &end, 10);
        unsigned file = predicate ? (uniform ? GMTRACE_REG_UPREDICATE : GMTRACE_REG_PREDICATE)
                                  : (uniform ? GMTRACE_REG_UNIFORM : GMTRACE_REG_GENERAL);
        bool descriptor = at - instr->operands >= 5 && memcmp(at - 5, "desc[", 5) == 0;
        unsigned count = predicate    ? 1
                         : descriptor ? 2
                                      : register_count(instr, end, write, brackets, place);
        add_operand(instr, file, number, count, write);
        at = end - 1;
    }
}

void gmtrace_sass_classify(gmtrace_instr *instr)
{
    set_kind(instr);
    set_memory(instr);
    set_control(instr);
    set_operands(instr);
}
