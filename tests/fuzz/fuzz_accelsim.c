/* SPDX-License-Identifier: MIT
 *
 * fuzz_accelsim.c - imports any bytes as an Accel-Sim trace: it must end in one line that says what
 * is wrong, or in a trace that is sound. Bytes that begin with "z" are, without it, a .tracez file;
 * others are a .traceg, perhaps packed. `make fuzz` builds it with libFuzzer, `make check` with
 * FUZZ_REPLAY, to go through the seeds and all their beginnings and single changed bytes. Speaks
 * TAP.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "traces/import/kernel.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEED(condition)                                                                            \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "fuzz_accelsim: %s does not hold\n", #condition);                      \
            abort();                                                                               \
        }                                                                                          \
    while (0)

static char folder[64], text[96], packed[96], output[96];

static void clean_up(void)
{
    unlink(text);
    unlink(packed);
    unlink(output);
    rmdir(folder);
}

static void set_up(void)
{
    snprintf(folder, sizeof folder, "%s/gmsim-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    NEED(mkdtemp(folder));
    snprintf(text, sizeof text, "%s/in.traceg", folder);
    snprintf(packed, sizeof packed, "%s/in.tracez", folder);
    snprintf(output, sizeof output, "%s/out.trc", folder);
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder[0])
        set_up();
    const bool container = size && data[0] == 'z';
    const char *path = container ? packed : text;
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

#ifdef FUZZ_REPLAY
#define LARGEST ((size_t)1 << 16)

static void replay(const char *path)
{
    static uint8_t data[LARGEST], changed[LARGEST];
    FILE *file = fopen(path, "rb");
    NEED(file);
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    for (size_t i = 0; i < size; i++)
        LLVMFuzzerTestOneInput(data, i);
    for (size_t i = 1; i < size; i++) {
        static const uint8_t other[] = {0, '\n', ' ', '9', 'x', 0xff};
        memcpy(changed, data, size);
        changed[i] = other[i % sizeof other];
        LLVMFuzzerTestOneInput(changed, size);
    }
}

int main(void)
{
    const char *source = getenv("GMSIM_SRCDIR");
    char seeds[4096], path[8192];
    snprintf(seeds, sizeof seeds, "%s/tests/fuzz/accelsim", source ? source : ".");
    struct dirent **entry;
    const int entries = scandir(seeds, &entry, NULL, alphasort);
    int count = 0;
    for (int i = 0; i < entries; i++) {
        if (entry[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", seeds, entry[i]->d_name);
            replay(path);
            printf("ok %d %s and what is near it\n", ++count, entry[i]->d_name);
        }
        free(entry[i]);
    }
    if (entries >= 0)
        free(entry);
    printf(count ? "1..%d\n" : "Bail out! no seeds\n", count);
    return count == 0;
}
#endif
