/* SPDX-License-Identifier: MIT
 *
 * special.c - names of special registers. Left out: all other %envreg, %pm, %is_explicit_cluster.
 */
#include "traces/ptx/special.h"

ptx_special gmptx_special_of(ptx_slice name)
{
    static const struct {
        const char *name;
        ptx_special special;
    } table[] = {
        {"%tid.x", SPECIAL_TID_X},
        {"%tid.y", SPECIAL_TID_Y},
        {"%tid.z", SPECIAL_TID_Z},
        {"%ntid.x", SPECIAL_NTID_X},
        {"%ntid.y", SPECIAL_NTID_Y},
        {"%ntid.z", SPECIAL_NTID_Z},
        {"%ctaid.x", SPECIAL_CTAID_X},
        {"%ctaid.y", SPECIAL_CTAID_Y},
        {"%ctaid.z", SPECIAL_CTAID_Z},
        {"%nctaid.x", SPECIAL_NCTAID_X},
        {"%nctaid.y", SPECIAL_NCTAID_Y},
        {"%nctaid.z", SPECIAL_NCTAID_Z},
        {"%clusterid.x", SPECIAL_CTAID_X},
        {"%clusterid.y", SPECIAL_CTAID_Y},
        {"%clusterid.z", SPECIAL_CTAID_Z},
        {"%nclusterid.x", SPECIAL_NCTAID_X},
        {"%nclusterid.y", SPECIAL_NCTAID_Y},
        {"%nclusterid.z", SPECIAL_NCTAID_Z},
        {"%cluster_ctaid.x", SPECIAL_ZERO},
        {"%cluster_ctaid.y", SPECIAL_ZERO},
        {"%cluster_ctaid.z", SPECIAL_ZERO},
        {"%cluster_ctarank", SPECIAL_ZERO},
        {"%cluster_nctaid.x", SPECIAL_ONE},
        {"%cluster_nctaid.y", SPECIAL_ONE},
        {"%cluster_nctaid.z", SPECIAL_ONE},
        {"%cluster_nctarank", SPECIAL_ONE},
        {"%laneid", SPECIAL_LANEID},
        {"%warpid", SPECIAL_WARPID},
        {"%nwarpid", SPECIAL_NWARPID},
        {"%smid", SPECIAL_SMID},
        {"%nsmid", SPECIAL_NSMID},
        {"%envreg2", SPECIAL_TOGETHER},
        {"%gridid", SPECIAL_GRIDID},
        {"%lanemask_eq", SPECIAL_LANEMASK_EQ},
        {"%lanemask_le", SPECIAL_LANEMASK_LE},
        {"%lanemask_lt", SPECIAL_LANEMASK_LT},
        {"%lanemask_ge", SPECIAL_LANEMASK_GE},
        {"%lanemask_gt", SPECIAL_LANEMASK_GT},
        {"%clock", SPECIAL_CLOCK},
        {"%clock_hi", SPECIAL_CLOCK_HI},
        {"%clock64", SPECIAL_CLOCK64},
        {"%globaltimer", SPECIAL_TIMER},
        {"%globaltimer_lo", SPECIAL_TIMER_LO},
        {"%globaltimer_hi", SPECIAL_TIMER_HI},
        {"%dynamic_smem_size", SPECIAL_DYNAMIC_SMEM},
        {"%total_smem_size", SPECIAL_TOTAL_SMEM},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (slice_is(name, table[i].name))
            return table[i].special;
    return SPECIAL_COUNT;
}
