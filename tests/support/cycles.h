/* SPDX-License-Identifier: MIT
 *
 * cycles.h - what the model says of a launch, for tests that hold its rates to tables.
 */
#ifndef GMTEST_CYCLES_H
#define GMTEST_CYCLES_H

#include <glib/gstdio.h>

#include "sim/model/model.h"

/* The first launch of a trace, L2 flushed before. The file and its folder, which holds nothing
 * else, are removed. What the result points to is gone. */
static inline gmsim_result gmtest_replay(const char *path, const gmsim_gpu *gpu)
{
    g_autofree char *folder = g_path_get_dirname(path);
    GError *error = NULL;
    gmtrace_error reason;
    gmtrace_reader *reader = gmtrace_open(path, &reason);
    g_assert_nonnull(reader);
    gmsim_model *model = gmsim_model_new(gpu, &(gmsim_options){.flush = true}, NULL);
    const gmsim_result *found = gmsim_model_run(model, reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    const gmsim_result result = *found;
    gmsim_model_free(model);
    gmtrace_close(reader);
    g_remove(path);
    g_rmdir(folder);
    return result;
}

/* gpc__cycles_elapsed.max of it. */
static inline double gmtest_cycles(const char *path, const gmsim_gpu *gpu)
{
    return (double)gmtest_replay(path, gpu).timing.cycles;
}

#endif
