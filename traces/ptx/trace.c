/* SPDX-License-Identifier: MIT
 *
 * trace.c - a kernel's instruction table, and the way of records to the writer.
 */
#include "traces/code/control.h"
#include "traces/ptx/exec.h"
#include "traces/ptx/sass/sass.h"
#include "traces/ptx/tensor.h"

#include <ctype.h>
#include <stdlib.h>

/* -------------------------------------------------------------------------------------- records */

typedef struct ptx_kept {
    gmtrace_record record;
    uint32_t warp;
    bool lanes;
} ptx_kept;

/* Shapes are found here, where CTAs run at once, and not where records are written one by one. */
static bool keep(ptx_sink *s, uint32_t warp, const gmtrace_record *record, const uint64_t *address)
{
    gmtrace_record shaped = *record;
    if (address && gmtrace_pick_shape(&shaped, address))
        address = NULL;
    if (s->count == s->room) {
        const size_t room = s->room ? s->room * 2 : 1024;
        ptx_kept *kept = realloc(s->kept, room * sizeof *kept);
        if (!kept)
            return false;
        s->kept = kept;
        s->room = room;
    }
    if (address && s->lane_count == s->lane_room) {
        const size_t room = s->lane_room ? s->lane_room * 2 : 256;
        uint64_t *lanes = realloc(s->lanes, room * LANES * sizeof *lanes);
        if (!lanes)
            return false;
        s->lanes = lanes;
        s->lane_room = room;
    }
    if (address)
        memcpy(s->lanes + s->lane_count++ * LANES, address, LANES * sizeof *address);
    s->kept[s->count++] = (ptx_kept){shaped, warp, address != NULL};
    return true;
}

void gmptx_record(ptx_warp *w, const ptx_op *op, const gmtrace_record *record,
                  const uint64_t *address)
{
    ptx_cta *cta = w->cta;
    ptx_sink *s = cta->sink;
    cta->records++;
    const bool good = s->direct ? gmtrace_writer_append(s->writer, cta->number, w->number, record,
                                                        address, &cta->trace_error)
                                : keep(s, w->number, record, address);
    if (good)
        return;
    if (!s->direct)
        gmptx_fail(&cta->trace_error, GMTRACE_MEMORY, 0, "out of memory for records");
    gmptx_fault_at(w, op, LANES, GMPTX_FAULT_OTHER);
}

bool gmptx_sink_flush(ptx_sink *s, uint64_t cta, gmtrace_error *error)
{
    size_t lanes = 0;
    bool good = true;
    for (size_t i = 0; good && i < s->count; i++) {
        const ptx_kept *k = &s->kept[i];
        const uint64_t *address = k->lanes ? s->lanes + lanes++ * LANES : NULL;
        good = gmtrace_writer_append(s->writer, cta, k->warp, &k->record, address, error);
    }
    s->count = s->lane_count = 0;
    return good;
}

void gmptx_sink_free(ptx_sink *s)
{
    free(s->kept);
    free(s->lanes);
}

/* ---------------------------------------------------------------------------- instruction table */

/* Text in one line: runs of blanks become one. */
static char *tidy(ptx_slice s)
{
    char *out = malloc((size_t)s.length + 1);
    size_t n = 0;
    if (!out)
        return NULL;
    for (uint32_t i = 0; i < s.length; i++) {
        const bool blank = isspace((unsigned char)s.text[i]) != 0;
        if (blank && (n == 0 || out[n - 1] == ' '))
            continue;
        out[n++] = blank ? ' ' : s.text[i];
    }
    out[n] = 0;
    return out;
}

/* The opcode's text. What ptxas makes a counting instruction of says so, in SASS's word: shared
 * memory takes it otherwise than a sum. */
static char *opcode_text(const ptx_op *op, const ptx_statement *s)
{
    static const char suffix[] = ".POPC.INC";
    char *text = s ? tidy(s->opcode) : strdup("ret");
    if (!text || !(op->flags & PTX_FLAG_COUNTS))
        return text;
    const size_t length = strlen(text);
    char *longer = realloc(text, length + sizeof suffix);
    if (!longer) {
        free(text);
        return NULL;
    }
    memcpy(longer + length, suffix, sizeof suffix);
    return longer;
}

/* The register number of a place: units of the frame. More than the format holds wrap around. */
static bool number_of(const ptx_kernel *k, uint32_t op, ptx_ref ref, gmtrace_operand *o)
{
    if (ref == REF_NONE || REF_FILE(ref) != PTX_FILE_FRAME)
        return false;
    const uint32_t predicates = k->image[k->op_function[op]].predicate_bytes;
    if (REF_OFFSET(ref) < predicates)
        *o = (gmtrace_operand){GMTRACE_REG_PREDICATE, (uint8_t)(REF_OFFSET(ref) / 4 % 7), 1, 0};
    else
        *o = (gmtrace_operand){GMTRACE_REG_GENERAL,
                               (uint8_t)((REF_OFFSET(ref) - predicates) / PTX_UNIT % 254), 1, 0};
    return true;
}

/* Does the operation take 64-bit registers at r[n]? Told by the declared type. */
static uint8_t units_of(const ptx_kernel *k, uint32_t op, unsigned n, bool address)
{
    const ptx_op *o = &k->op[op];
    if (address)
        return o->narrow ? 1 : 2;
    if (o->control == CONTROL_MEMORY)
        return o->width[0] == 8 || (o->width[0] == 0 && o->type >= PTX_B64) ? 2 : 1;
    if (o->width[0])
        return (n < o->writes ? o->width[0] : o->width[1] ? o->width[1] : o->width[0]) == 8 ? 2 : 1;
    return o->type >= PTX_B64 ? 2 : 1;
}

/* Registers side by side are one operand of an instruction that has many. */
static bool goes_on(const ptx_op *op, const gmtrace_instr *instr, const gmtrace_operand *o)
{
    if (!op->wide || !instr->operand_count)
        return false;
    gmtrace_operand *last = (gmtrace_operand *)&instr->operand[instr->operand_count - 1];
    if (o->file != last->file || o->write != last->write || o->first != last->first + last->count)
        return false;
    last->count = (uint8_t)(last->count + o->count);
    return true;
}

static void add_operands(const ptx_kernel *k, uint32_t at, gmtrace_instr *instr)
{
    const ptx_op *op = &k->op[at];
    const ptx_ref *refs = gmptx_refs(k, op);
    for (unsigned i = 0; i < op->refs && instr->operand_count < GMTRACE_MAX_OPERANDS; i++) {
        gmtrace_operand *o = &instr->operand[instr->operand_count];
        if (!number_of(k, at, refs[i], o))
            continue;
        o->write = i < op->writes;
        if (o->file == GMTRACE_REG_GENERAL)
            o->count = units_of(k, at, i, false);
        if (goes_on(op, instr, o))
            continue;
        instr->operand_count++;
    }
    gmtrace_operand *o = &instr->operand[instr->operand_count];
    if (instr->operand_count < GMTRACE_MAX_OPERANDS && number_of(k, at, op->address, o)) {
        o->count = units_of(k, at, 0, true);
        instr->operand_count++;
    }
}

/* The kernel's files are those of the module that its instructions name. */
static uint32_t file_number(const gmptx_module *m, uint32_t file, const char **list,
                            uint32_t *count)
{
    if (file >= m->file_count || !m->file[file])
        return GMTRACE_UNKNOWN;
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == m->file[file])
            return i;
    list[*count] = m->file[file];
    return (*count)++;
}

static bool add_kernel(const ptx_kernel *k, const char *name, uint32_t registers,
                       const gmtrace_instr *instr, const char *const *files, uint32_t file_count,
                       gmtrace_writer *writer, uint32_t *index, gmtrace_error *error)
{
    const gmptx_kernel *info = &k->info;
    const gmtrace_kernel described = {.mangled = info->mangled,
                                      .name = name ? name : info->mangled,
                                      .registers = registers ? registers : info->registers,
                                      .static_shared = info->static_shared,
                                      .local_bytes = info->local_bytes,
                                      .barriers = info->barriers,
                                      .instr_count = k->op_count,
                                      .instr = instr,
                                      .file_count = file_count,
                                      .file = files};
    return gmtrace_writer_add_kernel(writer, &described, index, error);
}

static bool fill_instr(const ptx_kernel *k, uint32_t at, gmtrace_instr *out, const char **files,
                       uint32_t *file_count)
{
    const ptx_op *op = &k->op[at];
    const ptx_statement *s = gmptx_statement_of(k, at);
    const bool branches = op->control == CONTROL_BRANCH || op->control == CONTROL_BRANCH_RETURN;
    const bool moves =
        op->control == CONTROL_MEMORY && op->vector && op->op_class != GMTRACE_CLASS_FENCE;
    gmtrace_operand guard = {0};
    *out = (gmtrace_instr){.pc = (uint64_t)at * 16,
                           .opcode = opcode_text(op, s),
                           .operands = s ? tidy(s->operands) : strdup(""),
                           .file = GMTRACE_UNKNOWN,
                           .target = branches ? op->target : GMTRACE_NO_INSTR,
                           .op_class = op->op_class,
                           .space = op->trace_space,
                           .cache = op->cache,
                           .bypass_l1 = op->bypass_l1,
                           .predicate = GMTRACE_NO_REGISTER,
                           .write_barrier = 7,
                           .read_barrier = 7};
    if (moves)
        out->width = op->op_class == GMTRACE_CLASS_COPY_ASYNC
                         ? op->vector
                         : (uint8_t)(gmptx_type_bytes((ptx_type)op->type) * op->vector);
    if (op->wide)
        out->matrices = k->tensor[op->imm].matrices;
    if (op->control == CONTROL_CALL)
        out->target = k->image[op->target].first;
    if (number_of(k, at, op->guard, &guard)) {
        out->predicate = guard.first;
        out->predicate_negated = op->guard_negated;
    }
    add_operands(k, at, out);
    if (s) {
        out->file = file_number(k->module, s->file, files, file_count);
        out->line = out->file == GMTRACE_UNKNOWN ? 0 : s->source_line;
    }
    return out->opcode && out->operands;
}

bool gmptx_add_to_trace(const gmptx_kernel *kernel, const char *name, uint32_t registers,
                        gmtrace_writer *writer, uint32_t *index, gmtrace_error *error)
{
    const ptx_kernel *k = kernel_of(kernel);
    if (k->sass) {
        const gmtrace_sass *code = &k->sass->code;
        return add_kernel(k, name, 0, code->instr, code->file, code->file_count, writer, index,
                          error);
    }
    gmtrace_instr *instr = calloc(k->op_count, sizeof *instr);
    const char **files = calloc(k->module->file_count + 1, sizeof *files);
    uint32_t file_count = 0;
    bool good = instr && files;
    for (uint32_t i = 0; good && i < k->op_count; i++)
        good = fill_instr(k, i, &instr[i], files, &file_count);
    good = good && gmt_control_set(instr, k->op_count);
    if (good)
        gmt_control_hoist(instr, k->op_count);
    if (!good) {
        gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
    } else {
        good = add_kernel(k, name, registers, instr, files, file_count, writer, index, error);
    }
    for (uint32_t i = 0; instr && i < k->op_count; i++) {
        free((char *)instr[i].opcode);
        free((char *)instr[i].operands);
    }
    free(instr);
    free(files);
    return good;
}
