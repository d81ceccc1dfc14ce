/* SPDX-License-Identifier: MIT
 *
 * fuzz_replay.c - runs fuzz_reader.c on every file of the corpora, without libFuzzer. Speaks TAP.
 */
#include "tests/fuzz/fuzz_reader.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count;

static void replay(const char *folder)
{
    struct dirent **entry;
    const int entries = scandir(folder, &entry, NULL, alphasort);
    if (entries < 0) {
        printf("Bail out! %s cannot be read\n", folder);
        exit(1);
    }
    for (int i = 0; i < entries; i++) {
        static uint8_t data[1u << 20];
        char path[4096];
        const size_t length = strlen(entry[i]->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (length > 4 && strcmp(entry[i]->d_name + length - 4, ".trc") == 0) {
            FILE *file = fopen(path, "rb");
            if (file) {
                const size_t size = fread(data, 1, sizeof data, file);
                fclose(file);
                LLVMFuzzerTestOneInput(data, size);
            }
            printf("%sok %d %s\n", file ? "" : "not ", ++count, entry[i]->d_name);
        }
        free(entry[i]);
    }
    free(entry);
}

int main(void)
{
    const char *source = getenv("GMSIM_SRCDIR");
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/tests/corpus", source ? source : ".");
    replay(folder);
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus", source ? source : ".");
    replay(folder);
    printf("1..%d\n", count);
    return 0;
}
