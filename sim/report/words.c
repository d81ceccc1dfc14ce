/* SPDX-License-Identifier: MIT
 *
 * words.c - instructions, their places and access patterns in a few words.
 */
#include "sim/report/words.h"

#include "sim/analysis/rows.h"
#include "sim/report/format.h"

static const gmtrace_instr *instr_of(const gmsim_result *result, const gmsim_instr_counts *instr)
{
    if (instr == NULL || instr->instr >= result->kernel->instr_count)
        return NULL;
    return &result->kernel->instr[instr->instr];
}

const char *gmsim_instr_opcode(const gmsim_result *result, const gmsim_instr_counts *instr)
{
    const gmtrace_instr *code = instr_of(result, instr);

    if (code != NULL && code->opcode != NULL && code->opcode[0] != 0)
        return code->opcode;
    return gmsim_row_name(instr->row);
}

char *gmsim_instr_place(const gmsim_result *result, const gmsim_instr_counts *instr)
{
    if (instr_of(result, instr) == NULL)
        return g_strdup(gmsim_row_name(instr->row));
    return gmsim_code_place(result, instr->instr);
}

char *gmsim_unsteady_words(const gmsim_result *result)
{
    const gmsim_unsteady unsteady = gmsim_unsteady_find(result);
    GString *words;

    if (unsteady.kinds == 0)
        return NULL;
    words = g_string_new("counts differ from run to run of the hardware too");
    for (unsigned kind = 1, named = 0; kind < GMSIM_UNSTEADY_KINDS; kind++) {
        if (!(unsteady.kinds >> kind & 1u))
            continue;
        char *place = gmsim_code_place(result, unsteady.instr[kind]);

        g_string_append_printf(words, "%s %s (%s)", named++ > 0 ? ";" : ":",
                               gmsim_unsteady_table[kind].name, place);
        g_free(place);
    }
    g_string_append_c(words, '.');
    return g_string_free(words, FALSE);
}

char *gmsim_worst_words(const gmsim_instr_counts *instr)
{
    gmsim_pattern pattern;

    if (gmsim_row_in(instr->row, GMSIM_ROWS_LOCAL))
        return g_strdup("spill or per-thread array");
    if (instr->worst.work == 0)
        return g_strdup("");
    gmsim_pattern_of(&instr->worst, &pattern);
    return gmsim_pattern_words(&pattern, gmsim_row_is_shared(instr->row));
}

char *gmsim_code_place(const gmsim_result *result, uint32_t instr)
{
    const gmtrace_kernel *kernel = result->kernel;
    const gmtrace_instr *code = &kernel->instr[instr];
    char *base, *clean, *place;

    if (code->file >= kernel->file_count || code->line == 0)
        return g_strdup_printf("pc 0x%" G_GINT64_MODIFIER "x", code->pc);
    base = g_path_get_basename(kernel->file[code->file]);
    clean = gmsim_clean(base, 24);
    place = g_strdup_printf("%s:%u", clean, code->line);
    g_free(base);
    g_free(clean);
    return place;
}

char *gmsim_pattern_words(const gmsim_pattern *pattern, bool shared)
{
    GString *words = g_string_new(NULL);
    unsigned places = shared ? pattern->banks : pattern->sectors;
    bool all = pattern->lanes == GMTRACE_WARP_LANES;
    bool spaced = pattern->strided && pattern->addresses > 1;

    if (!all)
        g_string_append_printf(words, "%u lane%s, ", pattern->lanes,
                               pattern->lanes == 1 ? "" : "s");
    if (all || !spaced)
        g_string_append_printf(words, "%u %s%s", places, shared ? "bank" : "sector",
                               places == 1 ? "" : "s");
    if (spaced)
        g_string_append_printf(words, "%s%" G_GINT64_FORMAT " B apart", all ? ", " : "",
                               ABS(pattern->stride));
    else if (all)
        g_string_append(words, pattern->addresses == 1 ? ", one address" : ", irregular");
    return g_string_free(words, FALSE);
}
