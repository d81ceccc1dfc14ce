/* SPDX-License-Identifier: MIT
 *
 * fuzz_limits.c - any bytes as what gmvalidate reads besides tables: limits (in a file, or one of
 * --limit), pairs of versions, reasons and exceptions. Each is read as a whole, or one line says
 * what is wrong.
 */
#include "tests/fuzz/fuzz.h"
#include "validate/exceptions.h"
#include "validate/limits.h"
#include "validate/pairs.h"
#include "validate/reasons.h"

#include <math.h>
#include <string.h>

/* A line may quote the file; whoever prints it cleans it. */
static void need(bool good, GError **error)
{
    NEED(good == !*error);
    NEED(good || *(*error)->message);
    g_clear_error(error);
}

static void check_limits(const GArray *limits)
{
    for (unsigned i = 0; i < limits->len; i++) {
        const gmsim_limit *limit = &g_array_index(limits, gmsim_limit, i);
        const gmsim_statistics statistics = {.compared = 1, .mean_error = 1, .max_error = 2};
        NEED(limit->metric < gmsim_quantity_count() && isfinite(limit->bound) && limit->bound >= 0);
        g_free(gmsim_limit_broken(limit, &statistics));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    char *text = fuzz_text(data, size);
    GArray *limits = g_array_new(FALSE, FALSE, sizeof(gmsim_limit));
    GArray *pairs = gmsim_pairs_new(), *reasons = gmsim_reasons_new();
    GArray *exceptions = gmsim_exceptions_new();
    GError *error = NULL;

    need(gmsim_limits_load(limits, path, &error), &error);
    check_limits(limits);
    need(gmsim_limit_parse(limits, text, &error), &error);
    check_limits(limits);
    need(gmsim_pairs_read(pairs, path, &error), &error);
    for (unsigned i = 0; i < pairs->len; i++) {
        const gmsim_pair *pair = &g_array_index(pairs, gmsim_pair, i);
        NEED(pair->base && pair->variant && pair->title && isfinite(pair->claimed));
    }
    need(gmsim_reasons_load(reasons, path, &error), &error);
    NEED(gmsim_reason_for(reasons, "transpose_pad", "dram__sectors_read.sum"));
    need(gmsim_exceptions_load(exceptions, path, &error), &error);
    (void)gmsim_exceptions_find(exceptions, "transpose_pad", 0);

    g_array_free(limits, TRUE);
    g_array_free(pairs, TRUE);
    g_array_free(reasons, TRUE);
    g_array_free(exceptions, TRUE);
    free(text);
    return 0;
}
