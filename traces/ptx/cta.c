/* SPDX-License-Identifier: MIT
 *
 * cta.c - one CTA: its warps in turn, and its barriers. A warp runs until it waits, ends, or has
 * executed a slice; so warps that wait for each other in memory make progress, and every run is
 * the same.
 */
#include "traces/ptx/exec.h"
#include "traces/ptx/check/check.h"
#include "traces/ptx/check/races.h"
#include "traces/ptx/sass/sass.h"

#include <stdlib.h>

#define SLICE_OPS 4096u
#define LIMIT     (1ull << 32)

static uint64_t round_up(uint64_t v, uint64_t to)
{
    return (v + to - 1) / to * to;
}

static void fill(ptx_warp *w, ptx_special s, uint32_t value)
{
    uint32_t *to = (uint32_t *)(w->special + s * PTX_SPECIAL_BYTES);
    for (unsigned i = 0; i < LANES; i++)
        to[i] = value;
}

/* What is the same for all CTAs. */
static void set_specials(ptx_warp *w)
{
    const ptx_cta *cta = w->cta;
    const gmptx_launch *l = cta->launch;
    const uint32_t sms = l->sm_count ? l->sm_count : 132;
    uint32_t *lane[8];
    static const ptx_special by_lane[] = {
        SPECIAL_TID_X,       SPECIAL_TID_Y,       SPECIAL_TID_Z,       SPECIAL_LANEID,
        SPECIAL_LANEMASK_EQ, SPECIAL_LANEMASK_LE, SPECIAL_LANEMASK_LT, SPECIAL_LANEMASK_GE};
    for (unsigned i = 0; i < 8; i++)
        lane[i] = (uint32_t *)(w->special + by_lane[i] * PTX_SPECIAL_BYTES);
    uint32_t *above = (uint32_t *)(w->special + SPECIAL_LANEMASK_GT * PTX_SPECIAL_BYTES);
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t thread = w->number * LANES + i;
        lane[0][i] = thread % l->block[0];
        lane[1][i] = thread / l->block[0] % l->block[1];
        lane[2][i] = thread / l->block[0] / l->block[1];
        lane[3][i] = i;
        lane[4][i] = 1u << i;
        lane[6][i] = (1u << i) - 1;
        lane[5][i] = lane[6][i] | 1u << i;
        lane[7][i] = ~lane[6][i];
        above[i] = ~lane[5][i];
    }
    for (unsigned i = 0; i < 3; i++) {
        fill(w, SPECIAL_NTID_X + i, l->block[i]);
        fill(w, SPECIAL_NCTAID_X + i, l->grid[i]);
    }
    fill(w, SPECIAL_WARPID, w->number);
    fill(w, SPECIAL_NWARPID, cta->warps);
    fill(w, SPECIAL_NSMID, sms);
    fill(w, SPECIAL_DYNAMIC_SMEM, l->dynamic_shared);
    fill(w, SPECIAL_TOTAL_SMEM, cta->shared_bytes);
    fill(w, SPECIAL_ONE, 1);
    fill(w, SPECIAL_TOGETHER, l->together);
    uint64_t *grid = (uint64_t *)(w->special + SPECIAL_GRIDID * PTX_SPECIAL_BYTES);
    for (unsigned i = 0; i < LANES; i++)
        grid[i] = l->trace.ordinal;
}

bool gmptx_open_cta(ptx_cta *cta, const gmptx_launch *launch, const uint8_t *params,
                    uint32_t shared_bytes)
{
    const ptx_kernel *k = kernel_of(launch->kernel);
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    memset(cta, 0, sizeof *cta);
    cta->launch = launch;
    cta->kernel = k;
    cta->params = params;
    cta->shared_bytes = shared_bytes;
    cta->limit = launch->instruction_limit ? launch->instruction_limit : LIMIT;
    cta->warps = (threads + LANES - 1) / LANES;
    cta->shared = aligned_alloc(256, round_up((uint64_t)shared_bytes + 1, 256));
    cta->warp = calloc(cta->warps, sizeof *cta->warp);
    if (!cta->shared || !cta->warp)
        return false;
    for (uint32_t i = 0; i < cta->warps; i++) {
        ptx_warp *w = &cta->warp[i];
        const uint64_t special = (SPECIAL_COUNT + 1) * PTX_SPECIAL_BYTES;
        w->kernel = k;
        w->cta = cta;
        w->number = i;
        w->registers = aligned_alloc(256, round_up(k->register_bytes + 256, 256));
        w->special = aligned_alloc(256, special);
        w->stack = calloc(LANES, k->stack_bytes + 1);
        w->local = calloc(LANES, k->local_bytes + 1);
        w->frame_room = 8;
        w->frame = calloc(w->frame_room, sizeof *w->frame);
        w->entry_room = 32;
        w->entry = calloc(w->entry_room, sizeof *w->entry);
        w->split = calloc(LANES + 1, sizeof *w->split);
        if (!w->split || !w->registers || !w->special || !w->stack || !w->local || !w->frame || !w->entry)
            return false;
        memset(w->registers, 0, round_up(k->register_bytes + 256, 256));
        memset(w->special, 0, special);
        set_specials(w);
        if (k->sass)
            gmsass_set_constants(w);
    }
    return true;
}

void gmptx_close_cta(ptx_cta *cta)
{
    for (uint32_t i = 0; cta->warp && i < cta->warps; i++) {
        ptx_warp *w = &cta->warp[i];
        free(w->registers);
        free(w->special);
        free(w->stack);
        free(w->local);
        free(w->frame);
        free(w->entry);
        free(w->split);
    }
    free(cta->warp);
    free(cta->shared);
    free(cta->print);
}

static void set_cta_specials(ptx_warp *w)
{
    const ptx_cta *cta = w->cta;
    const uint32_t sms = cta->launch->sm_count ? cta->launch->sm_count : 132;
    for (unsigned i = 0; i < 3; i++)
        fill(w, SPECIAL_CTAID_X + i, cta->index[i]);
    fill(w, SPECIAL_SMID, (uint32_t)(cta->number % sms));
}

static void start_warp(ptx_warp *w)
{
    const gmptx_launch *l = w->cta->launch;
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    const uint32_t left = threads - w->number * LANES;
    w->live = left >= LANES ? ALL_LANES : (1u << left) - 1;
    w->base[PTX_FILE_POOL] = w->kernel->pool;
    w->base[PTX_FILE_SPECIAL] = w->special;
    w->base[PTX_FILE_FRAME] = w->registers;
    w->frame[0] = (ptx_frame){0};
    w->frames = 1;
    w->frame_stack = w->frame_local = 0;
    w->entry[0] = (ptx_entry){w->kernel->image[0].first, PTX_UNKNOWN, w->live};
    w->entries = 1;
    w->state = WARP_RUNS;
    w->carry = 0;
    w->met = w->seen = 0;
    if (w->kernel->sass)
        gmsass_start_warp(w);
    set_cta_specials(w);
}

/* bar.red: the predicate of every thread that came, combined. */
static void reduce(ptx_cta *cta, uint32_t barrier)
{
    uint32_t count = 0, threads = 0;
    for (uint32_t n = 0; n < cta->warps; n++) {
        ptx_warp *w = &cta->warp[n];
        const ptx_op *op = &cta->kernel->op[w->barrier_op];
        if (w->state != WARP_WAITS || w->barrier != barrier || !op->mode)
            continue;
        uint32_t p = *mask_of(w, op->r[op->refs - 1]);
        p = (op->flags & PTX_FLAG_NEGATED ? ~p : p) & w->live;
        count += (uint32_t)__builtin_popcount(p);
        threads += (uint32_t)__builtin_popcount(w->live);
    }
    for (uint32_t n = 0; n < cta->warps; n++) {
        ptx_warp *w = &cta->warp[n];
        const ptx_op *op = &cta->kernel->op[w->barrier_op];
        if (w->state != WARP_WAITS || w->barrier != barrier || !op->mode)
            continue;
        w->active = w->live;
        if (op->mode == '+') {
            uint32_t *d = lanes_of(w, op->r[0]);
            EACH_ACTIVE(w) d[i] = count;
        } else {
            const bool yes = op->mode == '&' ? count == threads : count > 0;
            uint32_t *d = mask_of(w, op->r[0]);
            *d = (*d & ~w->live) | (yes ? w->live : 0);
        }
    }
}

/* Opens the barriers that are complete. With checks on, all who wait at one must ask for the same
 * number of threads, and no more may come. Warps that have ended are not waited for, as on
 * hardware.
 */
static bool open_barriers(ptx_cta *cta)
{
    uint32_t waiting[16] = {0}, wanted[16] = {0}, alive = 0;
    bool opened = false;
    for (uint32_t i = 0; i < cta->warps; i++) {
        ptx_warp *w = &cta->warp[i];
        alive += w->state != WARP_DONE;
        if (w->state == WARP_WAITS) {
            const uint32_t warps = w->barrier_threads / LANES;
            if (cta->check && waiting[w->barrier] &&
                (warps != wanted[w->barrier] || waiting[w->barrier] == warps))
                gmptx_fault_of(w, w->barrier_op, GMPTX_FAULT_BARRIER);
            waiting[w->barrier]++;
            wanted[w->barrier] = warps;
        }
    }
    for (uint32_t b = 0; b < 16; b++) {
        if (!waiting[b] || waiting[b] < (wanted[b] ? wanted[b] : alive))
            continue;
        reduce(cta, b);
        if (cta->races)
            gmptx_watch_barrier(cta, b);
        for (uint32_t i = 0; i < cta->warps; i++)
            if (cta->warp[i].state == WARP_WAITS && cta->warp[i].barrier == b)
                cta->warp[i].state = WARP_RUNS;
        opened = true;
    }
    return opened;
}

void gmptx_start_cta(ptx_cta *cta, uint64_t number)
{
    const gmptx_launch *l = cta->launch;
    cta->number = number;
    cta->index[0] = (uint32_t)(number % l->grid[0]);
    cta->index[1] = (uint32_t)(number / l->grid[0] % l->grid[1]);
    cta->index[2] = (uint32_t)(number / l->grid[0] / l->grid[1]);
    cta->instructions = 0;
    memset(cta->shared, 0, cta->shared_bytes);
    if (cta->check)
        gmptx_check_begin(cta);
    for (uint32_t i = 0; i < cta->warps; i++)
        start_warp(&cta->warp[i]);
}

bool gmptx_step_cta(ptx_cta *cta)
{
    bool ran = false;
    for (uint32_t i = 0; i < cta->warps && cta->fault.kind == GMPTX_FAULT_NONE; i++) {
        ptx_warp *w = &cta->warp[i];
        if (w->state == WARP_PAUSES)
            w->state = WARP_RUNS;
        if (w->state != WARP_RUNS)
            continue;
        (w->kernel->sass ? gmsass_run_warp : gmptx_run_warp)(w, SLICE_OPS);
        ran = true;
        if (cta->instructions > cta->limit)
            gmptx_fault_of(w, w->entries ? w->entry[w->entries - 1].pc : 0, GMPTX_FAULT_LIMIT);
    }
    if (cta->fault.kind != GMPTX_FAULT_NONE)
        return false;
    const bool opened = open_barriers(cta);
    if (cta->fault.kind != GMPTX_FAULT_NONE)
        return false;
    if (opened || ran)
        return true;
    for (uint32_t i = 0; i < cta->warps; i++)
        if (cta->warp[i].state == WARP_WAITS)
            gmptx_fault_of(&cta->warp[i], cta->warp[i].barrier_op, GMPTX_FAULT_BARRIER);
    return false;
}

void gmptx_run_cta(ptx_cta *cta, uint64_t number)
{
    gmptx_start_cta(cta, number);
    while (gmptx_step_cta(cta))
        ;
}
