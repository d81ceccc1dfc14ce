/* SPDX-License-Identifier: MIT
 *
 * number.h - numbers as Nsight Compute prints them.
 */
#ifndef GMSIM_NUMBER_H
#define GMSIM_NUMBER_H

#include "sim/measured/measured.h"

/* Reads "1,048,576", "93.75", "n/a", "12 (3; 4; 5)" ...; unit is the units row's word, which may
 * ask for a factor ("Kbyte", "us") or be "". */
gmsim_cell gmsim_number_read(const char *text, const char *unit);

/* Reads "(196, 1, 1)", "196, 1, 1" or "196x1x1". */
bool gmsim_shape_read(const char *text, uint32_t shape[3]);

#endif
