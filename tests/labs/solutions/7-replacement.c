/* SPDX-License-Identifier: MIT
 *
 * Lab 7, solved: bimodal insertion. A line that comes stands at the end of the queue, one in sixteen
 * at its head; one that is wanted again goes to the head. The line at the end leaves.
 */
#include <sim/policy/plugin.h>

#define MIDDLE (UINT64_C(1) << 32) /* times count up and down from here */

typedef struct set {
    uint64_t up, down, came;
} set;

static void use(const gmsim_plugin_lines *lines, uint32_t way)
{
    uint64_t *place = lines->way;
    set *state = lines->set;
    place[way] = MIDDLE + ++state->up;
}

static void fill(const gmsim_plugin_lines *lines, uint32_t way)
{
    uint64_t *place = lines->way;
    set *state = lines->set;
    if (state->came++ % 16 == 0)
        use(lines, way);
    else
        place[way] = MIDDLE - ++state->down;
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
    .set_bytes = sizeof(set),
    .fill = fill,
    .use = use,
    .victim = victim,
};

GMSIM_PLUGIN = {.version = GMSIM_PLUGIN_VERSION, .name = "mine", .replacement = &mine};
