/* SPDX-License-Identifier: MIT
 *
 * lines_out.c - records into instruction lines. What is written is version 5: general registers
 * alone, the first of each operand. Records that are not one line each: the parts of a generic
 * access, which are joined, and the two sides of an asynchronous copy, of which the format has the
 * global one.
 */
#include "traces/code/decoded.h"
#include "traces/import/export.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCES 4u

/* ----------------------------------------------------------------------------------- the texts */

/* SASS that Accel-Sim treats as it would an instruction of this class and space. */
static void stand_in(const gmtrace_instr *instr, char *opcode, size_t size)
{
    static const char *const by_class[GMTRACE_CLASS_COUNT] = {
        [GMTRACE_CLASS_OTHER] = "MOV",
        [GMTRACE_CLASS_BULK] = "UBLKCP",
        [GMTRACE_CLASS_BARRIER] = "BAR.SYNC",
        [GMTRACE_CLASS_FENCE] = "MEMBAR.SC.GPU",
        [GMTRACE_CLASS_BRANCH] = "BRA",
        [GMTRACE_CLASS_CALL] = "CALL.REL.NOINC",
        [GMTRACE_CLASS_RETURN] = "RET.REL.NODEC",
        [GMTRACE_CLASS_EXIT] = "EXIT",
        [GMTRACE_CLASS_RECONVERGE] = "BSYNC",
        [GMTRACE_CLASS_FP32] = "FFMA",
        [GMTRACE_CLASS_FP64] = "DFMA",
        [GMTRACE_CLASS_FP16] = "HFMA2",
        [GMTRACE_CLASS_INT] = "IADD3",
        [GMTRACE_CLASS_SPECIAL] = "MUFU.RCP",
        [GMTRACE_CLASS_TENSOR] = "HMMA.16816.F32",
        [GMTRACE_CLASS_UNIFORM] = "UMOV",
        [GMTRACE_CLASS_TEXTURE] = "TEX",
        [GMTRACE_CLASS_SHUFFLE] = "SHFL.IDX",
    };
    static const char *const name[][GMTRACE_SPACE_COUNT] = {
        [GMTRACE_CLASS_LOAD] = {"LD.E", "LDG.E", "LDS", "LDL", "LD.E", "LDC", "LD.E"},
        [GMTRACE_CLASS_STORE] = {"ST.E", "STG.E", "STS", "STL", "ST.E", "ST.E", "ST.E"},
        [GMTRACE_CLASS_ATOMIC] = {"ATOM.E.ADD", "ATOMG.E.ADD", "ATOMS.ADD", "ATOM.E.ADD",
                                  "ATOM.E.ADD", "ATOM.E.ADD", "ATOM.E.ADD"},
        [GMTRACE_CLASS_REDUCTION] = {"RED.E.ADD", "RED.E.ADD", "ATOMS.ADD", "RED.E.ADD",
                                     "RED.E.ADD", "RED.E.ADD", "RED.E.ADD"},
        [GMTRACE_CLASS_COPY_ASYNC] = {"LDGSTS.E", "LDGSTS.E", "LDGSTS.E", "LDGSTS.E", "LDGSTS.E",
                                      "LDGSTS.E", "LDGSTS.E"},
    };
    const unsigned c = instr->op_class;
    if (c < GMTRACE_CLASS_LOAD || c > GMTRACE_CLASS_COPY_ASYNC) {
        snprintf(opcode, size, "%s", by_class[c]);
        return;
    }
    const char *width = instr->width == 1    ? ".U8"
                        : instr->width == 2  ? ".U16"
                        : instr->width == 8  ? ".64"
                        : instr->width == 16 ? ".128"
                        : instr->width == 32 ? ".256"
                                             : "";
    snprintf(opcode, size, "%s%s%s", name[c][instr->space], instr->bypass_l1 ? ".BYPASS" : "",
             width);
}

/* The general registers that the operands name in order, RZ as 255. */
static unsigned named_registers(const gmtrace_instr *instr, unsigned list[MAX_SOURCES + 1])
{
    unsigned count = 0;
    char before = ' ';
    for (const char *at = instr->operands; *at && count <= MAX_SOURCES; before = *at++) {
        if (*at != 'R' || isalnum((unsigned char)before))
            continue;
        if (at[1] == 'Z')
            list[count++] = 255;
        else if (isdigit((unsigned char)at[1]))
            list[count++] = (unsigned)strtoul(at + 1, NULL, 10) & 255;
    }
    return count;
}

/* The same from the table, where operands are no SASS. */
static unsigned table_registers(const gmtrace_instr *instr, unsigned list[MAX_SOURCES + 1])
{
    unsigned count = 0;
    for (unsigned write = 2; write-- > 0;)
        for (unsigned i = 0; i < instr->operand_count && count <= MAX_SOURCES; i++)
            if (instr->operand[i].file == GMTRACE_REG_GENERAL && instr->operand[i].write == write)
                list[count++] = instr->operand[i].first;
    return count;
}

static char *make_text(const gmtrace_instr *instr)
{
    unsigned list[MAX_SOURCES + 1], first = 256;
    const bool sass = gmtrace_is_sass(instr);
    const unsigned count = sass ? named_registers(instr, list) : table_registers(instr, list);
    for (unsigned i = instr->operand_count; i-- > 0;)
        if (instr->operand[i].write && instr->operand[i].file == GMTRACE_REG_GENERAL)
            first = instr->operand[i].first;
    const bool writes = count && list[0] == first;
    char opcode[160], text[256];
    if (sass)
        snprintf(opcode, sizeof opcode, "%.150s", instr->opcode);
    else
        stand_in(instr, opcode, sizeof opcode);
    const unsigned sources = count - writes < MAX_SOURCES ? count - writes : MAX_SOURCES;
    int used =
        writes ? snprintf(text, sizeof text, "1 R%u", list[0]) : snprintf(text, sizeof text, "0");
    used += snprintf(text + used, sizeof text - (size_t)used, " %s %u", opcode, sources);
    for (unsigned i = 0; i < sources; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " R%u", list[writes + i]);
    return strdup(text);
}

bool accel_lines_open(accel_lines *lines, const gmtrace_kernel *kernel)
{
    memset(lines, 0, sizeof *lines);
    lines->kernel = kernel;
    lines->text = calloc(kernel->instr_count + (size_t)1, sizeof *lines->text);
    bool done = lines->text != NULL;
    for (uint32_t i = 0; done && i < kernel->instr_count; i++) {
        lines->text[i] = make_text(&kernel->instr[i]);
        done = lines->text[i] != NULL;
        lines->line_info |= kernel->instr[i].line != 0;
        lines->stand_ins |= !gmtrace_is_sass(&kernel->instr[i]);
    }
    return done;
}

void accel_lines_close(accel_lines *lines)
{
    for (uint32_t i = 0; lines->text && i < lines->kernel->instr_count; i++)
        free(lines->text[i]);
    free(lines->text);
    lines->text = NULL;
}

/* ----------------------------------------------------------------------------------- the lines */

static void begin_line(accel_lines *lines, uint32_t instr, uint32_t mask)
{
    const gmtrace_instr *i = &lines->kernel->instr[instr];
    if (lines->line_info)
        accel_file_print(lines->file, "%u ", i->line);
    accel_file_print(lines->file, "%04" PRIx64 " %08x ", i->pc, mask);
    accel_file_put(lines->file, lines->text[instr], strlen(lines->text[instr]));
    lines->count++;
}

static unsigned width_of(const gmtrace_instr *instr)
{
    return instr->matrices ? 16 : instr->width ? instr->width : 4;
}

/* One run of active lanes with one stride, or base and differences; the addresses themselves where
 * a difference is large. */
static void put_addresses(accel_lines *lines)
{
    const uint64_t *address = lines->address;
    const uint32_t mask = lines->mask;
    const unsigned first = (unsigned)__builtin_ctz(mask);
    const uint32_t run = mask >> first;
    bool strided = run > 1 && !(run & (run + 1)), small = true;
    uint64_t last = address[first];
    const uint64_t stride = strided ? address[first + 1] - last : 0;
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
        const uint64_t here = address[__builtin_ctz(rest)], step = here - last;
        strided &= step == stride;
        small &= (uint64_t)(int64_t)(int32_t)step == step;
        last = here;
    }
    if (strided && small) {
        accel_file_print(lines->file, " 1 0x%" PRIx64 " %" PRId64, address[first], (int64_t)stride);
        return;
    }
    accel_file_print(lines->file, " %d 0x%" PRIx64, small ? 2 : 0, address[first]);
    last = address[first];
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
        const uint64_t here = address[__builtin_ctz(rest)];
        if (small)
            accel_file_print(lines->file, " %" PRId64, (int64_t)(here - last));
        else
            accel_file_print(lines->file, " 0x%" PRIx64, here);
        last = here;
    }
}

static void release(accel_lines *lines)
{
    if (!lines->held)
        return;
    lines->held = false;
    begin_line(lines, lines->instr, lines->mask);
    accel_file_print(lines->file, " %u", width_of(&lines->kernel->instr[lines->instr]));
    put_addresses(lines);
    accel_file_put(lines->file, " 0 \n", 4);
}

static bool has_lanes(const gmtrace_instr *instr)
{
    return instr->op_class >= GMTRACE_CLASS_LOAD && instr->op_class <= GMTRACE_CLASS_COPY_ASYNC &&
           instr->space != GMTRACE_SPACE_CONSTANT;
}

/* An instruction without addresses; a memory instruction of no lane has some of no meaning. */
static void put_plain(accel_lines *lines, uint32_t instr, uint32_t mask, uint32_t immediate)
{
    const gmtrace_instr *i = &lines->kernel->instr[instr];
    begin_line(lines, instr, mask);
    if (!mask && has_lanes(i))
        accel_file_print(lines->file, " %u 1 0x0 0 0 \n", width_of(i));
    else
        accel_file_print(lines->file, " 0 %u \n", immediate);
}

static void hold(accel_lines *lines, const gmtrace_chunk *chunk, const gmtrace_record *r)
{
    const gmtrace_instr *instr = &lines->kernel->instr[r->instr];
    uint64_t address[GMTRACE_WARP_LANES], base = 0;
    if (instr->space == GMTRACE_SPACE_GENERIC)
        base = r->space == GMTRACE_SPACE_SHARED  ? ACCEL_SHARED_BASE
               : r->space == GMTRACE_SPACE_LOCAL ? ACCEL_LOCAL_BASE
                                                 : 0;
    const bool joins = lines->held && lines->instr == r->instr && !(lines->mask & r->mask) &&
                       instr->space == GMTRACE_SPACE_GENERIC;
    if (!joins)
        release(lines);
    gmtrace_expand(chunk, r, address);
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        lines->address[lane] = address[lane] + base;
    }
    lines->mask = joins ? lines->mask | r->mask : r->mask;
    lines->instr = r->instr;
    lines->op = (gmtrace_op)r->op;
    lines->held = true;
}

const char *accel_lines_record(accel_lines *lines, const gmtrace_chunk *chunk,
                               const gmtrace_record *r)
{
    if (r->instr >= lines->kernel->instr_count)
        return "it has a record whose instruction is not known";
    if (r->kind == GMTRACE_BULK || r->kind == GMTRACE_WGMMA)
        return "it has bulk copies or warpgroup MMA, which version 5 of the format cannot hold";
    if (r->kind == GMTRACE_ACCESS && r->op != GMTRACE_OP_PREFETCH &&
        r->op != GMTRACE_OP_COPY_WRITE) {
        hold(lines, chunk, r);
        return NULL;
    }
    const bool side = r->op == GMTRACE_OP_COPY_WRITE;
    const bool read =
        side && lines->held && lines->instr == r->instr && lines->op == GMTRACE_OP_COPY_READ;
    release(lines);
    if (side && !read) /* it wrote zeros alone: nothing was read */
        put_plain(lines, r->instr, 0, 0);
    else if (!side)
        put_plain(lines, r->instr, r->kind == GMTRACE_EXEC && r->aux == 1 ? 0 : r->mask,
                  r->kind == GMTRACE_COPY_WAIT ? r->aux : 0);
    return NULL;
}

void accel_lines_end_warp(accel_lines *lines)
{
    release(lines);
}
