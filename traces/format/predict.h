/* SPDX-License-Identifier: MIT
 *
 * predict.h - the predictor that chunk encoder and decoder run in step (FORMAT.md, "Records").
 *
 * An entry stands for one instruction doing one kind of access. It remembers its last record, by
 * how much its address moved, and which entries followed it. Address steps inside a segment (the
 * warp's own loop) and from the first access of one segment to the first of the next (warp to
 * warp, CTA to CTA) are learnt apart, two steps deep each, because loops alternate two steps.
 */
#ifndef GMTRACE_PRIVATE_PREDICT_H
#define GMTRACE_PRIVATE_PREDICT_H

#include "traces/format/internal.h"

#define GMT_NO_ENTRY UINT32_MAX
#define GMT_START    0u /* entry 0: its successor is the first record of a segment */

typedef struct gmt_entry {
    gmtrace_record record;  /* the last one */
    uint64_t step[2];       /* within a segment, the last one first */
    uint64_t first;         /* address of the first record of the latest segment */
    uint64_t first_step[2]; /* between first records of segments */
    uint64_t pack_base;     /* OFFSETS: what packed values are added to */
    const void *lanes;      /* encoder: the last record's offsets or addresses */
    uint32_t segment;       /* number of the latest segment, from 1 */
    uint32_t next[2];       /* successors, the last one first */
    uint32_t same_instr;    /* encoder: next entry of the same instruction */
    uint8_t pack_width, pack_shift;
} gmt_entry;

/* State at the start of a chunk. */
typedef struct gmt_context {
    uint64_t space_address[GMTRACE_SPACE_COUNT]; /* last address in each space */
    uint32_t mask;                               /* of the last record */
    uint32_t instr;                              /* of the last entry defined */
} gmt_context;

static inline void gmt_context_reset(gmt_context *context)
{
    memset(context, 0, sizeof *context);
    context->mask = UINT32_MAX;
}

static inline void gmt_entry_start(gmt_entry *entry)
{
    memset(entry, 0, sizeof *entry);
    entry->next[0] = entry->next[1] = GMT_NO_ENTRY;
}

/* A new entry: what it predicts before it has seen a record. `record` gives instr, kind, op, space
 * and size. Unit stride is the guess for accesses, because it is what good kernels do. */
static inline void gmt_entry_define(gmt_entry *entry, const gmt_context *context,
                                    const gmtrace_record *record)
{
    gmt_entry_start(entry);
    gmtrace_record *r = &entry->record;
    r->instr = record->instr;
    r->kind = record->kind;
    r->op = record->op;
    r->space = record->space;
    r->size = record->size;
    r->mask = context->mask;
    r->shape = GMTRACE_AFFINE;
    r->stride = record->kind == GMTRACE_ACCESS ? record->size : 0;
    r->address = context->space_address[record->space];
    entry->first = entry->pack_base = r->address;
}

static inline uint64_t gmt_base(const gmt_entry *entry, uint32_t segment)
{
    return entry->segment == segment ? entry->record.address : entry->first;
}

static inline uint64_t *gmt_steps(gmt_entry *entry, uint32_t segment)
{
    return entry->segment == segment ? entry->step : entry->first_step;
}

static inline void gmt_moved(gmt_entry *entry, uint32_t segment, uint64_t address)
{
    if (entry->segment != segment) {
        entry->segment = segment;
        entry->first = address;
    }
    entry->record.address = address;
}

static inline void gmt_follow(gmt_entry *entry, uint32_t next)
{
    if (entry->next[0] != next) {
        entry->next[1] = entry->next[0];
        entry->next[0] = next;
    }
}

#endif
