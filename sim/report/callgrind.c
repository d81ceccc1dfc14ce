/* SPDX-License-Identifier: MIT
 *
 * callgrind.c - Callgrind's profile format, version 1, for kcachegrind and callgrind_annotate: the
 * counters of rows.h by instruction and source line, a function a kernel. Launches of a kernel add
 * up there, and all of a file adds up to the report's counters. A launch's cycles, which belong to
 * no instruction, stand on line 0 of its kernel's file. Leaves out calls (a launch calls nothing)
 * and, of launches whose memory traffic the capture did not see, cycles and what caches held.
 *
 * Names are written once behind a number of their own, "(3) name", and by the number alone after
 * that, so that no name is taken for anything else.
 */
#include <inttypes.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/formats.h"

#define UNKNOWN "???" /* the format's word */

/* What stands before the counters of rows.h. */
typedef enum event { CYCLES, EXCESS_SECTORS, EXCESS_WAVEFRONTS, OWN_EVENTS } event;

static const char *const own_events[OWN_EVENTS] = {
    [CYCLES] = "cycles",
    [EXCESS_SECTORS] = "excess_sectors",
    [EXCESS_WAVEFRONTS] = "excess_wavefronts",
};

/* "fn=(3) name\n". The number is one of names of that kind. */
static void put_name(gmsim_report *report, const char *what, const char *kind, const char *name)
{
    char *clean = g_strstrip(gmsim_clean(name, 0));
    char *key = g_strconcat(kind, *clean != 0 ? clean : UNKNOWN, NULL);
    gpointer number = g_hash_table_lookup(report->names, key);
    const bool first = number == NULL;

    if (first) {
        number = GUINT_TO_POINTER(g_hash_table_size(report->names) + 1u);
        g_hash_table_insert(report->names, g_strdup(key), number);
    }
    fprintf(report->out, "%s=(%u)%s%s\n", what, GPOINTER_TO_UINT(number), first ? " " : "",
            first ? key + strlen(kind) : "");
    g_free(key);
    g_free(clean);
}

/* The file an instruction came from; NULL where the trace does not say. */
static const char *file_of(const gmsim_result *result, const gmsim_instr_counts *counts)
{
    const gmtrace_kernel *kernel = result->kernel;
    const gmtrace_instr *code =
        counts->instr < kernel->instr_count ? &kernel->instr[counts->instr] : NULL;

    return code != NULL && code->file < kernel->file_count && code->line > 0
               ? kernel->file[code->file]
               : NULL;
}

/* Writes a line's events, and adds them to the totals. */
static void put_events(gmsim_report *report, const uint64_t *value)
{
    uint64_t *total = (uint64_t *)(void *)report->totals->data;

    for (unsigned i = 0; i < report->totals->len; i++) {
        fprintf(report->out, " %" PRIu64, value[i]);
        total[i] += value[i];
    }
    fputc('\n', report->out);
}

static void put_instruction(gmsim_report *report, const gmsim_result *result,
                            const gmsim_instr_counts *counts, uint64_t *value)
{
    const bool unseen = (result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;
    uint64_t pc = 0;
    uint32_t line = 0;

    memset(value, 0, report->totals->len * sizeof *value);
    value[gmsim_row_is_shared(counts->row) ? EXCESS_WAVEFRONTS : EXCESS_SECTORS] =
        gmsim_work_excess(counts->row, &counts->counts);
    for (unsigned i = 0; i < gmsim_counter_count; i++) {
        if (gmsim_row_in(counts->row, gmsim_counters[i].rows) &&
            !(unseen && gmsim_counters[i].cached))
            value[OWN_EVENTS + i] = gmsim_counter_value(&counts->counts, gmsim_counters[i].offset);
    }
    if (counts->instr < result->kernel->instr_count) {
        pc = result->kernel->instr[counts->instr].pc;
        line = file_of(result, counts) != NULL ? result->kernel->instr[counts->instr].line : 0;
    }
    fprintf(report->out, "0x%" PRIx64 " %" PRIu32, pc, line);
    put_events(report, value);
}

static void callgrind_begin(gmsim_report *report)
{
    char *trace = gmsim_clean(report->trace, 0);

    fprintf(report->out,
            "# callgrind format\n"
            "version: 1\n"
            "creator: gmsim %s\n"
            "cmd: %s\n"
            "desc: GPU: %s\n",
            report->version, trace, report->gpu->name);
    if (report->capture->unseen & GMSIM_UNSEEN_TRAFFIC)
        fputs("desc: Left out: cycles and caches of launches whose traffic was not seen\n",
              report->out);
    fputs("positions: instr line\nevents:", report->out);
    for (unsigned i = 0; i < OWN_EVENTS; i++)
        fprintf(report->out, " %s", own_events[i]);
    for (unsigned i = 0; i < gmsim_counter_count; i++)
        fprintf(report->out, " %s", gmsim_counters[i].key);
    fputc('\n', report->out);
    report->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    report->totals = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    g_array_set_size(report->totals, OWN_EVENTS + gmsim_counter_count);
    g_free(trace);
}

static void callgrind_launch(gmsim_report *report, uint32_t index, const gmsim_result *result)
{
    uint64_t *value = g_new0(uint64_t, report->totals->len);
    const char *first = NULL, *now;

    (void)index;
    for (uint32_t i = 0; i < result->instr_count && first == NULL; i++)
        first = file_of(result, &result->instr[i]);
    now = first;
    fputc('\n', report->out);
    put_name(report, "ob", "o", report->trace);
    put_name(report, "fl", "l", first);
    put_name(report, "fn", "n", result->kernel->name);
    if (result->timed) {
        value[CYCLES] = result->timing.cycles;
        fputs("0x0 0", report->out);
        put_events(report, value);
    }
    for (uint32_t i = 0; i < result->instr_count; i++) {
        const char *file = file_of(result, &result->instr[i]);

        if (file != NULL && strcmp(file, now) != 0) { /* inlined from there */
            put_name(report, strcmp(file, first) == 0 ? "fe" : "fi", "l", file);
            now = file;
        }
        put_instruction(report, result, &result->instr[i], value);
    }
    report->written++;
    g_free(value);
}

static void callgrind_end(gmsim_report *report, bool complete)
{
    fputs("\ntotals:", report->out);
    for (unsigned i = 0; i < report->totals->len; i++)
        fprintf(report->out, " %" PRIu64, g_array_index(report->totals, uint64_t, i));
    fputc('\n', report->out);
    if (!complete)
        fprintf(report->out, "# Incomplete: %u of %u launches.\n", report->written,
                report->selected);
    g_hash_table_unref(report->names);
    g_array_unref(report->totals);
}

const gmsim_format gmsim_format_callgrind = {
    .name = "callgrind",
    .meaning = "for kcachegrind and callgrind_annotate: counters by instruction and source line",
    .begin = callgrind_begin,
    .launch = callgrind_launch,
    .end = callgrind_end};
