/* SPDX-License-Identifier: MIT
 *
 * plot.h - gmsim --plot DIR: a picture of each launch beside the report.
 */
#ifndef GMSIM_CLI_PLOT_H
#define GMSIM_CLI_PLOT_H

#include "sim/model/model.h"

/* Makes the folder if it is not there; says what is wrong. */
bool cli_plot_folder(const char *folder);

/* Draws a launch into it; says what is wrong. */
bool cli_plot_launch(const char *folder, uint32_t index, const gmsim_result *result);

/* The script that draws NAME.svg and NAME.png of a launch; free it. */
char *cli_plot_script(const char *name, const gmsim_result *result);

#endif
