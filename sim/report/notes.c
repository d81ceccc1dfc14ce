/* SPDX-License-Identifier: MIT
 *
 * notes.c - the sentences of notes.h.
 */
#include "sim/report/notes.h"

#include "sim/analysis/metrics.h"
#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/origin.h"
#include "sim/report/words.h"

/* A loop without a record: no trace says how often it turns. NULL: there are too few of them. */
static char *loop_words(const gmsim_result *result)
{
    const gmsim_executed *executed = &result->executed;

    if (!result->timed || executed->loops * GMSIM_SURE_WAYS <= executed->ways)
        return NULL;
    return g_strdup_printf("%s of %s ways from one record to the next lead through a loop that holds "
                           "none. How often it turns the trace does not tell: where that is more "
                           "often than its code says, or than once, the launch takes longer.",
                           gmsim_count(executed->loops).text, gmsim_count(executed->ways).text);
}

void gmsim_notes(const gmtrace_capture *capture, const gmsim_result *result,
                 const gmsim_verdict *verdict, gmsim_note note, gpointer data)
{
    g_autofree char *origin = gmsim_origin_of(capture);
    g_autofree char *unsteady = gmsim_unsteady_words(result);
    g_autofree char *loops = loop_words(result);

    for (unsigned i = 0; origin != NULL && i < verdict->count; i++) {
        if (verdict->finding[i].kind == GMSIM_FINDING_LOCAL) {
            g_autofree char *words = gmsim_origin_of_local(origin);

            if (words != NULL)
                note("Code", words, data);
        }
    }
    if (result->unseen & GMSIM_UNSEEN_TRAFFIC)
        note("Unknown",
             "the capture could not see all of this kernel's memory traffic (see Model): its "
             "hits, L2, DRAM and times are not given.",
             data);
    if (unsteady != NULL)
        note("Unsteady", unsteady, data);
    if (loops != NULL)
        note("Loops", loops, data);
    if (result->truncated)
        note("",
             "The trace is cut short: these are the counts of the part that could be read, not of "
             "the launch.",
             data);
}

char *gmsim_model_words(const gmtrace_capture *capture, const gmsim_result *result)
{
    GString *text =
        g_string_new("counts follow from addresses; hits, L2, DRAM and time are modelled, time as "
                     "calibrated on an H200; min cycles are lower bounds from counts and "
                     "bandwidths. Not modelled: the TLB.");
    g_autofree char *origin = gmsim_origin_of(capture);
    unsigned named = 0;

    for (unsigned bit = 0; gmsim_unseen_table[bit].name != NULL; bit++) {
        if (result->unseen >> bit & 1u)
            g_string_append_printf(text, "%s%s", named++ > 0 ? ", " : " Not seen by the capture: ",
                                   gmsim_unseen_table[bit].name);
    }
    if (named > 0)
        g_string_append_c(text, '.');
    if (origin != NULL) {
        g_autofree char *meaning = gmsim_origin_meaning(origin);

        g_string_append(text, meaning);
    }
    return g_string_free(text, FALSE);
}
