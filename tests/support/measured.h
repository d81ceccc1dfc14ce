/* SPDX-License-Identifier: MIT
 *
 * measured.h - the tables of validate/measured, for tests that hold rules to microbenchmarks.
 */
#ifndef GMTEST_MEASURED_H
#define GMTEST_MEASURED_H

#include <glib.h>

/* The rows of a GPU's table `name` below its heading, each a GStrv of its cells; the caller unrefs
 * them. A table that is missing, or a row of other than `columns` cells, fails the test. */
static inline GPtrArray *gmtest_measured_on(const char *gpu, const char *name, guint columns)
{
    const char *top = g_getenv("GMSIM_SRCDIR");
    g_autofree char *path =
        g_build_filename(top ? top : ".", "validate", "measured", gpu, name, NULL);
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);
    for (char **l = line + 1; *line && *l; l++) {
        if (**l == 0)
            continue;
        g_ptr_array_add(rows, g_strsplit(*l, ",", -1));
        g_assert_cmpuint(g_strv_length(g_ptr_array_index(rows, rows->len - 1)), ==, columns);
    }
    return rows;
}

static inline GPtrArray *gmtest_measured(const char *name, guint columns)
{
    return gmtest_measured_on("h200", name, columns);
}

#endif
