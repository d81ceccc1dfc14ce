/* SPDX-License-Identifier: MIT
 *
 * decoded_ptx.c - PTX, as traces/ptx writes it into a trace: the unit is that of the SASS which
 * ptxas makes of the instruction, or of the slowest where it makes several. Class and space are the
 * interpreter's. Left out: what ptxas joins, moves or drops.
 */
#include "traces/code/decoded_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ptx_rule {
    const char *name; /* the opcode up to its first dot; the first match holds */
    uint8_t unit;
} ptx_rule;

/* Whatever the type. */
static const ptx_rule any_type[] = {
    {"shfl", GMTRACE_UNIT_SHUFFLE},  {"elect", GMTRACE_UNIT_SHUFFLE},
    {"vote", GMTRACE_UNIT_VOTE},     {"activemask", GMTRACE_UNIT_VOTE},
    {"redux", GMTRACE_UNIT_REDUX},   {"match", GMTRACE_UNIT_MATCH_ANY},
    {"membar", GMTRACE_UNIT_MEMBAR}, {"fence", GMTRACE_UNIT_MEMBAR},
    {"popc", GMTRACE_UNIT_BITS},     {"brev", GMTRACE_UNIT_BITS},
    {"clz", GMTRACE_UNIT_BITS},      {"bfind", GMTRACE_UNIT_BITS},
};

/* Of a class whose others run on the ALU. Division is a reciprocal and some steps more. */
static const ptx_rule arithmetic[] = {
    {"fma", GMTRACE_UNIT_IMAD},  {"mad*", GMTRACE_UNIT_IMAD}, {"mul*", GMTRACE_UNIT_IMAD},
    {"dp4a", GMTRACE_UNIT_IMAD}, {"dp2a", GMTRACE_UNIT_IMAD}, {"div", GMTRACE_UNIT_SFU},
    {"rem", GMTRACE_UNIT_SFU},
};

static const ptx_rule on_alu[] = {{"set*", 0}, {"min", 0},      {"max", 0},  {"selp", 0},
                                  {"slct", 0}, {"copysign", 0}, {"testp", 0}};

static const ptx_rule *find(const ptx_rule *rules, size_t count, const char *opcode)
{
    const size_t length = strcspn(opcode, ".");
    for (size_t i = 0; i < count; i++)
        if (gmt_matches(rules[i].name, opcode, length))
            return &rules[i];
    return NULL;
}

#define FIND(rules, opcode) find(rules, sizeof rules / sizeof *rules, opcode)

uint8_t gmt_unit_of_class(uint8_t op_class)
{
    switch ((gmtrace_class)op_class) {
    case GMTRACE_CLASS_INT:
    case GMTRACE_CLASS_FP32:
    case GMTRACE_CLASS_FP16:
        return GMTRACE_UNIT_ALU;
    case GMTRACE_CLASS_FP64:
        return GMTRACE_UNIT_FP64;
    case GMTRACE_CLASS_SPECIAL:
        return GMTRACE_UNIT_SFU;
    case GMTRACE_CLASS_TENSOR:
        return GMTRACE_UNIT_WGMMA;
    case GMTRACE_CLASS_SHUFFLE:
        return GMTRACE_UNIT_SHUFFLE;
    case GMTRACE_CLASS_UNIFORM:
        return GMTRACE_UNIT_UNIFORM;
    default:
        return GMTRACE_UNIT_OTHER;
    }
}

static bool is_float(const char *type)
{
    return type && (strncmp(type, ".f", 2) == 0 || strncmp(type, ".bf", 3) == 0);
}

/* cvt.rn.f32.s32: to, from. Between halves and floats F2FP and HADD2 do, from integers I2FP. */
static uint8_t conversion(const char *opcode)
{
    const char *from = strrchr(opcode, '.'), *to = from;
    while (to && to > opcode && *--to != '.')
        ;
    if (!from || to == opcode || (!is_float(from) && !is_float(to)))
        return GMTRACE_UNIT_ALU;
    if (strstr(to, "64"))
        return GMTRACE_UNIT_CONVERT64;
    const bool same = (size_t)(from - to) == strlen(from) && strncmp(to, from, strlen(from)) == 0;
    return is_float(to) && !same ? GMTRACE_UNIT_ALU : GMTRACE_UNIT_CONVERT;
}

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32,
 * wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32: as much work as the instructions that ptxas
 * makes of it. */
static void set_tensor(const char *opcode, gmtrace_decoded *d)
{
    static const struct {
        const char *name;
        uint8_t unit;
        uint16_t whole; /* products that the unit's shape makes */
    } elements[] = {
        {"f64", GMTRACE_UNIT_TENSOR_FP64, 256},   {"tf32", GMTRACE_UNIT_TENSOR_TF32, 1024},
        {"bf16", GMTRACE_UNIT_TENSOR, 2048},      {"s8", GMTRACE_UNIT_TENSOR_INT8, 4096},
        {"u8", GMTRACE_UNIT_TENSOR_INT8, 4096},   {"e4m3", GMTRACE_UNIT_TENSOR_INT8, 4096},
        {"e5m2", GMTRACE_UNIT_TENSOR_INT8, 4096}, {"s4", GMTRACE_UNIT_TENSOR_INT8, 8192},
        {"u4", GMTRACE_UNIT_TENSOR_INT8, 8192},   {"b1", GMTRACE_UNIT_TENSOR_INT8, 32768}};
    const char *dot = strstr(opcode, ".m");
    unsigned rows = 0, columns = 0, depth = 0;
    for (; dot && sscanf(dot, ".m%2un%2uk%3u", &rows, &columns, &depth) != 3;)
        dot = strstr(dot + 1, ".m");
    unsigned whole = 2048;
    d->unit = gmt_has_modifier(opcode, "f32") ? GMTRACE_UNIT_TENSOR : GMTRACE_UNIT_TENSOR_F16;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (gmt_has_modifier(opcode, elements[i].name)) {
            d->unit = elements[i].unit;
            whole = elements[i].whole;
            break;
        }
    const unsigned sixteenths = dot ? 16u * rows * columns * depth / whole : 16u;
    d->sixteenths = (uint8_t)(sixteenths > UINT8_MAX ? UINT8_MAX : sixteenths);
}

static uint8_t unit_of(const gmtrace_instr *instr)
{
    const char *opcode = instr->opcode;
    const ptx_rule *rule = FIND(any_type, opcode);
    if (rule)
        return rule->unit == GMTRACE_UNIT_MATCH_ANY && gmt_has_modifier(opcode, "all")
                   ? GMTRACE_UNIT_MATCH_ALL
                   : rule->unit;
    if (strncmp(opcode, "cvt.", 4) == 0)
        return conversion(opcode);
    const char *source = strstr(instr->operands, ", %");
    switch ((gmtrace_class)instr->op_class) {
    case GMTRACE_CLASS_LOAD:
        return strncmp(opcode, "ld.const", 8) == 0 ? GMTRACE_UNIT_LDC : GMTRACE_UNIT_OTHER;
    case GMTRACE_CLASS_FP32:
    case GMTRACE_CLASS_FP16:
        rule = FIND(arithmetic, opcode);
        if (rule && rule->unit == GMTRACE_UNIT_SFU)
            return GMTRACE_UNIT_SFU;
        if (FIND(on_alu, opcode))
            return GMTRACE_UNIT_ALU;
        return instr->op_class == GMTRACE_CLASS_FP32 ? GMTRACE_UNIT_FP32 : GMTRACE_UNIT_FP16;
    case GMTRACE_CLASS_INT:
        /* %ntid and the like are constants */
        if (strncmp(opcode, "mov.", 4) == 0 && source)
            return strncmp(source, ", %clock", 8) == 0 ? GMTRACE_UNIT_CS2R
                   : strncmp(source, ", %tid", 6) == 0 || strncmp(source, ", %ctaid", 8) == 0 ||
                           strncmp(source, ", %lane", 7) == 0 ||
                           strncmp(source, ", %warpid", 9) == 0
                       ? GMTRACE_UNIT_S2R
                       : GMTRACE_UNIT_ALU;
        rule = FIND(arithmetic, opcode);
        if (rule && rule->unit == GMTRACE_UNIT_IMAD &&
            (gmt_has_modifier(opcode, "wide") || gmt_has_modifier(opcode, "hi") ||
             strstr(opcode, "64")))
            return GMTRACE_UNIT_IMAD_WIDE;
        return rule ? rule->unit : GMTRACE_UNIT_ALU;
    default:
        return gmt_unit_of_class(instr->op_class);
    }
}

static gmtrace_lanes lanes_of(const gmtrace_instr *instr)
{
    const char *last = strrchr(instr->operands, ',');
    switch ((gmtrace_class)instr->op_class) {
    case GMTRACE_CLASS_LOAD:
        return instr->space == GMTRACE_SPACE_CONSTANT || strncmp(instr->opcode, "ld.param", 8) == 0
                   ? GMTRACE_LANES_AS_GIVEN
                   : GMTRACE_LANES_DIFFER;
    case GMTRACE_CLASS_ATOMIC:
    case GMTRACE_CLASS_SHUFFLE:
        return GMTRACE_LANES_DIFFER;
    case GMTRACE_CLASS_INT:
        if (strncmp(instr->opcode, "shr.", 4) == 0 && last && strtoul(last + 1, NULL, 0) >= 5)
            return GMTRACE_LANES_AGREE;
        return strstr(instr->operands, ", %tid.x") || strstr(instr->operands, ", %lane")
                   ? GMTRACE_LANES_DIFFER
                   : GMTRACE_LANES_AS_GIVEN;
    default:
        return GMTRACE_LANES_AS_GIVEN;
    }
}

void gmt_decode_ptx(const gmtrace_instr *instr, gmtrace_decoded *d)
{
    d->op_class = instr->op_class;
    d->space = instr->space;
    if (!instr->opcode || !instr->operands) {
        d->unit = gmt_unit_of_class(instr->op_class);
        return;
    }
    if (d->op_class == GMTRACE_CLASS_TENSOR)
        set_tensor(instr->opcode, d);
    else
        d->unit = unit_of(instr);
    d->lanes = (uint8_t)lanes_of(instr);
}
