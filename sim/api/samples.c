/* SPDX-License-Identifier: MIT
 *
 * samples.c - finds samples, and reads samples.txt beside them: a name, a tab and a line each.
 */
#include "config.h"

#include "sim/api/samples.h"

#include <string.h>

#include "sim/device/gpu.h"
#include "sim/device/shipped.h"

#define SUFFIX ".trc"

static const gmsim_shipped samples = {.name = "samples",
                                      .link = "samples",
                                      .variable = "GMSIM_SAMPLE_PATH",
                                      .installed = GMSIM_SAMPLE_DIR};

char *gmsim_sample_find(const char *name)
{
    char *found = NULL;

    if (*name == 0 || strchr(name, G_DIR_SEPARATOR) != NULL || *name == '.')
        return NULL;
    g_autofree char *file = g_strconcat(name, g_str_has_suffix(name, SUFFIX) ? "" : SUFFIX, NULL);
    g_auto(GStrv) folder = gmsim_shipped_folders(&samples);
    for (char **f = folder; *f != NULL && found == NULL; f++) {
        found = g_build_filename(*f, file, NULL);
        if (!g_file_test(found, G_FILE_TEST_IS_REGULAR))
            g_clear_pointer(&found, g_free);
    }
    return found;
}

static void free_sample(gpointer data)
{
    gmsim_sample *sample = data;

    g_free(sample->name);
    g_free(sample->what);
    g_free(sample);
}

GPtrArray *gmsim_samples(GError **error)
{
    g_auto(GStrv) folder = gmsim_shipped_folders(&samples);

    for (char **f = folder; *f != NULL; f++) {
        g_autofree char *path = g_build_filename(*f, "samples.txt", NULL);
        g_autofree char *text = NULL;
        GPtrArray *all;

        if (!g_file_get_contents(path, &text, NULL, NULL))
            continue;
        g_auto(GStrv) line = g_strsplit(text, "\n", -1);
        all = g_ptr_array_new_with_free_func(free_sample);
        for (char **l = line; *l != NULL; l++) {
            const char *tab = strchr(*l, '\t');
            gmsim_sample *sample;

            if (tab == NULL)
                continue;
            sample = g_new(gmsim_sample, 1);
            sample->name = g_strndup(*l, (gsize)(tab - *l));
            sample->what = g_strdup(tab + 1);
            g_ptr_array_add(all, sample);
        }
        return all;
    }
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO,
                "no samples found in %s; set GMSIM_SAMPLE_PATH to the folder that holds them",
                GMSIM_SAMPLE_DIR);
    return NULL;
}
