/* SPDX-License-Identifier: MIT
 *
 * fuzz_synthetic.c - any bytes as the line that names a synthetic pattern: one line says what is
 * wrong, or a sound trace comes of it. Lines with numbers of five digits and more are left out:
 * what they ask for is large, not wrong.
 */
#include "tests/fuzz/fuzz.h"
#include "traces/synthetic/synthetic.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned digits = 0;
    for (size_t i = 0; i < size; i++) {
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
        if (digits > 3 || memchr("KMGkmg", data[i], 6))
            return 0;
    }
    char *line = fuzz_text(data, size);
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_synthetic_open(line, &error);
    if (reader) {
        NEED(gmtrace_verify(reader, &error));
        gmtrace_close(reader);
    } else {
        NEED(error.status != GMTRACE_OK && error.text[0]);
    }
    free(line);
    return 0;
}
