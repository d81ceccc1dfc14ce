/* SPDX-License-Identifier: MIT
 *
 * boxes.c - copies of boxes through tensor maps, row by row. Rules, as measured on an H200 by
 * micro/tma.cu:
 *
 * - A load goes in pieces of 128 bytes, counted from the start of each row of the box. What of a
 *   piece is of the tensor is read in the sectors touched: each that is not wanted whole by a
 *   request of its own, the others by one a line. What is outside is asked for, too, in as many
 *   sectors as it has bytes for; of a box that is outside as a whole, every fourth such request
 *   reaches L2.
 * - A multicast asks L2 once, and every CTA that gets the box counts its sectors.
 * - Stores and reductions write the sectors touched of what is inside, a request a line.
 * - A prefetch reads as a load would, counts in no row, and nothing comes back.
 *
 * Left out: that a map may have L2 fetch more from DRAM at once (L2 promotion), and with 256 bytes
 * read more; the order in which the engine takes rows.
 */
#include "sim/model/boxes.h"

#include "sim/model/watch.h"
#include "traces/code/tensor.h"

/* The requests of a copy, gathered to as many lines as one can have. */
typedef struct gathering {
    gmsim_replay *replay;
    gmsim_sm_memory *memory;
    gmsim_executor *who;
    gmsim_counts *counts;
    const gmtrace_record *told; /* with the next request; then NULL */
    gmsim_row row;
    bool touches;     /* the box has a byte of the tensor */
    uint32_t outside; /* pieces so far, of a box that has none */
    gmsim_request request;
} gathering;

static void flush(gathering *g)
{
    gmsim_request *request = &g->request;
    gmsim_footprint *f = &request->footprint;
    if (!f->lines)
        return;
    if (request->kind != GMSIM_REQUEST_PREFETCH) {
        g->counts->sectors += f->sectors;
        g->counts->tags += f->lines;
        if (G_UNLIKELY(g->replay->watch))
            g->replay->watch->access(g->replay->watch, g->row, NULL, g->told, f);
        g->told = NULL;
    }
    gmsim_l1_words_begin(&request->words, f, NULL, NULL);
    request->now = g->who->now;
    request->part = g->who->part;
    gmsim_sm_memory_take(g->memory, request, &g->who->answer);
    f->lines = f->sectors = f->bytes = 0;
}

/* Bytes [first, end) of one line; `whole` sectors are. */
static void add(gathering *g, uint64_t first, uint64_t end, bool whole)
{
    gmsim_footprint *f = &g->request.footprint;
    const uint32_t low = (uint32_t)(first / GMSIM_SECTOR_BYTES) & 3u;
    const uint32_t count =
        (uint32_t)((end - 1u) / GMSIM_SECTOR_BYTES - first / GMSIM_SECTOR_BYTES) + 1u;
    const uint32_t sectors = ((1u << count) - 1u) << low, i = f->lines;
    f->line[i] = first / GMSIM_LINE_BYTES;
    f->touched[i] = (uint8_t)sectors;
    f->full[i] = (uint8_t)(whole ? sectors : 0);
    f->sectors += count;
    f->bytes += (uint32_t)(end - first);
    gmsim_request_reduces(&g->request, i, count);
    if (++f->lines == GMSIM_MAX_LINES)
        flush(g);
}

/* Bytes [first, end) of the tensor that a load reads. */
static void add_read(gathering *g, uint64_t first, uint64_t end)
{
    const uint64_t sector = GMSIM_SECTOR_BYTES, line = GMSIM_LINE_BYTES;
    while (first < end) {
        uint64_t next = (first / sector + 1u) * sector;
        const bool whole = first % sector == 0 && next <= end;
        if (whole) {
            next = (first / line + 1u) * line;
            next = MIN(next, end / sector * sector);
        }
        next = MIN(next, end);
        add(g, first, next, whole);
        first = next;
    }
}

/* And bytes outside: of the line where the row would have them. */
static void add_outside(gathering *g, uint64_t address, uint32_t bytes)
{
    const uint64_t line = address / GMSIM_LINE_BYTES * GMSIM_LINE_BYTES;
    if (bytes && (g->touches || g->outside++ % 4u == 0))
        add(g, line, line + bytes, true);
    else
        g->counts->xbar_read_sectors += (bytes + GMSIM_SECTOR_BYTES - 1u) / GMSIM_SECTOR_BYTES;
}

static void read_row(gathering *g, const gmtrace_tensor *tensor, const gmtrace_tensor_row *row)
{
    const uint32_t width = gmtrace_tensor_row_bytes(tensor);
    for (uint32_t at = 0; at < width; at += GMSIM_LINE_BYTES) {
        const uint32_t end = MIN(at + GMSIM_LINE_BYTES, width);
        const uint32_t from = CLAMP(row->begin, at, end), to = CLAMP(row->end, from, end);
        if (from < to) {
            add_outside(g, row->address + at, from - at);
            add_read(g, row->address + from, row->address + to);
            add_outside(g, row->address + to, end - to);
        } else {
            add_outside(g, row->address + at, end - at);
        }
    }
}

static void write_row(gathering *g, const gmtrace_tensor_row *row)
{
    const uint64_t end = row->address + row->end;
    for (uint64_t first = row->address + row->begin; first < end;) {
        const uint64_t next = MIN((first / GMSIM_LINE_BYTES + 1u) * GMSIM_LINE_BYTES, end);
        add(g, first, next, (first | next) % GMSIM_SECTOR_BYTES == 0);
        first = next;
    }
}

static bool tensor_of(const gmsim_replay *replay, uint32_t map, gmtrace_tensor *tensor)
{
    return map < replay->tensor_maps && gmtrace_tensor_read(replay->tensor_map[map], tensor);
}

const char *gmsim_replay_box(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                             const gmtrace_record *record)
{
    gmtrace_tensor tensor;
    gmtrace_tensor_copy copy;
    gmtrace_tensor_walk walk;
    gmtrace_tensor_row row;
    const bool load = record->op == GMTRACE_OP_BULK_LOAD,
               reads = load || record->op == GMTRACE_OP_PREFETCH;
    gmtrace_get_tensor_copy(record, &copy);
    if (!tensor_of(replay, copy.map, &tensor))
        return NULL; /* the launch is said not to be seen whole */
    if (gmtrace_tensor_bytes(&tensor) > GMSIM_MOST_BULK_BYTES)
        return "a box of a tensor larger than shared memory";
    gmtrace_record told = *record;
    gathering g = {.replay = replay,
                   .memory = memory,
                   .who = who,
                   .told = &told,
                   .touches = gmtrace_tensor_touches(&tensor, copy.coordinate),
                   .row = load ? GMSIM_BULK_LOAD : GMSIM_BULK_STORE};
    told.kind = GMTRACE_BULK;
    told.aux = (uint32_t)gmtrace_tensor_bytes(&tensor);
    gmsim_counts unused = {0};
    g.counts = &unused;
    if (record->op != GMTRACE_OP_PREFETCH) {
        const gmsim_site *site = gmsim_tally_site(&replay->tally, record->instr);
        g.counts = &gmsim_tally_entry(&replay->tally, site, record->instr, g.row)->counts;
        g.counts->instructions++;
        g.counts->threads += gmsim_lane_count(record->mask);
        g.counts->bytes += told.aux;
        g.counts->sectors_ideal += (told.aux + GMSIM_SECTOR_BYTES - 1u) / GMSIM_SECTOR_BYTES;
    }
    g.request.counts = g.counts;
    g.request.wavefronts = 1u;
    g.request.kind = (uint8_t)(load                                   ? GMSIM_REQUEST_FETCH
                               : record->op == GMTRACE_OP_PREFETCH    ? GMSIM_REQUEST_PREFETCH
                               : record->op == GMTRACE_OP_BULK_REDUCE ? GMSIM_REQUEST_REDUCTION
                                                                      : GMSIM_REQUEST_WRITE_OUT);
    const uint64_t before = g.counts->xbar_read_sectors;
    gmtrace_tensor_begin(&walk, &tensor, copy.coordinate);
    while (gmtrace_tensor_next(&walk, &row))
        if (reads)
            read_row(&g, &tensor, &row);
        else
            write_row(&g, &row);
    flush(&g);
    if (load && copy.multicast) {
        const uint64_t once = g.counts->xbar_read_sectors - before;
        const uint64_t all = once * (uint64_t)__builtin_popcount(copy.multicast);
        g.counts->xbar_read_sectors += all - once;
        g.counts->multicast_sectors += all;
    }
    return NULL;
}

bool gmsim_replay_box_room(const gmsim_replay *replay, const gmsim_sm_memory *memory,
                           const gmtrace_record *record)
{
    gmtrace_tensor tensor;
    if (!tensor_of(replay, record->map, &tensor))
        return true;
    /* A piece of 128 bytes lies in two lines, each with a part at its ends. */
    const uint64_t pieces = (uint64_t)gmtrace_tensor_rows(&tensor) *
                            (gmtrace_tensor_row_bytes(&tensor) / GMSIM_LINE_BYTES + 1u);
    const bool reads = record->op == GMTRACE_OP_BULK_LOAD || record->op == GMTRACE_OP_PREFETCH;
    const uint32_t lines = (uint32_t)MIN(pieces * 4u, UINT32_MAX / 8u);
    return gmsim_sm_memory_room(memory, lines, reads ? 0 : lines * 5u);
}
