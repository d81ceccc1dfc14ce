/* SPDX-License-Identifier: MIT
 *
 * sass.c - one instruction: what kind it is (decoded.c), what it accesses, how it is scheduled.
 */
#include "traces/code/sass.h"

#include "traces/code/decoded_private.h"

#include <stdlib.h>
#include <string.h>

static bool has_any(const char *opcode, const char *const *tokens)
{
    for (; *tokens; tokens++)
        if (gmt_has_modifier(opcode, *tokens))
            return true;
    return false;
}

static uint8_t access_width(const char *opcode)
{
    static const char *const one[] = {"U8", "S8", "8", NULL};
    static const char *const two[] = {"U16", "S16", "16", "F16", "BF16", NULL};
    static const char *const eight[] = {"64", "U64", "S64", "F64", "F32x2", NULL};
    static const char *const sixteen[] = {"128", "F32x4", NULL};
    if (gmt_has_modifier(opcode, "256"))
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
    if (gmt_has_modifier(opcode, "STRONG")) {
        if (gmt_has_modifier(opcode, "SYS"))
            return GMTRACE_CACHE_STRONG_SYS;
        if (gmt_has_modifier(opcode, "GPU"))
            return GMTRACE_CACHE_STRONG_GPU;
        if (gmt_has_modifier(opcode, "SM"))
            return GMTRACE_CACHE_STRONG_SM;
    }
    if (gmt_has_modifier(opcode, "EF"))
        return GMTRACE_CACHE_EVICT_FIRST;
    if (gmt_has_modifier(opcode, "EL"))
        return GMTRACE_CACHE_EVICT_LAST;
    if (gmt_has_modifier(opcode, "LU"))
        return GMTRACE_CACHE_LAST_USE;
    if (gmt_has_modifier(opcode, "EU"))
        return GMTRACE_CACHE_EVICT_UNCHANGED;
    return gmt_has_modifier(opcode, "NA") ? GMTRACE_CACHE_NO_ALLOCATE : GMTRACE_CACHE_DEFAULT;
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
        instr->op_class == GMTRACE_CLASS_COPY_ASYNC && gmt_has_modifier(opcode, "BYPASS");
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
        return gmt_has_modifier(instr->opcode, "E") && *after != '.' &&
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
    bool pair = gmt_has_modifier(instr->opcode, "WIDE") || strncmp(instr->opcode, "CS2R", 4) == 0;
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
    written.compares = gmt_matches("*SETP", instr->opcode, stem) ||
                       gmt_matches("*PLOP3", instr->opcode, stem) ||
                       gmt_matches("FCHK", instr->opcode, stem);
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
    const gmtrace_decoded decoded = gmtrace_decode(instr);
    instr->op_class = decoded.op_class;
    instr->space = decoded.space;
    set_memory(instr);
    set_control(instr);
    set_operands(instr);
}
