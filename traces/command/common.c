/* SPDX-License-Identifier: MIT
 *
 * common.c - messages, number lists and the list of CTAs, for gmtrace's subcommands.
 */
#include "traces/command/command.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : clean(path);
}

int complain(const char *path, const gmtrace_error *error)
{
    progress_end();
    fflush(stdout);
    fprintf(stderr, "gmtrace: %s: %s\n", shown(path), clean(error->text));
    return error->status == GMTRACE_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int complain_usage(const char *format, ...)
{
    char text[1024];
    va_list list;
    progress_end();
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "gmtrace: %s\nTry 'gmtrace --help' for more information.\n", clean(text));
    return EXIT_USAGE;
}

bool spares_input(const char *output, const char *input)
{
    struct stat in, out;
    if (stat(input, &in) != 0 || stat(output, &out) != 0 || in.st_dev != out.st_dev ||
        in.st_ino != out.st_ino)
        return true;
    complain_usage("%s: is what is read; name another file for --output", output);
    return false;
}

int complain_option(void)
{
    fprintf(stderr, "Try 'gmtrace --help' for more information.\n");
    return EXIT_USAGE;
}

static char guarded[4096];
static volatile sig_atomic_t is_guarded;

static void remove_and_die(int number)
{
    gmtrace_writers_abandon();
    if (is_guarded)
        unlink(guarded);
    signal(number, SIG_DFL);
    raise(number);
}

void guard_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
    struct sigaction action = {.sa_handler = remove_and_die}, now;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails */
}

void guard_file(const char *path)
{
    is_guarded = 0;
    if (path && strlen(path) < sizeof guarded) {
        strcpy(guarded, path);
        is_guarded = 1;
    }
}

static gmtrace_reader_options reader_options;

static bool parse_limit(const char *text)
{
    uint64_t *limit = &reader_options.memory_limit;
    if (strcmp(text, "none") != 0)
        return gmtrace_read_size(text, limit) && *limit;
    *limit = UINT64_MAX;
    return true;
}

bool take_limit(int *argc, char **argv)
{
    static const char option[] = "--limit-memory";
    int kept = 1;
    bool good = true;
    for (int i = 1; i < *argc; i++) {
        const size_t length = sizeof option - 1;
        if (strncmp(argv[i], option, length) != 0 || (argv[i][length] && argv[i][length] != '=')) {
            argv[kept++] = argv[i];
            continue;
        }
        const char *text = argv[i][length] ? argv[i] + length + 1 : i + 1 < *argc ? argv[++i] : "";
        if (!parse_limit(text)) {
            complain_usage("--limit-memory %s: must be a size such as 512M or 4G, or none", text);
            good = false;
        }
    }
    argv[ *argc = kept] = NULL;
    return good;
}

gmtrace_reader *open_trace(const char *path, gmtrace_error *error)
{
    return gmtrace_open_with(path, &reader_options, error);
}

int finish_output(int status)
{
    progress_end();
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != EXIT_DONE)
        return status;
    fprintf(stderr, "gmtrace: standard output: %s\n", strerror(errno ? errno : EIO));
    return EXIT_FAILED;
}

int report_damage(const char *path, const gmtrace_reader *reader)
{
    const gmtrace_error *damage = gmtrace_damage(reader);
    return damage ? complain(path, damage) : EXIT_DONE;
}

/* ------------------------------------------------------------------------------------- numbers */

static bool parse_number(const char **text, uint64_t *number)
{
    if (!isdigit((unsigned char)**text))
        return false;
    char *end;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

bool parse_numbers(const char *text, number_list *list)
{
    do {
        if (list->count == sizeof list->range / sizeof *list->range)
            return false;
        struct number_range *range = &list->range[list->count++];
        if (!parse_number(&text, &range->first))
            return false;
        range->last = range->first;
        if (*text == '-') {
            text++;
            range->last = UINT64_MAX;
            if (*text && *text != ',' && !parse_number(&text, &range->last))
                return false;
        }
        if (range->last < range->first)
            return false;
    } while (*text++ == ',');
    return text[-1] == '\0';
}

bool has_number(const number_list *list, uint64_t number)
{
    for (unsigned i = 0; i < list->count; i++)
        if (number >= list->range[i].first && number <= list->range[i].last)
            return true;
    return list->count == 0;
}

/* ---------------------------------------------------------------------------------------- CTAs */

bool list_ctas(const gmtrace_reader *reader, const number_list *list, uint64_t **cta, size_t *count,
               gmtrace_error *error)
{
    size_t all;
    *count = 0;
    if (!gmtrace_list_ctas(reader, cta, &all, error))
        return false;
    for (size_t i = 0; i < all; i++)
        if (has_number(list, (*cta)[i]))
            (*cta)[(*count)++] = (*cta)[i];
    return true;
}
