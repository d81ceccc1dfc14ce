/* SPDX-License-Identifier: MIT
 *
 * application_words.h - a program of many launches as people read it. Free each text with g_free().
 */
#ifndef GMSIM_APPLICATION_WORDS_H
#define GMSIM_APPLICATION_WORDS_H

#include "sim/analysis/application.h"

G_BEGIN_DECLS

/* A name for each kernel by its number, of at most `width` columns; those of one name that are of
 * other code have a number behind it. Free with g_strfreev(). */
char **gmsim_application_names(const gmsim_application *application, unsigned width);

/* The kernel that takes most, and what its longest launch suffers from: `what`. */
char *gmsim_application_verdict(const gmsim_application *application, char *const *name,
                                const char *what);
/* Launches that are in no sum, and the first of their kernels; NULL where there are none. */
/* How many launches were captured, and how sure what is said of the others is; NULL where all were.
 * Free with g_free(). */
char *gmsim_application_sampled_words(const gmsim_application *application);
char *gmsim_application_unknown(const gmsim_application *application, char *const *name);

/* "DRAM 83%": what binds, and how much of the time that alone needs at least. */
char *gmsim_bound_words(const gmsim_result *result);
/* "142.86 us" */
char *gmsim_time_words(const gmsim_timing *timing);

G_END_DECLS

#endif
