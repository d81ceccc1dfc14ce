/* SPDX-License-Identifier: MIT
 *
 * gmcapture.c - runs a CUDA program with libgmcapture.so injected and says what came of it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "traces/capture/find.h"
#include "traces/capture/settings.h"
#include "traces/code/tools.h"

enum { EXIT_USAGE = 2 };

typedef struct options {
    char *output; /* absolute */
    const char *kernel, *library, *skip, *count, *sample;
    char *nvtx; /* ranges, one a line */
    bool from_start;
    uint64_t buffer, memory;
    const char *level;
    bool verbose;
    char **program; /* and its arguments */
} options;

static void __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
    va_list list;
    fputs("gmcapture: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

static int printed(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_SUCCESS;
    complain("standard output: %s", strerror(errno));
    return EXIT_FAILURE;
}

static void help(void)
{
    fputs("Usage: gmcapture [OPTION...] -- PROGRAM [ARGUMENT...]\n"
          "Run a CUDA program and record the memory accesses of its kernels as a gmsim trace.\n"
          "\n"
          "  -o, --output=FILE       the trace; default PROGRAM.trc in this folder\n"
          "  -k, --kernel=REGEX      capture kernels whose name, plain or mangled, matches\n"
          "  -s, --launch-skip=N     leave out the first N launches of such kernels\n"
          "  -c, --launch-count=N    capture at most N launches\n"
          "      --sample=N          of launches alike, capture N; count the others\n"
          "      --profile-from-start=off\n"
          "                          only between cudaProfilerStart() and cudaProfilerStop()\n"
          "      --nvtx-include=RANGE\n"
          "                          only in NVTX ranges [DOMAIN@]NAME or [DOMAIN@]regex:REGEX\n"
          "      --buffer=SIZE       pinned memory between GPU and host; default 64M\n"
          "      --memory=SIZE       memory for records not yet written; default 192M\n"
          "      --level=N           zstd level, 1 to 19; default 1\n"
          "      --library=FILE      the libgmcapture.so to inject\n"
          "  -v, --verbose           say what is captured\n"
          "  -h, --help              print this\n"
          "  -V, --version           print the version\n"
          "\n"
          "Sizes take k, M or G. Exit status: 0 done, 1 the program or the capture failed,\n"
          "2 wrong usage.\n"
          "\n"
          "Example: gmcapture -o transpose.trc -k transpose -c 1 -- ./bench --size 1024\n",
          stdout);
}

static bool is_number(const char *text)
{
    return *text && strlen(text) < 19 && strspn(text, "0123456789") == strlen(text);
}

static bool usage_size(const char *option, const char *text, uint64_t least, uint64_t most,
                       uint64_t *size)
{
    if (gmc_parse_size(text, size) && *size >= least && *size <= most)
        return true;
    complain("--%s %s: give a size from %lluk to %lluM, such as 64M", option, text,
             (unsigned long long)least >> 10, (unsigned long long)most >> 20);
    return false;
}

static bool usage_number(const char *option, const char *text)
{
    if (!is_number(text))
        complain("--%s %s: give a whole number", option, text);
    return is_number(text);
}

static bool usage_pattern(const char *text)
{
    regex_t pattern;
    char reason[256];
    int error = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB);
    if (error) {
        regerror(error, &pattern, reason, sizeof reason);
        complain("--kernel %s: %s", text, reason);
        return false;
    }
    regfree(&pattern);
    return true;
}

/* As ncu has it. */
static bool usage_switch(const char *text, bool *on)
{
    static const char *const yes[] = {"on", "yes", "1"}, *const no[] = {"off", "no", "0"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(text, yes[i]) && strcmp(text, no[i]))
            continue;
        *on = strcmp(text, yes[i]) == 0;
        return true;
    }
    complain("--profile-from-start %s: give on or off", text);
    return false;
}

static bool usage_range(const char *text, char **ranges)
{
    const char *at = strchr(text, '@'), *name = at ? at + 1 : text;
    regex_t pattern;
    char reason[256] = "it names no range", *longer;
    const bool is_pattern = strncmp(name, "regex:", 6) == 0;
    bool good = strcspn(name + (is_pattern ? 6 : 0), "/") > 0 && !strchr(text, '\n');
    if (good && is_pattern) {
        int error = regcomp(&pattern, name + 6, REG_EXTENDED | REG_NOSUB);
        good = !error;
        if (error)
            regerror(error, &pattern, reason, sizeof reason);
        else
            regfree(&pattern);
    }
    if (!good) {
        complain("--nvtx-include %s: %s", text, reason);
        return false;
    }
    if (asprintf(&longer, "%s%s%s", *ranges ? *ranges : "", *ranges ? "\n" : "", text) < 0)
        return false;
    free(*ranges);
    *ranges = longer;
    return true;
}

/* The traced program may change its folder: the output is made absolute. */
static bool set_output(options *chosen, const char *name)
{
    char *copy = strdup(name);
    char *slash = copy ? strrchr(copy, '/') : NULL;
    const char *base = slash ? slash + 1 : name;
    if (slash)
        *slash = '\0';
    const char *folder = !slash ? "." : *copy ? copy : "/";
    char *whole = realpath(folder, NULL);
    const bool usable = whole && access(whole, W_OK | X_OK) == 0;
    bool good = *base && usable;
    if (!good)
        complain("-o %s: %s", name, *base ? strerror(errno) : "it is a folder; name a file");
    else if (asprintf(&chosen->output, "%s/%s", strcmp(whole, "/") ? whole : "", base) < 0)
        good = false;
    free(whole);
    free(copy);
    return good;
}

/* -1: go on; else the exit status. */
static int read_options(int count, char **argument, options *chosen)
{
    enum { BUFFER = 256, MEMORY, LEVEL, LIBRARY, FROM_START, NVTX, SAMPLE };
    static const struct option known[] = {
        {"output", required_argument, NULL, 'o'},
        {"kernel", required_argument, NULL, 'k'},
        {"launch-skip", required_argument, NULL, 's'},
        {"launch-count", required_argument, NULL, 'c'},
        {"sample", required_argument, NULL, SAMPLE},
        {"profile-from-start", required_argument, NULL, FROM_START},
        {"nvtx-include", required_argument, NULL, NVTX},
        {"buffer", required_argument, NULL, BUFFER},
        {"memory", required_argument, NULL, MEMORY},
        {"level", required_argument, NULL, LEVEL},
        {"library", required_argument, NULL, LIBRARY},
        {"verbose", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {0},
    };
    const char *output = NULL;
    bool good = true;
    int letter;
    while (good && (letter = getopt_long(count, argument, "+o:k:s:c:vhV", known, NULL)) != -1) {
        switch (letter) {
        case 'o':
            output = optarg;
            break;
        case 'k':
            chosen->kernel = optarg;
            good = usage_pattern(optarg);
            break;
        case 's':
            chosen->skip = optarg;
            good = usage_number("launch-skip", optarg);
            break;
        case 'c':
            chosen->count = optarg;
            good = usage_number("launch-count", optarg);
            break;
        case SAMPLE:
            chosen->sample = optarg;
            good = usage_number("sample", optarg) && strtoull(optarg, NULL, 10) > 0;
            if (!good && is_number(optarg))
                complain("--sample %s: give 1 or more", optarg);
            break;
        case FROM_START:
            good = usage_switch(optarg, &chosen->from_start);
            break;
        case NVTX:
            good = usage_range(optarg, &chosen->nvtx);
            break;
        case BUFFER:
            good = usage_size("buffer", optarg, GMC_SMALLEST_BUFFER, GMC_LARGEST_BUFFER,
                              &chosen->buffer);
            break;
        case MEMORY:
            good = usage_size("memory", optarg, 1u << 20, UINT64_C(1) << 40, &chosen->memory);
            break;
        case LEVEL:
            chosen->level = optarg;
            good = usage_number("level", optarg) && atoi(optarg) >= 1 && atoi(optarg) <= 19;
            if (!good && is_number(optarg))
                complain("--level %s: give a number from 1 to 19", optarg);
            break;
        case LIBRARY:
            chosen->library = optarg;
            break;
        case 'v':
            chosen->verbose = true;
            break;
        case 'h':
            help();
            return printed();
        case 'V':
            puts("gmcapture " PACKAGE_VERSION);
            return printed();
        default: /* getopt has said it */
            fputs("Try 'gmcapture --help'.\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (!good)
        return EXIT_USAGE;
    chosen->program = argument + optind;
    if (optind == count) {
        complain("no program given; see 'gmcapture --help'");
        return EXIT_USAGE;
    }
    char name[4096];
    const char *slash = strrchr(argument[optind], '/');
    snprintf(name, sizeof name, "%s.trc", slash ? slash + 1 : argument[optind]);
    return set_output(chosen, output ? output : name) ? -1 : EXIT_USAGE;
}

static void set_number(const char *variable, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    if (number)
        setenv(variable, text, 1);
}

static void set_text(const char *variable, const char *text)
{
    if (text)
        setenv(variable, text, 1);
    else
        unsetenv(variable);
}

/* What the injected library will find; see settings.h. Only in the child. */
static void set_environment(const options *chosen, const char *library, const char *sanitizer,
                            const char *scratch)
{
    char *nvdisasm = gmt_find_tool("nvdisasm", GMC_ENV_NVDISASM);
    char *cufilt = gmt_find_tool("cu++filt", GMC_ENV_CUFILT);
    char *preload = NULL;
    const char *before = getenv("LD_PRELOAD");
    set_text(GMC_ENV_OUTPUT, chosen->output);
    set_text(GMC_ENV_KERNEL, chosen->kernel);
    set_text(GMC_ENV_SKIP, chosen->skip);
    set_text(GMC_ENV_COUNT, chosen->count);
    set_text(GMC_ENV_SAMPLE, chosen->sample);
    set_text(GMC_ENV_LEVEL, chosen->level);
    set_text(GMC_ENV_NVTX, chosen->nvtx);
    set_text(GMC_ENV_START, chosen->from_start ? NULL : "off");
    if (chosen->nvtx) /* NVTX's own variable: the library is the tool that it loads */
        setenv("NVTX_INJECTION64_PATH", library, 1);
    set_text(GMC_ENV_VERBOSE, chosen->verbose ? "1" : NULL);
    set_text(GMC_ENV_SCRATCH, scratch);
    set_text(GMC_ENV_NVDISASM, nvdisasm);
    set_text(GMC_ENV_CUFILT, cufilt);
    set_text(GMC_ENV_SANITIZER, sanitizer);
    set_number(GMC_ENV_BUFFER, chosen->buffer);
    set_number(GMC_ENV_MEMORY, chosen->memory);
    if (!nvdisasm)
        complain("nvdisasm was not found: the trace will hold machine code without opcodes; "
                 "put it on PATH or name it in " GMC_ENV_NVDISASM);
    if (asprintf(&preload, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") >
        0)
        setenv("LD_PRELOAD", preload, 1);
    free(preload);
    free(nvdisasm);
    free(cufilt);
}

static pid_t child = -1;

static void forward(int number)
{
    if (child > 0)
        kill(child, number);
}

/* The wait status, or -1 where the program could not be started. */
static int run(const options *chosen, const char *program, const char *library,
               const char *sanitizer, const char *scratch)
{
    int status;
    child = fork();
    if (child == 0) {
        set_environment(chosen, library, sanitizer, scratch);
        execv(program, chosen->program);
        complain("%s: %s", program, strerror(errno));
        _exit(127);
    }
    if (child < 0) {
        complain("cannot start a process: %s", strerror(errno));
        return -1;
    }
    /* A terminal sends its interrupts to the program as well; the trace is still to be written. */
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
    action.sa_handler = forward;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

typedef struct report {
    bool cuda;
    unsigned traces, errors;
    unsigned long long seen;
} report;

static void say_trace(const char *value)
{
    unsigned long long launches, records;
    int path = 0;
    struct stat about;
    if (sscanf(value, "%llu %llu %n", &launches, &records, &path) < 2 || !path)
        return;
    double size = stat(value + path, &about) == 0 ? (double)about.st_size : 0;
    complain("%s: %llu launch%s, %llu records, %.1f MiB", value + path, launches,
             launches == 1 ? "" : "es", records, size / (1 << 20));
}

/* A process that died left its trace under a temporary name. What was written is readable. */
static void say_partial(const char *value, bool finished)
{
    char *path, pattern[4400];
    long process = strtol(value, &path, 10);
    glob_t matches;
    if (finished || *path != ' ')
        return;
    path++;
    snprintf(pattern, sizeof pattern, "%s.%ld-*.part", path, process);
    if (glob(pattern, 0, NULL, &matches) != 0)
        return;
    if (matches.gl_pathc && rename(matches.gl_pathv[0], path) == 0)
        complain("%s: cut short, as the program ended without leaving main(); it can be read up "
                 "to there",
                 path);
    globfree(&matches);
}

static void read_report(const char *scratch, report *found)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/" GMC_REPORT, scratch);
    char *text = gmt_read_file(path), *rest = text, *line;
    memset(found, 0, sizeof *found);
    bool finished = text && strstr(text, "\ntrace ");
    while (rest && (line = strsep(&rest, "\n")) && *line) {
        char *value = line + strcspn(line, " ");
        if (*value)
            *value++ = '\0';
        if (strcmp(line, "cuda") == 0) {
            found->cuda = true;
        } else if (strcmp(line, "seen") == 0) {
            found->seen += strtoull(value, NULL, 10);
        } else if (strcmp(line, "error") == 0) {
            found->errors++;
        } else if (strcmp(line, "trace") == 0) {
            found->traces++;
            say_trace(value);
        } else if (strcmp(line, "repeats") == 0) {
            complain("%s more launches, each like one of those, were not captured", value);
        } else if (strcmp(line, "open") == 0) {
            say_partial(value, finished);
        }
    }
    free(text);
}

static void remove_scratch(const char *scratch)
{
    char pattern[4200];
    glob_t matches;
    snprintf(pattern, sizeof pattern, "%s/*", scratch);
    if (glob(pattern, 0, NULL, &matches) == 0) {
        for (size_t i = 0; i < matches.gl_pathc; i++)
            unlink(matches.gl_pathv[i]);
        globfree(&matches);
    }
    rmdir(scratch);
}

/* Says what went wrong, and returns the exit status. */
static int judge(const options *chosen, int status, const report *found)
{
    bool failed = status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    const char *name = chosen->program[0];
    if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) != 0)
        complain("%s ended with status %d", name, WEXITSTATUS(status));
    else if (status >= 0 && WIFSIGNALED(status))
        complain("%s was ended by signal %d (%s)", name, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    if (!found->traces && !found->errors && !failed) {
        if (!found->cuda)
            complain("%s did not use the GPU; no trace written", name);
        else if (chosen->nvtx || !chosen->from_start)
            complain("no launch to capture among %llu in the ranges asked for; no trace written",
                     found->seen);
        else if (chosen->kernel)
            complain("no launch to capture: none of %llu launches is of a kernel that matches "
                     "'%s', or all were skipped; no trace written",
                     found->seen, chosen->kernel);
        else
            complain("no launch to capture among %llu; no trace written", found->seen);
    }
    return failed || found->errors || !found->traces ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int count, char **argument)
{
    options chosen = {.from_start = true};
    report found = {0};
    int status = read_options(count, argument, &chosen);
    if (status >= 0)
        return status;

    char scratch[4096];
    const char *folder = getenv("TMPDIR");
    char *program = gmt_find_program(chosen.program[0]);
    char *library = gmc_find_library(chosen.library);
    char *sanitizer = gmc_find_sanitizer();
    snprintf(scratch, sizeof scratch, "%s/gmcapture-XXXXXX", folder && *folder ? folder : "/tmp");
    status = EXIT_FAILURE;
    if (!program)
        complain("%s: no such program", chosen.program[0]);
    else if (!library)
        complain("libgmcapture.so was not found; name it with --library");
    else if (!sanitizer)
        complain("libsanitizer-public.so was not found: install the CUDA toolkit, or name the "
                 "folder in " GMC_ENV_SANITIZER);
    else if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL))
        complain("no NVIDIA driver here (libcuda.so.1): capturing needs a GPU");
    else if (!mkdtemp(scratch))
        complain("%s: %s", scratch, strerror(errno));
    else {
        int ended = run(&chosen, program, library, sanitizer, scratch);
        read_report(scratch, &found);
        remove_scratch(scratch);
        status = judge(&chosen, ended, &found);
    }
    free(program);
    free(library);
    free(sanitizer);
    free(chosen.output);
    return status;
}
