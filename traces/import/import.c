/* SPDX-License-Identifier: MIT
 *
 * import.c - gmtrace import: the options, the list of kernels, and the line that says what the
 * format does not tell.
 */
#include "traces/command/command.h"
#include "traces/import/kernel.h"

#include <errno.h>
#include <inttypes.h>
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
    gmtrace_allocation added;
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

static bool import_list(accel_import *import, const char *path)
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

/* ------------------------------------------------------------------------------------- command */

static bool parse_carveout(accel_import *import, const char *text)
{
    uint64_t number;
    const char *end = accel_decimal(text, &number);
    if (!end)
        return false;
    if (strcmp(end, "%") == 0 && number <= 100) {
        import->carveout_percent = (int32_t)number;
        return true;
    }
    const uint64_t unit = strcmp(end, "K") == 0 || strcmp(end, "k") == 0 ? 1024 : 1;
    if ((unit == 1 && *end != '\0') || number * unit > ((uint64_t)1 << 20))
        return false;
    import->shared_config = (uint32_t)(number * unit);
    return true;
}

static bool is_one_kernel(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strstr(slash ? slash : path, ".trace") != NULL;
}

static void tell(const accel_import *import)
{
    const bool carveout = import->shared_config != GMTRACE_UNKNOWN || import->carveout_percent >= 0;
    printf("%s: %" PRIu64 " launches, %" PRIu64 " warp instructions; the format does not tell%s%s "
           "constant and texture addresses%s\n",
           import->output, import->launches, import->instructions,
           carveout ? "" : " the carve-out (gmsim chooses as the driver would; or --carveout),",
           import->gpu ? "" : " the GPU (--gpu),",
           import->copies ? ", nor where asynchronous copies go in shared memory" : "");
}

int command_import(int argc, char **argv)
{
    static const struct option options[] = {{"accelsim", required_argument, NULL, 'a'},
                                            {"carveout", required_argument, NULL, 'C'},
                                            {"gpu", required_argument, NULL, 'g'},
                                            {"output", required_argument, NULL, 'o'},
                                            {0}};
    accel_error error = {""};
    accel_import import = {.shared_config = GMTRACE_UNKNOWN,
                           .carveout_percent = -1,
                           .progress = isatty(STDERR_FILENO) == 1,
                           .error = &error};
    const char *path = NULL;
    for (int option; (option = getopt_long(argc, argv, "o:", options, NULL)) != -1;) {
        if (option == 'a')
            path = optarg;
        else if (option == 'g')
            import.gpu = optarg;
        else if (option == 'o')
            import.output = optarg;
        else if (option != 'C')
            return complain_option();
        else if (!parse_carveout(&import, optarg))
            return complain_usage("--carveout %s: give bytes an SM, as 100K, or a preference, as "
                                  "50%%",
                                  optarg);
    }
    if (optind < argc)
        return complain_usage("import takes no argument '%s'; name the list with --accelsim",
                              argv[optind]);
    if (!path)
        return complain_usage("import needs --accelsim");
    if (!import.output)
        return complain_usage("import needs --output");
    bool done =
        is_one_kernel(path) ? accel_import_kernel(&import, path) : import_list(&import, path);
    gmtrace_error failure;
    gmtrace_writer *writer = import.writer;
    if (!gmtrace_writer_close(writer, done, &failure) && done)
        done = accel_fail(&error, "%.250s: %s", import.output, failure.text);
    if (done)
        tell(&import);
    else
        fprintf(stderr, "gmtrace: %s\n", error.text);
    accel_import_free(&import);
    return finish_output(done ? EXIT_DONE : EXIT_FAILED);
}
