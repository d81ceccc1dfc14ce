/* SPDX-License-Identifier: MIT
 *
 * meta_write.c - the bytes of CAPTURE, KERNEL, LAUNCH and LAUNCH_END (FORMAT.md, "Metadata").
 */
#include "traces/format/internal.h"

void gmt_put_string(gmt_buffer *b, const char *text)
{
    if (!text)
        text = "";
    size_t size = strlen(text);
    gmt_put_varint(b, size);
    gmt_put(b, text, size);
}

void gmt_put_capture(gmt_buffer *b, const gmtrace_capture *capture)
{
    gmt_put32(b, capture->cc_major);
    gmt_put32(b, capture->cc_minor);
    gmt_put32(b, capture->sm_count);
    gmt_put32(b, capture->driver_version);
    gmt_put32(b, capture->unseen);
    gmt_put_string(b, capture->source);
    gmt_put_string(b, capture->program);
    gmt_put_string(b, capture->gpu);
}

static void put_instr(gmt_buffer *b, const gmtrace_instr *instr)
{
    const size_t before = b->size;
    gmt_put64(b, instr->pc);
    gmt_put64(b, instr->encoding[0]);
    gmt_put64(b, instr->encoding[1]);
    gmt_put32(b, instr->file);
    gmt_put32(b, instr->line);
    gmt_put32(b, instr->target);
    const uint8_t byte[16] = {
        instr->op_class,  instr->space,    instr->width,         instr->cache,
        instr->bypass_l1, instr->matrices, instr->predicate,     instr->predicate_negated,
        instr->stall,     instr->yield,    instr->write_barrier, instr->read_barrier,
        instr->wait_mask, instr->reuse,    instr->operand_count, 0,
    };
    gmt_put(b, byte, sizeof byte);
    for (unsigned i = 0; i < GMTRACE_MAX_OPERANDS; i++) {
        const gmtrace_operand none = {0};
        const gmtrace_operand *o = i < instr->operand_count ? &instr->operand[i] : &none;
        const uint8_t field[4] = {o->file, o->first, o->count, o->write};
        gmt_put(b, field, sizeof field);
    }
    static const uint8_t zero[GMT_KERNEL_INSTR_SIZE];
    if (!b->failed)
        gmt_put(b, zero, GMT_KERNEL_INSTR_SIZE - (b->size - before));
}

void gmt_put_kernel(gmt_buffer *b, const gmtrace_kernel *kernel)
{
    gmt_put32(b, kernel->registers);
    gmt_put32(b, kernel->static_shared);
    gmt_put32(b, kernel->local_bytes);
    gmt_put32(b, kernel->barriers);
    gmt_put32(b, kernel->instr_count);
    gmt_put32(b, kernel->file_count);
    gmt_put_string(b, kernel->mangled);
    gmt_put_string(b, kernel->name);
    for (uint32_t i = 0; i < kernel->file_count; i++)
        gmt_put_string(b, kernel->file[i]);
    for (uint32_t i = 0; i < kernel->instr_count; i++)
        put_instr(b, &kernel->instr[i]);
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        gmt_put_string(b, kernel->instr[i].opcode);
        gmt_put_string(b, kernel->instr[i].operands);
    }
}

void gmt_put_launch(gmt_buffer *b, const gmtrace_launch *launch)
{
    gmt_put32(b, launch->kernel);
    for (unsigned i = 0; i < 3; i++)
        gmt_put32(b, launch->grid[i]);
    for (unsigned i = 0; i < 3; i++)
        gmt_put32(b, launch->block[i]);
    for (unsigned i = 0; i < 3; i++)
        gmt_put32(b, launch->cluster[i]);
    gmt_put32(b, launch->dynamic_shared);
    gmt_put32(b, launch->shared_config);
    gmt_put32(b, (uint32_t)launch->carveout_percent);
    gmt_put32(b, launch->stream);
    gmt_put64(b, launch->ordinal);
    gmt_put32(b, launch->allocation_count);
    for (uint32_t i = 0; i < launch->allocation_count; i++) {
        gmt_put64(b, launch->allocation[i].base);
        gmt_put64(b, launch->allocation[i].size);
    }
}

void gmt_put_launch_end(gmt_buffer *b, uint32_t launch, const gmtrace_launch *totals,
                        uint64_t chunks, const gmt_buffer *maps)
{
    gmt_put32(b, launch);
    gmt_put64(b, totals->records);
    gmt_put64(b, totals->warps);
    gmt_put64(b, totals->ctas);
    gmt_put64(b, chunks);
    if (!totals->tensor_map_count)
        return;
    gmt_put32(b, totals->tensor_map_count);
    gmt_put(b, maps->data, maps->size);
}
