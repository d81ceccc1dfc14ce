/* SPDX-License-Identifier: MIT
 *
 * fuzz.c - files in memory, folders and texts for fuzz targets.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create, nftw */
#endif
#include "tests/fuzz/fuzz.h"

#include <ftw.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    NEED(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    return path;
}

static char folder[64];

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/gmsim-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        NEED(mkdtemp(folder));
        atexit(remove_folder);
    }
    return folder;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    NEED(text);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void fuzz_need_line(const char *text)
{
    NEED(text && *text);
    for (; *text; text++)
        NEED(*text == '\t' || ((unsigned char)*text >= ' ' && *text != 0x7f));
}
