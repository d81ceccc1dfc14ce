/* SPDX-License-Identifier: MIT
 *
 * meta_read.c - CAPTURE, KERNEL, LAUNCH and LAUNCH_END back into structs. What is handed out lies
 * in one block: the struct's arrays first, then its strings, each ended by a zero byte.
 */
#include "traces/format/internal.h"

static bool bad(gmtrace_error *error, uint64_t offset, const char *what, const char *problem)
{
    return gmt_fail(error, GMTRACE_CORRUPT, offset, "%s at byte %llu: %s", what,
                    (unsigned long long)offset, problem);
}

/* There is room: a string needs its bytes plus one, and its length took at least one byte of the
 * section. */
const char *gmt_take_string(gmt_view *view, char **text)
{
    uint64_t size = gmt_take_varint(view);
    const uint8_t *from = size <= gmt_left(view) ? gmt_take(view, (size_t)size) : NULL;
    if (view->bad || !from || memchr(from, 0, (size_t)size)) {
        view->bad = true;
        return "";
    }
    char *string = *text;
    memcpy(string, from, (size_t)size);
    string[size] = '\0';
    *text += size + 1;
    return string;
}

static gmt_view view_of(const gmt_buffer *raw)
{
    return (gmt_view){.next = raw->data, .end = raw->data + raw->size};
}

bool gmt_get_capture(const gmt_buffer *raw, uint64_t offset, gmtrace_capture *capture,
                     void **storage, gmtrace_error *error)
{
    gmt_view view = view_of(raw);
    char *text = malloc(raw->size + 1);
    if (!text)
        return gmt_fail_memory(error);
    *storage = text;
    capture->cc_major = gmt_take32(&view);
    capture->cc_minor = gmt_take32(&view);
    capture->sm_count = gmt_take32(&view);
    capture->driver_version = gmt_take32(&view);
    capture->unseen = gmt_take32(&view);
    capture->source = gmt_take_string(&view, &text);
    capture->program = gmt_take_string(&view, &text);
    capture->gpu = gmt_take_string(&view, &text);
    if (view.bad || gmt_left(&view))
        return bad(error, offset, "capture section", "wrong length");
    const char *problem = gmt_check_capture(capture);
    return problem ? bad(error, offset, "capture section", problem) : true;
}

static bool take_instr(const uint8_t *p, gmtrace_instr *instr)
{
    instr->pc = gmt_get64(p);
    instr->encoding[0] = gmt_get64(p + 8);
    instr->encoding[1] = gmt_get64(p + 16);
    instr->file = gmt_get32(p + 24);
    instr->line = gmt_get32(p + 28);
    instr->target = gmt_get32(p + 32);
    p += 36;
    instr->op_class = p[0];
    instr->space = p[1];
    instr->width = p[2];
    instr->cache = p[3];
    instr->bypass_l1 = p[4];
    instr->matrices = p[5];
    instr->predicate = p[6];
    instr->predicate_negated = p[7];
    instr->stall = p[8];
    instr->yield = p[9];
    instr->write_barrier = p[10];
    instr->read_barrier = p[11];
    instr->wait_mask = p[12];
    instr->reuse = p[13];
    instr->operand_count = p[14];
    bool reserved = p[15] != 0;
    p += 16;
    for (unsigned i = 0; i < GMTRACE_MAX_OPERANDS; i++, p += 4) {
        instr->operand[i] = (gmtrace_operand){p[0], p[1], p[2], p[3]};
        if (i >= instr->operand_count)
            reserved |= (p[0] | p[1] | p[2] | p[3]) != 0;
    }
    for (unsigned i = 92; i < GMT_KERNEL_INSTR_SIZE; i++)
        reserved |= *p++ != 0;
    return !reserved;
}

bool gmt_get_kernel(const gmt_buffer *raw, uint64_t offset, gmt_budget *budget,
                    gmtrace_kernel *kernel, void **storage, gmtrace_error *error)
{
    static const char what[] = "kernel section";
    gmt_view view = view_of(raw);
    kernel->registers = gmt_take32(&view);
    kernel->static_shared = gmt_take32(&view);
    kernel->local_bytes = gmt_take32(&view);
    kernel->barriers = gmt_take32(&view);
    kernel->instr_count = gmt_take32(&view);
    kernel->file_count = gmt_take32(&view);
    /* An instruction takes its fixed size and two strings of a byte or more; a file a byte. */
    if (view.bad || kernel->instr_count > gmt_left(&view) / (GMT_KERNEL_INSTR_SIZE + 2) ||
        kernel->file_count > gmt_left(&view))
        return bad(error, offset, what, "its counts exceed its length");
    const size_t instrs = kernel->instr_count * sizeof(gmtrace_instr);
    const size_t files = kernel->file_count * sizeof(char *);
    if (!gmt_claim(budget, instrs + files + raw->size + 1, offset, error))
        return false;
    char *block = calloc(1, instrs + files + raw->size + 1);
    if (!block)
        return gmt_fail_memory(error);
    *storage = block;
    gmtrace_instr *instr = (gmtrace_instr *)(void *)block;
    const char **file = (const char **)(void *)(block + instrs);
    char *text = block + instrs + files;
    kernel->instr = instr;
    kernel->file = file;
    kernel->mangled = gmt_take_string(&view, &text);
    kernel->name = gmt_take_string(&view, &text);
    for (uint32_t i = 0; i < kernel->file_count; i++)
        file[i] = gmt_take_string(&view, &text);
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const uint8_t *p = gmt_take(&view, GMT_KERNEL_INSTR_SIZE);
        if (!p)
            break;
        if (!take_instr(p, &instr[i]))
            return bad(error, offset, what, "reserved bytes of an instruction are not 0");
    }
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        instr[i].opcode = gmt_take_string(&view, &text);
        instr[i].operands = gmt_take_string(&view, &text);
    }
    if (view.bad || gmt_left(&view))
        return bad(error, offset, what, "wrong length");
    const char *problem = gmt_check_kernel(kernel);
    return problem ? bad(error, offset, what, problem) : true;
}

bool gmt_get_launch(const gmt_buffer *raw, uint64_t offset, uint32_t kernel_count,
                    gmtrace_launch *launch, void **storage, gmtrace_error *error)
{
    static const char what[] = "launch section";
    gmt_view view = view_of(raw);
    memset(launch, 0, sizeof *launch);
    launch->kernel = gmt_take32(&view);
    for (unsigned i = 0; i < 3; i++)
        launch->grid[i] = gmt_take32(&view);
    for (unsigned i = 0; i < 3; i++)
        launch->block[i] = gmt_take32(&view);
    for (unsigned i = 0; i < 3; i++)
        launch->cluster[i] = gmt_take32(&view);
    launch->dynamic_shared = gmt_take32(&view);
    launch->shared_config = gmt_take32(&view);
    launch->carveout_percent = (int32_t)gmt_take32(&view);
    launch->stream = gmt_take32(&view);
    launch->ordinal = gmt_take64(&view);
    launch->allocation_count = gmt_take32(&view);
    if (view.bad || gmt_left(&view) / 16 != launch->allocation_count || gmt_left(&view) % 16)
        return bad(error, offset, what, "wrong length");
    gmtrace_allocation *allocation = malloc(launch->allocation_count * sizeof *allocation + 1);
    if (!allocation)
        return gmt_fail_memory(error);
    *storage = allocation;
    launch->allocation = allocation;
    for (uint32_t i = 0; i < launch->allocation_count; i++) {
        allocation[i] = (gmtrace_allocation){.base = gmt_take64(&view)};
        allocation[i].size = gmt_take64(&view);
    }
    const char *problem = gmt_check_launch(launch, kernel_count);
    return problem ? bad(error, offset, what, problem) : true;
}

static bool get_maps(gmt_view *view, uint32_t count, uint64_t (**maps)[GMTRACE_TENSOR_WORDS])
{
    uint64_t(*map)[GMTRACE_TENSOR_WORDS] = malloc(count * sizeof *map);
    if (!map)
        return false;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned j = 0; j < GMTRACE_TENSOR_WORDS; j++)
            map[i][j] = gmt_take64(view);
    *maps = map;
    return true;
}

bool gmt_get_launch_end(const gmt_buffer *raw, uint64_t offset, gmt_budget *budget,
                        uint32_t *launch, gmtrace_launch *totals, uint64_t *chunks,
                        uint64_t (**maps)[GMTRACE_TENSOR_WORDS], gmtrace_error *error)
{
    gmt_view view = view_of(raw);
    *launch = gmt_take32(&view);
    totals->records = gmt_take64(&view);
    totals->warps = gmt_take64(&view);
    totals->ctas = gmt_take64(&view);
    *chunks = gmt_take64(&view);
    *maps = NULL;
    totals->tensor_map_count = 0;
    if (!view.bad && gmt_left(&view)) {
        const uint32_t count = totals->tensor_map_count = gmt_take32(&view);
        const size_t bytes = (size_t)count * sizeof **maps;
        if (view.bad || count == 0 || count > GMT_MAX_MAPS || gmt_left(&view) != bytes)
            return bad(error, offset, "launch end", "wrong count of tensor maps");
        if (!gmt_claim(budget, bytes, offset, error))
            return false;
        if (!get_maps(&view, count, maps))
            return gmt_fail_memory(error);
    }
    if (view.bad || gmt_left(&view))
        return bad(error, offset, "launch end", "wrong length");
    return true;
}
