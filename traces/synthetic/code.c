/* SPDX-License-Identifier: MIT
 *
 * code.c - from lines of SASS to an instruction table.
 *
 * Control bits follow the rules that ptxas obeys, not its choices: an instruction of unknown
 * duration announces itself on one of six barriers, its users wait for it, and an instruction of
 * fixed duration is followed by the stall that its first user needs. There are no encodings: the
 * code is a description, not something that a GPU could run.
 */
#include "traces/synthetic/code.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/sass.h"

#define BARRIERS     6u
#define NO_BARRIER   7u
#define ALU_CYCLES   4u  /* until a result in a register can be read */
#define GUARD_CYCLES 12u /* until a predicate can */
#define MAX_STALL    15u

const char *gmt_width(uint64_t bytes)
{
    switch (bytes) {
    case 1:
        return ".U8";
    case 2:
        return ".U16";
    case 8:
        return ".64";
    case 16:
        return ".128";
    default:
        return "";
    }
}

static bool set_text(gmtrace_instr *instr, const char *line)
{
    instr->predicate = GMTRACE_NO_REGISTER;
    if (*line == '@') {
        instr->predicate_negated = line[1] == '!';
        line += 1 + instr->predicate_negated;
        instr->predicate = (uint8_t)(line[1] - '0'); /* P0 to P6 */
        line += 3;
    }
    const size_t length = strcspn(line, " ");
    instr->opcode = strndup(line, length);
    instr->operands = strdup(line + length + (line[length] == ' '));
    return instr->opcode && instr->operands;
}

uint32_t gmt_code_put(gmt_code *code, const char *format, ...)
{
    if (code->count == code->capacity) {
        const uint32_t capacity = code->capacity ? code->capacity * 2 : 64;
        gmtrace_instr *grown = realloc(code->instr, capacity * sizeof *grown);
        if (!grown) {
            code->failed = true;
            return 0;
        }
        code->instr = grown;
        code->capacity = capacity;
    }
    gmtrace_instr *instr = &code->instr[code->count];
    *instr = (gmtrace_instr){
        .pc = 16u * (uint64_t)code->count, .file = GMTRACE_UNKNOWN, .target = GMTRACE_NO_INSTR};
    char line[160];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    code->failed |= !set_text(instr, line);
    return code->count++;
}

void gmt_code_label(gmt_code *code, unsigned number)
{
    code->label[number] = code->count;
}

/* ------------------------------------------------------------------------------- control bits */

#define FILES     4u
#define REGISTERS 256u

typedef struct schedule {
    gmt_code *code;
    uint8_t arriving[FILES][REGISTERS]; /* barriers that a register's new value is announced on */
    uint8_t leaving[FILES][REGISTERS];  /* barriers until which its old value must stay */
    uint32_t ready[FILES][REGISTERS];   /* cycle from which the new value can be read */
    uint32_t cycle;
    unsigned next_barrier;
    bool *placed; /* instructions seen before */
} schedule;

/* Is it unknown how long its result, or the reading of its operands, takes? */
static bool varies(const gmtrace_instr *instr)
{
    switch (instr->op_class) {
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
    case GMTRACE_CLASS_SPECIAL:
    case GMTRACE_CLASS_FP64:
        return true;
    default:
        return strncmp(instr->opcode, "S2", 2) == 0; /* S2R, S2UR */
    }
}

static bool writes(const gmtrace_instr *instr, const gmtrace_operand *what)
{
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *own = &instr->operand[i];
        if (own->write && own->file == what->file && own->first < what->first + what->count &&
            what->first < own->first + own->count)
            return true;
    }
    return false;
}

/* The first instruction that may follow this one: of the loops around it, the outermost's start. */
static uint32_t first_after(const gmt_code *code, uint32_t index)
{
    uint32_t first = index + 1;
    for (uint32_t i = index; i < code->count; i++)
        if (code->instr[i].target <= index && code->instr[i].target < first)
            first = code->instr[i].target;
    return first;
}

/* Is a register that the instruction reads written later, which a read barrier must hold up? Its
 * own result comes after its operands are read. */
static bool needs_read_barrier(const gmt_code *code, uint32_t index)
{
    const gmtrace_instr *instr = &code->instr[index];
    if (instr->op_class == GMTRACE_CLASS_FP64 || !varies(instr))
        return false;
    for (unsigned i = 0; i < instr->operand_count; i++)
        for (uint32_t k = first_after(code, index); !instr->operand[i].write && k < code->count;
             k++)
            if (k != index && writes(&code->instr[k], &instr->operand[i]) &&
                !writes(instr, &instr->operand[i]))
                return true;
    return false;
}

static unsigned take_barrier(schedule *plan)
{
    return plan->next_barrier++ % BARRIERS;
}

/* What the instruction must wait for: barriers into its wait mask, cycles into the stall of the one
 * before. */
static void wait_for(schedule *plan, uint32_t index)
{
    gmtrace_instr *instr = &plan->code->instr[index];
    uint32_t from = plan->cycle;
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *operand = &instr->operand[i];
        for (unsigned r = operand->first; r < (unsigned)operand->first + operand->count; r++) {
            uint8_t barriers = plan->arriving[operand->file][r];
            if (operand->write)
                barriers |= plan->leaving[operand->file][r];
            instr->wait_mask |= barriers;
            if (!operand->write && plan->ready[operand->file][r] > from)
                from = plan->ready[operand->file][r];
        }
    }
    if (index && from > plan->cycle) {
        gmtrace_instr *before = &plan->code->instr[index - 1];
        const uint32_t stall = before->stall + (from - plan->cycle);
        before->stall = (uint8_t)(stall > MAX_STALL ? MAX_STALL : stall);
        plan->cycle = from;
    }
    /* A barrier that was waited for is free of all that it stood for. */
    for (unsigned file = 0; instr->wait_mask && file < FILES; file++)
        for (unsigned r = 0; r < REGISTERS; r++) {
            plan->arriving[file][r] &= (uint8_t)~instr->wait_mask;
            plan->leaving[file][r] &= (uint8_t)~instr->wait_mask;
        }
}

static void announce(schedule *plan, uint32_t index)
{
    gmtrace_instr *instr = &plan->code->instr[index];
    const bool variable = varies(instr);
    bool has_result = false;
    for (unsigned i = 0; i < instr->operand_count; i++)
        has_result |= instr->operand[i].write;
    if (!plan->placed[index]) {
        instr->write_barrier = (uint8_t)(variable && has_result ? take_barrier(plan) : NO_BARRIER);
        instr->read_barrier =
            (uint8_t)(needs_read_barrier(plan->code, index) ? take_barrier(plan) : NO_BARRIER);
        if (!instr->stall)
            instr->stall = instr->op_class == GMTRACE_CLASS_BRANCH ||
                                   instr->op_class == GMTRACE_CLASS_EXIT ||
                                   instr->op_class == GMTRACE_CLASS_BARRIER
                               ? 5
                           : variable ? 2
                                      : 1;
        plan->placed[index] = true;
    }
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *operand = &instr->operand[i];
        for (unsigned r = operand->first; r < (unsigned)operand->first + operand->count; r++) {
            if (!operand->write) {
                if (instr->read_barrier != NO_BARRIER)
                    plan->leaving[operand->file][r] |= (uint8_t)(1u << instr->read_barrier);
            } else if (variable) {
                plan->arriving[operand->file][r] |= (uint8_t)(1u << instr->write_barrier);
                plan->ready[operand->file][r] = 0;
            } else {
                const bool guard = operand->file == GMTRACE_REG_PREDICATE;
                plan->ready[operand->file][r] = plan->cycle + (guard ? GUARD_CYCLES : ALU_CYCLES);
            }
        }
    }
    plan->cycle += instr->stall;
}

/* In order, each loop body twice, so that what its end leaves open is waited for at its start. */
static bool set_control(gmt_code *code)
{
    schedule *plan = calloc(1, sizeof *plan);
    bool *turned = calloc(code->count + 1, sizeof *turned);
    bool *placed = calloc(code->count + 1, sizeof *placed);
    const bool done = plan && turned && placed;
    if (done) {
        plan->code = code;
        plan->placed = placed;
        for (uint32_t i = 0; i < code->count; i++) {
            wait_for(plan, i);
            announce(plan, i);
            if (code->instr[i].target <= i && !turned[i]) {
                turned[i] = true;
                i = code->instr[i].target - 1; /* modulo 2^32: i++ makes it the target */
            }
        }
    }
    free(placed);
    free(turned);
    free(plan);
    return done;
}

bool gmt_code_finish(gmt_code *code)
{
    if (code->failed)
        return false;
    for (uint32_t i = 0; i < code->count; i++) {
        gmtrace_instr *instr = &code->instr[i];
        unsigned label;
        const char *at = strstr(instr->operands, "`(.L_");
        if (at && sscanf(at, "`(.L_%u", &label) == 1 && label < GMT_MAX_LABELS)
            instr->target = code->label[label];
        gmtrace_sass_classify(instr);
    }
    return set_control(code);
}

uint32_t gmt_code_registers(const gmt_code *code)
{
    uint32_t most = 8;
    for (uint32_t i = 0; i < code->count; i++) {
        const gmtrace_instr *instr = &code->instr[i];
        for (unsigned k = 0; k < instr->operand_count; k++) {
            const gmtrace_operand *operand = &instr->operand[k];
            const uint32_t end = (uint32_t)operand->first + operand->count;
            if (operand->file == GMTRACE_REG_GENERAL && end > most)
                most = end;
        }
    }
    return most;
}

void gmt_code_free(gmt_code *code)
{
    for (uint32_t i = 0; i < code->count; i++) {
        free((char *)code->instr[i].opcode);
        free((char *)code->instr[i].operands);
    }
    free(code->instr);
    memset(code, 0, sizeof *code);
}
