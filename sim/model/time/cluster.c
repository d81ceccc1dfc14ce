/* SPDX-License-Identifier: MIT
 *
 * cluster.c - see cluster.h.
 */
#include "sim/model/time/cluster.h"

#include "sim/model/count/lanes.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CLUSTER 16u /* CTAs */

bool gmsim_clusters_begin(gmsim_scheduler *s, const gmtrace_launch *launch)
{
    gmsim_clusters *c = &s->clusters;
    uint64_t ctas = 1, size = 1;
    bool divides = true;
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < 3; i++) {
        c->grid[i] = launch->grid[i];
        c->extent[i] = MAX(launch->cluster[i], 1u);
        ctas *= c->grid[i];
        size *= MIN(c->extent[i], MAX_CLUSTER + 1u);
        divides = divides && c->grid[i] % c->extent[i] == 0;
    }
    if (s->plan.functional || !divides || size == 1 || size > MAX_CLUSTER || ctas != s->plan.ctas ||
        ctas >= UINT32_MAX)
        return true;
    c->home = calloc(ctas, sizeof *c->home);
    c->size = c->home ? (uint32_t)size : 0;
    return c->home != NULL;
}

void gmsim_clusters_end(gmsim_scheduler *s)
{
    free(s->clusters.home);
    s->clusters.home = NULL;
}

/* Numbers of a box's elements, the first dimension fastest. */
static void take_apart(uint64_t number, const uint32_t extent[3], uint32_t at[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        at[i] = (uint32_t)(number % extent[i]);
        number /= extent[i];
    }
}

static uint64_t put_together(const uint32_t extent[3], const uint32_t at[3])
{
    return at[0] + (uint64_t)extent[0] * (at[1] + (uint64_t)extent[1] * at[2]);
}

uint64_t gmsim_cluster_cta(const gmsim_scheduler *s, uint64_t dealt)
{
    const gmsim_clusters *c = &s->clusters;
    if (!c->size)
        return dealt;
    uint32_t clusters[3], where[3], within[3];
    for (uint32_t i = 0; i < 3; i++)
        clusters[i] = c->grid[i] / c->extent[i];
    take_apart(dealt / c->size, clusters, where);
    take_apart(dealt % c->size, c->extent, within);
    for (uint32_t i = 0; i < 3; i++)
        where[i] = where[i] * c->extent[i] + within[i];
    return put_together(c->grid, where);
}

uint32_t gmsim_cluster_rank(const gmsim_scheduler *s, uint64_t cta)
{
    uint32_t at[3];
    take_apart(cta, s->clusters.grid, at);
    for (uint32_t i = 0; i < 3; i++)
        at[i] %= s->clusters.extent[i];
    return (uint32_t)put_together(s->clusters.extent, at);
}

/* The CTA of that rank in the cluster of another. */
static uint64_t peer_of(const gmsim_scheduler *s, uint64_t cta, uint32_t rank)
{
    uint32_t at[3], within[3];
    take_apart(cta, s->clusters.grid, at);
    take_apart(rank, s->clusters.extent, within);
    for (uint32_t i = 0; i < 3; i++)
        at[i] = at[i] / s->clusters.extent[i] * s->clusters.extent[i] + within[i];
    return put_together(s->clusters.grid, at);
}

bool gmsim_cluster_find(const gmsim_scheduler *s, uint64_t cta, gmsim_sm **sm, uint32_t *place)
{
    uint32_t home = s->clusters.home[cta];
    if (home-- == 0)
        return false;
    *sm = &s->sm[home / GMSIM_MAX_SM_CTAS];
    *place = home % GMSIM_MAX_SM_CTAS;
    return true;
}

void gmsim_cluster_enter(gmsim_scheduler *s, uint32_t sm, uint32_t place)
{
    if (s->clusters.size)
        s->clusters.home[s->sm[sm].cta[place].number] = sm * GMSIM_MAX_SM_CTAS + place + 1u;
}

void gmsim_cluster_leave(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place)
{
    if (s->clusters.size)
        sm->cluster_ready |= 1u << place; /* others may have waited for it alone */
}

void gmsim_cluster_arrive(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    const gmsim_warp *warp = &sm->warp[slot];
    gmsim_cta *cta = &sm->cta[warp->cta];
    if (!s->clusters.size)
        return;
    cta->cluster_arrived |= 1u << warp->who.warp;
    cta->cluster_arrival = MAX(cta->cluster_arrival, now);
    if (!(cta->live & ~cta->cluster_arrived))
        sm->cluster_ready |= 1u << warp->cta;
}

/* The warp goes on at `go`. */
static void resume(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t go)
{
    const gmsim_warp *warp = &sm->warp[slot];
    uint64_t since = MIN(go, warp->arrived);
    sm->timing.stall[GMSIM_STALL_BARRIER] += go - since;
    if (gmsim_sm_recorded(sm))
        gmsim_course_wait(sm->course, GMSIM_STALL_BARRIER, since, go - since);
    gmsim_ready_at(s, sm, slot, go);
}

bool gmsim_cluster_wait(gmsim_scheduler *s, gmsim_sm *sm, uint32_t slot, uint64_t now)
{
    gmsim_warp *warp = &sm->warp[slot];
    gmsim_cta *cta = &sm->cta[warp->cta];
    const uint32_t bit = 1u << warp->who.warp;
    if (!s->clusters.size)
        return false;
    warp->arrived = now;
    if (cta->cluster_arrived & bit) {
        cta->cluster_waiting |= bit;
        sm->ready[slot] = GMSIM_NEVER;
        return true;
    }
    if (cta->cluster_go <= now)
        return false;
    resume(s, sm, slot, cta->cluster_go);
    return true;
}

bool gmsim_cluster_tell(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint32_t ranks,
                        uint32_t number, uint32_t lanes, uint64_t clock)
{
    const uint64_t cta = sm->cta[place].number;
    const uint32_t own = 1u << gmsim_cluster_rank(s, cta);
    for (uint32_t left = ranks & ~own & ((1u << s->clusters.size) - 1u); left; left &= left - 1u)
        if (sm->told < GMSIM_TOLD)
            sm->tell[sm->told++] = (gmsim_told){.cta = peer_of(s, cta, gmsim_lowest(left)),
                                                .clock = clock,
                                                .number = (uint8_t)number,
                                                .lanes = (uint8_t)lanes};
    return ranks & own;
}

/* All of the cluster have arrived, or have ended: `clock` becomes that of the last. */
static bool complete(const gmsim_scheduler *s, uint64_t cta, uint64_t *clock)
{
    for (uint32_t rank = 0; rank < s->clusters.size; rank++) {
        gmsim_sm *sm;
        uint32_t place;
        uint64_t peer = peer_of(s, cta, rank);
        if (!gmsim_cluster_find(s, peer, &sm, &place))
            return false;
        const gmsim_cta *one = &sm->cta[place];
        if (one->number != peer)
            continue; /* it has ended */
        if (one->live & ~one->cluster_arrived)
            return false;
        *clock = MAX(*clock, one->cluster_arrival);
    }
    return true;
}

static void let_go(gmsim_scheduler *s, gmsim_sm *sm, uint32_t place, uint64_t go)
{
    gmsim_cta *cta = &sm->cta[place];
    uint32_t released = 0;
    cta->cluster_go = go;
    for (uint32_t left = cta->cluster_waiting; left; left &= left - 1u)
        resume(s, sm, cta->slot[gmsim_lowest(left)],
               go + released++ * s->plan.gpu->sm_barrier_warp);
    cta->cluster_arrived = cta->cluster_waiting = 0;
}

/* A CTA of the cluster has arrived. */
static void try_release(gmsim_scheduler *s, uint64_t cta)
{
    uint64_t clock = 0;
    if (!complete(s, cta, &clock))
        return;
    for (uint32_t rank = 0; rank < s->clusters.size; rank++) {
        gmsim_sm *sm;
        uint32_t place;
        uint64_t peer = peer_of(s, cta, rank);
        if (gmsim_cluster_find(s, peer, &sm, &place) && sm->cta[place].number == peer)
            let_go(s, sm, place, clock + s->plan.gpu->sm_cluster_barrier);
    }
}

void gmsim_clusters_step(gmsim_scheduler *s)
{
    if (!s->clusters.size)
        return;
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        gmsim_sm *sm = &s->sm[i];
        for (; sm->cluster_ready; sm->cluster_ready &= sm->cluster_ready - 1u)
            try_release(s, sm->cta[gmsim_lowest(sm->cluster_ready)].number);
    }
}

bool gmsim_clusters_give_up(gmsim_scheduler *s, uint64_t now)
{
    bool any = false;
    for (uint32_t i = 0; s->clusters.size && i < s->plan.sms; i++)
        for (uint32_t place = 0; place < s->plan.sm_ctas; place++)
            if (s->sm[i].cta[place].cluster_waiting) {
                let_go(s, &s->sm[i], place, now);
                any = true;
            }
    return any;
}
