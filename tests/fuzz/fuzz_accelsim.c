/* SPDX-License-Identifier: MIT
 *
 * fuzz_accelsim.c - imports any bytes as an Accel-Sim trace: it must end in one line that says what
 * is wrong, or in a trace that is sound. Bytes that begin with "z" are, without it, a .tracez file;
 * others are a .traceg, perhaps packed.
 */
#include "tests/fuzz/fuzz.h"
#include "traces/import/kernel.h"

#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool container = size && data[0] == 'z';
    char path[96], output[96];
    snprintf(path, sizeof path, "%s/in.trace%c", fuzz_folder(), container ? 'z' : 'g');
    snprintf(output, sizeof output, "%s/out.trc", fuzz_folder());
    FILE *file = fopen(path, "wb");
    NEED(file && fwrite(data + container, 1, size - container, file) == size - container);
    NEED(fclose(file) == 0);

    accel_error error = {""};
    accel_import import = {.output = output,
                           .shared_config = GMTRACE_UNKNOWN,
                           .carveout_percent = -1,
                           .error = &error};
    gmtrace_error failure;
    const bool done = accel_import_kernel(&import, path);
    NEED(done || error.text[0]);
    NEED(!strchr(error.text, '\n'));
    NEED(gmtrace_writer_close(import.writer, done, &failure) || !done);
    accel_import_free(&import);
    if (done) {
        gmtrace_reader *reader = gmtrace_open(output, &failure);
        NEED(reader && gmtrace_verify(reader, &failure));
        gmtrace_close(reader);
        unlink(output);
    }
    NEED(access(output, F_OK) != 0);
    return 0;
}
