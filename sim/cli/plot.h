/* SPDX-License-Identifier: MIT
 *
 * plot.h - --plot DIR: a picture of each launch, or of a sweep, beside the report.
 */
#ifndef GMSIM_CLI_PLOT_H
#define GMSIM_CLI_PLOT_H

#include "sim/model/model.h"

/* Makes the folder if it is not there; says what is wrong. */
bool cli_plot_folder(const char *folder);

/* Appends a text to a script, quoted: of a name that comes from a trace what gnuplot could take for
 * more is replaced. */
void cli_plot_quote(GString *out, const char *text);

/* Writes FOLDER/NAME.gp and has gnuplot draw it there; says what is wrong. */
bool cli_plot_write(const char *folder, const char *name, const char *script);

/* Draws a launch into it; says what is wrong. */
bool cli_plot_launch(const char *folder, uint32_t index, const gmsim_result *result);

/* The script that draws NAME.svg and NAME.png of a launch; free it. */
char *cli_plot_script(const char *name, const gmsim_result *result);

#endif
