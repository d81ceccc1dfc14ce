/* SPDX-License-Identifier: MIT
 *
 * common.c - messages, number lists and the list of CTAs, for gmtrace's subcommands.
 */
#include "traces/command/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int complain(const char *path, const gmtrace_error *error)
{
    fflush(stdout);
    fprintf(stderr, "gmtrace: %s: %s\n", shown(path), error->text);
    return error->status == GMTRACE_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int complain_usage(const char *format, ...)
{
    fprintf(stderr, "gmtrace: ");
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\nTry 'gmtrace --help' for more information.\n");
    return EXIT_USAGE;
}

int complain_option(void)
{
    fprintf(stderr, "Try 'gmtrace --help' for more information.\n");
    return EXIT_USAGE;
}

int finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "gmtrace: standard output: %s\n", strerror(errno));
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

static int by_number(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

bool list_ctas(gmtrace_reader *reader, uint32_t launch, const number_list *list, uint64_t **cta,
               size_t *count, gmtrace_error *error)
{
    size_t capacity = 0;
    *cta = NULL;
    *count = 0;
    for (uint64_t i = 0; i < gmtrace_chunk_count(reader); i++) {
        const gmtrace_chunk *chunk = gmtrace_chunk_read(reader, i, error);
        if (!chunk)
            return false;
        const bool past = chunk->launch > launch;
        for (uint32_t s = 0; chunk->launch == launch && s < chunk->segment_count; s++) {
            const uint64_t number = chunk->segment[s].cta;
            if ((s && number == chunk->segment[s - 1].cta) || !has_number(list, number))
                continue;
            if (*count == capacity) {
                capacity = capacity ? capacity * 2 : 1024;
                uint64_t *grown = realloc(*cta, capacity * sizeof **cta);
                if (!grown) {
                    gmtrace_chunk_release(reader, chunk);
                    *error = (gmtrace_error){.status = GMTRACE_MEMORY, .text = "out of memory"};
                    return false;
                }
                *cta = grown;
            }
            (*cta)[(*count)++] = number;
        }
        gmtrace_chunk_release(reader, chunk);
        if (past)
            break;
    }
    if (*count == 0)
        return true;
    qsort(*cta, *count, sizeof **cta, by_number);
    size_t kept = 1;
    for (size_t i = 1; i < *count; i++)
        if ((*cta)[i] != (*cta)[kept - 1])
            (*cta)[kept++] = (*cta)[i];
    *count = kept;
    return true;
}
