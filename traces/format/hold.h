/* SPDX-License-Identifier: MIT
 *
 * hold.h - no signal ends the process between these two: a file made between them is known to a
 * signal's handler, or gone, before one runs. Of the calling thread alone; errno stays.
 */
#ifndef GMTRACE_PRIVATE_HOLD_H
#define GMTRACE_PRIVATE_HOLD_H

#include <errno.h>
#include <signal.h>

static inline void gmt_hold(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static inline void gmt_release(const sigset_t *before)
{
    const int saved = errno;
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = saved;
}

#endif
