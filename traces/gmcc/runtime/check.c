/* SPDX-License-Identifier: MIT
 *
 * check.c - what GMSIM_CHECK=FILE asks for: mistakes of kernels and of the host's calls, one entry
 * a place with a count, written to FILE for `gmsim --run --check`. GMSIM_CHECK_FOR names what is
 * looked for: memory, races, unwritten, barriers, leaks; by default all.
 *
 * The file has GKeyFile's form, a group a mistake. Where the host was, is told as the line of the
 * program's, where it has one. It is renewed after each launch and call that added to it, so that a
 * program that dies later leaves what was found until then.
 *
 * Left out: mistakes at more than MAX_MISTAKES places; the file says so.
 */
#include "traces/gmcc/runtime/check.h"

#include "traces/code/lines.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MISTAKES 256u

static const char *const names[] = {"memory", "races", "unwritten", "barriers", "leaks"};

static gmcuda_mistake mistakes[MAX_MISTAKES];
static size_t mistake_count;
static uint64_t left_out;
static unsigned wanted; /* bits */
static const char *path;
static bool read_environment, changed, races_incomplete;
static pid_t owner; /* a child of fork() leaves the file to its parent */

/* ------------------------------------------------------------------------------- what is asked */

static void take_words(const char *text)
{
    while (*text != 0) {
        const size_t length = strcspn(text, ",");
        bool known = false;
        for (unsigned i = 0; i < GMCUDA_CHECKS; i++)
            if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
                wanted |= 1u << i;
                known = true;
            }
        if (!known)
            gmcuda_message("GMSIM_CHECK_FOR: '%.*s' is no check; ignored", (int)length, text);
        text += length + (text[length] != 0);
    }
}

bool gmcuda_checks(gmcuda_check_what what)
{
    if (!read_environment) {
        const char *list = getenv("GMSIM_CHECK_FOR");
        read_environment = true;
        path = getenv("GMSIM_CHECK");
        owner = getpid();
        if (path != NULL && path[0] != 0 && list != NULL && list[0] != 0)
            take_words(list);
        else if (path != NULL && path[0] != 0)
            wanted = (1u << GMCUDA_CHECKS) - 1;
        changed = wanted != 0; /* a program that makes no mistake leaves a file, too */
    }
    return wanted >> what & 1;
}

bool gmcuda_checks_any(void)
{
    gmcuda_checks(GMCUDA_CHECK_MEMORY);
    return wanted != 0;
}

char *gmcuda_text_of(const char *format, ...)
{
    char *text;
    va_list list;
    va_start(list, format);
    const int n = vasprintf(&text, format, list);
    va_end(list);
    return n >= 0 ? text : NULL;
}

/* ---------------------------------------------------------------------------- where the host is */

void gmcuda_here(gmt_frames *frames)
{
    void *address[GMT_FRAMES + 8];
    Dl_info own, info;
    frames->count = 0;
    if ((!gmcuda_checks_any() && !gmcuda_traces()) ||
        dladdr((void *)(uintptr_t)gmcuda_here, &own) == 0)
        return;
    const int n = backtrace(address, GMT_FRAMES + 8);
    bool within = false; /* a sanitizer's backtrace() has a frame of its own before ours */
    for (int i = 0; i < n && frames->count < GMT_FRAMES; i++) {
        if (dladdr(address[i], &info) == 0)
            continue;
        if (info.dli_fbase == own.dli_fbase)
            within = true;
        else if (within)
            frames->address[frames->count++] = address[i];
    }
}

/* ------------------------------------------------------------------------------------- the list */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_place(const gmcuda_mistake *a, const gmcuda_mistake *b)
{
    if (a->what != b->what || a->sides != b->sides || !same_text(a->title, b->title) ||
        !same_text(a->kernel, b->kernel))
        return false;
    for (unsigned i = 0; i < a->sides; i++)
        if (a->line[i] != b->line[i] || !same_text(a->file[i], b->file[i]) ||
            (a->line[i] == 0 && a->ptx_line[i] != b->ptx_line[i]))
            return false;
    return a->sides != 0 || (a->frames.count == b->frames.count &&
                             memcmp(a->frames.address, b->frames.address,
                                    a->frames.count * sizeof a->frames.address[0]) == 0);
}

static void forget(gmcuda_mistake *m)
{
    free(m->title);
    free(m->kernel);
    free(m->detail);
    for (unsigned i = 0; i < 2; i++) {
        free(m->file[i]);
        free(m->role[i]);
    }
}

void gmcuda_add_mistake(gmcuda_mistake *m)
{
    if (!gmcuda_checks(m->what)) {
        forget(m);
        return;
    }
    changed = true;
    for (size_t i = 0; i < mistake_count; i++)
        if (same_place(&mistakes[i], m)) {
            mistakes[i].count += m->count;
            forget(m);
            return;
        }
    if (mistake_count < MAX_MISTAKES) {
        mistakes[mistake_count++] = *m;
        return;
    }
    left_out++;
    forget(m);
}

void gmcuda_found_call(gmcuda_check_what what, const gmt_frames *frames,
                       const gmt_frames *origin, const char *title, const char *detail)
{
    gmcuda_mistake m = {.what = what, .title = strdup(title), .detail = strdup(detail), .count = 1};
    if (frames != NULL)
        m.frames = *frames;
    else
        gmcuda_here(&m.frames);
    if (origin != NULL)
        m.origin = *origin;
    gmcuda_add_mistake(&m);
}

void gmcuda_races_incomplete(void)
{
    changed = changed || !races_incomplete;
    races_incomplete = true;
}

/* ------------------------------------------------------------------------------------- the file */

static void put_text(FILE *out, const char *key, const char *text)
{
    if (text == NULL)
        return;
    fprintf(out, "%s=", key);
    for (const char *p = text; *p != 0; p++)
        if (*p == '\\')
            fputs("\\\\", out);
        else if (*p == ' ' && p == text)
            fputs("\\s", out);
        else
            fputc((unsigned char)*p < ' ' ? '?' : *p, out);
    fputc('\n', out);
}

/* The program's line `depth` of where the host was. */
static void put_line(FILE *out, const char *key, const gmt_frames *frames, unsigned depth)
{
    const gmt_line line = gmt_line_of(frames, depth);
    char name[16];
    if (line.file == NULL)
        return;
    snprintf(name, sizeof name, "%s_file", key);
    put_text(out, name, line.file);
    fprintf(out, "%s_line=%u\n", key, line.number);
}

static void put_three(FILE *out, const char *key, unsigned i, const uint32_t v[3])
{
    fprintf(out, "%s%u=%u;%u;%u\n", key, i, v[0], v[1], v[2]);
}

/* All at once: an addr2line for each would take long. */
static void find_lines(void)
{
    void *address[2 * GMT_FRAMES * MAX_MISTAKES];
    size_t count = 0;
    for (size_t i = 0; i < mistake_count; i++) {
        const gmt_frames *const both[] = {&mistakes[i].frames, &mistakes[i].origin};
        for (unsigned k = 0; k < 2; k++)
            for (unsigned n = 0; n < both[k]->count; n++)
                address[count++] = both[k]->address[n];
    }
    gmt_find_lines(address, count);
}

static void put(FILE *out, size_t number, const gmcuda_mistake *m)
{
    fprintf(out, "\n[mistake %zu]\nwhat=%s\ncount=%llu\n", number, names[m->what],
            (unsigned long long)m->count);
    put_text(out, "title", m->title);
    put_text(out, "kernel", m->kernel);
    put_text(out, "detail", m->detail);
    for (unsigned i = 0; i < m->sides; i++) {
        char key[16];
        snprintf(key, sizeof key, "file%u", i);
        put_text(out, key, m->file[i]);
        snprintf(key, sizeof key, "role%u", i);
        put_text(out, key, m->role[i]);
        fprintf(out, "line%u=%u\nptx_line%u=%u\n", i, m->line[i], i, m->ptx_line[i]);
        put_three(out, "block", i, m->block[i]);
        put_three(out, "thread", i, m->thread[i]);
    }
    /* A launch goes through the kernel's stub, whose line is the kernel's. */
    put_line(out, "call", &m->frames, m->kernel != NULL);
    put_line(out, "origin", &m->origin, 0);
}

void gmcuda_save_mistakes(void)
{
    if (!gmcuda_checks_any() || !changed || getpid() != owner)
        return;
    find_lines();
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        gmcuda_message("%s: cannot be written; nothing is told of mistakes", path);
        wanted = 0;
        return;
    }
    fprintf(out, "[check]\nschema=1\nleft_out=%llu\nraces_incomplete=%s\n",
            (unsigned long long)left_out, races_incomplete ? "true" : "false");
    for (size_t i = 0; i < mistake_count; i++)
        put(out, i, &mistakes[i]);
    fclose(out);
    changed = false;
}
