/* SPDX-License-Identifier: MIT
 *
 * replay.c - a fuzz target without libFuzzer: goes through its corpora, and through beginnings and
 * single changed bytes of each file (tests/fuzz/corpora says where and how many). Speaks TAP.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>

static const char *top;
static int count;

/* In memory of its own length, so that a sanitizer sees reads past the end. */
static void try(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    NEED(copy);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void replay(const char *folder, const char *name, size_t most)
{
    static uint8_t data[1u << 20];
    static const uint8_t other[] = {0, '\n', ' ', '9', 'x', 0xff, '%', '{', ';', '.', '['};
    char path[8192];
    snprintf(path, sizeof path, "%s/%s/%s", top, folder, name);
    FILE *file = fopen(path, "rb");
    NEED(file);
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    try(data, size);
    const size_t step = most ? size / most + 1 : size;
    for (size_t i = 0; i < size && most; i += step) {
        const uint8_t before = data[i];
        try(data, i);
        data[i] = other[i / step % sizeof other];
        try(data, size);
        data[i] = before;
    }
    printf("ok %d %s/%s%s\n", ++count, folder, name, most ? " and what is near it" : "");
}

static void replay_all(const char *folder, size_t most)
{
    char path[4096];
    struct dirent **entry;
    snprintf(path, sizeof path, "%s/%s", top, folder);
    const int entries = scandir(path, &entry, NULL, alphasort);
    NEED(entries > 2);
    for (int i = 0; i < entries; i++) {
        const size_t length = strlen(entry[i]->d_name);
        const char *end = length > 4 ? entry[i]->d_name + length - 4 : "";
        if (entry[i]->d_name[0] != '.' && strcmp(end, "E.md") != 0)
            replay(folder, entry[i]->d_name, most);
        free(entry[i]);
    }
    free(entry);
}

/* The target's name is the program's: fuzz_NAME, or lt-fuzz_NAME where libtool starts it. */
int main(int argc, char **argv)
{
    const char *name = argc > 0 ? strstr(argv[0], "fuzz_") : NULL;
    for (const char *next = name; next; next = strstr(next + 1, "fuzz_"))
        name = next;
    top = getenv("GMSIM_SRCDIR") ? getenv("GMSIM_SRCDIR") : ".";
    char path[4096], line[1024];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpora", top);
    FILE *file = fopen(path, "r");
    NEED(name && file);
    while (fgets(line, sizeof line, file)) {
        const char *word = strtok(line, " \n");
        if (!word || strcmp(word, name + strlen("fuzz_")) != 0)
            continue;
        word = strtok(NULL, " \n");
        NEED(word);
        const size_t most = strtoul(word, NULL, 10);
        NEED(strtok(NULL, " \n")); /* the longest input is libFuzzer's */
        while ((word = strtok(NULL, " \n")))
            replay_all(word, most);
    }
    fclose(file);
    printf(count ? "1..%d\n" : "Bail out! no corpus\n", count);
    return count == 0;
}
