/* SPDX-License-Identifier: MIT
 *
 * trace_error.c - errors of libgmtrace become errors of libgmsim, here alone.
 */
#include "sim/model/trace_error.h"

#include <string.h>

void gmsim_trace_error(GError **error, const char *name, const gmtrace_error *reason)
{
    static const gint code[] = {
        [GMTRACE_OK] = GMSIM_ERROR_CORRUPT,
        [GMTRACE_IO] = GMSIM_ERROR_IO,
        [GMTRACE_CORRUPT] = GMSIM_ERROR_CORRUPT,
        [GMTRACE_TRUNCATED] = GMSIM_ERROR_CORRUPT,
        [GMTRACE_UNSUPPORTED] = GMSIM_ERROR_UNSUPPORTED,
        [GMTRACE_NOT_A_TRACE] = GMSIM_ERROR_CORRUPT,
        [GMTRACE_MEMORY] = GMSIM_ERROR_IO,
        [GMTRACE_USAGE] = GMSIM_ERROR_USAGE,
    };
    char offset[24];
    g_snprintf(offset, sizeof offset, "%" G_GUINT64_FORMAT, reason->offset);
    bool known = reason->offset == UINT64_MAX || strstr(reason->text, offset);
    g_set_error(error, GMSIM_ERROR, code[reason->status], "%s%s%s%s%s%s", name ? name : "",
                name ? ": " : "", reason->text, known ? "" : " (at byte ", known ? "" : offset,
                known ? "" : ")");
}
