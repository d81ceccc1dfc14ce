/* SPDX-License-Identifier: MIT
 *
 * fuzz_ncu.c - any bytes as a table of Nsight Compute: rows with cells in every column, or one line
 * that says what is wrong.
 */
#include "tests/fuzz/fuzz.h"
#include "sim/measured/measured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GError *error = NULL;
    gmsim_measured *measured = gmsim_measured_new();
    if (!gmsim_measured_read(measured, fuzz_file(data, size), &error)) {
        NEED(error && *error->message);
        g_error_free(error);
    } else {
        for (guint i = 0; i < measured->rows->len; i++)
            for (guint k = 0; k < measured->columns->len; k++) {
                const gmsim_cell cell =
                    gmsim_measured_cell(g_ptr_array_index(measured->rows, i), (int)k);
                NEED(cell.state <= GMSIM_CELL_NUMBER);
            }
    }
    gmsim_measured_free(measured);
    return 0;
}
