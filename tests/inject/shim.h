/* SPDX-License-Identifier: MIT
 *
 * shim.h - what the walker asks of the shim, and what the shim tells it.
 *
 * A point is one call of a class, counted from 1 over a whole run. The walker names class, way and
 * point in INJECT ("memory:once:17"; point 0 counts only) and a file in INJECT_COUNTS, which both
 * map. Programs that a program starts are left alone.
 */
#ifndef TESTS_INJECT_SHIM_H
#define TESTS_INJECT_SHIM_H

#include <stdint.h>

enum inject_class {
    INJECT_MEMORY, /* malloc and its family, asked by anything but GLib and the loader */
    INJECT_GLIB,   /* the same asked by GLib, which aborts then */
    INJECT_READ,   /* read, pread, mmap, fread, fgets, getline */
    INJECT_WRITE,  /* write, pwrite, fwrite, fputs, printf, fflush, fclose, close, ftruncate; never
                    * on standard error */
    INJECT_SYSTEM, /* open, stat, rename, mkstemp, mkdir, dup, fcntl, pipe, fork, threads, ... */
    INJECT_CLASSES
};

enum inject_way {
    INJECT_ONCE,    /* the point fails */
    INJECT_ONWARDS, /* and so does every later one */
    INJECT_SHORT,   /* read, write: a byte less is done than was asked for, down to one */
    INJECT_EINTR,   /* read, write and theirs with an offset: a signal came first */
    INJECT_END,     /* read: the file ends here */
    INJECT_WAYS
};

#define INJECT_CLASS_NAMES                                                                         \
    {                                                                                              \
        "memory", "glib", "read", "write", "system"                                                \
    }
#define INJECT_WAY_NAMES                                                                           \
    {                                                                                              \
        "once", "onwards", "short", "eintr", "end"                                                 \
    }

typedef struct inject_counts {
    uint64_t points[INJECT_CLASSES];
    uint64_t failed; /* points that failed; an interrupted or short one is among them */
    char function[24], object[64];
    uint64_t caller; /* offset in the object, of the first that failed */
} inject_counts;

#endif
