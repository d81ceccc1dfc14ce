/* SPDX-License-Identifier: MIT
 *
 * samples.h - the traces that come with gmsim, by name.
 */
#ifndef GMSIM_SAMPLES_H
#define GMSIM_SAMPLES_H

#include <glib.h>

G_BEGIN_DECLS

/* The file of the sample of that name ("transpose_nopad.trc", with its ending or without), or NULL
 * where the word is no bare name or there is none such. Free with g_free(). */
char *gmsim_sample_find(const char *name);

typedef struct gmsim_sample {
    char *name; /* without ending */
    char *what; /* a line about it */
} gmsim_sample;

/* All samples by name. NULL with error set where none are found. Free with g_ptr_array_unref(). */
GPtrArray *gmsim_samples(GError **error);

G_END_DECLS

#endif
