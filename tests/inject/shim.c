/* SPDX-License-Identifier: MIT
 *
 * shim.c - a library for LD_PRELOAD that makes the N-th call of a class fail (shim.h). stdio's
 * calls fail as they would if their buffer could not be written or filled: with its error flag set.
 * Leaves out unlink and rmdir: where those fail, what they should remove stays.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/inject/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#ifdef __GLIBC__ /* elsewhere streams and names of functions are others */

static inject_counts nowhere, *counts = &nowhere;
static enum inject_class wanted_class;
static enum inject_way wanted_way;
static uint64_t wanted_point;
static bool has_begun, is_ready, wants_trace;
static __thread bool is_inside;

/* The real function; resolved at the first call. */
#define NEXT(name) ((__typeof__(&name))next(#name, &next_##name))
#define HAVE(name) static void *next_##name

static void *next(const char *name, void **kept)
{
    if (!*kept) {
        const bool outside = !is_inside;
        is_inside = true;
        *kept = dlsym(RTLD_NEXT, name);
        if (outside)
            is_inside = false;
    }
    return *kept;
}

/* ------------------------------------------------------------------------------------- who calls
 */

enum { OF_LIBC = INJECT_CLASSES, LEFT_OUT };

/* Which class an allocation that the object at an address asks for is of. */
static struct range {
    uintptr_t first, last, base;
    int class;
    const char *name;
} range[64];
static unsigned range_count;

static int note_object(struct dl_phdr_info *info, size_t size, void *data)
{
    static const struct {
        const char *name;
        int class;
    } known[] = {{"/ld-", LEFT_OUT},        {"/libinject", LEFT_OUT}, {"/libasan", LEFT_OUT},
                 {"/libubsan", LEFT_OUT},   {"/libc.so", OF_LIBC},    {"/libglib", INJECT_GLIB},
                 {"/libpcre", INJECT_GLIB}, {"/libgcc_s", LEFT_OUT}};
    (void)size;
    (void)data;
    int class = INJECT_MEMORY;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(info->dlpi_name, known[i].name))
            class = known[i].class;
    for (int i = 0; i < info->dlpi_phnum && range_count < 64; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        const uintptr_t first = info->dlpi_addr + part->p_vaddr;
        range[range_count++] =
            (struct range){first, first + part->p_memsz, info->dlpi_addr, class, info->dlpi_name};
    }
    return 0;
}

static const struct range *find_range(const void *address)
{
    static const struct range none = {.class = LEFT_OUT, .name = "?"};
    for (unsigned again = 0; again < 2; again++) {
        for (unsigned i = 0; i < range_count; i++)
            if ((uintptr_t)address >= range[i].first && (uintptr_t)address < range[i].last)
                return &range[i];
        if (again == 0) { /* a library that came later */
            range_count = 0;
            dl_iterate_phdr(note_object, NULL);
        }
    }
    return &none;
}

/* The first frame outside of libc. */
static _Unwind_Reason_Code note_frame(struct _Unwind_Context *frame, void *data)
{
    int *class = data;
    const int found = find_range((const void *)_Unwind_GetIP(frame))->class;
    if (*class < 0) { /* still in the shim or just above it */
        *class = found == OF_LIBC ? OF_LIBC : -1;
        return _URC_NO_REASON;
    }
    *class = found;
    return found == OF_LIBC ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* What libc asks for, it asks for somebody. */
static int class_of(const void *caller)
{
    int class = find_range(caller)->class;
    if (class != OF_LIBC)
        return class;
    class = -1;
    is_inside = true;
    _Unwind_Backtrace(note_frame, &class);
    is_inside = false;
    return class < 0 ? LEFT_OUT : class;
}

/* Asked before main(), as the libraries' own constructors are, nothing fails. */
__attribute__((constructor)) static void begin(void)
{
    static const char *const classes[] = INJECT_CLASS_NAMES, *const ways[] = INJECT_WAY_NAMES;
    const char *asked = getenv("INJECT"), *path = getenv("INJECT_COUNTS");
    char class[16] = "", way[16] = "";
    unsigned long long point = 0;
    has_begun = true;
    if (!asked || !path || sscanf(asked, "%15[^:]:%15[^:]:%llu", class, way, &point) != 3)
        return;
    is_inside = true;
    for (unsigned i = 0; i < INJECT_CLASSES; i++)
        if (strcmp(class, classes[i]) == 0)
            wanted_class = (enum inject_class)i;
    for (unsigned i = 0; i < INJECT_WAYS; i++)
        if (strcmp(way, ways[i]) == 0)
            wanted_way = (enum inject_way)i;
    wanted_point = point;
    wants_trace = getenv("INJECT_TRACE") != NULL;
    dl_iterate_phdr(note_object, NULL);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    void *mapped =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (mapped == MAP_FAILED)
        _exit(99);
    counts = mapped;
    unsetenv("LD_PRELOAD");
    is_inside = false;
    is_ready = true;
}

/* What comes after main() is not the program's: gcov's data, for one. */
typedef int main_function(int, char **, char **);
static main_function *real_main;
static int watched_main(int argc, char **argv, char **environment)
{
    const int status = real_main(argc, argv, environment);
    is_ready = false;
    return status;
}

int __libc_start_main(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                      void *);
HAVE(__libc_start_main);
int __libc_start_main(main_function *its_main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    real_main = its_main;
    return NEXT(__libc_start_main)(watched_main, argc, argv, init, fini, loader_fini, stack_end);
}

/* --------------------------------------------------------------------------------------- points */

/* Whether this call is to fail, and how. */
static bool point(enum inject_class class, const char *function, const void *caller)
{
    if (!is_ready || is_inside)
        return false;
    const uint64_t number = __atomic_add_fetch(&counts->points[class], 1, __ATOMIC_RELAXED);
    if (class != wanted_class || !wanted_point ||
        (wanted_way == INJECT_ONWARDS ? number < wanted_point : number != wanted_point))
        return false;
    if (__atomic_fetch_add(&counts->failed, 1, __ATOMIC_RELAXED) == 0) {
        const struct range *object = find_range(caller);
        const char *slash = strrchr(object->name, '/');
        strncpy(counts->function, function, sizeof counts->function - 1);
        strncpy(counts->object, slash ? slash + 1 : object->name, sizeof counts->object - 1);
        counts->caller = (uintptr_t)caller - object->base;
        if (wants_trace) {
            void *frame[32];
            is_inside = true;
            backtrace_symbols_fd(frame, backtrace(frame, 32), STDERR_FILENO);
            is_inside = false;
        }
    }
    return true;
}

static bool fails(enum inject_class class, const char *function, const void *caller, int problem)
{
    if (wanted_way > INJECT_ONWARDS && class == wanted_class)
        return false; /* neither short nor interrupted: no point then */
    if (!point(class, function, caller))
        return false;
    errno = problem;
    return true;
}

#define CALLER __builtin_return_address(0)

/* --------------------------------------------------------------------------------------- memory */

HAVE(malloc);
HAVE(calloc);
HAVE(realloc);
HAVE(free);
HAVE(reallocarray);
HAVE(aligned_alloc);
HAVE(posix_memalign);
HAVE(pthread_create);

/* Before the shim's constructor, while libraries and sanitizers find each other, there is no malloc
 * to go on to; what is asked for then is never given back. */
static char early[1 << 20];
static size_t early_used;

static void *early_memory(size_t size)
{
    size = (size + 31) & ~(size_t)15;
    if (size > sizeof early - early_used)
        _exit(99);
    char *given = early + early_used + 16;
    memcpy(given - 16, &size, sizeof size);
    early_used += size;
    return given;
}

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

/* LeakSanitizer knows the loader's own by who called malloc, which is the shim here. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:dl_open_worker_begin\nleak:/ld-linux\n";
}

static bool memory_fails(const char *function, const void *caller)
{
    if (!is_ready || is_inside)
        return false;
    const int class = class_of(caller);
    return class < INJECT_CLASSES && fails((enum inject_class) class, function, caller, ENOMEM);
}

void *malloc(size_t size)
{
    if (!has_begun || (!next_malloc && is_inside))
        return early_memory(size);
    return memory_fails("malloc", CALLER) ? NULL : NEXT(malloc)(size);
}

void *calloc(size_t count, size_t size)
{
    if (!has_begun || (!next_calloc && is_inside))
        return early_memory(count * size); /* zero as it is */
    return memory_fails("calloc", CALLER) ? NULL : NEXT(calloc)(count, size);
}

void *realloc(void *old, size_t size)
{
    if (is_early(old) || !has_begun) {
        void *given = malloc(size);
        size_t kept;
        if (!old)
            return given;
        memcpy(&kept, (char *)old - 16, sizeof kept);
        if (given)
            memcpy(given, old, kept - 16 < size ? kept - 16 : size);
        return given;
    }
    return memory_fails("realloc", CALLER) ? NULL : NEXT(realloc)(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
    return memory_fails("reallocarray", CALLER) ? NULL : NEXT(reallocarray)(old, count, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memory_fails("aligned_alloc", CALLER) ? NULL : NEXT(aligned_alloc)(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
    return memory_fails("posix_memalign", CALLER) ? ENOMEM
                                                  : NEXT(posix_memalign)(to, alignment, size);
}

void free(void *memory)
{
    if (!is_early(memory))
        NEXT(free)(memory);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *data)
{
    if (fails(INJECT_SYSTEM, "pthread_create", CALLER, EAGAIN))
        return EAGAIN;
    return NEXT(pthread_create)(thread, attributes, run, data);
}

/* ------------------------------------------------------------------------------- read and write */

/* 1: goes on with *size as it is now, 0: returns *result. */
static bool transfer(enum inject_class class, const char *function, const void *caller,
                     size_t *size, ssize_t *result)
{
    if (!point(class, function, caller))
        return true;
    *result = -1;
    switch (wanted_way) {
    case INJECT_SHORT:
        *size = *size > 1 ? *size / 2 : *size;
        return true;
    case INJECT_EINTR:
        errno = EINTR;
        return false;
    case INJECT_END:
        *result = 0;
        return false;
    default:
        errno = class == INJECT_READ ? EIO : ENOSPC;
        return false;
    }
}

#define TRANSFER(class, name, data, offset)                                                        \
    HAVE(name);                                                                                    \
    ssize_t name(int fd, data buffer, size_t size, off_t at)                                       \
    {                                                                                              \
        ssize_t result;                                                                            \
        if (!transfer(class, #name, CALLER, &size, &result))                                       \
            return result;                                                                         \
        return NEXT(name)(fd, buffer, size, at);                                                   \
    }
TRANSFER(INJECT_READ, pread, void *, at)
TRANSFER(INJECT_READ, pread64, void *, at)
TRANSFER(INJECT_WRITE, pwrite, const void *, at)
TRANSFER(INJECT_WRITE, pwrite64, const void *, at)

HAVE(read);
ssize_t read(int fd, void *buffer, size_t size)
{
    ssize_t result;
    return transfer(INJECT_READ, "read", CALLER, &size, &result) ? NEXT(read)(fd, buffer, size)
                                                                 : result;
}

HAVE(write);
ssize_t write(int fd, const void *buffer, size_t size)
{
    ssize_t result;
    return fd == STDERR_FILENO || transfer(INJECT_WRITE, "write", CALLER, &size, &result)
               ? NEXT(write)(fd, buffer, size)
               : result;
}

/* What a call that fails so returns, or what it returns otherwise. */
#define OTHERWISE(class, name, problem, failed, ...)                                               \
    return fails(class, #name, CALLER, problem) ? (failed) : NEXT(name)(__VA_ARGS__)

HAVE(mmap);
void *mmap(void *where, size_t size, int rights, int flags, int fd, off_t offset)
{
    OTHERWISE(INJECT_READ, mmap, ENOMEM, MAP_FAILED, where, size, rights, flags, fd, offset);
}
HAVE(mmap64);
void *mmap64(void *where, size_t size, int rights, int flags, int fd, off_t offset)
{
    OTHERWISE(INJECT_READ, mmap64, ENOMEM, MAP_FAILED, where, size, rights, flags, fd, offset);
}
HAVE(ftruncate);
int ftruncate(int fd, off_t size)
{
    OTHERWISE(INJECT_WRITE, ftruncate, ENOSPC, -1, fd, size);
}
HAVE(fsync);
int fsync(int fd)
{
    OTHERWISE(INJECT_WRITE, fsync, EIO, -1, fd);
}

/* Closed it is all the same. */
HAVE(close);
int close(int fd)
{
    const int result = NEXT(close)(fd);
    return result == 0 && fails(INJECT_WRITE, "close", CALLER, EIO) ? -1 : result;
}

/* ---------------------------------------------------------------------------------------- stdio */

#define ERROR_SEEN 0x20 /* glibc's _IO_ERR_SEEN */

static bool stream_fails(enum inject_class class, const char *function, const void *caller,
                         FILE *file)
{
    if (file == stderr || !fails(class, function, caller, class == INJECT_READ ? EIO : ENOSPC))
        return false;
    file->_flags |= ERROR_SEEN;
    return true;
}

HAVE(fclose);
int fclose(FILE *file)
{
    const int result = NEXT(fclose)(file);
    return result == 0 && fails(INJECT_WRITE, "fclose", CALLER, ENOSPC) ? EOF : result;
}

HAVE(fread);
size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    return stream_fails(INJECT_READ, "fread", CALLER, file) ? 0
                                                            : NEXT(fread)(to, size, count, file);
}
HAVE(fgets);
char *fgets(char *to, int size, FILE *file)
{
    return stream_fails(INJECT_READ, "fgets", CALLER, file) ? NULL : NEXT(fgets)(to, size, file);
}
HAVE(getline);
ssize_t getline(char **to, size_t *size, FILE *file)
{
    return stream_fails(INJECT_READ, "getline", CALLER, file) ? -1 : NEXT(getline)(to, size, file);
}
HAVE(fflush);
int fflush(FILE *file)
{
    return file && stream_fails(INJECT_WRITE, "fflush", CALLER, file) ? EOF : NEXT(fflush)(file);
}
HAVE(fwrite);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    return stream_fails(INJECT_WRITE, "fwrite", CALLER, file)
               ? 0
               : NEXT(fwrite)(from, size, count, file);
}
HAVE(fputs);
int fputs(const char *text, FILE *file)
{
    return stream_fails(INJECT_WRITE, "fputs", CALLER, file) ? EOF : NEXT(fputs)(text, file);
}
HAVE(fputc);
int fputc(int c, FILE *file)
{
    return stream_fails(INJECT_WRITE, "fputc", CALLER, file) ? EOF : NEXT(fputc)(c, file);
}
HAVE(putc);
int putc(int c, FILE *file)
{
    return stream_fails(INJECT_WRITE, "putc", CALLER, file) ? EOF : NEXT(putc)(c, file);
}
HAVE(putchar);
int putchar(int c)
{
    return stream_fails(INJECT_WRITE, "putchar", CALLER, stdout) ? EOF : NEXT(putchar)(c);
}
HAVE(puts);
int puts(const char *text)
{
    return stream_fails(INJECT_WRITE, "puts", CALLER, stdout) ? EOF : NEXT(puts)(text);
}
HAVE(vfprintf);
int vfprintf(FILE *file, const char *format, va_list list)
{
    return stream_fails(INJECT_WRITE, "vfprintf", CALLER, file)
               ? -1
               : NEXT(vfprintf)(file, format, list);
}
int fprintf(FILE *file, const char *format, ...)
{
    va_list list;
    if (stream_fails(INJECT_WRITE, "fprintf", CALLER, file))
        return -1;
    va_start(list, format);
    const int length = NEXT(vfprintf)(file, format, list);
    va_end(list);
    return length;
}
int printf(const char *format, ...)
{
    va_list list;
    if (stream_fails(INJECT_WRITE, "printf", CALLER, stdout))
        return -1;
    va_start(list, format);
    const int length = NEXT(vfprintf)(stdout, format, list);
    va_end(list);
    return length;
}

/* --------------------------------------------------------------------------------------- system */

#define OPENS(name)                                                                                \
    HAVE(name);                                                                                    \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                       \
            va_list list;                                                                          \
            va_start(list, flags);                                                                 \
            mode = va_arg(list, mode_t);                                                           \
            va_end(list);                                                                          \
        }                                                                                          \
        OTHERWISE(INJECT_SYSTEM, name, EACCES, -1, path, flags, mode);                             \
    }
OPENS(open)
OPENS(open64)

#define OPENS_FILE(name)                                                                           \
    HAVE(name);                                                                                    \
    FILE *name(const char *path, const char *mode)                                                 \
    {                                                                                              \
        OTHERWISE(INJECT_SYSTEM, name, EACCES, NULL, path, mode);                                  \
    }
OPENS_FILE(fopen)
OPENS_FILE(fopen64)

#define MAKES_FILE(name)                                                                           \
    HAVE(name);                                                                                    \
    FILE *name(void)                                                                               \
    {                                                                                              \
        return fails(INJECT_SYSTEM, #name, CALLER, ENOSPC) ? NULL : NEXT(name)();                  \
    }
MAKES_FILE(tmpfile)
MAKES_FILE(tmpfile64)

HAVE(fdopen);
FILE *fdopen(int fd, const char *mode)
{
    OTHERWISE(INJECT_SYSTEM, fdopen, ENOMEM, NULL, fd, mode);
}

#define LOOKS(name, first)                                                                         \
    HAVE(name);                                                                                    \
    int name(first what, struct stat *status)                                                      \
    {                                                                                              \
        OTHERWISE(INJECT_SYSTEM, name, EACCES, -1, what, status);                                  \
    }
LOOKS(stat, const char *)
LOOKS(lstat, const char *)
LOOKS(fstat, int)

#define CHANGES(name, problem, ...)                                                                \
    HAVE(name);                                                                                    \
    CHANGES_(name, problem, __VA_ARGS__)
#define CHANGES_(name, problem, parameters, ...)                                                   \
    int name parameters                                                                            \
    {                                                                                              \
        OTHERWISE(INJECT_SYSTEM, name, problem, -1, __VA_ARGS__);                                  \
    }
CHANGES(rename, EACCES, (const char *from, const char *to), from, to)
CHANGES(mkdir, EACCES, (const char *path, mode_t mode), path, mode)
CHANGES(mkstemp, EACCES, (char *path), path)
CHANGES(fchmod, EPERM, (int fd, mode_t mode), fd, mode)
CHANGES(dup, EMFILE, (int fd), fd)
CHANGES(dup2, EMFILE, (int fd, int to), fd, to)
CHANGES(pipe, EMFILE, (int fd[2]), fd)
CHANGES(pipe2, EMFILE, (int fd[2], int flags), fd, flags)

HAVE(lseek);
off_t lseek(int fd, off_t offset, int from)
{
    OTHERWISE(INJECT_SYSTEM, lseek, ESPIPE, -1, fd, offset, from);
}
HAVE(mkdtemp);
char *mkdtemp(char *path)
{
    OTHERWISE(INJECT_SYSTEM, mkdtemp, EACCES, NULL, path);
}
HAVE(realpath);
char *realpath(const char *restrict path, char *restrict resolved)
{
    OTHERWISE(INJECT_SYSTEM, realpath, EACCES, NULL, path, resolved);
}
HAVE(fork);
pid_t fork(void)
{
    return fails(INJECT_SYSTEM, "fork", CALLER, EAGAIN) ? -1 : NEXT(fork)();
}

/* Every command of fcntl takes nothing, a number or a pointer. */
#define CONTROLS(name)                                                                             \
    HAVE(name);                                                                                    \
    int name(int fd, int command, ...)                                                             \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, command);                                                                   \
        void *argument = va_arg(list, void *);                                                     \
        va_end(list);                                                                              \
        OTHERWISE(INJECT_SYSTEM, name, EMFILE, -1, fd, command, argument);                         \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

#endif
