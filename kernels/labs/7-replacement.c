/* SPDX-License-Identifier: MIT
 *
 * Lab 7, starting code: a replacement policy of your own, as a plug-in. This one is FIFO: a line that
 * comes gets the set's time, and the one with the earliest leaves. sim/policy/plugin.h says what each
 * call may do. State has no other place than lines->way, ->set and ->cache.
 */
#include <sim/policy/plugin.h>

static void fill(const gmsim_plugin_lines *lines, uint32_t way)
{
    uint64_t *came = lines->way, *now = lines->set;
    came[way] = ++*now;
}

static void use(const gmsim_plugin_lines *lines, uint32_t way)
{
    (void)lines, (void)way;
}

static uint32_t victim(const gmsim_plugin_lines *lines, uint32_t candidates)
{
    const uint64_t *came = lines->way;
    uint32_t first = 32;
    for (uint32_t way = 0; way < lines->ways; way++)
        if (candidates >> way & 1u && (first == 32 || came[way] < came[first]))
            first = way;
    return first;
}

static const gmsim_plugin_replacement mine = {
    .way_bytes = sizeof(uint64_t),
    .set_bytes = sizeof(uint64_t),
    .fill = fill,
    .use = use,
    .victim = victim,
};

GMSIM_PLUGIN = {.version = GMSIM_PLUGIN_VERSION, .name = "mine", .replacement = &mine};
