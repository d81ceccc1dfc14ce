/* SPDX-License-Identifier: MIT
 *
 * text_time.c - where the time goes, in the text report: cycles, what warps wait for, how long a
 * load takes, achieved occupancy. Leaves out shares that round to nothing.
 */

#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/text.h"

#define TIME_INDENT 6u
#define LEAST_SHARE 0.005

/* Stalls by size; equals keep their order. */
static void sort_stalls(const gmsim_timing *timing, unsigned order[GMSIM_STALLS])
{
    for (unsigned i = 0; i < GMSIM_STALLS; i++) {
        unsigned at = i;

        for (; at > 0 && timing->stall[order[at - 1]] < timing->stall[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void put_stalls(GString *out, const gmsim_timing *timing)
{
    GString *text = g_string_new("of a warp's clocks");
    unsigned order[GMSIM_STALLS], shown = 0;

    sort_stalls(timing, order);
    for (unsigned i = 0; i < GMSIM_STALLS; i++) {
        uint64_t stall = timing->stall[order[i]];

        if ((double)stall < LEAST_SHARE * (double)timing->warp_active)
            break;
        g_string_append_printf(text, "%s %s %s", shown++ > 0 ? "," : ":",
                               gmsim_stall_name((gmsim_stall)order[i]),
                               gmsim_percentage(stall, timing->warp_active).text);
    }
    g_string_append_printf(out, "%*s", (int)TIME_INDENT, "");
    gmsim_wrap(out, text->str, TIME_INDENT, TIME_INDENT, GMSIM_REPORT_WIDTH);
    g_string_append_c(out, '\n');
    g_string_free(text, TRUE);
}

/* What flowed at each level, and what lanes asked for; levels without traffic are left out. */
void gmsim_text_rates(GString *out, const gmsim_result *result)
{
    static const struct {
        const char *name, *rate, *peak;
    } level[] = {{"DRAM", "dram.rate", "dram.peak"},
                 {"L2", "l2.rate", "l2.peak"},
                 {"L1", "l1.rate", "l1.peak"},
                 {"shared", "shared.rate", "shared.peak"},
                 {"useful", "useful.rate", NULL}};
    GString *text = g_string_new(NULL);
    double rate, peak;

    for (unsigned i = 0; i < G_N_ELEMENTS(level); i++) {
        if (!gmsim_metric_named(result, level[i].rate, &rate) || !(rate > 0))
            continue;
        g_string_append_printf(text, "%s%s %s",
                               text->len == 0          ? ""
                               : level[i].peak == NULL ? "; "
                                                       : ", ",
                               level[i].name,
                               gmsim_shown(GMSIM_UNIT_BYTES_PER_SECOND, rate, false).text);
        if (level[i].peak != NULL && gmsim_metric_named(result, level[i].peak, &peak))
            g_string_append_printf(text, " (%s%s)",
                                   gmsim_shown(GMSIM_UNIT_PERCENT, peak, false).text,
                                   strstr(text->str, "of peak") == NULL ? " of peak" : "");
    }
    if (text->len > 0) {
        g_string_append_printf(out, "%*s", (int)TIME_INDENT, "");
        gmsim_wrap(out, text->str, TIME_INDENT, TIME_INDENT, GMSIM_REPORT_WIDTH);
        g_string_append_c(out, '\n');
    }
    g_string_free(text, TRUE);
}

/* Instructions a clock of an active SM, or why they are not known. */
static void put_ipc(GString *out, const gmsim_result *result, const char *before)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double ipc;

    if (gmsim_metric_named(result, "ipc", &ipc))
        g_string_append_printf(out, "%sIPC %s", before,
                               g_ascii_formatd(number, sizeof number, "%.2f", ipc));
    else if (result->executed.instructions > 0)
        /* One way can be doubtful for several reasons. */
        g_string_append_printf(
            out, "%sIPC unknown: %s of %s ways are in doubt", before,
            gmsim_count(MIN(result->executed.doubtful, result->executed.ways)).text,
            gmsim_count(result->executed.ways).text);
}

void gmsim_text_time(GString *out, const gmsim_report *report, const gmsim_result *result)
{
    const gmsim_timing *timing = &result->timing;
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    uint64_t bound = result->min_cycles[result->bound];
    const char *before = "      ";
    double achieved;

    if (!result->timed)
        return;
    gmsim_heading(out, report->color, "Time");
    g_string_append_printf(out, "  %s cycles", gmsim_count(timing->cycles).text);
    if (timing->clock_mhz > 0)
        g_string_append_printf(out, ", %s us at %u MHz",
                               g_ascii_formatd(number, sizeof number, "%.2f",
                                               (double)timing->cycles / timing->clock_mhz),
                               timing->clock_mhz);
    if (bound > 0 && timing->cycles > 0)
        g_string_append_printf(out, "; %s alone needs at least %s (%s)",
                               gmsim_resource_name(result->bound), gmsim_count(bound).text,
                               gmsim_percentage(bound, timing->cycles).text);
    g_string_append_c(out, '\n');
    if (timing->warp_active > 0)
        put_stalls(out, timing);
    gmsim_text_rates(out, result);
    if (timing->loads > 0) {
        g_string_append_printf(
            out, "%sa load waits %s clocks", before,
            g_ascii_formatd(number, sizeof number, "%.0f",
                            (double)timing->load_cycles / (double)timing->loads));
        before = "; ";
    }
    if (gmsim_metric_named(result, "occupancy.achieved", &achieved)) {
        g_string_append_printf(out, "%s%s %% occupancy achieved", before,
                               g_ascii_formatd(number, sizeof number, "%.1f", achieved));
        before = "; ";
    }
    put_ipc(out, result, before);
    g_string_append(out, "\n\n");
}
