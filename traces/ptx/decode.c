/* SPDX-License-Identifier: MIT
 *
 * decode.c - opcodes to parts; the order in which the decoders are asked. An opcode is understood
 * only when every part of it is: one unknown part makes the instruction unsupported.
 */
#include "traces/ptx/decode.h"

static bool split(ptx_slice opcode, ptx_parts *parts)
{
    *parts = (ptx_parts){.used = 1};
    uint32_t start = 0;
    for (uint32_t i = 0; i <= opcode.length; i++) {
        if (i < opcode.length && opcode.text[i] != '.')
            continue;
        if (parts->count == MAX_PARTS)
            return false;
        parts->part[parts->count++] = (ptx_slice){opcode.text + start, i - start};
        start = i + 1;
    }
    return true;
}

bool gmptx_decode(ptx_decoder *d, ptx_op *op)
{
    const ptx_statement *s = d->statement;
    ptx_parts parts;
    memset(op, 0, sizeof *op);
    memset(op->r, 0xff, sizeof op->r);
    op->guard = s->guard == PTX_UNKNOWN ? REF_NONE : REF(PTX_FILE_VIRTUAL, s->guard);
    op->guard_negated = s->guard_negated;
    op->address = REF_NONE;
    op->reconverge = op->target = PTX_UNKNOWN;
    op->cache = GMTRACE_CACHE_DEFAULT;
    if (!split(s->opcode, &parts))
        return gmptx_unsupported(d);
    d->error->status = GMTRACE_OK;
    bool known = false;
    bool good = gmptx_decode_memory(d, op, &parts, &known);
    if (good && !known)
        good = gmptx_decode_control(d, op, &parts, &known);
    if (good && !known)
        good = gmptx_decode_move(d, op, &parts, &known);
    if (good && !known)
        good = gmptx_decode_compare(d, op, &parts, &known);
    if (good && !known)
        good = gmptx_decode_texture(d, op, &parts, &known);
    if (good && !known)
        good = gmptx_decode_tensor(d, op, &parts, &known);
    if (good && !known)
        return gmptx_decode_row(d, op, &parts);
    if (good && !gmptx_all_taken(&parts))
        return gmptx_unsupported(d);
    if (!good && d->error->status == GMTRACE_OK)
        return gmptx_bad_operand(d, 0);
    return good;
}
