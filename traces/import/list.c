/* SPDX-License-Identifier: MIT
 *
 * list.c - kernelslist.g: the kernels' traces in order, and the memory copied to before each.
 */
#include "traces/import/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------- copies */

static int by_base(const void *a, const void *b)
{
    const gmtrace_allocation *left = a, *right = b;
    return (left->base > right->base) - (left->base < right->base);
}

/* "MemcpyHtoD,0x7f..,bytes": memory that exists when the next kernel begins. */
static bool add_memory(accel_import *import, const char *line, const char **problem)
{
    gmtrace_allocation added = {0};
    *problem = "cannot read 'MemcpyHtoD,0xaddress,bytes'";
    line = accel_hex(accel_blanks(line), &added.base);
    if (!line || *line != ',')
        return false;
    line = accel_decimal(accel_blanks(line + 1), &added.size);
    if (!line || *accel_blanks(line) != '\0' || added.size > UINT64_MAX - added.base)
        return false;
    if (!added.size)
        return true;
    *problem = "out of memory";
    gmtrace_allocation *list =
        realloc(import->allocation, (import->allocation_count + (size_t)1) * sizeof *list);
    if (!list)
        return false;
    import->allocation = list;
    list[import->allocation_count++] = added;
    qsort(list, import->allocation_count, sizeof *list, by_base);
    uint32_t kept = 0;
    for (uint32_t i = 1; i < import->allocation_count; i++) {
        gmtrace_allocation *last = &list[kept];
        const uint64_t end = list[i].base + list[i].size;
        if (list[i].base - last->base >= last->size)
            list[++kept] = list[i];
        else if (end - last->base > last->size)
            last->size = end - last->base;
    }
    import->allocation_count = kept + 1;
    return true;
}

/* ---------------------------------------------------------------------------------------- list */

/* `name` beside `list`; with the ending of its packed form where it is only there in that. */
static char *beside(const char *list, const char *name)
{
    static const char *const ending[] = {"", ".xz", ".gz", ".zst"};
    const char *slash = strrchr(list, '/');
    const size_t folder = slash ? (size_t)(slash - list) + 1 : 0;
    const size_t size = folder + strlen(name) + 8;
    char *path = malloc(size);
    for (size_t i = 0; path && i < sizeof ending / sizeof *ending; i++) {
        snprintf(path, size, "%.*s%s%s", (int)folder, list, name, ending[i]);
        if (access(path, F_OK) == 0)
            return path;
    }
    if (path)
        snprintf(path, size, "%.*s%s", (int)folder, list, name);
    return path;
}

static bool list_line(accel_import *import, const char *list, uint64_t number, char *line)
{
    const char *problem;
    if (strncmp(line, "MemcpyHtoD,", 11) == 0)
        return add_memory(import, line + 11, &problem) ||
               accel_fail(import->error, "%.250s:%" PRIu64 ": %s", list, number, problem);
    if (strncmp(line, "kernel", 6) != 0)
        return true;
    char *path = beside(list, line);
    bool done = path || accel_fail(import->error, "out of memory");
    if (done && access(path, F_OK) != 0)
        done = accel_fail(import->error, "%.250s:%" PRIu64 ": %.250s: %s", list, number, path,
                          strerror(errno));
    done = done && accel_import_kernel(import, path);
    free(path);
    return done;
}

bool accel_import_list(accel_import *import, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return accel_fail(import->error, "%.250s: %s", path, strerror(errno));
    char *line = NULL;
    size_t size = 0;
    uint64_t number = 0;
    bool done = true;
    for (ssize_t length; done && (length = getline(&line, &size, file)) >= 0;) {
        number++;
        while (length && strchr("\r\n ", line[length - 1]))
            line[--length] = '\0';
        done = list_line(import, path, number, line);
    }
    if (done && ferror(file))
        done = accel_fail(import->error, "%.250s: %s", path, strerror(errno));
    if (done && !import->launches)
        done = accel_fail(import->error,
                          "%.250s: names no kernel's trace; give the kernelslist.g that "
                          "post-traces-processing wrote, or a .traceg file",
                          path);
    free(line);
    fclose(file);
    return done;
}
