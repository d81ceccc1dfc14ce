/* SPDX-License-Identifier: MIT
 *
 * whatif.h - what would it be worth? A launch is replayed with one cost gone, or with one fix made,
 * and the clocks that it takes then are compared with those that it takes.
 *
 * An ideal is a bound: what some accesses or waits cost is gone, whatever the code would have to
 * look like. A fix is what a known change of the source does to addresses. Instructions stay in
 * either case, so that what a change adds or saves in arithmetic is not seen.
 */
#ifndef GMSIM_ANALYSIS_WHATIF_H
#define GMSIM_ANALYSIS_WHATIF_H

#include "sim/model/model.h"

G_BEGIN_DECLS

typedef enum gmsim_change {
    /* Ideals. */
    GMSIM_CHANGE_NO_CONFLICTS,
    GMSIM_CHANGE_COALESCED,
    GMSIM_CHANGE_L1_HITS,
    GMSIM_CHANGE_L2_HITS,
    GMSIM_CHANGE_WIDE_DRAM,
    GMSIM_CHANGE_OCCUPANCY,
    GMSIM_CHANGE_NO_BARRIERS,
    GMSIM_CHANGE_NO_SPILLS,
    GMSIM_CHANGE_FREE_LAUNCH,
    /* Fixes. */
    GMSIM_CHANGE_PAD,
    GMSIM_CHANGE_SWIZZLE,
    GMSIM_CHANGE_FLOAT4,
    GMSIM_CHANGE_ONE_ATOMIC,
    GMSIM_CHANGES
} gmsim_change;

#define GMSIM_CHANGES_ALL ((1u << GMSIM_CHANGES) - 1u)

typedef struct gmsim_change_names {
    const char *key;    /* "no-bank-conflicts": never changes */
    const char *name;   /* "no bank conflicts" */
    const char *absent; /* why it does not apply: "there are none" */
    bool fix;
} gmsim_change_names;

extern const gmsim_change_names gmsim_change_table[GMSIM_CHANGES];

/* What changes of a launch need to know of it, taken from its result as it is. */
typedef struct gmsim_whatif_facts {
    uint32_t applies;             /* 1 << gmsim_change */
    uint32_t row, unit;           /* bytes: between conflicting words; of the widest access */
    uint32_t more_shared;         /* bytes a CTA that padding takes */
    bool by_cta;                  /* four threads' work becomes one's, not four iterations' */
    const gmtrace_launch *launch; /* borrowed, as is ... */
    const gmtrace_kernel *kernel; /* ... its kernel: for as long as the trace is open */
    uint8_t *chosen;              /* by instruction: GMSIM_CHOSEN_* */
} gmsim_whatif_facts;

/* result: of the launch as it is, timed; else nothing applies. Clear with
 * gmsim_whatif_facts_clear(). */
void gmsim_whatif_look(const gmsim_gpu *gpu, const gmsim_result *result, gmsim_whatif_facts *facts);
void gmsim_whatif_facts_clear(gmsim_whatif_facts *facts);

/* The GPU on which a change is tried: mostly the same. */
void gmsim_whatif_gpu(gmsim_change change, gmsim_gpu *gpu);

typedef struct gmsim_changer gmsim_changer;

/* For a GPU's model. Free with gmsim_changer_free(). */
gmsim_changer *gmsim_changer_new(const gmsim_gpu *gpu);
void gmsim_changer_free(gmsim_changer *changer);
/* For gmsim_options; it must live as long as the model. */
gmsim_whatif *gmsim_changer_whatif(gmsim_changer *changer);
/* The launch that is replayed next has this change, if it applies; with facts NULL none. The facts
 * are borrowed until the next call. */
void gmsim_changer_set(gmsim_changer *changer, gmsim_change change,
                       const gmsim_whatif_facts *facts);

G_END_DECLS

#endif
