/* SPDX-License-Identifier: MIT
 *
 * pipe.c - the lines of pipe.h. A resource's least cycles stand in the first line of its unit.
 */
#include "sim/analysis/pipe.h"

#include <stddef.h>

#include "sim/analysis/rows.h"

typedef struct lines {
    const gmsim_result *result;
    gmsim_pipe_line *line;
    unsigned count;
    bool shown[GMSIM_RESOURCES];
} lines;

static void add(lines *to, gmsim_pipe_line line)
{
    if (line.resource >= 0 && to->shown[line.resource])
        line.resource = -1;
    if (line.resource >= 0)
        to->shown[line.resource] = true;
    to->line[to->count++] = line;
}

static void add_rows(lines *to, uint32_t rows, const char *unit, int resource)
{
    const bool unseen = (to->result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;

    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        const gmsim_counts *c = &to->result->row[i];
        const gmsim_row row = (gmsim_row)i;

        if (!gmsim_row_in(row, rows) || c->instructions == 0)
            continue;
        add(to,
            (gmsim_pipe_line){
                .unit = unit,
                .access = gmsim_row_table[i].access,
                .row = (int)i,
                .resource = resource,
                .requests = c->requests > 0 ? c->requests : GMSIM_PIPE_UNKNOWN,
                .work = gmsim_work(row, c),
                .ideal = row == GMSIM_REMOTE_SHARED ? GMSIM_PIPE_UNKNOWN : gmsim_work_ideal(row, c),
                .hits = c->l1_hit_sectors,
                .looked_up = unseen ? 0 : c->l1_hit_sectors + c->l1_miss_sectors,
                .bytes = gmsim_row_is_shared(row) ? c->bytes : c->sectors * GMSIM_SECTOR_BYTES,
            });
    }
}

/* Below L1: sectors, and of them hits. */
static void add_sectors(lines *to, int resource, const char *unit, const char *access,
                        uint64_t sectors, bool looked_up, uint64_t hits)
{
    const bool unseen = (to->result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;

    add(to, (gmsim_pipe_line){
                .unit = unit,
                .access = access,
                .row = -1,
                .resource = resource,
                .requests = GMSIM_PIPE_UNKNOWN,
                .work = unseen ? GMSIM_PIPE_UNKNOWN : sectors,
                .ideal = GMSIM_PIPE_UNKNOWN,
                .hits = MIN(hits, sectors),
                .looked_up = looked_up && !unseen ? sectors : 0,
                .bytes = unseen ? GMSIM_PIPE_UNKNOWN : sectors * GMSIM_SECTOR_BYTES,
            });
}

unsigned gmsim_pipe_lines(const gmsim_result *result, gmsim_pipe_line line[GMSIM_PIPE_LINES])
{
    const gmsim_l2_counts *l2 = &result->l2;
    const uint64_t atomics = gmsim_l2_updates(l2);
    lines to = {.result = result, .line = line};

    if (gmsim_rows_sum(result, GMSIM_ROWS_ALL, offsetof(gmsim_counts, instructions)) == 0)
        return 0;
    add_rows(&to, GMSIM_ROWS_SHARED, "shared", GMSIM_RESOURCE_SHARED);
    add_rows(&to, GMSIM_ROWS_GLOBAL | GMSIM_ROWS_LOCAL, "L1", GMSIM_RESOURCE_L1);
    add_rows(&to, GMSIM_ROWS_BULK, "TMA", -1);
    if (l2->read_sectors > 0)
        add_sectors(&to, GMSIM_RESOURCE_L2, "L2", "read", l2->read_sectors, true,
                    l2->read_hit_sectors);
    if (l2->write_sectors > 0)
        add_sectors(&to, GMSIM_RESOURCE_L2, "L2", "write", l2->write_sectors, true,
                    l2->write_hit_sectors);
    if (atomics > 0)
        add_sectors(&to, GMSIM_RESOURCE_L2, "L2", "atomic", atomics, false, 0);
    if (l2->read_sectors + l2->write_sectors + atomics > 0) {
        add_sectors(&to, GMSIM_RESOURCE_DRAM, "DRAM", "read", l2->dram_read_sectors, false, 0);
        add_sectors(&to, -1, "DRAM", "write", l2->dram_write_sectors, false, 0);
    }
    return to.count;
}
