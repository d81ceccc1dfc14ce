/* SPDX-License-Identifier: MIT
 *
 * stack.h - who called: the calling thread's stack without the libraries that stand between the
 * program and gmcapture.
 */
#ifndef GMCAPTURE_STACK_H
#define GMCAPTURE_STACK_H

#include "traces/code/lines.h"

/* From the frame on that `from` is the return address in. Return addresses of the program and of
 * its libraries, innermost first. The driver, a runtime library of its own, the Sanitizer and
 * gmcapture are left out; Python ends it: what the interpreter does says nothing of the script. */
void gmc_stack_take(const void *from, gmt_frames *frames);

#endif
