/* SPDX-License-Identifier: MIT
 *
 * run.c - gmtrace run: executes a kernel of a PTX file with arguments from the command line and
 * writes the trace. Buffers begin as zeros, or as 0, 1, 2, ... where they are ramps.
 */
#include "traces/command/command.h"
#include "traces/ptx/ptx.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_ARGUMENTS 256u
#define FIRST_ADDRESS                                                                              \
    0x510000000000ull /* where buffers lie, so that traces are the same always                     \
                       */
#define ALIGNMENT (2ull << 20)

typedef struct argument {
    uint64_t value;
    uint32_t bytes; /* of the parameter */
} argument;

typedef struct settings {
    const char *ptx, *kernel, *output;
    uint32_t grid[3], block[3];
    uint32_t shared, registers;
    unsigned threads;
    uint64_t limit;
    argument argument[MAX_ARGUMENTS];
    uint32_t arguments;
    gmtrace_allocation buffer[MAX_ARGUMENTS];
    uint32_t buffers;
    uint64_t next;
    bool lacks_memory; /* for a buffer */
} settings;

static bool parse_number(const char *text, uint64_t limit, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return *text && *text != '-' && !*end && !errno && *value <= limit;
}

/* 4 or 4,2 or 4,2,1 */
static bool parse_sides(const char *text, uint32_t side[3])
{
    side[0] = side[1] = side[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        const unsigned long v = strtoul(text, &end, 10);
        if (end == text || errno || v == 0 || v > UINT32_MAX)
            return false;
        side[i] = (uint32_t)v;
        if (!*end)
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
    return false;
}

static bool add_buffer(settings *s, uint64_t bytes, char fill)
{
    void *memory = mmap((void *)(uintptr_t)s->next, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    s->lacks_memory = memory == MAP_FAILED;
    if (s->lacks_memory)
        return false;
    uint32_t *words = memory;
    float *floats = memory;
    for (uint64_t i = 0; fill && i < bytes / 4; i++)
        if (fill == 'i')
            words[i] = (uint32_t)i;
        else
            floats[i] = (float)i;
    s->next += (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    s->buffer[s->buffers++] = (gmtrace_allocation){.base = (uint64_t)(uintptr_t)memory, .size = bytes};
    s->argument[s->arguments++] = (argument){(uint64_t)(uintptr_t)memory, 8};
    return true;
}

/* kind:value; false where it is no argument, or there is no memory for it. */
static bool parse_argument(settings *s, const char *text)
{
    const char *colon = strchr(text, ':');
    uint64_t number = 0;
    if (!colon || s->arguments == MAX_ARGUMENTS)
        return false;
    const size_t length = (size_t)(colon - text);
    const char *value = colon + 1;
    static const struct {
        const char *name;
        char fill;
    } buffers[] = {{"buf", 0}, {"ramp-i32", 'i'}, {"ramp-f32", 'f'}};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (strlen(buffers[i].name) == length && memcmp(text, buffers[i].name, length) == 0)
            return parse_number(value, 1ull << 40, &number) && number &&
                   add_buffer(s, number, buffers[i].fill);
    if (length != 3 || !*value)
        return false;
    char *end;
    argument *a = &s->argument[s->arguments];
    errno = 0;
    *a = (argument){0, text[1] == '6' ? 8 : text[1] == '1' ? 2 : text[1] == '8' ? 1 : 4};
    if (memcmp(text, "f32", 3) == 0) {
        const float f = strtof(value, &end);
        memcpy(&a->value, &f, sizeof f);
    } else if (memcmp(text, "f64", 3) == 0) {
        const double d = strtod(value, &end);
        memcpy(&a->value, &d, sizeof d);
    } else if (memcmp(text, "i32", 3) == 0 || memcmp(text, "i64", 3) == 0 ||
               memcmp(text, "i16", 3) == 0) {
        a->value = (uint64_t)strtoll(value, &end, 0);
    } else if (memcmp(text, "u32", 3) == 0 || memcmp(text, "u64", 3) == 0) {
        a->value = strtoull(value, &end, 0);
    } else {
        return false;
    }
    s->arguments++;
    return !*end && !errno;
}

static int parse_arguments(settings *s, char *list)
{
    static const gmtrace_error no_memory = {.status = GMTRACE_MEMORY, .text = "out of memory"};
    char *rest = NULL;
    for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
        if (!parse_argument(s, word))
            return s->lacks_memory
                       ? complain(word, &no_memory)
                       : complain_usage("'%s' is no argument; use buf:4096, ramp-i32:4096, "
                                        "ramp-f32:4096, i32:5, i64:5, f32:1.5 or f64:1.5",
                                        word);
    return EXIT_DONE;
}

static bool check(void *user, uint64_t address, uint64_t bytes, bool is_write, uint64_t *shift)
{
    (void)shift;
    const settings *s = user;
    (void)is_write;
    for (uint32_t i = 0; i < s->buffers; i++)
        if (address - s->buffer[i].base < s->buffer[i].size &&
            bytes <= s->buffer[i].size - (address - s->buffer[i].base))
            return true;
    return false;
}

static char *read_file(const char *path, size_t *size, gmtrace_error *error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    while (file && !ferror(file) && !feof(file)) {
        if (*size == room) {
            char *larger = realloc(text, room = room ? room * 2 : 1 << 16);
            if (!larger) {
                errno = ENOMEM;
                break;
            }
            text = larger;
        }
        *size += fread(text + *size, 1, room - *size, file);
    }
    const bool good = file && feof(file) && !ferror(file);
    if (!good) {
        *error = (gmtrace_error){.status = GMTRACE_IO, .offset = UINT64_MAX};
        snprintf(error->text, sizeof error->text, "%s", strerror(errno));
        free(text);
        text = NULL;
    }
    if (file && file != stdin)
        fclose(file);
    return text;
}

static bool run_kernel(settings *s, const gmptx_kernel *kernel, gmtrace_error *error)
{
    void *args[MAX_ARGUMENTS];
    for (uint32_t i = 0; i < s->arguments; i++)
        args[i] = &s->argument[i].value;
    const char *folder = strrchr(s->ptx, '/');
    const gmtrace_capture capture = {.source = "gmtrace run " PACKAGE_VERSION,
                                     .program = folder ? folder + 1 : s->ptx,
                                     .gpu = "",
                                     .detail = GMTRACE_DETAIL_FULL};
    gmtrace_writer *writer = gmtrace_writer_create(s->output, &capture, NULL, error);
    gmptx_launch launch = {.kernel = kernel,
                           .grid = {s->grid[0], s->grid[1], s->grid[2]},
                           .block = {s->block[0], s->block[1], s->block[2]},
                           .dynamic_shared = s->shared,
                           .args = args,
                           .check = check,
                           .check_user = s,
                           .instruction_limit = s->limit,
                           .threads = s->threads,
                           .writer = writer,
                           .trace = {.shared_config = GMTRACE_UNKNOWN,
                                     .carveout_percent = -1,
                                     .allocation_count = s->buffers,
                                     .allocation = s->buffer}};
    if (!writer ||
        !gmptx_add_to_trace(kernel, NULL, s->registers, writer, &launch.trace.kernel, error)) {
        gmtrace_error ignored;
        gmtrace_writer_close(writer, false, &ignored);
        return false;
    }
    gmptx_result result;
    const bool good = gmptx_run(&launch, &result, error);
    gmtrace_error closing;
    if (!gmtrace_writer_close(writer, good, &closing) && good) {
        *error = closing;
        return false;
    }
    if (good)
        fprintf(stderr, "gmtrace: %s: %llu warp instructions, %llu records, %u registers%s\n",
                kernel->mangled, (unsigned long long)result.warp_instructions,
                (unsigned long long)result.records, s->registers ? s->registers : kernel->registers,
                s->registers ? "" : " (estimated)");
    return good;
}

static int run_file(settings *s)
{
    gmtrace_error error = {0};
    size_t size;
    char *text = read_file(s->ptx, &size, &error);
    if (!text)
        return complain(s->ptx, &error);
    gmptx_module *module = gmptx_parse(text, size, s->ptx, &error);
    free(text);
    if (!module)
        return complain(s->ptx, &error);
    int status = EXIT_DONE;
    const char *name = s->kernel;
    if (!name && gmptx_kernel_count(module) == 1)
        name = gmptx_kernel_name(module, 0);
    const gmptx_kernel *kernel = name ? gmptx_find_kernel(module, name, &error) : NULL;
    if (!name)
        status = complain_usage("%s holds %u kernels; name one with --kernel", s->ptx,
                                gmptx_kernel_count(module));
    else if (!kernel)
        status = complain(s->ptx, &error);
    else if (kernel->param_count != s->arguments)
        status = complain_usage("%s takes %u arguments, --args gives %u", name, kernel->param_count,
                                s->arguments);
    for (uint32_t i = 0; status == EXIT_DONE && i < s->arguments; i++)
        if (kernel->param[i].size != s->argument[i].bytes)
            status = complain_usage("argument %u of %s has %u bytes, not %u", i + 1, name,
                                    kernel->param[i].size, s->argument[i].bytes);
    if (status == EXIT_DONE && !run_kernel(s, kernel, &error))
        status = complain(error.status == GMTRACE_IO ? s->output : s->ptx, &error);
    gmptx_free(module);
    return status;
}

static int run_options(settings *s, int argc, char **argv)
{
    static const struct option options[] = {{"ptx", required_argument, NULL, 'p'},
                                            {"kernel", required_argument, NULL, 'k'},
                                            {"grid", required_argument, NULL, 'g'},
                                            {"block", required_argument, NULL, 'b'},
                                            {"args", required_argument, NULL, 'a'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"shared", required_argument, NULL, 's'},
                                            {"registers", required_argument, NULL, 'r'},
                                            {"limit", required_argument, NULL, 'L'},
                                            {"threads", required_argument, NULL, 'j'},
                                            {0}};
    uint64_t number;
    int status;
    for (int option; (option = getopt_long(argc, argv, "k:o:", options, NULL)) != -1;)
        switch (option) {
        case 'p':
            s->ptx = optarg;
            break;
        case 'k':
            s->kernel = optarg;
            break;
        case 'o':
            s->output = optarg;
            break;
        case 'g':
        case 'b':
            if (!parse_sides(optarg, option == 'g' ? s->grid : s->block))
                return complain_usage("'%s' is no size; use 64 or 8,8 or 4,4,4", optarg);
            break;
        case 'a':
            if ((status = parse_arguments(s, optarg)) != EXIT_DONE)
                return status;
            break;
        case 's':
        case 'r':
        case 'j':
        case 'L':
            if (!parse_number(optarg, option == 'L' ? UINT64_MAX : 1u << 24, &number))
                return complain_usage("'%s' is no number that fits", optarg);
            if (option == 's')
                s->shared = (uint32_t)number;
            else if (option == 'r')
                s->registers = (uint32_t)number;
            else if (option == 'j')
                s->threads = (unsigned)number;
            else
                s->limit = number;
            break;
        default:
            return complain_option();
        }
    if (optind < argc)
        return complain_usage("'%s' is one word too many", argv[optind]);
    if (!s->ptx || !s->output)
        return complain_usage("run needs --ptx FILE and --output FILE");
    return spares_input(s->output, s->ptx) ? run_file(s) : EXIT_USAGE;
}

int command_run(int argc, char **argv)
{
    settings s = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .threads = 1, .next = FIRST_ADDRESS};
    const int status = run_options(&s, argc, argv);
    for (uint32_t i = 0; i < s.buffers; i++)
        munmap((void *)(uintptr_t)s.buffer[i].base, s.buffer[i].size);
    return status;
}
