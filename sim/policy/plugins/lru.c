/* SPDX-License-Identifier: MIT
 *
 * lru.c - the least recently used line leaves: the built-in lru once more, as a plug-in.
 *
 *     cc -O2 -fPIC -shared $(pkg-config --cflags gmsim) lru.c -o my_lru.so
 *     gmsim --plugin my_lru.so --set l1.replacement=my_lru --trace F
 */
#include <sim/policy/plugin.h>

/* A set counts its uses. A way's state is the time of its last one, and the way in the low five
 * bits, so that the least of them is both. */
static void use(const gmsim_plugin_lines *lines, uint32_t way)
{
    uint64_t *used = lines->way;
    uint64_t *now = lines->set;
    used[way] = (*now += 32) | way;
}

static uint32_t victim(const gmsim_plugin_lines *lines, uint32_t candidates)
{
    const uint64_t *used = lines->way;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t way = 0; way < lines->ways; way++)
        if (candidates >> way & 1u && used[way] < oldest)
            oldest = used[way];
    return oldest & 31u;
}

static const gmsim_plugin_replacement lru = {
    .way_bytes = sizeof(uint64_t),
    .set_bytes = sizeof(uint64_t),
    .fill = use, /* a line that comes is used */
    .use = use,
    .victim = victim,
};

GMSIM_PLUGIN = {
    .version = GMSIM_PLUGIN_VERSION,
    .name = "my_lru",
    .about = "the least recently used line leaves",
    .replacement = &lru,
};
