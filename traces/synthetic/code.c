/* SPDX-License-Identifier: MIT
 *
 * code.c - from lines of SASS to an instruction table.
 *
 * Control bits are control.c's. There are no encodings: the code is a description, not something
 * that a GPU could run.
 */
#include "traces/synthetic/code.h"
#include "traces/format/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/code/control.h"
#include "traces/code/sass.h"

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
    if (!GMT_GROW(code->instr, code->count)) {
        code->failed = true;
        return 0;
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
    return gmt_control_set(code->instr, code->count);
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
