/* SPDX-License-Identifier: MIT
 *
 * find.c - finds a GPU's .ini file by name, in the folders of shipped.h.
 */
#include "config.h"

#include "sim/device/find.h"

#include <string.h>

#include "sim/device/shipped.h"

#define SUFFIX ".ini"

static const gmsim_shipped devices = {.name = "device",
                                      .link = "devices",
                                      .variable = "GMSIM_DEVICE_PATH",
                                      .installed = GMSIM_DEVICE_DIR};

static void add(GPtrArray *names, char *name)
{
    if (*name && !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
        g_ptr_array_add(names, name);
    else
        g_free(name);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **gmsim_gpu_list(void)
{
    g_auto(GStrv) folder = gmsim_shipped_folders(&devices);
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
    g_auto(GStrv) folder = gmsim_shipped_folders(&devices);
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
