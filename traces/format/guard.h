/* SPDX-License-Identifier: MIT
 *
 * guard.h - who has it is alone with what it guards, for some hundred instructions: the others look
 * again and again, as to sleep and be woken takes many times as long, and now and then let other
 * threads have the processor.
 */
#ifndef GMTRACE_PRIVATE_GUARD_H
#define GMTRACE_PRIVATE_GUARD_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef atomic_flag gmt_guard; /* ATOMIC_FLAG_INIT: nobody has it */

#define GMT_LOOKS 1000u /* before the processor is given away */

/* Before the next look of those who wait for something; `look` counts them, from 0 on. */
static inline void gmt_look_again(unsigned *look)
{
    if (++*look % GMT_LOOKS == 0)
        sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static inline void gmt_guard_take(gmt_guard *guard)
{
    for (unsigned look = 0; atomic_flag_test_and_set_explicit(guard, memory_order_acquire);)
        gmt_look_again(&look);
}

static inline void gmt_guard_leave(gmt_guard *guard)
{
    atomic_flag_clear_explicit(guard, memory_order_release);
}

#endif
