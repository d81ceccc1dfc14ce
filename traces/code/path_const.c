/* SPDX-License-Identifier: MIT
 *
 * path_const.c - runs the instructions of path_lanes.h for one lane of which all registers are
 * kept. It is meant for loop counters and for indices of constants.
 */
#include "traces/code/path_const.h"

#include <string.h>

/* The opcode without its first letter where that is the U of the uniform datapath. */
static bool is_op(const gmtrace_instr *instr, const char *stem)
{
    const char *op = instr->opcode;
    op += *op == 'U';
    const size_t length = strlen(stem);
    return strncmp(op, stem, length) == 0 && (op[length] == '\0' || op[length] == '.');
}

/* Are all registers known that the instruction reads? */
static bool gather(const path_const *state, const path_step *step, uint32_t value[PATH_SOURCES])
{
    if (step->constants && !state->constants)
        return false;
    for (unsigned i = 0; i < step->sources; i++) {
        const path_source *source = &step->source[i];
        const path_file *file = &state->file[source->file];
        if (source->is_register && !file->known[source->number])
            return false;
        value[i] = path_source_value(source, file->value[source->number]);
    }
    return true;
}

int path_const_guard(const path_const *state, const gmtrace_instr *instr)
{
    if (instr->predicate == GMTRACE_NO_REGISTER)
        return 1;
    const path_file *file = &state->file[GMTRACE_REG_PREDICATE];
    if (instr->predicate >= 7)
        return !instr->predicate_negated;
    if (!file->known[instr->predicate])
        return -1;
    return (file->value[instr->predicate] != 0) != instr->predicate_negated;
}

void path_const_forget(path_const *state, const gmtrace_instr *instr)
{
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *o = &instr->operand[i];
        for (unsigned n = o->first; o->write && n < o->first + (unsigned)o->count; n++)
            if (o->file < 4 && n < PATH_REGISTERS)
                state->file[o->file].known[n] = false;
    }
    if (gmt_has_prefix(instr->opcode, "R2P"))
        memset(&state->file[GMTRACE_REG_PREDICATE], 0, sizeof(path_file));
}

void path_const_begin(path_const *state)
{
    memset(state, 0, sizeof *state);
    for (uint32_t f = 0; f < sizeof state->file / sizeof *state->file; f++)
        memset(state->file[f].known, true, sizeof state->file[f].known);
    state->constants = true;
}

void path_const_set(path_const *state, const gmtrace_operand *operand, uint32_t value)
{
    path_file *file = &state->file[operand->file & 3u];
    for (unsigned n = operand->first;
         n < operand->first + (unsigned)operand->count && n < PATH_REGISTERS; n++) {
        file->known[n] = true;
        file->value[n] = value;
    }
}

/* The instruction as a step, which stands in *own where none are kept; NULL where it is not
 * understood. */
static const path_step *step_of(const path_const *state, path_kept_steps *kept,
                                const gmtrace_instr *instr, path_step *own)
{
    if (!kept && state->launch && path_step_read(instr, state->launch, own))
        return own;
    if (!kept)
        return path_step_read(instr, NULL, own) ? own : NULL;
    const size_t at = (uintptr_t)instr / sizeof *instr % PATH_KEPT_STEPS;
    if (kept->of[at] != instr) {
        kept->of[at] = instr;
        kept->understood[at] = path_step_read(instr, NULL, &kept->step[at]);
    }
    return kept->understood[at] ? &kept->step[at] : NULL;
}

void path_const_run(path_const *state, path_kept_steps *kept, const gmtrace_instr *instr)
{
    const int guard = path_const_guard(state, instr);
    if (guard == 0)
        return;
    path_step own;
    uint32_t value[PATH_SOURCES] = {0}, made[PATH_TARGETS];
    const path_step *step = guard == 1 ? step_of(state, kept, instr, &own) : NULL;
    const bool known = step && gather(state, step, value) && path_step_compute(step, value, made);
    path_const_forget(state, instr);
    for (unsigned i = 0; known && i < step->targets; i++) {
        if (!step->target[i].is_register)
            continue;
        path_file *file = &state->file[step->target[i].file];
        file->known[step->target[i].number] = true;
        file->value[step->target[i].number] = made[i];
    }
}

bool path_const_is_move(const gmtrace_instr *instr)
{
    if (instr->predicate != GMTRACE_NO_REGISTER)
        return false;
    for (unsigned i = 0; i < instr->operand_count; i++)
        if (!instr->operand[i].write)
            return false;
    return is_op(instr, "MOV") || gmt_has_prefix(instr->opcode, "IMAD.MOV") ||
           gmt_has_prefix(instr->opcode, "HFMA2") || gmt_has_prefix(instr->opcode, "CS2R");
}
