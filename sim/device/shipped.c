/* SPDX-License-Identifier: MIT
 *
 * shipped.c - a program or library that is used from its build folder uses the files of that build,
 * one that was moved with its prefix uses those beside it; neither needs a variable set. Where
 * /proc is missing the program's place is left out.
 */
#include "config.h"

#include "sim/device/shipped.h"

#include <dlfcn.h>
#include <string.h>

static void add(GPtrArray *folder, char *path)
{
    if (*path && !g_ptr_array_find_with_equal_func(folder, path, g_str_equal, NULL))
        g_ptr_array_add(folder, path);
    else
        g_free(path);
}

/* Folders that follow from where a program or library lies. Libtool keeps those of a build folder
 * in .libs beneath the place they seem to be in, and its .la files mark that folder. */
static void add_from(const gmsim_shipped *what, GPtrArray *folder, const char *file)
{
    g_autofree char *here = g_path_get_dirname(file);
    if (g_str_has_suffix(here, G_DIR_SEPARATOR_S ".libs"))
        *strrchr(here, G_DIR_SEPARATOR) = '\0';
    g_autofree char *above = g_path_get_dirname(here);
    const char *const place[] = {here, above};
    for (unsigned i = 0; i < G_N_ELEMENTS(place); i++) {
        g_autofree char *mark = g_build_filename(place[i], "libgmsim.la", NULL);
        if (g_file_test(mark, G_FILE_TEST_EXISTS))
            add(folder, g_build_filename(place[i], what->link, NULL));
    }
    char *beside = g_build_filename(above, "share", "gmsim", what->name, NULL);
    if (g_file_test(beside, G_FILE_TEST_IS_DIR))
        add(folder, beside);
    else
        g_free(beside);
}

static void add_from_program(const gmsim_shipped *what, GPtrArray *folder)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    if (program)
        add_from(what, folder, program);
}

/* The program may be an interpreter that loaded the library from anywhere. */
static void add_from_library(const gmsim_shipped *what, GPtrArray *folder)
{
    static const char inside;
    Dl_info info;
    if (!dladdr(&inside, &info) || !info.dli_fname)
        return;
    g_autofree char *library = g_canonicalize_filename(info.dli_fname, NULL);
    add_from(what, folder, library);
}

char **gmsim_shipped_folders(const gmsim_shipped *what)
{
    GPtrArray *folder = g_ptr_array_new();
    const char *path = g_getenv(what->variable);
    g_auto(GStrv) given = g_strsplit(path ? path : "", ":", -1);
    for (char **g = given; *g; g++)
        add(folder, g_strdup(*g));
    add_from_program(what, folder);
    add_from_library(what, folder);
    add(folder, g_strdup(what->installed));
    g_ptr_array_add(folder, NULL);
    return (char **)g_ptr_array_free(folder, FALSE);
}
