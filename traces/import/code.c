/* SPDX-License-Identifier: MIT
 *
 * code.c - collects a kernel's instructions. Accel-Sim's lines name registers, not operands: no
 * predicates (before version 6), constants or immediates, no control bits, no encoding and no
 * branch targets. What they tell is written as SASS would write it and classified as such.
 */
#include "traces/import/code.h"
#include "traces/format/grow.h"

#include "traces/code/decoded.h"
#include "traces/code/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PC       ((uint64_t)64 << 20) /* of code in one function */
#define MAX_LAYERS   64u
#define MAX_SITES    (4u << 20)
#define MAX_OPCODE   128u
#define MAX_LIST     16u
#define LONGEST_NAME 8u

typedef struct reg {
    char name[LONGEST_NAME];
    bool zero; /* RZ, URZ, PT: nothing is read or written */
} reg;

typedef struct key {
    char opcode[MAX_OPCODE];
    reg written[MAX_LIST], read[MAX_LIST];
    unsigned written_count, read_count;
} key;

/* ------------------------------------------------------------------------------ taking it apart */

static const char *read_reg(const char *at, reg *out)
{
    const char *letter = at + (*at == 'U');
    uint64_t number;
    if (*letter != 'R' && *letter != 'P')
        return NULL;
    const char *end = accel_decimal(letter + 1, &number);
    if (!end || number > 255 || (*end != ' ' && *end != '\0'))
        return NULL;
    const bool uniform = letter > at;
    const char *name = NULL;
    if (*letter == 'P')
        name = number == 7 ? (uniform ? "UPT" : "PT") : NULL;
    else if (number == 255 || (uniform && number == 63))
        name = uniform ? "URZ" : "RZ";
    out->zero = name != NULL;
    if (name)
        snprintf(out->name, sizeof out->name, "%s", name);
    else
        snprintf(out->name, sizeof out->name, "%.*s", (int)(end - at), at);
    return end;
}

static const char *read_list(const char *at, reg *list, unsigned *count)
{
    uint64_t number;
    at = accel_decimal(at, &number);
    if (!at || number > MAX_LIST)
        return NULL;
    *count = (unsigned)number;
    for (unsigned i = 0; i < number && at; i++)
        at = read_reg(accel_blanks(at), &list[i]);
    return at && (*at == ' ' || *at == '\0') ? at : NULL;
}

static const char *read_key(const char *at, key *out, const char **problem)
{
    *problem = "cannot read the destination registers";
    at = read_list(at, out->written, &out->written_count);
    if (!at)
        return NULL;
    *problem = "cannot read the opcode";
    at = accel_blanks(at);
    const size_t length = strcspn(at, " ");
    if (!length || length >= MAX_OPCODE || at[0] < 'A' || at[0] > 'Z')
        return NULL;
    memcpy(out->opcode, at, length);
    out->opcode[length] = '\0';
    for (const char *c = out->opcode; *c; c++)
        if (*c < ' ' || *c > '~')
            return NULL;
    *problem = "cannot read the source registers";
    at = read_list(accel_blanks(at + length), out->read, &out->read_count);
    if (at)
        *problem = NULL;
    return at;
}

/* ----------------------------------------------------------------------------- what it will be */

static uint8_t op_of(uint8_t op_class)
{
    switch (op_class) {
    case GMTRACE_CLASS_STORE:
        return GMTRACE_OP_STORE;
    case GMTRACE_CLASS_ATOMIC:
        return GMTRACE_OP_ATOMIC;
    case GMTRACE_CLASS_REDUCTION:
        return GMTRACE_OP_REDUCTION;
    case GMTRACE_CLASS_COPY_ASYNC:
        return GMTRACE_OP_COPY_READ;
    default:
        return GMTRACE_OP_LOAD;
    }
}

static void set_action(accel_site *site, const accel_format *format)
{
    const gmtrace_instr *instr = &site->instr;
    const gmtrace_decoded decoded = gmtrace_decode(instr);
    const bool marked = format->version >= 6;
    site->tma = marked && decoded.kind == GMTRACE_BULK;
    site->gmma = marked && decoded.kind == GMTRACE_WGMMA;
    site->size = instr->matrices ? 16 : instr->width; /* LDSM: a lane names a row of 16 bytes */
    site->op = site->tma ? decoded.op : op_of(instr->op_class);
    site->kind = decoded.kind;
    site->mbarrier = decoded.mbarrier;
    if (gmtrace_accesses_by_lane(instr))
        site->action = instr->space == GMTRACE_SPACE_GENERIC ? ACCEL_GENERIC : ACCEL_ACCESS;
    else if (site->tma)
        site->action = decoded.op == GMTRACE_OP_PREFETCH ? ACCEL_BULK_PREFETCH : ACCEL_BULK;
    else if (site->mbarrier)
        site->action = ACCEL_MBARRIER;
    else if (decoded.kind == GMTRACE_BARRIER || decoded.kind == GMTRACE_CLUSTER_ARRIVE ||
             decoded.kind == GMTRACE_CLUSTER_WAIT || decoded.kind == GMTRACE_COPY_COMMIT ||
             decoded.kind == GMTRACE_COPY_WAIT)
        site->action = ACCEL_PLAIN;
    site->places = site->action == ACCEL_GENERIC || instr->space == GMTRACE_SPACE_LOCAL;
}

static uint32_t unseen_by(const accel_site *site)
{
    const uint32_t unseen = gmtrace_decode(&site->instr).unseen;
    return unseen & (GMTRACE_UNSEEN_WGMMA | (site->tma ? 0 : GMTRACE_UNSEEN_TENSOR_COPY));
}

/* ------------------------------------------------------------------------------------ the table */

/* "R4, [R2]", "[R2], R4", "[R1], [R6]": written registers, then those read, the address among them
 * in brackets. The tracer lists the registers of the address first. */
static char *operand_text(const gmtrace_instr *instr, const key *k)
{
    char text[2 * MAX_LIST * (LONGEST_NAME + 4) + 1];
    size_t used = 0;
    const unsigned brackets = !gmtrace_accesses_by_lane(instr)              ? 0
                              : instr->op_class == GMTRACE_CLASS_COPY_ASYNC ? 2
                                                                            : 1;
    text[0] = '\0';
    for (unsigned i = 0; i < k->written_count + k->read_count; i++) {
        const bool read = i >= k->written_count;
        const unsigned place = read ? i - k->written_count : i;
        const reg *r = read ? &k->read[place] : &k->written[place];
        const bool address = read && place < brackets;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", i ? ", " : "",
                                 address ? "[" : "", r->name, address ? "]" : "");
    }
    return strdup(text);
}

static void set_written(gmtrace_instr *instr, const key *k)
{
    unsigned count = 0;
    for (unsigned i = 0; i < k->written_count; i++)
        count += !k->written[i].zero;
    for (unsigned i = 0; i < instr->operand_count; i++)
        instr->operand[i].write = i < count;
}

static bool make_room(accel_code *code, uint64_t pc)
{
    if (!GMT_GROW(code->site, code->count))
        return false;
    uint64_t slots = code->slots ? code->slots : 256;
    while (slots <= pc / 8)
        slots *= 2;
    if (slots == code->slots)
        return true;
    uint32_t *first = realloc(code->first, (size_t)slots * sizeof *first);
    if (!first)
        return false;
    for (uint64_t i = code->slots; i < slots; i++)
        first[i] = ACCEL_NO_SITE;
    code->first = first;
    code->slots = slots;
    return true;
}

/* Behind the last one at its pc; returns the number of those before, MAX_LAYERS where too many. */
static uint32_t chain(accel_code *code, uint64_t pc, uint32_t added)
{
    uint32_t layer = 0;
    uint32_t *link = &code->first[pc / 8];
    for (; *link != ACCEL_NO_SITE && layer < MAX_LAYERS; link = &code->site[*link].next)
        layer += code->site[*link].instr.pc == pc;
    if (layer < MAX_LAYERS)
        *link = added;
    return layer;
}

const accel_site *accel_code_add(accel_code *code, const accel_format *format, uint64_t pc,
                                 const char *at, uint64_t source_line, const char **after,
                                 const char **problem)
{
    key k;
    const char *end = read_key(at, &k, problem);
    if (!end)
        return NULL;
    *problem = "the pc is beyond 64 MiB of code";
    if (pc >= MAX_PC)
        return NULL;
    *problem = "more than 4 million different instructions";
    if (code->count >= MAX_SITES)
        return NULL;
    *problem = "out of memory";
    if (!make_room(code, pc))
        return NULL;
    const uint32_t added = code->count;
    accel_site *site = &code->site[added];
    memset(site, 0, sizeof *site);
    site->next = ACCEL_NO_SITE;
    gmtrace_instr *instr = &site->instr;
    instr->pc = pc;
    instr->file = GMTRACE_UNKNOWN;
    instr->line = source_line <= UINT32_MAX ? (uint32_t)source_line : 0;
    instr->target = GMTRACE_NO_INSTR;
    instr->predicate = GMTRACE_NO_REGISTER;
    char *opcode = strdup(k.opcode);
    instr->opcode = opcode;
    instr->operands = "";
    if (!opcode)
        return NULL;
    gmtrace_sass_classify(instr);
    char *operands = operand_text(instr, &k);
    site->length = (uint32_t)(end - at);
    site->text = operands ? malloc(site->length + (size_t)1) : NULL;
    if (!site->text) {
        free(opcode);
        free(operands);
        return NULL;
    }
    memcpy(site->text, at, site->length);
    instr->operands = operands;
    gmtrace_sass_classify(instr);
    set_written(instr, &k);
    set_action(site, format);
    code->count++;
    site->layer = chain(code, pc, added);
    *problem = "more than 64 different instructions at this pc";
    if (site->layer == MAX_LAYERS)
        return NULL;
    *problem = NULL;
    code->unseen |= unseen_by(site);
    *after = end;
    return site;
}

static int by_place(const void *a, const void *b)
{
    const accel_site *left = *(const accel_site *const *)a, *right = *(const accel_site *const *)b;
    if (left->layer != right->layer)
        return left->layer < right->layer ? -1 : 1;
    return (left->instr.pc > right->instr.pc) - (left->instr.pc < right->instr.pc);
}

bool accel_code_finish(accel_code *code)
{
    free(code->table);
    code->table = malloc((code->count + (size_t)1) * sizeof *code->table);
    accel_site **order = malloc((code->count + (size_t)1) * sizeof *order);
    if (!code->table || !order) {
        free(order);
        return false;
    }
    uint64_t span = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        order[i] = &code->site[i];
        const uint64_t pc = code->site[i].instr.pc;
        span = pc + 16 > span ? pc + 16 : span;
    }
    span = (span + 255) / 256 * 256;
    qsort(order, code->count, sizeof(accel_site *), by_place);
    for (uint32_t i = 0; i < code->count; i++) {
        order[i]->index = i;
        code->table[i] = order[i]->instr;
        code->table[i].pc += order[i]->layer * span;
    }
    free(order);
    return true;
}

void accel_code_free(accel_code *code)
{
    for (uint32_t i = 0; i < code->count; i++) {
        free(code->site[i].text);
        free((char *)(uintptr_t)code->site[i].instr.opcode);
        free((char *)(uintptr_t)code->site[i].instr.operands);
    }
    free(code->site);
    free(code->first);
    free(code->table);
    memset(code, 0, sizeof *code);
}
