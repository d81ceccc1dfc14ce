/* SPDX-License-Identifier: MIT
 *
 * deciding.c - asks path_values.h as if all parameters were known, and what memory holds.
 */
#include "traces/code/deciding.h"
#include "traces/code/path_values.h"

#include <string.h>

bool gmt_deciding_loads(const gmtrace_kernel *kernel, gmtrace_detail detail, uint8_t *deciding)
{
    static const uint8_t parameters[1u << 16];
    static const gmtrace_known_range somewhere;
    static const gmtrace_known all = {.constants_size = sizeof parameters,
                                      .constants = parameters,
                                      .range_count = 1,
                                      .range = &somewhere};
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .known = &all};
    path_graph graph;
    bool any = false;
    memset(deciding, 0, kernel->instr_count);
    path_values *values =
        path_graph_build(&graph, kernel, detail) ? path_values_create(&graph, &launch) : NULL;
    for (uint32_t n = 0; n < kernel->instr_count && values; n++)
        any |= deciding[n] = path_values_loads(values, n);
    path_values_free(values);
    path_graph_free(&graph);
    return any;
}
