/* SPDX-License-Identifier: MIT
 *
 * fuzz_settings.c - any bytes as assignments of --set, one a line: the GPU changes as a whole and
 * passes its checks, or stays as it was and one line says why.
 */
#include "sim/device/gpu.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static gmsim_gpu h200;
    if (!h200.gpu_sm_count)
        NEED(gmsim_gpu_load(&h200, "h200", NULL));
    char *text = fuzz_text(data, size);
    g_auto(GStrv) lines = g_strsplit(text, "\n", 64);
    gmsim_gpu gpu = h200;
    GError *error = NULL;
    if (gmsim_gpu_set_all(&gpu, lines, &error)) {
        NEED(gmsim_gpu_check(&gpu, NULL));
    } else {
        NEED(error && *error->message);
        NEED(memcmp(&gpu, &h200, sizeof gpu) == 0);
        g_error_free(error);
    }
    free(text);
    return 0;
}
