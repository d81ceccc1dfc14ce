/* SPDX-License-Identifier: MIT
 *
 * advise.h - a simulation replayed once as it is and once for each change: what the library's
 * gmsim_advise() and the command have in common.
 */
#ifndef GMSIM_API_ADVISE_H
#define GMSIM_API_ADVISE_H

#include "sim/analysis/advice.h"
#include "sim/api/simulation.h"

G_BEGIN_DECLS

/* Told before each replay: its number, of how many (0: not known yet), and of which change; NULL:
 * of none. May be NULL. */
typedef void (*gmsim_advise_begin)(unsigned number, unsigned count, const char *change,
                                   gpointer data);

/* Replays what the simulation has picked, which must be open and not begun, and fills in the
 * advice. The simulation's report describes it afterwards. False on error. */
bool gmsim_advise_run(gmsim_simulation *simulation, gmsim_advice *advice, gmsim_advise_begin begin,
                      gmsim_progress progress, gpointer data, GError **error);

G_END_DECLS

#endif
