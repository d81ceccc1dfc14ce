/* SPDX-License-Identifier: MIT
 *
 * plugin.c - loads plug-ins. What is in them runs with the user's rights from here on: the loader
 * runs their constructors.
 */
#include "config.h"

#include "sim/api/plugin.h"

#include <dlfcn.h>
#include <string.h>

struct gmsim_plugins {
    GPtrArray *handle;
};

/* The loader's own words, without the path that the message has before it. */
static const char *reason(const char *path)
{
    const char *why = dlerror();
    const size_t length = strlen(path);

    if (why == NULL)
        return "cannot be loaded";
    return g_str_has_prefix(why, path) && strncmp(why + length, ": ", 2) == 0 ? why + length + 2
                                                                              : why;
}

static bool load(gmsim_plugins *plugins, const char *file, gmsim_gpu *gpu, GError **error)
{
    /* Without a slash the loader would look anywhere but here. */
    char *path = strchr(file, '/') != NULL ? g_strdup(file) : g_strconcat("./", file, NULL);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const gmsim_plugin *plugin = NULL;
    bool good = false;

    if (handle == NULL) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO, "%s: no plug-in: %s", file, reason(path));
    } else {
        g_ptr_array_add(plugins->handle, handle);
        plugin = dlsym(handle, GMSIM_PLUGIN_SYMBOL);
        if (plugin == NULL)
            g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_UNSUPPORTED,
                        "%s: no plug-in: lacks the symbol %s, which GMSIM_PLUGIN of "
                        "sim/policy/plugin.h defines",
                        file, GMSIM_PLUGIN_SYMBOL);
        else
            good = gmsim_gpu_plug(gpu, plugin, error);
        if (plugin != NULL && !good)
            g_prefix_error(error, "%s: plug-in: ", file);
    }
    g_free(path);
    return good;
}

gmsim_plugins *gmsim_plugins_open(const char *const *files, gmsim_gpu *gpu, GError **error)
{
    gmsim_plugins *plugins = g_new0(gmsim_plugins, 1);

    plugins->handle = g_ptr_array_new();
    for (; files != NULL && *files != NULL; files++) {
        if (!load(plugins, *files, gpu, error)) {
            gmsim_plugins_close(plugins);
            return NULL;
        }
    }
    return plugins;
}

void gmsim_plugins_close(gmsim_plugins *plugins)
{
    if (plugins == NULL)
        return;
    while (plugins->handle->len > 0)
        (void)dlclose(g_ptr_array_steal_index(plugins->handle, plugins->handle->len - 1));
    g_ptr_array_unref(plugins->handle);
    g_free(plugins);
}
