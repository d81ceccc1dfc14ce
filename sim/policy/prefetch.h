/* SPDX-License-Identifier: MIT
 *
 * prefetch.h - which lines are brought into L1 before a load asks for them: l1.prefetch. No GPU
 * here does so on its own, so that there is none built in; plugin.h says how a plug-in brings one.
 */
#ifndef GMSIM_PREFETCH_H
#define GMSIM_PREFETCH_H

enum { GMSIM_PREFETCH_none, GMSIM_PREFETCH_COUNT };

extern const char *const gmsim_prefetch_names[];

#endif
