/* SPDX-License-Identifier: MIT
 *
 * deciding.c - asks path_values.h as if all parameters were known, and what memory holds; and
 * indices.c.
 */
#include "traces/code/deciding.h"
#include "traces/code/decoded_private.h"
#include "traces/code/path_values.h"

#include <stdlib.h>
#include <string.h>

/* Indices of constants decide no way, but how long the way takes. */
static bool mark_indices(const gmtrace_kernel *kernel, uint8_t *deciding)
{
    gmtrace_decoded *decoded = malloc((kernel->instr_count + (size_t)1) * sizeof *decoded);
    if (decoded)
        gmtrace_decode_kernel(kernel, GMTRACE_WARP_LANES, decoded);
    uint8_t *loads = decoded ? calloc(kernel->instr_count + (size_t)1, sizeof *loads) : NULL;
    const bool any = loads && gmt_index_loads(kernel, decoded, loads);
    for (uint32_t n = 0; n < kernel->instr_count && any; n++)
        if (loads[n] && !deciding[n])
            deciding[n] = GMT_MAKES_INDEX;
    free(loads);
    free(decoded);
    return any;
}

bool gmt_deciding_loads(const gmtrace_kernel *kernel, gmtrace_detail detail, uint8_t *deciding)
{
    static const uint8_t parameters[1u << 16];
    static const gmtrace_known_range ranges[] = {
        {0, 0, NULL}, {GMTRACE_BANK_ADDRESS(3u), sizeof parameters, parameters}};
    static const gmtrace_known all = {.constants_size = sizeof parameters,
                                      .constants = parameters,
                                      .range_count = 2,
                                      .range = ranges};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .known = &all};
    path_graph graph;
    bool any = false;
    memset(deciding, 0, kernel->instr_count);
    path_values *values =
        path_graph_build(&graph, kernel, detail) ? path_values_create(&graph, &launch) : NULL;
    for (uint32_t n = 0; n < kernel->instr_count && values; n++)
        if (path_values_loads(values, n)) {
            deciding[n] = GMT_DECIDES;
            any = true;
        }
    path_values_free(values);
    path_graph_free(&graph);
    return any | mark_indices(kernel, deciding);
}
