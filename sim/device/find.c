/* SPDX-License-Identifier: MIT
 *
 * find.c - finds a GPU's .ini file by name. A program or library that is used from its build
 * folder uses the files of that build, one that was moved with its prefix uses those beside it;
 * neither needs a variable set. Where /proc is missing the program's place is left out.
 */
#include "config.h"

#include "sim/device/find.h"

#include <dlfcn.h>
#include <string.h>

#define SUFFIX ".ini"

static void add(GPtrArray *folder, char *path)
{
    if (*path && !g_ptr_array_find_with_equal_func(folder, path, g_str_equal, NULL))
        g_ptr_array_add(folder, path);
    else
        g_free(path);
}

/* Folders that follow from where a program or library lies. Libtool keeps those of a build folder
 * in .libs beneath the place they seem to be in, and its .la files mark that folder. */
static void add_from(GPtrArray *folder, const char *file)
{
    g_autofree char *here = g_path_get_dirname(file);
    if (g_str_has_suffix(here, G_DIR_SEPARATOR_S ".libs"))
        *strrchr(here, G_DIR_SEPARATOR) = '\0';
    g_autofree char *above = g_path_get_dirname(here);
    const char *const place[] = {here, above};
    for (unsigned i = 0; i < G_N_ELEMENTS(place); i++) {
        g_autofree char *mark = g_build_filename(place[i], "libgmsim.la", NULL);
        if (g_file_test(mark, G_FILE_TEST_EXISTS))
            add(folder, g_build_filename(place[i], "devices", NULL)); /* configure's link */
    }
    char *beside = g_build_filename(above, "share", "gmsim", "device", NULL);
    if (g_file_test(beside, G_FILE_TEST_IS_DIR))
        add(folder, beside);
    else
        g_free(beside);
}

static void add_from_program(GPtrArray *folder)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    if (program)
        add_from(folder, program);
}

/* The program may be an interpreter that loaded the library from anywhere. */
static void add_from_library(GPtrArray *folder)
{
    static const char inside;
    Dl_info info;
    if (!dladdr(&inside, &info) || !info.dli_fname)
        return;
    g_autofree char *library = g_canonicalize_filename(info.dli_fname, NULL);
    add_from(folder, library);
}

/* Best first: $GMSIM_DEVICE_PATH (colon-separated), by the program, by the library, where
 * `make install` went. */
static char **folders(void)
{
    GPtrArray *folder = g_ptr_array_new();
    const char *path = g_getenv("GMSIM_DEVICE_PATH");
    g_auto(GStrv) given = g_strsplit(path ? path : "", ":", -1);
    for (char **g = given; *g; g++)
        add(folder, g_strdup(*g));
    add_from_program(folder);
    add_from_library(folder);
    add(folder, g_strdup(GMSIM_DEVICE_DIR));
    g_ptr_array_add(folder, NULL);
    return (char **)g_ptr_array_free(folder, FALSE);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **gmsim_gpu_list(void)
{
    g_auto(GStrv) folder = folders();
    GPtrArray *names = g_ptr_array_new();
    for (char **f = folder; *f; f++) {
        GDir *dir = g_dir_open(*f, 0, NULL);
        const char *entry;
        while (dir && (entry = g_dir_read_name(dir)))
            if (g_str_has_suffix(entry, SUFFIX) && strlen(entry) > strlen(SUFFIX))
                add(names, g_strndup(entry, strlen(entry) - strlen(SUFFIX)));
        if (dir)
            g_dir_close(dir);
    }
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

char *gmsim_device_find(const char *what, const char *beside, GError **error)
{
    if (strchr(what, '/') || g_str_has_suffix(what, SUFFIX)) {
        g_autofree char *here = beside ? g_path_get_dirname(beside) : NULL;
        return !here || g_path_is_absolute(what) ? g_strdup(what)
                                                 : g_build_filename(here, what, NULL);
    }
    g_auto(GStrv) folder = folders();
    g_autofree char *file = g_strconcat(what, SUFFIX, NULL);
    for (char **f = folder; *what && *f; f++) {
        char *path = g_build_filename(*f, file, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS))
            return path;
        g_free(path);
    }
    g_auto(GStrv) known = gmsim_gpu_list();
    g_autofree char *names = g_strjoinv(", ", known);
    if (*names)
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE,
                    "unknown GPU '%s'; known: %s, or give the path of an .ini file", what, names);
    else
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO,
                    "no GPU descriptions in %s; set GMSIM_DEVICE_PATH to the folder that has them",
                    GMSIM_DEVICE_DIR);
    return NULL;
}
