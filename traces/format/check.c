/* SPDX-License-Identifier: MIT
 *
 * check.c - is this struct one that a trace may hold? The writer asks before it writes, the reader
 * after it has read, so that whatever a reader hands out obeys gmtrace.h.
 */
#include "traces/format/internal.h"

static bool is_size(unsigned bytes)
{
    return bytes <= 32 && (bytes & (bytes - 1)) == 0; /* 0 1 2 4 8 16 32 */
}

const char *gmt_check_capture(const gmtrace_capture *capture)
{
    if (capture->detail < GMTRACE_DETAIL_MEMORY || capture->detail > GMTRACE_DETAIL_CALLS)
        return "unknown level of detail";
    return NULL;
}

static const char *check_instr(const gmtrace_instr *instr, const gmtrace_kernel *kernel)
{
    if (instr->op_class >= GMTRACE_CLASS_COUNT)
        return "an instruction's class is unknown";
    if (instr->space >= GMTRACE_SPACE_COUNT)
        return "an instruction's space is unknown";
    if (instr->cache >= GMTRACE_CACHE_COUNT)
        return "an instruction's cache operator is unknown";
    if (!is_size(instr->width))
        return "an instruction's width is no power of two up to 32";
    if (instr->matrices > 4 || instr->matrices == 3)
        return "an instruction's matrix count is not 0, 1, 2 or 4";
    if (instr->bypass_l1 > 1 || instr->predicate_negated > 1 || instr->yield > 1)
        return "an instruction's flag is neither 0 nor 1";
    if (instr->predicate > 7 && instr->predicate != GMTRACE_NO_REGISTER)
        return "an instruction's predicate register is out of range";
    if (instr->stall > 15 || instr->write_barrier > 7 || instr->read_barrier > 7 ||
        instr->wait_mask > 63 || instr->reuse > 15)
        return "an instruction's control bits are out of range";
    if (instr->file != GMTRACE_UNKNOWN && instr->file >= kernel->file_count)
        return "an instruction's source file is not in the kernel's list";
    if (instr->target != GMTRACE_NO_INSTR && instr->target >= kernel->instr_count)
        return "a branch target is not in the instruction table";
    if (instr->operand_count > GMTRACE_MAX_OPERANDS)
        return "an instruction has too many operands";
    for (unsigned i = 0; i < instr->operand_count; i++) {
        const gmtrace_operand *operand = &instr->operand[i];
        if (operand->file > GMTRACE_REG_UPREDICATE || operand->count == 0 || operand->write > 1)
            return "an instruction's operand is out of range";
    }
    return NULL;
}

static bool is_text(const char *text)
{
    return !text || strnlen(text, GMT_MAX_TEXT + 1) <= GMT_MAX_TEXT;
}

const char *gmt_check_kernel(const gmtrace_kernel *kernel)
{
    bool short_enough = is_text(kernel->mangled) && is_text(kernel->name);
    for (uint32_t i = 0; i < kernel->file_count && short_enough; i++)
        short_enough = is_text(kernel->file[i]);
    for (uint32_t i = 0; i < kernel->instr_count && short_enough; i++)
        short_enough = is_text(kernel->instr[i].opcode) && is_text(kernel->instr[i].operands);
    if (!short_enough)
        return "a name is longer than 1 MiB";
    if (kernel->instr_count >= GMTRACE_NO_INSTR)
        return "too many instructions";
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const char *problem = check_instr(&kernel->instr[i], kernel);
        if (problem)
            return problem;
        if (i && kernel->instr[i].pc <= kernel->instr[i - 1].pc)
            return "the instruction table is not sorted by pc";
    }
    return NULL;
}

/* Multiplies three numbers; 0 where one is 0 or the product leaves 63 bits. */
static uint64_t volume(const uint32_t side[3])
{
    uint64_t product = (uint64_t)side[0] * side[1];
    if (__builtin_mul_overflow(product, side[2], &product) || product > INT64_MAX)
        return 0;
    return product;
}

uint64_t gmt_launch_ctas(const gmtrace_launch *launch)
{
    return volume(launch->grid);
}

uint32_t gmt_launch_warps(const gmtrace_launch *launch)
{
    return (uint32_t)((volume(launch->block) + GMTRACE_WARP_LANES - 1) / GMTRACE_WARP_LANES);
}

static bool is_origin(const gmtrace_origin *origin)
{
    const char *const text[] = {origin->name, origin->call, origin->file};
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++)
        if (text[i] && strnlen(text[i], GMT_MAX_ORIGIN + 1) > GMT_MAX_ORIGIN)
            return false;
    return true;
}

const char *gmt_check_launch(const gmtrace_launch *launch, uint32_t kernel_count)
{
    if (launch->kernel >= kernel_count)
        return "a launch names a kernel that the trace does not hold";
    if (volume(launch->grid) == 0)
        return "a launch's grid is empty or too large";
    uint64_t threads = volume(launch->block);
    if (threads == 0 || threads > GMT_MAX_BLOCK)
        return "a launch's block is empty or has more than 1024 threads";
    if (volume(launch->cluster) == 0)
        return "a launch's cluster is empty or too large";
    if (launch->carveout_percent < -1 || launch->carveout_percent > 100)
        return "a launch's carve-out preference is no percentage";
    for (uint32_t i = 0; i < launch->allocation_count; i++) {
        const gmtrace_allocation *a = &launch->allocation[i];
        if (a->size > UINT64_MAX - a->base)
            return "an allocation ends beyond the address space";
        if (i && a->base - a[-1].base < a[-1].size)
            return "allocations overlap";
        if (i && a->base < a[-1].base)
            return "allocations are not sorted";
        if (a->origin && !is_origin(a->origin))
            return "an allocation's name, call or file is longer than 4096 bytes";
    }
    return NULL;
}

const char *gmt_check_known(const gmtrace_known *known)
{
    if (known->constants_offset > GMT_MAX_CONSTANTS ||
        known->constants_size > GMT_MAX_CONSTANTS - known->constants_offset)
        return "a launch's parameters end beyond 64 KiB";
    for (uint32_t i = 0; i < known->range_count; i++) {
        const gmtrace_known_range *r = &known->range[i];
        if (r->size == 0 || r->size > GMT_MAX_KNOWN_RANGE)
            return "a range of memory is empty or longer than 1 MiB";
        if (r->size > UINT64_MAX - r->base)
            return "a range of memory ends beyond the address space";
        if (i && r->base < r[-1].base)
            return "ranges of memory are not sorted";
        if (i && r->base - r[-1].base < r[-1].size)
            return "ranges of memory overlap";
    }
    return NULL;
}

const char *gmt_check_record(const gmtrace_record *record, uint32_t instr_count)
{
    if (record->kind >= GMTRACE_KIND_COUNT)
        return "a record's kind is unknown";
    if (record->op >= GMTRACE_OP_COUNT)
        return "a record's operation is unknown";
    if (record->space >= GMTRACE_SPACE_GENERIC)
        return "a record's space is unknown or generic";
    if (!is_size(record->size))
        return "a record's size is no power of two up to 32";
    if (record->instr >= instr_count && record->instr != GMTRACE_NO_INSTR)
        return "a record's instruction is not in the kernel's table";
    bool bulk = record->op >= GMTRACE_OP_BULK_LOAD;
    if (record->kind == GMTRACE_ACCESS &&
        (record->op == GMTRACE_OP_NONE || bulk || record->space == GMTRACE_SPACE_NONE))
        return "an access has no operation or no space";
    if (record->kind == GMTRACE_BULK && !bulk)
        return "a bulk copy has no bulk operation";
    if (record->kind == GMTRACE_TENSOR &&
        (record->space != GMTRACE_SPACE_GLOBAL ||
         (record->op != GMTRACE_OP_BULK_LOAD && record->op != GMTRACE_OP_BULK_STORE &&
          record->op != GMTRACE_OP_BULK_REDUCE && record->op != GMTRACE_OP_PREFETCH)))
        return "a tensor copy has no operation of one, or another space";
    if (record->kind > GMTRACE_BULK && record->kind != GMTRACE_TENSOR &&
        record->op != GMTRACE_OP_NONE)
        return "a record that accesses no memory has an operation";
    return NULL;
}
