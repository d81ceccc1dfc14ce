/* SPDX-License-Identifier: MIT
 *
 * fuzz_ini.c - any bytes as a GPU's description: it is a GPU that passes its own checks, or one
 * line says what is wrong. What was read can be shown.
 */
#include "sim/device/gpu.h"
#include "tests/fuzz/fuzz.h"

static void visit(const char *key, const char *value, const char *meaning, const char *source,
                  gpointer data)
{
    NEED(key && value && meaning && source);
    ++*(unsigned *)data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    unsigned keys = 0;
    g_autofree char *path = g_strdup_printf("%s", fuzz_file(data, size));
    if (!gmsim_gpu_load(&gpu, path, &error)) {
        NEED(error);
        fuzz_need_line(error->message);
        g_error_free(error);
        return 0;
    }
    NEED(gmsim_gpu_check(&gpu, NULL));
    gmsim_gpu_foreach(&gpu, visit, &keys);
    NEED(keys > 0);
    return 0;
}
