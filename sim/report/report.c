/* SPDX-License-Identifier: MIT
 *
 * report.c - the formats by name, and what several of them need.
 */
#include "sim/report/report.h"

#include <string.h>

#include "sim/analysis/pattern.h"

const gmsim_report_format *const gmsim_report_formats[] = {&gmsim_report_text, &gmsim_report_json,
                                                           &gmsim_report_csv, NULL};

const gmsim_report_format *gmsim_report_find(const char *name)
{
    for (unsigned i = 0; gmsim_report_formats[i] != NULL; i++) {
        if (strcmp(gmsim_report_formats[i]->name, name) == 0)
            return gmsim_report_formats[i];
    }
    return NULL;
}

double gmsim_conflict_degree(const gmsim_result *result)
{
    double most = 0;

    for (uint32_t i = 0; i < result->instr_count; i++) {
        const gmsim_counts *counts = &result->instr[i].counts;

        if (gmsim_row_is_shared(result->instr[i].row) && counts->wavefronts_ideal > 0)
            most = MAX(most, (double)counts->wavefronts / (double)counts->wavefronts_ideal);
    }
    return most;
}

const char *gmsim_unseen_name(unsigned bit)
{
    static const char *const names[] = {"constant",       "texture",       "surface",
                                        "graph launches", "warpgroup MMA", "tensor-map copies"};

    return bit < G_N_ELEMENTS(names) ? names[bit] : NULL;
}

const char *gmsim_limiter_name(unsigned bit)
{
    static const char *const names[] = {"warps", "blocks", "registers", "shared_mem", "barriers"};

    return bit < G_N_ELEMENTS(names) ? names[bit] : NULL;
}
