/* SPDX-License-Identifier: MIT
 *
 * control.c - control bits by the rules that ptxas obeys, not by its choices: an instruction of
 * unknown duration announces itself on one of six barriers, its users wait for it, and an
 * instruction of fixed duration is followed by the stall that its first user needs. Takes the
 * flow of control to be that of the text, with every loop run twice; leaves out reuse and yield.
 */
#include "traces/code/control.h"
#include "traces/code/decoded.h"

#include <stdlib.h>
#include <string.h>

#define BARRIERS     6u
#define NO_BARRIER   7u
#define ALU_CYCLES   4u  /* until a result in a register can be read */
#define GUARD_CYCLES 12u /* until a predicate can */
#define MAX_STALL    15u
#define FILES        4u
#define REGISTERS    256u
#define MOST_TURNS   64u

/* Where a register is written last, and last but one; index + 1, 0: nowhere. */
typedef struct last_writes {
    uint32_t last, before;
} last_writes;

typedef struct schedule {
    gmtrace_instr *instr;
    uint32_t count;
    last_writes write[FILES][REGISTERS];
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
    case GMTRACE_CLASS_LOAD: /* PTX's ld.param is an operand of other instructions in SASS */
        return strncmp(instr->opcode, "ld.param", 8) != 0;
    case GMTRACE_CLASS_STORE:
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_REDUCTION:
    case GMTRACE_CLASS_SPECIAL:
    case GMTRACE_CLASS_FP64:
        return true;
    case GMTRACE_CLASS_TENSOR: /* longer than any stall; SASS says what it waits for itself */
        return !gmtrace_is_sass(instr);
    default:
        return strncmp(instr->opcode, "S2", 2) == 0; /* S2R, S2UR */
    }
}

/* One past its last register; what does not fit in a file is left out. */
static unsigned end_of(const gmtrace_operand *operand)
{
    const unsigned end = (unsigned)operand->first + operand->count;
    return operand->file >= FILES ? 0 : end < REGISTERS ? end : REGISTERS;
}

static bool writes(const gmtrace_instr *instr, unsigned file, unsigned r)
{
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *own = &instr->operand[i];
        if (own->write && own->file == file && own->first <= r && r < own->first + own->count)
            return true;
    }
    return false;
}

static bool loops(const gmtrace_instr *instr, uint32_t index)
{
    return instr->target <= index && instr->op_class != GMTRACE_CLASS_CALL;
}

/* Is a register that the instruction reads written later, which a read barrier must hold up?
 * `first` is the first instruction that may follow. Its own result comes after its operands are
 * read. */
static bool needs_read_barrier(const schedule *plan, uint32_t index, uint32_t first)
{
    const gmtrace_instr *instr = &plan->instr[index];
    if (instr->op_class == GMTRACE_CLASS_FP64 || !varies(instr))
        return false;
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *operand = &instr->operand[i];
        for (unsigned r = operand->first; r < end_of(operand) && !operand->write; r++) {
            const last_writes *w = &plan->write[operand->file][r];
            const uint32_t last = w->last == index + 1 ? w->before : w->last;
            if (last > first && !writes(instr, operand->file, r))
                return true;
        }
    }
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
    gmtrace_instr *instr = &plan->instr[index];
    uint32_t from = plan->cycle;
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *operand = &instr->operand[i];
        for (unsigned r = operand->first; r < end_of(operand); r++) {
            uint8_t barriers = plan->arriving[operand->file][r];
            if (operand->write)
                barriers |= plan->leaving[operand->file][r];
            instr->wait_mask |= barriers;
            if (!operand->write && plan->ready[operand->file][r] > from)
                from = plan->ready[operand->file][r];
        }
    }
    if (instr->predicate < 7u && plan->ready[GMTRACE_REG_PREDICATE][instr->predicate] > from)
        from = plan->ready[GMTRACE_REG_PREDICATE][instr->predicate];
    if (index && from > plan->cycle) {
        gmtrace_instr *before = &plan->instr[index - 1];
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

static void announce(schedule *plan, uint32_t index, uint32_t first)
{
    gmtrace_instr *instr = &plan->instr[index];
    const bool variable = varies(instr);
    bool has_result = false;
    for (unsigned i = 0; i < instr->operand_count; i++)
        has_result |= instr->operand[i].write;
    if (!plan->placed[index]) {
        instr->write_barrier = (uint8_t)(variable && has_result ? take_barrier(plan) : NO_BARRIER);
        instr->read_barrier =
            (uint8_t)(needs_read_barrier(plan, index, first) ? take_barrier(plan) : NO_BARRIER);
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
        for (unsigned r = operand->first; r < end_of(operand); r++) {
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

/* For each instruction the first that may follow it: of the loops around it, the outermost's start.
 */
static void find_first_after(const schedule *plan, uint32_t *first)
{
    uint32_t outermost = UINT32_MAX;
    for (uint32_t i = plan->count; i-- > 0;) {
        if (loops(&plan->instr[i], i) && plan->instr[i].target < outermost)
            outermost = plan->instr[i].target;
        if (outermost > i)
            outermost = UINT32_MAX; /* the loop starts behind: it is over */
        first[i] = outermost < i + 1 ? outermost : i + 1;
    }
}

static void find_writes(schedule *plan)
{
    for (uint32_t i = 0; i < plan->count; i++)
        for (unsigned k = 0; k < plan->instr[i].operand_count; k++) {
            const gmtrace_operand *operand = &plan->instr[i].operand[k];
            for (unsigned r = operand->first; r < end_of(operand) && operand->write; r++) {
                last_writes *w = &plan->write[operand->file][r];
                if (w->last != i + 1)
                    *w = (last_writes){i + 1, w->last};
            }
        }
}

/* In order, each loop body twice, so that what its end leaves open is waited for at its start; but
 * no more than MOST_TURNS instructions a given one, however many loops lie across each other. */
bool gmt_control_set(gmtrace_instr *instr, uint32_t count)
{
    schedule *plan = calloc(1, sizeof *plan);
    bool *turned = calloc(count + 1, sizeof *turned);
    bool *placed = calloc(count + 1, sizeof *placed);
    uint32_t *first = calloc(count + 1, sizeof *first);
    const bool done = plan && turned && placed && first;
    if (done) {
        plan->instr = instr;
        plan->count = count;
        plan->placed = placed;
        find_first_after(plan, first);
        find_writes(plan);
        uint64_t left = (uint64_t)count * MOST_TURNS;
        for (uint32_t i = 0; i < count; i++, left -= left != 0) {
            wait_for(plan, i);
            announce(plan, i, first[i]);
            if (loops(&instr[i], i) && !turned[i] && left) {
                turned[i] = true;
                i = instr[i].target - 1; /* modulo 2^32: i++ makes it the target */
            }
        }
    }
    free(first);
    free(placed);
    free(turned);
    free(plan);
    return done;
}

/* Loads put first, at most: each needs registers until its result is used. */
#define LOADS_AHEAD 16u

/* Does a straight piece of code that loads may be moved through end here? */
static bool ends_piece(const gmtrace_instr *instr)
{
    switch (instr->op_class) {
    case GMTRACE_CLASS_LOAD:
    case GMTRACE_CLASS_OTHER:
    case GMTRACE_CLASS_UNIFORM:
    case GMTRACE_CLASS_FP16:
    case GMTRACE_CLASS_FP32:
    case GMTRACE_CLASS_FP64:
    case GMTRACE_CLASS_INT:
    case GMTRACE_CLASS_SPECIAL:
        return false;
    default:
        return true;
    }
}

static bool is_load(const gmtrace_instr *instr)
{
    return instr->op_class == GMTRACE_CLASS_LOAD && varies(instr);
}

/* Notes whether what the instruction writes is made of something loaded; returns whether it is. */
static bool follow(bool loaded[FILES][REGISTERS], const gmtrace_instr *instr)
{
    bool depends = false;
    for (unsigned i = 0; i < instr->operand_count; i++)
        for (unsigned r = instr->operand[i].first; r < end_of(&instr->operand[i]); r++)
            depends |= !instr->operand[i].write && loaded[instr->operand[i].file][r];
    for (unsigned i = 0; i < instr->operand_count; i++)
        for (unsigned r = instr->operand[i].first; r < end_of(&instr->operand[i]); r++)
            if (instr->operand[i].write)
                loaded[instr->operand[i].file][r] = depends || is_load(instr);
    return depends;
}

/* One piece from `first` on, before `end`; returns where the next begins. */
static uint32_t hoist_piece(gmtrace_instr *instr, uint32_t first, uint32_t end)
{
    bool loaded[FILES][REGISTERS] = {{false}};
    uint32_t last = first, loads = 0, i;
    uint8_t barriers = 0, moved = 0;
    for (i = first; i < end && loads < LOADS_AHEAD; i++) {
        const bool depends = follow(loaded, &instr[i]);
        if (is_load(&instr[i]) && depends)
            break; /* its address must be there */
        if (is_load(&instr[i])) {
            last = i;
            loads++;
        }
    }
    for (uint32_t k = first; k <= last && loads > 1; k++) {
        const uint8_t later = instr[k].wait_mask & barriers;
        instr[k].wait_mask &= (uint8_t)~later;
        moved |= later;
        if (is_load(&instr[k]) && instr[k].write_barrier < BARRIERS)
            barriers |= (uint8_t)(1u << instr[k].write_barrier);
    }
    if (moved && last + 1 < end)
        instr[last + 1].wait_mask |= moved;
    else if (moved)
        instr[last].wait_mask |= moved;
    return i > first ? i : first + 1;
}

void gmt_control_hoist(gmtrace_instr *instr, uint32_t count)
{
    bool *target = calloc(count + 1, sizeof *target);
    if (!target)
        return; /* the waits stay where they are */
    for (uint32_t i = 0; i < count; i++)
        if (instr[i].target < count)
            target[instr[i].target] = true;
    for (uint32_t first = 0; first < count;) {
        uint32_t end = first;
        while (end < count && (end == first || !target[end]) && !ends_piece(&instr[end]))
            end++;
        for (uint32_t at = first; at < end;)
            at = hoist_piece(instr, at, end + (end < count));
        first = end > first ? end + (end < count && ends_piece(&instr[end])) : first + 1;
    }
    free(target);
}
