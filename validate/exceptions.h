/* SPDX-License-Identifier: MIT
 *
 * exceptions.h - values of the exact family that are known to differ, each with its reason. A file
 * holds one a line: trace, metric, and why. '#' begins a comment line. The list stays honest: an
 * exception that no longer differs is an error, too.
 */
#ifndef GMSIM_VALIDATE_EXCEPTIONS_H
#define GMSIM_VALIDATE_EXCEPTIONS_H

#include <glib.h>
#include <stdbool.h>

typedef struct gmsim_exception {
    char *label; /* the trace's name */
    unsigned metric;
    char *reason;
    unsigned used; /* values it excused */
    unsigned seen; /* values it could have excused: compared ones */
} gmsim_exception;

GArray *gmsim_exceptions_new(void);
bool gmsim_exceptions_load(GArray *exceptions, const char *path, GError **error);

/* The exception for this trace and metric, NULL without one. */
gmsim_exception *gmsim_exceptions_find(GArray *exceptions, const char *label, unsigned metric);

#endif
