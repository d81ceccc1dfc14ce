/* SPDX-License-Identifier: MIT
 *
 * special.h - PTX's read-only special registers.
 */
#ifndef GMPTX_SPECIAL_H
#define GMPTX_SPECIAL_H

#include "traces/ptx/text.h"

typedef enum ptx_special {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANEID,
    SPECIAL_WARPID,
    SPECIAL_NWARPID,
    SPECIAL_SMID,
    SPECIAL_NSMID,
    SPECIAL_LANEMASK_EQ,
    SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_LT,
    SPECIAL_LANEMASK_GE,
    SPECIAL_LANEMASK_GT,
    SPECIAL_DYNAMIC_SMEM,
    SPECIAL_TOTAL_SMEM,
    SPECIAL_ZERO,     /* cluster_ctaid.*, cluster_ctarank: a CTA is its own cluster */
    SPECIAL_ONE,      /* cluster_nctaid.*, cluster_nctarank */
    SPECIAL_TOGETHER, /* %envreg2: not 0 where all CTAs run at once, as CUDA's own headers take it
                       */
    SPECIAL_GRIDID,   /* 64 bits */
    /* Below: read when the instruction runs. They count warp instructions of the CTA. */
    SPECIAL_CLOCK,
    SPECIAL_CLOCK_HI,
    SPECIAL_CLOCK64, /* 64 bits */
    SPECIAL_TIMER,   /* 64 bits */
    SPECIAL_TIMER_LO,
    SPECIAL_TIMER_HI,
    SPECIAL_COUNT
} ptx_special;

/* SPECIAL_COUNT where there is none of that name. */
ptx_special gmptx_special_of(ptx_slice name);

static inline bool special_is_wide(ptx_special s)
{
    return s == SPECIAL_GRIDID || s == SPECIAL_CLOCK64 || s == SPECIAL_TIMER;
}

#endif
