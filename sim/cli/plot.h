/* SPDX-License-Identifier: MIT
 *
 * plot.h - gmsim --plot DIR: a picture of each launch beside the report.
 */
#ifndef GMSIM_CLI_PLOT_H
#define GMSIM_CLI_PLOT_H

#include "sim/api/simulation.h"

/* Has every launch that is reported drawn into `dir`, which is made if it is not there and must
 * outlive the simulation. Call it before gmsim_simulation_begin(). False, and said, on error. */
bool cli_plot_begin(gmsim_simulation *simulation, const char *dir);

/* Whether a picture could not be drawn; it was said. */
bool cli_plot_failed(void);

#endif
