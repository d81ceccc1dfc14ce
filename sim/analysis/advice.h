/* SPDX-License-Identifier: MIT
 *
 * advice.h - what changes (whatif.h) would save, launch by launch and of all of them, the largest
 * saving first.
 */
#ifndef GMSIM_ADVICE_H
#define GMSIM_ADVICE_H

#include "sim/analysis/whatif.h"

G_BEGIN_DECLS

typedef struct gmsim_advice_launch {
    uint32_t index;
    bool timed; /* false: the capture could not see all of its memory traffic */
    gmsim_whatif_facts facts;
    const char *kernel;              /* borrowed from the trace */
    uint64_t cycles;                 /* as it is */
    uint64_t changed[GMSIM_CHANGES]; /* with each; as it is where it does not apply */
} gmsim_advice_launch;

typedef struct gmsim_advice {
    GArray *launch;                    /* gmsim_advice_launch */
    uint32_t wanted;                   /* 1 << gmsim_change: those that were tried */
    unsigned untimed;                  /* launches that are in no sum */
    uint64_t cycles;                   /* of all launches, as they are */
    uint64_t changed[GMSIM_CHANGES];   /* with each */
    unsigned applies[GMSIM_CHANGES];   /* launches that it applies to */
    unsigned count;                    /* of those that apply to any, ... */
    gmsim_change order[GMSIM_CHANGES]; /* ... the one that saves most first */
} gmsim_advice;

/* wanted: 1 << gmsim_change. Clear with gmsim_advice_clear(). */
void gmsim_advice_init(gmsim_advice *advice, uint32_t wanted);
void gmsim_advice_clear(gmsim_advice *advice);

/* A launch as it is. */
void gmsim_advice_add(gmsim_advice *advice, const gmsim_gpu *gpu, uint32_t index,
                      const gmsim_result *result);
/* The launch of that number, or NULL. */
gmsim_advice_launch *gmsim_advice_find(const gmsim_advice *advice, uint32_t index);
/* Changes that apply to some launch, and are wanted: 1 << gmsim_change. */
uint32_t gmsim_advice_changes(const gmsim_advice *advice);
/* Adds up and orders. */
void gmsim_advice_finish(gmsim_advice *advice);

/* "pad,float4": a bit for each; false, with the first word that is none in *wrong, else. Free that
 * with g_free(). */
bool gmsim_advice_read(const char *list, uint32_t *wanted, char **wrong);

G_END_DECLS

#endif
