/* SPDX-License-Identifier: MIT
 *
 * message.h - what the injected library says on standard error: one line each.
 */
#ifndef GMCAPTURE_MESSAGE_H
#define GMCAPTURE_MESSAGE_H

/* Something the user should know. */
void gmc_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With --verbose only. */
void gmc_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

extern int gmc_verbose;

#endif
