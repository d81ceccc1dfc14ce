/* SPDX-License-Identifier: MIT
 *
 * fuzz_ptx_replay.c - the seeds of the PTX fuzz target, whole, cut at every byte, and with every
 * byte changed, without libFuzzer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *folder, const char *name)
{
    char path[4096];
    static uint8_t text[65536], copy[65536];
    snprintf(path, sizeof path, "%s/tests/fuzz/ptx/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 1;
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    if (!size)
        return 1;
    for (size_t cut = 0; cut <= size; cut++) {
        /* in memory of its own length, so that a sanitizer sees reads past the end */
        uint8_t *part = malloc(cut + 1);
        if (!part)
            return 1;
        memcpy(part, text, cut);
        LLVMFuzzerTestOneInput(part, cut);
        free(part);
    }
    static const char change[] = "0%{;.[9x";
    for (size_t i = 0; i < size; i++) {
        memcpy(copy, text, size);
        copy[i] = (uint8_t)change[i % (sizeof change - 1)];
        LLVMFuzzerTestOneInput(copy, size);
    }
    return 0;
}

int main(void)
{
    static const char *const seeds[] = {"loop.ptx", "call.ptx"};
    const char *folder = getenv("GMSIM_SRCDIR");
    int bad = 0;
    printf("1..2\n");
    for (int i = 0; i < 2; i++) {
        const int failed = replay(folder ? folder : ".", seeds[i]);
        printf("%sok %d %s\n", failed ? "not " : "", i + 1, seeds[i]);
        bad |= failed;
    }
    return bad;
}
