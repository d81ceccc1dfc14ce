/* SPDX-License-Identifier: MIT
 *
 * changer.h - which instructions a change is for. Private to sim/analysis.
 */
#ifndef GMSIM_CHANGER_H
#define GMSIM_CHANGER_H

enum {
    GMSIM_CHOSEN_WIDEN = 1,  /* GMSIM_CHANGE_FLOAT4 */
    GMSIM_CHOSEN_ATOMIC = 2, /* GMSIM_CHANGE_ONE_ATOMIC */
};

#endif
