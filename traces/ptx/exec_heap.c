/* SPDX-License-Identifier: MIT
 *
 * exec_heap.c - a kernel's malloc() and free(): the caller of the launch has the memory. A call is
 * one instruction; what the GPU's own library reads and writes on the way is not known.
 */
#include "traces/ptx/exec.h"

void gmptx_call_heap(ptx_warp *w, const ptx_op *op)
{
    const ptx_call *call = &w->kernel->call[op->first];
    const gmptx_launch *launch = w->cta->launch;
    EACH_ACTIVE(w)
    {
        uint8_t *stack = w->stack + i * w->kernel->stack_bytes + w->frame_stack;
        uint64_t value;
        memcpy(&value, stack + call->argument[0].offset, sizeof value);
        if (op->control == CONTROL_CALL_MALLOC) {
            value = launch->allocate(launch->check_user, value);
            memcpy(stack + call->argument[1].offset, &value, sizeof value);
        } else if (value && !launch->release(launch->check_user, value)) {
            w->cta->fault.address = value;
            gmptx_fault_at(w, op, i, GMPTX_FAULT_FREE);
            return;
        }
    }
}
