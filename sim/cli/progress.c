/* SPDX-License-Identifier: MIT
 *
 * progress.c - how far a replay has come: on stderr, on a terminal only, at most six times a
 * second, erased before anything else is printed.
 */
#include "sim/cli/cli.h"

#include <unistd.h>

#define INTERVAL_US 166667

void cli_progress_init(cli_progress *progress, bool allowed)
{
    progress->shown = allowed && isatty(STDERR_FILENO);
    progress->what = "";
    progress->begun = progress->part = progress->last = g_get_monotonic_time();
}

void cli_progress_begin(cli_progress *progress, const char *what, uint64_t done, uint64_t total)
{
    progress->what = what;
    progress->part = g_get_monotonic_time();
    /* Many short launches last long together. */
    cli_progress_update(done, total, progress);
}

void cli_progress_update(uint64_t done, uint64_t total, gpointer data)
{
    cli_progress *progress = (cli_progress *)data;
    gint64 now;
    double seconds, rate;

    if (!progress->shown)
        return;
    now = g_get_monotonic_time();
    if (now - progress->last < INTERVAL_US)
        return;
    progress->last = now;
    seconds = (double)(now - progress->begun) / 1e6;
    rate = (double)done / seconds;
    fprintf(stderr, "\r\033[K%s  %3.0f %%  %.1f M records/s", progress->what,
            total > 0 ? 100.0 * (double)done / (double)total : 0, rate / 1e6);
    if (rate > 0 && total > done)
        fprintf(stderr, "  %.0f s left", (double)(total - done) / rate);
    fflush(stderr);
}

void cli_progress_parts(cli_progress *progress, const char *parts, uint64_t done, uint64_t total,
                        unsigned running)
{
    const gint64 now = g_get_monotonic_time();

    if (!progress->shown)
        return;
    progress->last = now;
    fprintf(stderr, "\r\033[K%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s, %u running", done,
            total, parts, running);
    if (done > 0)
        fprintf(stderr, "  %.0f s left",
                (double)(now - progress->begun) / 1e6 * (double)(total - done) / (double)done);
    fflush(stderr);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown && progress->last >= progress->part) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
