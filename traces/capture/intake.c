/* SPDX-License-Identifier: MIT
 *
 * intake.c - reports in the order in which they came; within a warp that is the program's order.
 */
#include "traces/capture/intake.h"

#include <string.h>

#include "traces/capture/tensor.h"
#include "traces/code/deciding.h"

void gmc_intake_fail(gmc_intake *intake, const gmtrace_error *error)
{
    if (intake->result.sound && error)
        intake->result.error = *error;
    intake->result.sound = false;
}

/* Appends reconstructed accesses, but for those the capture has reported meanwhile. */
static void add_unseen(gmc_intake *intake, const gmc_cell *header,
                       const gmtrace_unseen_access *access, size_t count)
{
    gmtrace_unseen *slots = intake->job.slots;
    for (size_t i = 0; i < count && intake->result.sound; i++) {
        gmtrace_record record;
        gmtrace_error error = {0};
        if (gmtrace_unseen_retract(slots, &access[i]))
            continue;
        gmtrace_unseen_record(slots, &access[i], &record);
        intake->result.records++;
        if (!gmtrace_writer_append(intake->job.writer, header->cta, GMC_MARK_WARP(header->mark),
                                   &record, NULL, &error))
            gmc_intake_fail(intake, &error);
    }
}

static void add_pending(gmc_intake *intake, const gmc_cell *header, gmc_open_warp *warp)
{
    add_unseen(intake, header, warp->pending, warp->pending_count);
    warp->pending_count = 0;
}

/* Some stack slots are reported (those of local arrays), others are not (spilled registers), both
 * in one kernel. What follows a record is kept until the warp's next one, when it is clear. */
static void keep(gmc_intake *intake, gmc_open_warp *warp, size_t first, size_t last)
{
    if (first < last &&
        !gmc_open_warp_keep(warp, gmtrace_unseen_list(intake->job.slots) + first, last - first))
        gmc_intake_fail(intake, NULL);
}

static uint32_t find_pending(const gmc_open_warp *warp, const gmtrace_record *record)
{
    uint32_t here = 0;
    while (here < warp->pending_count && (warp->pending[here].instr != record->instr ||
                                          !(warp->pending[here].mask & record->mask)))
        here++;
    return here;
}

/* A stack slot's access is reported: what its lanes did before it in the code was not, or it would
 * have come before. */
static void add_before(gmc_intake *intake, const gmc_cell *header, gmc_open_warp *warp,
                       const gmtrace_record *record)
{
    gmtrace_unseen *slots = intake->job.slots;
    uint32_t here = find_pending(warp, record), kept = 0;
    if (here == warp->pending_count) {
        const size_t count = gmtrace_unseen_reach(slots, &warp->place, record->instr, record->mask);
        keep(intake, warp, 0, count);
        here = find_pending(warp, record);
    }
    if (here == warp->pending_count)
        return;
    for (uint32_t i = 0; i < warp->pending_count; i++) {
        const gmtrace_unseen_access access = warp->pending[i];
        if (i < here && access.mask & record->mask)
            add_unseen(intake, header, &access, 1);
        else if (i == here)
            gmtrace_unseen_retract(slots, &access);
        else
            warp->pending[kept++] = access;
    }
    warp->pending_count = kept;
}

/* The warp's place in the code; NULL without memory. */
static gmc_open_warp *find_warp(gmc_intake *intake, const gmc_cell *header)
{
    const uint32_t number = GMC_MARK_WARP(header->mark), first = number * GMTRACE_WARP_LANES;
    bool is_new;
    if (first >= intake->job.threads)
        return NULL;
    gmc_open_warp *warp = gmc_open_warps_get(&intake->warps, header->cta, number, &is_new);
    if (!warp) {
        gmc_intake_fail(intake, NULL);
        return NULL;
    }
    if (is_new) {
        const uint32_t left = intake->job.threads - first;
        const uint32_t live = left >= GMTRACE_WARP_LANES ? UINT32_MAX : (1u << left) - 1u;
        keep(intake, warp, 0, gmtrace_unseen_enter(intake->job.slots, &warp->place, live));
    }
    return warp;
}

/* The thread, not the warp, exits: a CTA ends when all of its threads have. */
static void note_exit(gmc_intake *intake, const gmc_cell *header)
{
    gmtrace_error error = {0};
    uint32_t lanes = (uint32_t)__builtin_popcount(header->mask);
    if (intake->job.slots) {
        gmc_open_warp *warp = find_warp(intake, header);
        if (warp) {
            add_pending(intake, header, warp);
            const size_t count = gmtrace_unseen_end(intake->job.slots, &warp->place, header->mask);
            add_unseen(intake, header, gmtrace_unseen_list(intake->job.slots), count);
        }
    }
    const uint32_t exited = gmc_open_ctas_add(&intake->open_ctas, header->cta, lanes);
    if (exited == 0)
        gmc_intake_fail(intake, NULL);
    if (exited < intake->job.threads)
        return;
    __atomic_store_n(&intake->result.exited, intake->result.exited + 1, __ATOMIC_RELEASE);
    gmc_open_ctas_remove(&intake->open_ctas, header->cta);
    gmc_open_warps_remove(&intake->warps, header->cta);
    if (!gmtrace_writer_end_cta(intake->job.writer, header->cta, &error))
        gmc_intake_fail(intake, &error);
}

/* After a failure the ring is still emptied: the kernel must be able to end. */
static void append(gmc_intake *intake, const gmc_cell *header, const gmtrace_record *record,
                   const uint64_t *address)
{
    gmtrace_error error = {0};
    intake->result.records++;
    intake->result.unknown_pc += record->instr == GMTRACE_NO_INSTR;
    if (intake->result.sound &&
        !gmtrace_writer_append(intake->job.writer, header->cta, GMC_MARK_WARP(header->mark), record,
                               address, &error))
        gmc_intake_fail(intake, &error);
}

/* The record gets the number of its tensor map. */
static void name_map(gmc_intake *intake, const gmc_cell *payload, gmtrace_record *record)
{
    gmtrace_error error = {0};
    uint64_t map[GMTRACE_TENSOR_WORDS];
    gmc_tensor_map(payload, map);
    if (intake->job.found)
        gmc_found_tensor(intake->job.found, record, map);
    if (intake->result.sound &&
        !gmtrace_writer_tensor_map(intake->job.writer, map, &record->map, &error))
        gmc_intake_fail(intake, &error);
}

/* The warp's lanes move to the record's instruction. The two sides of a cp.async are one execution:
 * lanes that the first moved stand there, those that only write zeros move with the second; nothing
 * comes between the sides. */
static void follow(gmc_intake *intake, const gmc_cell *header, gmc_open_warp *warp,
                   const gmtrace_record *record)
{
    gmtrace_unseen *slots = intake->job.slots;
    const bool second =
        record->op == GMTRACE_OP_COPY_WRITE && warp->copied != 0 && warp->copy == record->instr;
    const uint32_t mask = second ? record->mask & ~warp->copied : record->mask;
    size_t before = 0;
    warp->copy = record->instr;
    warp->copied = record->op == GMTRACE_OP_COPY_READ ? record->mask : 0;
    if (!mask)
        return;
    const size_t count = gmtrace_unseen_step(slots, &warp->place, record->instr, mask, &before);
    if (second) {
        keep(intake, warp, 0, count);
        return;
    }
    if (gmtrace_unseen_is_slot(slots, record->instr))
        add_before(intake, header, warp, record);
    else
        add_pending(intake, header, warp);
    add_unseen(intake, header, gmtrace_unseen_list(slots), before);
    keep(intake, warp, before, count);
}

void gmc_intake_take(gmc_intake *intake, const gmc_cell *header, const gmc_cell *payload)
{
    gmtrace_record record;
    uint64_t address[GMTRACE_WARP_LANES];
    bool has_addresses;
    gmc_result *result = &intake->result;
    switch (GMC_MARK_EVENT(header->mark)) {
    case GMC_EXIT:
        note_exit(intake, header);
        return;
    case GMC_ENTER:
        result->dynamic_shared = header->aux;
        return;
    }
    if (!gmc_decode(intake->job.code, header, payload, &record, address, &has_addresses)) {
        /* A call in code that the table does not have says nothing, and nothing is lost by it. */
        result->odd += GMC_MARK_EVENT(header->mark) != GMC_CALL;
        return;
    }
    gmc_open_warp *warp = intake->job.slots ? find_warp(intake, header) : NULL;
    if (warp)
        follow(intake, header, warp, &record);
    if (record.kind == GMTRACE_TENSOR)
        name_map(intake, payload, &record);
    else if (intake->job.found)
        gmc_found_record(intake->job.found, &record, has_addresses ? address : NULL,
                         gmt_cta_shows(intake->job.ctas, header->cta));
    if (!has_addresses || record.kind == GMTRACE_ACCESS)
        append(intake, header, &record, has_addresses ? address : NULL);
    else
        for (uint32_t left = record.mask; left;) {
            gmc_next_barrier(&record, address, &left);
            append(intake, header, &record, NULL);
        }
}

void gmc_intake_begin(gmc_intake *intake)
{
    memset(&intake->result, 0, sizeof intake->result);
    intake->result.sound = true;
    intake->result.dynamic_shared = GMTRACE_UNKNOWN;
    gmc_open_ctas_clear(&intake->open_ctas);
    gmc_open_warps_start(&intake->warps);
}

void gmc_intake_end(gmc_intake *intake)
{
    gmc_result *result = &intake->result;
    if (intake->job.slots)
        result->slots = gmtrace_unseen_take_counts(intake->job.slots);
    result->sound &= result->slots.dropped == 0;
}

void gmc_intake_free(gmc_intake *intake)
{
    gmc_open_ctas_free(&intake->open_ctas);
    gmc_open_warps_free(&intake->warps);
}
