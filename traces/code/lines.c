/* SPDX-License-Identifier: MIT
 *
 * lines.c - return addresses to lines: addr2line, which comes with the linker, reads the debugging
 * information that gmcc always adds and nvcc -g does. Each address is asked for once. Where
 * addr2line is missing no line is known, and nobody is told.
 */
#include "traces/code/lines.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <search.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 64 /* addresses an addr2line is asked for */, TEXT_LINES = 3, MAX_TEXT = 1024 };

typedef struct site {
    void *address;
    gmt_line *line;
    unsigned count;
    bool own;       /* the program's, no library's */
    char *function; /* it lies in, the innermost of those that were inlined; NULL: not known */
} site;

typedef struct text {
    gmt_line line;
    char *text;
} text;

static void *sites; /* tsearch()'s tree */
static text *texts;
static size_t text_count;

/* ------------------------------------------------------------------------------------ addr2line */

/* Is the file the compiler's, C++'s or CUDA's rather than the program's? */
static bool is_foreign(const char *file)
{
    static const char *const part[] = {"/cuda_runtime.h",
                                       "/gmcuda/",
                                       "/cuda_runtime_api.h",
                                       "/include/c++/",
                                       "/cooperative_groups",
                                       "libc-start",
                                       "/thrust/",
                                       "/cub/",
                                       "/libcudacxx/"};
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        if (strstr(file, part[i]) != NULL)
            return true;
    return strncmp(file, "??", 2) == 0;
}

static void add_line(site *s, char *at)
{
    char *colon = strrchr(at, ':');
    if (s == NULL || colon == NULL || is_foreign(at))
        return;
    if (colon[1] == '?' && strchr(at, '/') == NULL) /* what the list of symbols says of all */
        return;
    *colon = 0;
    gmt_line *line = realloc(s->line, (s->count + 1) * sizeof *line);
    const unsigned long number = strtoul(colon + 1, NULL, 10); /* "?": 0 */
    char *file = line != NULL ? strdup(at) : NULL;
    if (line != NULL)
        s->line = line;
    if (file != NULL)
        s->line[s->count++] =
            (gmt_line){file, number <= UINT32_MAX ? (uint32_t)number : 0, s->address};
}

static void add_function(site *s, const char *name)
{
    if (s != NULL && s->function == NULL && strncmp(name, "??", 2) != 0 && strlen(name) < MAX_TEXT)
        s->function = strdup(name);
}

/* "0x1234" before function and line, in turn, of each address, in the order they were asked for. */
static void read_lines(FILE *in, site *const *asked, size_t count)
{
    char *at = NULL;
    size_t room = 0, next = 0;
    site *s = NULL;
    bool is_line = false;
    for (ssize_t length; (length = getline(&at, &room, in)) > 0;) {
        at[length - 1] = 0;
        if (strncmp(at, "0x", 2) == 0) {
            s = next < count ? asked[next++] : NULL;
            is_line = false;
            continue;
        }
        if (is_line)
            add_line(s, at);
        else
            add_function(s, at);
        is_line = !is_line;
    }
    free(at);
}

static bool start(char **argv, int out, int in, pid_t *child)
{
    /* Nothing of the program's environment, such as LD_PRELOAD, is for it. */
    char *const environment[] = {(char *)(uintptr_t) "LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    const bool good =
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) == 0 &&
        posix_spawn_file_actions_addclose(&actions, in) == 0 &&
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawnp(child, argv[0], &actions, NULL, argv, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return good;
}

/* Of one object: at most BATCH. */
static void ask(const char *object, const uint64_t *offset, site *const *asked, size_t count)
{
    enum { WORDS = 5 };
    char number[BATCH][20], *argv[BATCH + WORDS + 1];
    const char *const words[WORDS] = {"addr2line", "-aif", "-C", "-e", object};
    int pipes[2];
    pid_t child;
    for (unsigned i = 0; i < WORDS; i++)
        argv[i] = (char *)(uintptr_t)words[i];
    for (size_t i = 0; i < count; i++) {
        snprintf(number[i], sizeof number[i], "0x%llx", (unsigned long long)offset[i]);
        argv[WORDS + i] = number[i];
    }
    argv[WORDS + count] = NULL;
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return;
    const bool started = start(argv, pipes[1], pipes[0], &child);
    close(pipes[1]);
    FILE *in = started ? fdopen(pipes[0], "r") : NULL;
    if (in != NULL) {
        read_lines(in, asked, count);
        fclose(in);
    } else {
        close(pipes[0]);
    }
    while (started && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Does a section of the name begin so? */
static bool has_section(const char *image, size_t size, const char *name)
{
    ElfW(Ehdr) head;
    ElfW(Shdr) section, names;
    if (size < sizeof head)
        return false;
    memcpy(&head, image, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof section ||
        head.e_shoff > size || (size - head.e_shoff) / sizeof section < head.e_shnum ||
        head.e_shstrndx >= head.e_shnum)
        return false;
    const char *table = image + head.e_shoff;
    memcpy(&names, table + head.e_shstrndx * sizeof names, sizeof names);
    if (names.sh_offset > size || names.sh_size > size - names.sh_offset)
        return false;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, table + i * sizeof section, sizeof section);
        if (section.sh_name < names.sh_size && strncmp(image + names.sh_offset + section.sh_name,
                                                       name, names.sh_size - section.sh_name) == 0)
            return true;
    }
    return false;
}

/* A library without lines would cost addr2line a search of its symbols; of a program that was
 * stripped of its own it would name whatever exported function stands before. Asked for the same
 * one again and again. */
static bool tells(const char *object, bool own)
{
    static char last[4096];
    static bool found;
    struct stat about;
    if (strcmp(last, object) == 0)
        return found;
    const int file = open(object, O_RDONLY | O_CLOEXEC);
    const size_t size = file >= 0 && fstat(file, &about) == 0 ? (size_t)about.st_size : 0;
    void *image = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    found = image != MAP_FAILED && (has_section(image, size, ".debug_line") ||
                                    (own && has_section(image, size, ".symtab")));
    if (image != MAP_FAILED)
        munmap(image, size);
    if (file >= 0)
        close(file);
    snprintf(last, sizeof last, "%s", object);
    return found;
}

/* Where the file is that holds the address, and at which of its own addresses the call. */
static bool locate(void *address, char object[4096], uint64_t *offset, bool *own)
{
    Dl_info info;
    struct link_map *map;
    object[0] = 0;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || info.dli_fname == NULL)
        return false;
    *offset = (uint64_t)(uintptr_t)address - map->l_addr - 1; /* a return address is behind it */
    *own = map->l_name[0] == 0;
    if (*own) { /* the program itself, wherever the folder is by now */
        const ssize_t length = readlink("/proc/self/exe", object, 4095);
        object[length > 0 ? length : 0] = 0;
    } else {
        snprintf(object, 4096, "%s", info.dli_fname);
    }
    return object[0] != 0 && tells(object, *own);
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const site *)a)->address;
    const uintptr_t y = (uintptr_t)((const site *)b)->address;
    return (x > y) - (x < y);
}
static site *find_site(void *address)
{
    const site wanted = {.address = address};
    site *const *found = tfind(&wanted, &sites, by_address);
    return found != NULL ? *found : NULL;
}
/* NULL without memory. */
static site *add_site(void *address)
{
    site *s = calloc(1, sizeof *s);
    if (s != NULL)
        s->address = address;
    if (s != NULL && tsearch(s, &sites, by_address) != NULL)
        return s;
    free(s);
    return NULL;
}

void gmt_find_lines(void *const *address, size_t count)
{
    char object[4096], next[4096] = "";
    uint64_t offset[BATCH];
    site *asked[BATCH];
    size_t batch = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t at;
        if (find_site(address[i]) != NULL)
            continue;
        bool own = false;
        const bool known = locate(address[i], object, &at, &own);
        site *s = add_site(address[i]);
        if (!known || s == NULL)
            continue;
        s->own = own;
        /* The batch ends with another object, or where it is full. */
        if (batch > 0 && (batch == BATCH || strcmp(object, next) != 0)) {
            ask(next, offset, asked, batch);
            batch = 0;
        }
        offset[batch] = at;
        asked[batch++] = s;
        memcpy(next, object, sizeof next);
    }
    if (batch > 0)
        ask(next, offset, asked, batch);
}

gmt_line gmt_line_of(const gmt_frames *frames, unsigned depth)
{
    gmt_find_lines(frames->address, frames->count);
    for (unsigned i = 0; i < frames->count; i++) {
        const site *s = find_site(frames->address[i]);
        const unsigned count = s != NULL ? s->count : 0;
        if (depth < count)
            return s->line[depth];
        depth -= count;
    }
    return (gmt_line){.file = NULL};
}

/* Is it the function, a template of its name, or the runtime library's own? */
static bool is_call(const char *function, const char *call)
{
    const char *at = strstr(function, call);
    const size_t length = strlen(call);
    if (strncmp(function, "__cudart", 8) == 0)
        return true;
    return at != NULL && (at == function || at[-1] == ' ') &&
           (at[length] == 0 || at[length] == '<' || at[length] == '(');
}

const char *gmt_caller_of(const gmt_frames *frames, const char *call)
{
    unsigned first = 0;
    gmt_find_lines(frames->address, frames->count);
    for (unsigned i = 0; i < frames->count; i++) {
        const site *s = find_site(frames->address[i]);
        if (s != NULL && s->own && s->function != NULL && is_call(s->function, call))
            first = i + 1;
    }
    const site *s = first < frames->count ? find_site(frames->address[first]) : NULL;
    return s != NULL && s->own && s->count == 0 ? s->function : NULL;
}

/* ----------------------------------------------------------------------------------- source text
 */

static char *read_text(gmt_line line)
{
    FILE *in = fopen(line.file, "re");
    char *all = in != NULL ? calloc(1, MAX_TEXT + 1) : NULL, *at = NULL;
    size_t room = 0, used = 0;
    for (uint32_t i = 1; all != NULL && i < line.number + TEXT_LINES; i++) {
        const ssize_t length = getline(&at, &room, in);
        if (length < 0)
            break;
        if (i < line.number)
            continue;
        char *comment = strstr(at, "//");
        if (comment != NULL)
            *comment = 0;
        at[strcspn(at, "\r\n")] = 0;
        used += (size_t)snprintf(all + used, MAX_TEXT + 1 - used, "%s\n", at);
        if (used > MAX_TEXT)
            break;
    }
    free(at);
    if (in != NULL)
        fclose(in);
    return all;
}

const char *gmt_line_text(gmt_line line)
{
    if (line.file == NULL || line.number == 0)
        return "";
    for (size_t i = 0; i < text_count; i++)
        if (texts[i].line.number == line.number && strcmp(texts[i].line.file, line.file) == 0)
            return texts[i].text != NULL ? texts[i].text : "";
    text *grown = realloc(texts, (text_count + 1) * sizeof *texts);
    if (grown == NULL)
        return "";
    texts = grown;
    texts[text_count] = (text){line, read_text(line)};
    return texts[text_count].text != NULL ? texts[text_count++].text : (text_count++, "");
}
