/* SPDX-License-Identifier: MIT
 *
 * next_line.c - a prefetcher: when a load misses in a line, the next line comes, too, unless it was
 * the last to be asked for.
 *
 *     cc -O2 -fPIC -shared $(pkg-config --cflags gmsim) next_line.c -o next_line.so
 *     gmsim --plugin next_line.so --set l1.prefetch=next_line --trace F
 */
#include <sim/policy/plugin.h>

typedef struct next_line {
    uint64_t last; /* asked for, plus one */
} next_line;

static uint32_t access(void *data, const gmsim_plugin_access *access,
                       gmsim_plugin_ahead ahead[GMSIM_PLUGIN_AHEAD])
{
    next_line *state = data;
    uint64_t next = access->line + 1;
    if (!access->missing || next == state->last)
        return 0;
    state->last = next;
    ahead[0].line = next;
    ahead[0].sectors = 0xf;
    return 1;
}

static const gmsim_plugin_prefetcher prefetcher = {
    .state_bytes = sizeof(next_line),
    .access = access,
};

GMSIM_PLUGIN = {
    .version = GMSIM_PLUGIN_VERSION,
    .name = "next_line",
    .about = "a line that misses brings the next",
    .prefetcher = &prefetcher,
};
