/* SPDX-License-Identifier: MIT
 *
 * fuzz_simulate.c - any bytes as a trace, through the whole simulation into every format of report,
 * with times and without. Kernels too large for a moment are left out by what they claim.
 */
#include "sim/gmsim.h"
#include "tests/fuzz/fuzz.h"
#include "traces/gmtrace.h"

#include <string.h>

/* Would it be over in a moment? */
static bool is_small(const char *path)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    bool small = reader != NULL;
    for (uint32_t i = 0; small && i < gmtrace_launch_count(reader); i++) {
        const gmtrace_launch *launch = gmtrace_get_launch(reader, i);
        uint64_t ctas = 1;
        for (unsigned k = 0; k < 3; k++)
            ctas = ctas < 4096 ? ctas * launch->grid[k] : ctas;
        small = i < 8 && ctas < 4096;
    }
    if (reader)
        gmtrace_close(reader);
    return small;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"json", "csv", "text"};
    const char *path = fuzz_file(data, size);
    if (!is_small(path))
        return 0;
    for (unsigned i = 0; i < 3; i++) {
        const gmsim_job job = {.size = sizeof job,
                               .trace = path,
                               .gpu = "v100",
                               .format = formats[i],
                               .functional = i == 1,
                               .verbose = i == 2};
        char *report = NULL, *error = NULL;
        const gmsim_status status = gmsim_simulate(&job, &report, &error);
        NEED(status == GMSIM_DONE ? report && !error : error != NULL);
        if (error)
            fuzz_need_line(error);
        for (const char *at = report; at && *at; at++)
            NEED(*at != '\033');
        gmsim_free(report);
        gmsim_free(error);
    }
    return 0;
}
