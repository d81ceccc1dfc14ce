/* SPDX-License-Identifier: MIT
 *
 * trace.c - the trace that GMSIM_TRACE=FILE asks for: created at the first launch, closed when the
 * program ends by returning from main() or by exit(). A program that is killed leaves none.
 */
#include "config.h"

#include "traces/gmcc/runtime/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static gmtrace_writer *writer;
static bool tried;
static pid_t owner; /* a child of fork() must not close its parent's file */

bool gmcuda_traces(void)
{
    const char *path = getenv("GMSIM_TRACE");
    return path != NULL && path[0] != 0;
}

gmtrace_writer *gmcuda_trace(const gmcuda_function *first)
{
    const char *path = getenv("GMSIM_TRACE");
    gmtrace_error error;
    if (tried || !gmcuda_traces())
        return getpid() == owner ? writer : NULL;
    tried = true;
    const bool assembled = first->code != NULL;
    char source[160];
    snprintf(source, sizeof source, "gmcc " PACKAGE_VERSION "%s%s%s%s%s",
             first->compiler[0] != 0 ? ", " GMTRACE_PTX_OF : "", first->compiler,
             assembled ? GMTRACE_BY_PTXAS : "", assembled ? gmcuda_ptxas_version() : "",
             !assembled && first->registers == 0 ? " (registers a thread are estimates)" : "");
    gmtrace_capture capture = {
        .source = source,
        .program = program_invocation_short_name,
        .gpu = "",
        .detail = GMTRACE_DETAIL_FULL,
    };
    writer = gmtrace_writer_create(path, &capture, NULL, &error);
    owner = getpid();
    if (writer == NULL)
        gmcuda_message("%s: %s; the program goes on without a trace", path, error.text);
    return writer;
}

void gmcuda_trace_failed(const gmtrace_error *error)
{
    gmcuda_message("%s: %s; the trace is given up", getenv("GMSIM_TRACE"), error->text);
    gmtrace_writer_close(writer, false, NULL);
    writer = NULL;
}

__attribute__((destructor)) static void close_trace(void)
{
    gmtrace_error error;
    if (writer == NULL || getpid() != owner)
        return;
    if (!gmtrace_writer_close(writer, true, &error))
        gmcuda_message("%s: %s", getenv("GMSIM_TRACE"), error.text);
    writer = NULL;
}
