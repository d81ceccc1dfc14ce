/* SPDX-License-Identifier: MIT
 *
 * walk.c - runs a command once for each point at which it can fail (shim.h), and holds every run to
 * what is promised: it succeeds with the very output of a run without failure, or ends with one
 * line and a status, and leaves the folder it ran in as it was.
 *
 *   walk [--prefix WORD] [--several] [--without CLASS] NAME PROGRAM ARGUMENT...
 *
 * The command runs in a folder that holds "old", what the last run wrote under the names it writes
 * (every other time, else nothing), and has another for temporary files, which must end empty. With
 * INJECT_MOST=N some N points of each class are walked (of memory 8 N), the first and others at
 * equal distances; else all. INJECT_SAY=1 prints how often which message came,
 * INJECT_ONLY=CLASS walks one class.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/inject/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traces/gmtrace.h"

enum { SLOTS = 4, SECONDS = 60, SIZES = 256, DISK = INJECT_CLASSES, SHOWN = 12 };

/* One run. */
typedef struct slot {
    char *folder, *inside, *temporary, *standard_output, *counts_path;
    inject_counts *counts;
    int messages; /* pipe from its standard error */
    pid_t pid;
    uint64_t point;
    bool had_old;
} slot;

static struct {
    const char *name, *prefix;
    bool is_several; /* it writes several files, each of which is whole or as it was */
    bool skip[INJECT_CLASSES + 1];
    char **command;
    const char *shim;
    uint64_t most;
    /* What a run without failure gave: file names and contents. */
    GHashTable *files;
    char *output, *said;
    size_t output_size;
} job;

static const char *const class_name[] = {"memory", "glib", "read", "write", "system", "disk"};
static const char *const way_name[] = INJECT_WAY_NAMES;
static slot slots[SLOTS];
static unsigned failures;
static GHashTable *messages;

/* --------------------------------------------------------------------------------------- folders
 */

static void empty(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            empty(path);
            g_rmdir(path);
        } else {
            g_unlink(path);
        }
    }
    if (dir)
        g_dir_close(dir);
}

static void add_files(GHashTable *files, const char *folder, const char *below)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *shown = g_strconcat(below, name, NULL);
        char *text = NULL;
        gsize size;
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            g_autofree char *deeper = g_strconcat(shown, "/", NULL);
            add_files(files, path, deeper);
        } else if (g_file_get_contents(path, &text, &size, NULL)) {
            g_hash_table_insert(files, g_steal_pointer(&shown), g_bytes_new_take(text, size));
        }
    }
    if (dir)
        g_dir_close(dir);
}

static GHashTable *read_files(const char *folder)
{
    GHashTable *files =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
    add_files(files, folder, "");
    return files;
}

/* ------------------------------------------------------------------------------------------- runs
 */

static const char old_text[] = "what was here before";

static void prepare(slot *s, bool has_old)
{
    GHashTableIter iter;
    gpointer name;
    empty(s->inside);
    empty(s->temporary);
    memset(s->counts, 0, sizeof *s->counts);
    s->had_old = has_old;
    g_hash_table_iter_init(&iter, job.files);
    while (has_old && g_hash_table_iter_next(&iter, &name, NULL)) {
        g_autofree char *path = g_build_filename(s->inside, name, NULL);
        g_autofree char *folder = g_path_get_dirname(path);
        g_mkdir_with_parents(folder, 0777);
        g_file_set_contents(path, old_text, -1, NULL);
    }
}

/* In the child: no core, no hang, and the shim. */
static void become(const slot *s, int errors, int class, int way)
{
    const struct rlimit none = {0, 0}, little = {s->point, s->point};
    g_autofree char *what =
        g_strdup_printf("%s:%s:%" G_GUINT64_FORMAT, class_name[class == DISK ? 0 : class],
                        way_name[way], class == DISK ? 0 : s->point);
    const int input = open("/dev/null", O_RDONLY);
    const int output = open(s->standard_output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (input < 0 || output < 0 || chdir(s->inside) != 0 || dup2(input, 0) < 0 ||
        dup2(output, 1) < 0 || dup2(errors, 2) < 0)
        _exit(98);
    close(input);
    close(output);
    setrlimit(RLIMIT_CORE, &none);
    alarm(SECONDS);
    g_setenv("TMPDIR", s->temporary, TRUE);
    g_setenv("INJECT", what, TRUE);
    g_setenv("INJECT_COUNTS", s->counts_path, TRUE);
    g_setenv("LD_PRELOAD", job.shim, TRUE);
    if (class == DISK && s->point != UINT64_MAX)
        setrlimit(RLIMIT_FSIZE, &little);
    execv(job.command[0], job.command);
    _exit(98);
}

static void start(slot *s, int class, int way, uint64_t point)
{
    int ends[2];
    s->point = point;
    prepare(s, point % 2 == 0);
    if (pipe2(ends, O_CLOEXEC) != 0 || (s->pid = fork()) < 0) {
        perror("walk");
        exit(99);
    }
    if (s->pid == 0)
        become(s, ends[1], class, way);
    close(ends[1]);
    s->messages = ends[0];
}

/* What a run that has ended said; a pipe's worth. */
static char *read_messages(slot *s)
{
    GString *text = g_string_new(NULL);
    char part[4096];
    for (ssize_t got; (got = read(s->messages, part, sizeof part)) > 0;)
        g_string_append_len(text, part, got);
    close(s->messages);
    return g_string_free(text, FALSE);
}

/* ---------------------------------------------------------------------------------- what must hold
 */

static bool is_one_line(const char *text)
{
    const size_t length = strlen(text), prefix = strlen(job.prefix);
    return length > prefix + 3 && strncmp(text, job.prefix, prefix) == 0 &&
           strncmp(text + prefix, ": ", 2) == 0 && strchr(text, '\n') == text + length - 1;
}

/* Whether every file is as it was (or whole, where that is allowed), and none is missing or new. */
static const char *check_left(const slot *s, GHashTable *files, bool may_be_new)
{
    GHashTableIter iter;
    gpointer name, bytes;
    g_hash_table_iter_init(&iter, files);
    while (g_hash_table_iter_next(&iter, &name, &bytes)) {
        GBytes *whole = g_hash_table_lookup(job.files, name);
        gsize size;
        const char *text = g_bytes_get_data(bytes, &size);
        const bool is_old =
            s->had_old && size == strlen(old_text) && memcmp(text, old_text, size) == 0;
        if (!whole)
            return "a partial file is left";
        if (!is_old && !(may_be_new && g_bytes_equal(whole, bytes)))
            return "its output was touched";
    }
    if (s->had_old && g_hash_table_size(files) != g_hash_table_size(job.files))
        return "its output is gone";
    return NULL;
}

/* A capture that misses records of a launch keeps the file, and the launch says so. */
static const char *check_marked(const slot *s, GHashTable *files)
{
    GHashTableIter iter;
    gpointer name;
    gmtrace_error error;
    bool is_marked = false;
    if (g_hash_table_size(files) != 1)
        return "not one file is left";
    g_hash_table_iter_init(&iter, files);
    g_hash_table_iter_next(&iter, &name, NULL);
    g_autofree char *path = g_build_filename(s->inside, name, NULL);
    gmtrace_reader *reader = gmtrace_open(path, &error);
    if (!reader)
        return "the trace cannot be read";
    const bool is_sound = gmtrace_verify(reader, &error);
    for (uint32_t i = 0; i < gmtrace_launch_count(reader); i++)
        is_marked |= gmtrace_get_launch(reader, i)->lost != NULL;
    gmtrace_close(reader);
    return !is_sound    ? "the trace is damaged"
           : !is_marked ? "no launch says what is missing"
                        : NULL;
}

static const char *check_same(slot *s, GHashTable *files, const char *said)
{
    g_autofree char *output = NULL;
    gsize size = 0;
    GHashTableIter iter;
    gpointer name, bytes;
    g_file_get_contents(s->standard_output, &output, &size, NULL);
    if (size != job.output_size || memcmp(output, job.output, size) != 0)
        return "exit 0, but standard output is another";
    if (strcmp(said, job.said) != 0)
        return "exit 0, but standard error is another";
    g_hash_table_iter_init(&iter, job.files);
    while (g_hash_table_iter_next(&iter, &name, &bytes)) {
        GBytes *written = g_hash_table_lookup(files, name);
        if (!written || !g_bytes_equal(bytes, written))
            return "exit 0, but the output is another";
    }
    if (g_hash_table_size(files) != g_hash_table_size(job.files))
        return "exit 0, but a file is left";
    return NULL;
}

static const char *check_run(slot *s, int class, int way, int status, const char *said)
{
    g_autoptr(GHashTable) files = read_files(s->inside);
    g_autoptr(GHashTable) temporary = read_files(s->temporary);
    if (g_hash_table_size(temporary) > 0)
        return "a temporary file is left";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return "it hangs";
    if (class == INJECT_GLIB && WIFSIGNALED(status) &&
        (WTERMSIG(status) == SIGABRT || WTERMSIG(status) == SIGTRAP))
        return check_left(s, files, true); /* GLib's own way out, perhaps after all was done */
    if (WIFSIGNALED(status))
        return g_intern_string(g_strsignal(WTERMSIG(status)));
    if (strstr(said, "Sanitizer") || strstr(said, "runtime error:"))
        return "a sanitizer complains";
    if (WEXITSTATUS(status) == 0)
        return check_same(s, files, said);
    if (way > INJECT_ONWARDS && way != INJECT_END)
        return "it gives up though nothing failed";
    if (WEXITSTATUS(status) > 2)
        return "its exit status is neither 0, 1 nor 2";
    if (!is_one_line(said) && class != INJECT_GLIB)
        return "not one line is said";
    if (strstr(said, "records are missing: it ended"))
        return check_marked(s, files);
    /* What comes after the file is in its place may yet fail. */
    return check_left(s, files, job.is_several || strstr(said, "standard output") != NULL);
}

static void judge(slot *s, int class, int way, int status, uint64_t *harmless)
{
    g_autofree char *said = read_messages(s);
    const char *wrong = check_run(s, class, way, status, said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        ++*harmless;
    else
        g_hash_table_insert(
            messages, g_strdup(said),
            GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(messages, said)) + 1));
    if (!wrong)
        return;
    if (++failures <= SHOWN) {
        g_autofree char *shown = g_strndup(said, 2000);
        printf("# %s, %s:%s:%" G_GUINT64_FORMAT " (%s of %s+0x%llx): %s\n", job.name,
               class_name[class], way_name[way], s->point, s->counts->function, s->counts->object,
               (unsigned long long)s->counts->caller, wrong);
        g_strdelimit(shown, "\n", '|');
        if (*shown)
            printf("#   it says: %s\n", shown);
    }
}

/* -------------------------------------------------------------------------------------------- walk
 */

static int wait_for(slot *s)
{
    int status;
    while (waitpid(s->pid, &status, 0) < 0)
        if (errno != EINTR)
            exit(99);
    s->pid = 0; /* free for the walk; the number may come again */
    return status;
}

/* A run without failure; its points of a class. */
static uint64_t count(int class, int way)
{
    slot *s = &slots[0];
    start(s, class, way, class == DISK ? UINT64_MAX : 0);
    const int status = wait_for(s);
    g_autofree char *said = read_messages(s);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        printf("# %s: fails without a failure: status %d: %s\n", job.name, status, said);
        exit(1);
    }
    uint64_t points = class == DISK ? 0 : s->counts->points[class];
    if (class != DISK || !job.output) {
        g_hash_table_unref(job.files);
        g_free(job.output);
        g_free(job.said);
        job.files = read_files(s->inside);
        job.said = g_steal_pointer(&said);
        g_file_get_contents(s->standard_output, &job.output, &job.output_size, NULL);
    }
    if (class == DISK) {
        GHashTableIter iter;
        gpointer bytes;
        points = job.output_size;
        g_hash_table_iter_init(&iter, job.files);
        while (g_hash_table_iter_next(&iter, NULL, &bytes))
            points = MAX(points, g_bytes_get_size(bytes));
    }
    return points;
}

/* The number of the i-th of `chosen` points out of `points`: half of them the first ones. */
static uint64_t choose(uint64_t i, uint64_t chosen, uint64_t points)
{
    const uint64_t first = chosen / 2;
    if (chosen == points || i < first)
        return i + 1;
    return first + (i - first + 1) * (points - first) / (chosen - first);
}

static void walk(int class, int way, unsigned width)
{
    const uint64_t points = count(class, way);
    /* Each allocation has a way out of its own; of the rest there are a few kinds. */
    uint64_t most = class == INJECT_MEMORY && way == INJECT_ONCE ? 8 * job.most : job.most;
    if (class == DISK && (!most || most > SIZES))
        most = SIZES; /* one byte more or less makes no other failure */
    const uint64_t chosen = most && most < points ? most : points;
    uint64_t next = 0, ended = 0, harmless = 0;
    while (ended < chosen) {
        for (unsigned i = 0; i < width && next < chosen; i++)
            if (!slots[i].pid) {
                const uint64_t number = choose(next++, chosen, points);
                start(&slots[i], class, way, class == DISK ? number - 1 : number);
            }
        int status;
        const pid_t pid = waitpid(-1, &status, 0);
        for (unsigned i = 0; i < width; i++)
            if (slots[i].pid == pid) {
                judge(&slots[i], class, way, status, &harmless);
                slots[i].pid = 0;
                ended++;
            }
    }
    if (points > 0)
        printf("# %-24s %-6s %-7s %6" G_GUINT64_FORMAT " points %6" G_GUINT64_FORMAT
               " walked %6" G_GUINT64_FORMAT " without effect\n",
               job.name, class_name[class], class == DISK ? "bytes" : way_name[way], points, chosen,
               harmless);
    fflush(stdout);
}

static void make_slot(slot *s, const char *top, unsigned number)
{
    s->folder = g_strdup_printf("%s/slot%u", top, number);
    s->inside = g_build_filename(s->folder, "work", NULL);
    s->temporary = g_build_filename(s->folder, "tmp", NULL);
    s->standard_output = g_build_filename(s->folder, "output", NULL);
    s->counts_path = g_build_filename(s->folder, "counts", NULL);
    g_mkdir_with_parents(s->inside, 0777);
    g_mkdir_with_parents(s->temporary, 0777);
    const int fd = open(s->counts_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || ftruncate(fd, sizeof *s->counts) != 0)
        exit(99);
    s->counts = mmap(NULL, sizeof *s->counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (s->counts == MAP_FAILED)
        exit(99);
}

static bool read_words(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--several") == 0) {
            job.is_several = true;
        } else if (strcmp(argv[i], "--prefix") == 0 && i + 1 < argc) {
            job.prefix = argv[++i];
        } else if (strcmp(argv[i], "--without") == 0 && i + 1 < argc) {
            i++;
            for (unsigned c = 0; c <= DISK; c++)
                if (strcmp(argv[i], class_name[c]) == 0)
                    job.skip[c] = true;
        } else {
            return false;
        }
    }
    if (i + 1 >= argc)
        return false;
    job.name = argv[i];
    job.command = argv + i + 1;
    return true;
}

int main(int argc, char **argv)
{
    static const struct {
        int class, way;
    } plan[] = {{INJECT_MEMORY, INJECT_ONCE},
                {INJECT_MEMORY, INJECT_ONWARDS},
                {INJECT_GLIB, INJECT_ONCE},
                {INJECT_READ, INJECT_ONCE},
                {INJECT_READ, INJECT_SHORT},
                {INJECT_READ, INJECT_EINTR},
                {INJECT_READ, INJECT_END},
                {INJECT_WRITE, INJECT_ONCE},
                {INJECT_WRITE, INJECT_ONWARDS},
                {INJECT_WRITE, INJECT_SHORT},
                {INJECT_WRITE, INJECT_EINTR},
                {INJECT_SYSTEM, INJECT_ONCE},
                {DISK, INJECT_ONCE}};
    const char *most = g_getenv("INJECT_MOST"), *say = g_getenv("INJECT_SAY");
    const char *only = g_getenv("INJECT_ONLY");
    g_autofree char *top = g_dir_make_tmp("inject-XXXXXX", NULL);
    job.shim = g_getenv("INJECT_SHIM");
    job.most = most ? g_ascii_strtoull(most, NULL, 10) : 0;
    if (!top || !job.shim || !read_words(argc, argv)) {
        fprintf(stderr, "walk: INJECT_SHIM=FILE walk [--prefix WORD] [--several] "
                        "[--without CLASS] NAME PROGRAM ARGUMENT...\n");
        return 2;
    }
    if (!job.prefix)
        job.prefix = job.name;
    /* A sanitizer's word must be told from a program's own; its runtime comes after the shim. */
    g_setenv("ASAN_OPTIONS", "verify_asan_link_order=0:exitcode=77", TRUE);
    g_setenv("LSAN_OPTIONS", "exitcode=78:print_suppressions=0", TRUE);
    g_setenv("UBSAN_OPTIONS", "exitcode=79", TRUE);
    messages = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    job.files = g_hash_table_new(g_str_hash, g_str_equal);
    const unsigned width = CLAMP(g_get_num_processors(), 1, SLOTS);
    for (unsigned i = 0; i < width; i++)
        make_slot(&slots[i], top, i);
    for (size_t i = 0; i < G_N_ELEMENTS(plan); i++)
        if (!job.skip[plan[i].class] && (!only || strcmp(only, class_name[plan[i].class]) == 0))
            walk(plan[i].class, plan[i].way, width);
    if (failures > SHOWN)
        printf("# %s: %u failures more\n", job.name, failures - SHOWN);
    if (say && *say == '1') {
        GHashTableIter iter;
        gpointer text, number;
        g_hash_table_iter_init(&iter, messages);
        while (g_hash_table_iter_next(&iter, &text, &number))
            printf("#   %u times: %s", GPOINTER_TO_UINT(number), (char *)text);
    }
    empty(top);
    g_rmdir(top);
    return failures > 0;
}
