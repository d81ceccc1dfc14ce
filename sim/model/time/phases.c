/* SPDX-License-Identifier: MIT
 *
 * phases.c - reads a CTA's streams for its mbarriers, then runs them without time.
 *
 * - Phases: most records with which one warp arrived at it. All lanes that arrived, and all copies,
 *   are divided evenly among them; where they cannot be, the mbarrier holds nobody. Nor does one
 *   that is initialised twice, or for which a warp waits more often than it has phases: waits for
 *   one phase more than once look like waits for several.
 * - Run without time, a wait lasts until its phase is complete. Where nobody can go on, the first
 *   wait of the first warp that has not waited for that mbarrier before, on which no copies
 *   complete, passes; if there is none, an mbarrier holds nobody from then on.
 *
 * Of other CTAs of its cluster only what they do to this one's mbarriers counts, and it comes along
 * with its own while the CTA is run.
 *
 * Left out: all but the first EVENTS of a warp, when it is run.
 */
#include "sim/model/time/phases.h"

#include "sim/model/count/lanes.h"
#include "sim/model/trace_error.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WARPS    32u
#define EVENTS       2048u /* of a warp that are run */
#define RANK(offset) ((offset) >> 24)

typedef struct event {
    uint8_t barrier, kind, lanes;
} event;

typedef struct stream {
    uint32_t count, next;                                       /* of `event` */
    uint32_t waits[GMSIM_MBARRIERS], arrivals[GMSIM_MBARRIERS]; /* in all; records */
    uint32_t done[GMSIM_MBARRIERS];                             /* waits, while it is run */
    event event[EVENTS];
} stream;

typedef struct run {
    gmsim_phases *phases;
    uint32_t warps;
    const gmtrace_decoded *decoded;
    uint32_t instructions;
    uint32_t used[GMSIM_CTA_BARRIERS]; /* by warps, as masks */
    uint32_t inits[GMSIM_MBARRIERS], phases_of[GMSIM_MBARRIERS];
    uint64_t lanes[GMSIM_MBARRIERS], copies[GMSIM_MBARRIERS];
    uint64_t own_lanes[GMSIM_MBARRIERS], own_copies[GMSIM_MBARRIERS]; /* of the CTA's own warps */
    uint64_t arrived[GMSIM_MBARRIERS], landed[GMSIM_MBARRIERS];       /* while it is run */
    stream stream[MAX_WARPS];
} run;

gmsim_phase_event gmsim_phase_event_of(const gmtrace_record *record, uint32_t *offset)
{
    if (record->kind == GMTRACE_MBARRIER) {
        *offset = (uint32_t)record->address;
        return record->aux == GMTRACE_MBARRIER_ARRIVE ? GMSIM_PHASE_ARRIVE
               : record->aux == GMTRACE_MBARRIER_WAIT ? GMSIM_PHASE_WAIT
                                                      : GMSIM_PHASE_NONE;
    }
    if (record->op != GMTRACE_OP_BULK_LOAD)
        return GMSIM_PHASE_NONE;
    if (record->kind == GMTRACE_BULK) {
        *offset = GMTRACE_BULK_BARRIER(record->aux64);
    } else if (record->kind == GMTRACE_TENSOR) {
        gmtrace_tensor_copy copy;
        gmtrace_get_tensor_copy(record, &copy);
        *offset = copy.barrier;
    } else {
        return GMSIM_PHASE_NONE;
    }
    return *offset ? GMSIM_PHASE_COPY : GMSIM_PHASE_NONE;
}

uint32_t gmsim_phase_ctas(const gmtrace_record *record)
{
    if (record->kind == GMTRACE_TENSOR) {
        gmtrace_tensor_copy copy;
        gmtrace_get_tensor_copy(record, &copy);
        return copy.multicast;
    }
    return record->kind == GMTRACE_BULK ? GMTRACE_BULK_CTAS(record->aux64) : 0;
}

static uint32_t number_of(gmsim_phases *phases, uint32_t offset)
{
    uint32_t i = gmsim_phases_find(phases, offset);
    if (i == GMSIM_MBARRIERS && phases->count < GMSIM_MBARRIERS) {
        i = phases->count++;
        phases->phase[i] = (gmsim_phase){.offset = offset, .held = true};
    }
    return i;
}

static void take(run *r, stream *warp, uint32_t rank, const gmtrace_record *record)
{
    uint32_t offset = 0, lanes = gmsim_lane_count(record->mask);
    gmsim_phase_event kind = gmsim_phase_event_of(record, &offset);
    const bool init = record->kind == GMTRACE_MBARRIER && record->aux == GMTRACE_MBARRIER_INIT;
    if (kind == GMSIM_PHASE_NONE && !init)
        return;
    uint32_t i = number_of(r->phases, offset & 0xffffffu);
    if (i == GMSIM_MBARRIERS)
        return;
    const uint32_t ctas = gmsim_phase_ctas(record);
    if (kind == GMSIM_PHASE_COPY && (ctas ? ctas & 1u : rank == 0)) {
        r->copies[i]++;
        r->own_copies[i] += rank == 0;
    } else if (kind == GMSIM_PHASE_ARRIVE && RANK(offset) == rank) {
        r->lanes[i] += lanes;
        r->own_lanes[i] += rank == 0 ? lanes : 0;
        warp->arrivals[i]++;
    } else if (kind == GMSIM_PHASE_WAIT && rank == 0) {
        warp->waits[i]++;
    } else {
        kind = GMSIM_PHASE_NONE;
    }
    r->inits[i] += init && rank == 0;
    if (rank == 0 && kind != GMSIM_PHASE_NONE && warp->count < EVENTS)
        warp->event[warp->count++] = (event){(uint8_t)i, (uint8_t)kind, (uint8_t)lanes};
}

/* What completes each phase. */
static void divide(run *r)
{
    for (uint32_t i = 0; i < r->phases->count; i++) {
        gmsim_phase *phase = &r->phases->phase[i];
        uint32_t phases = r->phases_of[i], waits = 0;
        for (uint32_t w = 0; w < r->warps; w++)
            waits = MAX(waits, r->stream[w].waits[i]);
        phase->held = phases && r->inits[i] < 2 && waits <= phases + 1u &&
                      r->lanes[i] % phases == 0 && r->copies[i] % phases == 0;
        if (!phase->held)
            continue;
        r->own_lanes[i] /= phases;
        r->own_copies[i] /= phases;
        phase->arrivals = (uint32_t)(r->lanes[i] / phases);
        phase->copies = (uint32_t)(r->copies[i] / phases);
    }
}

/* A warp syncs at a CTA barrier. Where some only arrive, or the count changes, nothing is shared.
 */
static void note_barrier(run *r, uint32_t number, bool arrives_only, const gmtrace_record *record)
{
    gmsim_shared_barrier *barrier = &r->phases->barrier[record->address];
    const uint32_t each = (record->aux + 31u) / 32u;
    const bool first = !r->used[record->address];
    r->used[record->address] |= 1u << number;
    if (first)
        barrier->each = (uint8_t)MIN(each, MAX_WARPS);
    if (arrives_only || each != barrier->each)
        barrier->each = 0;
}

/* Gives the parts of shared barriers numbers that nobody uses. */
static void share_barriers(run *r)
{
    uint32_t free = GMSIM_CTA_BARRIERS;
    for (uint32_t i = 0; i < GMSIM_CTA_BARRIERS; i++) {
        gmsim_shared_barrier *barrier = &r->phases->barrier[i];
        const uint32_t users = gmsim_lane_count(r->used[i]);
        const uint32_t more = barrier->each ? users / barrier->each - 1u : 0;
        if (!barrier->each || users <= barrier->each || users % barrier->each)
            continue;
        uint32_t next = free;
        while (free - next < more && next > 0 && !r->used[next - 1u])
            next--;
        if (free - next < more)
            continue;
        barrier->users = r->used[i];
        barrier->next = (uint8_t)next;
        free = next;
    }
}

static bool waits(const run *r, const stream *warp, uint32_t i)
{
    const gmsim_phase *phase = &r->phases->phase[i];
    uint64_t wanted = warp->done[i] + 1u - phase->passes;
    return phase->held &&
           (r->arrived[i] < wanted * r->own_lanes[i] || r->landed[i] < wanted * r->own_copies[i]);
}

/* The warp goes on as far as it can; returns whether that was any way at all. */
static bool go(run *r, stream *warp)
{
    uint32_t before = warp->next;
    for (; warp->next < warp->count; warp->next++) {
        const event *e = &warp->event[warp->next];
        if (e->kind == GMSIM_PHASE_ARRIVE)
            r->arrived[e->barrier] += e->lanes;
        else if (e->kind == GMSIM_PHASE_COPY)
            r->landed[e->barrier]++;
        else if (waits(r, warp, e->barrier))
            break;
        else
            warp->done[e->barrier]++;
    }
    return warp->next != before;
}

/* Nobody can go on: false where that is because streams were not read to their ends, or all have
 * been. */
static bool unlock(run *r)
{
    gmsim_phase *stuck = NULL;
    for (uint32_t w = 0; w < r->warps; w++) {
        stream *warp = &r->stream[w];
        if (warp->next == warp->count) {
            if (warp->count == EVENTS)
                return false;
            continue;
        }
        uint32_t i = warp->event[warp->next].barrier;
        gmsim_phase *phase = &r->phases->phase[i];
        if (!warp->done[i] && !r->arrived[i] && !phase->copies && !phase->passes) {
            phase->passes = true;
            return true;
        }
        stuck = stuck ? stuck : phase;
    }
    if (stuck)
        stuck->held = false;
    return stuck != NULL;
}

/* A warp's arrivals, each a phase, and all else of it. */
static bool read_warp(run *r, gmtrace_reader *reader, uint64_t cta, uint32_t rank, uint32_t number,
                      GError **error)
{
    stream *warp = &r->stream[number];
    memset(warp->arrivals, 0, sizeof warp->arrivals);
    gmtrace_cursor cursor;
    gmtrace_error reason = {.status = GMTRACE_OK};
    if (gmtrace_cursor_open(reader, &cursor, cta, number, &reason)) {
        do
            for (; cursor.next < cursor.end; cursor.next++) {
                const gmtrace_record *record = cursor.next;
                take(r, warp, rank, record);
                if (rank == 0 && record->kind == GMTRACE_BARRIER &&
                    record->address < GMSIM_CTA_BARRIERS)
                    note_barrier(r, number,
                                 record->instr < r->instructions &&
                                     r->decoded[record->instr].arrives_only,
                                 record);
            }
        while (gmtrace_cursor_refill(reader, &cursor, &reason));
        gmtrace_cursor_close(reader, &cursor);
    }
    for (uint32_t i = 0; i < r->phases->count; i++)
        r->phases_of[i] = MAX(r->phases_of[i], warp->arrivals[i]);
    if (reason.status == GMTRACE_OK || reason.status == GMTRACE_TRUNCATED)
        return true;
    gmsim_trace_error(error, NULL, &reason);
    return false;
}

bool gmsim_phases_read(gmsim_phases *phases, gmtrace_reader *reader, const gmtrace_kernel *kernel,
                       const gmtrace_decoded *decoded, uint32_t warps, const uint64_t *peer,
                       uint32_t peers, GError **error)
{
    bool any = false, going = true;
    phases->count = 0;
    memset(phases->barrier, 0, sizeof phases->barrier);
    for (uint32_t i = 0; i < kernel->instr_count && !any; i++)
        any = decoded[i].mbarrier == GMTRACE_MBARRIER_WAIT;
    if (!any)
        return true;
    run *r = calloc(1, sizeof *r);
    if (!r)
        return false;
    r->phases = phases;
    r->decoded = decoded;
    r->instructions = kernel->instr_count;
    r->warps = MIN(warps, MAX_WARPS);
    for (uint32_t n = 0; n <= peers && going; n++)
        for (uint32_t w = 0; w < r->warps && going; w++)
            going = read_warp(r, reader, n ? peer[n - 1u] : 0, n, w, error);
    if (going) {
        share_barriers(r);
        divide(r);
        do {
            bool moved = false;
            for (uint32_t w = 0; w < r->warps; w++)
                moved |= go(r, &r->stream[w]);
            if (!moved && !unlock(r))
                break;
        } while (true);
    }
    free(r);
    return going;
}
