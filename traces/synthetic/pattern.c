/* SPDX-License-Identifier: MIT
 *
 * pattern.c - what patterns have in common: the values of their keys, memory, grids, and the
 * records of warps that walk over a plane.
 */
#include "traces/synthetic/pattern.h"

#include <stdarg.h>
#include <stdio.h>

#define HEAP_BASE      UINT64_C(0x7f0000000000) /* where allocations begin */
#define HEAP_SIZE      (UINT64_C(1) << 43)
#define ALIGNMENT      (UINT64_C(2) << 20)
#define MOST_CTAS_LINE INT32_MAX /* of a grid's x */

gmt_value gmt_get(const gmt_synthetic *s, const char *key)
{
    unsigned i = 0;
    while (strcmp(s->pattern->keys[i].name, key) != 0)
        i++;
    return s->value[i];
}

bool gmt_impossible(const gmt_synthetic *s, gmtrace_error *error, const char *format, ...)
{
    char text[sizeof error->text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return gmt_fail(error, GMTRACE_USAGE, GMT_NOWHERE, "%s: %s", s->pattern->name, text);
}

bool gmt_allocate(gmt_synthetic *s, uint64_t bytes, uint64_t *base, gmtrace_error *error)
{
    const uint32_t count = s->launch.allocation_count;
    const gmtrace_allocation *last = count ? &s->allocation[count - 1] : NULL;
    *base = last ? (last->base + last->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : HEAP_BASE;
    if (bytes > HEAP_SIZE || *base - HEAP_BASE > HEAP_SIZE - bytes)
        return gmt_impossible(s, error, "its arrays take more than 8 TiB; choose fewer or smaller");
    s->allocation[count] = (gmtrace_allocation){.base = *base, .size = bytes};
    s->launch.allocation_count = count + 1;
    return true;
}

bool gmt_line_grid(gmt_synthetic *s, uint64_t items, gmtrace_error *error)
{
    const uint32_t block = (uint32_t)gmt_number(s, "block");
    uint64_t grid = gmt_number(s, "grid");
    if (!grid)
        grid = (items + block - 1) / block;
    if (grid > MOST_CTAS_LINE)
        return gmt_impossible(
            s, error, "its grid has more than %d CTAs; set grid or a larger block", MOST_CTAS_LINE);
    s->launch.block[0] = block;
    s->launch.grid[0] = (uint32_t)grid;
    return true;
}

bool gmt_plane(gmt_synthetic *s, uint64_t cta, uint32_t warp, uint32_t instr, uint32_t mask,
               uint64_t base, uint32_t width, uint64_t right, uint64_t down, gmtrace_error *error)
{
    const uint32_t first = warp * GMTRACE_WARP_LANES;
    if (width >= GMTRACE_WARP_LANES && width % GMTRACE_WARP_LANES == 0)
        return gmt_affine(s, cta, warp, instr, mask,
                          base + first % width * right + first / width * down, (int32_t)right,
                          error);
    if (width > 1 && width < GMTRACE_WARP_LANES && (width & (width - 1)) == 0) {
        gmtrace_record record = s->record[instr];
        record.mask = mask;
        record.shape = GMTRACE_GRID;
        record.log2_columns = (uint8_t)__builtin_ctz(width);
        record.address = base + first / width * down;
        record.stride = (int32_t)right;
        record.stride2 = (int32_t)down;
        return !mask || gmtrace_writer_append(s->writer, cta, warp, &record, NULL, error);
    }
    uint64_t address[GMTRACE_WARP_LANES];
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
        address[i] = base + (first + i) % width * right + (first + i) / width * down;
    return gmt_lanes(s, cta, warp, instr, mask, address, error);
}
