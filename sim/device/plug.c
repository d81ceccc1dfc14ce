/* SPDX-License-Identifier: MIT
 *
 * plug.c - a plug-in's table is checked once, before any of its policies can be named; what its
 * calls answer is checked where they are called (sim/model).
 */
#include "sim/device/gpu.h"
#include "sim/device/keys.h"

#include <string.h>

/* plugin.h */
#define MOST_NAME      31u
#define MOST_WAY_BYTES 256u
#define MOST_SET_BYTES (64u << 10)
#define MOST_CACHE     (16u << 20)
#define MOST_STATE     (1u << 20)

/* NULL, or what is wrong; owned by the caller. */
static char *wrong_name(const gmsim_gpu *gpu, const gmsim_plugin *plugin)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const char *name = plugin->name;
    if (!name || !*name || strnlen(name, MOST_NAME + 1u) > MOST_NAME ||
        name[strspn(name, letters)] != 0)
        return g_strdup_printf("its name must be 1 to %u of a-z, 0-9 and _", MOST_NAME);
    for (uint32_t i = 0; i < gpu->plugins; i++)
        if (!strcmp(gpu->plugin[i]->name, name))
            return g_strdup_printf("'%s' is another plug-in's name already", name);
    for (unsigned i = 0; i < gmsim_key_count; i++) {
        const gmsim_key *key = &gmsim_keys[i];
        for (uint64_t n = 0; gmsim_key_plugged(key, plugin) && n <= key->max; n++)
            if (!strcmp(key->names[n], name))
                return g_strdup_printf("'%s' is the name of a built-in %s", name, key->key);
    }
    return NULL;
}

static const char *wrong_parts(const gmsim_plugin *plugin)
{
    const gmsim_plugin_replacement *lines = plugin->replacement;
    if (!lines && !plugin->prefetcher && !plugin->order)
        return "it has neither a replacement policy nor a prefetcher nor an order";
    if (lines && (!lines->fill || !lines->use || !lines->victim))
        return "its replacement policy lacks fill, use or victim";
    if (lines && (lines->way_bytes > MOST_WAY_BYTES || lines->set_bytes > MOST_SET_BYTES ||
                  lines->cache_bytes > MOST_CACHE))
        return "its replacement policy asks for more state than 256 bytes a way, 64 KiB a set or "
               "16 MiB a cache";
    if (plugin->prefetcher && !plugin->prefetcher->access)
        return "its prefetcher lacks access";
    if (plugin->prefetcher && plugin->prefetcher->state_bytes > MOST_STATE)
        return "its prefetcher asks for more state than 1 MiB";
    if (plugin->order && !plugin->order->next)
        return "its order lacks next";
    return NULL;
}

bool gmsim_gpu_plug(gmsim_gpu *gpu, const gmsim_plugin *plugin, GError **error)
{
    g_autofree char *wrong = NULL;
    if (plugin->version != GMSIM_PLUGIN_VERSION)
        wrong = g_strdup_printf("made for version %u of plugin.h, this gmsim knows %u; compile it "
                                "against this gmsim's header",
                                plugin->version, GMSIM_PLUGIN_VERSION);
    else if (gpu->plugins == GMSIM_PLUGINS)
        wrong = g_strdup_printf("is one too many: %u plug-ins at a time", GMSIM_PLUGINS);
    else
        wrong = wrong_name(gpu, plugin);
    if (!wrong)
        wrong = g_strdup(wrong_parts(plugin));
    if (wrong) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_UNSUPPORTED, "%s", wrong);
        return false;
    }
    gpu->plugin[gpu->plugins++] = plugin;
    return true;
}
