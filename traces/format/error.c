/* SPDX-License-Identifier: MIT
 *
 * error.c - how libgmtrace's functions report failure.
 */
#include "traces/format/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

bool gmt_fail(gmtrace_error *error, gmtrace_status status, uint64_t offset, const char *format, ...)
{
    if (!error)
        return false;
    error->status = status;
    error->offset = offset;
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    if (status == GMTRACE_CORRUPT && length > 0 && (size_t)length < sizeof error->text)
        snprintf(error->text + length, sizeof error->text - (size_t)length,
                 "; copy or capture it again");
    return false;
}

bool gmt_fail_memory(gmtrace_error *error)
{
    return gmt_fail(error, GMTRACE_MEMORY, GMT_NOWHERE, "out of memory");
}

bool gmt_fail_errno(gmtrace_error *error, const char *what)
{
    return gmt_fail(error, GMTRACE_IO, GMT_NOWHERE, "%s: %s", what, strerror(errno));
}

void gmt_clear(gmtrace_error *error)
{
    if (!error)
        return;
    error->status = GMTRACE_OK;
    error->offset = GMT_NOWHERE;
    error->text[0] = '\0';
}
